"""What carries one sentence: the fewest context sentences that keep its verdict, and the fewest sources that it falls without."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from groundscope.grounding.sensitivity.leave_one_out import (
    SMALL,
    WHOLE,
    Ablation,
    LeaveOneOut,
    Trials,
    leave_out_each,
    stands_on_nothing,
)
from groundscope.grounding.sensitivity.smallest import MOST_TESTS, FoundSet, Minimality, smallest
from groundscope.methods import Method
from groundscope.runtime.retention import reusing
from groundscope.text.sentences import context_sentences, sentence_id, split
from groundscope.types import Case, Judgement

if TYPE_CHECKING:
    import pandas as pd

_MOST_GROUPS = 50
"""Groups of sources that are left out: each takes a scoring with almost the whole context."""


@dataclass(frozen=True, slots=True)
class SentenceCarriers:
    """What keeps one response sentence at or above a threshold.

    Attributes:
        sentence: index of the response sentence, `WHOLE` for the response.
        support: with all sources, 0 to 1; None = not assessed.
        threshold: 0 to 1; None = not set.
        keeps: indices of the context sentences that alone keep the support at the threshold; empty where an unrelated text, and
            each source alone, do so, too; None where the support is below it, or was not searched, as for a method that asks a
            chat model.
        falls: indices of the sources without which together the support is below the threshold; None as with `keeps`, and where
            `keeps` is empty.
    """

    sentence: int
    support: float | None
    threshold: float | None
    keeps: FoundSet | None = None
    falls: FoundSet | None = None


class Carried(NamedTuple):
    """Both answers: without each source and context sentence, and for one sentence."""

    found: LeaveOneOut
    sentence: SentenceCarriers


def carriers(
    method: Method,
    case: Case,
    sentence: int,
    threshold: float | None,
    *,
    first: Judgement | None = None,
    found: LeaveOneOut | None = None,
    sentences: bool | None = None,
) -> Carried:
    """Find what carries a response sentence: leave out each source and each context sentence, then search for the fewest.

    Where the method gives a sentence the same support when it stands alone, the search scores it alone. What the method computed
    for a text is reused while this runs.
    """
    if not WHOLE <= sentence < len(split(case.response)):
        raise IndexError(f"the response has {len(split(case.response))} sentences, there is none with the index {sentence}")
    with reusing():
        if found is None:
            trials = Trials(method, case, first)
            found = leave_out_each(trials, sentence, sentences=not method.asks if sentences is None else sentences)
        support = found.full.of(sentence)
        own = SentenceCarriers(sentence, support, threshold)
        if method.asks or support is None or threshold is None or support < threshold:
            return Carried(found, own)
        others = (found.nothing, *found.alone.values())
        if all(a is not None and _reached(a.of(sentence), threshold) for a in others):
            return Carried(found, replace(own, keeps=FoundSet((), Minimality.SMALLEST, 0)))
        alone = _alone(method, case, sentence, support, threshold) or Trials(method, case, first)
        return Carried(found, _searched(alone, own, threshold, found))


def _alone(method: Method, case: Case, sentence: int, support: float, threshold: float) -> Trials | None:
    """Trials of the sentence as a response of its own; None where the method does not take it for the same."""
    if sentence == WHOLE:
        return None
    at = split(case.response)[sentence]
    text = case.response[at.start : at.end]
    if [(s.start, s.end) for s in split(text)] != [(0, len(text))]:
        return None
    trials = Trials(method, Case(case.id, case.query, case.context, text, area=case.area))
    same = trials.full.of(0)
    return trials if same is not None and same >= threshold and abs(same - support) <= SMALL else None


def _reached(support: float | None, threshold: float) -> bool:
    return support is not None and support >= threshold


def _searched(trials: Trials, own: SentenceCarriers, threshold: float, found: LeaveOneOut) -> SentenceCarriers:
    def reaches(one: Ablation | None, sentence: int) -> bool:
        return one is not None and _reached(one.of(sentence), threshold)

    # Alone, it is the only sentence of its response.
    at = 0 if own.sentence != WHOLE and len(trials.full.supports) == 1 else own.sentence
    trials.planned = trials.count + MOST_TESTS + _MOST_GROUPS
    keeps = smallest(trials.ranked_units(at), lambda kept: bool(kept) and reaches(trials.keeping(kept), at))
    sources = trials.ranked_sources(at)
    if reaches(found.nothing, own.sentence):
        # An unrelated text would do, but some source does not: that one stays.
        sources.remove(next(p for p, a in found.alone.items() if not reaches(a, own.sentence)))
    falls = smallest(sources, lambda gone: not reaches(trials.without_sources(gone), at), _MOST_GROUPS)
    return replace(own, keeps=keeps, falls=falls)


def frame(case: Case, found: LeaveOneOut, threshold: float | None) -> "pd.DataFrame":
    """Make a table: one row for each part that was left out and each response sentence."""
    import pandas as pd

    return pd.DataFrame(list(_rows(case, found, threshold)))


def _rows(case: Case, found: LeaveOneOut, threshold: float | None) -> Iterator[dict[str, Any]]:
    nothing = stands_on_nothing(found, threshold)
    for part, without in _parts(case, found):
        for i in found.full.assessed:
            before, after = found.full.of(i), without.of(i)
            known = before is not None and after is not None
            yield {
                "sentence": None if i == WHOLE else i + 1,
                **part,
                "support": before,
                "without": after,
                "change": after - before if before is not None and after is not None else None,
                "threshold": threshold,
                "verdict_changes": turned(before, after, threshold) if known and threshold is not None else None,
                "stands_on_nothing": i in nothing if found.nothing else None,
                "note": without.note,
            }


def turned(before: float | None, after: float | None, threshold: float | None) -> bool:
    """Whether a verdict is another one: at or above the threshold before and below it after, or the other way round."""
    return None not in (before, after, threshold) and (before >= threshold) != (after >= threshold)  # type: ignore[operator]


def _parts(case: Case, found: LeaveOneOut) -> Iterator[tuple[Mapping[str, Any], Ablation]]:
    if found.nothing:
        yield _part("all sources", ""), found.nothing
    for p, without in found.sources.items():
        passage = case.context[p]
        place = {"source": p + 1, "start": 0, "end": len(passage.text)}
        yield _part("source", passage.id, **place, unused=p in found.unused), without
        if p in found.alone:
            yield _part("other sources", passage.id, **place), found.alone[p]
    units = context_sentences(case.context)
    for j, without in found.sentences.items():
        p, start, end = units[j]
        yield _part("context sentence", sentence_id(case.context, p, start), source=p + 1, start=start, end=end), without


def _part(left_out: str, name: str, **place: Any) -> dict[str, Any]:
    return {"left_out": left_out, "id": name, "source": None, "start": None, "end": None, "unused": None, **place}
