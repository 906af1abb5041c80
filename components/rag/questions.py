"""The questions behind a figure: filtered, listed, and one of them opened."""

from collections.abc import Sequence
from html import escape

import pandas as pd
import streamlit as st

from components import shell
from components.charts.rag import TITLES
from components.controls import filters, ticked_list
from components.opened.rag_results import AnswerSource
from components.rag import answer, state
from components.rag.answer import truth_words
from components.rag.state import AnswerFilter
from components.rag.tables import VERDICTS
from groundscope.rag.outcomes import Answer, AnswerOutcome, both, outcome
from groundscope.text.humanize import plural

_MOST_LISTED = 1_000
_IN_A_CELL = 200
_WIDTHS = {"Question": 420, "Embedder": 150, "Model": 150, "Id": 150}
"""So that no long name pushes the others out of sight."""


def show(source: AnswerSource) -> None:
    """Filters, list and the open answer."""
    chosen = _filters(source)
    matching = [a for a in source.answers if _fits(a, chosen)]
    if not matching:
        shell.notice("info", "No answer is of this kind. Choose another one above.")
        return
    st.html(
        f"<p class='gs-note'>{len(matching):,} of {plural(len(source.answers), 'answer')}. Tick one to open it, or step through "
        f"them.{escape(uncounted(matching))}</p>"
    )
    listed = matching[:_MOST_LISTED]
    if len(listed) < len(matching):
        shell.notice("info", f"The first {len(listed):,} are listed; filter them, or take all as JSONL from the results table.")
    key = f"rag_list_{hash((source.id, chosen))}"
    row = ticked_list(_frame(listed), key, 10, f"{plural(len(listed), 'answer')}, a row each", _WIDTHS)
    answer.show(source, listed[_at(key, row, len(listed))])


def uncounted(answers: Sequence[Answer]) -> str:
    """Hallucinations that RAG accuracy leaves out, in a sentence; empty where there are none."""
    out = sum(both(a) is None and outcome(a) is AnswerOutcome.HALLUCINATION for a in answers)
    if not out:
        return ""
    has, them = ("has", "it") if out == 1 else ("have", "them")
    return f" {plural(out, 'hallucination')} {has} no verdict on correctness, so RAG accuracy does not count {them}."


def _at(key: str, row: int | None, count: int) -> int:
    """Which answer is open: the one that was ticked last, or stepped to since."""
    at, before = state.place(key)
    if row is not None and row != before:
        at = row
    at = min(at, count - 1)
    state.place(key, (at, -1 if row is None else row))
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, to, end in (("Previous answer", at - 1, at == 0), ("Next answer", at + 1, at == count - 1)):
            st.button(label, key=f"rag_step_{label}", disabled=end, on_click=_step, args=(key, to))
        st.html(f"<span class='gs-note'>{at + 1:,} of {count:,}</span>", width="content")
    return at


def _step(key: str, to: int) -> None:
    state.place(key, (to, state.place(key)[1]))


def _filters(source: AnswerSource) -> AnswerFilter:
    now = state.answer_filter()
    levels: dict[str, tuple[str, list[str]]] = {
        "embedder": ("Embedder", list(dict.fromkeys(a.embedder for a in source.answers))),
        "model": ("Model", list(dict.fromkeys(a.model for a in source.answers))),
        "outcome": ("Outcome", [o.value for o in AnswerOutcome]),
    }
    new = AnswerFilter(**filters(now, levels, _title, "rag_filter", source.id, 260))
    if new != now:
        state.answer_filter(new)
        st.rerun()
    return new


def _title(name: str, option: str) -> str:
    return TITLES[AnswerOutcome(option)] if name == "outcome" else option


def _fits(answer: Answer, chosen: AnswerFilter) -> bool:
    return (
        chosen.embedder in (None, answer.embedder)
        and chosen.model in (None, answer.model)
        and chosen.outcome in (None, outcome(answer).value)
    )


def _frame(answers: Sequence[Answer]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Outcome": TITLES[outcome(a)],
                "Question": (a.question or a.question_id)[:_IN_A_CELL],
                "Embedder": a.embedder[:_IN_A_CELL],
                "Model": a.model[:_IN_A_CELL],
                "Correct": VERDICTS[a.correct],
                "Grounded": VERDICTS[a.grounded],
                "Retrieved": truth_words(a.hit),
                "Id": a.question_id[:_IN_A_CELL],
            }
            for a in answers
        ]
    )
