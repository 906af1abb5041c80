"""A map from supports to calibrated supports: isotonic regression (Zadrozny and Elkan 2002) or Platt's scaling (Platt 1999)."""

import json
from dataclasses import dataclass
from typing import Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from groundscope.statistics.decision import check_choice
from groundscope.statistics.metrics import Array, Labels, assessed

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

    def __post_init__(self) -> None:
        """Refuse parameters that are not a rising map into 0..1."""
        check_choice("how", self.how, get_args(How))
        numbers = np.array([*self.knots, *self.values, self.slope, self.intercept], dtype=float)
        if not np.isfinite(numbers).all() or self.slope < 0:
            raise ValueError("a calibration must be of finite numbers and must not fall")
        if self.how == "isotonic":
            falls = np.any(np.diff(self.knots) <= 0) or np.any(np.diff(self.values) < 0)
            if not self.knots or len(self.knots) != len(self.values) or falls:
                raise ValueError("an isotonic calibration needs as many values as knots, both rising, and at least one")
            if self.values[0] < 0 or self.values[-1] > 1:
                raise ValueError("a calibration's values must lie in 0..1")

    def apply(self, supports: ArrayLike) -> Array:
        """Calibrate supports.

        Args:
            supports: 0 to 1, of any shape; NaN = none.

        Returns:
            Calibrated supports of the same shape, float64, 0 to 1; NaN stays NaN.
        """
        given = np.asarray(supports, dtype=float)
        if self.how == "isotonic":
            return np.asarray(np.interp(given, self.knots, self.values))
        from scipy.special import expit

        return np.asarray(expit(self.slope * given + self.intercept), dtype=float)

    def to_json(self) -> str:
        """Write the map as text; `from_json` restores it exactly.

        Returns:
            One line of JSON.
        """
        used = ("knots", "values") if self.how == "isotonic" else ("slope", "intercept")
        return json.dumps({name: getattr(self, name) for name in ("how", *used)})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Restore a map from the output of `to_json`.

        Args:
            text: one JSON object.

        Returns:
            A map equal to the one that was written.

        Raises:
            ValueError: the text is damaged or something else.
        """
        try:
            found = json.loads(text)
            if found["how"] == "platt":
                return cls("platt", slope=float(found["slope"]), intercept=float(found["intercept"]))
            return cls(found["how"], tuple(map(float, found["knots"])), tuple(map(float, found["values"])))
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"This is no calibration that was saved here ({error}). Fit it again on the dev split.") from error


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
    here, missing = ("grounded", "ungrounded") if labels[0] else ("ungrounded", "grounded")
    return (
        f"All labelled responses with a support ({labels.size}) are {here}, so the supports cannot be calibrated: "
        f"add {missing} responses to the dev split or choose another set."
    )


def _isotonic(labels: Labels, values: Array) -> Calibrator:
    from sklearn.isotonic import IsotonicRegression

    found = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(values, labels.astype(float))
    return Calibrator("isotonic", tuple(found.X_thresholds_.tolist()), tuple(found.y_thresholds_.tolist()))


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
    found = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1_000).fit(column, classes, sample_weight=weights)
    slope = float(found.coef_[0, 0]) / spread
    if slope < 0:
        return Calibrator("platt", intercept=base)
    return Calibrator("platt", slope=slope, intercept=float(found.intercept_[0]) - slope * middle)
