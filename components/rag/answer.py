"""One answer of a pipeline: its question, verdict, texts and passages, and the way to the heatmap."""

from html import escape

import streamlit as st

from components import case_sets
from components import state as session
from components.case_sets import CaseSet
from components.charts.rag import TITLES
from components.opened.rag_results import AnswerSource
from components.rag.tables import VERDICTS, named
from groundscope.drawing.html import Html, region
from groundscope.rag.outcomes import Answer, answer_case, outcome
from groundscope.review import case_key
from groundscope.types import Passage

_TALL = "gs-scroll gs-tall"
_LONGEST = 20_000
"""Characters of a text that are shown."""
_FEW = 6
"""Relevant passages that were not retrieved and are named."""


def show(source: AnswerSource, answer: Answer) -> None:
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
    verdict += f", relevant passage retrieved: {truth_words(answer.hit)}"
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


def truth_words(value: bool | None) -> str:
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
