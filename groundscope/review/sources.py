"""Documents of a matter -> passages, cut at headings and by length, and the passages that an answer is judged against."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import NamedTuple

from groundscope.cases.passages import numbered
from groundscope.errors import DataError
from groundscope.files.document_text import Document, document
from groundscope.files.fields import clean
from groundscope.files.sandbox import sandboxed
from groundscope.rag.corpora.documents import pieces
from groundscope.rag.types import Retriever
from groundscope.runtime.progress import listener
from groundscope.text.humanize import page_numbers, plural
from groundscope.text.sentences import split
from groundscope.types import Passage

WORDS = 350
"""Of a passage at most; a longer section is cut between its paragraphs or sentences."""
MOST_CHARACTERS = 8_000_000
"""Of all sources together."""
_APART = 200_000
"""Bytes of a text that are cut in this process: 0.1 s."""
_LONGEST_NAME = 120
_MOST_NAMED = 12


class SourceFile(NamedTuple):
    """A document that was read, and what the user must know of it, in sentences that begin with its name."""

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
        for n, (start, end, title) in enumerate(pieces(file, lambda text: len(text.split()), WORDS), 1)
    )


def page_words(passages: Iterable[Passage]) -> str:
    """Name the pages of passages."""
    return page_numbers(page for p in passages for _, page in p.pages)


def document_name(passage: Passage) -> str:
    """Name the document of a passage."""
    return passage.document or "a source without a title"


MOST_JUDGED = 60_000
"""Of the passages that an answer is judged against, about 20 pages: heatmaps of more take long to make and to read."""
_DEEPEST = 100
"""Passages that are asked for, for each sentence."""


def pick(
    passages: Sequence[Passage], query: str, response: str, retrievers: Sequence[Retriever], most: int = MOST_JUDGED
) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
    """Choose passages, all where they fit: the best for question and sentences by each retriever, then the second ones.

    Gives those to judge against, in the order of the sources and named "p1", "p2", ..., and those that are left out.
    """
    if sum(len(p.text) for p in passages) <= most:
        return numbered(passages), ()
    asked = [text for text in (query, *(response[s.start : s.end] for s in split(response) if not s.heading)) if text.strip()]
    lists = [hits for r in retrievers for hits in r.search(passages, asked, min(_DEEPEST, len(passages)), listener())]
    chosen: set[int] = set()
    room = most
    for rank in range(max(map(len, lists), default=0)):
        for hits in lists:
            if rank < len(hits) and (at := hits[rank].passage) not in chosen and len(passages[at].text) <= room:
                chosen.add(at)
                room -= len(passages[at].text)
    # Without a hit the first passage stands for them all.
    chosen = chosen or {0}
    picked = [p for i, p in enumerate(passages) if i in chosen]
    return numbered(picked), tuple(p for i, p in enumerate(passages) if i not in chosen)


def unread_words(unread: Sequence[Passage], total: int) -> str:
    """Say what an answer was not judged against."""
    if not unread:
        return ""
    by_file = [(name, list(found)) for name, found in groupby(unread, document_name)]
    parts = [f"{name}{f' ({pages})' if (pages := page_words(found)) else ''}" for name, found in by_file]
    listed = "; ".join(parts[:_MOST_NAMED]) + (f"; and {len(parts) - _MOST_NAMED:,} more" if len(parts) > _MOST_NAMED else "")
    read = f"{total - len(unread):,} of {plural(total, 'passage')} of the sources were read."
    how = "They are the nearest to the question and to each sentence, by words (BM25) and by meaning (MiniLM)."
    return f"{read} {how} Not read: {listed}."
