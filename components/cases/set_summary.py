"""The size of a set, as in the paper's table 1, and checks of its labels, spans and splits."""

from collections import Counter
from typing import NamedTuple

import streamlit as st

from components import shell, state
from components.case_sets import CaseSet
from components.controls import errors_shown, progress
from components.scoring import app_worker
from components.worker.job import Job
from components.worker.reading import read_once, reading
from groundscope.cases.error_types import MEANINGS, TITLES, type_counts
from groundscope.cases.set_counts import SetCounts, counted
from groundscope.cases.splitting import split_counts
from groundscope.cases.validation import Check, ValidationOutcome, near_copies, texts_to_embed, validate
from groundscope.drawing.html import Html, explained, listed, table, tag
from groundscope.files.sandbox import sandboxed
from groundscope.runtime.byte_cache import keep
from groundscope.text.humanize import plural
from groundscope.types import Case, Judgement

_MARKS = {
    ValidationOutcome.PASSED: "✓ passed",
    ValidationOutcome.FAILED: "✗ failed",
    ValidationOutcome.NOT_APPLICABLE: "– not measured",
}
CHECKED = 1_500_000
"""Bytes of cases that are checked in 0.2 s; larger sets in a process of their own."""
_COUNTED = 6_000_000
"""Bytes of cases whose sentences are counted in 0.2 s; larger sets beside the server."""
_POLL = 0.5
_SEARCH = "copies_search"


class _CopiesSearch(NamedTuple):
    """A search for near-copies under way: the set it belongs to, its texts, and the job that embeds them."""

    group: CaseSet
    texts: tuple[str, ...]
    job: Job


@keep(megabytes=64)
def _tables(cases: tuple[Case, ...]) -> str:
    """Both tables of counts as HTML; cached, because a large set takes a while. Raises `DataError` if it takes too long."""
    splits = sandboxed(_COUNTED, split_counts, cases)
    rows = [
        (s.split, *(f"{n:,}" for n in (s.queries, s.responses, s.grounded, s.ungrounded, s.sentences, s.errors))) for s in splits
    ]
    heads: tuple[str, ...] = ("Split", "Queries", "Responses", "Grounded", "Ungrounded", "Sentences", "Error spans")
    drawn = table(heads, rows, caption="Size of the set; sentences are those of the responses")
    drawn = Html(listed(counted(cases).lines) + drawn)
    if any(c.types for c in cases):
        stance = any(e.contradicted is not None for c in cases for e in c.errors)
        names = [s.split for s in splits if s.split != "all"] if len(splits) > 1 else []
        types = [
            (
                explained(f"{TITLES[t.type]}\n{MEANINGS[t.type]}"),
                *(f"{t.by_split.get('' if n == 'no split' else n, 0):,}" for n in names),
                f"{t.total:,}",
                *((f"{t.contradicted:,}",) if stance else ()),
            )
            for t in type_counts(cases)
        ]
        heads = ("Error type", *names, "All", *(("Contradicted",) if stance else ()))
        note = "; contradicted: the sources state otherwise, rather than nothing" if stance else ""
        drawn = Html(drawn + table(heads, types, caption=f"Errors by type{note}"))
    return tag("div", drawn, class_="gs-tables")


@keep(megabytes=64)
def _texts(cases: tuple[Case, ...]) -> tuple[str, ...]:
    """The texts that the search for near-copies compares; cached, because the button shows their number on every rerun."""
    return tuple(texts_to_embed(cases))


def at_load(counts: SetCounts) -> None:
    """Values of the label with what they were taken for, reasons of rows that were left out, and what is worth a sentence."""
    drawn = listed(counts.lines)
    if counts.labels:
        rows = [(value or "(empty)", f"{number:,}", meaning) for value, meaning, number in counts.labels]
        drawn = Html(drawn + table(("Label as written", "Count", "Taken for"), rows))
    if counts.left_out:
        left = [(reason.reason, f"{reason.number:,}", ", ".join(map(str, reason.rows))) for reason in counts.left_out]
        drawn = Html(drawn + table(("Left out because", "Rows", "First rows"), left))
    if drawn:
        st.html(tag("div", drawn, class_="gs-tables"))


