"""Which embedder and which model matter: least squares with question effects, clustered by question (Butler and Butler 2026).

The model is y = question + embedder x model, for y correct, grounded or both. Its cells are what is estimated: the mean of each
combination less what its questions would have brought anywhere. Every test of the paper is a contrast of cells, so that a
combination that was never run takes away only what needs it.

Standard errors are clustered by question with the small-sample correction G/(G - 1) * (N - 1)/(N - K); z and chi-square, as
statsmodels gives them for `C(question) + C(embedder) * C(model)` with `use_t=False`. Question effects are taken out by means
(Frisch, Waugh and Lovell), so that thousands of questions cost nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundscope.statistics.bootstrap import LEVEL, Interval

Array = NDArray[np.float64]

_ROUNDING = 1e-9
NO_VARIANCE = "No variance: every question says the same, so chance cannot be separated from effect."
NEVER_RUN = "Never run, or without a verdict: "
APART = "These combinations were not asked the same questions, so that they cannot be compared."
TOO_FEW = (
    "Too few answers: a comparison needs two questions at least, and at least as many answers as questions and combinations "
    "together."
)


class Combination(NamedTuple):
    """A combination."""

    embedder: str
    model: str


@dataclass(frozen=True, slots=True)
class Effect:
    """A difference of shares.

    `value`: above 0 = better than what it is compared with; 0.01 = 1 percentage point. Of two shares -1..1, of an interaction
    -2..2.
    """

    value: float
    error: float
    z: float
    p: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Joint:
    """A Wald test that several contrasts are all 0."""

    chi_square: float
    degrees: int
    p: float


class CannotTell(NamedTuple):
    """Why there is no figure, in one sentence."""

    why: str


class Fit:
    """The cells of one outcome, with their covariance."""

    def __init__(self, questions: Sequence[str], embedders: Sequence[str], models: Sequence[str], y: ArrayLike) -> None:
        """Fit."""
        outcome = np.asarray(y, dtype=np.float64)
        if not len(questions) == len(embedders) == len(models) == len(outcome):
            raise ValueError(f"need as many of each, got {len(questions)}, {len(embedders)}, {len(models)}, {len(outcome)}")
        rated = np.flatnonzero(~np.isnan(outcome)).tolist()
        self.cells = tuple(dict.fromkeys(Combination(embedders[i], models[i]) for i in rated))
        place = {cell: j for j, cell in enumerate(self.cells)}
        at = np.array([place[Combination(embedders[i], models[i])] for i in rated], dtype=np.intp)
        asked = np.unique(np.array([questions[i] for i in rated], dtype=object), return_inverse=True)[1].reshape(-1)
        self.answers, self.questions = len(rated), int(asked.max()) + 1 if rated else 0
        self._fit(outcome[rated], at, asked)

    def _fit(self, y: Array, at: NDArray[np.intp], asked: NDArray[np.intp]) -> None:
        n, groups = self.answers, self.questions
        design = np.zeros((n, len(self.cells)))
        design[np.arange(n), at] = 1.0
        design, outcome = _within(design, asked, groups), _within(y[:, None], asked, groups)[:, 0]
        values, vectors = np.linalg.eigh(design.T @ design)
        nonzero = values > _ROUNDING * max(1.0, values.max(initial=0.0))
        self._unknown = vectors[:, ~nonzero]
        inverse: Array = (vectors[:, nonzero] / values[nonzero]) @ vectors[:, nonzero].T
        self._means: Array = inverse @ (design.T @ outcome)
        left = n - int(nonzero.sum()) - groups
        self.enough = groups > 1 and left > 0
        scores = np.zeros((groups, len(self.cells)))
        np.add.at(scores, asked, design * (outcome - design @ self._means)[:, None])
        correction = groups / (groups - 1) * (n - 1) / left if self.enough else np.nan
        self._covariance: Array = correction * inverse @ (scores.T @ scores) @ inverse

    def effect(self, weights: dict[Combination, float]) -> Effect | CannotTell:
        """Estimate a contrast of cells, whose weights add up to 0.

        `CannotTell` if a cell was never run, cells do not share questions, there are too few answers, or nothing varies.
        """
        row = self._row(weights)
        if isinstance(row, CannotTell):
            return row
        value, variance = float(row @ self._means), float(row @ self._covariance @ row)
        if variance < _ROUNDING**2:
            return CannotTell(NO_VARIANCE)
        if abs(value) < _ROUNDING:
            # No difference: what is left is rounding, which would be printed as -6.9e-15.
            value = 0.0
        error = float(np.sqrt(variance))
        from scipy.special import ndtr, ndtri

        half = float(ndtri((1 + LEVEL) / 2)) * error
        return Effect(value, error, value / error, float(2 * ndtr(-abs(value / error))), Interval(value - half, value + half))

    def joint(self, contrasts: Sequence[dict[Combination, float]]) -> Joint | CannotTell:
        """Test whether any of several contrasts differs from 0; none may follow from the others.

        `CannotTell` if there is no contrast, one cannot be estimated, nothing varies, or too few questions differ for all.
        """
        rows = [self._row(weights) for weights in contrasts]
        if why := next((row for row in rows if isinstance(row, CannotTell)), None):
            return why
        if not rows:
            return CannotTell("There is nothing to compare with: only one was run.")
        matrix = np.array(rows)
        estimates, covariance = matrix @ self._means, matrix @ self._covariance @ matrix.T
        spread = np.linalg.eigvalsh(covariance)
        if spread.min() <= max(_ROUNDING**2, _ROUNDING * spread.max()):
            several = "Too few questions differ to test so many combinations together."
            return CannotTell(NO_VARIANCE if spread.max() < _ROUNDING**2 else several)
        statistic = float(estimates @ np.linalg.solve(covariance, estimates))
        from scipy.special import chdtrc

        return Joint(statistic, len(rows), float(chdtrc(len(rows), statistic)))

    def _row(self, weights: dict[Combination, float]) -> Array | CannotTell:
        missing = [cell for cell, weight in weights.items() if weight and cell not in self.cells]
        if missing and self.answers:
            return CannotTell(f"{NEVER_RUN}{', '.join(f'{c.embedder} with {c.model}' for c in missing)}.")
        if not self.enough:
            return CannotTell(TOO_FEW)
        row = np.array([weights.get(cell, 0.0) for cell in self.cells])
        # Within each set of cells that questions connect the weights must add up to 0, or the questions' own share is in it.
        return CannotTell(APART) if np.abs(row @ self._unknown).max(initial=0.0) > _ROUNDING else row


def _within(values: Array, asked: NDArray[np.intp], groups: int) -> Array:
    """Each column less its mean over the answers to the same question."""
    sums = np.zeros((groups, values.shape[1]))
    np.add.at(sums, asked, values)
    counts = np.bincount(asked, minlength=groups)
    centred: Array = values - (sums / np.maximum(counts, 1)[:, None])[asked]
    return centred
