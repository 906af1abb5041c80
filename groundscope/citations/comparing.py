"""Systems compared over a batch, and B-SIMs compared with each other and with people: means, differences, rank correlations.

Intervals are 95 % percentile intervals of the bootstrap over texts (`groundscope.statistics.bootstrap`). Differences of systems
are over the texts that both have, so they are paired.

A similarity of claims is held against people on pairs of claims that people rated. Rank correlations need no threshold. Where
people say of each pair whether both claims say the same, or from which rating on they do, a similarity and its threshold are a
second rater: the share of pairs on which both agree, and Cohen's kappa. The best threshold is the one with the highest kappa; its
range is that of the thresholds which draws of the same pairs choose. Kappa at the best threshold is read on the pairs that chose
it, so on other pairs it is lower.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, isnan, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.citations.batch import AnalysisEntry
from groundscope.citations.fresco import FrescoScore
from groundscope.citations.similarity import Similarity
from groundscope.statistics.bootstrap import Interval, limits, resampled_sums, resamples
from groundscope.statistics.curves import Curve, best, curve
from groundscope.statistics.raters import cohen_kappa, rater_agreement
from groundscope.statistics.tuned import Labelled, choices

Floats = NDArray[np.float64]
MEASURES = ("recall", "precision", "f1")
_TIE = 1e-9
_FEWEST = 3
"""Values below which no rank correlation is given."""
_DRAWS = 1_000


class SystemMean(NamedTuple):
    """Mean over texts with its interval; `left_out` texts had no score."""

    value: float
    interval: Interval
    of: int
    left_out: int


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One system: a mean of each measure, and how much its recall is above the first system's on the texts that both have."""

    system: str
    means: dict[str, SystemMean]
    above_first: SystemMean | None


def compare(scores: Mapping[str, Mapping[str, FrescoScore]], measure: str = "recall") -> tuple[SystemRow, ...]:
    """Compare systems by mean and by paired difference."""
    systems = list(scores)
    rows = []
    for system in systems:
        means = {m: _mean([getattr(s, m) for s in scores[system].values()]) for m in MEASURES}
        above = None
        if system != systems[0]:
            first = scores[systems[0]]
            shared = [i for i in scores[system] if i in first]
            above = _mean([getattr(scores[system][i], measure) - getattr(first[i], measure) for i in shared])
        rows.append(SystemRow(system, means, above))
    return tuple(rows)


class Leading(NamedTuple):
    """The systems with the highest mean recall over the `of` texts for which every system has a score; 0 = there is none."""

    systems: tuple[str, ...]
    value: float
    of: int


def leading(scores: Mapping[str, Mapping[str, FrescoScore]]) -> Leading:
    """Find all systems with the best mean recall over the same texts; means over different texts cannot be ranked.

    Without a text that all have, no system and a mean of NaN.
    """
    values = {s: {i: v for i, one in by_id.items() if not isnan(v := one.recall)} for s, by_id in scores.items()}
    shared = set.intersection(*(set(v) for v in values.values())) if values else set()
    if not shared:
        return Leading((), nan, 0)
    means = {s: fsum(v[i] for i in shared) / len(shared) for s, v in values.items()}
    best = max(means.values())
    return Leading(tuple(s for s, m in means.items() if best - m < _TIE), best, len(shared))


def _mean(values: Sequence[float]) -> SystemMean:
    numbers = np.array([v for v in values if not isnan(v)], dtype=np.float64)
    if not len(numbers):
        return SystemMean(nan, Interval(nan, nan), 0, len(values))
    drawn = resampled_sums(resamples(np.arange(len(numbers))), numbers[:, None])[:, 0] / len(numbers)
    interval = Interval.of(limits(drawn, len(numbers)))
    return SystemMean(float(numbers.mean()), interval, len(numbers), len(values) - len(numbers))


class Correlation(NamedTuple):
    """Rank correlation, -1..1; NaN if it is undefined, as for a constant side."""

    value: float
    interval: Interval

    def figures(self) -> dict[str, float | None]:
        """Value, low and high as JSON has them."""
        return self.interval.around(self.value)


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """How two measures rank the same things."""

    first: str
    second: str
    of: int
    spearman: Correlation
    kendall: Correlation


def agreements(values: Mapping[str, Sequence[float]], groups: Sequence[str]) -> tuple[RankAgreement, ...]:
    """Compute the rank correlation of each measure with each later one.

    It is NaN where fewer than three values are known, or one side is constant; NaN is left out of pairs it is in. The
    bootstrap draws texts, by `groups`, with everything they hold.
    """
    arrays = {name: np.asarray(of, dtype=np.float64) for name, of in values.items()}
    return tuple(_agreement(a, b, arrays[a], arrays[b], groups) for a, b in combinations(arrays, 2))


def _agreement(a: str, b: str, x: Floats, y: Floats, groups: Sequence[str]) -> RankAgreement:
    rated = ~(np.isnan(x) | np.isnan(y))
    x, y = x[rated], y[rated]
    inside = [g for g, k in zip(groups, rated, strict=True) if k]
    whole = _ranks_agree(x, y)
    if len(x) < _FEWEST or isnan(whole[0]):
        none = Correlation(nan, Interval(nan, nan))
        return RankAgreement(a, b, len(x), none, none)
    members = [np.flatnonzero(np.array(inside, dtype=object) == g) for g in dict.fromkeys(inside)]
    drawn = []
    for draw in resamples(inside, _DRAWS):
        at = np.concatenate([np.repeat(m, times) for m, times in zip(members, draw, strict=True) if times])
        drawn.append(_ranks_agree(x[at], y[at]))
    ends = limits(np.array(drawn), len(members))
    return RankAgreement(a, b, len(x), *(Correlation(value, Interval.of(end)) for value, end in zip(whole, ends, strict=True)))