def in_words(group: CaseSet) -> str:
    """What the set holds, in a sentence."""
    counted = Counter(c.grounded for c in group.cases)
    words = {True: "grounded (the sources say all of it)", False: "ungrounded (with errors)", None: "without a label"}
    labels = ", ".join(f"{counted[label]:,} {text}" for label, text in words.items() if counted[label])
    return f"{plural(len(group.cases), 'answer')}, each with the sources that it should rest on: {labels}."


def counts(group: CaseSet) -> None:
    """Queries, responses and sentences by split, and error types."""
    if drawn := read_once(("counts", group.cases), lambda: _tables(group.cases)):
        st.html(drawn)


def checks(group: CaseSet) -> None:
    """The button for the checks, their results, and the search for near-copies."""
    checked = state.checked().get(group.cases)
    if checked is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            asked = st.button(
                "Check this set",
                key="check_set",
                help="Checks labels, spans, evidence, splits, and whether wording alone gives the label away.",
            )
            place = st.container(horizontal=True, vertical_alignment="center")
        if asked:
            with place, errors_shown():
                with reading(doing="Checking"):
                    state.checked()[group.cases] = sandboxed(CHECKED, validate, group.cases)
                st.rerun()
        return
    failed = sum(c.outcome is ValidationOutcome.FAILED for c in checked)
    title = f"{failed} of {len(checked)} checks failed" if failed else "No check failed"
    st.html(f'<h2 class="gs-small">Checks of this set: {title}</h2>')
    _results(checked)
    if checked[-1].outcome is ValidationOutcome.NOT_APPLICABLE:
        _copies(group)


def _results(checked: tuple[Check, ...]) -> None:
    rows = [(_MARKS[c.outcome], c.title, c.figure) for c in checked]
    st.html(table(("Outcome", "Check", "Measured"), rows))
    findings = [(check.title, case, words) for check in checked for case, words in check.findings]
    if findings:
        import pandas as pd

        st.dataframe(
            pd.DataFrame(findings, columns=["Check", "Case", "Finding"]),
            hide_index=True,
            height=min(320, 38 + 36 * len(findings)),
            alt=f"What the checks found: {len(findings)} rows",
        )


def search_copies(group: CaseSet) -> None:
    """Search a set that is checked for near-copies as soon as it is browsed and no other search is under way."""
    _wanted().add(group.name)


def _wanted() -> set[str]:
    return state.own("copies_wanted", set())


def _start(group: CaseSet) -> None:
    _wanted().discard(group.name)
    texts = _texts(group.cases)
    st.session_state[_SEARCH] = _CopiesSearch(group, texts, app_worker.embed(list(texts)))


def _copies(group: CaseSet) -> None:
    if st.session_state.get(_SEARCH) is None and group.name in _wanted():
        _start(group)
    search: _CopiesSearch | None = st.session_state.get(_SEARCH)
    if search is None:
        texts = _texts(group.cases)
        pressed = st.button(
            "Find near-copies", key="copies", help=f"Compares {len(texts):,} questions and passages by their embeddings."
        )
        if pressed:
            _start(group)
            st.rerun()
        return
    st.fragment(_copies_live, run_every=_POLL)(search, same_set=search.group == group)


def _copies_live(search: _CopiesSearch, *, same_set: bool) -> None:
    job = search.job
    app_worker.watching(job)
    if not job.future.done():
        where = "" if same_set else " of another set"
        words = f"Comparing {len(search.texts):,} texts{where}: {job.words.lower()}"
        progress(job.share, words, "copies_cancel", app_worker.stop, job)
        return
    st.session_state.pop(_SEARCH, None)
    vectors = job.future.result()
    if isinstance(vectors, Judgement):
        shell.notice("bad", vectors.note)
        return
    checks_before = state.checked().get(search.group.cases)
    if vectors is not None and checks_before:
        places = {text: i for i, text in enumerate(search.texts)}
        check = near_copies(search.group.cases, lambda wanted: vectors[[places[t] for t in wanted]])
        state.checked()[search.group.cases] = (*checks_before[:-1], check)
    st.rerun()
