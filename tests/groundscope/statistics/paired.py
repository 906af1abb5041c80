"""The paired bootstrap of two methods alone, which comparisons of many methods must come to."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from groundscope.statistics.bootstrap import Draws, Groups, Interval, limits, resampled_scores
from groundscope.statistics.metrics import NAMES, score_arrays


class Paired(NamedTuple):
    """How much better the first of two methods is than the second, with the interval of the difference."""

    difference: float
    interval: Interval


def paired(first: ArrayLike, second: ArrayLike, groups: Groups, draws: Draws, score: str = "macro_f1") -> Paired:
    """Each resample taken of both methods, given as (n, 6) cells of the same responses."""
    column = NAMES.index(score)
    tables = np.stack([np.asarray(first), np.asarray(second)])
    whole = score_arrays(tables.sum(axis=1))[:, column]
    drawn = resampled_scores(tables, groups, draws)[:, :, column]
    return Paired(float(whole[0] - whole[1]), Interval.of(limits(drawn[0] - drawn[1], draws.shape[1])))
