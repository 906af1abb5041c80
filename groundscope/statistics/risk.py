"""Thresholds with a guarantee on missed errors: Learn then Test (Angelopoulos et al. 2021, arXiv:2110.01052), by query.

What is promised: take the queries whose answers hold a wrong sentence, and of each the share of its wrong sentences that pass.
The mean of this share over the population of such queries, its miss rate, is at most a limit. The procedure gives a threshold for
which that is false in at most 1 - confidence of all samples of queries that it could have been given.

It is a mean over queries: one with twenty wrong sentences counts as one with a single one. The share of all wrong sentences taken
together is another quantity, a ratio of two means; no test without further assumptions bounds it, since one query may hold any
number of wrong sentences. It is counted beside the rate and not promised.

What is assumed: the queries are drawn independently from one population, which is also that of later use, and neither the method
nor the labels were made by looking at the other. Sentences of one query may depend on each other in any way.

How: from the highest threshold down, each is tested for "the miss rate is above the limit" by the Hoeffding-Bentkus p-value of
the mean over queries, until one is not rejected. The miss rate never rises with the threshold, so the thresholds need no
correction for their number (fixed-sequence testing), and they may be taken from the supports themselves.

Departs from MAPIE 1.6, whose binary control takes sentences as independent samples. Its control of the recall of many labels can
take a query as a sample, but bounds it by Hoeffding's, Bernstein's or the betting inequality: for 10 % at 90 % confidence
without a miss they take 116, 71 and 26 queries, where 22 are enough. (With more queries and some misses the betting inequality
is less strict than this p-value; it depends on the order of the queries.) The p-value here is checked against MAPIE's.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundscope.statistics.bootstrap import Groups, Interval, group_codes
from groundscope.statistics.curves import curve
from groundscope.statistics.metrics import Array

_ROUNDING = 1e-9
"""Sums of shares such as 1/3 are off by less."""


@dataclass(frozen=True, slots=True)
class MissLimit:
    """What is to be promised.

    Attributes:
        most: the highest miss rate, above 0 and below 1.
        confidence: the least share of samples for which the promise is true, above 0 and below 1.
        of: what can be missed: `sentences`, or `answers` where labels are of whole answers.
    """

    most: float = 0.1
    confidence: float = 0.9
    of: str = "sentences"

    def __post_init__(self) -> None:
        for name, value in (("most", self.most), ("confidence", self.confidence)):
            if not 0 < value < 1:
                raise ValueError(f"{name} must lie between 0 and 1, both left out, got {value}")

    @property
    def fewest(self) -> int:
        """How many queries with a wrong sentence it takes where none of these sentences is missed."""
        return math.ceil(math.log(1 - self.confidence) / math.log(1 - self.most) - _ROUNDING)

    @property
    def wrong(self) -> str:
        """What can be missed, for people."""
        return f"wrong {self.of}"

    @property
    def amount(self) -> str:
        """How much may be missed, rounded up, and of what where these are no sentences."""
        return f"at most {percent_up(self.most)}{'' if self.of == 'sentences' else f' of {self.wrong}'}"

    @property
    def words(self) -> str:
        """For people; the limit is rounded up."""
        return f"{self.amount} missed, with {self.confidence * 100:g} % confidence"

    @property
    def phrase(self) -> str:
        """For tables, to stand beside a threshold that carries it; the limit is rounded up."""
        return f"misses at most {percent_up(self.most)} of {self.wrong}, {self.confidence * 100:g} % confidence"


class MissRate(NamedTuple):
    """What a threshold missed, and what it cost.

    `rate`: mean over queries of the share of their wrong sentences that pass; a wrong sentence without a support passes.
    """

    rate: float
    queries: int
    missed: int
    wrong: int
    alarms: int
    sound: int

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the rate in the population; it is true at any number of queries, and so rather wide."""
        high = smallest_limit(self.rate, self.queries, 0.975)
        return Interval(1 - smallest_limit(1 - self.rate, self.queries, 0.975), high)


@dataclass(frozen=True, slots=True)
class Promise:
    """A threshold that carries a promise.

    Attributes:
        limit: what is promised of sentences that are flagged below the threshold, or below a higher one.
        threshold: the lowest that carries it; 0 to 1, or just above.
        reference: a pair a query of theirs, for a comparison with other queries; see `groundscope.statistics.exchangeability`.
    """

    limit: MissLimit
    threshold: float
    seen: MissRate
    reference: tuple[tuple[float, ...], ...] = ()


class MissControl(NamedTuple):
    """The outcome of a search for a promise.

    `promise`: the lowest threshold that carries it; None = no threshold does. `least`: the smallest limit that can be promised
    with this confidence, and the lowest threshold that carries it; None where nothing below 1 can be promised.
    """

    promise: Promise | None
    least: Promise | None


def percent_up(share: float) -> str:
    """Write a share in percent, rounded up to a tenth, so that what is promised stays true.

    Args:
        share: 0 to 1.

    Returns:
        As "17.5 %".
    """
    return f"{math.ceil(share * 1_000 - _ROUNDING) / 10:g} %"


