"""What a run judges by what, and what is kept of a judgement."""

from dataclasses import asdict, dataclass
from typing import Any

from groundscope.experiments.plan import FAILED, Content, Result
from groundscope.files.fields import clean
from groundscope.grounding.runs.arrays import MethodRun
from groundscope.types import Judgement, Status

JUDGEMENT = "judgement"
"""The one stage of a run."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run judges by what.

    Attributes:
        name: for people.
        source: where the cases come from.
        data_hash: of all cases.
        cases: how many.
        methods: in the order of the tables.
        keeps_replies: whether replies of chat models are kept on disk.
    """

    name: str
    source: str
    data_hash: str
    cases: int
    methods: tuple[MethodRun, ...]
    keeps_replies: bool = True

    def label(self, method: int) -> str:
        """The title of the method at a place, or its id where two methods have the title."""
        title = self.methods[method].title
        return title if [m.title for m in self.methods].count(title) == 1 else self.methods[method].id


def to_json(plan: Plan) -> Content:
    """As `from_json` reads it."""
    return asdict(plan)


def from_json(row: Any) -> Plan:
    """Read a plan; what is missing raises KeyError or TypeError."""
    return Plan(**{**row, "methods": tuple(MethodRun(**m) for m in row["methods"])})


def result(judgement: Judgement, *, timed: bool) -> Result:
    """A judgement as it is kept: its seconds count where it is `timed`."""
    why = clean(judgement.note) if judgement.status is Status.FAILED else ""
    return Result(JUDGEMENT, packed(judgement), str(judgement.status), timed, why)


def packed(judgement: Judgement) -> Content:
    """Without the matrix, and with the best match of each sentence alone: the heatmap makes the rest again."""
    found = {name: getattr(judgement, name) for name in _PLAIN}
    found["sentences"] = [
        [s.start, s.end, s.support, [[m.passage, m.start, m.end, m.support] for m in s.matches[:1]]] for s in judgement.sentences
    ]
    found["claims"] = [{**asdict(c), "text": clean(c.text), "reason": clean(c.reason)} for c in judgement.claims]
    # What a model wrote may hold half a character, which no file takes.
    found["note"], found["raw"] = clean(judgement.note), clean(judgement.raw)
    return found


_PLAIN = ("support", "seconds", "calls", "tokens", "cost", "context_seen", "cached", "note", "raw")


def failure(note: str) -> Judgement:
    """The judgement of a method that failed."""
    return Judgement(Status(FAILED), note=note, context_seen=0.0)
