"""What the Compare page computes, cached until the run, its thresholds or the split change."""

import zlib
from collections.abc import Mapping

import numpy as np
import streamlit as st

from components.runs.choice import Open
from groundscope.grounding.agreement import Agreement, Hardness, agreement, hardness
from groundscope.grounding.comparisons import Pairs, pairs
from groundscope.grounding.level_results import Level, LevelResult, gold_of, level_results
from groundscope.grounding.levels import GoldTable
from groundscope.grounding.results import RunResults, judged_cells, results
from groundscope.grounding.runs.arrays import Integers, RunData
from groundscope.grounding.slices import Slice, Slicing, by_area, by_length, slices
from groundscope.grounding.tuning import Rule
from groundscope.grounding.two_runs import RunSide, TwoRuns, two_runs
from groundscope.statistics.bootstrap import Draws, resamples

Key = tuple[object, ...]
PARTS = {"area": "Area of law", "words": "Length of the response", "context_words": "Length of the context"}
SLOW = 4_000
"""Above this number of responses, cutting them into sentences is slow, and the page asks first."""


def key(open_: Open) -> Key:
    """Cache key of the figures; a run under way changes with every judgement."""
    return (*_state(open_.run, open_.rules, open_.rows), open_.split)


def _state(run: RunData, rules: Mapping[str, Rule], rows: Integers) -> Key:
    seen = (zlib.crc32(run.status.tobytes()), float(np.nansum(run.support)), int(run.timed.sum()), zlib.crc32(rows.tobytes()))
    return (run.id, run.created, run.data_hash, *seen, tuple(sorted((m, str(r)) for m, r in rules.items())))


def measured(open_: Open) -> RunResults:
    """The results table."""
    return _measured(key(open_), open_)


@st.cache_data(max_entries=24, show_spinner=False)
def _measured(key: Key, _open: Open) -> RunResults:
    return results(_open.run, _open.verdicts, _open.rules, _open.rows, _open.split, _draws(key, _open))


@st.cache_data(max_entries=4, show_spinner=False)
def _draws(key: Key, _open: Open) -> Draws:
    return resamples(_open.run.groups[_open.rows])


def compared(open_: Open) -> Pairs:
    """Every pair of methods."""
    return _compared(key(open_), open_)


@st.cache_data(max_entries=24, show_spinner=False)
def _compared(key: Key, _open: Open) -> Pairs:
    return pairs(_open.run, _open.verdicts, _open.rules, _open.rows, _draws(key, _open))


def sliced(open_: Open, by: str) -> tuple[Slice, ...]:
    """F1 by one of `PARTS`."""
    return _sliced(key(open_), by, open_)


@st.cache_data(max_entries=48, show_spinner=False)
def _sliced(key: Key, by: str, _open: Open) -> tuple[Slice, ...]:
    run, rows = _open.run, _open.rows
    tables = judged_cells(run, _open.verdicts, _open.rules, rows)
    return slices(tables, run.gold[rows], run.groups[rows], _parts(_open, by))


def _parts(open_: Open, by: str) -> Slicing:
    run, rows = open_.run, open_.rows
    if by == "area":
        return by_area(run.areas[rows])
    return by_length((run.words if by == "words" else run.context_words)[rows])


def agreed(open_: Open) -> Agreement:
    """Agreement between methods."""
    return agreement(open_.verdicts[:, open_.rows])


def hard(open_: Open) -> Hardness:
    """How many methods are right about each response."""
    return hardness(open_.verdicts[:, open_.rows], open_.run.gold[open_.rows])


def levels(open_: Open, level: Level) -> tuple[LevelResult, ...]:
    """The methods on sentences or characters; the first call reads and cuts every response."""
    return _levels(key(open_), level, open_)


@st.cache_data(max_entries=24, show_spinner=False)
def _levels(key: Key, level: Level, _open: Open) -> tuple[LevelResult, ...]:
    gold = _gold((_open.run.id, _open.run.data_hash, _open.split), _open)
    return level_results(_open.run, gold, _open.rules, _open.rows, level)


@st.cache_data(max_entries=6, show_spinner=False)
def _gold(key: Key, _open: Open) -> GoldTable:
    return gold_of(_open.run, _open.rows)


def beside(open_: Open, other: RunSide) -> TwoRuns:
    """The open run and another one."""
    return _beside(key(open_), _state(other.run, other.rules, other.rows), open_, other)


@st.cache_data(max_entries=12, show_spinner=False)
def _beside(first: Key, second: Key, _open: Open, _other: RunSide) -> TwoRuns:
    return two_runs(RunSide(_open.run, _open.verdicts, _open.rules, _open.rows), _other)
