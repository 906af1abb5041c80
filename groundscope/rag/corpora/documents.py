"""Documents of the user's own -> passages of at most so many tokens, each a piece of its document's text.

Read: text, Markdown, web pages, DOCX (python-docx) and PDF (pdfium). The pieces are semchunk's: it cuts where a text is
most clearly divided, between paragraphs rather than sentences, between sentences rather than words. Legal RAG Bench made its
passages so, of at most 512 tokens (Butler and Butler 2026). Beyond that, a document may be cut before its headings first, so that
no passage holds parts of two sections and each names its own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count as numbers
from pathlib import PurePath
from typing import NamedTuple, cast

from groundscope.errors import DataError
from groundscope.files.clauses import ClausePlace, Clauses, clause_at, clause_places
from groundscope.files.document_text import Document, document
from groundscope.files.fields import clean
from groundscope.files.headings import Section, sections
from groundscope.files.sandbox import sandboxed
from groundscope.rag.corpora._rows import MAX_PASSAGES
from groundscope.runtime.progress import report
from groundscope.text.humanize import page_numbers
from groundscope.types import Passage

Count = Callable[[str], int]
"""How many tokens a text has."""
Span = tuple[int, int]

_BLOCK = 1_000_000
"""Characters that are cut at a time: what semchunk takes of memory grows with its text."""
_FIRST_WORDS = 500
"""Characters in which a piece says where it begins."""
_APART = 200_000
"""Bytes of a text that are cut in this process: 0.12 s."""
_LOOSEST = 64
"""Characters that count as a token at least: a tokenizer may see nothing at all in a megabyte of control characters."""
_KEPT = 20_000
"""Counts that are remembered while one document is cut; words come again and again."""


@dataclass(frozen=True, slots=True)
class Documents:
    """What was read.

    `passages`: ids unique, such as `lease.pdf-s3`, in the order of files and texts; `source` names the file, and the page of a
    PDF. `problems`: what was left out or is doubtful, in sentences that name the file and quote none.
    """

    passages: tuple[Passage, ...]
    problems: tuple[str, ...]


class DocumentPiece(NamedTuple):
    """A piece of a document: `text[start:end]`, and the heading that it stands under; empty where there is none."""

    start: int
    end: int
    title: str


def read_documents(files: Sequence[tuple[str, bytes]], count: Count, size: int = 512, *, headings: bool = False) -> Documents:
    """Read files and cut them into passages. A file that cannot be used is named, and the others go on.

    Reports progress in files and can be cancelled between two of them.
    """
    passages: list[Passage] = []
    problems: list[str] = []
    taken: set[str] = set()
    for done, (path, data) in enumerate(files):
        report(done, len(files))
        name = _unused(path, taken)
        try:
            text = document(name, data)
            chunks = sandboxed(_APART, pieces, text, count, size, headings=headings)
        except DataError as error:
            problems.append(f"{name} {error}")
            continue
        problems += [f"{name} {note}" for note in text.notes]
        room = MAX_PASSAGES - len(passages)
        passages += _passages(name, text, chunks[:room])
        if len(chunks) > room:
            problems.append(f"{name} and what follows it did not fit in: a corpus has at most {MAX_PASSAGES:,} passages.")
            break
    report(len(files), len(files))
    return Documents(tuple(passages), tuple(problems))


def pieces(document: Document, count: Count, size: int, *, headings: bool = True) -> list[DocumentPiece]:
    """Cut a document at its headings, then by length; a piece that begins inside a clause names it."""
    text = document.text
    parts = sections(text, document.headings) if headings else [Section(0, len(text), "")]
    clauses = Clauses()
    cut_pieces: list[DocumentPiece] = []
    for part in parts:
        cuts = _under(part.title, text[part.start : part.end], count, size)
        bare = [_bare(text, part.start + start, part.start + end) for start, end in cuts]
        places: list[ClausePlace] = []
        if headings:
            clauses.enter(part.title)
            places = clauses.places(text[part.start : part.end])
        for start, end in bare:
            if start < end:
                clause = clause_at(places, start - part.start).clause
                cut_pieces.append(DocumentPiece(start, end, _titled(part.title, text[start:end], clause)))
    return cut_pieces


def _titled(title: str, text: str, clause: str) -> str:
    """A title of a piece with the clause that it begins in, where neither it nor the piece's first words say that."""
    if not clause or clause_at(clause_places(text[:_FIRST_WORDS], title), 0).clause == clause:
        return title
    # "2 Costs" says "cl. 2", too.
    named = [begin for t in title.split(", ") for begin in (t, f"cl. {t}")]
    rest = [part for part in clause.split(", ") if not any(t.startswith(part) for t in named)]
    return ", ".join(filter(None, (title, *rest)))


def _under(title: str, text: str, count: Count, size: int) -> list[Span]:
    """Cut a section; its heading stays with what follows it where both fit."""
    spans = cut(text, count, size)
    if title and len(spans) > 1 and len(text[slice(*spans[0])].split()) <= len(title.split()):
        both = (spans[0][0], spans[1][1])
        if count(text[slice(*both)]) <= size:
            return [both, *spans[2:]]
    return spans


def _bare(text: str, start: int, end: int) -> Span:
    """Without the white space around it."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def cut(text: str, count: Count, size: int) -> list[Span]:
    """Cut a text into passages.

    None has more than `size` tokens unless a single character has, nor more than 64 characters for each of them.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1, got {size}")
    from semchunk.semchunk import chunk

    @lru_cache(_KEPT)
    def measured(part: str) -> int:
        least = -(-len(part) // _LOOSEST)
        # Past the size it matters no more by how much, and a tokenizer is spared a whole book at once.
        return least if least > size else max(count(part), least)

    spans: list[Span] = []
    for start, end in _blocks(text):
        try:
            # Not semchunk's own memory, which keeps every text until the program ends.
            cuts = chunk(text[start:end], size, measured, memoize=False, offsets=True)
        except RecursionError:
            raise DataError(
                "cannot be cut into passages, its blank lines and spaces come in too many lengths; make them even."
            ) from None
        _, offsets = cast(tuple[list[str], list[Span]], cuts)
        spans += [(start + first, start + last) for first, last in offsets]
    return spans


def _blocks(text: str) -> Iterator[Span]:
    """Pieces of at most `_BLOCK` characters, which end after a line, or else a word, where there is one."""
    start = 0
    while start < len(text):
        end = min(start + _BLOCK, len(text))
        if end < len(text):
            end = text.rfind("\n", start, end) + 1 or text.rfind(" ", start, end) + 1 or end
        yield start, end
        start = end


def _passages(name: str, text: Document, chunks: Sequence[DocumentPiece]) -> Iterator[Passage]:
    for number, (start, end, title) in enumerate(chunks, 1):
        pages = page_numbers(page for _, page in text.pages_within(start, end))
        yield Passage(f"{name}-s{number}", text.text[start:end], ", ".join(filter(None, [name, title, pages])))


def _unused(path: str, taken: set[str]) -> str:
    name = PurePath(clean(path).replace("\\", "/")).name or "document"
    stem, ending = PurePath(name).stem, PurePath(name).suffix
    free = next(n for i in numbers(1) if (n := name if i == 1 else f"{stem} ({i}){ending}") not in taken)
    taken.add(free)
    return free
