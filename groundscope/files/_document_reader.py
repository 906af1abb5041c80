"""DOCX, HTML and PDF -> text, in a child process with a memory limit.

It is `python -m groundscope.files._document_reader pdf 20000000`: the kind, and the most characters that are read. The document
comes on standard input; JSON goes to standard output: `text`, `headings`, their offsets, `pages`, the start and the name of each
part on one page, `broken` and `blank`, numbers of the `count` pages that cannot be read or have no text, and `notes`, each a code
with values after tabs. The exit code says what is wrong with a document that cannot be read.
"""

import io
import json
import sys
import zipfile
from collections.abc import Iterator
from typing import Any

from groundscope.files.sandbox import limit

DAMAGED, LARGE, LOCKED, MANY = 3, 4, 5, 6
FOOTNOTES, AS_OPENED, TRACKED, LEFT_OUT, WHOLE = "footnotes", "as-opened", "tracked", "left-out", "whole"
NUMBERED, TABLES, UNREAD, NAMELESS = "numbered", "tables", "unread", "nameless"

SECONDS = 30
MAX_PARTS = 10_000
"""Files inside a DOCX, such as pictures; python-docx takes a second for so many, and four times that for twice as many."""
MAX_PARAGRAPHS = 500_000
"""Of a DOCX, and half as many as its pieces of formatted text; it takes 13 microseconds a piece."""
_MEMORY = 2_000_000_000
_FEW_NAMELESS = 2
"""Letters without a meaning that a PDF may have unsaid; a decoration is such a letter."""
_MAX_DECODED = 100_000_000
"""Bytes that the parts of a DOCX may unpack to, pictures and all."""
_OLD_WORD = b"\xd0\xcf\x11\xe0"


class _RefusedDocument(Exception):
    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def _pdf(data: bytes, most: int, notes: set[str]) -> dict[str, Any]:
    from groundscope.files.pdf_layout import read_layout
    from groundscope.files.pdf_words import LockedPdf, PdfPages
    from groundscope.text.english import is_written_together

    try:
        file = PdfPages(data)
    except LockedPdf:
        raise _RefusedDocument(LOCKED) from None
    pages, size = [], 0
    for page in file:
        pages.append(page)
        size += sum(len(word.text) + 1 for word in page.words) if page else 0
        if size > most:
            raise _RefusedDocument(LARGE)
    broken = [number for number, page in enumerate(pages, 1) if page is None]
    if len(broken) == len(pages):
        raise _RefusedDocument(DAMAGED)
    layout = read_layout(pages, is_written_together)
    notes |= ({AS_OPENED} if file.protected else set()) | ({NUMBERED} if layout.numbered else set())
    notes |= {NAMELESS} if file.nameless > max(_FEW_NAMELESS, size // 1000) else set()
    blank = [number for number, page in enumerate(pages, 1) if page and not page.words]
    return {**layout._asdict(), "broken": broken, "blank": blank, "count": len(pages)}


def _html(data: bytes, notes: set[str], headings: list[int]) -> Iterator[str]:
    from lxml import html

    from groundscope.files._html_text import read_page

    # The file says how it is encoded; one that does not is UTF-8 if it can be.
    try:
        encoding = "utf-8" if data.decode("utf-8-sig") else None
    except UnicodeDecodeError:
        encoding = None
    tree = html.document_fromstring(data, parser=html.HTMLParser(encoding=encoding))
    page = read_page(tree)
    part = page.part
    notes |= {WHOLE} if part.whole else {f"{LEFT_OUT}\t{part.words}\t{part.sample}"} if part.words else set()
    notes |= {TABLES} if page.has_rows else set()
    headings += page.headings
    yield page.text


def _docx(data: bytes, notes: set[str], headings: list[int]) -> Iterator[str]:
    from docx import Document
    from docx.oxml.ns import qn

    from groundscope.files._docx_text import read_body

    if data.startswith(_OLD_WORD):
        # An old Word file, or a new one inside its encryption.
        raise _RefusedDocument(LOCKED if "EncryptedPackage".encode("utf-16-le") in data else DAMAGED)
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        if len(parts.infolist()) > MAX_PARTS:
            raise _RefusedDocument(MANY)
        # What is stated here is also the most that zipfile unpacks of each.
        if sum(part.file_size for part in parts.infolist()) > _MAX_DECODED:
            raise _RefusedDocument(LARGE)
    document = Document(io.BytesIO(data))
    body = document.element.body
    if body.xpath("count(.//w:p)") > MAX_PARAGRAPHS or body.xpath("count(.//w:r)") > 2 * MAX_PARAGRAPHS:
        raise _RefusedDocument(MANY)
    if next(body.iter(qn("w:ins"), qn("w:del"), qn("w:moveFrom")), None) is not None:
        notes.add(TRACKED)
    read_text = read_body(document)
    notes |= ({FOOTNOTES} if read_text.lacks_notes else set()) | ({TABLES} if read_text.has_rows else set())
    notes |= {UNREAD} if read_text.has_unread else set()
    headings += read_text.headings
    yield read_text.text


def read(kind: str, data: bytes, most: int) -> tuple[int, str]:
    """Read a document of a kind, at most so many characters; gives the exit code, and JSON where it is 0."""
    notes: set[str] = set()
    headings: list[int] = []
    try:
        if kind == "pdf":
            answer = _pdf(data, most, notes)
        else:
            text = "".join({"docx": _docx, "html": _html}[kind](data, notes, headings))
            answer = {"text": text, "headings": headings, "pages": [], "broken": [], "blank": []}
        if len(answer["text"]) > most:
            return LARGE, ""
    except _RefusedDocument as refused:
        return refused.code, ""
    except MemoryError:
        return LARGE, ""
    except Exception:  # Broken files raise whatever other people's code comes upon.
        return DAMAGED, ""
    return 0, json.dumps({**answer, "notes": sorted(notes)})


def _main(kind: str, most: int) -> int:
    limit(_MEMORY, SECONDS)
    try:
        code, text = read(kind, sys.stdin.buffer.read(), most)
        sys.stdout.write(text)
    except MemoryError:
        return LARGE
    return code


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1], int(sys.argv[2])))
