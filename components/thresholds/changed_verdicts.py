"""The cases whose verdict changes between two thresholds, with a link to the heatmap."""

import numpy as np
import pandas as pd
import streamlit as st

from components import shell
from components.controls import ticked
from components.heatmap.chooser import LABELS
from components.runs import choice
from groundscope.errors import GroundscopeError
from groundscope.grounding.rules.changed_verdicts import Flips, flips
from groundscope.grounding.runs.arrays import Floats, Integers, RunData
from groundscope.statistics.metrics import called
from groundscope.text.humanize import plural

_SHOWN = 50
"""Most cases whose texts are read from disk."""
_CALLS = {1: "passed", 0: "flagged", -1: "no verdict"}


def flipped(run: RunData, method: str, supports: Floats, rows: Integers, before: float, after: float) -> None:
    """List the responses whose verdict differs between two thresholds, the nearest to the first threshold on top."""
    found = flips(called(supports, before), called(supports, after), run.gold, rows)
    count, right = len(found.rows), int(found.right.sum())
    if not count:
        st.html('<p class="gs-sub" role="status">No verdict changes against the tuned threshold.</p>')
        return
    order = np.argsort(np.abs(supports[found.rows] - before), kind="stable")[:_SHOWN]
    nearest = f", the {_SHOWN} nearest to the tuned threshold of them below" if count > _SHOWN else ""
    st.html(
        f'<h3 class="gs-small">{plural(count, "verdict changes", "verdicts change")}: '
        f"{right:,} to right, {count - right:,} to wrong{nearest}</h3>"
    )
    listed = Flips(found.rows[order], found.before[order], found.after[order], found.right[order])
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


def _table(listed: Flips, queries: list[str], supports: Floats, run: RunData) -> int | None:
    table = pd.DataFrame(
        {
            "Question": [q[:300] for q in queries],
            "Label": [LABELS[bool(run.gold[r])] for r in listed.rows],
            "Tuned": [_CALLS[int(b)] for b in listed.before],
            "Yours": [_CALLS[int(a)] for a in listed.after],
            "Now": ["✓ right" if r else "✗ wrong" for r in listed.right],
            "Support": supports[listed.rows],
            "Id": [str(run.ids[r]) for r in listed.rows],
        }
    )
    # The rows are part of the key: a ticked number means another case when they change.
    key = f"thresholds_flips_{hash(tuple(listed.rows.tolist()))}"
    st.dataframe(
        table,
        hide_index=True,
        height=min(320, 38 + 35 * len(table)),
        on_select="rerun",
        selection_mode="single-row",
        key=key,
        alt=f"Changed verdicts: {len(table)} rows",
        column_config={
            "Question": st.column_config.Column(width="large"),
            "Support": st.column_config.NumberColumn(format="%.4f"),
        },
    )
    return ticked(key, len(table))
