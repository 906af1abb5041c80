"""The thresholds page in tabs: one method's threshold with what it finds and costs, all methods, promises, test, calibration."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from html import escape

import numpy as np
import streamlit as st

from components import shell
from components.charts import thresholds as charts
from components.controls import action, one_of, show_figure, table_csv, tabs
from components.opened import choice
from components.thresholds import frozen, method, promises, tables, tune
from components.thresholds.promises import sentences_read
from components.thresholds.tune import BY_MARK, ON_TEST, TAB, TEST, Tuning, TuningSettings, tuning, use, values, with_hands
from groundscope.grounding.rules.promises import MEANING, SoughtPromise, promised_rules, seek_promises
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Objective, Rule, Tuned
from groundscope.statistics.calibration import (
    FOLDS,
    How,
    IntervalEstimate,
    Reliability,
    brier,
    cross_fitted,
    ece,
    fit,
    reliability,
)
from groundscope.statistics.risk import MissLimit, Promise


def show() -> None:
    """The whole page under its title."""
    bar = st.container(horizontal=True, vertical_alignment="bottom")
    run = choice.choose_run("thresholds", bar)
    if run is None:
        return
    settings = tune.settings(run, bar)
    if settings is None:
        shell.section("Frozen thresholds on test")
        frozen.section(run)
        return
    tuned = tuning(run, settings)
    in_use = with_hands(run, settings, tuned)
    parts: dict[str, Callable[[], None]] = {
        "One method": partial(method.show, run, settings, tuned),
        "All methods": partial(_all_methods, run, settings, in_use),
        "A promise about misses": partial(_promise_section, run, settings),
        ON_TEST: partial(frozen.section, run),
        "Calibration": partial(_calibration, run, settings, in_use),
    }
    if TAB not in st.session_state and frozen.opened():
        st.session_state[TAB] = ON_TEST
    tabs(parts, TAB)


def _all_methods(run: RunData, settings: TuningSettings, tuning: Tuning) -> None:
    tune.table(run, settings, tuning)
    frozen.form(run, settings, tuning)


_WAYS: dict[How, str] = {"isotonic": "isotonic regression", "platt": "Platt's scaling"}
_AS_SCORED = "as scored"


@dataclass(frozen=True, slots=True)
class CalibrationReading:
    """Supports of one split, as scored or calibrated, against the share of grounded responses, by bins of support."""

    split: str
    kind: str
    reliability: Reliability
    ece: IntervalEstimate
    brier: IntervalEstimate
    responses: int


def _calibration(run: RunData, settings: TuningSettings, tuning: Tuning) -> None:
    """The whole section; test is shown only if the open frozen thresholds have a rule for the method."""
    place = method.choose(run, settings, tuning)
    if place is None:
        return
    judge, decision = run.methods[place], frozen.opened()
    of_frozen = decision.rules(run).get(judge.id) if decision else None
    tuned = tuning.tuned[judge.id]
    st.html(
        '<p class="gs-sub gs-measure">Supports are calibrated if, of the responses with support 0.8, '
        "80 % are grounded: then a support is a probability. A fit on labelled responses can calibrate supports. It keeps their "
        "order, so thresholds that move along give the same verdicts.</p>"
    )
    how = one_of("Calibrate by", {way: words[0].upper() + words[1:] for way, words in _WAYS.items()}, "thresholds_mend")
    with_test = of_frozen is not None and TEST in run.labelled_splits() and tuned.split != TEST
    rule, kind = of_frozen or tuned.rule, f"after {_WAYS[how]}"
    try:
        readings, trouble = _tuned_on(run, place, rule, tuned.split, how, kind)
        if with_test:
            readings = readings + _on_test(run, place, rule, tuned.split, how, kind, calibrated=not trouble)
    except ValueError as error:
        shell.notice("bad", f"Calibration cannot be measured: {error}.")
        return
    if trouble:
        shell.notice("info", trouble)
    # The bin that adds most to the calibration error.
    filled = [b for b in readings[0].reliability.bins if b.count]
    if worst := max(filled, key=lambda b: b.count * abs(b.support - b.grounded), default=None):
        st.html(f'<p class="gs-measure">{escape(tables.calibration_words(readings[0].split, worst))}</p>')
    _diagrams(readings, judge.title)
    st.html(tables.readings_html([(f"{r.split}, {r.kind}", r.responses, r.ece, r.brier) for r in readings]))
    st.html(
        '<p class="gs-note gs-measure">ECE is the mean gap between support and share grounded over ten bins, Brier the mean '
        "squared distance of the support from the label; both lie in 0 to 1, lower is better. Intervals are 95 %, by queries. "
        f"Calibrated on {escape(tables.split_name(tuned.split))}: each of {FOLDS} parts of the queries by a fit on the others, "
        f"so that no label changes its own support{'; on test: by a fit on all of it' if with_test else ''}.</p>"
    )
    if not with_test and TEST in run.labelled_splits():
        st.html('<p class="gs-sub">To see test here, choose frozen thresholds with this method under “Frozen, on test”.</p>')


@st.cache_data(max_entries=64, show_spinner="Measuring calibration", hash_funcs=BY_MARK)
def _tuned_on(run: RunData, place: int, rule: Rule, split: str, how: How, kind: str) -> tuple[list[CalibrationReading], str]:
    """As scored and calibrated on the tuning split, and a message if the supports cannot be calibrated."""
    rows, name = run.rows(split), tables.split_name(split)
    gold, supports, groups = run.gold[rows], values(run, place, rule)[rows], run.groups[rows]
    readings = [_reading(name, _AS_SCORED, gold, supports, groups)]
    try:
        return [*readings, _reading(name, kind, gold, cross_fitted(gold, supports, groups, how), groups)], ""
    except ValueError as error:
        return readings, str(error)


@st.cache_data(max_entries=64, show_spinner="Measuring calibration on test", hash_funcs=BY_MARK)
def _on_test(
    run: RunData, place: int, rule: Rule, split: str, how: How, kind: str, *, calibrated: bool
) -> list[CalibrationReading]:
    """As scored and calibrated on test, with the fit on all of the tuning split."""
    supports = values(run, place, rule)
    rows, tuned_on = run.rows(TEST), run.rows(split)
    gold, groups = run.gold[rows], run.groups[rows]
    readings = [_reading(TEST, _AS_SCORED, gold, supports[rows], groups)]
    if calibrated:
        fitted = fit(run.gold[tuned_on], supports[tuned_on], how)
        readings.append(_reading(TEST, kind, gold, fitted.apply(supports[rows]), groups))
    return readings


def _reading(split: str, kind: str, gold: np.ndarray, supports: np.ndarray, groups: np.ndarray) -> CalibrationReading:
    scored = int((~np.isnan(supports)).sum())
    parts = ece(gold, supports, groups), brier(gold, supports, groups)
    return CalibrationReading(split, kind, reliability(gold, supports), *parts, scored)


def _diagrams(readings: list[CalibrationReading], title: str) -> None:
    splits = list(dict.fromkeys(r.split for r in readings))
    for column, split in zip(st.columns(len(splits)), splits, strict=True):
        with column:
            st.html(f'<h2 class="gs-small">Reliability, {escape(split)}</h2>')
            data = charts.reliability_data({r.kind: r.reliability for r in readings if r.split == split})
            show_figure(
                charts.reliability(data),
                key=f"thresholds_reliability_{splits.index(split)}",
                name=f"reliability {split} {title}",
                alt="Share of grounded responses against their support in ten bins, with Wilson intervals, and how many "
                "responses each bin holds; the table below has the calibration error.",
                data=data,
            )


NAME = "thresholds_promise_name"
_SLOW = 4_000
"""Responses that are cut into sentences without being asked to."""


def _promise_section(run: RunData, settings: TuningSettings) -> None:
    """The fields, the table of all methods, and what can be done with the promises."""
    st.html(
        '<p class="gs-sub gs-measure">A tuned threshold is the best on its split, and may miss more elsewhere. A promise limits '
        "the misses: of each method, the lowest threshold that is shown to keep the limit, by the labelled sentences of the "
        "split for tuning, or by its answers where labels are of whole answers. Its price is false alarms.</p>"
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        most = _percent("Miss at most, % of what is wrong in a query", "thresholds_most", 10.0, 330)
        confidence = _percent("Confidence, %", "thresholds_confidence", 90.0, 160)
    limit = MissLimit(most / 100, confidence / 100)
    if not _wanted(run, settings.split):
        return
    with sentences_read():
        _result(run, limit, settings.split)


def _percent(label: str, key: str, value: float, width: int) -> float:
    return st.number_input(label, 0.1, 99.9, value, 1.0, "%.1f", key=key, persist_state="session", width=width)


def _wanted(run: RunData, split: str | None) -> bool:
    """Whether to search: at once in small sets, else once the user asks for it."""
    asked = st.session_state.setdefault("thresholds_promise_asked", set())
    splits = {split} if split is not None else {"dev", *(m.tuned_on for m in run.methods)}
    count, mine = sum(len(run.rows(s)) for s in splits), (run.id, split)
    if count <= _SLOW or mine in asked:
        return True
    shell.notice("info", f"Searching takes a while: {count:,} responses are cut into sentences first.")
    if not st.button("Search for thresholds", key="thresholds_promise_search"):
        return False
    asked.add(mine)
    return True


@st.cache_data(max_entries=16, show_spinner="Searching for thresholds", hash_funcs=BY_MARK)
def _search(
    run: RunData, limit: MissLimit, split: str | None
) -> tuple[dict[str, SoughtPromise], dict[str, str], dict[str, Tuned], dict[str, Promise]]:
    """By method id: what was found, why nothing could be, and the rules and promises to be frozen."""
    sought, failed = seek_promises(run, limit, split)
    return sought, failed, *promised_rules(run, sought)


def _result(run: RunData, limit: MissLimit, split: str | None) -> None:
    sought, failed, tuned, promised = _search(run, limit, split)
    titles = {m.id: m.title for m in run.methods}
    decide = partial(frozen.decided, run, tuned, Objective(), promises=promised)
    decision = decide("", "")
    if not promised:
        shell.notice(
            "info",
            f"No threshold of any method can promise {escape(limit.words)}. The table shows what could be promised at best, and "
            "its price. More labelled queries allow smaller limits.",
        )
    if sought:
        st.html(promises.sought_html(sought, titles, limit))
    shell.not_ready(len(failed), tables.failed_lines(run, failed))
    st.html(f'<p class="gs-note gs-measure">{escape(MEANING)}</p>')
    shell.show_said("thresholds_promise")
    rules = {name: one.rule for name, one in tuned.items()}
    with st.container(horizontal=True, vertical_alignment="center"):
        label, key = "Use these promises in the heatmap", "thresholds_use_promises"
        action(label, key, use, run, rules, "promise", decision, disabled=not rules)
        table = promises.sought_table(sought, titles, decision.promised)
        table_csv(table, f"{run.name} promises", "thresholds_promise_csv")
    if rules:
        frozen.name_form(NAME, "Freeze these promises", "a name, such as: few missed", decide)
