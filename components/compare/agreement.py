"""How often methods agree."""

from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from components import figure, shell
from components.charts.agreement import number, squares
from components.compare import data
from components.controls import one_of
from components.runs.choice import Open
from groundscope.grounding.agreement import Agreement
from groundscope.grounding.results import RunResults

_MEASURES = {"kappa": "Cohen's kappa", "share": "Share of equal verdicts"}
_ABOUT = {
    "kappa": "Kappa is 1 if two methods always agree, 0 if they agree as often as by chance, below 0 if less often. "
    "A dash: one of them gives only one verdict, or they share no response.",
    "share": "The share of equal verdicts among the responses on which both have a verdict.",
}


def show(open_: Open, found: RunResults) -> None:
    """The matrix, the best method first."""
    able = [i for i, m in enumerate(found.methods) if m.verdicts]
    if len(able) < 2:
        shell.notice("info", "Agreement needs two methods with verdicts. Tune thresholds, or resume the run.")
        return
    order = sorted(able, key=lambda i: -np.nan_to_num(found.methods[i].scores.macro_f1, nan=-1.0))
    measure = one_of("Measure", _MEASURES, "compare_agreement")
    agreed = data.agreed(open_)
    values = (agreed.kappa if measure == "kappa" else agreed.share)[np.ix_(order, order)]
    shared = agreed.shared[np.ix_(order, order)]
    titles = [found.methods[i].title for i in order]
    with st.container(width=340 + 50 * len(order)):
        figure.show(
            squares(values, shared, titles, _MEASURES[measure]),
            key="agreement",
            name=f"Agreement {found.run} {found.split_words}",
            alt=f"{_MEASURES[measure]} between {len(order)} methods. {_extremes(values, titles)}",
            data=_long(agreed, [m.title for m in found.methods], order),
        )
    st.html(f'<p class="gs-note">{escape(f"{_extremes(values, titles)} {_ABOUT[measure]} The best method stands first.")}</p>')


def _extremes(values: np.typing.NDArray[np.float64], titles: list[str]) -> str:
    """The pairs that agree most and least."""
    rows, columns = np.triu_indices(len(titles), 1)
    pairs = [(values[i, j], i, j) for i, j in zip(rows, columns, strict=True) if not np.isnan(values[i, j])]
    if not pairs:
        return ""
    most, least = max(pairs), min(pairs)
    words = f"{titles[most[1]]} and {titles[most[2]]} agree most ({number(most[0])})"
    return f"{words}, {titles[least[1]]} and {titles[least[2]]} least ({number(least[0])})." if len(pairs) > 1 else f"{words}."


def _long(agreed: Agreement, titles: list[str], order: list[int]) -> pd.DataFrame:
    pairs = [(i, j) for k, i in enumerate(order) for j in order[k + 1 :]]
    return pd.DataFrame(
        {
            "method": [titles[i] for i, _ in pairs],
            "other": [titles[j] for _, j in pairs],
            "responses": [agreed.shared[p] for p in pairs],
            "share_equal": [agreed.share[p] for p in pairs],
            "kappa": [agreed.kappa[p] for p in pairs],
        }
    )
