"""Corpus and questions of a new experiment: the app's own, files in the layout of Legal RAG Bench, or documents."""

from collections.abc import Callable
from dataclasses import replace
from html import escape

import streamlit as st

from components import case_sets
from components.controls import download, errors_shown, one_of, slug, unfolded
from components.rag import state
from components.worker.reading import reading
from groundscope.drawing.html import listed, tag
from groundscope.errors import GroundscopeError
from groundscope.files.rows import ENDINGS, KINDS
from groundscope.files.sandbox import FILES, sandboxed
from groundscope.models import embedders
from groundscope.rag.corpora.corpus import File, passages_jsonl, read_benchmark, with_questions, without_questions
from groundscope.rag.corpora.documents import read_documents
from groundscope.rag.corpora.sample_corpus import NAME, from_samples
from groundscope.rag.types import Benchmark
from groundscope.text.humanize import plural

_DOCUMENTS = ["txt", "md", "docx", "pdf"]
_PROBLEMS, _MOST = 10, 500


def choose() -> Benchmark | None:
    """Let the user choose one, and add others."""
    names = [NAME, *state.benchmarks()]
    if (added := st.session_state.pop("rag_added", None)) in names:
        st.session_state["rag_benchmark"] = added
    row = st.container(horizontal=True, vertical_alignment="bottom", key="rag_row_corpus")
    with row.container(width="stretch"):
        name = str(st.selectbox("Corpus and questions", names, key="rag_benchmark", persist_state="session"))
    chosen = _samples() if name == NAME else state.benchmarks()[name]
    with row:
        file = f"{slug(f'passages {name}')}.jsonl"
        hint = "With their ids: questions name in relevant_passage_id those that hold the answer."
        download("Passages as JSONL", lambda: passages_jsonl(chosen.passages), file, "rag_passages", help=hint)
    unfolded("Load another corpus", "rag_add", _add)
    if not chosen.questions:
        _still_to_come(name, chosen)
        return None
    return chosen


def _still_to_come(name: str, corpus: Benchmark) -> None:
    """The form that adds questions to a corpus that has none."""
    count = len(corpus.passages)
    st.html(
        f"<p class='gs-note gs-measure'>{plural(count, 'passage')}, and no questions yet. An id is the "
        f"document's name and the passage's number, such as <code>{escape(corpus.passages[0].id)}</code>; with the ids of "
        "relevant passages in <code>relevant_passage_id</code>, retrieval errors are separated from reasoning errors.</p>"
    )
    told_problems(corpus)
    file = st.file_uploader("Questions to it", type=list(ENDINGS), key=f"rag_questions_to_{name}")
    if st.button("Add them", key="rag_add_questions", disabled=not file) and file:
        with errors_shown():
            with reading():
                asked = (file.name, file.getvalue())
                benchmark = sandboxed(FILES, with_questions, corpus.passages, name, asked, corpus.problems)
            state.benchmarks()[name] = benchmark
            st.rerun()


def told_problems(benchmark: Benchmark) -> None:
    """What the files of a benchmark lack."""
    if benchmark.problems:
        lines = listed(benchmark.problems[:_PROBLEMS])
        st.html(tag("div", "What the files lack:", lines, class_="gs-notice info", role="status"))
    if more := benchmark.problems[_PROBLEMS:_MOST]:
        with st.expander(f"{len(benchmark.problems) - _PROBLEMS:,} more", key="rag_problems"):
            st.html(listed(more, "gs-offer"))


@st.cache_resource(show_spinner=False)
def _samples() -> Benchmark:
    return from_samples(case_sets.sets()[case_sets.SAMPLES].cases)


def _add() -> None:
    ways = ("Corpus and questions as tables", "Documents and questions")
    way = st.segmented_control("Load", ways, default=ways[0], key="rag_way", required=True)
    if way == ways[0]:
        _tables()
    else:
        _documents()


def _tables() -> None:
    st.html(
        "<p class='gs-note gs-measure'>As Legal RAG Bench has it: a corpus with <code>id</code>, <code>text</code> and perhaps "
        "<code>title</code>; questions with <code>id</code>, <code>question</code>, <code>answer</code> (the reference) and "
        f"<code>relevant_passage_id</code>. {KINDS}.</p>"
    )
    corpus = st.file_uploader("Corpus", type=list(ENDINGS), key="rag_corpus")
    questions = st.file_uploader("Questions", type=list(ENDINGS), key="rag_questions")
    licence = st.text_input("Licence of the data, if it has one", key="rag_licence", max_chars=80).strip()
    if st.button("Load them", key="rag_load_tables", disabled=not (corpus and questions)) and corpus and questions:
        files = (corpus.name, corpus.getvalue()), (questions.name, questions.getvalue()), licence
        _read(lambda: sandboxed(FILES, read_benchmark, *files))


def _documents() -> None:
    st.html(
        "<p class='gs-note gs-measure'>Text, Markdown, DOCX or PDF, cut into passages at ends of paragraphs and sentences. "
        "Scanned pages hold no text and are named. Questions as in the other form, now or when you have seen the ids of the "
        "passages, such as <code>lease.pdf-s3</code> of the third of <code>lease.pdf</code>; which passage holds the answer may "
        "be left out.</p>"
    )
    files = st.file_uploader("Documents", type=_DOCUMENTS, accept_multiple_files=True, key="rag_documents")
    counted = f"Counted by all-MiniLM-L6-v2's tokenizer.{_reads()}"
    size = int(st.number_input("Tokens of a passage, at most", 32, 2_048, 512, key="rag_size", help=counted))
    headings = one_of("Cut", {"headings": "At headings, then by length", "length": "By length alone"}, "rag_cut") == "headings"
    questions = st.file_uploader("Questions, if there are any yet", type=list(ENDINGS), key="rag_document_questions")
    if st.button("Load them", key="rag_load_documents", disabled=not files) and files:
        asked = (questions.name, questions.getvalue()) if questions else None
        _read(lambda: _of_documents([(f.name, f.getvalue()) for f in files], size, asked, headings=headings))


def _reads() -> str:
    """How much of a passage the bundled embedder reads."""
    try:
        reads = embedders.embedder("minilm").reads()
    except GroundscopeError:
        return ""
    return f" That model reads {reads:,} tokens of a passage: choose no more where it searches, or the ends are not searched."


def _of_documents(files: list[File], size: int, questions: File | None, *, headings: bool) -> Benchmark:
    documents = read_documents(files, embedders.embedder("minilm").tokens, size, headings=headings)
    name = files[0][0] if len(files) == 1 else f"{files[0][0]} and {len(files) - 1:,} more"
    if questions is None:
        return without_questions(documents.passages, name, documents.problems)
    return sandboxed(FILES, with_questions, documents.passages, name, questions, documents.problems)


def _read(make: Callable[[], Benchmark]) -> None:
    with errors_shown():
        with reading():
            benchmark = make()
        name = state.unused(benchmark.name, [NAME, *state.benchmarks()])
        state.benchmarks()[name] = replace(benchmark, name=name)
        st.session_state["rag_added"] = name
        st.rerun()
