"""Corpus and questions of a new experiment: the app's own, files in the layout of Legal RAG Bench, documents, or a hub id."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

import scorers
from components import shell
from components import state as session
from components.rag import hub, state
from evaluation.errors import GroundscopeError
from evaluation.rag.corpus import read_benchmark, with_questions
from evaluation.rag.documents import read_documents
from evaluation.rag.sample_corpus import NAME, from_samples
from evaluation.rag.types import Benchmark

_TABLES = ["jsonl", "json", "csv", "parquet", "gz"]
_DOCUMENTS = ["txt", "md", "docx", "pdf"]


def choose() -> Benchmark | None:
    """Let the user choose one, and add others."""
    names = [NAME, *state.benchmarks()]
    if (added := st.session_state.pop("rag_added", None)) in names:
        st.session_state["rag_benchmark"] = added
    name = st.selectbox("Corpus and questions", names, key="rag_benchmark", persist_state="session")
    with st.expander("Load another corpus", key="rag_add", on_change="rerun") as panel:
        if panel.open:
            _add()
    return _samples() if name == NAME else state.benchmarks().get(str(name))


@st.cache_resource(show_spinner=False)
def _samples() -> Benchmark:
    return from_samples(session.sets()[session.SAMPLES].cases)


def _add() -> None:
    ways = ("Corpus and questions as tables", "Documents and questions", "A data set on the hub")
    way = st.segmented_control("Load", ways, default=ways[0], key="rag_way", required=True)
    if way == ways[0]:
        _tables()
    elif way == ways[1]:
        _documents()
    elif (made := hub.show()) is not None:
        _keep(made)


def _tables() -> None:
    st.html(
        "<p class='gs-note gs-measure'>As Legal RAG Bench has it: a corpus with <code>id</code>, <code>text</code> and perhaps "
        "<code>title</code>; questions with <code>id</code>, <code>question</code>, <code>answer</code> (the reference) and "
        "<code>relevant_passage_id</code>. JSONL, JSON, CSV or Parquet.</p>"
    )
    corpus = st.file_uploader("Corpus", type=_TABLES, key="rag_corpus")
    questions = st.file_uploader("Questions", type=_TABLES, key="rag_questions")
    licence = st.text_input("Licence of the data, if it has one", key="rag_licence", max_chars=80).strip()
    if st.button("Load them", key="rag_load_tables", disabled=not (corpus and questions)) and corpus and questions:
        _read(lambda: read_benchmark((corpus.name, corpus.getvalue()), (questions.name, questions.getvalue()), licence))


def _documents() -> None:
    st.html(
        "<p class='gs-note gs-measure'>Text, Markdown, DOCX or PDF, cut into passages at sentence and paragraph ends. Scanned "
        "pages hold no text and are named. Questions as in the other form; which passage holds the answer may be left out.</p>"
    )
    files = st.file_uploader("Documents", type=_DOCUMENTS, accept_multiple_files=True, key="rag_documents")
    size = int(
        st.number_input(
            "Tokens of a passage, at most", 32, 2_048, 512, key="rag_size", help="Counted by all-MiniLM-L6-v2's tokenizer."
        )
    )
    questions = st.file_uploader("Questions", type=_TABLES, key="rag_document_questions")
    if st.button("Load them", key="rag_load_documents", disabled=not (files and questions)) and files and questions:
        _read(lambda: _of_documents([(f.name, f.getvalue()) for f in files], size, (questions.name, questions.getvalue())))


def _of_documents(files: list[tuple[str, bytes]], size: int, questions: tuple[str, bytes]) -> Benchmark:
    found = read_documents(files, scorers.embedder("minilm").tokens, size)
    name = files[0][0] if len(files) == 1 else f"{files[0][0]} and {len(files) - 1:,} more"
    return with_questions(found.passages, name, questions, found.problems)


def _read(make: Callable[[], Benchmark]) -> None:
    try:
        with st.spinner("Reading"):
            made = make()
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        return
    _keep(made)


def _keep(made: Benchmark) -> None:
    name = state.unused(made.name, [NAME, *state.benchmarks()])
    state.benchmarks()[name] = replace(made, name=name)
    st.session_state["rag_added"] = name
    st.rerun()
