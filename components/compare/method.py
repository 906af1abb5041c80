"""One method of the run: every figure with its basis, and a link to its errors."""

import math
from collections.abc import Sequence
from html import escape

import streamlit as st

from components import shell
from components.compare.messages import times_words
from components.opened.choice import RULES, RUN, SPLIT
from components.opened.runs import METHOD
from groundscope.drawing.figure_2 import cost_words, latency_words, tail_words
from groundscope.drawing.html import facts
from groundscope.drawing.spots import Spot
from groundscope.grounding.comparing.comparisons import F1Standing
from groundscope.grounding.level_results import LevelResult
from groundscope.grounding.result_columns import MISSING, coverage_words, interval, seconds, share
from groundscope.grounding.results import MethodResult, RunResults
from groundscope.methods.advice import Recommendation, recommended

KEY = "compare_method"
"""Session key of the open method, shared by other parts of the page."""
_OWN = "compare_own"
ERRORS = "pages/errors.py"
_ELSEWHERE = "another tool's machine, which its export does not name"
_SCORES = {
    "macro_f1": "F1",
    "precision": "Precision",
    "recall": "Recall",
    "accuracy": "Accuracy",
    "error_recall": "Errors found",
    "error_precision": "Flags that are right",
}


def choose(method: str) -> None:
    """Open a method; called before its list is drawn. It stays open until the user opens another one."""
    st.session_state[_OWN] = method


def _take() -> None:
    choose(st.session_state[KEY])


def chosen(results: RunResults, points: Sequence[Spot]) -> str:
    """The open method's id: the user's choice, else the recommended one; without a record that of the highest F1."""
    ids = [m.id for m in results.methods]
    choice = st.session_state.get(_OWN)
    if choice in ids:
        return str(choice)
    return _recommendation(results, points).method


def _recommendation(results: RunResults, points: Sequence[Spot]) -> Recommendation:
    by_f1 = sorted(points, key=lambda s: -math.inf if math.isnan(s.f1) else s.f1, reverse=True)
    signatures = {m.id: m.part.signature for m in results.methods}
    return recommended({s.id: signatures[s.id] for s in by_f1})


def panel(results: RunResults, points: Sequence[Spot], standing: F1Standing, levels: Sequence[LevelResult] | None) -> None:
    """The list of methods, and the open one's figures."""
    by_id = {m.id: m for m in results.methods}
    st.session_state[KEY] = chosen(results, points)
    hint = "Or click a point of the plot."
    method = by_id[st.selectbox("Method", list(by_id), format_func=lambda i: by_id[i].title, key=KEY, on_change=_take, help=hint)]
    place = list(by_id).index(method.id)
    if method.note:
        shell.notice("info", method.note)
    if levels and levels[place].note:
        shell.notice("info", levels[place].note)
    if (advice := _recommendation(results, points)).method == method.id:
        st.html(f'<p class="gs-measure gs-flat">{escape(f"Recommended. {advice.why}")}</p>')
    st.html(f'<p class="gs-measure gs-flat">{escape(_standing_words(points, place, standing))}</p>')
    st.html(facts(_rows(results, method, levels[place] if levels else None)))
    st.page_link(ERRORS, label="Its misclassified responses", query_params=address(METHOD, method.id))


def _standing_words(points: Sequence[Spot], place: int, standing: F1Standing) -> str:
    """Whether the method is on the Pareto front, in a sentence."""
    spot = points[place]
    if math.isnan(spot.f1) or math.isnan(spot.seconds):
        return "Not placed on the Pareto front: its F1 or its latency is unknown."
    if place in standing.front:
        return "On the Pareto front: shown to do better than chance, and than every faster method there."
    if place not in standing.above:
        return f"Not shown to do better than chance, which reaches an F1 of {standing.guess:.2f}."
    other = points[next(j for j in standing.front if (place, j) not in standing.better)]
    # 0 beside 0 is no faster.
    alike = other.instant or other.seconds == spot.seconds
    pace = "at least as fast" if alike else f"{times_words(spot.seconds / other.seconds)} as fast"
    return f"{other.title} is {pace}, and this method's F1 of {spot.f1:.3f} is not shown to be above its {other.f1:.3f}."


def _rows(results: RunResults, method: MethodResult, level: LevelResult | None) -> list[tuple[str, str]]:
    rows = []
    if level is not None:
        rows += [
            ("F1 at this level", f"{share(level.f1)} (95 % {interval(level.interval)})"),
            *([("Given the rule", f"95 % {interval(level.given)}")] if level.interval != level.given else []),
            ("Precision, recall", f"{share(level.precision)}, {share(level.recall)}"),
            ("Threshold", share(level.threshold)),
        ]
    for name, words in _SCORES.items():
        ends = method.f1 if name == "macro_f1" else method.intervals[name]
        sure = "" if math.isnan(ends.low) else f" (95 % {interval(ends)})"
        value = getattr(method.scores, name)
        rows.append((words if level is None else f"{words}, responses", f"{share(value)}{sure}"))
        if name == "macro_f1" and method.tuned_f1:
            rows.append(("F1, given the rule", f"95 % {interval(method.intervals[name])}; above, the tuning is drawn as well"))
    slow = method.latency
    rows += [
        ("AUROC", share(method.auroc)),
        ("Coverage", f"{coverage_words(method.coverage)}; {method.verdicts:,} with a verdict"),
        (f"Seconds, {results.split_words}", f"{latency_words(slow)}; {tail_words(slow)}; {slow.timed:,} timed"),
    ]
    if results.split != "dev":
        dev = method.dev_latency
        rows.append(("Seconds, dev", f"{latency_words(dev)}; {dev.timed:,} timed" if dev.responses else "no response in dev"))
    rows += [
        ("Cold start", "not measured" if math.isnan(method.cold_seconds) else f"{seconds(method.cold_seconds)} s"),
        ("Cost", cost_words(method)),
        ("Rule", f"grounded if {method.rule}" if method.rule else MISSING),
        *([("Promise", f"{method.promise}, for queries like those")] if method.promise else []),
        ("Measured on", _ELSEWHERE if method.part.recorded else ", ".join(results.machine) or "an unnamed machine"),
        ("Signature", method.part.signature),
    ]
    return rows


def address(name: str, value: str) -> dict[str, str]:
    """The errors page of this run, these thresholds and these responses, with one filter."""
    return {key: st.query_params[key] for key in (RUN, RULES, SPLIT) if key in st.query_params} | {name: value}