def p_value(rate: ArrayLike, queries: int, most: float) -> Array:
    """Compute the Hoeffding-Bentkus p-value of "the mean is above `most`".

    Args:
        rate: (k,) means of independent losses, 0 to 1 each.
        queries: number of losses of each mean, 1 or more.
        most: what the mean in the population is tested against, 0 to 1 without the ends.

    Returns:
        (k,) 0 to 1; small = the mean is at most `most`.
    """
    # Here, because the app starts without promises, and scipy's statistics take a while to load.
    from scipy.stats import binom

    means = np.asarray(rate, dtype=np.float64)
    below = np.minimum(means, most)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.where(below > 0, below * np.log(below / most), 0.0)
        right = np.where(below < 1, (1 - below) * np.log((1 - below) / (1 - most)), 0.0)
    hoeffding = np.exp(-queries * (left + right))
    bentkus = math.e * binom.cdf(np.ceil(queries * means - _ROUNDING), queries, most)
    return np.asarray(np.minimum(hoeffding, bentkus))


def smallest_limit(rate: float, queries: int, confidence: float) -> float:
    """Find the smallest limit that a mean can be shown to respect.

    Args:
        rate: mean of independent losses, 0 to 1 each.
        queries: number of losses.
        confidence: 0 to 1, the ends left out.

    Returns:
        0 to 1; 1 where nothing smaller is shown, NaN without a loss.
    """
    from scipy.optimize import brentq

    if not queries:
        return math.nan

    def over(most: float) -> float:
        return float(p_value(rate, queries, most)) - (1 - confidence)

    bottom, top = max(rate, 1e-12), 1 - 1e-12
    return float(brentq(over, bottom, top)) if bottom < top and over(top) < 0 < over(bottom) else 1.0


def miss_rate(supports: Array, grounded: NDArray[np.bool_], groups: Groups, threshold: float) -> MissRate:
    """Count what a threshold misses and flags.

    Args:
        supports: (n,) of sentences, 0 to 1; NaN = none, never flagged.
        grounded: (n,) labels, True = sound, False = wrong.
        groups: (n,) the query of each sentence.
        threshold: a sentence is flagged below it.

    Returns:
        The rate by query, and the counts; the rate is NaN where no sentence is wrong.
    """
    wrong, weights, queries = _wrong(grounded, groups)
    passes = ~(supports < threshold)
    return MissRate(
        # Whole queries that are missed must come to exactly 1.
        round(float(weights[passes[wrong]].sum()), 12) if queries else math.nan,
        queries,
        int((wrong & passes).sum()),
        int(wrong.sum()),
        int((grounded & ~passes).sum()),
        int(grounded.sum()),
    )


def _wrong(grounded: NDArray[np.bool_], groups: Groups) -> tuple[NDArray[np.bool_], Array, int]:
    """Which sentences are wrong, what each of these weighs in the mean over queries, and how many queries have one."""
    codes = group_codes(groups)
    if len(codes) != len(grounded):
        raise ValueError(f"need a query for every sentence, got {len(codes)} for {len(grounded)}")
    wrong = ~grounded
    _, places, counts = np.unique(codes[wrong], return_inverse=True, return_counts=True)
    return wrong, 1 / (counts[places] * max(1, len(counts))), len(counts)


def control_misses(
    supports: Array,
    grounded: NDArray[np.bool_],
    groups: Groups,
    limit: MissLimit,
    reference: tuple[tuple[float, ...], ...] = (),
) -> MissControl:
    """Find the lowest threshold that carries a promise, and so has the fewest false alarms of those that do.

    Args:
        supports: (n,) of sentences, 0 to 1; NaN = none, so that a wrong one is missed at every threshold.
        grounded: (n,) labels, True = sound, False = wrong.
        groups: (n,) the query of each sentence: queries are independent of each other, their sentences need not be.
        limit: what is to be promised.
        reference: kept with the promise.

    Returns:
        The promise, where there is one, and the smallest one that there could be.

    Raises:
        ValueError: no sentence is wrong, none has a support, a sentence has no query, or lengths differ.
    """
    wrong, weights, queries = _wrong(grounded, groups)
    if not queries:
        raise ValueError("no sentence is labelled wrong, so there is no miss to count")
    thresholds = curve(supports, grounded).thresholds
    present = ~np.isnan(supports[wrong])
    order = np.argsort(supports[wrong][present])
    caught = np.concatenate(([0.0], np.cumsum(weights[present][order])))
    rates = 1 - caught[np.searchsorted(supports[wrong][present][order], thresholds, side="left")]
    rates = np.clip(rates, 0.0, 1.0)
    # The highest threshold has the lowest rate, and rates rise on the way down: those that pass the test are the last ones.
    fits = np.flatnonzero(p_value(rates, queries, limit.most) <= 1 - limit.confidence)

    def at(place: int, promised: MissLimit) -> Promise:
        threshold = float(thresholds[place])
        return Promise(promised, threshold, miss_rate(supports, grounded, groups, threshold), reference)

    least = smallest_limit(float(rates[-1]), queries, limit.confidence)
    lowest = int(np.flatnonzero(rates <= rates[-1] + _ROUNDING)[0])
    return MissControl(
        at(int(fits[0]), limit) if len(fits) else None,
        at(lowest, replace(limit, most=least)) if least < 1 else None,
    )
