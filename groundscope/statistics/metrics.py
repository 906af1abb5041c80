"""How well a method separates grounded from ungrounded responses, as in the paper's table 3 and beyond (paper, section 6).

Everywhere gold labels are 1 = grounded and 0 = ungrounded, verdicts 1 = called grounded, 0 = called ungrounded and -1 = no
verdict, one a response.

A response without a verdict (invalid, abstained, failed ...) is no prediction: precision, which is of what was predicted,
leaves it out; recall and accuracy, which are of all responses, count it as wrong. The paper does not say so, but its LYNX row
can be computed in this way only. Coverage says how many responses had a verdict.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundscope.types import Status

Array = NDArray[np.float64]
Labels = NDArray[np.int8]

_MANY = 100_000
"""Responses of which scikit-learn takes seconds for an area."""
CELLS = 6
"""Cells of a confusion table: rightly called, wrongly called, not called, for grounded and for ungrounded responses."""


class Confusion(NamedTuple):
    """Responses by gold label and verdict."""

    grounded_right: int
    grounded_wrong: int
    grounded_none: int
    ungrounded_right: int
    ungrounded_wrong: int
    ungrounded_none: int


class Scores(NamedTuple):
    """The columns of the paper's table 3 and more, each in 0..1, higher = better.

    A class that is there and never called has a precision of 0, as with scikit-learn's `zero_division=0`. What needs a class
    that no response belongs to is NaN.

    Attributes:
        macro_f1: the mean of both classes' F1.
        accuracy: share of all responses with the right verdict.
        error_recall: share of the ungrounded responses that are called so.
        error_precision: share of those called ungrounded that are.
        coverage: share of the responses with a verdict.
    """

    precision: float
    recall: float
    macro_f1: float
    accuracy: float
    error_recall: float
    error_precision: float
    coverage: float


NAMES: tuple[str, ...] = Scores._fields
"""The scores' names, in the order of the columns of `score_arrays`."""


def cells(gold: ArrayLike, verdicts: ArrayLike) -> Labels:
    """Put each response into its cell of the confusion table.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        verdicts: (n,) 1, 0 or -1 = none.

    Returns:
        (n, 6) int8, one 1 a row, cells in the order of `Confusion`.

    Raises:
        ValueError: the two differ in length, a response is not labelled, or a value is not allowed.
    """
    labels, predicted = checked_labels(gold), np.asarray(verdicts)
    if labels.shape != predicted.shape:
        raise ValueError(f"need as many verdicts as labels, got {predicted.size} and {labels.size}")
    if wrong := _others(predicted, (-1, 0, 1)):
        raise ValueError(f"a verdict must be 1 (grounded), 0 (ungrounded) or -1 (none), got {wrong}")
    table = np.zeros((labels.size, CELLS), dtype=np.int8)
    outcome = np.where(predicted < 0, 2, predicted != labels)
    table[np.arange(labels.size), np.where(labels == 1, 0, 3) + outcome] = 1
    return table


def checked_labels(gold: ArrayLike) -> Labels:
    """Check gold labels.

    Args:
        gold: (n,) 1 = grounded, 0 = ungrounded; truth values are accepted.

    Returns:
        (n,) int8 labels.

    Raises:
        ValueError: a response is not labelled, or a value is not allowed.
    """
    labels = np.asarray(gold)
    if wrong := _others(labels, (0, 1)):
        raise ValueError(f"a gold label must be 1 (grounded) or 0 (ungrounded), got {wrong}; leave unlabelled responses out")
    return labels.astype(np.int8)


def _others(values: NDArray[np.generic], allowed: tuple[int, ...]) -> str:
    """The values that are not allowed, for a message; empty if there are none."""
    others = values[~np.isin(values, allowed)]
    return ", ".join(str(v) for v in np.unique(others)[:3])


def called(supports: Array, threshold: float) -> Labels:
    """Compare supports with a threshold.

    Args:
        supports: (n,) 0 to 1; NaN = no verdict.
        threshold: a response is called grounded from this support on; 0 to 1, or just outside.

    Returns:
        (n,) int8: 1 where a support is at least the threshold, 0 where it is below, -1 where there is none.
    """
    return np.where(np.isnan(supports), -1, supports >= threshold).astype(np.int8)


def confusion(gold: ArrayLike, verdicts: ArrayLike) -> Confusion:
    """Count responses by label and verdict.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        verdicts: (n,) 1, 0 or -1 = none.

    Returns:
        Counts that add up to n.
    """
    return Confusion(*map(int, cells(gold, verdicts).sum(axis=0)))


def scores(table: Confusion) -> Scores:
    """Compute all scores of one confusion table.

    Args:
        table: counts of one method on one set of responses.

    Returns:
        Scores, 0 to 1, higher = better; NaN where a class that the score needs has no response.
    """
    return Scores(*map(float, score_arrays([table])[0]))


