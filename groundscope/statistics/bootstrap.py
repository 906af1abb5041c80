"""Confidence intervals of scores: the percentile bootstrap over queries (Efron and Tibshirani 1993), at 95 %.

Queries are drawn with replacement, and all responses to a query come along, because they are alike: the paper has several
variants of every gold response. The draws are made once and shared by all methods, so that methods can be compared on the same
resamples. Where no query has an error, the resamples have none either: Wilson's interval stands in for theirs. Large sets get
as many resamples as small ones: a resampled confusion table is a product of the draws with the queries' own tables, and is
worked out for a block of resamples at a time, so that 50,000 responses take little memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundscope.statistics.metrics import CELLS, NAMES, Array, score_arrays

_FEW = 4


@dataclass(frozen=True, slots=True)
class NormalDraws:
    """Draws of many queries without drawing them: sums of resamples come from the normal distribution that they follow.

    A resample's sum over tens of thousands of queries is normal to within less than 2,000 draws can show (central limit theorem):
    its mean is the sum itself, its covariance that of the queries' own sums times their number. At 30,000 queries the ends of
    intervals of macro-F1 and its like differ by 0.0001 where 20,000 draws are made in both ways; two sets of 2,000 drawn ones
    differ by 0.0002. So 2,000 draws of the sums replace 2,000 draws of the queries, and take as long for a million queries as for
    a thousand.
    """

    count: int
    queries: int
    seed: int

    @property
    def shape(self) -> tuple[int, int]:
        """(count, queries), as of an array of draws."""
        return self.count, self.queries

    def __len__(self) -> int:
        return self.count

    def sums(self, blocks: Iterable[NDArray[np.generic]]) -> Array:
        """Draw (count, c) sums of resamples from blocks, (g, c) sums of some queries each, together of all in any order.

        Columns of counts are 0 or more.
        """
        total, products, whole = np.zeros(0), np.zeros((0, 0)), True
        for block in blocks:
            whole = whole and block.dtype.kind in "iub"
            # Counts of a block are exact in single precision, which is twice as fast.
            values: NDArray[np.floating] = block.astype(np.float32 if block.dtype.kind in "iub" else np.float64)
            if not len(total):
                total, products = np.zeros(values.shape[1]), np.zeros((values.shape[1],) * 2)
            total += values.sum(axis=0, dtype=np.float64)
            # Products of few columns would start threads for nothing.
            products += values.T @ values if values.shape[1] > _FEW else np.einsum("ij,ik->jk", values, values)
        spread, turned = np.linalg.eigh(products - np.outer(total, total) / self.queries)
        # What does not vary has a spread of 0, but for rounding.
        factors = turned * np.sqrt(np.where(spread > spread.max(initial=0) * 1e-12, spread, 0))
        drawn = np.random.default_rng(self.seed).standard_normal((self.count, len(total)))
        sampled: Array = total + drawn @ factors.T
        return np.maximum(sampled, 0) if whole else sampled


Codes = NDArray[np.int64]
Counts = NDArray[np.uint8]
Draws = Counts | NormalDraws
Sums = NDArray[np.int64] | Array
Groups = Sequence[str] | NDArray[np.integer]

LEVEL = 0.95
_WILSON = 3.841459
"""The square of the normal quantile of that level."""
_BLOCK = 1 << 21
"""Draws that are worked on at once: 8 MB in float32."""
_DENSE = 4
_EXACT = 1 << 24
"""Whole numbers below this are exact in float32."""
MOST_DRAWN = 20_000
"""Queries that are drawn; of more, the sums of resamples are drawn instead."""
_QUERIES_AT_ONCE = 1 << 15


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval; both ends are NaN where there is none."""

    low: float
    high: float

    @classmethod
    def of(cls, ends: Iterable[float]) -> "Interval":
        """Make an interval of low and high, such as a row of `limits`."""
        return cls(*map(float, ends))

    def around(self, value: float) -> dict[str, float | None]:
        """A value with both ends, as JSON has them: None where they are NaN."""
        figures = {"value": value, "low": self.low, "high": self.high}
        return {name: None if np.isnan(figure) else figure for name, figure in figures.items()}


def group_codes(groups: Groups) -> Codes:
    """Number the queries of responses.

    Args:
        groups: (n,) the query of each response: texts, or an array of whole numbers from 0 on.

    Returns:
        (n,) int64, from 0 on in the order of first appearance.

    Raises:
        ValueError: a response has no query.
    """
    if isinstance(groups, np.ndarray) and groups.dtype.kind in "iu":
        if groups.size and groups.min() < 0:
            raise ValueError(f"every response needs a query, got the code {groups.min()}")
        if groups.size and groups.max() < _DENSE * groups.size:
            return _dense_codes(groups)
        _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[inverse].astype(np.int64)
    index: dict[str, int] = {}
    codes = np.fromiter((index.setdefault(g, len(index)) for g in groups), dtype=np.int64, count=len(groups))
    if not all(isinstance(g, str) for g in index):
        raise ValueError("every response needs a query: a text, or a whole number in an array of such")
    return codes


