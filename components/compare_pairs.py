"""Which differences between methods are more than chance."""

from collections.abc import Sequence
from html import escape

import pandas as pd
import streamlit as st

from components import compare_data, compare_method, shell
from components.figure import slug
from components.run_choice import Open
from evaluation.pairs import ALPHA, Pairs, apart, words
from evaluation.result_columns import MISSING
from evaluation.results import Results
from evaluation.significance import Difference
from evaluation.tables import frame_csv

_KEY = "compare_against"
_NOTE = (
    "Differences of macro-F1 with 95 % intervals by the paired bootstrap over queries. p is McNemar's, two-sided, adjusted by "
    f"Holm over all pairs. Two methods are told apart where the interval leaves out 0 and p < {ALPHA}."
)


def show(open_: Open, found: Results) -> None:
    """One method against the others in words, then all pairs as a table."""
    compared = compare_data.compared(open_)
    titles = [m.title for m in found.methods]
    if compared.left_out:
        names = ", ".join(titles[i] for i in compared.left_out)
        shell.notice("info", f"Left out, because they have no threshold or have judged nothing yet: {names}.")
    if not compared.differences:
        shell.notice("info", "Two methods with verdicts on the same responses are needed to compare them.")
        return
    ids = [found.methods[i].id for i in compared.methods]
    if st.session_state.get(_KEY) not in ids:
        kept = st.session_state.get(compare_method.KEY)
        st.session_state[_KEY] = kept if kept in ids else ids[0]
    by_id = dict(zip(ids, compared.methods, strict=True))
    method = st.selectbox("One method against the others", ids, format_func=lambda i: titles[by_id[i]], key=_KEY)
    st.html(against(compared, by_id[method], titles))
    st.html(f'<h2 class="gs-small">All {len(compared.differences):,} pairs</h2>')
    table = pairs_table(compared.differences, titles)
    formats = {"Difference of F1": "%.3f", "From": "%.3f", "To": "%.3f", "p": "%.2g", "p, Holm": "%.2g"}
    figures = {name: st.column_config.NumberColumn(name, format=form) for name, form in formats.items()}
    st.dataframe(
        table,
        hide_index=True,
        width="stretch",
        height=38 + 35 * min(len(table), 12),
        column_config={**figures, "In words": st.column_config.Column("In words", width="large")},
        placeholder=MISSING,
        alt=f"Differences of F1 between {len(compared.methods)} methods, {len(table)} pairs",
    )
    st.html(f'<p class="gs-note">{escape(_NOTE)} Measured on {compared.responses:,} responses that all of them have judged.</p>')
    name = slug(f"pairs {found.run} {found.split_words}")
    st.download_button("CSV", lambda: frame_csv(table), f"{name}.csv", "text/csv", key="pairs_csv", on_click="ignore")


def against(compared: Pairs, method: int, titles: Sequence[str]) -> str:
    """One method against every other one, as a list of sentences: those it beats, those it does not, those that beat it."""
    mine = [d for d in compared.differences if method in (d.first, d.second)]
    better = [d for d in mine if apart(d) and d.first == method]
    worse = [d for d in mine if apart(d) and d.second == method]
    unsure = [d for d in mine if not apart(d)]
    words_first = [words(d, titles) for part in (better, worse, unsure) for d in _largest_first(part)]
    lines = "".join(f"<li>{escape(line)}</li>" for line in words_first)
    summary = (
        f"{titles[method]} is better than {len(better) or 'none'} of the other {len(mine)}, worse than {len(worse) or 'none'}, "
        f"and not told apart from {len(unsure) or 'none'}."
    )
    head = f'<p class="gs-measure"><b>{escape(summary)}</b></p>' if len(mine) > 1 else ""
    return f'{head}<ul class="gs-errors gs-measure">{lines}</ul>'


def _largest_first(found: Sequence[Difference]) -> list[Difference]:
    return sorted(found, key=lambda d: -d.macro_f1)


def pairs_table(found: Sequence[Difference], titles: Sequence[str]) -> pd.DataFrame:
    """All pairs, the largest differences first."""
    ordered = _largest_first(found)
    return pd.DataFrame(
        {
            "Better": [titles[d.first] for d in ordered],
            "Other": [titles[d.second] for d in ordered],
            "Difference of F1": [d.macro_f1 for d in ordered],
            "From": [d.interval.low for d in ordered],
            "To": [d.interval.high for d in ordered],
            "p": [d.p for d in ordered],
            "p, Holm": [d.adjusted_p for d in ordered],
            "Told apart": ["yes" if apart(d) else "no" for d in ordered],
            "In words": [words(d, titles) for d in ordered],
        }
    )
