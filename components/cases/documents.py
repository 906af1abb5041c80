"""Source files of the paste form and of a matter: read each once, and pick the passages an answer is judged against."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components import shell
from components.state import own
from components.worker.reading import reading
from groundscope.errors import DataError
from groundscope.files.document_text import KINDS
from groundscope.models import embedders
from groundscope.rag.retrieving.bm25 import Bm25
from groundscope.rag.retrieving.dense import Dense
from groundscope.review.sources import MOST_CHARACTERS, SourceFile, page_words, pick, read_source, unread_words
from groundscope.text.humanize import plural
from groundscope.types import Case

_EMBEDDER = "minilm"
_HELP = (
    "PDF, DOCX, saved web pages, text and Markdown. Passages are cut at headings and by length, and keep pages and clauses. "
    "Of a web page its text is read, without menus. Pages that are scans have no text: have it recognised (OCR) first."
)


def uploader(key: str) -> list[UploadedFile]:
    """Where files of sources are dropped."""
    # "text" would mean a text of any kind to Streamlit.
    kinds = sorted({k.removeprefix(".") for k in KINDS} - {"text"})
    return st.file_uploader("Files as sources", type=kinds, accept_multiple_files=True, key=key, help=_HELP)


def read_files(files: Sequence[UploadedFile], key: str) -> dict[str, SourceFile]:
    """The files that can be read, by the id of their upload, each read once; a notice names those that cannot be read."""
    read: dict[str, SourceFile | str] = own(f"{key}_read", {})
    for file in files:
        if file.file_id not in read:
            try:
                read[file.file_id] = read_file(file)
            except DataError as error:
                read[file.file_id] = str(error)
    # What is not there any more is not kept.
    for gone in read.keys() - {file.file_id for file in files}:
        del read[gone]
    sources = {}
    for file in files:
        source = read[file.file_id]
        if isinstance(source, str):
            shell.notice("bad", source)
        else:
            sources[file.file_id] = source
    return sources


def read_file(file: UploadedFile) -> SourceFile:
    """A file as a source; a DataError where it cannot be read."""
    with reading():
        return read_source(file.name, file.getvalue())


def described(source: SourceFile) -> str:
    """A file in words: its pages, passages and characters."""
    size = f"{plural(len(source.passages), 'passage')}, {sum(len(p.text) for p in source.passages):,} characters"
    pages = page_words(source.passages)
    return f"{source.name}: {f'{pages}, ' if pages else ''}{size}"


def fitted(case: Case) -> Case:
    """A case with the passages that its answer is judged against, and a note that says what was not read.

    Raises a DataError where the sources are too long, and what an embedder raises.
    """
    size = sum(len(p.text) for p in case.context)
    if size > MOST_CHARACTERS:
        raise DataError(f"The sources have {size:,} characters together, of {MOST_CHARACTERS:,} at most. Leave some out.")
    with reading(doing="Finding the passages that the answer needs", quick=0):
        passages, unread = pick(case.context, case.query, case.response, (Bm25(), Dense(embedders.embedder(_EMBEDDER))))
    return replace(case, context=passages, note=unread_words(unread, len(case.context)))
