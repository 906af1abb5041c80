"""Data of the matrix and the list of the errors page, for their scripts. Pure: no streamlit."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from components.opened.run_words import interval, percent, rule_words, titles
from groundscope.cases.error_types import MEANINGS, TITLES
from groundscope.grounding.misclassified.calls import KINDS, OUTCOMES, UNTYPED, Calls, ConfusionCell
from groundscope.grounding.misclassified.table import GROUNDED, OCCURRENCES, PART_TITLES, PARTS, UNGROUNDED, ErrorTable, shown
from groundscope.grounding.runs.arrays import TYPES, RunData
from groundscope.grounding.tuning import Rule
from groundscope.text.humanize import one_line, plural
from groundscope.types import Case

SYMBOLS = {
    ConfusionCell.RIGHT: "✓",
    ConfusionCell.MISSED: "✗",
    ConfusionCell.ALARM: "✗",
    ConfusionCell.NONE: "–",
    ConfusionCell.WAITING: "…",
}
OUTCOME_TITLES = {
    ConfusionCell.MISSED: "Missed error",
    ConfusionCell.ALARM: "False alarm",
    ConfusionCell.NONE: "No verdict",
    ConfusionCell.RIGHT: "Right",
    ConfusionCell.WAITING: "Not judged yet",
}
VERDICT_WORDS = {1: "grounded", 0: "ungrounded", -1: "no verdict"}
_QUESTION = 180


class CellChoice(NamedTuple):
    """A cell of the matrix: its column and its method."""

    part: str
    method: str


def head(table: ErrorTable, at: int) -> dict[str, Any]:
    """The head of a column: title, number of responses, meaning."""
    n, part = int(table.responses[at]), PARTS[at]
    if part == GROUNDED:
        words, hint = f"of {n:,} grounded", "grounded responses that are called ungrounded"
    elif part == OCCURRENCES:
        words, hint = f"{n:,} occurrences", "a response with two types counts in each, as in the paper's table 4"
    else:
        words = plural(n, "response")
        hint = MEANINGS[TYPES[at]] if at < len(TYPES) else "each response once"
    return {"title": PART_TITLES[part], "count": words, "hint": hint, "rule": part in (PARTS[0], OCCURRENCES)}


def matrix(
    run: RunData, rules: Mapping[str, Rule], calls: Calls, table: ErrorTable, pressed: CellChoice | None
) -> dict[str, Any]:
    """One line per method, one cell per part: the whole first, then the types."""
    names, parts = titles(run), sorted(shown(table), key=lambda i: PARTS[i] not in (UNGROUNDED, GROUNDED))
    whole = [PARTS.index(UNGROUNDED), PARTS.index(GROUNDED)]
    judged = table.total[whole].sum(axis=0)
    covered = (judged - table.none[whole].sum(axis=0), judged)
    lines = [
        {
            "title": names[method],
            "rule": rule_words(rules[method]),
            "coverage": f"verdict on {covered[0][m]:,} of {covered[1][m]:,}",
            "total": False,
            "cells": [_cell(table, i, m, pressed == (PARTS[i], method)) for i in parts],
            "method": method,
        }
        for m, method in enumerate(calls.ids)
    ]
    return {"heads": [head(table, i) for i in parts], "lines": lines}


def _cell(table: ErrorTable, at: int, method: int, pressed: bool) -> dict[str, Any]:
    rate, wrong, none = float(table.rate[at, method]), int(table.wrong[at, method]), int(table.none[at, method])
    return {
        "part": PARTS[at],
        "tone": "alarm" if PARTS[at] == GROUNDED else "",
        "rate": percent(rate),
        "share": 0.0 if np.isnan(rate) else round(rate, 3),
        "count": f"{wrong:,} of {int(table.total[at, method]):,}",
        "interval": interval(float(table.low[at, method]), float(table.high[at, method])),
        "none": f"{none:,} no verdict" if none else "",
        "cases": wrong,
        "pressed": pressed,
    }


def kind_words(calls: Calls, at: int) -> str:
    """The error types of a response, in words."""
    return ", ".join(KIND_TITLES[KINDS[i]] for i in np.flatnonzero(calls.kinds[at]))


KIND_TITLES: dict[str, str] = {**{t.value: TITLES[t] for t in TYPES}, UNTYPED: PART_TITLES[UNTYPED]}


def lines(
    run: RunData, calls: Calls, cases: Sequence[Case], places: Sequence[int], first: int, opened: int | None
) -> list[dict[str, Any]]:
    """The list of cases of one page, each with its index in `calls`; `first` is the number of the first one, from 1."""
    names = titles(run)
    return [
        {
            "id": case.id,
            "number": first + i,
            "question": one_line(case.query, _QUESTION) or one_line(case.response, _QUESTION) or "(empty)",
            "label": "grounded" if calls.grounded[at] else "ungrounded",
            "types": kind_words(calls, at),
            "calls": [_call(calls, m, at, names[method]) for m, method in enumerate(calls.ids)],
            "opened": at == opened,
        }
        for i, (case, at) in enumerate(zip(cases, places, strict=True))
    ]


def _call(calls: Calls, method: int, at: int, name: str) -> dict[str, str]:
    outcome = OUTCOMES[calls.outcomes[method, at]]
    return {"symbol": SYMBOLS[outcome], "words": f"{name}: {OUTCOME_TITLES[outcome].lower()}", "outcome": outcome.value}
