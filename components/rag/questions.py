"""The questions behind a figure: filtered, listed, and one of them opened with its verdict, texts and passages."""

from collections.abc import Sequence
from html import escape

import pandas as pd
import streamlit as st

from components import case_sets, shell
from components import state as session
from components.case_sets import CaseSet
from components.charts.rag import TITLES
from components.controls import filters, ticked_list
from components.opened.rag_results import AnswerSource
from components.rag import state
from components.rag.state import AnswerFilter
from components.rag.tables import VERDICTS, named
from groundscope.drawing.html import Html, region
from groundscope.rag.outcomes import Answer, AnswerOutcome, answer_case, both, outcome
from groundscope.review import case_key
from groundscope.text.humanize import plural
from groundscope.types import Passage

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
    _opened(source, listed[_at(key, row, len(listed))])


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
                "Retrieved": _truth_words(a.hit),
                "Id": a.question_id[:_IN_A_CELL],
            }
            for a in answers
        ]
    )


_TALL = "gs-scroll gs-tall"
_LONGEST = 20_000
"""Characters of a text that are shown."""
_FEW = 6
"""Relevant passages that were not retrieved and are named."""


def _opened(source: AnswerSource, answer: Answer) -> None:
    """The question, the verdict with its reasons, the answer, the passages, and what can be done with them."""
    with st.container(border=True, key="rag_answer"):
        facts = " · ".join(map(named, (answer.embedder, answer.model, answer.question_id)))
        asked = escape(_cut(answer.question)) or "(the results do not hold the question)"
        st.html(
            f"<p class='gs-sub'>{facts}</p>"
            "<div class='gs-asked' tabindex='0' role='region' aria-label='Question'>"
            f"<p class='gs-text' dir='auto'><b>{asked}</b></p></div>"
        )
        left, right = st.columns(2)
        left.html(region("Answer and verdict", Html(_said(answer)), css=_TALL))
        right.html(region("Retrieved passages", Html(_passages(answer)), css=_TALL))
        if answer.answer.strip() and answer.context:
            with st.container(horizontal=True):
                if st.button("Open in the heatmap", type="primary", key="rag_heatmap"):
                    _heatmap(source, answer)


def _said(answer: Answer) -> str:
    verdict = f"correct: {VERDICTS[answer.correct]}, grounded: {VERDICTS[answer.grounded]}"
    verdict += f", relevant passage retrieved: {_truth_words(answer.hit)}"
    nothing = "(there is no answer)" if answer.question or answer.context else "(the results do not hold the answers)"
    parts = [
        f"<h2 class='gs-small'>{TITLES[outcome(answer)]}</h2><p class='gs-note'>{escape(verdict)}</p>",
        _note(answer.judge),
        _note(f"Prompt: {answer.prompt}" if answer.prompt else ""),
        _note(answer.reasons),
        _note(f"Not supported: {answer.unsupported}" if answer.unsupported else ""),
        _note(
            f"Second judge: {answer.second_judge}, grounded: {VERDICTS[answer.second_grounded]}" if answer.second_judge else ""
        ),
        _text("Answer", answer.answer if answer.answer.strip() else nothing),
        _note(answer.note),
        _text("Reference answer", answer.reference or "(none, so whether the answer is correct cannot be judged)"),
    ]
    return "".join(parts)


def _truth_words(value: bool | None) -> str:
    """Whether the relevant passage was retrieved, in words."""
    return "not known" if value is None else VERDICTS[value]


def _cut(text: str) -> str:
    more = len(text) - _LONGEST
    return text if more <= 0 else f"{text[:_LONGEST]}… ({more:,} more characters; the downloads hold all)"


def _note(text: str) -> str:
    return f"<p class='gs-note' dir='auto'>{escape(_cut(text))}</p>" if text else ""


def _text(title: str, text: str) -> str:
    return f"<h2 class='gs-small'>{title}</h2><p class='gs-text' dir='auto'>{escape(_cut(text))}</p>"


def _passages(answer: Answer) -> str:
    if not answer.context:
        return "<p class='gs-sub'>The results do not hold the passages.</p>"
    parts = []
    # Passages without ids may be the relevant ones.
    lacking = [i for i in answer.relevant if i not in {p.id for p in answer.context}] if all(p.id for p in answer.context) else []
    if lacking:
        missed = {p.id for p in answer.missed}
        ids = [named(i) for i in lacking if i not in missed]
        parts.append(f"<h2 class='gs-small'>Relevant and not retrieved: {len(lacking):,}</h2>")
        parts += [_missed(p) for p in answer.missed[:_FEW]]
        parts += [f"<p class='gs-sub'>{i}</p>" for i in ids[:_FEW]]
        more = max(0, len(missed) - _FEW) + max(0, len(ids) - _FEW)
        parts += [f"<p class='gs-sub'>and {more:,} more</p>"] * bool(more)
    parts.append(f"<h2 class='gs-small'>Retrieved passages: {len(answer.context):,}</h2>")
    for number, passage in enumerate(answer.context, 1):
        relevant = " · <b>relevant: it holds the answer</b>" if passage.id and passage.id in answer.relevant else ""
        title = "".join(f" · {named(p)}" for p in (passage.source, passage.id) if p)
        parts.append(
            f"<p class='gs-sub'>{number:,}{title}{relevant}</p><p class='gs-text' dir='auto'>{escape(_cut(passage.text))}</p>"
        )
    return "".join(parts)


def _missed(passage: Passage) -> str:
    title = " · ".join(named(p) for p in (passage.source, passage.id) if p)
    text = f"<p class='gs-text' dir='auto'>{escape(_cut(passage.text))}</p>"
    return f"<details class='gs-missed'><summary>{title}</summary>{text}</details>"


def review(source: AnswerSource) -> None:
    """A button that loads all answers as a set to review; nothing where the results do not hold the texts."""
    written = [a for a in source.answers if a.answer.strip() and a.context]
    if written and st.button("Review these answers", key="rag_review"):
        cases = {case.id: case for case in map(answer_case, written)}
        case_sets.add(CaseSet(_set(source), tuple(cases.values())))
        st.switch_page("pages/review.py", query_params={"reviewed": case_key(next(iter(cases.values())))})


def _set(source: AnswerSource) -> str:
    return f"RAG {source.name}"[:80]


def _heatmap(source: AnswerSource, answer: Answer) -> None:
    """The answer against what was retrieved, as a case of this session."""
    name = _set(source)
    case = answer_case(answer)
    case_sets.add(CaseSet(name, (*[c for c in case_sets.cases_of(name) if c.id != case.id], case)))
    session.open_heatmap(name, case)
