"""What is kept of a live answer, and of what a method says of it."""

from dataclasses import dataclass
from enum import StrEnum

from groundscope.types import Case


class AnswerState(StrEnum):
    """What became of an answer."""

    JUDGED = "judged"
    LEFT_OUT = "left out"
    NO_ANSWER = "no answer"
    NO_SOURCES = "no sources"
    NO_BUDGET = "no budget"


@dataclass(frozen=True, slots=True)
class LiveAnswer:
    """An answer of a trace, without its texts.

    Attributes:
        time: seconds since 1970, of the root's end; None = not known.
        version: of the program; empty = not known.
        case: its texts; None = not kept.
    """

    trace: str
    root: str
    time: float | None
    version: str
    state: AnswerState
    passages: int = 0
    case: Case | None = None


@dataclass(frozen=True, slots=True)
class LiveJudgement:
    """What a method says of an answer.

    Attributes:
        signature: of the method with its settings; supports of two signatures are not compared.
        support: 0..1; None unless scored.
        grounded: at the method's threshold; None = no verdict.
        flagged: (start, end, support) of those below the threshold, characters of the answer.
        cost: US dollars; None = the price is not known.
    """

    method: str
    signature: str
    status: str
    support: float | None
    grounded: bool | None
    sentences: int
    flagged: tuple[tuple[int, int, float], ...]
    seconds: float
    cost: float | None
    calls: int


@dataclass(frozen=True, slots=True)
class LiveFinding:
    """An answer that a method calls ungrounded.

    Attributes:
        time: seconds since 1970; None = not known.
        version: of the program; empty = not known.
        support: 0..1, the lower the worse.
        flagged: (start, end, support) of those below the threshold, characters of the answer.
    """

    trace: str
    root: str
    time: float | None
    version: str
    support: float
    sentences: int
    flagged: tuple[tuple[int, int, float], ...]
    kept: bool
