"""Documents of a matter -> passages: cut at headings and by length, each with its document's name, heading and pages."""

from collections.abc import Iterable
from pathlib import PurePath
from typing import NamedTuple

from groundscope.errors import DataError
from groundscope.files.document_text import Document, document
from groundscope.files.fields import clean
from groundscope.files.sandbox import sandboxed
from groundscope.rag.corpora.documents import pieces
from groundscope.text.humanize import page_numbers
from groundscope.types import Passage

WORDS = 350
"""Of a passage at most; a longer section is cut between its paragraphs or sentences."""
MOST_CHARACTERS = 8_000_000
"""Of all sources together."""
_APART = 200_000
"""Bytes of a text that are cut in this process: 0.1 s."""
_LONGEST_NAME = 120


class SourceFile(NamedTuple):
    """A document that was read.

    `passages`: in order; `source` is the name with the heading, `pages` are known for a PDF. `notes`: what the user must know
    of it, in sentences that begin with the name.
    """

    name: str
    passages: tuple[Passage, ...]
    notes: tuple[str, ...]


def read_source(name: str, data: bytes) -> SourceFile:
    """Read a document and cut it into passages."""
    short = PurePath(clean(name).replace("\\", "/")).name[-_LONGEST_NAME:] or "document"
    try:
        text = document(short, data)
        passages = sandboxed(_APART, passages_of, short, text)
    except DataError as error:
        raise DataError(f"{short} {error}") from None
    return SourceFile(short, passages, tuple(f"{short} {note}" for note in text.notes))


def passages_of(name: str, file: Document) -> tuple[Passage, ...]:
    """Cut a document."""
    return tuple(
        Passage(str(n), file.text[start:end], f"{name}, {title}" if title else name, file.pages_within(start, end))
        for n, (start, end, title) in enumerate(pieces(file, _words, WORDS), 1)
    )


def _words(text: str) -> int:
    return len(text.split())


def page_words(passages: Iterable[Passage]) -> str:
    """Name the pages of passages."""
    return page_numbers(page for p in passages for _, page in p.pages)


def document_name(passage: Passage) -> str:
    """Name the document of a passage."""
    return passage.document or "a source without a title"
