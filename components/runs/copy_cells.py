"""Data of a matrix of copies and methods that several pages share. Pure: no streamlit."""

from collections.abc import Callable, Iterable, Mapping
from math import isnan
from typing import Any, NamedTuple

from components.errors.cells import rule_words, titles
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Rule
from groundscope.statistics.bootstrap import Interval


class Picked(NamedTuple):
    """A cell: its line and its method."""

    line: str
    method: str


class MatrixLine(NamedTuple):
    """A line of a matrix: its name, its title, how many copies it is of, and whether it sums up others."""

    name: str
    title: str
    counted: str
    total: bool = False


Drawn = Callable[[str, str], dict[str, Any]]
"""Makes a cell of the name of its line and the id of its method."""


def content(
    run: RunData, rules: Mapping[str, Rule], lines: Iterable[MatrixLine], cell: Drawn, picked: Picked | None
) -> dict[str, Any]:
    """A matrix with one column a method."""
    names = titles(run)
    heads = [
        {
            "title": names[m.id],
            "count": rule_words(rules[m.id]) if m.id in rules else "no threshold",
            "hint": m.id,
            "rule": False,
        }
        for m in run.methods
    ]
    drawn = [
        {
            "title": line.title,
            "rule": line.counted,
            "coverage": "",
            "total": line.total,
            "cells": [{"part": m.id, "pressed": picked == (line.name, m.id), **cell(line.name, m.id)} for m in run.methods],
            "method": line.name,
        }
        for line in lines
    ]
    return {"heads": heads, "lines": drawn}


def signed(found: Interval) -> str:
    """An interval of what may be below 0; empty if there is none."""
    return "" if isnan(found.low) else f"{found.low:+.2f} to {found.high:+.2f}"
