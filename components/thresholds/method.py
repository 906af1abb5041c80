"""One method: its curves, and a slider for the threshold that shows the cost of each move and the changed verdicts."""

import math
from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from components import shell
from components.charts import thresholds as charts
from components.controls import action, show_figure, ticked_list, unfolded
from components.opened import choice
from components.opened.case_bar import LABELS
from components.thresholds import tables
from components.thresholds.tune import METHOD, Tuning, TuningSettings, hands, ranking, values
from groundscope.errors import GroundscopeError
from groundscope.grounding.results import rule_words
from groundscope.grounding.rules.generalization import FlippedVerdicts, flips, trade_offs
from groundscope.grounding.runs.arrays import Floats, Integers, RunData
from groundscope.grounding.tuning import Tuned
from groundscope.statistics.curves import Curve, curve
from groundscope.statistics.metrics import auroc, average_precision, called, confusion
from groundscope.text.humanize import plural

RANKING = "thresholds_ranking"
_STEPS = 200
"""About the number of steps of the slider."""
_SHOWN = 50
"""Most cases whose texts are read from disk."""
_CALLS = {1: "passed", 0: "flagged", -1: "no verdict"}


def flipped(run: RunData, method: str, supports: Floats, rows: Integers, before: float, after: float) -> None:
    """List the responses whose verdict differs between two thresholds, the nearest to the first threshold on top."""
    changes = flips(called(supports, before), called(supports, after), run.gold, rows)
    count, right = len(changes.rows), int(changes.right.sum())
    if not count:
        return
    order = np.argsort(np.abs(supports[changes.rows] - before), kind="stable")[:_SHOWN]
    nearest = f", the {_SHOWN} nearest to the tuned threshold of them below" if count > _SHOWN else ""
    st.html(
        f'<h2 class="gs-small">{plural(count, "verdict changes", "verdicts change")}: '
        f"{right:,} to right, {count - right:,} to wrong{nearest}</h2>"
    )
    listed = FlippedVerdicts(changes.rows[order], changes.before[order], changes.after[order], changes.right[order])
    try:
        queries = [case.query for case in run.read_cases(listed.rows.tolist())]
    except (GroundscopeError, OSError, ValueError):
        shell.notice("bad", "The texts of these cases cannot be read. Open the run again on the Runs page.")
        return
    ticked = _table(listed, queries, supports, run)
    open_it = st.button(
        "Open in the heatmap",
        key="thresholds_open",
        disabled=ticked is None,
        help=None if ticked is not None else "Tick a row first (by keyboard: Shift and Space).",
    )
    if open_it and ticked is not None:
        choice.open_case(run, int(listed.rows[ticked]), method)


def _table(listed: FlippedVerdicts, queries: list[str], supports: Floats, run: RunData) -> int | None:
    lines = [
        (question[:300], LABELS[bool(run.gold[row])], _CALLS[int(tuned)], _CALLS[int(yours)], "✓ right" if right else "✗ wrong")
        for question, row, tuned, yours, right in zip(queries, *listed, strict=True)
    ]
    table = pd.DataFrame(lines, columns=("Question", "Label", "Tuned", "Yours", "Now"))
    table = table.assign(Support=supports[listed.rows], Id=run.ids[listed.rows].astype(str))
    # The rows are part of the key: a ticked number means another case when they change.
    key = f"thresholds_flips_{hash(tuple(listed.rows.tolist()))}"
    columns = {"Question": st.column_config.Column(width="large"), "Support": st.column_config.NumberColumn(format="%.4f")}
    return ticked_list(table, key, 8, f"Changed verdicts: {len(table)} rows", columns)


@dataclass(frozen=True, slots=True)
class SliderView:
    """The data under the slider: a method as it was tuned, its (n,) supports, and its curve on the tuning split."""

    run: RunData
    place: int
    settings: TuningSettings
    tuned: Tuned
    supports: Floats
    curve: Curve

    @property
    def title(self) -> str:
        """The title of the method."""
        return self.run.methods[self.place].title

    @property
    def split(self) -> str:
        """The name of the tuning split."""
        return tables.split_name(self.tuned.split)


def _curves(view: SliderView, threshold: float) -> None:
    tuned, data = view.tuned.rule.threshold, charts.curve_data(view.curve)
    st.html(f'<h2 class="gs-small">Scores against the threshold, {escape(view.split)}</h2>')
    show_figure(
        charts.curves(data, threshold, tuned),
        key="thresholds_curves",
        name=f"thresholds {view.title}",
        alt="Macro-F1, and precision and recall of the ungrounded class, at every threshold; "
        f"the tuned threshold is {tuned:.4f}, the chosen one {threshold:.4f}.",
        data=data,
    )


def _supports_and_rankings(view: SliderView, threshold: float) -> None:
    rows = view.run.rows(view.tuned.split)
    data = charts.histogram_data(view.supports[rows], view.run.gold[rows] == 1)
    st.html(f'<h2 class="gs-small">Supports of both classes, {escape(view.split)}</h2>')
    show_figure(
        charts.histogram(data, threshold, view.tuned.rule.threshold),
        key="thresholds_histogram",
        name=f"supports {view.title}",
        alt="The number of grounded and ungrounded responses by support; those below the threshold are flagged.",
        data=data,
    )
    gold, supports = view.run.gold[rows], view.supports[rows]
    scored = int((~np.isnan(supports)).sum())
    area, precision = auroc(gold, supports), average_precision(gold, supports)
    if math.isnan(area):
        shell.notice("info", "All responses with a score have the same label, so there is no ranking to measure.")
        return
    left_out = f"; {len(rows) - scored:,} without a score are left out" if scored < len(rows) else ""
    st.html(
        f'<p class="gs-sub gs-measure">AUROC {area:.3f}, average precision {precision:.3f} of the ungrounded class, on '
        f"{scored:,} responses{left_out}. An AUROC of 0.5 is chance: no threshold helps.</p>"
    )
    data = charts.rates_data(view.curve)
    kinds = (("ROC", "roc", charts.roc, area), ("Precision and recall", "pr", charts.pr, precision))
    for column, (name, key, draw, value) in zip(st.columns(2), kinds, strict=True):
        with column:
            st.html(f'<h2 class="gs-small">{name}, {escape(view.split)}</h2>')
            show_figure(
                draw(data, threshold, value),
                key=f"thresholds_{key}",
                name=f"{name} {view.title}",
                alt=f"{name} of the ungrounded class over all thresholds, with the chosen one marked; "
                f"the area under it is {value:.3f}.",
                data=data,
            )


