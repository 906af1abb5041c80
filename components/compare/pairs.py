"""Significance: which differences between methods are larger than chance, and how many responses would show them."""

import math
from collections.abc import Sequence
from html import escape

import pandas as pd
import streamlit as st

from components import shell
from components.charts.comparison import enough_words, power, power_data
from components.compare import method as compare_method
from components.controls import show_figure, table_csv
from components.opened import run_figures
from components.opened.choice import RunView
from groundscope.drawing.html import listed
from groundscope.grounding.comparing.comparisons import ALPHA, METHOD, Pairs, apart, words
from groundscope.grounding.result_columns import MISSING
from groundscope.grounding.results import RunResults
from groundscope.statistics.power import PowerCurve
from groundscope.statistics.significance import MetricDifference

_KEY = "compare_against"
_NOTE = f"Differences of macro-F1 with {METHOD} A difference is clear if the interval leaves out 0 and the adjusted p < {ALPHA}."


def show(view: RunView, results: RunResults) -> None:
    """One method against the others in words, then all pairs as a table."""
    compared = run_figures.compared(view)
    titles = [m.title for m in results.methods]
    reasons = (f"{titles[i]}: no threshold, or no judged response." for i in compared.left_out)
    shell.not_ready(len(compared.left_out), reasons)
    if not compared.differences:
        shell.notice("info", "A comparison needs two methods with verdicts on the same responses.")
        return
    ids = [results.methods[i].id for i in compared.methods]
    if st.session_state.get(_KEY) not in ids:
        other = st.session_state.get(compare_method.KEY)
        st.session_state[_KEY] = other if other in ids else ids[0]
    by_id = dict(zip(ids, compared.methods, strict=True))
    method = st.selectbox("One method against the others", ids, format_func=lambda i: titles[by_id[i]], key=_KEY)
    st.html(against(compared, by_id[method], titles))
    st.html('<h2 class="gs-small">All pairs</h2>')
    table = pairs_table(compared.differences, titles)
    formats = {"Difference of F1": "%.3f", "From": "%.3f", "To": "%.3f", "p": "%.2g", "p, adjusted": "%.2g"}
    figures = {name: st.column_config.NumberColumn(name, format=form) for name, form in formats.items()}
    st.dataframe(
        table,
        hide_index=True,
        height=38 + 35 * min(len(table), 12),
        column_config={**figures, "In words": st.column_config.Column("In words", width="large")},
        placeholder=MISSING,
        alt=f"Differences of F1 between {len(compared.methods)} methods, {len(table)} pairs",
    )
    drawn = "also draw the responses that thresholds were tuned on" if compared.tuned else "are given the rules"
    st.html(
        f'<p class="gs-note">{escape(_NOTE)} The intervals {drawn}. Measured on the {compared.responses:,} '
        "responses that all methods have judged.</p>"
    )
    table_csv(table, f"pairs {results.run} {results.split_words}", "pairs_csv")
    _show_power(view, results, compared, by_id[method])


def against(compared: Pairs, method: int, titles: Sequence[str]) -> str:
    """One method against every other one, as a list of sentences: better, unclear, worse."""
    mine = [d for d in compared.differences if method in (d.first, d.second)]
    better = [d for d in mine if apart(d) and d.first == method]
    worse = [d for d in mine if apart(d) and d.second == method]
    unsure = [d for d in mine if not apart(d)]
    words_first = [words(d, titles) for part in (better, worse, unsure) for d in _largest_first(part)]
    summary = (
        f"{titles[method]} is better than {len(better) or 'none'} of the other {len(mine)}, worse than {len(worse) or 'none'}, "
        f"and not clearly different from {len(unsure) or 'none'}."
    )
    head = f'<p class="gs-measure"><b>{escape(summary)}</b></p>' if len(mine) > 1 else ""
    return f"{head}{listed(words_first, 'gs-errors gs-measure')}"


def _largest_first(differences: Sequence[MetricDifference]) -> list[MetricDifference]:
    return sorted(differences, key=lambda d: -d.macro_f1)


def pairs_table(differences: Sequence[MetricDifference], titles: Sequence[str]) -> pd.DataFrame:
    """All pairs, the largest differences first."""
    ordered = _largest_first(differences)
    heads = ("Higher F1", "Other", "Difference of F1", "From", "To", "p", "p, adjusted")
    rows = [(titles[d.first], titles[d.second], d.macro_f1, d.interval.low, d.interval.high, d.p, d.adjusted_p) for d in ordered]
    clear = ["yes" if apart(d) else "no" for d in ordered]
    return pd.DataFrame(rows, columns=heads).assign(**{"Clear": clear, "In words": [words(d, titles) for d in ordered]})


_POWER_NOTE = (
    "Sets of other sizes are drawn from the queries here, and each is asked whether its 95 % interval of the difference leaves "
    "out 0. This holds if the methods differ as much as they do here, which is itself unsure, and for this pair alone, given the "
    "rules."
)


def _show_power(view: RunView, results: RunResults, compared: Pairs, method: int) -> None:
    """The curve of a method and another one, which the user chooses."""
    others = [i for i in compared.methods if i != method]
    titles = [m.title for m in results.methods]
    st.html('<h2 class="gs-small">How many labelled responses would distinguish two methods?</h2>')
    other = st.selectbox(f"{titles[method]} and", others, format_func=titles.__getitem__, key=f"compare_power_{method}")
    curve = run_figures.power_of(view, method, other)
    responses = compared.responses
    words = power_words(curve, (titles[method], titles[other]), responses)
    st.html(f'<p class="gs-measure">{escape(words)}</p>')
    if curve.power.any():
        show_figure(
            power(power_data(curve), responses),
            key="power",
            name=f"Power {titles[method]} {titles[other]}",
            alt=f"Share of sets that distinguish the two, by their number of responses. {words}",
            data=power_data(curve),
        )
    chosen = (
        f" The curve and the difference above come from a random sample of {run_figures.SAMPLED:,} "
        f"of the {results.queries:,} queries."
        if results.queries > run_figures.SAMPLED
        else ""
    )
    st.html(f'<p class="gs-note gs-measure">{escape(_POWER_NOTE + chosen)}</p>')


def power_words(curve: PowerCurve, titles: tuple[str, str], responses: int) -> str:
    """The curve in two sentences."""
    first, second = titles if curve.difference >= 0 else titles[::-1]
    if math.isnan(curve.difference):
        return "F1 needs responses with both labels: label some of the other kind."
    if curve.difference == 0:
        return f"{first} and {second} have the same F1 here, so no number of such responses distinguishes them."
    return f"{first} is ahead of {second} by {abs(curve.difference):.3f}. {enough_words(curve, responses)}"
