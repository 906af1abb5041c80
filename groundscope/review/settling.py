"""Differences between reviewers, decisions that settle them, and the labels that result."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from groundscope.review.decisions import WHOLE, ReviewDecision, StoredDecision, claims, counting, labelled
from groundscope.types import Case


class Settlement(NamedTuple):
    """What was decided to hold of a sentence, and what each reviewer said of it."""

    holds: StoredDecision
    people: Mapping[str, ReviewDecision]

    @property
    def words(self) -> str:
        """Who settled it and when, and both reasons."""
        reasons = (f"{name}: {d.ruling}{f' (“{d.note}”)' if d.note else ''}" for name, d in self.people.items() if d.ruling)
        return f"by {self.holds.reviewer}, {self.holds.time[:10]}. {'; '.join(reasons)}."


def settlements(history: Iterable[StoredDecision]) -> dict[int, Settlement]:
    """Find what was settled of one case, in everyone's decisions and settlements of it."""
    entries = list(history)
    people = {
        who: counting(d for d in entries if d.reviewer == who and not d.settles)
        for who in dict.fromkeys(d.reviewer for d in entries)
    }
    last = counting(d for d in entries if d.settles)
    return {i: Settlement(d, {who: of[i].decision for who, of in people.items() if i in of}) for i, d in last.items()}


def holding(decisions: Mapping[int, StoredDecision], settled: Mapping[int, Settlement]) -> dict[int, StoredDecision]:
    """Put what was settled in the place of a reviewer's own decisions."""
    return dict(sorted({**decisions, **{i: s.holds for i, s in settled.items()}}.items()))


Decided = Mapping[str, Mapping[int, StoredDecision]]
"""By the key of the case, and by sentence."""


class ReviewDifference(NamedTuple):
    """A sentence, or answer, of which reviewers say different things; `settled`: what was decided to hold."""

    key: str
    sentence: int
    decisions: Mapping[str, StoredDecision]
    settled: StoredDecision | None


def review_differences(people: Mapping[str, Decided], settled: Decided) -> tuple[ReviewDifference, ...]:
    """Find where two or more reviewers differ."""
    return tuple(
        ReviewDifference(key, i, rulings, last)
        for key, i, rulings, last in _decided_places(people, settled)
        if len(rulings) > 1 and agreed_decision(d.decision for d in rulings.values()) is None
    )


def _decided_places(
    people: Mapping[str, Decided], settled: Decided
) -> Iterator[tuple[str, int, dict[str, StoredDecision], StoredDecision | None]]:
    """By case and sentence: what reviewers ruled, and what was settled."""
    decisions = (*people.values(), settled)
    for key in dict.fromkeys(key for decided in decisions for key in decided):
        for i in sorted({i for decided in decisions for i in decided.get(key, ())}):
            rulings = {name: d for name, decided in people.items() if (d := decided.get(key, {}).get(i)) and d.decision.ruling}
            yield key, i, rulings, settled.get(key, {}).get(i)


def agreed_decision(decisions: Iterable[ReviewDecision]) -> ReviewDecision | None:
    """Put decisions of several reviewers on one sentence together."""
    listed = list(decisions)
    rulings, types = {d.ruling for d in listed}, {d.type for d in listed} - {None}
    if len(rulings) != 1 or len(types) > 1:
        return None
    return ReviewDecision(
        listed[0].sentence,
        rulings.pop(),
        types.pop() if types else None,
        next((d.span for d in listed if d.span), None),
        next((d.rests_on for d in listed if d.rests_on), None),
        " / ".join(dict.fromkeys(d.note for d in listed if d.note)),
    )


def gold_decisions(people: Mapping[str, Decided], settled: Decided, fewest: int = 2) -> dict[str, dict[int, ReviewDecision]]:
    """Find what holds of each sentence."""
    gold: dict[str, dict[int, ReviewDecision]] = {}
    for key, i, rulings, last in _decided_places(people, settled):
        agreed = agreed_decision(d.decision for d in rulings.values()) if len(rulings) >= fewest else None
        if holds := last.decision if last else agreed:
            gold.setdefault(key, {})[i] = holds
    return gold


def gold_cases(
    people: Mapping[str, Decided], settled: Decided, cases: Mapping[str, Case], fewest: int = 2
) -> tuple[tuple[Case, ...], int]:
    """Label cases by what reviewers agree on and what was settled."""
    gold = gold_decisions(people, settled, fewest)
    complete = [
        k for k, decided in gold.items() if k in cases and (WHOLE in decided or decided.keys() >= {*claims(cases[k].response)})
    ]
    begun = {key for decided in people.values() for key in decided if key in cases}
    return tuple(labelled(cases[k], gold[k]) for k in complete), len(begun - set(complete))
