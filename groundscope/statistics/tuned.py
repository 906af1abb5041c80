"""How sure an F1 is whose threshold was tuned: a bootstrap that draws the tuning set as well, by query.

An interval "given the rule" draws test alone and asks how F1 would differ on other responses under the same threshold. Another
tuning set would have given another threshold, too: here every draw of the tuning set finds its own, and all of them are read on
every draw of test. Since few thresholds are distinct, all pairs of draws count without being worked out one by one.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groundscope.statistics.bootstrap import LEVEL, Draws, Groups, Interval, group_codes
from groundscope.statistics.curves import Curve, curve

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Values = Callable[[Curve], Floats]
_EVEN = 1e-6
"""Scores that differ by no more are equally good: they are worked out in single precision."""
_AT_ONCE = 1 << 17


@dataclass(frozen=True, slots=True)
class Labelled:
    """Responses with labels, and their supports made in one way or several.

    Attributes:
        supports: (w, n) 0 to 1; NaN = no verdict.
        grounded: (n,) True = grounded.
        groups: (n,) the query of each response.
        draws: (count, n_groups) of `resamples` for these groups.
    """

    supports: Floats
    grounded: Bools
    groups: Groups
    draws: Draws


def nested_interval(tuning: Labelled, test: Labelled, values: Values) -> Interval:
    """Compute the interval of the macro-F1 on test under thresholds that are tuned on draws of the tuning set.

    Args:
        tuning: what thresholds are found on; candidates are those between its distinct supports.
        test: what they are read on; the supports are made in the same ways, in the same order.
        values: rates the thresholds of a curve, higher = better, such as `Curve.macro_f1`; applied to drawn counts.

    Returns:
        The 95 % interval over all pairs of a draw of tuning and a draw of test; NaN where either has fewer than two queries, or
        no way has a support on the tuning set.

    Raises:
        ValueError: a response has no query, or the draws are of another number of queries.
    """
    chosen = chosen_thresholds(tuning, values)
    if not chosen or test.draws.shape[1] < 2 or tuning.draws.shape[1] < 2:
        return Interval(float("nan"), float("nan"))
    found, weights = [], []
    for way in sorted({w for w, _ in chosen}):
        thresholds = [t for w, t in chosen if w == way]
        if (read := _Sorted.of(test.supports[way], test)) is None:
            # Without any verdict on test all count as wrong.
            found.append(np.zeros((len(test.draws), 1)))
            weights.append(np.array([sum(chosen[way, t] for t in thresholds)]))
            continue
        # Of thresholds between the same two supports the verdicts are the same.
        cuts, place = np.unique(np.searchsorted(read.distinct, thresholds), return_inverse=True)
        counts = np.bincount(place, weights=[chosen[way, t] for t in thresholds])
        found.append(np.concatenate([read.curve(draws, cuts).macro_f1() for draws in _blocks(test)]))
        weights.append(counts.astype(np.int64))
    return _weighted_interval(np.concatenate(found, axis=1), np.concatenate(weights))


def chosen_thresholds(tuning: Labelled, values: Values) -> dict[tuple[int, float], int]:
    """Find the best threshold of every draw of a tuning set.

    Args:
        tuning: the responses and their draws.
        values: as in `nested_interval`.

    Returns:
        How many draws chose it, by (way, threshold); of equally good ways the first, of thresholds as `curves.best` does.
    """
    read = [(w, one) for w, s in enumerate(tuning.supports) if (one := _Sorted.of(s, tuning)) is not None]
    found: Counter[tuple[int, float]] = Counter()
    for draws in _blocks(tuning) if read else ():
        best = np.full(len(draws), -np.inf)
        way, threshold = np.zeros(len(draws), dtype=np.int64), np.zeros(len(draws))
        for w, one in read:
            rated = np.asarray(values(one.curve(draws)))
            at = _best(rated)
            here = np.take_along_axis(rated, at[:, None], axis=1)[:, 0]
            better = here > best + _EVEN
            best[better], way[better], threshold[better] = here[better], w, one.thresholds[at][better]
        found.update(zip(way.tolist(), threshold.tolist(), strict=True))
    return dict(found)


def _blocks(of: Labelled) -> Iterator[Draws]:
    """Draws that are worked on at once: few enough that what is made of them stays near the processor."""
    codes = group_codes(of.groups)
    if of.draws.shape[1] != int(codes.max(initial=-1)) + 1:
        raise ValueError("the resamples are of another number of queries than the responses: draw from the same")
    step = max(1, _AT_ONCE // max(1, len(codes)))
    for start in range(0, len(of.draws), step):
        yield of.draws[start : start + step]


@dataclass(frozen=True, slots=True)
class _Sorted:
    """Responses in the order of their supports, ready to be counted under many draws.

    `thresholds` has one more entry than there are `distinct` supports, and so have `cuts`: how many responses lie below each.
    """

    thresholds: Floats
    distinct: Floats
    cuts: NDArray[np.int64]
    codes: NDArray[np.int64]
    grounded: NDArray[np.float32]
    none: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def of(cls, supports: Floats, labelled: Labelled) -> "_Sorted | None":
        known = ~np.isnan(supports)
        if not known.any():
            return None
        order = np.flatnonzero(known)[np.argsort(supports[known], kind="stable")]
        distinct, first = np.unique(supports[order], return_index=True)
        codes = group_codes(labelled.groups)
        none = tuple(codes[~known & (labelled.grounded == label)] for label in (True, False))
        thresholds = curve(supports, labelled.grounded).thresholds
        grounded = labelled.grounded[order].astype(np.float32)
        return cls(thresholds, distinct, np.append(first, len(order)), codes[order], grounded, (none[0], none[1]))

    def curve(self, draws: Draws, at: NDArray[np.int64] | None = None) -> Curve:
        """Counts under draws, (count, k), at all thresholds or at some."""
        cuts = self.cuts if at is None else self.cuts[at]
        every = np.zeros((len(draws), len(self.codes) + 1), dtype=np.float32)
        every[:, 1:] = draws[:, self.codes]
        right = every[:, 1:] * self.grounded
        np.cumsum(every, axis=1, out=every)
        grounded = np.zeros_like(every)
        np.cumsum(right, axis=1, out=grounded[:, 1:])
        ungrounded = every - grounded
        g, u = grounded[:, cuts], ungrounded[:, cuts]
        none = [draws[:, codes].sum(axis=1, dtype=np.float32)[:, None] for codes in self.none]
        return Curve(
            self.thresholds,
            grounded[:, -1:] - g,
            g,
            u,
            ungrounded[:, -1:] - u,
            none[0],
            none[1],
        )


def _best(rated: Floats) -> NDArray[np.int64]:
    """`curves.best` of every row: of the first run of equally good thresholds the middle one."""
    top = rated >= rated.max(axis=1, keepdims=True) - _EVEN
    first = top.argmax(axis=1)
    after = np.arange(rated.shape[1]) >= first[:, None]
    ends = ~top & after
    end = np.where(ends.any(axis=1), ends.argmax(axis=1), rated.shape[1])
    middle: NDArray[np.int64] = first + (end - first) // 2
    return middle


def _weighted_interval(values: Floats, weights: NDArray[np.int64]) -> Interval:
    """Percentiles of all values of (count, u), each column counting as often as its weight says; NaN are left out."""
    flat, times = values.ravel(), np.tile(weights, len(values))
    known = ~np.isnan(flat)
    flat, times = flat[known], times[known]
    if not len(flat):
        return Interval(float("nan"), float("nan"))
    order = np.argsort(flat, kind="stable")
    total = np.cumsum(times[order])
    ends = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    at = np.searchsorted(total, [q * (total[-1] - 1) + 1 for q in ends])
    return Interval.of(flat[order][at])
