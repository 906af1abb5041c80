"""What a set holds, as in the paper's table 1, and whether it is fit to measure on."""

from functools import lru_cache

import streamlit as st

from components import reader, scoring, shell, state
from components.state import CaseSet, CopiesSearch
from evaluation.error_types import MEANINGS, TITLES, type_counts
from evaluation.summary import split_counts
from evaluation.types import Case, Judgement
from evaluation.validation import CHECKS, Check, Outcome, near_copies, texts_to_embed, validate

_MARKS = {Outcome.PASSED: "✓ passed", Outcome.FAILED: "✗ failed", Outcome.NOT_APPLICABLE: "– not measured"}
_POLL = 0.5


@lru_cache(maxsize=8)
def _tables(cases: tuple[Case, ...]) -> str:
    """Both tables of counts as HTML; on a large set they take a while, so they are kept."""
    splits = split_counts(cases)
    rows = [
        (s.split, *(f"{n:,}" for n in (s.queries, s.responses, s.grounded, s.ungrounded, s.sentences, s.errors))) for s in splits
    ]
    heads: tuple[str, ...] = ("Split", "Queries", "Responses", "Grounded", "Ungrounded", "Sentences", "Error spans")
    drawn = reader.counts_html(rows, heads, "Size of the set; sentences are those of the responses")
    if any(c.errors for c in cases):
        stance = any(e.contradicted is not None for c in cases for e in c.errors)
        names = [s.split for s in splits if s.split != "all"] if len(splits) > 1 else []
        types = [
            (
                f"{TITLES[t.type]}\n{MEANINGS[t.type]}",
                *(f"{t.by_split.get('' if n == 'no split' else n, 0):,}" for n in names),
                f"{t.total:,}",
                *((f"{t.contradicted:,}",) if stance else ()),
            )
            for t in type_counts(cases)
        ]
        heads = ("Error type", *names, "All", *(("Contradicted",) if stance else ()))
        note = "; contradicted: the context says otherwise, rather than nothing" if stance else ""
        drawn += reader.counts_html(types, heads, f"Errors by type{note}")
    return f'<div class="gs-tables">{drawn}</div>'


@lru_cache(maxsize=4)
def _texts(cases: tuple[Case, ...]) -> tuple[str, ...]:
    """What the search for near-copies compares; the button names its number on every rerun."""
    return tuple(texts_to_embed(cases))


def counts(group: CaseSet) -> None:
    """Queries, responses and sentences by split, and error types."""
    st.html(_tables(group.cases))


def checks(group: CaseSet) -> None:
    """A button that runs the checks, their result, and the search for near-copies."""
    found = state.checked().get(group.cases)
    if found is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            asked = st.button("Check this set", key="check_set", help="Labels, spans, evidence, splits, and surface habits.")
            place = st.container(horizontal=True, vertical_alignment="center")
        if asked:
            with place:
                found = _run(group)
    if found is None:
        return
    failed = sum(c.outcome is Outcome.FAILED for c in found)
    title = f"{failed} of {len(found)} checks failed" if failed else "No check failed"
    st.html(f'<h3 class="gs-small">Checks of this set: {title}</h3>')
    _results(found)
    if found[-1].outcome is Outcome.NOT_APPLICABLE:
        _copies(group)


def _run(group: CaseSet) -> tuple[Check, ...]:
    bar = st.progress(0.0, text="Checking")
    # Any press interrupts the run between two checks; nothing else is needed to stop it.
    st.button("Cancel", key="check_cancel")
    found = []
    for check in validate(group.cases):
        found.append(check)
        bar.progress(len(found) / CHECKS, text=check.title)
    state.checked()[group.cases] = tuple(found)
    st.rerun()


def _results(found: tuple[Check, ...]) -> None:
    rows = [(_MARKS[c.outcome], c.title, c.figure) for c in found]
    st.html(reader.counts_html(rows, ("Outcome", "Check", "Measured")))
    findings = [(check.title, case, words) for check in found for case, words in check.findings]
    if findings:
        import pandas as pd

        st.dataframe(
            pd.DataFrame(findings, columns=["Check", "Case", "Finding"]),
            hide_index=True,
            width="stretch",
            height=min(320, 38 + 36 * len(findings)),
            alt=f"What the checks found: {len(findings)} rows",
        )


def _copies(group: CaseSet) -> None:
    search = state.copies_search()
    if search is None:
        texts = _texts(group.cases)
        pressed = st.button(
            "Look for near-copies", key="copies", help=f"Compares {len(texts):,} questions and passages by their embeddings."
        )
        if pressed:
            state.copies_search(CopiesSearch(group, texts, scoring.embed(list(texts))))
            st.rerun()
        return
    st.fragment(_copies_live, run_every=_POLL)(search, here=search.group == group)


def _copies_live(search: CopiesSearch, *, here: bool) -> None:
    job = search.job
    scoring.watching(job)
    if not job.future.done():
        where = "" if here else " of another set"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(
                job.done / job.total if job.total else 0.0,
                text=f"Comparing {len(search.texts):,} texts{where}: {job.words.lower()}",
            )
            st.button("Cancel", key="copies_cancel", on_click=scoring.stop, args=(job,))
        return
    state.copies_search("clear")
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
