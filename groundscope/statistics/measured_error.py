"""The error of an instrument in the interval of a mean: all things are measured, and some are also checked by people.

The mean of the measurements is corrected by the mean difference between what people and the instrument say of the checked
things: the difference estimator of double sampling (Cochran 1977), known as prediction-powered inference (Angelopoulos et al.,
Science 382, 2023). It assumes that the checked things are drawn at random, and of the instrument nothing.

The interval of the difference is that of Agresti and Min (2005) for matched shares, who count half a thing more in each of the
four ways in which two readers agree or differ, so that it has a width where no error was seen; `unit` carries it to other means.
Both intervals are combined as Zou and Donner (2008) do (MOVER), as if the measurements and their errors were independent.
"""

from collections.abc import Sequence
from math import hypot, inf, sqrt
from statistics import NormalDist

from groundscope.statistics.bootstrap import LEVEL, Interval


def corrected(
    value: float,
    interval: Interval,
    differences: Sequence[float],
    share: float = 1.0,
    unit: float = 1.0,
    lowest: float = 0.0,
) -> tuple[float, Interval]:
    """Correct a mean of measurements, and widen its interval by what is not known of their error.

    Args:
        value: the mean of all measurements, at most 1.
        interval: its 95 % interval, of sampling alone; NaN stays NaN.
        differences: (n,) of each checked thing, what people say less what was measured.
        share: of all things, those that can be measured wrongly, 0 to 1; the checked ones are of these.
        unit: the least difference that one error makes: 1 of a share, less where a thing has several parts.
        lowest: what the mean can be at least.

    Returns:
        The corrected mean and its interval, both from `lowest` to 1; without differences what was put in.
    """
    count = len(differences)
    if not count:
        return value, interval
    total, squares = sum(differences), sum(d * d for d in differences)
    shift, middle = total / count, total / (count + 2)
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt(squares + unit**2 - total**2 / (count + 2)) / (count + 2)
    mean = value + share * shift
    below, above = share * (shift - min(shift, middle - half)), share * (max(shift, middle + half) - shift)
    low, high = mean - hypot(value - interval.low, below), mean + hypot(interval.high - value, above)
    return _inside(mean, lowest), Interval(_inside(low, lowest), _inside(high, lowest))


def _inside(value: float, lowest: float = -inf) -> float:
    return value if value != value else min(1.0, max(lowest, value))
