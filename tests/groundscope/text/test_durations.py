"""Lengths of time: how texts write them, which are equal, and which a context does not state."""

import itertools
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from groundscope.text.checks import ContextDurations, Time, durations
from tests.loops import each


def missing(sentence: str, *context: str) -> list[str]:
    return [sentence[d.start : d.end] for d in ContextDurations.of(context).missing(sentence)]


@each(
    ("text", "time"),
    [
        ("two years", (24, "month")),
        ("Two-year", (24, "month")),
        ("24 months", (24, "month")),
        ("a year", (12, "month")),
        ("one week", (10_080, "minute")),
        ("7 calendar days", (10_080, "minute")),
        ("twenty-one business days", (30_240, "minute")),
        ("1.5 hours", (90, "minute")),
        ("1,000 days", (1_440_000, "minute")),
    ],
)
def test_a_time_in_all_its_forms(text: str, time: Time) -> None:
    assert [d.time for d in durations(text)] == [(Decimal(time[0]), time[1])]


@each("text", ["yearly", "tendays", "two", "12", "v2 days", "1.2.3 days"])
def test_a_number_alone_is_no_time(text: str) -> None:
    assert list(durations(text)) == []


@each(
    ("sentence", "context", "wanted"),
    [
        ("It must be filed within two years.", "It must be filed within 1 year. Two elements matter.", ["two years"]),
        ("It must be filed within two years.", "A two-year limit applies.", []),
        ("It must be filed within two years.", "The limit is 24 months.", []),
        ("It must be filed within twelve months.", "It must be filed within a year.", []),
        ("It lasts 7 days.", "It lasts one week.", []),
        ("It lasts 30 days.", "It lasts one month.", ["30 days"]),
        ("It lasts 30 months.", "It lasts 30 days.", ["30 months"]),
        # The number stands there without its unit, which the context names elsewhere.
        ("A sentence of 90 months was imposed.", "Of the range in months the judge imposed 90.", []),
        # A manner of speaking.
        ("Once a year the board meets.", "The board meets in May.", []),
        ("No time is named.", "", []),
    ],
)
def test_a_time_that_the_context_does_not_state(sentence: str, context: str, wanted: list[str]) -> None:
    assert missing(sentence, context) == wanted


@given(st.text(alphabet="one two 12,.-ıſ年day-year s month\n", max_size=80))
def test_offsets_hold_for_any_text(text: str) -> None:
    found = list(durations(text))
    assert all(0 <= a.start < a.end <= len(text) for a in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    assert missing(text, text) == []


def test_a_number_that_is_longer_than_any_time_is_none() -> None:
    assert list(durations(f"It lasts {'9' * 6_000} days.")) == []
