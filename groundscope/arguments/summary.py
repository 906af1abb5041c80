"""An argument with what was extracted from it, and the figures of many: means with intervals, by test, factor and complexity.

Intervals are 95 %: of means percentile bootstrap over draws, in which an arguable triple and the reordered one that was made
of it are drawn together; of the share that abstains Wilson's. They hold sampling error alone, unless people read some of the
arguments: then means are corrected by these, and intervals hold the extractor's error, too
(`groundscope.statistics.raters`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf

import numpy as np

from groundscope.arguments.extraction import EXACT, Extraction, of_sets
from groundscope.arguments.parsing import Argument
from groundscope.arguments.scoring import ExtractorAgreement, Score, Weights, agreement, kinds, score
from groundscope.arguments.types import CASES, Catalogue, Scenario, Test
from groundscope.chat.budget import NOTHING, Cost
from groundscope.statistics.bootstrap import Interval, by_group, group_codes, limits, resampled_sums, resamples
from groundscope.statistics.raters import corrected
from groundscope.statistics.significance import wilson

_NONE = Interval(float("nan"), float("nan"))
_NOTHING = of_sets([frozenset()] * len(CASES))


@dataclass(frozen=True)
class Judged:
    """One argument.

    `other` is what another model extracted and `human` what a person reads in it, None = none did; `unread` says why the other
    model's lists could not be read, and is empty otherwise, as `wording` is where none was read.
    """

    scenario: Scenario
    arguer: str
    wording: str
    argument: Argument
    exact: Extraction
    other: Extraction | None = None
    cost: Cost = NOTHING
    unread: str = ""
    human: Extraction | None = None

    def found(self, extractor: str = EXACT) -> Extraction | None:
        """Choose what an extractor found."""
        return self.exact if extractor == EXACT else self.other

    def score(self, extractor: str = EXACT) -> Score | None:
        """Choose how the argument did by an extractor."""
        return self._scores[0 if extractor == EXACT else 1]

    @cached_property
    def checked(self) -> Score | None:
        """How the argument did by what a person reads in it; None where no person did, or there is nothing to read."""
        return None if self.human is None or self.argument.empty else score(self.scenario, self.human)

    @cached_property
    def _scores(self) -> tuple[Score | None, Score | None]:
        if self.argument.empty:
            silent = score(self.scenario, _NOTHING)
            return silent, silent
        return score(self.scenario, self.exact), None if self.other is None else score(self.scenario, self.other)


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over triples with its interval; NaN over none."""

    value: float
    interval: Interval
    of: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Of some arguments.

    Attributes:
        silent: those that say nothing. By the formulas each is an abstention that uses no factor; where they are left out, they
            are in no mean.
        unread: those that say something and were not extracted from; they are in no mean.
        abstained: share that used no factor; right on non-arguable triples, wrong on others.
        checked: those that a person read, too; from 1 on the means are corrected by them.
    """

    arguments: int
    silent: int
    unread: int
    acc_h: Mean
    rec_u: Mean
    abstained: Mean
    weighted: Mean | None = None
    cost: Cost = field(default=NOTHING)
    checked: int = 0


def figures(
    arguments: Sequence[Judged], extractor: str = EXACT, weights: Weights | None = None, catalogue: Catalogue | None = None,
    *, without_silent: bool = False,
) -> Figures:  # fmt: skip
    """Means of some arguments, as shares (Acc_H may be negative) with 95 % intervals; NaN over none.

    With weights (and their catalogue) weighted recall, too. Arguments of one draw are resampled together; the interval of a mean
    over a single draw is NaN, except that of the share that abstains. `without_silent` leaves those that say nothing out of all
    means; else they count as the formulas have it.
    """
    silent = sum(j.argument.empty for j in arguments)
    counted = [j for j in arguments if not (without_silent and j.argument.empty)]
    scored = [(j, s) for j in counted if (s := j.score(extractor)) is not None]
    groups = [j.scenario.draw or j.scenario.id for j, _ in scored]
    acc_h, rec_u = _means([[s.acc_h, s.rec_u] for _, s in scored], groups, 2)
    left = sum(s.abstained for _, s in scored)
    abstained = Mean(left / len(scored), wilson(left, len(scored)), len(scored)) if scored else Mean(float("nan"), _NONE, 0)
    weighted = None
    checks = [(s, checked) for j, s in scored if (checked := j.checked) is not None]
    acc_h = _corrected(acc_h, scored, [c.acc_h - s.acc_h for s, c in checks], lowest=-inf)
    rec_u = _corrected(rec_u, scored, [c.rec_u - s.rec_u for s, c in checks])
    abstained = _corrected(abstained, scored, [float(c.abstained) - s.abstained for s, c in checks], unit=1.0)
    if weights is not None and catalogue is not None:
        weighable = [
            (w, g) for (_, s), g in zip(scored, groups, strict=True) if (w := s.weighted_recall(weights, catalogue)) is not None
        ]
        (weighted,) = _means([[w] for w, _ in weighable], [g for _, g in weighable], 1)
        both = [(s.weighted_recall(weights, catalogue), c.weighted_recall(weights, catalogue)) for s, c in checks]
        weighted = _corrected(weighted, scored, [b - a for a, b in both if a is not None and b is not None])
    cost = sum((j.cost for j in arguments), NOTHING)
    return Figures(
        len(arguments), silent, len(counted) - len(scored), acc_h, rec_u, abstained, weighted, cost, checked=len(checks)
    )


def _corrected(
    mean: Mean, scored: Sequence[tuple[Judged, Score]], differences: Sequence[float], unit: float = 0.0, lowest: float = 0.0
) -> Mean:
    """The mean corrected by checked arguments. In one without words nothing can be extracted wrongly; `unit` is else a factor."""
    if not differences:
        return mean
    share = sum(not j.argument.empty for j, _ in scored) / len(scored)
    factor = len(scored) / sum(s.size for _, s in scored)
    value, interval = corrected(mean.value, mean.interval, differences, share, unit or factor, lowest)
    return Mean(value, interval, mean.of)


def _means(rows: Sequence[Sequence[float]], groups: Sequence[str], width: int) -> list[Mean]:
    if not rows:
        return [Mean(float("nan"), _NONE, 0)] * width
    table = np.asarray([[*row, 1.0] for row in rows])
    draws = resamples(groups)
    sums = resampled_sums(draws, by_group(table, groups))
    with np.errstate(invalid="ignore", divide="ignore"):
        ends = limits(sums[:, :-1] / sums[:, -1:], int(group_codes(groups).max()) + 1)
    return [Mean(float(table[:, i].mean()), Interval.of(ends[i]), len(rows)) for i in range(width)]


def grouped(arguments: Iterable[Judged], key: Callable[[Judged], tuple[object, ...]]) -> dict[tuple[object, ...], list[Judged]]:
    """Group arguments by a key."""
    groups: dict[tuple[object, ...], list[Judged]] = {}
    for argument in arguments:
        groups.setdefault(key(argument), []).append(argument)
    return groups


@dataclass(frozen=True, slots=True)
class FactorErrors:
    """What went wrong with a factor, counted once a case of a triple.

    `invented`: said of a case, and true of none of the triple.
    """

    key: str
    there: int
    missed: int
    invented: int
    wrong_case: int

    @property
    def errors(self) -> int:
        """All of them."""
        return self.missed + self.invented + self.wrong_case


def by_factor(arguments: Iterable[Judged], extractor: str = EXACT) -> list[FactorErrors]:
    """Count errors by factor. In a non-arguable triple nothing is missed: there is nothing that should be said."""
    there, counts = Counter[str](), {kind: Counter[str]() for kind in ("invented", "wrong case", "missed")}
    for argument in arguments:
        score = argument.score(extractor)
        if score is None:
            continue
        if argument.scenario.test is not Test.NON_ARGUABLE:
            there.update(k for case in argument.scenario.keys for k in case)
        for kind, sets in kinds(score).items():
            if kind != "missed" or argument.scenario.test is not Test.NON_ARGUABLE:
                counts[kind].update(k for case in sets for k in case)
    everything = sorted(set(there).union(*counts.values()), key=_order)
    rows = [FactorErrors(k, there[k], counts["missed"][k], counts["invented"][k], counts["wrong case"][k]) for k in everything]
    return sorted(rows, key=lambda r: -r.errors)


def _order(key: str) -> tuple[int, int, str]:
    digits = key[1:]
    plain = key[:1] == "F" and digits.isascii() and digits.isdigit()
    return (0, int(digits), "") if plain else (1, 0, key)


def agreements(arguments: Iterable[Judged]) -> ExtractorAgreement:
    """Count how far both extractors agree, the exact one as the first, over the arguments that both looked at."""
    both = (agreement(j.exact, j.other) for j in arguments if j.other is not None and not j.argument.empty)
    return ExtractorAgreement(*map(sum, zip(*both, strict=True)))


def checks(arguments: Iterable[Judged], extractor: str = EXACT) -> ExtractorAgreement:
    """Count how far an extractor, as the first, agrees with the people who read some of the arguments."""
    both = ((j.found(extractor), j.human) for j in arguments if not j.argument.empty)
    return ExtractorAgreement(*map(sum, zip(*(agreement(e, h) for e, h in both if e and h), strict=True)))
