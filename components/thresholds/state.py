"""Session state of the thresholds page, and its cached results of a run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from groundscope.grounding.results import leak_notes
from groundscope.grounding.rules.changed_verdicts import by_hand, table_at
from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.rules.generalization import SplitGap, gaps, retuned, tuned_queries
from groundscope.grounding.runs.arrays import PENDING, Floats, RunData
from groundscope.grounding.tuning import How, Objective, Rule, Tuned, supports, tune_all, verdicts
from groundscope.statistics.chance import AurocEstimate, auroc_with_interval
from groundscope.statistics.metrics import Confusion

TEST = "test"
"""The split that stays hidden before thresholds are frozen, and is never used for tuning."""
METHOD = "thresholds_method"
FROZEN = "thresholds_frozen"
TAB, ON_TEST = "thresholds_tab", "Frozen, on test"

_HANDS = "thresholds_by_hand"


@dataclass(frozen=True, slots=True)
class TuningSettings:
    """How thresholds are tuned; `split` None = each method's own, `beyond` = what papers fix, too."""

    objective: Objective
    allowed: tuple[How, ...]
    split: str | None
    beyond: bool = False


@dataclass(frozen=True, slots=True)
class Tuning:
    """By method id: the tuned rule, its counts on the tuning split, and a message if tuning failed."""

    tuned: dict[str, Tuned]
    tables: dict[str, Confusion]
    failed: dict[str, str]


def mark(run: RunData) -> tuple[str, str, int]:
    """Cache key of a run's figures: another run, or a resumed run, has another one."""
    return run.id, run.data_hash, int((run.status != PENDING).sum())


BY_MARK: dict[str | type, Callable[[Any], object]] = {RunData: mark, Decision: lambda d: (d.made, d.name)}
"""How Streamlit's caches distinguish runs and frozen thresholds."""


@st.cache_data(max_entries=16, show_spinner="Tuning", hash_funcs=BY_MARK)
def tuning(run: RunData, settings: TuningSettings) -> Tuning:
    """Every method tuned."""
    tuned, failed = tune_all(run, settings.objective, settings.allowed, settings.split, settings.beyond)
    tables = {name: table_at(run, run.method(name), found, found.rule.threshold) for name, found in tuned.items()}
    return Tuning(tuned, tables, failed)


def values(run: RunData, place: int, rule: Rule) -> Floats:
    """(n,) supports of a method under a rule; those over sentences are cached, not computed at every move of the slider."""
    if rule.how != "share_below":
        return supports(run, place, rule)
    return _shares(run, place, rule.sentence_threshold or 0.0)


@st.cache_data(max_entries=32, show_spinner=False, hash_funcs=BY_MARK)
def _shares(run: RunData, place: int, sentence_threshold: float) -> Floats:
    return supports(run, place, Rule("share_below", 0.0, sentence_threshold))


@st.cache_data(max_entries=32, show_spinner=False, hash_funcs=BY_MARK)
def ranking(run: RunData, place: int, rule: Rule, split: str) -> AurocEstimate:
    """How well a method's supports under a rule rank the labelled responses of a split."""
    rows = run.rows(split)
    return auroc_with_interval(run.gold[rows] == 1, values(run, place, rule)[rows], run.groups[rows])


@st.cache_data(max_entries=16, show_spinner="Reading test", hash_funcs=BY_MARK)
def on_test(run: RunData, decision: Decision) -> list[SplitGap]:
    """A frozen decision's figures on test."""
    return gaps(run, decision, TEST)


@st.cache_data(max_entries=16, show_spinner=False, hash_funcs=BY_MARK)
def leaks(run: RunData, decision: Decision) -> list[str]:
    """What test shares with the queries that thresholds were tuned on, and F1 without it."""
    rules = decision.rules(run)
    again, tuned_on = retuned(run, decision), tuned_queries(run, decision)
    return leak_notes(run, verdicts(run, rules), rules, run.rows(TEST), again, tuned_on)


def hands(run: RunData, settings: TuningSettings) -> dict[str, float]:
    """The thresholds set by hand under these settings, by method id."""
    by_settings: dict[tuple[tuple[str, str, int], TuningSettings], dict[str, float]] = st.session_state.setdefault(_HANDS, {})
    return by_settings.setdefault((mark(run), settings), {})


def with_hands(run: RunData, settings: TuningSettings, tuning: Tuning) -> Tuning:
    """The result of the tuning, with thresholds set by hand in place of tuned ones."""
    tuned, tables = dict(tuning.tuned), dict(tuning.tables)
    for name, threshold in hands(run, settings).items():
        if name in tuned:
            place = run.method(name)
            tuned[name] = by_hand(run, place, tuned[name], threshold, settings.objective)
            tables[name] = table_at(run, place, tuned[name], threshold)
    return Tuning(tuned, tables, tuning.failed)
