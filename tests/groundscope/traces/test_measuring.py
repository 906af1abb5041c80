"""Shares by day and version, and what is said of a drift."""

import math
from datetime import date, timedelta

import pytest

from groundscope.statistics.significance import share_difference
from groundscope.traces.measuring import DRIFT_LEVEL, DayRow, by_day, by_version, drift

TITLE = "Overlap"
START = date(2026, 1, 1)


def _rows(counts: list[tuple[int, int]], version: str = "1") -> list[DayRow]:
    """A row a day from the first: grounded ones of so many verdicts."""
    days = [(START + timedelta(i)).isoformat() for i in range(len(counts))]
    return [(day, version, float(i), of, right, 0) for i, (day, (right, of)) in enumerate(zip(days, counts, strict=True))]


def test_the_interval_of_a_difference_is_newcombes() -> None:
    # Newcombe 1998, Statistics in Medicine 17, table II, method 10: 56/70 - 48/80, and 9/10 - 3/10.
    assert share_difference((56, 70), (48, 80)).low == pytest.approx(0.0524, abs=5e-5)
    assert share_difference((56, 70), (48, 80)).high == pytest.approx(0.3339, abs=5e-5)
    assert share_difference((9, 10), (3, 10)).low == pytest.approx(0.1705, abs=5e-5)
    assert share_difference((9, 10), (3, 10)).high == pytest.approx(0.8090, abs=5e-5)
    assert math.isnan(share_difference((0, 0), (3, 10)).low)
    with pytest.raises(ValueError, match="successes"):
        share_difference((11, 10), (3, 10))
    assert share_difference((9, 10), (3, 10), 0.999).low < share_difference((9, 10), (3, 10)).low


def test_days_are_summed_over_versions_and_gaps_stay_gaps() -> None:
    rows = [
        *_rows([(3, 4), (2, 2)]),
        ("2026-01-02", "2", 1.5, 2, 0, 1),
        ("2026-01-05", "2", 4.0, 0, 0, 3),
        ("", "2", None, 9, 9, 0),
    ]
    found = by_day(rows)
    assert [(one.name, one.grounded, one.verdicts, one.undecided) for one in found] == [
        ("2026-01-01", 3, 4, 0), ("2026-01-02", 2, 4, 1), ("2026-01-05", 0, 0, 3),
    ]  # fmt: skip
    assert math.isnan(found[2].share)


def test_versions_stand_by_their_first_answer_each_against_the_one_before() -> None:
    rows = [("2026-01-02", "9", 50.0, 100, 60, 0), ("2026-01-01", "10", 99.0, 100, 95, 0), ("2026-01-03", "", None, 1, 1, 0)]
    newest, second, first = by_version(rows)
    assert [newest.name, second.name, first.name] == ["", "10", "9"]
    assert second.change == share_difference((95, 100), (60, 100), DRIFT_LEVEL)
    assert second.change.low > 0
    assert math.isnan(first.change.low)


def test_a_fall_is_said_with_its_interval() -> None:
    found = drift(_rows([(90, 100)] * 28 + [(70, 100)] * 7), TITLE)
    assert found.drifted
    assert (found.before.verdicts, found.recent.verdicts) == (2800, 700)
    assert found.words == (
        "In the 7 days to 2026-02-04, 70.0% of 700 answers stand on their sources, as Overlap judges. In the 28 days before it "
        f"was 90.0% of 2,800: it fell by 20.0 points (99.9 % interval {100 * found.interval.low:+.1f} to "
        f"{100 * found.interval.high:+.1f} points)."
    )
    assert "it rose by 20.0 points" in drift(_rows([(70, 100)] * 28 + [(90, 100)] * 7), TITLE).words


def test_chance_is_no_drift() -> None:
    found = drift(_rows([(90, 100)] * 28 + [(88, 100)] * 7), TITLE)
    assert not found.drifted
    assert "no drift is shown" in found.words


@pytest.mark.parametrize("counts", [[(1, 2)] * 40, [(40, 50)]])
def test_too_few_verdicts_say_nothing_of_a_drift(counts: list[tuple[int, int]]) -> None:
    found = drift(_rows(counts), TITLE)
    assert not found.drifted
    assert math.isnan(found.interval.low)
    assert "Too few verdicts to speak of a drift" in found.words


def test_without_any_verdict_nothing_is_claimed() -> None:
    assert drift([], TITLE).words == "No answer has a verdict yet."
    assert drift([("2026-01-01", "1", 0.0, 0, 0, 4)], TITLE).words == "No answer has a verdict yet."
    assert by_day([]) == by_version([]) == []