def choose(run: RunData, settings: TuningSettings, tuning: Tuning) -> int | None:
    """Let the user choose a method, at first the best; follows the link's `method`. None if none could be tuned."""
    names = {m.id: m.title for m in run.methods}
    titles = {name: names[name] for name in tables.ranked(tuning.tuned, settings.objective)}
    if not titles:
        shell.notice("info", "No method could be tuned. “All methods” says why.")
        return None
    linked = st.query_params.get("method")
    if linked in titles:
        st.session_state[METHOD] = linked
    elif linked:
        shell.notice("info", "The method in the link was not tuned in this run; another one is shown.")
        del st.query_params["method"]
    if st.session_state.get(METHOD) not in titles:
        st.session_state[METHOD] = next(iter(titles))
    chosen = st.selectbox(
        "Method",
        list(titles),
        format_func=titles.__getitem__,
        key=METHOD,
        persist_state="session",
        width=420,
        on_change=lambda: st.query_params.update(method=st.session_state[METHOD]),
    )
    return run.method(chosen)


def show(run: RunData, settings: TuningSettings, tuning: Tuning) -> None:
    """The chosen method's slider with everything that depends on it; `tuning` is without thresholds set by hand."""
    place = choose(run, settings, tuning)
    if place is None:
        return
    tuned = tuning.tuned[run.methods[place].id]
    rows = run.rows(tuned.split)
    supports = values(run, place, tuned.rule)
    _drag(SliderView(run, place, settings, tuned, supports, curve(supports[rows], run.gold[rows] == 1)))


@st.fragment
def _drag(view: SliderView) -> None:
    run, tuned = view.run, view.tuned
    rows = run.rows(tuned.split)
    answer = st.container()
    threshold = _slider(view)
    now = confusion(run.gold[rows], called(view.supports[rows], threshold))
    before = confusion(run.gold[rows], called(view.supports[rows], tuned.rule.threshold))
    answer.html(f'<p class="gs-lead" style="max-width:95ch" role="status">{tables.live_words(now, before, threshold)}</p>')
    rule = rule_words(tuned.rule, run.methods[view.place], 4)
    answer.html(
        f'<p class="gs-sub gs-words">A response is grounded if its {escape(rule)}: tuned on '
        f"{escape(view.split)}, {tables.size(run, tuned.split)}{tables.few_words(run, tuned.split)}. "
        f"{tables.ranking_words(ranking(run, view.place, tuned.rule, tuned.split))} {escape(tuned.warning)}</p>"
    )
    left, right = st.columns([6, 5], gap="medium")
    with left:
        _curves(view, threshold)
    right.html(
        tables.live_html(now, before, threshold, tuned.rule.threshold, view.settings.objective)
        + tables.trades_html(trade_offs(view.curve, now.ungrounded_right, now.grounded_wrong), now)
    )
    flipped(run, run.methods[view.place].id, view.supports, rows, tuned.rule.threshold, threshold)
    # Closed, it saves three figures at every move of the slider.
    unfolded("Supports of both classes, ROC, precision against recall", RANKING, _supports_and_rankings, view, threshold)


def _slider(view: SliderView) -> float:
    """The chosen threshold. Steps start from the tuned threshold, so that the arrow keys lead back to it."""
    tuned, name = view.tuned.rule.threshold, view.run.methods[view.place].id
    by_hand = hands(view.run, view.settings)
    low, high, step = grid(view.curve.thresholds, tuned)
    saved = by_hand.get(name, tuned)
    key = f"thresholds_slider_{view.run.id}_{name}_{view.tuned.rule}_{view.settings.objective}"
    st.session_state.setdefault(key, min(high, max(low, saved)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        digits = max(2, math.ceil(-math.log10(step)))
        label, form = "Threshold: responses below it are flagged", f"%.{digits}f"
        position = float(st.slider(label, low, high, step=step, format=form, key=key, width=520))
        threshold = tuned if abs(position - tuned) < step / 1_000 else position
        same = threshold == tuned
        action("Reset to tuned", "thresholds_reset", st.session_state.__setitem__, key, tuned, disabled=same)
        used = threshold == saved
        label = "Chosen for freezing" if used else "Use this threshold"
        keep = st.button(label, key="thresholds_keep", disabled=used, help="Freezing uses the chosen threshold.")
    if keep:
        by_hand.pop(name, None)
        if threshold != tuned:
            by_hand[name] = threshold
        # The other tabs are outside the fragment that a move of the slider redraws.
        st.rerun()
    return threshold


def grid(thresholds: Floats, tuned: float) -> tuple[float, float, float]:
    """Lowest and highest value and step of a slider over all candidate thresholds that goes through the tuned one."""
    low, high = float(thresholds[0]), float(thresholds[-1])
    if high - low < 1e-4:
        low, high = low - 0.05, high + 0.05
    rough = (high - low) / _STEPS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    return tuned - math.ceil((tuned - low) / step) * step, tuned + math.ceil((high - tuned) / step) * step, step