def _dense_codes(groups: NDArray[np.integer]) -> Codes:
    """`group_codes` of whole numbers of which there are not many more than responses; nothing is sorted but the queries."""
    first = np.full(int(groups.max()) + 1, -1, dtype=np.int64)
    # Of several values for one place the last one stays: from the end, the first response of each query.
    first[groups[::-1]] = np.arange(groups.size - 1, -1, -1)
    starts = first[first >= 0]
    starts.sort()
    codes = np.empty(groups.size, dtype=np.int64)
    codes[starts] = np.arange(len(starts))
    dense: Codes = codes[first[groups]]
    return dense


def drawn_queries(groups: Groups, count: int = 2_000, seed: int = 0) -> Draws:
    """Draw queries as `resamples` does, or, where these are more than `MOST_DRAWN`, let their sums be drawn.

    Args:
        groups: (n,) the query of each response.
        count: number of resamples.
        seed: of the random draws.

    Returns:
        What `resampled_sums` and `resampled_scores` take.
    """
    number = int(group_codes(groups).max(initial=-1)) + 1
    return NormalDraws(count, number, seed) if number > MOST_DRAWN else resamples(groups, count, seed)


def resamples(groups: Groups, count: int = 2_000, seed: int = 0) -> Counts:
    """Draw queries with replacement; the same groups, count and seed give the same draws.

    A query is drawn about once a resample; counts are 8-bit, since more than 255 draws of one query are practically impossible.

    Args:
        groups: (n,) the query of each response.
        count: number of resamples.
        seed: of the random draws.

    Returns:
        (count, n_groups) uint8: how often each query is drawn, queries in the order of first appearance.
    """
    number = int(group_codes(groups).max(initial=-1)) + 1
    draws = np.zeros((count, number), dtype=np.uint8)
    rng = np.random.default_rng(seed)
    for rows in _blocks(count, number):
        block = draws[rows]
        picks = rng.integers(0, number, size=block.shape, dtype=np.int32)
        picks += (np.arange(len(block), dtype=np.int32) * number)[:, None]
        block[:] = np.bincount(picks.ravel(), minlength=block.size).reshape(block.shape)
    return draws


