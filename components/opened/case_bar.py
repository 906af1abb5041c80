"""The bar of an open case: its question and set, steps to others, and badges: instructions to a model, beside the question."""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from html import escape

import numpy as np
import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.scoring import app_worker
from components.worker.job import Job
from groundscope.cases.injections import KINDS, CaseSign, signs_of
from groundscope.cases.relevance import assessable, likeness, low_likeness
from groundscope.drawing.html import Html, listed, tag
from groundscope.runtime.byte_cache import keep
from groundscope.text.humanize import counted_sources, plural, shortened
from groundscope.text.languages import language_of
from groundscope.text.sentences import context_sentences
from groundscope.types import Case

_SHOWN = 8
_PLACES = 4
_MOST_ALIKE = 50
_PATIENCE = 0.5
"""Seconds to wait for the worker, once all else is drawn."""
LABELS = {True: "grounded", False: "ungrounded", None: "no label"}


def label(case: Case) -> str:
    """One line to choose a case by."""
    query = " ".join(case.query.split()) or " ".join(case.response.split()) or "(empty)"
    mark = f" · {LABELS[case.grounded]}" if case.grounded is not None and state.gold() else ""
    return f"{query[:90]}{'…' if len(query) > 90 else ''}{mark} · {case.id[:40]}"


def subtitle(group: CaseSet, case: Case, *, labelled: bool) -> str:
    """The area, set and size of a case, with its label if `labelled`, as a line of text."""
    place = next(i for i, c in enumerate(group.cases, 1) if c.id == case.id)
    sentences = len(context_sentences(case.context))
    facts = [case.area, f"{group.name} {place} of {len(group.cases)}"]
    facts += [f"labelled {LABELS[case.grounded]}"] if case.grounded is not None and labelled else []
    return " · ".join(f for f in (*facts, f"{counted_sources(case.context)}, {plural(sentences, 'sentence')}") if f)


def casebar(
    group: CaseSet,
    case: Case,
    go: Callable[[str, str], None],
    named: Callable[[Case], str],
    about: str,
    *,
    by_question: bool = True,
) -> None:
    """A case's question, steps to the next question or else case, and the choice of another; `go` gets a set's name and an id."""
    by_id = {c.id: c for c in group.cases}
    questions: dict[str, list[str]] = {}
    for c in group.cases:
        questions.setdefault((by_question and c.group) or f"case {c.id}", []).append(c.id)
    keys, answers = list(questions), case_sets.mixed(next(ids for ids in questions.values() if case.id in ids))
    place = next(n for n, ids in enumerate(questions.values()) if case.id in ids)
    step_of = "question" if len(keys) < len(by_id) else "case"
    # The h1, cut to two lines until it is opened; under it then what the case is.
    st.html(
        f'<details class="gs-question"><summary title="Show the whole question and its set"><h1 class="gs-title" dir="auto">'
        f'{escape(case.query or "(no question)")}</h1></summary><p class="gs-sub" dir="auto">{escape(about)}</p></details>',
        width="stretch",
    )
    for text, step in (("Previous", -1), ("Next", 1)):
        target = place + step
        inside = 0 <= target < len(keys)
        others = case_sets.mixed(questions[keys[target]]) if inside else [""]
        arguments = (group.name, others[answers.index(case.id) % len(others)])
        st.button(text, key=f"step{step}", disabled=not inside, help=f"{text} {step_of}", on_click=go, args=arguments)

    def choice_of(title: str, ids: Sequence[str], words: Callable[[str], str], key: str) -> None:
        st.session_state[key] = case.id
        st.selectbox(title, ids, format_func=words, key=key, on_change=lambda: go(group.name, st.session_state[key]), width=560)

    with st.popover(f"{step_of.capitalize()} {place + 1:,} of {len(keys):,}", key="case_panel"):
        if len(answers) > 1:
            title = f"Answer {answers.index(case.id) + 1} of {len(answers)} to this question"
            numbered = {i: f"{n}. {shortened(' '.join(by_id[i].response.split()), 90)}" for n, i in enumerate(answers, 1)}
            choice_of(title, answers, numbered.__getitem__, "answer_chooser")
        # A widget's label is markdown: letters, digits and harmless signs of a file's name only.
        set_name = "".join(c if c.isalnum() or c in " .-" else " " for c in group.name)[:60]
        choice_of(f"Case in {set_name}", list(by_id), lambda i: named(by_id[i]), state.CHOOSER)


