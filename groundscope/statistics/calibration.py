"""Calibration of supports: reliability, expected calibration error, Brier score, isotonic regression and Platt scaling.

Measured by equal-width reliability bins, the expected calibration error (Guo et al. 2017) and the Brier score; fixed by isotonic
regression (Zadrozny and Elkan 2002) or Platt's scaling (Platt 1999), fitted on dev. Responses without a support (NaN)
are left out everywhere.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundscope.statistics.bootstrap import Groups, Interval, by_group, group_codes, limits, resampled_sums, resamples
from groundscope.statistics.decision import check_choice
from groundscope.statistics.metrics import Array, Labels, assessed, checked_labels
from groundscope.statistics.significance import wilson

How = Literal["isotonic", "platt"]


@dataclass(frozen=True, slots=True)
class Calibrator:
    """A rising map from supports to calibrated supports, fitted by `fit`.

    Attributes:
        knots: isotonic: supports in ascending order; the map is linear between them and constant beyond them.
        slope: Platt: slope of the log odds per unit of support; at least 0.
        intercept: Platt: log odds at support 0.
    """

    how: How
    knots: tuple[float, ...] = ()
    values: tuple[float, ...] = ()
    slope: float = 0.0
    intercept: float = 0.0

    def apply(self, supports: ArrayLike) -> Array:
        """Calibrate supports, 0 to 1 and of any shape, to float64 of the same shape, 0 to 1; NaN (none) stays NaN."""
        values = np.asarray(supports, dtype=float)
        if self.how == "isotonic":
            return np.asarray(np.interp(values, self.knots, self.values))
        from scipy.special import expit

        return np.asarray(expit(self.slope * values + self.intercept), dtype=float)


def fit(gold: ArrayLike, supports: ArrayLike, how: How) -> Calibrator:
    """Fit a calibration on labelled responses, preferably those of dev.

    If low supports are grounded more often than high ones, no rising map helps: both ways then return the share of grounded
    responses for every support (Platt's: nearly). Platt's targets are smoothed as in his paper, so that classes which the support
    separates perfectly do not become certainties.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        supports: (n,) 0 to 1, NaN = none, left out.
        how: `isotonic` or `platt`.

    Returns:
        A rising map from 0 to 1 into 0 to 1.

    Raises:
        ValueError: there is no such `how`, only one class has supports, or as `metrics.assessed`.
    """
    check_choice("how", how, get_args(How))
    labels, values = assessed(gold, supports)
    if np.unique(labels).size < 2:
        raise ValueError(_one_class(labels))
    return _isotonic(labels, values) if how == "isotonic" else _platt(labels, values)


def _one_class(labels: Labels) -> str:
    if not labels.size:
        return "No labelled response has a support, so there is nothing to calibrate on: run the method on the dev split first."
    present, missing = ("grounded", "ungrounded") if labels[0] else ("ungrounded", "grounded")
    return (
        f"All labelled responses with a support ({labels.size}) are {present}, so the supports cannot be calibrated: "
        f"add {missing} responses to the dev split or choose another set."
    )


def _isotonic(labels: Labels, values: Array) -> Calibrator:
    from sklearn.isotonic import IsotonicRegression

    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(values, labels.astype(float))
    return Calibrator("isotonic", tuple(model.X_thresholds_.tolist()), tuple(model.y_thresholds_.tolist()))


def _platt(labels: Labels, values: Array) -> Calibrator:
    from sklearn.linear_model import LogisticRegression

    positives, negatives = int(labels.sum()), int((1 - labels).sum())
    targets = np.where(labels == 1, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    base = float(np.log(targets.mean() / (1 - targets.mean())))
    spread, middle = float(values.std()), float(values.mean())
    if np.unique(values).size < 2:
        return Calibrator("platt", intercept=base)
    # A target of 0.9 is nine parts grounded and one part not; standardised, the fit converges on any scale of supports.
    column = np.tile((values - middle) / spread, 2)[:, None]
    classes, weights = np.repeat([1, 0], values.size), np.concatenate([targets, 1 - targets])
    model = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1_000).fit(column, classes, sample_weight=weights)
    slope = float(model.coef_[0, 0]) / spread
    if slope < 0:
        return Calibrator("platt", intercept=base)
    return Calibrator("platt", slope=slope, intercept=float(model.intercept_[0]) - slope * middle)


RESAMPLES = 1_000
BINS = 10
"""Equally wide ones over 0 to 1."""
_EDGES = np.linspace(0.0, 1.0, BINS + 1)


@dataclass(frozen=True, slots=True)
class Bin:
    """The responses whose support lies in `lower` (included) to `upper` (not included; in the last bin it is).

    `support`: their mean; NaN in an empty bin. `grounded`: share of them that are grounded; NaN in an empty bin.
    """

    lower: float
    upper: float
    count: int
    support: float
    grounded: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Reliability:
    """A reliability diagram: equally wide bins over 0..1, and the number of responses without a support, which are in none."""

    bins: tuple[Bin, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """A value with its 95 % interval by the bootstrap over queries; NaN if no response has a support."""

    value: float
    interval: Interval


def reliability(gold: ArrayLike, supports: ArrayLike) -> Reliability:
    """Compare supports with the share of grounded responses.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        supports: (n,) 0 to 1, NaN = none.

    Returns:
        All bins in ascending order, empty ones too.
    """
    labels, values = assessed(gold, supports)
    place = _bin_of(values)
    counts = np.bincount(place, minlength=BINS)
    grounded = np.bincount(place, weights=labels, minlength=BINS)
    totals = np.bincount(place, weights=values, minlength=BINS)
    filled = tuple(
        Bin(
            float(_EDGES[i]),
            float(_EDGES[i + 1]),
            n := int(counts[i]),
            float(totals[i]) / n if n else float("nan"),
            float(grounded[i]) / n if n else float("nan"),
            wilson(int(grounded[i]), n),
        )
        for i in range(BINS)
    )
    return Reliability(filled, np.size(supports) - labels.size)


def _bin_of(values: Array) -> NDArray[np.int64]:
    return np.searchsorted(_EDGES[1:-1], values, side="right")


def ece(gold: ArrayLike, supports: ArrayLike, groups: Groups, count: int = RESAMPLES, seed: int = 0) -> IntervalEstimate:
    """Expected calibration error: the mean gap between support and share grounded over the bins, weighted by their size.

    Chance makes gaps too, so it comes out too high in small sets, and in resamples of them once more.
    The interval therefore is the basic bootstrap's, which takes that second excess as the measure of the first: on simulated
    sets of 150 responses with a true error of 0.07 it held the truth 9 times in 10, the percentile interval less than 2 times.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        supports: (n,) 0 to 1, NaN = none.
        groups: (n,) the query of each response.
        count: number of resamples.
        seed: of the resamples.

    Returns:
        The error, 0 to 1, lower = better, with its interval; NaN if no response has a support.
    """
    labels, values, codes = _with_codes(gold, supports, groups)
    gaps = np.zeros((values.size, BINS))
    gaps[np.arange(values.size), _bin_of(values)] = values - labels
    value, drawn = _means(gaps, codes, count, seed)
    low, high = limits(drawn, codes.max(initial=-1) + 1)
    # Of a calibrated set all resamples lie above its own value, and what is reflected all below it.
    ends = np.clip([np.minimum(value, 2 * value - high), np.maximum(value, 2 * value - low)], 0, 1)
    return IntervalEstimate(value, Interval.of(ends))


def brier(gold: ArrayLike, supports: ArrayLike, groups: Groups, count: int = RESAMPLES, seed: int = 0) -> IntervalEstimate:
    """Brier score: the mean squared distance of the support from 1 (grounded) or 0 (ungrounded).

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        supports: (n,) 0 to 1, NaN = none.
        groups: (n,) the query of each response.
        count: number of resamples.
        seed: of the resamples.

    Returns:
        The score, 0 to 1, lower = better, with the percentile bootstrap's interval; NaN if no response has a support.
    """
    labels, values, codes = _with_codes(gold, supports, groups)
    value, drawn = _means(((values - labels) ** 2)[:, None], codes, count, seed)
    return IntervalEstimate(value, Interval.of(limits(drawn, codes.max(initial=-1) + 1)))


def _with_codes(gold: ArrayLike, supports: ArrayLike, groups: Groups) -> tuple[Labels, Array, NDArray[np.int64]]:
    if len(groups) != np.size(supports):
        raise ValueError(f"need a query for every response, got {len(groups)} for {np.size(supports)}")
    labels, values = assessed(gold, supports)
    present = ~np.isnan(np.asarray(supports, dtype=float))
    return labels, values, group_codes(group_codes(groups)[present])


def _means(parts: Array, codes: NDArray[np.int64], count: int, seed: int) -> tuple[float, Array]:
    """(n, c) parts of responses -> the sum of the parts' absolute totals over n: of the set, and (count,) of its resamples."""
    if not len(parts):
        return float("nan"), np.full(count, np.nan)
    table = np.column_stack([parts, np.ones(len(parts))])
    drawn = resampled_sums(resamples(codes, count, seed), by_group(table, codes))
    whole = table.sum(axis=0)
    return float(np.abs(whole[:-1]).sum() / whole[-1]), np.abs(drawn[:, :-1]).sum(axis=1) / drawn[:, -1]


FOLDS = 5


def cross_fitted(gold: ArrayLike, supports: ArrayLike, groups: Groups, how: How) -> Array:
    """Calibrate each of `FOLDS` folds of the queries, or as many as there are, by a map that was fitted on the others.

    On the responses that it was fitted on, a calibration looks better than it is: isotonic regression can bring its error to 0.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        supports: (n,) 0 to 1, NaN = none.
        groups: (n,) the query of each response; all its responses are in one fold.
        how: `isotonic` or `platt`.

    Returns:
        (n,) float64 calibrated supports, 0 to 1; NaN stays NaN.

    Raises:
        ValueError: fewer than two queries, only one class left to fit on without one of the folds, or as `fit`.
    """
    labels, values, codes = checked_labels(gold), np.asarray(supports, dtype=float), group_codes(groups)
    number = int(codes.max(initial=-1)) + 1
    if number < 2:
        raise ValueError("There are fewer than two queries, too few to fit a calibration on some and to show it on others.")
    fold_of = np.random.default_rng(0).permutation(number) % min(FOLDS, number)
    calibrated = np.full(values.shape, np.nan)
    for fold in range(min(FOLDS, number)):
        mine = fold_of[codes] == fold
        calibrated[mine] = fit(labels[~mine], values[~mine], how).apply(values[mine])
    return calibrated
