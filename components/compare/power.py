"""How many labelled responses would distinguish two methods."""

import math
from html import escape

import streamlit as st

from components import figure
from components.charts.power import enough_words, power, power_data
from components.compare import data
from components.runs.choice import Open
from groundscope.grounding.comparisons import Pairs
from groundscope.grounding.results import RunResults
from groundscope.statistics.power import PowerCurve

_NOTE = (
    "Sets of other sizes are drawn from the queries here, and each is asked whether its 95 % interval of the difference leaves "
    "out 0. This holds if the methods differ as much as they do here, which is itself unsure, and for this pair alone, given the "
    "rules."
)


def show(open_: Open, found: RunResults, compared: Pairs, method: int) -> None:
    """The curve of a method and another one, which the user chooses."""
    others = [i for i in compared.methods if i != method]
    titles = [m.title for m in found.methods]
    st.html('<h2 class="gs-small">How many labelled responses would distinguish two methods?</h2>')
    other = st.selectbox(f"{titles[method]} and", others, format_func=titles.__getitem__, key=f"compare_power_{method}")
    curve = data.power_of(open_, method, other)
    here = compared.responses
    words = power_words(curve, (titles[method], titles[other]), here)
    st.html(f'<p class="gs-measure">{escape(words)}</p>')
    if curve.power.any():
        figure.show(
            power(power_data(curve), here),
            key="power",
            name=f"Power {titles[method]} {titles[other]}",
            alt=f"Share of sets that distinguish the two, by their number of responses. {words}",
            data=power_data(curve),
        )
    chosen = (
        f" The curve and the difference in the sentence are of {data.SAMPLED:,} queries chosen by chance from {found.queries:,}."
        if found.queries > data.SAMPLED
        else ""
    )
    st.html(f'<p class="gs-note gs-measure">{escape(_NOTE + chosen)}</p>')


def power_words(found: PowerCurve, titles: tuple[str, str], here: int) -> str:
    """The curve in two sentences."""
    first, second = titles if found.difference >= 0 else titles[::-1]
    if math.isnan(found.difference):
        return "F1 needs responses with both labels: label some of the other kind."
    if found.difference == 0:
        return f"{first} and {second} have the same F1 here, so no number of such responses distinguishes them."
    return f"{first} is ahead of {second} by {abs(found.difference):.3f}. {enough_words(found, here)}"