def note(case: Case) -> None:
    """What a reader must know of the sources, cut to a line until it is opened."""
    if case.note:
        first, _, rest = case.note.partition(". ")
        more = tag("p", rest, class_="gs-note", dir="auto") if rest else ""
        st.html(tag("details", tag("summary", f"{first}.", class_="gs-note"), more) if rest else shell.note(case.note))


_signs = keep(megabytes=8)(signs_of)


def instructions_badge(case: Case) -> None:
    """Draw a badge if texts of the case contain instructions to a model: their places and their words."""
    signs = _signs(case)
    if not signs:
        return
    all_places = list(dict.fromkeys(map(_place_of, signs)))
    rest = len(all_places) - _PLACES
    places = ", ".join(all_places[:_PLACES]) + (f" and {rest:,} more" if rest > 0 else "")
    items = [
        Html(f"{tag('b', _place_of(s))} {escape(KINDS[s.sign.kind])}: {tag('q', s.sign.words, dir='auto')}")
        for s in signs[:_SHOWN]
    ]
    more = [f"and {len(signs) - _SHOWN:,} more"] if len(signs) > _SHOWN else []
    st.html(
        "<details class='gs-badge'><summary><b>Contains instructions to a model</b> in "
        f"{escape(places)}</summary><p>Methods that ask a model pass this text as data and take no verdict from it. It may "
        f"still sway a model: read these places yourself.</p>{listed([*items, *more], '')}</details>"
    )


def question_badge(case: Case) -> None:
    """Draw a badge if an answer is little like its question. Drawn last: it may wait a moment for the worker."""
    value = _likeness(case)
    low = low_likeness()
    if value is None or not value < low.below:
        return
    # Cut, not rounded: a likeness below the line never reads as the line.
    shown = math.floor(100 * value) / 100
    st.html(
        "<details class='gs-badge'><summary><b>May be beside the question</b>: likeness in meaning to the question "
        f"{shown:.2f}, low is below {low.below:.2f}</summary><p>A support says whether an answer stands on its sources, not "
        f"whether it answers what was asked. Of {low.answers} sample answers {low.own} lie below {low.below:.2f} with their own "
        f"question, {low.random} with another one drawn at random, {low.alike} with the other one most like their own. An "
        "answer that keeps to the subject and leaves the question open can lie above.</p></details>"
    )


def _likeness(case: Case) -> float | None:
    """How alike question and answer are, by the worker; None where that was not measured, or is not known yet."""
    if not assessable(case) or {language_of(case.query), language_of(case.response)} != {"en"}:
        return None
    values: dict[tuple[str, str], Job | float] = state.last_few(state.own("question_likeness", {}), _MOST_ALIKE)
    key = (case.query, case.response)
    value = values[key] if key in values else values.setdefault(key, app_worker.embed(list(key)))
    if isinstance(value, float):
        return value
    app_worker.watching(value)
    if not wait([value.future], timeout=_PATIENCE).done:
        return None
    vectors = value.future.result()
    if vectors is None:
        # Given up, as no page waited: the next run of this page asks again.
        values.pop(key)
        return None
    # No number where the embedder failed: the method whose model it is says why.
    measured = likeness(*vectors) if isinstance(vectors, np.ndarray) else math.nan
    values[key] = measured
    return measured


def _place_of(sign: CaseSign) -> str:
    names = {"query": "the question", "response": "the answer"}
    number = (sign.passage or 0) + 1
    return names.get(sign.where) or (f"passage {number}" if sign.where == "context" else f"the title of passage {number}")
