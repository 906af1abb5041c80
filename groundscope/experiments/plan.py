"""Types that every long job shares: parts, places of results, starts and progress."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from groundscope.chat.budget import NOTHING, Cost

Content = dict[str, Any]
"""What a stage gives, as JSON."""

FAILED = "failed"
"""The status of a result that is a fault."""


@dataclass(frozen=True, slots=True)
class Part:
    """What was chosen to judge, write or retrieve in a job, and how it stood when the job was planned.

    The fields from `threshold` on are of methods in runs.

    Attributes:
        id: unique in a job. In a run: a method's own id, a name of the user's such as `direct:gpt-4o`, or `recorded:...` for
            scores that came from another tool.
        title: for people; it and `signature` are empty before the part is loaded.
        threshold: where the method starts untuned; None = none was measured.
        tunes: what tuning may choose, as in `About`; empty = not stated, from an older run.
        method: id as the registry has it; empty = that is the part's own.
        sweep: the part and option of which it is one value.
        prompts: what it asks a chat model with: the texts of each prompt by their names, by the prompt's name. The form of the
            reply, which code adds, is not among them.
    """

    id: str
    title: str = ""
    signature: str = ""
    asks: bool = False
    threshold: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    tuned_on: str = "dev"
    tunes: str = ""
    cold_seconds: float | None = None
    method: str = ""
    sweep: str = ""
    prompts: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)

    @property
    def loads(self) -> str:
        """The method's id for the registry."""
        return self.method or self.id

    @property
    def recorded(self) -> bool:
        """Whether its scores came from another tool, so that nothing is left to judge."""
        return self.id.startswith("recorded:")

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> "Part":
        """Read a part that a run stores, which was described by its method."""
        return cls(**{"title": row["title"], "signature": row["signature"], **row})

    @classmethod
    def __get_pydantic_core_schema__(cls, kind: Any, handler: Callable[[Any], Any]) -> Any:
        """Read also the list of its first four fields, which jobs of an earlier version stored."""
        from pydantic_core.core_schema import no_info_before_validator_function

        return no_info_before_validator_function(_by_name, handler(kind))


def _by_name(row: Any) -> Any:
    return dict(zip(("id", "title", "signature", "asks"), row, strict=True)) if isinstance(row, list) else row


class Place(NamedTuple):
    """Where in a job a result belongs: up to two parts, and the row of the input; -1 = all rows."""

    part: int
    other: int
    row: int


@dataclass(frozen=True, slots=True)
class Result:
    """What one stage gave for a place."""

    stage: str
    content: Content
    status: str = "done"
    timed: bool = False
    why: str = ""


class Stored(NamedTuple):
    """A result as it is stored."""

    place: Place
    status: str
    timed: bool
    cost: Cost
    why: str
    content: Content


class Count(NamedTuple):
    """How many places of a part have a result, and how many of these are faults."""

    done: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Start:
    """A time that work began on a phase."""

    started: str
    machine: tuple[str, ...] = ()
    cold: Mapping[str, float] = field(default_factory=dict)
    done: tuple[int, ...] = ()
    cost: Cost = NOTHING


class Progress(NamedTuple):
    """What work is at: a stage of a part, how much of it is done, and about how many seconds are left; None = not known yet."""

    stage: str
    part: str
    done: int
    total: int
    left: float | None = None