def _blocks(count: int, width: int) -> Iterator[slice]:
    """Rows that are worked on at once."""
    if width:
        step = max(1, _BLOCK // width)
        yield from (slice(i, i + step) for i in range(0, count, step))


def by_group(table: ArrayLike, groups: Groups) -> Sums:
    """Sum the values of responses by query; integers stay integers.

    Args:
        table: (n, c) values.
        groups: (n,) the query of each response.

    Returns:
        (n_groups, c) int64 or float64, queries in the order of first appearance.
    """
    return _by_code(np.asarray(table), group_codes(groups))


def _by_code(table: NDArray[np.generic], codes: Codes) -> Sums:
    if len(table) != len(codes):
        raise ValueError(f"need a query for every response, got {len(codes)} for {len(table)}")
    number = int(codes.max(initial=-1)) + 1
    sums = np.empty((number, table.shape[1]))
    for j in range(table.shape[1]):
        sums[:, j] = np.bincount(codes, weights=table[:, j], minlength=number)
    return sums.astype(np.int64) if table.dtype.kind in "iub" else sums


def resampled_sums(draws: Draws, sums: Sums) -> Array:
    """Sum the values of each resample; exact for integers.

    Args:
        draws: (count, n_groups) how often each query is drawn, or what stands for that.
        sums: (n_groups, c) sums of queries, in the same order.

    Returns:
        (count, c) float64.

    Raises:
        ValueError: the draws are of another number of queries.
    """
    if draws.shape[1] != len(sums):
        raise ValueError(f"the resamples are of {draws.shape[1]} queries and the responses of {len(sums)}: draw from the same")
    if isinstance(draws, NormalDraws):
        return draws.sums(sums[rows] for rows in _blocks(*sums.shape))
    small = sums.dtype.kind == "i" and len(sums) * int(np.abs(sums).max(initial=0)) < _EXACT
    factors: NDArray[np.floating] = sums.astype(np.float32 if small else np.float64)
    totals = np.zeros((len(draws), sums.shape[1]))
    for rows in _blocks(*draws.shape):
        totals[rows] = draws[rows].astype(factors.dtype) @ factors
    return totals


def resampled_scores(tables: ArrayLike, groups: Groups, draws: Draws) -> Array:
    """Compute all scores of every resample.

    Args:
        tables: (m, n, 6) cells of responses under m methods.
        groups: (n,) the query of each response.
        draws: of `resamples` for the same groups.

    Returns:
        (m, count, 7), scores in the order of `NAMES`, 0 to 1; NaN if a resample lacks a class that the score needs.
    """
    cells = np.asarray(tables)
    codes = group_codes(groups)
    if not len(cells):
        return np.empty((0, len(draws), len(NAMES)))
    if isinstance(draws, NormalDraws):
        drawn = draws.sums(_sums_of_blocks(cells, codes))
    else:
        # (n, m * 6): one product with the draws for all methods.
        side_by_side = cells.transpose(1, 0, 2).reshape(cells.shape[1], len(cells) * CELLS)
        drawn = resampled_sums(draws, _by_code(side_by_side, codes))
    by_method = drawn.reshape(len(draws), len(cells), CELLS).transpose(1, 0, 2)
    return score_arrays(by_method.reshape(-1, CELLS)).reshape(len(cells), len(draws), len(NAMES))


def _sums_of_blocks(tables: NDArray[np.generic], codes: Codes) -> Iterator[Sums]:
    """(g, m * 6) sums of some queries at a time: those of all would take gigabytes."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(0, int(codes.max(initial=-1)) + 2))
    for first in range(0, len(starts) - 1, _QUERIES_AT_ONCE):
        edges = starts[first : first + _QUERIES_AT_ONCE + 1]
        rows = order[edges[0] : edges[-1]]
        block = tables[:, rows].transpose(1, 0, 2).reshape(len(rows), -1)
        yield np.add.reduceat(block, edges[:-1] - edges[0], axis=0, dtype=np.int32)


def intervals_of_many(tables: ArrayLike, groups: Groups, draws: Draws) -> Array:
    """The intervals of all scores of several methods on the same responses.

    Args:
        tables: (m, n, 6) cells of responses, a layer a method.
        groups: (n,) the query of each response.
        draws: of `resamples` for the same groups.

    Returns:
        (m, 7, 2) low and high ends, scores in the order of `NAMES`, as `widened` makes them; NaN as in `limits`.
    """
    scores = resampled_scores(tables, groups, draws)
    return widened(limits(scores.transpose(1, 0, 2), draws.shape[1]), score_queries(tables, groups))


def score_queries(tables: ArrayLike, groups: Groups) -> NDArray[np.int64]:
    """Count the queries that each score is of: those of one class, of the class with fewer, or all.

    Args:
        tables: (m, n, 6) cells of responses, a layer a method.
        groups: (n,) the query of each response.

    Returns:
        (m, 7), scores in the order of `NAMES`.
    """
    layers, codes, half = np.asarray(tables), group_codes(groups), CELLS // 2
    counted = np.zeros((len(layers), len(NAMES)), dtype=np.int64)
    for i, of in enumerate(layers):
        grounded, ungrounded, every = (np.unique(codes[c.any(axis=1)]).size for c in (of[:, :half], of[:, half:], of))
        fewer = min(grounded, ungrounded)
        counted[i] = fewer, fewer, fewer, every, ungrounded, ungrounded, every
    return counted


def widened(ends: ArrayLike, queries: ArrayLike) -> Array:
    """Give a width to intervals of shares on whose best or worst value all resamples agree.

    An error that no query has is in no resample, so that a bootstrap calls 2 right answers of 2 as sure as 2,000 of 2,000. There
    the open end is Wilson's for none of the queries in error.

    Args:
        ends: (..., 2) low and high ends of shares, 0 to 1.
        queries: (...) how many queries each share is of.

    Returns:
        (..., 2) low and high ends.
    """
    low, high = np.moveaxis(np.asarray(ends, dtype=np.float64), -1, 0)
    open_end = np.asarray(queries) / (np.asarray(queries) + _WILSON)
    return np.stack([np.where(low == 1, open_end, low), np.where(high == 0, 1 - open_end, high)], axis=-1)


def named_intervals(ends: Array) -> dict[str, Interval]:
    """Name the intervals of one method by score.

    Args:
        ends: (7, 2) low and high ends, as `intervals_of_many` returns them for a method.

    Returns:
        95 % interval by score, in the order of `NAMES`.
    """
    return dict(zip(NAMES, map(Interval.of, ends), strict=True))


def limits(values: Array, groups: int) -> Array:
    """Ends of 95 % intervals.

    Args:
        values: (count, ...) values of resamples; NaN = none, left out.
        groups: number of queries that were drawn from.

    Returns:
        (..., 2) low and high ends; NaN if no resample has a value, or if there are fewer than two queries.
    """
    ordered = np.sort(values, axis=0)
    counts = np.count_nonzero(~np.isnan(ordered), axis=0)
    if groups < 2 or not len(ordered):
        return np.full((*counts.shape, 2), np.nan)
    ends = [_quantile(ordered, counts, q) for q in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)]
    return np.stack(ends, axis=-1)


def _quantile(ordered: Array, counts: NDArray[np.int64], q: float) -> Array:
    """Linear between neighbours, as numpy's default; values are sorted along axis 0, NaN last."""
    at = q * np.maximum(counts - 1, 0)
    below = np.floor(at).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(counts - 1, 0))
    low = np.take_along_axis(ordered, below[None], axis=0)[0]
    high = np.take_along_axis(ordered, above[None], axis=0)[0]
    return np.asarray(low + (high - low) * (at - below))
