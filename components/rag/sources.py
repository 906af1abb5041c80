"""Which results the Legal RAG page shows: an experiment of this machine, or a file that was loaded."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import streamlit as st

from components import shell
from components.rag import state
from evaluation.errors import DataError, GroundscopeError
from evaluation.rag import experiments
from evaluation.rag.outcomes import Answer
from evaluation.rag.ranking import Ranking, rank
from evaluation.rag.records import Results, read_results

_ID = "results"
_FILE = "file "


@dataclass(frozen=True, slots=True)
class Source:
    """Results to look at.

    Attributes:
        id: of the experiment, or of the file.
        name: for people.
        answers: all there are so far.
        judge: who judged; empty where a file does not tell.
        notes: what the user must know of them, in sentences.
        licence: of the data.
        experiment: whether it is one of this machine, whose answers can be tried again without a passage.
        rankings: retrieval by embedder, where all that was retrieved is known.
    """

    id: str
    name: str
    answers: tuple[Answer, ...]
    judge: str = ""
    notes: tuple[str, ...] = ()
    licence: str = ""
    experiment: bool = False
    rankings: tuple[Ranking, ...] = ()


class _Choice(NamedTuple):
    id: str
    label: str
    open: Callable[[], Source]


def choose() -> Source | None:
    """Let the user choose; None where there is nothing yet."""
    listed, troubles = experiments.listed()
    for trouble in troubles:
        shell.notice("bad", trouble)
    choices = [_Choice(f"{_FILE}{name}", name, lambda found=found: _of_file(found)) for name, found in state.files().items()]  # type: ignore[misc]
    for one in listed:
        if one.judged:
            share = "" if one.finished else f", {one.judged:,} of {one.wanted:,} answers"
            choices.append(_Choice(one.id, f"{one.plan.name}{share}", lambda one=one: _of_experiment(one)))  # type: ignore[misc]
    if not choices:
        return None
    by_id = {c.id: c for c in choices}
    linked = st.query_params.get(_ID, "")
    if linked and linked not in by_id:
        shell.notice("info", "The results that the link names are not here; others are shown.")
    index = list(by_id).index(linked) if linked in by_id else 0
    labels = {c.id: c.label for c in choices}
    chosen = st.selectbox("Results", list(by_id), index=index, format_func=lambda i: labels[i], key="rag_results")
    st.query_params[_ID] = chosen
    try:
        return by_id[chosen].open()
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        return None


def _of_file(found: Results) -> Source:
    rejected = [f"Row {r.row} was left out: {r.reason}" for r in found.rejected[:5]]
    if len(found.rejected) > len(rejected):
        rejected.append(f"{len(found.rejected) - len(rejected):,} more rows were left out.")
    return Source(f"{_FILE}{found.name}", found.name, found.answers, notes=(*filter(None, [found.unequal]), *rejected))


def _of_experiment(one: experiments.Listed) -> Source:
    key = (one.id, one.judged)
    kept: dict[Any, Any] = state.reports()
    if key not in kept:
        file = experiments.opened(one.id)
        try:
            plan, questions, passages = file.plan(), file.questions(), file.passages()
            found = [
                rank(part.title, questions, [[passages[h.passage].id for h in hits] for hits in all_], file.deepest())
                for r, part in enumerate(plan.retrievers)
                if (all_ := file.hits(r)) is not None
            ]
            notes = () if one.finished else (f"{one.wanted - one.judged:,} of {one.wanted:,} answers are still to come.",)
            kept[key] = Source(
                one.id, plan.name, tuple(experiments.answers(file)), plan.judge.title, notes, plan.licence, True, tuple(found)
            )
        finally:
            file.close()
    source: Source = kept[key]
    return source


def load() -> None:
    """The place to load results that were made elsewhere."""
    st.html(
        "<p class='gs-measure'>One row an answer, as JSONL, JSON, CSV or Parquet: <code>embedding_model</code>, "
        "<code>generative_model</code>, <code>question_id</code>, <code>correct</code> and <code>grounded</code>. "
        "<code>relevant_passage_in_context</code> tells retrieval errors from reasoning errors. The texts are optional: "
        "<code>question</code>, <code>answer</code> (the reference), <code>rag_answer</code>, <code>context</code>, "
        "<code>relevant_passage_id</code>. Nothing is run and nothing is sent.</p>"
    )
    for file in st.file_uploader(
        "Files of results", type=["jsonl", "json", "csv", "parquet"], accept_multiple_files=True, key="rag_upload"
    ):
        if file.file_id in state.seen():
            continue
        state.seen().add(file.file_id)
        try:
            state.files()[file.name] = read_results(file.name, file.getvalue())
        except DataError as error:
            shell.notice("bad", str(error))
            continue
        # The choice above was drawn before the file was there.
        st.query_params[_ID] = f"{_FILE}{file.name}"
        st.rerun()
    for name in list(state.files()):
        with st.container(horizontal=True, vertical_alignment="center"):
            count = len(state.files()[name].answers)
            st.html(f"<span class='gs-note'>{escape(name)}: {count:,} answers</span>", width="content")
            st.button("Forget", key=f"rag_forget_{name}", on_click=_forget, args=(name,))


def _forget(name: str) -> None:
    state.files().pop(name, None)