def _ranks_agree(x: Floats, y: Floats) -> tuple[float, float]:
    """Spearman's rho and Kendall's tau-b."""
    from scipy.stats import kendalltau, spearmanr

    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return nan, nan
    return float(spearmanr(x, y).statistic), float(kendalltau(x, y).statistic)


@dataclass(frozen=True, slots=True)
class ThresholdAgreement:
    """How far a similarity with a threshold agrees with people: the share of the pairs, 0 to 1, with its interval.

    Attributes:
        kappa: Cohen's, -1 to 1; 0 where the threshold calls every pair the same, or none.
        best: the threshold with the highest kappa; of equally good ones the middle one.
        best_range: 95 % of the draws choose a threshold inside.
    """

    share: float
    interval: Interval
    kappa: float
    best: float
    best_range: Interval
    best_kappa: float


@dataclass(frozen=True, slots=True)
class RatedSimilarity:
    """A similarity beside the ratings of `of` pairs.

    `unknown`: rated pairs for which it has no value; they are in no figure. `agreement`: None where no rating splits the pairs
    into same and not the same.
    """

    title: str
    signature: str
    threshold: float
    of: int
    unknown: int
    spearman: Correlation
    kendall: Correlation
    agreement: ThresholdAgreement | None


def same_from(ratings: Sequence[float | None]) -> float | None:
    """Find the rating from which people say "the same": the higher one of two; None where there are more, or fewer."""
    values = sorted({r for r in ratings if r is not None})
    return values[1] if len(values) == 2 else None


def rated_similarity(
    similarity: Similarity, pairs: Sequence[AnalysisEntry], threshold: float | None = None, same: float | None = None
) -> RatedSimilarity:
    """Hold a similarity against people's ratings of pairs of claims; those without a rating do not count.

    People say that both claims say the same from the rating `same` on; None = only ranks are compared. The bootstrap draws the
    pairs' ids. Errors are those of `Similarity.of`.
    """
    rated = [p for p in pairs if p.rating is not None]
    values = np.asarray(similarity.of([(p.generated, p.reference) for p in rated]), dtype=np.float64)
    ratings = np.array([nan if p.rating is None else p.rating for p in rated])
    ids = [p.id for p in rated]
    tau = similarity.threshold if threshold is None else threshold
    (ranks,) = agreements({"similarity": values.tolist(), "rating": ratings.tolist()}, ids)
    valued = ~np.isnan(values)
    groups = [i for i, k in zip(ids, valued, strict=True) if k]
    agreement = None if same is None else _at_threshold(values[valued], ratings[valued] >= same, groups, tau)
    return RatedSimilarity(
        similarity.title, similarity.signature, tau, ranks.of, int((~valued).sum()), ranks.spearman, ranks.kendall, agreement
    )


def _at_threshold(values: Floats, same: NDArray[np.bool_], groups: Sequence[str], tau: float) -> ThresholdAgreement | None:
    if same.all() or not same.any():
        return None
    draws = resamples(groups)
    at_own = rater_agreement(np.stack([values >= tau, same]).astype(np.int64), 2, groups, draws)
    candidates = curve(values, same)
    kappas = _kappas(candidates)
    chosen = best(kappas)
    drawn = choices(Labelled(values[None], same, groups, draws), _kappas).threshold
    return ThresholdAgreement(
        at_own.share,
        at_own.share_interval,
        at_own.kappa,
        float(np.clip(candidates.thresholds[chosen], 0, 1)),
        Interval.of(limits(np.clip(drawn, 0, 1), draws.shape[1])),
        float(kappas[chosen]),
    )


def _kappas(counts: Curve) -> Floats:
    """Kappa at every threshold; 0 where chance alone agrees always."""
    cells = np.stack([counts.grounded_right, counts.grounded_wrong, counts.ungrounded_wrong, counts.ungrounded_right], axis=-1)
    kappas: Floats = np.nan_to_num(cohen_kappa(cells.reshape(*cells.shape[:-1], 2, 2)))
    return kappas


HEAD = ("similarity", "pairs", "Spearman", "Kendall", "threshold", "agree", "kappa", "best threshold", "kappa there")


def as_cells(row: RatedSimilarity) -> tuple[str, ...]:
    """Write a row as texts under `HEAD`."""
    ranks = ("-" if np.isnan(c.value) else _ends(c.value, c.interval) for c in (row.spearman, row.kendall))
    a = row.agreement
    agree = ("-",) * 4
    if a is not None:
        agree = (_ends(a.share, a.interval), f"{a.kappa:.2f}", _ends(a.best, a.best_range), f"{a.best_kappa:.2f}")
    return row.title, f"{row.of:,}", *ranks, f"{row.threshold:.3g}", *agree


def _ends(value: float, interval: Interval) -> str:
    return f"{value:.2f} ({interval.low:.2f} to {interval.high:.2f})"


def as_row(row: RatedSimilarity) -> dict[str, Any]:
    """Write a row as JSON has it; what is not known is None."""
    a = row.agreement
    at_threshold = a and {
        "share": a.share, "low": _none(a.interval.low), "high": _none(a.interval.high), "kappa": _none(a.kappa),
        "best_threshold": a.best, "best_low": _none(a.best_range.low), "best_high": _none(a.best_range.high),
        "best_kappa": a.best_kappa,
    }  # fmt: skip
    head = {"similarity": row.signature, "threshold": row.threshold, "of": row.of, "unknown": row.unknown}
    ranks = {"spearman": row.spearman.figures(), "kendall": row.kendall.figures()}
    return {**head, **ranks, "agreement": at_threshold}


def _none(value: float) -> float | None:
    return None if np.isnan(value) else value