def score_arrays(tables: ArrayLike) -> Array:
    """Compute all scores of many confusion tables, for the bootstrap.

    Args:
        tables: (r, 6) counts, cells in the order of `Confusion`.

    Returns:
        (r, 7) float64, 0 to 1, in the order of `NAMES`; NaN where a class that the score needs has no response.
    """
    tp, fn, gn, tn, fp, un = np.asarray(tables, dtype=float).T
    grounded, ungrounded = tp + fn + gn, tn + fp + un
    recalls = _share(tp, grounded, grounded), _share(tn, ungrounded, ungrounded)
    precisions = _share(tp, tp + fp, grounded), _share(tn, tn + fn, ungrounded)
    # 2pr / (p + r) in counts, where only the recall's bottom holds the responses without a verdict.
    f1 = _share(2 * tp, grounded + tp + fp, grounded), _share(2 * tn, ungrounded + tn + fn, ungrounded)
    everything = grounded + ungrounded
    columns = (
        sum(precisions) / 2,
        sum(recalls) / 2,
        sum(f1) / 2,
        _share(tp + tn, everything, everything),
        recalls[1],
        precisions[1],
        _share(everything - gn - un, everything, everything),
    )
    return np.stack(columns, axis=1)


def _share(part: Array, whole: Array, there: Array) -> Array:
    """`part / whole`; 0 where there is no whole, NaN where nothing is there to take a share of."""
    shares = np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)
    return np.where(there > 0, shares, np.nan)


def assessed(gold: ArrayLike, supports: ArrayLike) -> tuple[Labels, Array]:
    """Leave out the responses without a support (NaN).

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        supports: (n,) 0 to 1, NaN = none.

    Returns:
        Labels (k,) int8 and supports (k,) float64 of the others, in the same order.

    Raises:
        ValueError: the two differ in length, a response is not labelled, or a support lies outside 0 to 1.
    """
    labels, values = checked_labels(gold), np.asarray(supports, dtype=float)
    if labels.shape != values.shape:
        raise ValueError(f"need as many supports as labels, got {values.size} and {labels.size}")
    present = ~np.isnan(values)
    labels, values = labels[present], values[present]
    if values.size and not (values.min() >= 0 and values.max() <= 1):
        raise ValueError(f"a support must lie in 0..1 or be NaN, got {values.min():g} to {values.max():g}")
    return labels, values


def auroc(gold: ArrayLike, supports: ArrayLike) -> float:
    """Area under the ROC curve: 0..1, 0.5 = no better than chance.

    The positive class is "ungrounded" and its score 1 - support; "grounded" with the support as its score has the same area.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        supports: (n,) 0..1, NaN = none, left out.

    Returns:
        The area; NaN if only one class has supports.
    """
    if np.size(gold) > _MANY:
        return _area_of_many(*assessed(gold, supports))
    from sklearn.metrics import roc_auc_score

    return _of_ungrounded(roc_auc_score, gold, supports)


def _area_of_many(labels: Labels, values: Array) -> float:
    """The area as a share of pairs (Mann and Whitney), ties by half: whole numbers, and one sort without an order to follow."""
    grounded, ungrounded = values[labels == 1], values[labels == 0]
    if not (len(grounded) and len(ungrounded)):
        return float("nan")
    grounded.sort()
    ungrounded.sort()
    below = np.searchsorted(ungrounded, grounded, side="left").sum(dtype=np.int64)
    up_to = np.searchsorted(ungrounded, grounded, side="right").sum(dtype=np.int64)
    return int(below + up_to) / (2 * len(grounded) * len(ungrounded))


def average_precision(gold: ArrayLike, supports: ArrayLike) -> float:
    """Average precision of the ungrounded class, whose score is 1 - support: 0..1, chance = the class's share.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        supports: (n,) 0..1, NaN = none, left out.

    Returns:
        The average precision; NaN if only one class has supports.
    """
    from sklearn.metrics import average_precision_score

    return _of_ungrounded(average_precision_score, gold, supports)


def _of_ungrounded(measure: Callable[..., float], gold: ArrayLike, supports: ArrayLike) -> float:
    """How well supports rank the ungrounded responses, by a measure of scikit-learn; NaN if only one class has supports."""
    labels, values = assessed(gold, supports)
    if np.unique(labels).size < 2:
        return float("nan")
    # -support ranks as 1 - support does, and makes no ties by rounding.
    return float(measure(labels == 0, -values))


PENDING = -1
"""The status code of a response that is not judged yet; the others are positions in `tuple(Status)`."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Responses by state. `truncated`: those of the scored ones of which the method did not read the whole context."""

    total: int
    scored: int
    invalid: int
    abstained: int
    not_assessable: int
    failed: int
    truncated: int
    pending: int


def coverage(statuses: ArrayLike, context_seen: ArrayLike) -> Coverage:
    """Count responses by state.

    Args:
        statuses: (n,) positions in `tuple(Status)`, or `PENDING`.
        context_seen: (n,) share of the context that the method read, 0 to 1; read of scored responses only.

    Returns:
        Counts, of which all but `truncated` add up to `total`, which is n.
    """
    codes, seen = np.asarray(statuses, dtype=int), np.asarray(context_seen, dtype=float)
    pending, *counts = (int(n) for n in np.bincount(codes - PENDING, minlength=len(Status) + 1))
    by_name = {status.value: n for status, n in zip(Status, counts, strict=True)}
    truncated = (codes == tuple(Status).index(Status.SCORED)) & (seen < 1)
    return Coverage(total=int(codes.size), truncated=int(truncated.sum()), pending=pending, **by_name)
