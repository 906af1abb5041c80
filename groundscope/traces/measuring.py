"""How large a share of live answers stands on its sources, by day and version, and whether it has drifted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from groundscope.statistics.bootstrap import Interval
from groundscope.statistics.significance import share_difference, wilson
from groundscope.text.humanize import plural

RECENT, BEFORE = 7, 28
"""Days that are compared: the last ones with those before them."""
FEWEST = 30
"""Verdicts on each side below which nothing is said of a drift."""
DRIFT_LEVEL = 0.999
"""Of the interval of a drift. It is looked at every day: at 95 % three of four simulated feeds without any change showed a drift
within 60 days (`benchmarks/gate/drift.py`); at this level 2.5 to 5 of 100 did."""

_NONE = Interval(float("nan"), float("nan"))

DayRow = tuple[str, str, float | None, int, int, int]
"""Of `LiveStore.shares`: day, version, time of the first one, verdicts, grounded ones, answers without a verdict."""


@dataclass(frozen=True, slots=True)
class LiveShare:
    """Verdicts of one day, or of one version.

    Attributes:
        name: the day, or the version; empty = not known.
        first: day of the first answer; empty = not known.
        grounded: of these, those that stand on their sources.
        interval: Wilson's 95 % interval of the share.
        change: interval of the share less that of the version before it, at `DRIFT_LEVEL`; NaN for the first one.
    """

    name: str
    first: str
    last: str
    verdicts: int
    grounded: int
    undecided: int
    interval: Interval
    change: Interval

    @property
    def share(self) -> float:
        """0..1, higher = more answers stand on their sources; NaN without a verdict."""
        return self.grounded / self.verdicts if self.verdicts else float("nan")


@dataclass(frozen=True, slots=True)
class LiveDrift:
    """The last days against those before them.

    Attributes:
        interval: of the recent share less the one before, at `DRIFT_LEVEL`; NaN with too few verdicts.
        words: what can be said, in one or two sentences.
    """

    recent: LiveShare
    before: LiveShare
    interval: Interval
    words: str

    @property
    def drifted(self) -> bool:
        """Whether the interval leaves out no change."""
        return bool(self.interval.low > 0 or self.interval.high < 0)


def by_day(rows: Sequence[DayRow]) -> list[LiveShare]:
    """Sum up verdicts by day."""
    days = sorted({row[0] for row in rows if row[0]})
    return [_share(day, [row for row in rows if row[0] == day]) for day in days]


def by_version(rows: Sequence[DayRow]) -> list[LiveShare]:
    """Sum up verdicts by version."""
    since: dict[str, float] = {}
    for row in rows:
        since[row[1]] = min(since.get(row[1], float("inf")), row[2] if row[2] is not None else float("inf"))
    found: list[LiveShare] = []
    for version in sorted(since, key=since.__getitem__):
        own = [row for row in rows if row[1] == version]
        found.append(_share(version, own, found[-1] if found else None))
    return found[::-1]


def drift(rows: Sequence[DayRow], title: str) -> LiveDrift:
    """Compare the last days with those before them."""
    last = max((row[0] for row in rows if row[0] and row[3]), default="")
    end = date.fromisoformat(last) if last else date.min + timedelta(RECENT + BEFORE)
    start, earlier = end - timedelta(RECENT - 1), end - timedelta(RECENT + BEFORE - 1)
    recent = _share("recent", [row for row in rows if row[0] and start.isoformat() <= row[0] <= end.isoformat()])
    before = _share("before", [row for row in rows if row[0] and earlier.isoformat() <= row[0] < start.isoformat()])
    enough = min(recent.verdicts, before.verdicts) >= FEWEST
    interval = _difference(recent, before) if enough else _NONE
    return LiveDrift(recent, before, interval, _words(recent, before, interval, title))


def _difference(one: LiveShare, other: LiveShare) -> Interval:
    return share_difference((one.grounded, one.verdicts), (other.grounded, other.verdicts), DRIFT_LEVEL)


def _share(name: str, rows: Sequence[DayRow], previous: LiveShare | None = None) -> LiveShare:
    days = sorted(row[0] for row in rows if row[0])
    verdicts, grounded, undecided = sum(row[3] for row in rows), sum(row[4] for row in rows), sum(row[5] for row in rows)
    ends = (days[0], days[-1]) if days else ("", "")
    found = LiveShare(name, *ends, verdicts, grounded, undecided, wilson(grounded, verdicts), _NONE)
    return replace(found, change=_difference(found, previous)) if previous else found


def _words(recent: LiveShare, before: LiveShare, interval: Interval, title: str) -> str:
    if not recent.verdicts:
        return "No answer has a verdict yet."
    head = (
        f"In the {RECENT} days to {recent.last}, {recent.share:.1%} of {plural(recent.verdicts, 'answer')} stand on their "
        f"sources, as {title} judges."
    )
    if min(recent.verdicts, before.verdicts) < FEWEST:
        side = f"the {RECENT} days have {recent.verdicts:,}, the {BEFORE} days before them {before.verdicts:,}"
        return f"{head} Too few verdicts to speak of a drift: {side}, and each needs {FEWEST}."
    ends = f"{100 * DRIFT_LEVEL:g} % interval {100 * interval.low:+.1f} to {100 * interval.high:+.1f} points"
    points = 100 * (recent.share - before.share)
    was = f"In the {BEFORE} days before it was {before.share:.1%} of {before.verdicts:,}"
    if interval.high < 0:
        return f"{head} {was}: it fell by {-points:.1f} points ({ends})."
    if interval.low > 0:
        return f"{head} {was}: it rose by {points:.1f} points ({ends})."
    return f"{head} {was}: no drift is shown ({points:+.1f} points, {ends})."
