"""One method: its curves, and a slider for the threshold that shows the cost of each move and the changed verdicts."""

import math
from html import escape

import streamlit as st

from components import shell
from components.thresholds import curves as figures
from components.thresholds import messages as words
from components.thresholds import tables
from components.thresholds.changed_verdicts import flipped
from components.thresholds.curves import Shown
from components.thresholds.state import METHOD, Tuning, TuningSettings, hands, ranking, values
from groundscope.grounding.rules.changed_verdicts import trades
from groundscope.grounding.runs.arrays import Floats, RunData
from groundscope.statistics.curves import curve
from groundscope.statistics.metrics import called, confusion

RANKING = "thresholds_ranking"
_STEPS = 200
"""About the number of steps of the slider."""


def choose(run: RunData, settings: TuningSettings, found: Tuning) -> int | None:
    """Let the user choose a method, at first the best; follows the link's `method`. None if none could be tuned."""
    names = {m.id: m.title for m in run.methods}
    titles = {name: names[name] for name in words.ranked(found.tuned, settings.objective)}
    if not titles:
        shell.notice("info", "No method could be tuned. The table above says why.")
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
        "Method", list(titles), format_func=titles.__getitem__, key=METHOD, persist_state="session", on_change=_go, width=420
    )
    return run.method(chosen)


def _go() -> None:
    st.query_params["method"] = st.session_state[METHOD]


def show(run: RunData, place: int, settings: TuningSettings, found: Tuning) -> None:
    """The slider with everything that depends on it; `found` is without thresholds set by hand."""
    tuned = found.tuned[run.methods[place].id]
    rows = run.rows(tuned.split)
    supports = values(run, place, tuned.rule)
    _drag(Shown(run, place, settings, tuned, supports, curve(supports[rows], run.gold[rows] == 1)))


@st.fragment
def _drag(shown: Shown) -> None:
    run, tuned = shown.run, shown.tuned
    rows = run.rows(tuned.split)
    st.html(
        f'<p class="gs-sub">Grounded if {escape(words.rule_words(tuned.rule))}: found on {escape(shown.split)}, '
        f"{words.size(run, tuned.split)}. {words.ranking_words(ranking(run, shown.place, tuned.rule, tuned.split))} "
        f"{escape(tuned.warning)}</p>"
    )
    threshold = _slider(shown)
    now = confusion(run.gold[rows], called(shown.supports[rows], threshold))
    before = confusion(run.gold[rows], called(shown.supports[rows], tuned.rule.threshold))
    st.html(f'<p class="gs-measure" role="status">{words.live_words(now, before, threshold)}</p>')
    figures.curves(shown, threshold)
    left, right = st.columns(2)
    left.html(tables.live_html(now, before, threshold, tuned.rule.threshold, shown.settings.objective))
    right.html(tables.trades_html(trades(shown.curve, now.ungrounded_right, now.grounded_wrong), now))
    flipped(run, run.methods[shown.place].id, shown.supports, rows, tuned.rule.threshold, threshold)
    # Closed, it saves two figures at every move of the slider.
    more = st.expander("Ranking by support: ROC and precision against recall", key=RANKING, on_change="rerun")
    if more.open:
        with more:
            figures.ranking(shown, threshold)


def _slider(shown: Shown) -> float:
    """The chosen threshold. Steps start from the tuned threshold, so that the arrow keys lead back to it."""
    tuned, name = shown.tuned.rule.threshold, shown.run.methods[shown.place].id
    own = hands(shown.run, shown.settings)
    low, high, step = grid(shown.curve.thresholds, tuned)
    saved = own.get(name, tuned)
    key = f"thresholds_slider_{shown.run.id}_{name}_{shown.tuned.rule}_{shown.settings.objective}"
    st.session_state.setdefault(key, min(high, max(low, saved)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        digits = max(2, math.ceil(-math.log10(step)))
        found = float(
            st.slider(
                "Threshold: responses below it are flagged", low, high, step=step, format=f"%.{digits}f", key=key, width=620
            )
        )
        threshold = tuned if abs(found - tuned) < step / 1_000 else found
        same = threshold == tuned
        st.button("Reset to tuned", key="thresholds_reset", disabled=same, on_click=_reset, args=(key, tuned))
        keep = st.button(
            "Use this threshold", key="thresholds_keep", disabled=threshold == saved, help="Freezing then uses this threshold."
        )
    if keep:
        own.pop(name, None)
        if threshold != tuned:
            own[name] = threshold
        # The tables above are outside the fragment that a move of the slider redraws.
        st.rerun()
    return threshold


def _reset(key: str, tuned: float) -> None:
    st.session_state[key] = tuned


def grid(thresholds: Floats, tuned: float) -> tuple[float, float, float]:
    """Lowest and highest value and step of a slider over all candidate thresholds that goes through the tuned one."""
    low, high = float(thresholds[0]), float(thresholds[-1])
    if high - low < 1e-4:
        low, high = low - 0.05, high + 0.05
    rough = (high - low) / _STEPS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    return tuned - math.ceil((tuned - low) / step) * step, tuned + math.ceil((high - tuned) / step) * step, step
