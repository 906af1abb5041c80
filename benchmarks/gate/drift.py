"""Simulated feeds of live answers: how often a drift is shown where nothing changed, and how soon a change of 5 points is found.

    python -m benchmarks.gate.drift [--answers 10,40,150,600] [--feeds 200]

A feed has so many answers a day, each of which stands on its sources with a probability of 0.85. Someone looks at it on each of
the days 15 to 74 and reads the comparison of the last 7 days with the 28 days before them, with an interval at 95 % and at the
level that the app uses. In half of the feeds nothing ever changes; in the others the probability falls to 0.80 on day 45.
"""

import argparse
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

import numpy as np

from benchmarks.machine import show
from groundscope.statistics.significance import share_difference, wilson
from groundscope.traces.measuring import DRIFT_LEVEL, DayRow, drift

SHARE, WORSE = 0.85, 0.05
FIRST, LAST, CHANGE = 14, 74, 45
WITHIN = (7, 14, 28)
_START = date(2026, 1, 1)


def feed(answers: int, worse: float, seed: int) -> list[DayRow]:
    """Verdicts of a feed, a row a day."""
    rng = np.random.default_rng(seed)
    shares = np.where(np.arange(LAST) < CHANGE, SHARE, SHARE - worse)
    grounded = rng.binomial(answers, shares)
    days = [(_START + timedelta(i)).isoformat() for i in range(LAST)]
    return [(day, "1", float(i), answers, int(count), 0) for i, (day, count) in enumerate(zip(days, grounded, strict=True))]


def alarms(rows: Sequence[DayRow], level: float) -> list[int]:
    """The days on which a drift is shown."""
    found = []
    for day in range(FIRST, LAST):
        seen = drift(rows[max(0, day - 34) : day + 1], "the method")
        if level == DRIFT_LEVEL:
            shown = seen.drifted
        else:
            sides = [(one.grounded, one.verdicts) for one in (seen.recent, seen.before)]
            ends = share_difference(sides[0], sides[1], level)
            shown = bool(ends.low > 0 or ends.high < 0)
        found += [day] * shown
    return found


def _shares(counts: Sequence[bool]) -> str:
    ends = wilson(sum(counts), len(counts))
    return f"{100 * sum(counts) / len(counts):.1f} % ({100 * ends.low:.1f} to {100 * ends.high:.1f})"


def main(sizes: Sequence[int], feeds: int) -> Iterator[str]:
    """A table, line by line."""
    yield "| answers a day | interval | shown within 60 looks, nothing changed | 5 points less: found in 7 days | in 14 | in 28 |"
    yield "|---|---|---|---|---|---|"
    for answers in sizes:
        same = [feed(answers, 0.0, seed) for seed in range(feeds)]
        worse = [feed(answers, WORSE, feeds + seed) for seed in range(feeds)]
        for level in (0.95, DRIFT_LEVEL):
            false = [bool(alarms(rows, level)) for rows in same]
            days = [[day for day in alarms(rows, level) if day >= CHANGE] for rows in worse]
            found = [_shares([bool(one) and one[0] < CHANGE + within for one in days]) for within in WITHIN]
            yield f"| {answers} | {100 * level:g} % | {_shares(false)} | {' | '.join(found)} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", default="10,40,150,600")
    parser.add_argument("--feeds", type=int, default=200)
    given = parser.parse_args()
    show(main([int(n) for n in given.answers.split(",")], given.feeds))
