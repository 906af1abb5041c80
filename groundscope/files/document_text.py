"""A document's bytes -> its text, by the extension of its name; DOCX, HTML and PDF are read in a child process.

Messages about a document are the rest of a sentence that begins with its name.
"""

import codecs
import io
import zipfile
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import itemgetter
from pathlib import PurePath

from groundscope.errors import DataError
from groundscope.files._blocks import ReadBlocks, joined, markdown_read
from groundscope.files.fields import clean
from groundscope.files.headings import gaps
from groundscope.files.sandbox import in_child, sandboxed
from groundscope.types import DOCUMENT_KINDS, Page

MAX_CHARACTERS = 20_000_000
"""Longest document in characters, about 10,000 pages."""
_SECONDS = 30
_APART = 2_000_000
"""Bytes of a document whose headings are set apart in this process: 0.5 s."""
MAX_PARTS = 10_000
"""Files inside a DOCX, such as pictures; python-docx takes a second for so many, and four times that for twice as many."""
MAX_PARAGRAPHS = 500_000
"""Of a DOCX, and half as many as its pieces of formatted text; it takes 13 microseconds a piece."""
_FEW_NAMELESS = 2
"""Letters without a meaning that a PDF may have unsaid; a decoration is such a letter."""
_MAX_DECODED = 100_000_000
"""Bytes that the parts of a DOCX may unpack to, pictures and all."""

