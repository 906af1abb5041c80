"""The questions behind a figure: filtered, listed, and one of them opened with its passages, answer and verdict."""

from collections.abc import Sequence
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from components import shell
from components import state as session
from components.charts.rag import TITLES
from components.rag import dropping, state
from components.rag.sources import Source
from components.rag.state import Filter
from components.state import CaseSet
from evaluation.rag.outcomes import Answer, Outcome, outcome
from evaluation.types import Case

_ALL = "All"
_LONGEST = 20_000
_MOST_LISTED = 1_000
_VERDICTS = {True: "yes", False: "no", None: "no verdict"}


def show(source: Source) -> None:
    """Filters, list and the open answer."""
    wanted = _filters(source)
    found = [a for a in source.answers if _fits(a, wanted)]
    if not found:
        shell.notice("info", "No answer is of this kind. Choose another one above.")
        return
    st.html(f"<p class='gs-note'>{len(found):,} of {len(source.answers):,} answers. Tick one to open it.</p>")
    listed = found[:_MOST_LISTED]
    if len(listed) < len(found):
        shell.notice("info", f"The first {len(listed):,} are listed; filter them, or take all as JSONL from the results table.")
    key = f"rag_list_{hash((source.id, wanted))}"
    event: Any = st.dataframe(
        _frame(listed),
        hide_index=True,
        width="stretch",
        height=38 + 35 * min(len(listed), 10),
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        alt=f"{len(listed):,} answers, a row each",
    )
    rows: Sequence[int] = event["selection"]["rows"]
    _one(source, listed[rows[0]] if rows and rows[0] < len(listed) else listed[0])


def _filters(source: Source) -> Filter:
    now = state.wanted()
    levels: dict[str, tuple[str, list[str]]] = {
        "embedder": ("Embedder", list(dict.fromkeys(a.embedder for a in source.answers))),
        "model": ("Model", list(dict.fromkeys(a.model for a in source.answers))),
        "outcome": ("Outcome", [o.value for o in Outcome]),
    }
    chosen: dict[str, str | None] = {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, (label, options) in levels.items():
            value = getattr(now, name)
            index = options.index(value) + 1 if value in options else 0
            # A click on a bar sets another filter: a widget of another key starts with it.
            picked = st.selectbox(
                label,
                [_ALL, *options],
                index=index,
                format_func=_outcome_title if name == "outcome" else str,
                key=f"rag_filter_{name}_{hash((source.id, value))}",
                width=260,
            )
            chosen[name] = None if picked == _ALL else picked
    new = Filter(**chosen)
    if new != now:
        state.wanted(new)
        st.rerun()
    return new


def _outcome_title(option: str) -> str:
    return option if option == _ALL else TITLES[Outcome(option)]


def _fits(answer: Answer, wanted: Filter) -> bool:
    return (
        wanted.embedder in (None, answer.embedder)
        and wanted.model in (None, answer.model)
        and wanted.outcome in (None, outcome(answer).value)
    )


def _frame(found: Sequence[Answer]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Outcome": TITLES[outcome(a)],
                "Question": a.question or a.question_id,
                "Embedder": a.embedder,
                "Model": a.model,
                "Correct": _VERDICTS[a.correct],
                "Grounded": _VERDICTS[a.grounded],
                "Retrieved": _VERDICTS[a.hit],
                "Id": a.question_id,
            }
            for a in found
        ]
    )


def _one(source: Source, answer: Answer) -> None:
    with st.container(border=True, key="rag_answer"):
        facts = " · ".join((answer.embedder, answer.model, answer.question_id))
        st.html(
            f'<p class="gs-sub" dir="auto">{escape(facts)}</p>'
            f'<p class="gs-text" dir="auto"><b>{escape(answer.question or "(the results do not hold the question)")}</b></p>'
        )
        left, right = st.columns(2)
        left.html(_said(answer))
        right.html(_region("Retrieved passages", _passages(answer)))
        if answer.answer.strip() and answer.context:
            with st.container(horizontal=True):
                if st.button("Open in the heatmap", type="primary", key="rag_heatmap"):
                    _heatmap(source, answer)
        if source.experiment and len(answer.context) > 1:
            dropping.show(source, answer)


def _said(answer: Answer) -> str:
    verdict = ", ".join(
        f"{name}: {_VERDICTS[value]}"
        for name, value in (("correct", answer.correct), ("grounded", answer.grounded), ("retrieved", answer.hit))
    )
    parts = [
        f"<h2 class='gs-small'>{TITLES[outcome(answer)]}</h2><p class='gs-note'>{escape(verdict)}</p>",
        f"<p class='gs-note' dir='auto'>{escape(answer.reasons)}</p>" if answer.reasons else "",
        _text("Answer", answer.answer or "(there is no answer)"),
        _text("Reference answer", answer.reference) if answer.reference else "",
    ]
    return _region("Answer and verdict", "".join(parts))


def _text(title: str, text: str) -> str:
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return f"<h2 class='gs-small'>{title}</h2><p class='gs-text' dir='auto'>{escape(cut)}</p>"


def _passages(answer: Answer) -> str:
    if not answer.context:
        return "<p class='gs-sub'>The results do not hold the passages.</p>"
    parts = []
    for number, passage in enumerate(answer.context, 1):
        relevant = " · <b>relevant: it holds the answer</b>" if passage.id in answer.relevant else ""
        title = " · ".join(p for p in (str(number), passage.source, passage.id) if p)
        parts.append(
            f"<p class='gs-sub' dir='auto'>{escape(title)}{relevant}</p>"
            f"<p class='gs-text' dir='auto'>{escape(passage.text[:_LONGEST])}</p>"
        )
    lacking = [i for i in answer.relevant if i not in {p.id for p in answer.context}]
    if lacking:
        parts.append(f"<p class='gs-sub'>Not retrieved, though relevant: {escape(', '.join(lacking))}</p>")
    return "".join(parts)


def _region(name: str, inner: str) -> str:
    """A box that scrolls by itself, also by keyboard."""
    return f'<div class="gs-scroll" tabindex="0" role="region" aria-label="{name}">{inner}</div>'


def _heatmap(source: Source, answer: Answer) -> None:
    """The answer against what was retrieved, as a case of this session."""
    name = f"RAG {source.name}"[:80]
    case = Case(f"{answer.question_id} {answer.embedder} {answer.model}", answer.question, answer.context, answer.answer)
    others = session.sets()[name].cases if name in session.sets() else ()
    session.add(CaseSet(name, (*[c for c in others if c.id != case.id], case)))
    session.open_case(name, case.id)
    st.switch_page("pages/heatmap.py", query_params={"case": case.id})
