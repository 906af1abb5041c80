"""F1 by area of law and by length."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from components import figure, shell
from components.charts.slices import parts
from components.compare import data
from components.controls import one_of
from components.runs.choice import Open
from groundscope.drawing.html import region, table
from groundscope.grounding.result_columns import share
from groundscope.grounding.results import RunResults
from groundscope.grounding.slices import FEWEST, Slice

_MOST = 5
"""Most methods drawn at once; more are hard to distinguish."""


def show(open_: Open, found: RunResults) -> None:
    """The chart of a few methods, and the table of all."""
    by_id = {m.id: m for m in found.methods}
    able = sorted((m for m in found.methods if m.verdicts), key=lambda m: -np.nan_to_num(m.scores.macro_f1, nan=-1.0))
    if not able:
        shell.notice("info", "No method has a verdict here. Tune thresholds, or resume the run.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = one_of("By", data.PARTS, "compare_slices")
        ids = [m.id for m in able]
        chosen = st.multiselect(
            f"Methods drawn, at most {_MOST}",
            ids,
            default=ids[:3],
            format_func=lambda i: by_id[i].title,
            max_selections=_MOST,
            key=f"compare_slices_methods_{hash(tuple(sorted(ids)))}",
            placeholder="Choose at least one method",
        )
    slices = data.sliced(open_, by)
    titles = [m.title for m in found.methods]
    place = {m.id: i for i, m in enumerate(found.methods)}
    places = [place[i] for i in ids if i in chosen]
    if places:
        figure.show(
            parts(slices, places, titles),
            key="slices",
            name=f"F1 by {data.PARTS[by]} {found.run} {found.split_words}",
            alt=f"Macro-F1 of {len(places)} methods by {data.PARTS[by].lower()}, in {len(slices)} parts with intervals; "
            "the table below has the figures.",
            data=_long(slices, titles),
        )
    st.html(_table(slices, titles, [place[i] for i in ids], data.PARTS[by]))
    st.html(
        '<p class="gs-note">Macro-F1 with 95 % intervals by the bootstrap over queries, given the rules; a dash if a part lacks '
        f"one of the two labels, and no interval below {FEWEST} queries. Small parts are uncertain: check the counts.</p>"
    )


def _table(slices: Sequence[Slice], titles: Sequence[str], methods: Sequence[int], by: str) -> str:
    heads = ("Method", *(s.name for s in slices))
    counts = ("Responses (ungrounded)", *(f"{s.responses:,} ({s.ungrounded:,})" for s in slices))
    rows = [counts, *((titles[i], *(share(float(s.macro_f1[i])) for s in slices)) for i in methods)]
    return region(by, table(heads, rows, caption=f"Macro-F1 by {by.lower()}"), css="gs-tables gs-wide")


def _long(slices: Sequence[Slice], titles: Sequence[str]) -> pd.DataFrame:
    cells = [(s, i) for s in slices for i in range(len(titles))]
    return pd.DataFrame(
        {
            "part": [s.name for s, _ in cells],
            "method": [titles[i] for _, i in cells],
            "responses": [s.judged[i] for s, i in cells],
            "macro_f1": [s.macro_f1[i] for s, i in cells],
            "low": [s.interval[i, 0] for s, i in cells],
            "high": [s.interval[i, 1] for s, i in cells],
        }
    )
