"""Where reviewers differ, what they agree on, and the labels that come of both once the differences are settled."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from groundscope.review.decisions import WHOLE, ReviewDecision, StoredDecision
from groundscope.review.labels import labelled
from groundscope.text.sentences import split
from groundscope.types import Case

Decided = Mapping[str, Mapping[int, StoredDecision]]
"""By the key of the case, and by sentence."""


class ReviewDifference(NamedTuple):
    """A sentence, or answer, of which reviewers say different things.

    Attributes:
        settled: what was decided to hold; None = not settled.
    """

    key: str
    sentence: int
    decisions: Mapping[str, StoredDecision]
    settled: StoredDecision | None


def review_differences(people: Mapping[str, Decided], settled: Decided) -> tuple[ReviewDifference, ...]:
    """Find where two or more reviewers differ."""
    found = []
    for key in dict.fromkeys(key for decided in people.values() for key in decided):
        for i in sorted({i for decided in people.values() for i in decided.get(key, ())}):
            said = {name: d for name, decided in people.items() if (d := decided.get(key, {}).get(i)) and d.decision.ruling}
            if len(said) > 1 and agreed_decision([d.decision for d in said.values()]) is None:
                found.append(ReviewDifference(key, i, said, settled.get(key, {}).get(i)))
    return tuple(found)


def agreed_decision(decisions: Iterable[ReviewDecision]) -> ReviewDecision | None:
    """Put decisions of several reviewers on one sentence together."""
    found = list(decisions)
    rulings, types = {d.ruling for d in found}, {d.type for d in found} - {None}
    if len(rulings) != 1 or len(types) > 1:
        return None
    return ReviewDecision(
        found[0].sentence,
        rulings.pop(),
        types.pop() if types else None,
        next((d.span for d in found if d.span), None),
        next((d.rests_on for d in found if d.rests_on), None),
        " / ".join(dict.fromkeys(d.note for d in found if d.note)),
    )


def gold_decisions(people: Mapping[str, Decided], settled: Decided, fewest: int = 2) -> dict[str, dict[int, ReviewDecision]]:
    """Find what holds of each sentence."""
    found: dict[str, dict[int, ReviewDecision]] = {}
    for key in dict.fromkeys(key for decided in (*people.values(), settled) for key in decided):
        places = {i for decided in (*people.values(), settled) for i in decided.get(key, ())}
        for i in sorted(places):
            said = [d.decision for decided in people.values() if (d := decided.get(key, {}).get(i)) and d.decision.ruling]
            last = settled.get(key, {}).get(i)
            holds = last.decision if last else agreed_decision(said) if len(said) >= fewest else None
            if holds:
                found.setdefault(key, {})[i] = holds
    return found


def gold_cases(
    people: Mapping[str, Decided], settled: Decided, cases: Mapping[str, Case], fewest: int = 2
) -> tuple[tuple[Case, ...], int]:
    """Label cases by what reviewers agree on and what was settled."""
    gold = gold_decisions(people, settled, fewest)
    known = [k for k, own in gold.items() if k in cases and _complete(cases[k], own)]
    begun = {key for decided in people.values() for key in decided if key in cases}
    return tuple(labelled(cases[k], gold[k]) for k in known), len(begun - set(known))


def _complete(case: Case, own: Mapping[int, ReviewDecision]) -> bool:
    return WHOLE in own or all(i in own for i, s in enumerate(split(case.response)) if not s.heading)
