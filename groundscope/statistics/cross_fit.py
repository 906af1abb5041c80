"""Cross-fitting by query: calibrated supports from one split, each by a calibration that was not fitted on it.

A calibration looks better on the responses it was fitted on than it is; isotonic regression can bring its error there to 0.
"""

import numpy as np
from numpy.typing import ArrayLike

from groundscope.statistics.bootstrap import Groups, group_codes
from groundscope.statistics.calibration import How, fit
from groundscope.statistics.metrics import Array, checked_labels

FOLDS = 5


def cross_fitted(gold: ArrayLike, supports: ArrayLike, groups: Groups, how: How, folds: int = FOLDS, seed: int = 0) -> Array:
    """Calibrate each fold of the queries by a map that was fitted on the others.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        supports: (n,) 0 to 1, NaN = none.
        groups: (n,) the query of each response; all its responses are in one fold.
        how: `isotonic` or `platt`.
        folds: at least 2; at most as many as there are queries are made.
        seed: of the division into folds.

    Returns:
        (n,) float64 calibrated supports, 0 to 1; NaN stays NaN.

    Raises:
        ValueError: fewer than two folds or queries, only one class left to fit on without one of the folds, or as `fit`.
    """
    if folds < 2:
        raise ValueError(f"folds must be at least 2, got {folds}.")
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
