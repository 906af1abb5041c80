"""What the thresholds page keeps of a session, and what it works out of a run once."""

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from components import shell
from evaluation.decisions import Decision
from evaluation.flips import by_hand, table_at
from evaluation.gap import Gap, gaps
from evaluation.metrics import Confusion
from evaluation.run_data import PENDING, Floats, RunData
from evaluation.tuning import How, Objective, Rule, Tuned, shares, supports, tune_all

TEST = "test"
"""The split that is not shown before thresholds are frozen, and that none are tuned on."""
METHOD = "thresholds_method"
FROZEN = "thresholds_frozen"

_HANDS = "thresholds_by_hand"
_SAID = "thresholds_said"


@dataclass(frozen=True, slots=True)
class Settings:
    """How thresholds are looked for; `split` None = each method's own."""

    objective: Objective
    allowed: tuple[How, ...]
    split: str | None


@dataclass(frozen=True, slots=True)
class Tuning:
    """By method id: what was found, its counts on the tuning split, and a sentence where nothing was."""

    tuned: dict[str, Tuned]
    tables: dict[str, Confusion]
    failed: dict[str, str]


def mark(run: RunData) -> tuple[str, str, int]:
    """What a run's figures are kept under: another run, or a run that went on, has another one."""
    return run.id, run.data_hash, int((run.status != PENDING).sum())


def tuning(run: RunData, settings: Settings) -> Tuning:
    """Every method tuned."""
    return _tuning(run, mark(run), settings)


@st.cache_data(max_entries=16, show_spinner="Tuning")
def _tuning(_run: RunData, mark: tuple[str, str, int], settings: Settings) -> Tuning:
    tuned, failed = tune_all(_run, settings.objective, settings.allowed, settings.split)
    tables = {name: table_at(_run, _run.method(name), found, found.rule.threshold) for name, found in tuned.items()}
    return Tuning(tuned, tables, failed)


def values(run: RunData, place: int, rule: Rule) -> Floats:
    """(n,) a method's supports under a rule; those over sentences are worked out once, not at every move of the slider."""
    if rule.how != "share_below":
        return supports(run, place, rule)
    return _shares(run, mark(run), place, rule.sentence_threshold or 0.0)


@st.cache_data(max_entries=32, show_spinner=False)
def _shares(_run: RunData, mark: tuple[str, str, int], place: int, sentence_threshold: float) -> Floats:
    return shares(_run, place, sentence_threshold)


def on_test(run: RunData, decision: Decision) -> list[Gap]:
    """A frozen decision's figures on test."""
    return _on_test(run, mark(run), decision.made, decision.name, decision)


@st.cache_data(max_entries=16, show_spinner="Reading test")
def _on_test(_run: RunData, mark: tuple[str, str, int], made: str, name: str, _decision: Decision) -> list[Gap]:
    return gaps(_run, _decision, TEST)


def hands(run: RunData, settings: Settings) -> dict[str, float]:
    """The thresholds that were set by hand under these settings, by method id."""
    kept: dict[tuple[tuple[str, str, int], Settings], dict[str, float]] = st.session_state.setdefault(_HANDS, {})
    return kept.setdefault((mark(run), settings), {})


def with_hands(run: RunData, settings: Settings, found: Tuning) -> Tuning:
    """What tuning found, with the thresholds in place of it that were set by hand."""
    tuned, tables = dict(found.tuned), dict(found.tables)
    for name, threshold in hands(run, settings).items():
        if name in tuned:
            place = run.method(name)
            tuned[name] = by_hand(run, place, tuned[name], threshold, settings.objective)
            tables[name] = table_at(run, place, tuned[name], threshold)
    return Tuning(tuned, tables, found.failed)


Place = Literal["tune", "freeze", "frozen"]
"""Where on the page something is said."""


def say(place: Place, kind: Literal["good", "bad", "info"], text: str) -> None:
    """Keep what is to be said at a place when the page is drawn next: callbacks draw before the page does."""
    st.session_state[_SAID] = place, kind, text


def said(place: Place) -> None:
    """Say it, once."""
    kept = st.session_state.get(_SAID)
    if kept and kept[0] == place:
        del st.session_state[_SAID]
        shell.notice(kept[1], kept[2])
