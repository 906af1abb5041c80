"""How many questions would show a difference between two combinations, such as 5 points."""

from html import escape

import streamlit as st

from components import figure, shell
from components.charts.power import enough_words, power, power_data
from components.controls import select_one
from components.rag import state
from components.rag.sources import AnswerSource
from components.state import once
from groundscope.rag.effects import Combination
from groundscope.rag.needed import POINTS, QuestionsNeeded, questions_needed
from groundscope.rag.report import signed
from groundscope.text.humanize import plural

_NOTE = (
    "Sets of other sizes are drawn from the questions here, moved so that their difference is the one looked for. A set shows "
    "it if its 95 % interval leaves out 0. This holds for questions like these and for this judge."
)


def show(source: AnswerSource, what: str) -> None:
    """The choice of two combinations and of points, then the answer in words and as a curve."""
    cells = {f"{c.embedder} with {c.model}": c for c in dict.fromkeys(a.cell for a in source.answers)}
    if len(cells) < 2:
        return
    shell.section("How many questions would show a difference?")
    titles = {name: name for name in cells}
    left, middle, right = st.columns([3, 3, 2])
    first = select_one(left, "This combination", titles, "rag_power_first")
    second = select_one(middle, "Against this one", titles, "rag_power_second", first=list(titles)[1])
    points = right.number_input("Points looked for", 0.5, 100.0, POINTS, 0.5, key="rag_power_points", persist_state="session")
    if first == second:
        shell.notice("info", "Choose two different combinations.")
        return
    _curve(_needed(source, cells[first], cells[second], float(points), what), (first, second), float(points))


def _needed(source: AnswerSource, first: Combination, second: Combination, points: float, what: str) -> QuestionsNeeded:
    """Kept: sets are drawn."""
    key = ("needed", source.id, source.stamp, first, second, points, what)
    return once(state.reports(), key, lambda: questions_needed(source.answers, first, second, points, what))


def _curve(found: QuestionsNeeded, titles: tuple[str, str], points: float) -> None:
    words = needed_words(found, titles, points)
    st.html(f'<p class="gs-measure" dir="auto">{escape(words)}</p>')
    if found.curve.power.any():
        figure.show(
            power(power_data(found.curve), found.questions, "questions"),
            key="rag_power",
            name=f"power {titles[0]} {titles[1]}",
            alt=f"Share of sets that show the difference, by their number of questions. {words}",
            data=power_data(found.curve),
        )
    st.html(f'<p class="gs-note gs-measure">{escape(_NOTE)}</p>')


def needed_words(found: QuestionsNeeded, titles: tuple[str, str], points: float) -> str:
    """What a comparison needs, in sentences."""
    if not found.questions:
        return "No question has a verdict for both, so nothing can be said."
    here = f"{titles[0]} against {titles[1]}: {signed(100 * found.difference)} points on {plural(found.questions, 'question')}."
    if not found.curve.power.any():
        return f"{here} All questions say the same, so that chance cannot be estimated from them."
    return f"{here} For a difference of {points:g} points: {enough_words(found.curve, found.questions, 'question')}"
