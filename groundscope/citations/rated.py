"""Similarities of claims held against people: pairs of claims that people rated, one row a similarity.

Rank correlations need no threshold. Where people say of each pair whether both claims say the same, or from which rating on they
do, a similarity and its threshold are a second rater: the share of pairs on which both agree, and Cohen's kappa. The best
threshold is the one with the highest kappa; its range is that of the thresholds which draws of the same pairs choose. Kappa at
the best threshold is read on the pairs that chose it, so on other pairs it is lower.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundscope.citations.batch import AnalysisEntry
from groundscope.citations.comparing import Correlation, agreements
from groundscope.citations.similarity import Similarity
from groundscope.statistics.bootstrap import Interval, limits, resamples
from groundscope.statistics.curves import Curve, best, curve
from groundscope.statistics.raters import cohen_kappa, rater_agreement
from groundscope.statistics.tuned import Labelled, choices

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ThresholdAgreement:
    """How far a similarity with a threshold agrees with people.

    Attributes:
        share: of the pairs, 0 to 1, with its interval.
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
    agreement = None if same is None else _agreement(values[valued], ratings[valued] >= same, groups, tau)
    return RatedSimilarity(
        similarity.title, similarity.signature, tau, ranks.of, int((~valued).sum()), ranks.spearman, ranks.kendall, agreement
    )


def _agreement(values: Floats, same: NDArray[np.bool_], groups: Sequence[str], tau: float) -> ThresholdAgreement | None:
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
    ranks = {
        name: {"value": _none(c.value), "low": _none(c.interval.low), "high": _none(c.interval.high)}
        for name, c in (("spearman", row.spearman), ("kendall", row.kendall))
    }
    head = {"similarity": row.signature, "threshold": row.threshold, "of": row.of, "unknown": row.unknown}
    return {**head, **ranks, "agreement": at_threshold}


def _none(value: float) -> float | None:
    return None if np.isnan(value) else value