_MARKDOWN = {".md", ".markdown"}
_TEXT = {".txt", ".text", *_MARKDOWN}
_PACKED = {".docx": "docx", ".pdf": "pdf", ".html": "html", ".htm": "html"}
KINDS = DOCUMENT_KINDS
_OLD_WORD = b"\xd0\xcf\x11\xe0"
_CONTENT = {b"%PDF-": "a PDF", b"PK\x03\x04": "a DOCX file or another archive", _OLD_WORD: "an old Word file"}
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Longer marks before those that they begin with."""
_ENCODINGS = "UTF-8, UTF-16 or UTF-32 with a byte order mark, or Windows-1252"

_EMPTY = "holds no text."
_LARGE = f"holds more than {MAX_CHARACTERS // 1_000_000} million characters; split it into smaller files."
_BINARY = f"is not text in {_ENCODINGS}; save it as UTF-8 and load it again."
_SLOW = f"could not be read within {_SECONDS} seconds; save it again as {{kind}}, or split it into smaller files."
_DAMAGED = "is damaged, or not what its name says; save it again as {} and load that."
_UNPACKS = "unpacks to more than this app reads; split it into smaller files."
_MANY = (
    f"has more than {MAX_PARAGRAPHS:,} paragraphs, {2 * MAX_PARAGRAPHS:,} pieces of formatted text or {MAX_PARTS:,} pictures and "
    "other parts; split it into smaller files."
)
_LOCKED = "needs a password; save it without protection and load that."
_DEEP = "nests its parts deeper than this app reads; open it in a browser, print it as PDF and load that."
_TABLES = "has tables; each row is read as a line of its own, with what its columns are called."
_AS_OPENED = "is protected against changes, but anyone can open it, so it was read."
_NAMELESS = (
    "has letters that its fonts give no meaning to, so that some words lack letters; load it as DOCX, or have its text "
    "recognised (OCR)."
)
_NUMBERED = "is cited by its own page numbers, as it prints or labels them."
_SCANNED = "holds pictures of pages and no text; have its text recognised (OCR) and load it again."


@dataclass(frozen=True, slots=True)
class Document:
    """A document's text, and the offsets of the headings that the file marks as such.

    `pages`: (start, page) of each part that stands on one page or in one of its notes; empty if pages are not known.
    """

    text: str
    pages: tuple[tuple[int, Page], ...] = ()
    notes: tuple[str, ...] = ()
    headings: tuple[int, ...] = ()

    def pages_within(self, start: int, end: int) -> tuple[tuple[int, Page], ...]:
        """The pages of a piece, as `Passage` has them."""
        first, last = (bisect_right(self.pages, at, key=itemgetter(0)) for at in (start, end - 1))
        return tuple((max(0, at - start), page) for at, page in self.pages[max(0, first - 1) : last])


def document(name: str, data: bytes) -> Document:
    """Read a document."""
    ending = PurePath(name).suffix.lower()
    if ending not in KINDS:
        raise DataError("is not a supported kind of document; use .txt, .md, .docx, .pdf or .html.")
    if not data.strip():
        raise DataError(_EMPTY)
    read = _plain(data, ending in _MARKDOWN) if ending in _TEXT else _packed(_PACKED[ending], data)
    # What no browser could show, either.
    if ending in _PACKED and 10 * read.text.count("\ufffd") > len(read.text):
        raise DataError(_BINARY)
    if not read.text.strip():
        raise DataError(_SCANNED if ending == ".pdf" else _EMPTY)
    return sandboxed(_APART, _headings_apart, read)


def _headings_apart(read: Document) -> Document:
    """With a blank line around each heading, so that no sentence goes on from one into the text, or from the text into it."""
    at = gaps(read.text, read.headings)
    text = "\n".join(read.text[a:b] for a, b in pairwise([0, *at, len(read.text)]))
    pages = tuple((start + bisect_right(at, start), page) for start, page in read.pages)
    return replace(read, text=text, pages=pages, headings=tuple(start + bisect_right(at, start) for start in read.headings))


def _plain(data: bytes, markdown: bool) -> Document:
    if content := next((what for mark, what in _CONTENT.items() if data.startswith(mark)), ""):
        raise DataError(f"is not text, its content is {content}; give it the ending of its kind.")
    # Four bytes are a character at most.
    if len(data) > 4 * MAX_CHARACTERS:
        raise DataError(_LARGE)
    text, note = _decoded(data)
    if len(text) > MAX_CHARACTERS:
        raise DataError(_LARGE)
    # UTF-16 without its mark is every other byte NUL, and valid UTF-8.
    if 10 * text.count("\x00") > len(text):
        raise DataError(_BINARY)
    text, has_rows = markdown_read(text) if markdown else (text, False)
    return Document(clean(text), notes=tuple(filter(None, (note, _TABLES if has_rows else ""))))


def _decoded(data: bytes) -> tuple[str, str]:
    """The text, and what the user must know of its encoding."""
    encoding = next((encoding for mark, encoding in _MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding), ""
    except UnicodeDecodeError:
        if encoding != "utf-8" or b"\x00" in data:
            raise DataError(_BINARY) from None
    try:
        return data.decode("cp1252"), "is not UTF-8 and was read as Windows-1252; look at its accents and quotation marks."
    except UnicodeDecodeError:
        raise DataError(_BINARY) from None


def _packed(kind: str, data: bytes) -> Document:
    slow = _SLOW.format(kind=kind.upper())
    read = in_child(read_packed, kind, data, seconds=_SECONDS, slow=slow, heavy=_UNPACKS)
    return replace(read, text=clean(read.text), notes=tuple(map(clean, read.notes)))


def read_packed(kind: str, data: bytes) -> Document:
    """Read a DOCX, HTML or PDF file; in the child process."""
    try:
        if kind == "pdf":
            read = _pdf(data)
        else:
            blocks, notes = (_docx if kind == "docx" else _html)(data)
            text, headings = joined(blocks)
            notes |= {_TABLES} if any(block.row for block in blocks) else set()
            read = Document(text, notes=tuple(sorted(notes)), headings=tuple(headings))
    except (DataError, MemoryError):
        raise
    except Exception:  # Broken files raise whatever other people's code comes upon.
        raise DataError(_DAMAGED.format(kind.upper())) from None
    if len(read.text) > MAX_CHARACTERS:
        raise DataError(_UNPACKS)
    return read


def _pdf(data: bytes) -> Document:
    from groundscope.files.pdf_layout import read_layout
    from groundscope.files.pdf_words import LockedPdf, PdfPages
    from groundscope.text.english import is_written_together

    try:
        file = PdfPages(data)
    except LockedPdf:
        raise DataError(_LOCKED) from None
    pages, size = [], 0
    for page in file:
        pages.append(page)
        size += sum(len(word.text) + 1 for word in page.words) if page else 0
        if size > MAX_CHARACTERS:
            raise DataError(_UNPACKS)
    broken = [number for number, page in enumerate(pages, 1) if page is None]
    if len(broken) == len(pages):
        raise DataError(_DAMAGED.format("PDF"))
    layout = read_layout(pages, is_written_together)
    lacks = file.nameless > max(_FEW_NAMELESS, size // 1000)
    notes = [note for note, holds in ((_AS_OPENED, file.protected), (_NAMELESS, lacks), (_NUMBERED, layout.numbered)) if holds]
    blank = [number for number, page in enumerate(pages, 1) if page and not page.words]
    notes += _pages_note(broken, len(pages), "that cannot be read") + _pages_note(blank, len(pages), "without text")
    return Document(layout.text, tuple(layout.pages), tuple(notes), tuple(layout.headings))


def _pages_note(numbers: Sequence[int], count: int, what: str) -> list[str]:
    return [f"has {len(numbers):,} of {count:,} pages {what}, such as page {numbers[0]:,}."] if numbers else []


def _html(data: bytes) -> ReadBlocks:
    from lxml import etree, html

    from groundscope.files._html_text import read_page

    # The file says how it is encoded; one that does not is UTF-8 if it can be.
    try:
        encoding = "utf-8" if data.decode("utf-8-sig") else None
    except UnicodeDecodeError:
        encoding = None
    parser = html.HTMLParser(encoding=encoding, huge_tree=True)
    tree = html.document_fromstring(data, parser=parser)
    if any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log):
        # What is deeper, and all that follows it, is not in the tree.
        raise DataError(_DEEP)
    return read_page(tree)


def _docx(data: bytes) -> ReadBlocks:
    from docx import Document

    from groundscope.files._docx_text import read_body

    if data.startswith(_OLD_WORD):
        # An old Word file, or a new one inside its encryption.
        raise DataError(_LOCKED if "EncryptedPackage".encode("utf-16-le") in data else _DAMAGED.format("DOCX"))
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        if len(parts.infolist()) > MAX_PARTS:
            raise DataError(_MANY)
        # What is stated here is also the most that zipfile unpacks of each.
        if sum(part.file_size for part in parts.infolist()) > _MAX_DECODED:
            raise DataError(_UNPACKS)
    document = Document(io.BytesIO(data))
    body = document.element.body
    if body.xpath("count(.//w:p)") > MAX_PARAGRAPHS or body.xpath("count(.//w:r)") > 2 * MAX_PARAGRAPHS:
        raise DataError(_MANY)
    return read_body(document)
