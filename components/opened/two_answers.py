"""Two answers to one question side by side: what both say, what one says alone, where they differ, and the findings of each."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.controls import action
from components.worker.reading import reading
from groundscope.drawing.finding_list import LEGEND, STYLE
from groundscope.drawing.html import Cell, Html, Mark, cell, region, shown_html, table, tag
from groundscope.findings import FindingList
from groundscope.models import embedders
from groundscope.review.decisions import claims
from groundscope.review.side_by_side import AnswerRow, side_by_side
from groundscope.runtime.byte_cache import keep
from groundscope.text.humanize import plural, shortened
from groundscope.text.sentences import split
from groundscope.text.shown import shown_words
from groundscope.types import Case

_LINK = "with"
"""The name of the link's parameter: the id of the answer beside the open case."""
_POLL = 0.5


class AnswerSide(NamedTuple):
    """An answer of the two; `findings`: None = the reader must not see them; `lines`: more to say of sentences, by index."""

    case: Case
    findings: FindingList | None
    lines: Mapping[int, str] = MappingProxyType({})


def offer(group: CaseSet, case: Case) -> None:
    """The button of the heatmap; nothing where the question has one answer."""
    if others := case_sets.other_answers(group, case):
        st.button("Compare with another answer", key="two_answers", on_click=_beside, args=(others[0].id,))


def show(group: CaseSet, case: Case, listed: Callable[[Case], FindingList]) -> bool:
    """The open case beside the answer that the link names, with the findings of both; False where it names none."""
    others = case_sets.other_answers(group, case)
    second = next((c for c in others if c.id == st.query_params.get(_LINK)), None)
    if second is None:
        st.query_params.pop(_LINK, None)
        return False
    shell.heading(case.query or "(no question)")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        action("Back to the heatmap", "two_back", st.query_params.pop, _LINK, None)
        chosen = choose(others, second)
    if chosen != second:
        _beside(chosen.id)
        st.rerun()
    state.see(case, second)
    compare(lambda: (AnswerSide(case, listed(case)), AnswerSide(second, listed(second))))
    return True


def _beside(case_id: str) -> None:
    st.query_params[_LINK] = case_id


def choose(others: Sequence[Case], second: Case) -> Case:
    """The choice of the second answer; without one where there is but one."""
    if len(others) == 1:
        return second
    words = [f"{n}. {shortened(' '.join(c.response.split()), 90)}" for n, c in enumerate(others, 1)]
    key = f"two_second_{second.id}_{len(others)}"
    at = st.selectbox("Second answer", range(len(others)), others.index(second), format_func=words.__getitem__, key=key)
    return others[at]


def compare(sides: Callable[[], tuple[AnswerSide, AnswerSide]]) -> None:
    """The table: a row for each pair of sentences, and for each that stands alone; drawn again once methods are done."""
    first, second = sides()
    with reading(doing="Comparing the sentences"):
        rows = _rows(first.case.response, second.case.response)
    st.html(f"<style>{STYLE}</style>{shell.note(_summary(rows, first.case, second.case))}")
    lines = [(_said(first, r.first, r, 0), _said(second, r.second, r, 1), _differs(r, first.case, second.case)) for r in rows]
    heads = [_head("First answer", first), _head("Second answer", second), "What differs"]
    st.html(region("Two answers side by side", table(heads, lines, css="gs-counts gs-names gs-sides")))

    if _working(first, second):
        st.fragment(_wait, run_every=_POLL)(sides)


def _working(*sides: AnswerSide) -> bool:
    return any(s.findings.working for s in sides if s.findings)


def _wait(sides: Callable[[], tuple[AnswerSide, AnswerSide]]) -> None:
    if not _working(*sides()):
        st.rerun()


def _head(name: str, side: AnswerSide) -> Html:
    return Html(name + (tag("p", side.findings.headline, class_="gs-text", dir="auto") if side.findings else ""))


@keep(megabytes=8)
def _rows(first: str, second: str) -> tuple[AnswerRow, ...]:
    embedder = embedders.embedder("minilm")
    texts = [[text[s.start : s.end] for i, s in enumerate(split(text)) if i in set(claims(text))] for text in (first, second)]
    if not all(texts):
        return side_by_side(first, second, np.zeros((len(texts[0]), len(texts[1])), np.float32))
    ours, theirs = (embedder.passages(words, lambda *_: None) for words in texts)
    return side_by_side(first, second, ours @ theirs.T)


def _summary(rows: Sequence[AnswerRow], first: Case, second: Case) -> str:
    both = [r for r in rows if r.first is not None and r.second is not None]
    differing, wording, first_alone, second_alone = (
        sum(bool(r.differs) for r in both),
        sum(any(r.words) for r in both),
        sum(r.second is None for r in rows),
        sum(r.first is None for r in rows),
    )
    words = (
        f"{plural(len(both), 'pair')} of sentences alike in meaning, {differing} of them with other values, names or terms, "
        f"{wording} in other words alone; {first_alone} in the first answer alone, {second_alone} in the "
        "second. Pairs are found by embeddings (MiniLM): what is said in quite other words often stands alone."
    )
    shared = {p.text for p in first.context} & {p.text for p in second.context}
    if shared != {p.text for p in first.context} | {p.text for p in second.context}:
        words += f" They were checked against different passages, of which {len(shared)} are the same."
    return words


def _said(side: AnswerSide, i: int | None, row: AnswerRow, which: int) -> Cell:
    """A sentence with the words of its findings and those that differ, and below it what is found, in words."""
    if i is None:
        return cell(tag("span", "nothing like it found", class_="gs-note"))
    s = split(side.case.response)[i]
    alarms = [f for f in side.findings.of(i) if f.alarm] if side.findings else []
    marks = [Mark(f.start - s.start, f.end - s.start, f"gf-{f.certainty}", f.why) for f in alarms]
    marks += [Mark(item.start, item.end, "gs-mark") for d in row.differs for item in (d.response, d.context)[which]]
    marks += [Mark(start, end, "gs-mark") for start, end in row.words[which]]
    sentence = tag("span", f"{i + 1}. ", shown_html(side.case.response, s.start, s.end, marks), dir="auto")
    lines = [f"{LEGEND[f.certainty].capitalize()}: {f.why}" for f in alarms]
    lines += [side.lines[i]] if i in side.lines else []
    return cell(Html(sentence + "".join(tag("p", line, class_="gs-note", dir="auto") for line in lines)))


def _differs(row: AnswerRow, first: Case, second: Case) -> Html:
    """Kind by kind, the words of each side."""
    kinds = [(str(d.kind), [(i.start, i.end) for i in d.response], [(i.start, i.end) for i in d.context]) for d in row.differs]
    kinds += [("Other words", list(row.words[0]), list(row.words[1]))] if any(row.words) else []
    lines = []
    for kind, *both in kinds:
        ours, theirs = (
            ", ".join(_words(case, i, *span) for span in spans) or "–"
            for case, i, spans in zip((first, second), (row.first, row.second), both, strict=True)
        )
        lines.append(tag("p", f"{kind}: {ours} | {theirs}", class_="gs-note", dir="auto"))
    return Html("".join(lines))


def _words(case: Case, i: int | None, start: int, end: int) -> str:
    """Words of a sentence as they are shown."""
    at = 0 if i is None else split(case.response)[i].start
    return shown_words(case.response, at + start, at + end)
