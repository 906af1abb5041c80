"""Best thresholds on bootstrap draws of the queries that were tuned on."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groundscope.statistics.bootstrap import Counts, Groups, group_codes
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
        groups: (n,) the query of each response.
    """

    supports: Floats
    grounded: Bools
    groups: Groups
    draws: Counts


@dataclass(frozen=True, slots=True)
class Choices:
    """The rules that the draws of a tuning set choose; empty where no way has a support there.

    Attributes:
        threshold: (c,) in 0..1, or just outside.
    """

    way: NDArray[np.int64]
    threshold: Floats

    def counted(self) -> dict[tuple[int, float], int]:
        """How many draws chose a rule.

        Returns:
            By (way, threshold).
        """
        return dict(Counter(zip(self.way.tolist(), self.threshold.tolist(), strict=True)))


def choices(tuning: Labelled, values: Values) -> Choices:
    """Find the best rule of every draw of a tuning set.

    Args:
        tuning: the responses and their draws; candidates are the thresholds between distinct supports.
        values: rates the thresholds of a curve, higher = better, such as `Curve.macro_f1`; applied to drawn counts.

    Returns:
        A rule a draw; of equally good ways the first, of thresholds as `curves.best` does.

    Raises:
        ValueError: a response has no query, or the draws are of another number of queries.
    """
    read = [(w, one) for w, s in enumerate(tuning.supports) if (one := _Sorted.of(s, tuning)) is not None]
    if not read:
        return Choices(np.empty(0, np.int64), np.empty(0))
    ways, thresholds = [], []
    for draws in _blocks(tuning):
        best = np.full(len(draws), -np.inf)
        way, threshold = np.zeros(len(draws), dtype=np.int64), np.zeros(len(draws))
        for w, candidates in read:
            rated = np.asarray(values(candidates.curve(draws)))
            at = _best(rated)
            highest = np.take_along_axis(rated, at[:, None], axis=1)[:, 0]
            better = highest > best + _EVEN
            best[better], way[better], threshold[better] = highest[better], w, candidates.thresholds[at][better]
        ways.append(way)
        thresholds.append(threshold)
    return Choices(np.concatenate(ways), np.concatenate(thresholds))


def _blocks(of: Labelled) -> Iterator[Counts]:
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

    `thresholds` has one more entry than there are distinct supports, and so have `cuts`: how many responses lie below each.
    """

    thresholds: Floats
    cuts: NDArray[np.int64]
    codes: NDArray[np.int64]
    grounded: NDArray[np.float32]
    none: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def of(cls, supports: Floats, labelled: Labelled) -> "_Sorted | None":
        present = ~np.isnan(supports)
        if not present.any():
            return None
        order = np.flatnonzero(present)[np.argsort(supports[present], kind="stable")]
        _, first = np.unique(supports[order], return_index=True)
        codes = group_codes(labelled.groups)
        none = tuple(codes[~present & (labelled.grounded == label)] for label in (True, False))
        thresholds = curve(supports, labelled.grounded).thresholds
        grounded = labelled.grounded[order].astype(np.float32)
        return cls(thresholds, np.append(first, len(order)), codes[order], grounded, (none[0], none[1]))

    def curve(self, draws: Counts) -> Curve:
        """Counts under draws, (count, k), at all thresholds."""
        every = np.zeros((len(draws), len(self.codes) + 1), dtype=np.float32)
        every[:, 1:] = draws[:, self.codes]
        right = every[:, 1:] * self.grounded
        np.cumsum(every, axis=1, out=every)
        grounded = np.zeros_like(every)
        np.cumsum(right, axis=1, out=grounded[:, 1:])
        ungrounded = every - grounded
        g, u = grounded[:, self.cuts], ungrounded[:, self.cuts]
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
