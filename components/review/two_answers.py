"""Two answers to one question side by side: what both say, what one says alone, and where they differ."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from components import shell
from components.review import board, queue
from components.worker.reading import reading
from groundscope.drawing.board import prepared
from groundscope.drawing.html import Cell, Html, Mark, cell, highlight, region, table, tag
from groundscope.methods import registry
from groundscope.review import StoredDecision, case_key, default
from groundscope.review.decisions import unlabelled
from groundscope.review.side_by_side import AnswerRow, claims, side_by_side
from groundscope.runtime.byte_cache import keep
from groundscope.text.humanize import plural
from groundscope.text.sentences import split
from groundscope.text.shown import shown_words
from groundscope.types import Case

_EMBEDDER = "minilm"


def show(name: str) -> None:
    """The choice of two answers, and the two beside each other."""
    group, opened = queue.opened()
    by_query: dict[str, list[Case]] = {}
    for case in queue.sets()[group.name].cases:
        by_query.setdefault(" ".join(case.query.split()), []).append(case)
    several = {query: found for query, found in by_query.items() if len(found) > 1}
    if not several:
        words = "Open a set, or a matter, with several answers to one question."
        shell.notice("info", f"No question of “{group.name}” has two answers. {words}")
        return
    asked = list(several)
    now = " ".join(opened.query.split())
    query = st.selectbox("Question", asked, asked.index(now) if now in several else 0, key=f"two_query_{group.name}_{now}")
    cases = several[query]
    labels = {case_key(c): f"{n}: {' '.join(c.response.split())[:90]}" for n, c in enumerate(cases, 1)}
    by_key = {case_key(c): c for c in cases}
    keys = list(labels)
    left, right = st.columns(2)
    first = left.selectbox("First answer", keys, 0, format_func=labels.__getitem__, key=f"two_first_{keys[0]}")
    second = right.selectbox("Second answer", keys, 1, format_func=labels.__getitem__, key=f"two_second_{keys[0]}")
    checks = st.toggle(
        "Show what exact checks find",
        key="two_checks",
        help="Figures, dates, names, quotations and citations that are not in the sources. Decide first if you review blind.",
    )
    _compare(by_key[first], by_key[second], name, checks=checks)


def _compare(first: Case, second: Case, name: str, *, checks: bool) -> None:
    with reading(doing="Comparing the sentences"):
        rows = _rows(first.response, second.response)
    st.html(shell.note(_summary(rows, first, second)))
    sides = [(c, default().current(case_key(c), name), _checked(c) if checks else {}) for c in (first, second)]
    lines = [(_said(sides[0], r.first, r, 0), _said(sides[1], r.second, r, 1), _differs(r, first, second)) for r in rows]
    heads = ["First answer", "Second answer", "What differs"]
    st.html(region("Two answers side by side", table(heads, lines, css="gs-counts gs-names gs-sides")))


@keep(megabytes=8)
def _rows(first: str, second: str) -> tuple[AnswerRow, ...]:
    embedder = registry.embedder(_EMBEDDER)
    texts = [[text[s.start : s.end] for i, s in enumerate(split(text)) if i in set(claims(text))] for text in (first, second)]
    if not all(texts):
        return side_by_side(first, second, np.zeros((len(texts[0]), len(texts[1])), np.float32))
    ours, theirs = (embedder.passages(found, lambda *_: None) for found in texts)
    return side_by_side(first, second, ours @ theirs.T)


def _summary(rows: Sequence[AnswerRow], first: Case, second: Case) -> str:
    both = [r for r in rows if r.first is not None and r.second is not None]
    differing, first_alone, second_alone = (
        sum(bool(r.differs) for r in both),
        sum(r.second is None for r in rows),
        sum(r.first is None for r in rows),
    )
    words = (
        f"{plural(len(both), 'pair')} of sentences alike in meaning, {differing} of them with a difference; {first_alone} in the "
        f"first answer alone, {second_alone} in the second. Pairs are found by embeddings (MiniLM): what is said in quite other "
        "words often stands alone."
    )
    shared = {p.text for p in first.context} & {p.text for p in second.context}
    if shared != {p.text for p in first.context} | {p.text for p in second.context}:
        words += f" They were checked against different passages, of which {len(shared)} are the same."
    return words


_Side = tuple[Case, dict[int, StoredDecision], dict[int, list[str]]]


def _said(side: _Side, i: int | None, row: AnswerRow, which: int) -> Cell:
    """A sentence with its differing words, what was decided of it, and what checks found."""
    if i is None:
        return cell(tag("span", "nothing like it found", class_="gs-note"))
    case, decisions, checked = side
    text = _text(case, i)
    items = [item for d in row.differs for item in (d.response, d.context)[which]]
    below = (
        [f"You: {board.SIGNS[d.decision.ruling]} {d.decision.ruling}"] if (d := decisions.get(i)) and d.decision.ruling else []
    )
    below += checked.get(i, [])
    marks = [Mark(item.start, item.end, "gs-mark") for item in items]
    sentence = tag("span", f"{i + 1}. ", highlight(text, marks), dir="auto")
    return cell(Html(sentence + "".join(tag("p", line, class_="gs-note", dir="auto") for line in below)))


def _differs(row: AnswerRow, first: Case, second: Case) -> Html:
    """Kind by kind, the words of each side."""
    lines = []
    for d in row.differs:
        ours, theirs = (
            ", ".join(_text(case, i)[item.start : item.end] for item in items) or "–"
            for case, i, items in ((first, row.first, d.response), (second, row.second, d.context))
        )
        lines.append(tag("p", f"{d.kind}: {ours} | {theirs}", class_="gs-note"))
    return Html("".join(lines))


def _text(case: Case, i: int | None) -> str:
    if i is None:
        return ""
    s = split(case.response)[i]
    return shown_words(case.response, s.start, s.end)


def _checked(case: Case) -> dict[int, list[str]]:
    """What exact checks found, by sentence."""
    findings = prepared(unlabelled(case)).data["checks"]
    return {i: [c["why"] for c in own] for i, own in enumerate(findings)}
