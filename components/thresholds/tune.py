"""Tuning on the thresholds page: its settings, cached results of a run, thresholds set by hand, and the table of all methods."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from components import shell, state
from components.controls import action, select_one, several_of
from components.scoring import rules_in_use
from components.thresholds import tables
from groundscope.grounding.results import leak_notes
from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.rules.generalization import SplitGap, by_hand, gaps, retuned, table_at, tuned_queries
from groundscope.grounding.runs.arrays import PENDING, Floats, RunData
from groundscope.grounding.tuning import HOW_WORDS, WAYS, How, Objective, Rule, Tuned, supports, tune_all, verdicts
from groundscope.statistics.chance import AurocEstimate, auroc_with_interval
from groundscope.statistics.metrics import Confusion
from groundscope.text.humanize import plural

TEST = "test"
"""The split that stays hidden before thresholds are frozen, and is never used for tuning."""
METHOD = "thresholds_method"
FROZEN = "thresholds_frozen"
TAB, ON_TEST = "thresholds_tab", "Frozen, on test"


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
    by_settings: dict[tuple[tuple[str, str, int], TuningSettings], dict[str, float]]
    by_settings = st.session_state.setdefault("thresholds_by_hand", {})
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


_MACRO, _COST = "Best macro-F1", "Lowest cost"
_OWN_SPLIT = "each method's own"
_BEYOND = "Also tunes what a paper fixes: a chat model's verdict, and the worst sentence of SelfCheckGPT. Such rows say so."


def settings(run: RunData, bar: Any) -> TuningSettings | None:
    """The widgets, folded in a bar; None, with a notice, if there is nothing to tune."""
    splits = [s for s in run.labelled_splits() if s != TEST]
    if not splits:
        there = "All labelled responses are in test" if TEST in run.labelled_splits() else "The run has no labelled response"
        shell.notice(
            "info",
            f"{there}, so there is nothing to tune on. Label responses, or split the set into dev and test by query, "
            "on the Cases page. Then run the methods on it.",
        )
        return None
    if "dev" not in splits:
        there = ", ".join(map(tables.split_name, run.labelled_splits()))
        shell.notice("info", f"The run has no labelled response in dev, only in {there}. Choose the split for tuning above.")
    with bar.popover("How thresholds are tuned", key="thresholds_how"):
        goal = st.selectbox("Look for", [_MACRO, _COST], key="thresholds_goal", persist_state="session")
        missed = None
        if goal == _COST:
            missed = st.number_input(
                "A missed error costs this many false alarms", 0.01, 1e3, 5.0, 1.0, key="thresholds_cost", persist_state="session"
            )
        split = _split(run, splits)
        ways = several_of(
            st, "Support of a response from", HOW_WORDS, "thresholds_ways", default=WAYS, persist_state="session",
            help="Every chosen way is tried where a method's paper leaves it open, and the best is used; if equal, the first.",
        )  # fmt: skip
        beyond = st.checkbox("Beyond the paper", key="thresholds_beyond", persist_state="session", help=_BEYOND)
    if not ways:
        shell.notice("info", "Choose at least one source for the support of a response.")
        return None
    return TuningSettings(Objective(missed), tuple(ways), split, beyond)


def _split(run: RunData, splits: list[str]) -> str | None:
    """The split to tune on; None = each method's own, offered if the run has dev."""
    own_split = [_OWN_SPLIT] if "dev" in splits else []
    elsewhere = {m.tuned_on for m in run.methods if m.tuned_on in splits} - {"dev"}
    names = {_OWN_SPLIT: f"dev, and {', '.join(sorted(elsewhere))} where a method asks for it" if elsewhere else "dev"}
    options = own_split + [s for s in splits if s != "dev" or elsewhere]
    titles = {s: names.get(s, tables.split_name(s)) for s in options}
    chosen = select_one(st, "Tune on", titles, f"thresholds_split_{'_'.join(options)}")
    return None if chosen == _OWN_SPLIT else chosen


def table(run: RunData, chosen: TuningSettings, tuning: Tuning) -> None:
    """All methods with their rules, and the actions on them."""
    objective = chosen.objective
    better = "higher is better" if objective.missed is None else "lower is better"
    st.html(
        f'<p class="gs-sub gs-measure">Every method\'s best rule by {objective.words} ({better}), with its results on the split '
        "for tuning. Errors are ungrounded responses; a response without a score counts as wrong.</p>"
    )
    if tuning.tuned:
        st.html(tables.tuned_html(run, tuning.tuned, tuning.tables, objective))
    shell.not_ready(len(tuning.failed), tables.failed_lines(run, tuning.failed))
    shell.show_said("thresholds_tune")
    with st.container(horizontal=True, vertical_alignment="center"):
        rules = {name: one.rule for name, one in tuning.tuned.items()}
        action("Use these thresholds in the heatmap", "thresholds_use", use, run, rules, "tune", disabled=not rules)
        if set_by_hand := hands(run, chosen):
            label = f"Reset to the tuned threshold{'s' if len(set_by_hand) > 1 else ''}"
            action(label, "thresholds_back", set_by_hand.clear)


def use(run: RunData, rules: dict[str, Rule], place: str, promised: Decision | None = None) -> None:
    """Set the heatmap's thresholds for the rules that it can apply, with what they promise, and store a message."""
    before = set(state.promises())
    able = rules_in_use.apply(rules, promised)
    count = len(able)
    text = f"The heatmap now uses these thresholds for {plural(count, 'method')}."
    if count:
        text += f" {rules_in_use.lasting_words()}"
    if gone := [m.title for m in run.methods if m.id in before - set(state.promises())]:
        text += f" The promise about misses of {', '.join(gone)} no longer applies: these thresholds promise nothing."
    if left := [m.title for m in run.methods if m.id in rules and m.id not in able]:
        text += (
            " Not for "
            f"{', '.join(left)}: their rules use the mean or the share of sentences, or flag all or none, "
            "which the heatmap cannot show."
        )
    shell.say(f"thresholds_{place}", "good" if count else "info", text if count else text.partition(". ")[2] or text)
