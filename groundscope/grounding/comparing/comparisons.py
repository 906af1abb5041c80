"""Comparisons of a run's methods: pair by pair on the responses that all of them judged, where they agree, and on slices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from groundscope.grounding.rules.generalization import Retuned
from groundscope.grounding.runs.arrays import PENDING, Bytes, Floats, Integers, RunData, Texts
from groundscope.grounding.tuning import Rule
from groundscope.statistics.bootstrap import Draws, Interval, drawn_queries, intervals_of_many
from groundscope.statistics.metrics import NAMES, score_arrays
from groundscope.statistics.raters import cohen_kappa
from groundscope.statistics.significance import MetricDifference, compare_all

ALPHA = 0.05
"""Below this, the adjusted p says that two methods differ."""
METHOD = "95 % intervals and p by the paired bootstrap over queries, p adjusted over all that is compared (Romano and Wolf 2016)."
"""How differences are distinguished from chance, for every page and report."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Each two methods that can be compared, as places in the run, the better first.

    Methods in `left_out` have no threshold, or have judged nothing yet.
    """

    methods: tuple[int, ...]
    responses: int
    differences: tuple[MetricDifference, ...]
    left_out: tuple[int, ...]
    tuned: tuple[int, ...] = ()


def pairs(
    run: RunData,
    verdicts: Bytes,
    rules: Mapping[str, Rule],
    rows: Integers,
    draws: Draws | None = None,
    again: Mapping[str, Retuned] | None = None,
) -> Pairs:
    """Compare each two methods on the responses that all of them have judged, the better one first.

    `verdicts` are (m, n): 1 grounded, 0 ungrounded, -1 no verdict; `draws` are of `resamples` for the queries of the labelled
    rows, used where every method has judged all of them. `again` is that of
    `groundscope.grounding.rules.generalization.retuned`, of as many draws; without it intervals are given the rules.
    Raises `ValueError` where a row has no label, or the draws are of another number of queries.
    """
    judged = run.status[:, rows] != PENDING
    able = np.array([m.id in rules for m in run.methods]) & judged.any(axis=1)
    methods = [int(i) for i in np.flatnonzero(able)]
    left_out = tuple(int(i) for i in np.flatnonzero(~able))
    shared = rows[judged[methods].all(axis=0)] if methods else rows[:0]
    if len(methods) < 2 or not len(shared):
        return Pairs(tuple(methods), len(shared), (), left_out)
    groups = run.groups[shared]
    if draws is None or len(shared) < len(rows):
        draws = drawn_queries(groups)
    drawn = {}
    for k, i in enumerate(methods):
        tuned_again = (again or {}).get(run.methods[i].id)
        if tuned_again and (scores := tuned_again.scores(run, shared, draws)) is not None:
            drawn[k] = scores
    compared = compare_all(run.gold[shared], verdicts[methods][:, shared], groups, draws, drawn)
    differences = tuple(_better_first(d, methods) for d in compared)
    return Pairs(tuple(methods), len(shared), differences, left_out, tuple(methods[k] for k in drawn))


def _better_first(difference: MetricDifference, methods: Sequence[int]) -> MetricDifference:
    first, second = methods[difference.first], methods[difference.second]
    if not difference.macro_f1 < 0:
        return replace(difference, first=first, second=second)
    turned = Interval(-difference.interval.high, -difference.interval.low)
    return replace(difference, first=second, second=first, macro_f1=-difference.macro_f1, interval=turned)


def apart(difference: MetricDifference) -> bool:
    """Whether two methods, the better one first, differ: the interval lies above 0, and the adjusted p below `ALPHA`."""
    return difference.interval.low > 0 and difference.adjusted_p < ALPHA


@dataclass(frozen=True, slots=True)
class F1Standing:
    """What is shown of some methods' F1, by their places: more than chance, and never by the figure alone.

    Attributes:
        guess: the most that guessing reaches without a look at the responses.
        above: methods whose interval lies above `guess`.
        better: pairs of a method and another one with a lower F1, where the difference is clear.
        best: the method in `above` that is better than every other one; None where there is none, or no other one.
        front: the Pareto front, the fastest first: methods in `above`, each better than every faster one on the front.
    """

    guess: float
    above: frozenset[int]
    better: frozenset[tuple[int, int]]
    best: int | None
    front: tuple[int, ...]


def standing(
    f1: Sequence[float],
    ends: Sequence[Interval],
    seconds: Sequence[float],
    differences: Sequence[MetricDifference] | None = None,
    guess: float = 0.5,
) -> F1Standing:
    """Find out which of m methods can be distinguished, from each other and from guessing.

    What is not known, NaN, is better than nothing and on no front; `ends` are the 95 % intervals of `f1`. Without `differences`
    two methods are distinguished where their intervals do not meet, which is stricter. No guess at labels has a macro-F1 above
    0.5, however often each label occurs.
    """
    places = [i for i, value in enumerate(f1) if not np.isnan(value)]
    if differences is None:
        better = frozenset((i, j) for i in places for j in places if ends[i].low > ends[j].high)
    else:
        better = frozenset((d.first, d.second) for d in differences if apart(d))
    above = frozenset(i for i in places if ends[i].low > guess)
    winners = [i for i in above if all((i, j) in better for j in places if j != i)]
    front: list[int] = []
    for i in sorted((i for i in above if not np.isnan(seconds[i])), key=lambda i: (seconds[i], -f1[i])):
        if all((i, j) in better for j in front):
            front.append(i)
    return F1Standing(guess, above, better, winners[0] if winners and len(places) > 1 else None, tuple(front))


def p_words(p: float) -> str:
    """Write a p for people: three decimals below 0.1, else two, as in "p = 0.004", or "p < 0.001"."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def words(difference: MetricDifference, titles: Sequence[str]) -> str:
    """Describe a comparison, the better method first, in one sentence; `titles` are those of all methods of the run."""
    first, second = titles[difference.first], titles[difference.second]
    if np.isnan(difference.macro_f1):
        return f"{first} and {second} cannot be compared: F1 needs responses with both labels."
    if np.isnan(difference.interval.low):
        return f"{first} is ahead of {second} by {difference.macro_f1:.3f}; a single query does not show how certain that is."
    low, high = (f"{end:.3f}".replace("-", "−") for end in (difference.interval.low, difference.interval.high))
    size = f"{difference.macro_f1:.3f} ({low} to {high}), {p_words(difference.adjusted_p)}"
    if apart(difference):
        return f"{first} is better than {second} by {size}."
    if difference.interval.low > 0:
        return f"{first} has a higher F1 than {second} by {size}, but by the counts of right answers this may be chance."
    return f"{first} and {second} do not differ measurably: {size}."


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement between each two of m methods, as (m, m), over the responses that both have a verdict on; NaN without any.

    `kappa` is Cohen's: 1 = always equal, 0 = as often as by chance; NaN also where both give one and the same verdict everywhere,
    because chance alone would then agree always too.
    """

    shared: Integers
    share: Floats
    kappa: Floats


def agreement(verdicts: Bytes) -> Agreement:
    """Compare each two methods by their (m, k) verdicts: 1 grounded, 0 ungrounded, -1 no verdict."""
    grounded = (verdicts == 1).astype(np.float32)
    ungrounded = (verdicts == 0).astype(np.float32)
    # float32 counts exactly to 16 million responses.
    both_grounded = (grounded @ grounded.T).astype(np.float64)
    both_ungrounded = (ungrounded @ ungrounded.T).astype(np.float64)
    first_grounded = (grounded @ ungrounded.T).astype(np.float64)
    shared = both_grounded + both_ungrounded + first_grounded + first_grounded.T
    with np.errstate(invalid="ignore"):
        share = (both_grounded + both_ungrounded) / shared
    tables = np.stack([both_grounded, first_grounded, first_grounded.T, both_ungrounded], axis=-1)
    kappa = cohen_kappa(tables.reshape(*shared.shape, 2, 2))
    return Agreement(shared.astype(np.int32), share, kappa)


@dataclass(frozen=True, slots=True)
class Hardness:
    """How many methods are right about each of k responses."""

    right: Integers
    judged: Integers
    methods: int

    def at_most(self, most: int = 0) -> Integers:
        """Find the (h,) places in 0..k-1 of responses that at most so many methods get right, and one has a verdict on.

        Those that the fewest get right come first, of these those with the most verdicts, then by place.
        """
        hard = np.flatnonzero((self.right <= most) & (self.judged > 0))
        order: Integers = hard[np.lexsort((-self.judged[hard], self.right[hard]))].astype(np.int32)
        return order

    def everybody(self) -> int:
        """Count the responses that every method gets right; methods without a verdict on any response do not matter."""
        return int(((self.right == self.methods) & (self.methods > 0)).sum())

    def unjudged(self) -> int:
        """Count the responses that no method has a verdict on."""
        return int((self.judged == 0).sum())


def hardness(verdicts: Bytes, gold: Bytes) -> Hardness:
    """Count who is right about each response: `verdicts` (m, k) and `gold` (k,) are 1 grounded, 0 ungrounded, -1 no verdict."""
    judged = verdicts >= 0
    right = judged & (verdicts == gold[None, :])
    return Hardness(right.sum(axis=0, dtype=np.int32), judged.sum(axis=0, dtype=np.int32), int(judged.any(axis=1).sum()))


MOST = 12
"""Areas that are shown by themselves, the largest; the rest are joined."""
FEWEST = 10
"""Queries that an interval needs: fewer give one that is far too narrow."""
_F1 = NAMES.index("macro_f1")


class Slicing(NamedTuple):
    """Which part each of k responses belongs to, and what the parts are called."""

    codes: Integers
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """All methods on one part of the responses; `macro_f1` is (m,), NaN where a class is not there.

    `interval` (m, 2) is 95 %, by the bootstrap over queries; NaN where these are fewer than `FEWEST`.
    """

    name: str
    responses: int
    ungrounded: int
    judged: Integers
    macro_f1: Floats
    interval: Floats


def by_area(areas: Texts) -> Slicing:
    """Cut responses into parts by area of law; by area with jurisdiction where all are of one area of law."""
    import pandas as pd

    column = pd.Series(areas, dtype=object)
    laws = column.str.partition(" · ")[0] if len(column) else column
    column = column if laws.nunique() < 2 else laws
    counts = column.value_counts()
    largest = [str(name) for name in counts.index[: MOST if len(counts) > MOST + 1 else len(counts)]]
    codes = np.asarray(column.map({name: i for i, name in enumerate(largest)}).fillna(len(largest)), dtype=np.int32)
    rest = len(counts) - len(largest)
    return Slicing(codes, tuple(name or "(no area)" for name in largest) + ((f"{rest} other areas",) if rest else ()))


def by_length(words: Integers) -> Slicing:
    """Cut responses into four parts of about the same size by length; fewer where many have the same length."""
    if not len(words):
        return Slicing(np.empty(0, dtype=np.int32), ())
    edges = np.unique(np.floor(np.quantile(words, [0.25, 0.5, 0.75])).astype(np.int32))
    edges = edges[edges < words.max()]
    starts = [int(words.min()), *(int(e) + 1 for e in edges)]
    ends = [*(int(e) for e in edges), int(words.max())]
    names = tuple(f"{a:,} words" if a == b else f"{a:,}–{b:,} words" for a, b in zip(starts, ends, strict=True))
    return Slicing(np.searchsorted(edges, words, side="left").astype(np.int32), names)


def slices(tables: Bytes, gold: Bytes, groups: Integers, parts: Slicing) -> tuple[Slice, ...]:
    """Measure every method on every part that has responses, in the order of the parts.

    `tables` are (m, k, 6) cells of confusion tables, all 0 = not judged; `gold` (k,) labels, `groups` (k,) queries.
    """
    measured = []
    for code, name in enumerate(parts.names):
        inside = np.flatnonzero(parts.codes == code)
        part, queries = tables[:, inside], groups[inside]
        if not len(inside):
            continue
        ends = np.full((len(tables), 2), np.nan)
        if len(np.unique(queries)) >= FEWEST:
            ends = intervals_of_many(part, queries, drawn_queries(queries, 1_000))[:, _F1]
        sums, ungrounded = part.sum(axis=1), int((gold[inside] == 0).sum())
        judged = sums.sum(axis=1).astype(np.int32)
        measured.append(Slice(name, len(inside), ungrounded, judged, score_arrays(sums)[:, _F1], ends))
    return tuple(measured)
