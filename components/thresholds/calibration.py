"""Calibration of one method: what a support of 0.8 means on dev, before and after calibration, and on test once frozen."""

from dataclasses import dataclass
from html import escape

import numpy as np
import streamlit as st

from components import figure, shell
from components.charts import calibration as charts
from components.controls import one_of
from components.thresholds import messages as words
from components.thresholds import tables
from components.thresholds.state import BY_MARK, TEST, Tuning, values
from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Rule
from groundscope.statistics.calibration import How, IntervalEstimate, Reliability, brier, ece, fit, reliability
from groundscope.statistics.cross_fit import FOLDS, cross_fitted

_WAYS: dict[How, str] = {"isotonic": "isotonic regression", "platt": "Platt's scaling"}
_AS_SCORED = "as scored"


@dataclass(frozen=True, slots=True)
class Reading:
    """Supports of one split, as scored or calibrated, against the share of grounded responses, by bins of support."""

    split: str
    kind: str
    reliability: Reliability
    ece: IntervalEstimate
    brier: IntervalEstimate
    responses: int


def show(run: RunData, place: int, found: Tuning, decision: Decision | None) -> None:
    """The whole section; test is shown only if the open frozen thresholds have a rule for the method."""
    method = run.methods[place]
    frozen = decision.rules(run).get(method.id) if decision else None
    tuned = found.tuned[method.id]
    st.html(
        f'<p class="gs-sub gs-measure">{escape(method.title)}. Supports are calibrated if, of the responses with support 0.8, '
        "80 % are grounded: then a support is a probability. A fit on labelled responses can calibrate supports. It keeps their "
        "order, so thresholds that move along give the same verdicts.</p>"
    )
    how = one_of("Calibrate by", {way: words[0].upper() + words[1:] for way, words in _WAYS.items()}, "thresholds_mend")
    with_test = frozen is not None and TEST in run.labelled_splits() and tuned.split != TEST
    rule, kind = frozen or tuned.rule, f"after {_WAYS[how]}"
    try:
        readings, trouble = _tuned_on(run, place, rule, tuned.split, how, kind)
        if with_test:
            readings = readings + _on_test(run, place, rule, tuned.split, how, kind, calibrated=not trouble)
    except ValueError as error:
        shell.notice("bad", f"Calibration cannot be measured: {error}.")
        return
    if trouble:
        shell.notice("info", trouble)
    if sentence := _meaning(readings[0]):
        st.html(f'<p class="gs-measure">{escape(sentence)}</p>')
    _diagrams(readings, method.title)
    st.html(tables.readings_html([(f"{r.split}, {r.kind}", r.responses, r.ece, r.brier) for r in readings]))
    st.html(
        '<p class="gs-note gs-measure">ECE is the mean gap between support and share grounded over ten bins, Brier the mean '
        "squared distance of the support from the label; both lie in 0 to 1, lower is better. Intervals are 95 %, by queries. "
        f"Calibrated on {escape(words.split_name(tuned.split))}: each of {FOLDS} parts of the queries by a fit on the others, so "
        f"that no label changes its own support{'; on test: by a fit on all of it' if with_test else ''}.</p>"
    )
    if not with_test and TEST in run.labelled_splits():
        st.html('<p class="gs-sub">To see test here, open frozen thresholds that apply to this method above.</p>')


@st.cache_data(max_entries=64, show_spinner="Measuring calibration", hash_funcs=BY_MARK)
def _tuned_on(run: RunData, place: int, rule: Rule, split: str, how: How, kind: str) -> tuple[list[Reading], str]:
    """As scored and calibrated on the tuning split, and a message if the supports cannot be calibrated."""
    rows, name = run.rows(split), words.split_name(split)
    gold, supports, groups = run.gold[rows], values(run, place, rule)[rows], run.groups[rows]
    found = [_reading(name, _AS_SCORED, gold, supports, groups)]
    try:
        return [*found, _reading(name, kind, gold, cross_fitted(gold, supports, groups, how), groups)], ""
    except ValueError as error:
        return found, str(error)


@st.cache_data(max_entries=64, show_spinner="Measuring calibration on test", hash_funcs=BY_MARK)
def _on_test(run: RunData, place: int, rule: Rule, split: str, how: How, kind: str, *, calibrated: bool) -> list[Reading]:
    """As scored and calibrated on test, with the fit on all of the tuning split."""
    supports = values(run, place, rule)
    rows, tuned_on = run.rows(TEST), run.rows(split)
    gold, groups = run.gold[rows], run.groups[rows]
    found = [_reading(TEST, _AS_SCORED, gold, supports[rows], groups)]
    if calibrated:
        fitted = fit(run.gold[tuned_on], supports[tuned_on], how)
        found.append(_reading(TEST, kind, gold, fitted.apply(supports[rows]), groups))
    return found


def _reading(split: str, kind: str, gold: np.ndarray, supports: np.ndarray, groups: np.ndarray) -> Reading:
    scored = int((~np.isnan(supports)).sum())
    parts = ece(gold, supports, groups), brier(gold, supports, groups)
    return Reading(split, kind, reliability(gold, supports), *parts, scored)


def _meaning(reading: Reading) -> str:
    """A sentence about the bin that adds most to the calibration error."""
    filled = [b for b in reading.reliability.bins if b.count]
    worst = max(filled, key=lambda b: b.count * abs(b.support - b.grounded), default=None)
    return words.calibration_words(reading.split, worst) if worst else ""


def _diagrams(readings: list[Reading], title: str) -> None:
    splits = list(dict.fromkeys(r.split for r in readings))
    for column, split in zip(st.columns(2), splits, strict=False):
        with column:
            st.html(f'<h3 class="gs-small">Reliability, {escape(split)}</h3>')
            data = charts.reliability_data({r.kind: r.reliability for r in readings if r.split == split})
            figure.show(
                charts.reliability(data),
                key=f"thresholds_reliability_{splits.index(split)}",
                name=f"reliability {split} {title}",
                alt="Share of grounded responses against their support in ten bins, with Wilson intervals, and how many "
                "responses each bin holds; the table below has the calibration error.",
                data=data,
            )
