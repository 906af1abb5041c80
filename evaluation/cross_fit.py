"""Calibrated supports of responses that the calibration was not fitted on, from one split alone: cross-fitting by query.

A calibration looks better on the responses it was fitted on than it is; isotonic regression can bring its error there to nothing.
"""

import numpy as np
from numpy.typing import ArrayLike

from evaluation.calibration import How, fit
from evaluation.metrics import Array, checked_labels
from evaluation.resampling import Groups, group_codes

FOLDS = 5


def cross_fitted(gold: ArrayLike, supports: ArrayLike, groups: Groups, how: How, folds: int = FOLDS, seed: int = 0) -> Array:
    """Calibrate each fold of the queries by a map that was fitted on the others.

    Args:
        gold: (n,) labels.
        supports: (n,) 0..1, NaN = none.
        groups: the query of each response; all its responses are in one fold.
        how: `isotonic` or `platt`.
        folds: at most as many as there are queries.
        seed: of the division into folds.

    Returns:
        (n,) calibrated supports; NaN stays NaN.

    Raises:
        ValueError: there are fewer than two queries, or without one of the folds only one class is left to fit on.
    """
    labels, values, codes = checked_labels(gold), np.asarray(supports, dtype=float), group_codes(groups)
    number = int(codes.max(initial=-1)) + 1
    if number < 2:
        raise ValueError("There are fewer than two queries, too few to fit a calibration on some and to show it on others.")
    fold_of = np.random.default_rng(seed).permutation(number) % min(folds, number)
    found = np.full(values.shape, np.nan)
    for fold in range(min(folds, number)):
        mine = fold_of[codes] == fold
        found[mine] = fit(labels[~mine], values[~mine], how).apply(values[mine])
    return found
