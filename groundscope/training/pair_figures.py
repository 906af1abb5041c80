"""How well supports separate grounded from ungrounded, in four figures: for trainings and their cards."""

import numpy as np
from numpy.typing import NDArray

from groundscope.statistics.curves import best, curve


def figures(supports: NDArray[np.float64], grounded: NDArray[np.bool_]) -> dict[str, float]:
    """Compute how well supports separate two classes.

    Args:
        supports: (n,) 0..1.
        grounded: (n,) labels, of both classes.

    Returns:
        `macro_f1` at the best threshold, that `threshold`, `auroc` and `brier` score, each 0 to 1 with four decimals.

    Raises:
        ValueError: the two differ in length, or a support is missing.
    """
    from sklearn.metrics import roc_auc_score

    made = curve(supports, grounded)
    f1 = made.macro_f1()
    at = best(f1)
    return {
        "macro_f1": round(float(f1[at]), 4),
        "threshold": round(float(np.clip(made.thresholds[at], 0.0, 1.0)), 4),
        "auroc": round(float(roc_auc_score(grounded, supports)), 4),
        "brier": round(float(np.mean((supports - grounded) ** 2)), 4),
    }
