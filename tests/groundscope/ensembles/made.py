"""Sentences whose columns and labels come from weights that are known."""

import numpy as np
from numpy.typing import NDArray

from groundscope.training.ensemble_features import Features, Table
from groundscope.training.ensembles import FittedEnsemble, fit

WEIGHTS = (2.0, -1.0, 0.0)
NAMES = ("speaks for", "speaks against", "says nothing")
Labels = NDArray[np.bool_]


def sentences(count: int, seed: int = 0) -> tuple[Features, Labels]:
    """(n, 3) columns of mean 0 and deviation 1, and (n,) labels drawn by the weights."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(count, 3))
    return values, rng.random(count) < 1 / (1 + np.exp(-values @ WEIGHTS))


def fitted(values: Features, labels: Labels, each: int = 10, names: tuple[str, ...] = NAMES) -> FittedEnsemble:
    """An ensemble of responses with so many sentences each, every response of a query of its own."""
    starts = range(0, len(values), each)
    tables = [Table(names, values[i : i + each], tuple(range(len(values[i : i + each])))) for i in starts]
    return fit(tables, [labels[i : i + each] for i in starts], [f"query {i}" for i in starts], ["quip"])
