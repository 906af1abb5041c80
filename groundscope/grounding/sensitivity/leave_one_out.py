"""Leave-one-out: the support of an answer, measured again without each source and without each sentence of the sources.

Leave-one-out attribution. What it shows is about a method together with these sources: of two sources that say the same, neither
changes a support alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from groundscope.cases.dataset import to_row
from groundscope.cases.edits.whole_set import digest
from groundscope.cases.own_format import own_case
from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.plan import Content, Part
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import Task, TaskPart, contents, plan_of
from groundscope.files.fields import cleaned
from groundscope.files.typed import stored
from groundscope.methods import Method, registry
from groundscope.runtime.progress import listener, listening
from groundscope.runtime.retention import reusing
from groundscope.statistics.decision import verdict
from groundscope.text.alignment import UnitFinder, aligned
from groundscope.text.humanize import plural
from groundscope.text.sentences import Unit, context_sentences, sentence_id
from groundscope.types import Case, Judgement, Passage, Status

if TYPE_CHECKING:
    import pandas as pd

SMALL = 0.01
"""A support that moves by no more has not changed: less shows in no figure of two decimals."""
MOST_SOURCES = 40
MOST_SENTENCES = 60
WHOLE = -1
"""The index that stands for the response as a whole, of which a method may judge no single sentence."""
UNRELATED = Passage(
    "unrelated",
    "The garden behind the house was quiet in the early morning. A grey cat slept on the warm stones beside the well.",
    "A text of ours that has nothing to do with the answer",
)
"""Stands in place of the only source, because no method assesses a case without a source."""


@dataclass(frozen=True, slots=True)
class ResponseSupports:
    """Supports of a response, 0 to 1, as it is or with something left out; `whole` is None unless scored.

    `supports` is (n_response,), None where the method assesses no such sentence, or nothing at all.
    """

    supports: tuple[float | None, ...]
    whole: float | None
    status: Status = Status.SCORED
    note: str = ""

    def of(self, sentence: int) -> float | None:
        """Give the support of a response sentence, or of the response for `WHOLE`."""
        return self.whole if sentence == WHOLE else self.supports[sentence]

    @property
    def assessed(self) -> tuple[int, ...]:
        """Indices of the sentences with a support; `WHOLE` alone where none has one and the response has."""
        indices = tuple(i for i, s in enumerate(self.supports) if s is not None)
        return indices or ((WHOLE,) if self.whole is not None else ())


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """A response scored with all sources, without each source, and without each sentence of the sources.

    `sentences` go by the index in `groundscope.text.sentences.context_sentences`, without those that are all of their source.
    """

    full: ResponseSupports
    sources: Mapping[int, ResponseSupports]
    sentences: Mapping[int, ResponseSupports]
    notes: tuple[str, ...] = ()


class LeftOutParts(NamedTuple):
    """What is left out, each in a version of its own: sources, then context sentences; `notes` say which others stay."""

    sources: Sequence[int] = ()
    sentences: Sequence[int] = ()
    notes: Sequence[str] = ()


def versions(case: Case, judgement: Judgement, *, sentences: bool) -> tuple[LeftOutParts, list[Case]]:
    """Leave out each source, and each context sentence where `sentences` says so; gives the versions of the case in their order.

    Of more than `MOST_SOURCES` sources and `MOST_SENTENCES` context sentences only those that the judgement relates most to the
    response are left out.
    """
    if not _read(case, judgement).assessed:
        return LeftOutParts(), []
    units = context_sentences(case.context)
    ranked = _ranked(case, judgement, units)
    sources = list(dict.fromkeys([*(units[j].passage for j in ranked), *range(len(case.context))]))
    divided = _divided(units) if sentences else frozenset()
    parts = [j for j in ranked if j in divided]
    notes = _not_tried("passage", len(sources) - MOST_SOURCES) + _not_tried("context sentence", len(parts) - MOST_SENTENCES)
    left_out = LeftOutParts(sorted(sources[:MOST_SOURCES]), sorted(parts[:MOST_SENTENCES]), notes)
    without = [
        *(without_source(case, p) for p in left_out.sources),
        *(without_sentence(case, units[j]) for j in left_out.sentences),
    ]
    return left_out, without


def leave_one_out(method: Method, case: Case) -> LeaveOneOut:
    """Score a case, and each of its `versions`; what the method computed for a text is reused while this runs."""
    with reusing():
        judgement = _scored(method, case, 0, 1)
        left_out, cases = versions(case, judgement, sentences=True)
        supports = [_read(case, _scored(method, v, done, 1 + len(cases))) for done, v in enumerate(cases, 1)]
        return _joined(_read(case, judgement), left_out, supports)


def _joined(full: ResponseSupports, left_out: LeftOutParts, supports: Sequence[ResponseSupports]) -> LeaveOneOut:
    sources = dict(zip(left_out.sources, supports, strict=False))
    sentences = dict(zip(left_out.sentences, supports[len(sources) :], strict=True))
    return LeaveOneOut(full, sources, sentences, tuple(left_out.notes))


def _part(method: str, options: Content) -> TaskPart[Case]:
    loaded, held = registry.load(method, **options["options"]), dict[Any, Any]()

    def do(case: Case) -> Content:
        with reusing(held):
            return asdict(_read(case, loaded.score(case)))

    return TaskPart(loaded.signature, do, loaded.asks)


LEAVING_OUT: Task[Case] = Task(
    JobDirectory("left_out", "leave-one-out"),
    "version",
    "version",
    lambda case: cleaned(to_row(case)),
    lambda row: own_case(row, ""),
    _part,
)
"""A method that asks a chat model, or takes long, scores the versions of a case."""


def begin(
    part: Part, case: Case, judgement: Judgement, limits: Limits = NO_LIMITS, *, sentences: bool, keeps: bool = True
) -> str:  # fmt: skip
    """Make a job in which a method, whose judgement of the whole case is here, scores its `versions`."""
    left_out, cases = versions(case, judgement, sentences=sentences)
    options = {
        "options": dict(part.options),
        "case": digest(case),
        "full": asdict(_read(case, judgement)),
        "left_out": left_out,
        "whole": sentences,
    }
    name, parts = f"What carries the answer {case.id}", {part.loads: part.title}
    return LEAVING_OUT.create(name, parts, cases, options, limits, keeps=keeps, cases=[case.id])


def scored_in(file: JobFile) -> LeaveOneOut:
    """Read what a finished job scored."""
    options = plan_of(file).options
    full, rows = stored(ResponseSupports, options["full"]), sorted(contents(file).items())
    nothing = (None,) * len(full.supports)
    supports = [
        ResponseSupports(nothing, None, Status.FAILED, c) if isinstance(c, str) else stored(ResponseSupports, c) for _, c in rows
    ]
    return _joined(full, LeftOutParts(*options["left_out"]), supports)


def without_source(case: Case, source: int) -> Case:
    """Leave out a source; without labels, and with `UNRELATED` where no other source is left."""
    context = tuple(passage for p, passage in enumerate(case.context) if p != source)
    return Case(case.id, case.query, context or (UNRELATED,), case.response, area=case.area)


def without_sentence(case: Case, unit: Unit) -> Case:
    """Leave out a context sentence; without labels. What was before and after it become two paragraphs, not one sentence."""
    passage = case.context[unit.passage]
    text = "\n\n".join(filter(None, (passage.text[: unit.start].strip(), passage.text[unit.end :].strip())))
    context = list(case.context)
    context[unit.passage] = Passage(passage.id, text, passage.source)
    return Case(case.id, case.query, tuple(context), case.response, area=case.area)


def _divided(units: Sequence[Unit]) -> frozenset[int]:
    """The context sentences that are not all of their source."""
    by_source = Counter(unit.passage for unit in units)
    return frozenset(j for j, unit in enumerate(units) if by_source[unit.passage] > 1)


def _ranked(case: Case, judgement: Judgement, units: Sequence[Unit]) -> list[int]:
    """The context sentences, those that the method matched best to any response sentence first."""
    finder, best = UnitFinder(units), dict[int, float]()
    for score in aligned(case, judgement):
        for j, support in finder.ranked(score):
            best[j] = max(best.get(j, 0.0), support)
    return sorted(range(len(units)), key=lambda j: -best.get(j, 0.0))


def _scored(method: Method, case: Case, done: int, planned: int) -> Judgement:
    hear = listener()
    with listening(lambda _done, _total: hear(done, planned)):
        judgement = method.score(case)
    hear(done + 1, planned)
    return judgement


def _read(case: Case, judgement: Judgement) -> ResponseSupports:
    supports = tuple(s.support for s in aligned(case, judgement))
    if judgement.status is Status.SCORED:
        return ResponseSupports(supports, judgement.support)
    note = judgement.note or verdict(judgement, None).words
    return ResponseSupports((None,) * len(supports), None, judgement.status, note)


def _not_tried(what: str, count: int) -> list[str]:
    return [f"{plural(count, what)} that the answer is least related to were not left out."] if count > 0 else []


def differs(before: ResponseSupports, after: ResponseSupports) -> bool:
    """Whether any sentence's support, or that of the response where no sentence has one, differs by more than `SMALL`."""
    if before.assessed != after.assessed:
        return True
    return any(abs((before.of(i) or 0.0) - (after.of(i) or 0.0)) > SMALL for i in before.assessed)


