"""Runs as jobs of the engine: one file a run, in the folder `runs` of the data folder or in the one of `GROUNDSCOPE_STORE`.

The place of a judgement is the method's index and the case's row. What the app exports of a run lies beside its file. The plan,
and the part of a judgement that a run stores, are JSON.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from groundscope.cases.own_format import own_case
from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.errors import GroundscopeError
from groundscope.experiments import listing
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.plan import FAILED, Content, Part, Place, Result, Stored
from groundscope.experiments.store import JobFile
from groundscope.files.fields import clean
from groundscope.grounding.runs.added_types import added_from_json, added_to_json
from groundscope.grounding.runs.arrays import AddedTypes
from groundscope.paths import Variable
from groundscope.text.humanize import plural
from groundscope.types import Case, Judgement, Passage, Status

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
    methods: tuple[Part, ...]
    keeps_replies: bool = True
    timed: bool = True
    afresh: bool = False
    wordings: tuple[int, ...] = ()

    def label(self, method: int) -> str:
        """Name a method for people."""
        title = self.methods[method].title
        return title if [m.title for m in self.methods].count(title) == 1 else self.methods[method].id


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


FOLDER = JobDirectory("runs", "run", Variable.STORE, "runs.sqlite")
_TYPES = "types"
CASES, CONTEXTS = "cases", "contexts"
"""The inputs of a run: cases, and contexts, which cases name by their row: many of them often share one."""


def place(method: int, row: int) -> Place:
    """Make the place of a judgement."""
    return Place(method, -1, row)


def create(
    plan: RunPlan,
    rows: Sequence[Content],
    judged: Mapping[int, Sequence[Judgement]] | None = None,
    limits: Limits = NO_LIMITS,
    again: Mapping[int, Iterable[Stored]] | None = None,
) -> str:
    """Make a run; `again` has, by method, results of an earlier run over the same rows."""
    contexts: dict[str, int] = {}
    short = [{**row, "context": contexts.setdefault(json.dumps(row["context"]), len(contexts))} for row in rows]
    results = (
        (place(m, row), result(j, timed=j.seconds > 0))
        for m, judgements in (judged or {}).items()
        for row, j in enumerate(judgements)
    )
    before = (
        (place(m, s.place.row), Result(JUDGEMENT, s.content, s.status, s.timed, s.why))
        for m, results_of in (again or {}).items()
        for s in results_of
    )
    inputs = {CASES: short, CONTEXTS: [json.loads(c) for c in contexts]}
    return FOLDER.create(asdict(plan), inputs, chain(results, before), limits, [str(row["id"]) for row in rows])


def plan_of(file: JobFile) -> RunPlan:
    """Read the plan of a run."""
    return file.plan(RunPlan)


def cases_of(file: JobFile, rows: Sequence[int] | None = None) -> list[Case]:
    """Read the cases of a run."""
    stored = file.inputs(CASES, rows)
    contexts = _contexts(file, stored)
    shared: dict[int, tuple[Passage, ...]] = {}

    def case_of(row: Content) -> Case:
        case, context = own_case({**row, "context": contexts[row["context"]]}, ""), row["context"]
        # Equal passages are kept once, however many cases share them.
        return replace(case, context=shared.setdefault(context, case.context))

    return file.meaning(lambda: [case_of(row) for row in stored])


def rows_of(file: JobFile) -> list[Content]:
    """Read the cases of a run as JSON."""
    stored = file.inputs(CASES)
    contexts = _contexts(file, stored)
    return file.meaning(lambda: [{**row, "context": contexts[row["context"]]} for row in stored])


def _contexts(file: JobFile, rows: Sequence[Content]) -> dict[int, Any]:
    numbers = file.meaning(lambda: sorted({int(row["context"]) for row in rows}))
    return dict(zip(numbers, file.inputs(CONTEXTS, numbers), strict=True))


def judgements(file: JobFile, method: int) -> Iterator[Stored]:
    """Read a method's judgements."""
    for stored in file.results(JUDGEMENT, method):
        # Where a batch lost a reply, the engine itself says so.
        yield stored if stored.content else stored._replace(content=packed(failure(stored.why)))


def types_of(file: JobFile) -> tuple[AddedTypes, ...]:
    """Read the error types that were added to a run."""
    return file.meaning(added_from_json, file.about(_TYPES, []))


def keep_types_of(file: JobFile, added: Sequence[AddedTypes]) -> None:
    """Keep the error types that a run has besides those of its cases, in place of those kept before."""
    file.set_about(_TYPES, added_to_json(added))


def exported(run: str) -> Path:
    """Find where the app puts the files of a finished run."""
    return FOLDER.path / run


KIND = listing.Kind(
    FOLDER, "judgement", plan_of, lambda _: JUDGEMENT,
    lambda _, plan: {m: (method.title, plan.cases) for m, method in enumerate(plan.methods)},
    lambda _, plan: f"{plural(plan.cases, 'response')} of {plan.source}",
    lambda plan: tuple(m for m, method in enumerate(plan.methods) if method.recorded),
)  # fmt: skip
