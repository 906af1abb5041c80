"""The plan of a run, and the part of a judgement that a run stores."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from groundscope.errors import GroundscopeError
from groundscope.experiments.plan import FAILED, Content, Result
from groundscope.files.fields import clean
from groundscope.grounding.runs.arrays import MethodRun
from groundscope.types import Judgement, Status

JUDGEMENT = "judgement"
"""The one stage of a run."""
TIMED = {Status.SCORED, Status.INVALID, Status.ABSTAINED}
"""States that a method works for; the others come at once and would make it look fast."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a run judges by what.

    Attributes:
        timed: whether latency is measured; without it what responses share is made once, on dev, too.
        afresh: whether chat models are asked as if no reply were kept; none is kept then either.
        wordings: for each case the rewording of the prompts that it is judged with, 0 = the methods' own; empty = 0 for all.
    """

    name: str
    source: str
    data_hash: str
    cases: int
    methods: tuple[MethodRun, ...]
    keeps_replies: bool = True
    timed: bool = True
    afresh: bool = False
    wordings: tuple[int, ...] = ()

    def label(self, method: int) -> str:
        """Name a method for people."""
        title = self.methods[method].title
        return title if [m.title for m in self.methods].count(title) == 1 else self.methods[method].id


def from_json(row: Any) -> RunPlan:
    """Read a plan."""
    methods = tuple(MethodRun(**m) for m in row["methods"])
    return RunPlan(**{**row, "methods": methods, "wordings": tuple(row.get("wordings", ()))})


def spread(supports: Iterable[float | None]) -> tuple[float | None, float | None]:
    """Find the lowest and the mean of sentence supports."""
    assessed = [support for support in supports if support is not None]
    return (min(assessed), min(1.0, sum(assessed) / len(assessed))) if assessed else (None, None)


def result(judgement: Judgement, *, timed: bool) -> Result:
    """Make the result that a run keeps of a judgement."""
    why = clean(judgement.note) if judgement.status is Status.FAILED else ""
    return Result(JUDGEMENT, packed(judgement), str(judgement.status), timed, why)


def packed(judgement: Judgement) -> Content:
    """Leave out the matrix, and all but the best match of each sentence: the heatmap makes the rest again."""
    content = {name: getattr(judgement, name) for name in _PLAIN}
    content["sentences"] = [
        [s.start, s.end, s.support, [[m.passage, m.start, m.end, m.support] for m in s.matches[:1]], s.contradiction]
        for s in judgement.sentences
    ]
    content["claims"] = [{**asdict(c), "text": clean(c.text), "reason": clean(c.reason)} for c in judgement.claims]
    # What a model wrote may hold half a character, which no file takes.
    content["note"], content["raw"] = clean(judgement.note), clean(judgement.raw)
    return content


_PLAIN = ("support", "seconds", "calls", "tokens", "cost", "context_seen", "cached", "note", "raw")


def failure(why: str | Exception, seconds: float = 0.0) -> Judgement:
    """Make the judgement of a method that failed on one case, after some seconds; the others are judged."""
    if isinstance(why, Exception) and not isinstance(why, GroundscopeError):
        why = f"The method failed on this response ({type(why).__name__}: {why})."
    return Judgement(Status(FAILED), seconds=seconds, note=str(why), context_seen=0.0)
