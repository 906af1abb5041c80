"""The results that the Legal RAG page shows, and the place to load more."""

from functools import partial

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.controls import choose_source, read_uploads, removable
from components.opened.rag_results import FILES_KEPT, OF_FILE, REPORTS, AnswerSource, choices, files
from components.rag import state
from components.state import own
from groundscope.errors import DataError
from groundscope.files.rows import ENDINGS, KINDS
from groundscope.files.sandbox import FILES, sandboxed
from groundscope.rag.records import RagResults, joined, read_results
from groundscope.text.humanize import plural


def choose() -> AnswerSource | None:
    """Let the user choose; None where what was chosen cannot be read."""
    return choose_source(choices(), "Results", state.LINK, "rag")


def load() -> None:
    """The place to load results that were made elsewhere."""
    st.html(
        f"<p class='gs-measure'>One row an answer, as {KINDS}: "
        "<code>embedding_model</code>, <code>generative_model</code>, <code>question_id</code>, <code>correct</code> and "
        "<code>grounded</code>. "
        "<code>relevant_passage_in_context</code> separates retrieval errors from reasoning errors. The texts are optional: "
        "<code>question</code>, <code>answer</code> (the reference), <code>rag_answer</code>, <code>context</code>, "
        "<code>relevant_passage_id</code>. With ids of relevant and of retrieved passages (<code>context</code>, or all of them "
        "in <code>retrieved_ids</code>) retrieval is measured too. What the code of Legal RAG Bench writes is read as it is. "
        "Files loaded together become one set of results, unless two of them have the same combination answer the same question. "
        "Nothing is run and nothing is sent; the last "
        f"{FILES_KEPT} files are kept until you leave.</p>"
    )
    uploads = st.file_uploader("Files of results", type=list(ENDINGS), accept_multiple_files=True, key="rag_upload")
    seen = own("rag_seen", dict[str, str]())
    fresh = [file.file_id for file in uploads if file.file_id not in seen]
    loaded: list[RagResults] = []
    if read_uploads(uploads, "rag_seen", partial(_read, loaded)):
        for results in _whole(loaded):
            _keep(results)
        # The tabs above were drawn before the file was there. What is wrong with another one must stay to be read.
        if any(seen[file] for file in fresh):
            state.stay()
        st.rerun()
    sizes = {name: plural(len(results.answers), "answer") for name, results in files().items()}
    removable("Forget", sizes, "rag_forget", _forget)


def _read(loaded: list[RagResults], file: UploadedFile) -> str:
    loaded.append(sandboxed(FILES, read_results, file.name, file.getvalue()))
    return ""


def _whole(loaded: list[RagResults]) -> list[RagResults]:
    """One of files that came together, where they are parts of one."""
    try:
        return [joined(loaded)]
    except DataError:
        return loaded


def _keep(results: RagResults) -> None:
    name = state.unused(results.name, files())
    files()[name] = results
    st.session_state.pop(REPORTS, None)
    state.show_results(f"{OF_FILE}{name}")


def _forget(name: str) -> None:
    files().pop(name, None)
    # Another file may come under this name.
    st.session_state.pop(REPORTS, None)
