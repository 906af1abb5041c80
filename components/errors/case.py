"""One case of the errors page: the response with its labelled errors, every method's call, and a link to the heatmap."""

from collections.abc import Mapping
from html import escape

import numpy as np
import streamlit as st

from components.errors.cells import OUTCOME_TITLES, SYMBOLS, VERDICT_WORDS, rule_words
from components.runs import choice
from components.runs.choice import Open
from groundscope.drawing import reader
from groundscope.drawing.html import Html, region, table
from groundscope.grounding.misclassified.calls import OUTCOMES, Calls, ConfusionCell
from groundscope.grounding.misclassified.cases import CaseFilter, cells, sentence_to_read
from groundscope.grounding.runs.arrays import STATUSES
from groundscope.types import Status

_STATES = {
    Status.INVALID: "its answer could not be read",
    Status.ABSTAINED: "it abstained",
    Status.NOT_ASSESSABLE: "nothing to compare",
    Status.FAILED: "it could not run",
}
_NOTE = 240
_HEADS = ("Method", "Call", "Outcome", "Support", "Threshold")


def show(open_: Open, calls: Calls, at: int, wanted: CaseFilter, names: Mapping[str, str]) -> None:
    """Draw the case at an index of `calls`."""
    row = int(calls.rows[at])
    case = open_.run.case(row)
    with st.container(border=True, key="errors_case_box"):
        label = "grounded" if calls.grounded[at] else "ungrounded"
        facts = [case.area, case.split or "", f"labelled {label}", case.id]
        st.html(
            f'<p class="gs-sub" dir="auto">{escape(" · ".join(f for f in facts if f))}</p>'
            f'<p class="gs-text" dir="auto"><b>{escape(case.query or "(no question)")}</b></p>'
        )
        _heatmap(open_, calls, at, wanted, names)
        left, right = st.columns(2)
        left.html(region("Response", Html(reader.response_html(case)), css="gs-scroll"))
        left.html(reader.errors_html(case) or _no_errors(bool(calls.grounded[at])))
        right.html(region("Verdicts of the methods", Html(_calls_html(open_, calls, at, names)), css="gs-scroll"))
        with right.expander("Context"):
            st.html(reader.context_html(case))


def _no_errors(grounded: bool) -> str:
    words = "Labelled grounded: no errors." if grounded else "Labelled ungrounded, without a marked span."
    return f'<p class="gs-sub">{words}</p>'


def _heatmap(open_: Open, calls: Calls, at: int, wanted: CaseFilter, names: Mapping[str, str]) -> None:
    """The button that opens the case in the heatmap with the method that the user filtered for."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = calls.ids.index(method_to_read(calls, at, wanted))
        row = int(calls.rows[at])
        method = st.selectbox(
            "Method in the heatmap",
            calls.ids,
            index=place,
            format_func=lambda i: names[i],
            key=f"errors_method_{row}_{place}",
            width=320,
        )
        if st.button("Open in the heatmap", type="primary", key="errors_open"):
            case = open_.run.case(row)
            method_id = method or calls.ids[place]
            choice.open_case(open_.run, row, method_id, sentence_to_read(open_.run, row, case, method_id))


def method_to_read(calls: Calls, at: int, wanted: CaseFilter) -> str:
    """The first method whose call matches the filters; else the first that is wrong; else the first."""
    asked = np.flatnonzero(cells(calls, wanted)[:, at]) if wanted.methods or wanted.outcomes else ()
    wrong = np.flatnonzero(
        np.isin(calls.outcomes[:, at], [OUTCOMES.index(o) for o in (ConfusionCell.MISSED, ConfusionCell.ALARM)])
    )
    return calls.ids[next(iter([*asked, *wrong, 0]))]


def _calls_html(open_: Open, calls: Calls, at: int, names: Mapping[str, str]) -> str:
    lines = []
    for place, method_id in enumerate(calls.ids):
        outcome = OUTCOMES[calls.outcomes[place, at]]
        rule = open_.rules[method_id]
        value = calls.margins[place, at] + rule.threshold
        lines.append(
            (
                names[method_id],
                VERDICT_WORDS[int(calls.verdicts[place, at])],
                f"{SYMBOLS[outcome]} {OUTCOME_TITLES[outcome].lower()}{_why(open_, method_id, at, calls, outcome)}",
                "–" if np.isnan(value) else f"{value:.3f}",
                rule_words(rule).removeprefix("threshold "),
            )
        )
    return table(_HEADS, lines, caption="Verdicts of the methods")


def _why(open_: Open, method_id: str, at: int, calls: Calls, outcome: ConfusionCell) -> str:
    """Why there is no verdict: the method's own note, else its state."""
    if outcome is not ConfusionCell.NONE:
        return ""
    place, row = open_.run.method(method_id), int(calls.rows[at])
    note = " ".join(open_.run.read_notes(place, [row])[0].split())
    return f": {note[:_NOTE] or _STATES.get(STATUSES[open_.run.status[place, row]], 'no sentence has a support')}"
