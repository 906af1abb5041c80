"""What each embedder and each model does to RAG accuracy, relative to the mean of its kind (Butler and Butler 2026, figure 3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from groundscope.rag.effects import Combination
from groundscope.rag.outcomes import OutcomeRow


@dataclass(frozen=True, slots=True)
class Impact:
    """What one embedder or model does to RAG accuracy: its mean / the mean of all of its kind - 1.

    Attributes:
        accuracy: mean over its combinations, so that one with more answers does not count for more.
        relative: above 0 = better than the mean.
    """

    level: str
    accuracy: float
    relative: float


def impacts(combinations: Sequence[OutcomeRow], *, of_embedders: bool) -> list[Impact]:
    """Compute the impact of each embedder, or of each model.

    Args:
        combinations: a row for each combination (see `outcomes.rows`); those without RAG accuracy count in no mean.
        of_embedders: True = of embedders, False = of models.

    Returns:
        Impacts in the order of first appearance; figures are NaN where no accuracy is known, `relative` also if the mean is 0.
    """
    levels = [row.embedder if of_embedders else row.model for row in combinations]
    values = np.array([row.accuracy.value for row in combinations], dtype=np.float64)
    means = {level: _mean(values[[at == level for at in levels]]) for level in dict.fromkeys(levels)}
    overall = _mean(np.array(list(means.values()), dtype=np.float64))
    return [Impact(level, mean, mean / overall - 1 if overall else float("nan")) for level, mean in means.items()]


def _mean(values: NDArray[np.float64]) -> float:
    finite = values[~np.isnan(values)]
    return float(finite.mean()) if finite.size else float("nan")


def confounded(combinations: Sequence[OutcomeRow]) -> str:
    """Say whether impacts are means over different combinations."""
    tried = {Combination(r.embedder, r.model) for r in combinations if r.accuracy.of}
    crossed = product(dict.fromkeys(r.embedder for r in combinations), dict.fromkeys(r.model for r in combinations))
    if all(Combination(*cell) in tried for cell in crossed):
        return ""
    return "Not all combinations were run and judged, so these means are over different models or embedders."
