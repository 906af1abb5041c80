"""What the Compare page computes, cached until the run, its thresholds or the split change."""

import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import streamlit as st

from components.opened.choice import RunView
from groundscope.errors import GroundscopeError
from groundscope.grounding.comparing.comparisons import (
    Agreement,
    Hardness,
    Pairs,
    Slice,
    agreement,
    by_area,
    by_length,
    hardness,
    pairs,
    slices,
)
from groundscope.grounding.comparing.two_runs import RunSide, TwoRuns, two_runs
from groundscope.grounding.level_results import Level, LevelResult, gold_of, guessed_f1, level_results
from groundscope.grounding.levels import GoldTable
from groundscope.grounding.results import RunResults, judged_cells, results
from groundscope.grounding.rules.generalization import Retuned, retuned, tuned_queries
from groundscope.grounding.three_answers import GUESS, ThreeAnswers, as_levels, three_answers
from groundscope.statistics.bootstrap import Draws, drawn_queries
from groundscope.statistics.power import PowerCurve, power_curve

Key = tuple[object, ...]
PARTS = {"area": "Area of law", "words": "Length of the response", "context_words": "Length of the context"}
SIZES = (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)
"""Of the sets that power is simulated for, in queries of the run."""
_MANY = 2_000
"""Queries of which fewer sets are drawn."""
SAMPLED = 5_000
"""Queries that power is simulated from, at most: of more, as many chosen by chance."""
SLOW = 4_000
"""Above this number of responses, cutting them into sentences is slow, and the page asks first."""


def key(view: RunView) -> Key:
    """Cache key of the figures; a run under way changes with every judgement."""
    decision = view.decision
    return (*_state(view), view.split, decision and (decision.name, decision.made))


def _state(shown: RunView | RunSide) -> Key:
    run, rows = shown.run, shown.rows
    ruled = tuple(sorted((m, str(r)) for m, r in shown.rules.items()))
    if run.version:
        return (run.id, run.version, len(rows), int(rows[0]) if len(rows) else -1, ruled)
    seen = (zlib.crc32(run.status.tobytes()), float(np.nansum(run.support)), int(run.timed.sum()), zlib.crc32(rows.tobytes()))
    typed = zlib.crc32(run.types.tobytes())
    return (run.id, run.created, run.data_hash, typed, *seen, ruled)


BY_KEY: dict[str | type, Callable[[Any], Key]] = {RunView: key, RunSide: _state}
"""How Streamlit's caches distinguish what pages show."""


@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def measured(view: RunView) -> RunResults:
    """The results table."""
    promised = view.decision.promised if view.decision else None
    tuned_on = tuned_queries(view.whole, view.decision)
    return results(view.run, view.verdicts, view.rules, view.rows, view.split, _draws(view), _again(view), promised, tuned_on)


@st.cache_data(max_entries=4, show_spinner=False, hash_funcs=BY_KEY)
def _again(view: RunView) -> dict[str, Retuned]:
    return retuned(view.whole, view.decision) if view.decision else {}


@st.cache_data(max_entries=4, show_spinner=False, hash_funcs=BY_KEY)
def _draws(view: RunView) -> Draws:
    return drawn_queries(view.run.groups[view.rows])


@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def compared(view: RunView) -> Pairs:
    """Every pair of methods."""
    return pairs(view.run, view.verdicts, view.rules, view.rows, _draws(view), _again(view))


@st.cache_data(max_entries=24, show_spinner="Drawing sets of other sizes", hash_funcs=BY_KEY)
def power_of(view: RunView, first: int, second: int) -> PowerCurve:
    """How many labelled responses distinguish two methods, from the responses that both have judged."""
    run, rows = view.run, view.rows
    tables = judged_cells(run, view.verdicts, view.rules, rows)[[first, second]]
    both = tables.any(axis=2).all(axis=0)
    groups = run.groups[rows][both]
    queries = len(np.unique(groups))
    if queries > SAMPLED:
        drawn = np.random.default_rng(0).choice(np.unique(groups), SAMPLED, replace=False)
        both = both & np.isin(run.groups[rows], drawn)
        groups = run.groups[rows][both]
    sizes = sorted({max(2, round(queries * factor)) for factor in SIZES})
    return power_curve(tables[0][both], tables[1][both], groups, sizes, 2_000 if queries <= _MANY else 400)


@st.cache_data(max_entries=48, show_spinner=False, hash_funcs=BY_KEY)
def sliced(view: RunView, by: str) -> tuple[Slice, ...]:
    """F1 by one of `PARTS`."""
    run, rows = view.run, view.rows
    tables = judged_cells(run, view.verdicts, view.rules, rows)
    lengths = run.words if by == "words" else run.context_words
    parts = by_area(run.areas[rows]) if by == "area" else by_length(lengths[rows])
    return slices(tables, run.gold[rows], run.groups[rows], parts)


@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def agreed(view: RunView) -> Agreement:
    """Agreement between methods."""
    return agreement(view.verdicts[:, view.rows])


@st.cache_resource(max_entries=2, show_spinner=False, hash_funcs=BY_KEY)
def hard(view: RunView) -> Hardness:
    """How many methods are right about each response."""
    return hardness(view.verdicts[:, view.rows], view.run.gold[view.rows])


@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def levels(view: RunView, level: Level) -> tuple[LevelResult, ...]:
    """The methods on sentences, characters or three answers; the first call reads and cuts every response."""
    if level == "three":
        return as_levels(three(view))
    return level_results(view.run, _gold(view), view.rules, view.rows, level, _again(view))


@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def three(view: RunView) -> ThreeAnswers:
    """The methods on three answers."""
    return three_answers(view.run, view.rules, view.rows)


def sentences(view: RunView) -> tuple[LevelResult, ...]:
    """The methods on sentences; none where these cannot be counted, or are too many to be read without being asked to."""
    asked = (view.run.id, view.split) in st.session_state.get("compare_asked", ())
    with suppress(GroundscopeError, ValueError):
        return levels(view, "sentence") if asked or len(view.rows) <= SLOW else ()
    return ()


@st.cache_data(
    max_entries=6, show_spinner=False, hash_funcs={RunView: lambda o: (o.run.id, o.run.data_hash, zlib.crc32(o.rows.tobytes()))}
)
def _gold(view: RunView) -> GoldTable:
    return gold_of(view.run, view.rows)


def guess(view: RunView, level: Level) -> float:
    """The highest F1 of a guess."""
    return guessed_f1(_gold(view)) if level == "span" else GUESS if level == "three" else 0.5


@st.cache_data(max_entries=12, show_spinner=False, hash_funcs=BY_KEY)
def beside(view: RunView, other: RunSide) -> TwoRuns:
    """The open run and another one."""
    return two_runs(RunSide(view.run, view.verdicts, view.rules, view.rows), other)