def turned(before: float | None, after: float | None, threshold: float | None) -> bool:
    """Whether a verdict is another one: at or above the threshold before and below it after, or the other way round."""
    return None not in (before, after, threshold) and (before >= threshold) != (after >= threshold)  # type: ignore[operator]


def frame(case: Case, result: LeaveOneOut, threshold: float | None) -> "pd.DataFrame":
    """Make a table: one row for each part that was left out and each response sentence."""
    import pandas as pd

    return pd.DataFrame(list(_rows(case, result, threshold)))


def _rows(case: Case, result: LeaveOneOut, threshold: float | None) -> Iterator[dict[str, Any]]:
    units = context_sentences(case.context)
    places = [(("passage", case.context[p].id, Unit(p, 0, len(case.context[p].text))), s) for p, s in result.sources.items()]
    names = {j: sentence_id(case.context, units[j].passage, units[j].start) for j in result.sentences}
    places += [(("context sentence", names[j], units[j]), s) for j, s in result.sentences.items()]
    for (left_out, name, at), without in places:
        for i in result.full.assessed:
            before, after = result.full.of(i), without.of(i)
            assessed = before is not None and after is not None
            yield {
                "sentence": None if i == WHOLE else i + 1,
                "left_out": left_out,
                "id": name,
                "passage": at.passage + 1,
                "start": at.start,
                "end": at.end,
                "support": before,
                "without": after,
                "change": after - before if before is not None and after is not None else None,
                "threshold": threshold,
                "verdict_changes": turned(before, after, threshold) if assessed and threshold is not None else None,
                "note": without.note,
            }
