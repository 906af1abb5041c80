"""Figures of arguments: every point says what it opens, hostile names are plain, and what is below nothing is in sight."""

from dataclasses import replace
from typing import Any

import pytest

from components.charts import arguments as charts
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.records import pasted
from groundscope.arguments.report import ArgumentsReport, report
from groundscope.arguments.scenarios import make_all
from groundscope.arguments.types import Test

SCENARIOS = make_all(TRADE_SECRETS, list(Test), 3, [3, 5], 0)
HOSTILE = "<b>m</b>"


@pytest.fixture(scope="module")
def made() -> ArgumentsReport:
    strangers = ", ".join(f"F{n}" for n in range(100, 160))
    texts = {"good": "TSC1 had F4.", HOSTILE: f"TSC1 had {strangers}."}
    return report([pasted(s, m, t, TRADE_SECRETS) for m, t in texts.items() for s in SCENARIOS], TRADE_SECRETS)


def _opens(trace: Any) -> list[tuple[Any, ...]]:
    return [tuple(c) for c in trace.customdata]


def test_points_carry_what_they_open(made: ArgumentsReport) -> None:
    names = [r.arguer for r in made.rows]
    against = charts.against(made.rows, names)
    assert [_opens(t) for t in against.data] == [[(i, "arguable"), (i, "reordered")] for i in (0, 1)]
    levels = charts.levels(made.rows, names, "acc_h", "Acc_H")
    assert [_opens(t) for t in levels.data] == [[(i, 3), (i, 5)] for i in (0, 1)]
    bars = charts.factors(made.factors[:5], TRADE_SECRETS)
    assert {kind for trace in bars.data for _, kind in _opens(trace)} == {"missed", "invented", "wrong case"}
    assert [key for key, _ in _opens(bars.data[0])] == [f.key for f in made.factors[:5]]


def test_a_negative_accuracy_is_inside_the_axis_and_names_are_plain(made: ArgumentsReport) -> None:
    against = charts.against(made.rows, [r.arguer for r in made.rows])
    lowest = min(x for t in against.data for x in t.x)
    assert lowest < 0
    assert against.layout.xaxis.range[0] < lowest
    assert "<b>m</b>" not in str(against.data[1].name)
    assert "&lt;b&gt;" in str(against.data[1].name)


def test_triples_of_unknown_complexity_are_no_point() -> None:
    found = [pasted(replace(s, complexity=0) if s.complexity == 3 else s, "m", "TSC1 had F4.", TRADE_SECRETS) for s in SCENARIOS]
    (line,) = charts.levels(report(found, TRADE_SECRETS).rows, ["m"], "acc_h", "Acc_H").data
    assert _opens(line) == [(0, 5)]
