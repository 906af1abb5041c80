"""Bootstrap of a tuned threshold: the tuning set is resampled too, by query.

An interval "given the rule" draws test alone and asks how F1 would differ on other responses under the same threshold. Another
tuning set would have given another threshold, too: here every draw of the tuning set finds its own, and all of them are read on
every draw of test. Since few thresholds are distinct, all pairs of draws count without being worked out one by one.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groundscope.statistics.bootstrap import LEVEL, Counts, Groups, Interval, group_codes, resampled_sums, widened
from groundscope.statistics.curves import Curve, Floats, curve

Bools = NDArray[np.bool_]
Values = Callable[[Curve], Floats]
_EVEN = 1e-6
"""Scores that differ by no more are equally good: they are worked out in single precision."""
_AT_ONCE = 1 << 17


@dataclass(frozen=True, slots=True)
class Labelled:
    """Responses with labels, and their supports made in one way or several.

    `supports`: (w, n) 0 to 1; NaN = no verdict. `groups`: (n,) the query of each response.
    """

    supports: Floats
    grounded: Bools
    groups: Groups
    draws: Counts


@dataclass(frozen=True, slots=True)
class Choices:
    """The rules that the draws of a tuning set choose; empty where no way has a support there.

    `threshold`: (c,) in 0..1, or just outside.
    """

    way: NDArray[np.int64]
    threshold: Floats

    def counted(self) -> dict[tuple[int, float], int]:
        """How many draws chose each rule, (way, threshold)."""
        return dict(Counter(zip(self.way.tolist(), self.threshold.tolist(), strict=True)))


def choices(tuning: Labelled, values: Values) -> Choices:
    """Find the best rule of every draw of a tuning set.

    Args:
        tuning: the responses and their draws; candidates are the thresholds between distinct supports.
        values: rates the thresholds of a curve, higher = better, such as `Curve.macro_f1`; applied to drawn counts.

    Returns:
        A rule a draw; of equally good ways the first, of thresholds as `curves.best` does.
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


_STEPS = 1 << 20
"""Into which scores are cut where they are counted."""


def nested_interval(chosen: Choices, test: Labelled) -> Interval:
    """Compute the interval of the macro-F1 on test under the rules that draws of the tuning set chose.

    Args:
        chosen: of `choices`.
        test: what the rules are read on; its supports are made in the same ways, in the same order.

    Returns:
        The 95 % interval over all pairs of a draw of tuning and a draw of test; NaN where test has fewer than two queries, or
        nothing was chosen.
    """
    if not len(chosen.way) or test.draws.shape[1] < 2:
        return Interval(float("nan"), float("nan"))
    rated = [(scores, np.bincount(place, minlength=scores.shape[1])) for scores, place, _ in _read(chosen, test)]
    nested = weighted_interval(np.concatenate([f for f, _ in rated], axis=1), np.concatenate([w for _, w in rated]))
    fewer = min(np.unique(group_codes(test.groups)[test.grounded == label]).size for label in (True, False))
    return Interval.of(widened((nested.low, nested.high), fewer))


def nested_scores(chosen: Choices, test: Labelled) -> Floats:
    """Read each draw of test under the rule that the same draw of the tuning set chose.

    Args:
        chosen: of `choices`, as many as there are draws of test.
        test: as in `nested_interval`.

    Returns:
        (count,) macro-F1, 0 to 1. Those of two methods can be subtracted where their tuning sets were drawn alike.

    Raises:
        ValueError: there are not as many choices as draws, or as `choices`.
    """
    if len(chosen.way) != len(test.draws):
        raise ValueError(f"need a choice for every draw, got {len(chosen.way)} for {len(test.draws)}")
    read = np.empty(len(test.draws))
    for scores, place, draws in _read(chosen, test):
        read[draws] = scores[draws, place]
    return read


def _read(chosen: Choices, test: Labelled) -> Iterator[tuple[Floats, NDArray[np.int64], NDArray[np.int64]]]:
    """For every way that was chosen: (count, u) scores at its u distinct verdicts, which verdict draws chose, and which draws."""
    for way in np.unique(chosen.way).tolist():
        draws = np.flatnonzero(chosen.way == way)
        distinct = np.unique(test.supports[way])
        # Of thresholds between the same two supports the verdicts are the same. NaN comes last, below no threshold.
        cuts, place = np.unique(np.searchsorted(distinct[~np.isnan(distinct)], chosen.threshold[draws]), return_inverse=True)
        yield _scores(_counts(test, way, distinct, cuts)), place, draws


def _counts(test: Labelled, way: int, distinct: Floats, cuts: NDArray[np.int64]) -> Curve:
    """(count, u) counts of draws where the supports from the cut on are called grounded; their sums by query are drawn."""
    supports, codes = test.supports[way], group_codes(test.groups)
    present, u = ~np.isnan(supports), len(cuts)
    above = np.searchsorted(cuts, np.searchsorted(distinct, supports), side="right")
    columns = [_sums(codes, present & test.grounded, above, u), _sums(codes, present & ~test.grounded, above, u)]
    absent = (codes[~present & (test.grounded == label)] for label in (True, False))
    none = [np.bincount(queries, minlength=len(columns[0]))[:, None] for queries in absent]
    drawn = resampled_sums(test.draws, np.concatenate([*columns, *none], axis=1))
    right, all_grounded, wrong, all_ungrounded = (
        drawn[:, :u],
        drawn[:, u, None],
        drawn[:, u + 1 : 2 * u + 1],
        drawn[:, 2 * u + 1, None],
    )
    missing = drawn[:, -2, None], drawn[:, -1, None]
    return Curve(np.empty(u), right, all_grounded - right, all_ungrounded - wrong, wrong, *missing)


def _sums(codes: NDArray[np.int64], counted: Bools, above: NDArray[np.int64], u: int) -> NDArray[np.int64]:
    """(g, u + 1) how many responses of each query reach the 1st, 2nd, ... cut; in the last column all that count."""
    queries = int(codes.max(initial=-1)) + 1
    reached = np.bincount(codes[counted] * (u + 1) + above[counted], minlength=queries * (u + 1)).reshape(queries, u + 1)
    least = reached[:, ::-1].cumsum(axis=1)[:, ::-1]
    return np.concatenate([least[:, 1:], least[:, :1]], axis=1)


def _scores(counts: Curve) -> Floats:
    """Macro-F1 under draws, NaN for those that lack a class, as in `groundscope.statistics.bootstrap`."""
    grounded = counts.grounded_right + counts.grounded_wrong + counts.grounded_none
    ungrounded = counts.ungrounded_right + counts.ungrounded_wrong + counts.ungrounded_none
    return np.where((grounded > 0) & (ungrounded > 0), counts.macro_f1(), np.nan)


def weighted_interval(values: Floats, weights: NDArray[np.int64]) -> Interval:
    """Take the interval of scores of which some count several times.

    Args:
        values: (count, u) from 0 to 1; NaN are left out.
        weights: (u,) how often each column counts.

    Returns:
        The 95 % percentile interval, to within 1e-6; NaN where no value is left.
    """
    defined = ~np.isnan(values)
    # Millions of values are counted faster than they are sorted.
    steps = (values[defined] * _STEPS + 0.5).astype(np.int64)
    total = np.bincount(steps, weights=np.broadcast_to(weights, values.shape)[defined], minlength=1).cumsum()
    if not total[-1]:
        return Interval(float("nan"), float("nan"))
    at = np.searchsorted(total, [q * (total[-1] - 1) + 1 for q in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)])
    return Interval.of(at / _STEPS)
