"""A document's bytes -> its text, by the extension of its name.

Messages about a document are the rest of a sentence that begins with its name.
"""

import codecs
import json
from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import itemgetter
from pathlib import PurePath
from typing import Any

from groundscope.errors import DataError
from groundscope.files import _document_reader as reader
from groundscope.files._blocks import markdown_read
from groundscope.files.fields import clean
from groundscope.files.headings import gaps
from groundscope.files.sandbox import child, sandboxed
from groundscope.types import DOCUMENT_KINDS, Page

MAX_CHARACTERS = 20_000_000
"""Longest document in characters, about 10,000 pages."""
_SECONDS = reader.SECONDS
_APART = 2_000_000
"""Bytes of a document whose headings are set apart in this process: 0.5 s."""

_MARKDOWN = {".md", ".markdown"}
_TEXT = {".txt", ".text", *_MARKDOWN}
_PACKED = {".docx": "docx", ".pdf": "pdf", ".html": "html", ".htm": "html"}
KINDS = DOCUMENT_KINDS
_CONTENT = {b"%PDF-": "a PDF", b"PK\x03\x04": "a DOCX file or another archive", b"\xd0\xcf\x11\xe0": "an old Word file"}
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
_SCANNED = "holds pictures of pages and no text; have its text recognised (OCR) and load it again."


@dataclass(frozen=True, slots=True)
class Document:
    """A document's text.

    Attributes:
        pages: (start, page) of each part of `text` that stands on one page or in one of its notes; empty if pages are not known.
        headings: offsets of the headings that the file marks as such.
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
    return Document(clean(text), notes=tuple(filter(None, (note, reader.TABLES if has_rows else ""))))


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
    ended = child("groundscope.files._document_reader", kind, str(MAX_CHARACTERS), data=data, seconds=_SECONDS)
    if ended.code is None:
        raise DataError(_SLOW.format(kind=kind.upper()))
    # It fell over its memory limit, if it did not say what was wrong.
    answer: dict[str, Any] = json.loads(ended.out) if ended.code == 0 else {"refused": reader.LARGE}
    if "refused" in answer:
        raise DataError(answer["refused"])
    notes = tuple(map(clean, answer["notes"]))
    return Document(clean(answer["text"]), tuple(map(tuple, answer["pages"])), notes, tuple(answer["headings"]))
