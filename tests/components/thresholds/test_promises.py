"""Promises as tables: what is promised and what is not, and the same figures as data."""

import math

import pandas as pd
import pytest

from components.thresholds import promises as tables
from groundscope.grounding.rules.promises import KeptPromise, SoughtPromise
from groundscope.statistics.exchangeability import Likeness
from groundscope.statistics.risk import MissControl, MissLimit, MissRate, Promise

LIMIT = MissLimit(0.1, 0.9)
SEEN = MissRate(0.02, 60, 3, 120, 50, 200)
PROMISE = Promise(LIMIT, 0.625, SEEN)
LEAST = Promise(MissLimit(0.1745, 0.9), 0.875, SEEN._replace(rate=0.0, missed=0, alarms=190, queries=12))
FOUND = {
    "no": SoughtPromise("", MissControl(None, LEAST)),
    "never": SoughtPromise("dev", MissControl(None, None)),
    "yes": SoughtPromise("dev", MissControl(PROMISE, LEAST)),
}
TITLES = {"no": "<b>None</b>", "never": "Silent", "yes": "Good"}


def test_what_is_promised_comes_first_and_what_is_not_has_its_reason() -> None:
    text = tables.sought_html(FOUND, TITLES, LIMIT).replace("\u00a0", " ")
    assert text.index("Good") < text.index("&lt;b&gt;None&lt;/b&gt;") < text.index("Silent")
    assert "<b>" not in text
    assert "<td>at most 10 %</td><td>0.6250</td><td>dev, 60 queries</td><td>2.0 %</td><td>3 of 120 (2 %)</td>" in text
    assert "<td>no; at best 17.5 %</td><td>0.8750</td><td>no split, 12 queries</td>" in text
    assert "12 queries with a wrong sentence are too few; it takes 22 or more" in text
    assert "Silent: No threshold can promise this, nor anything less" in text


def test_kept_promises_show_outcome_and_likeness() -> None:
    kept = {
        "yes": KeptPromise(PROMISE, SEEN, Likeness(0.0002, 0.5, (60, 40))),
        "no": KeptPromise(PROMISE, None, Likeness(math.nan, math.nan, (60, 0))),
    }
    text = tables.kept_html(kept, TITLES).replace("\u00a0", " ")
    assert "<td>held here</td><td>&lt; 0.001, they differ</td>" in text
    assert "<td>not known: no sentence is labelled wrong</td><td>–</td>" in text
    data = tables.kept_table(kept, TITLES, {"yes": "misses few"})
    assert data["promise"].tolist() == ["misses few", ""]
    assert data["missed_by_query"].tolist() == pytest.approx([0.02, math.nan], nan_ok=True)
    assert data["missed_high"][0] == SEEN.interval.high
    assert data["alike_p"][0] == 0.0002


def test_data_says_which_figures_are_of_a_promise() -> None:
    data = tables.sought_table(FOUND, TITLES, {"yes": "misses few"})
    assert sorted(data["promise"]) == ["", "misses few"]
    expected = pd.DataFrame(
        {
            "method": ["<b>None</b>", "Good"],
            "promised": [False, True],
            "limit": [0.1745, 0.1],
            "threshold": [0.875, 0.625],
            "false_alarms": [190, 50],
        }
    )
    pd.testing.assert_frame_equal(data[list(expected)], expected)
    assert tables.sought_table({}, TITLES, {}).empty
