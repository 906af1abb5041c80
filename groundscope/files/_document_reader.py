"""DOCX, HTML and PDF -> text, in a child process with a memory limit.

It is `python -m groundscope.files._document_reader pdf 20000000`: the kind, and the most characters that are read. The document
comes on standard input; JSON goes to standard output: `text`, `headings`, their offsets, `pages`, the start and the name of each
part on one page, and `notes`; or `refused`. Both are the rest of a sentence that begins with the document's name.
"""

import io
import json
import sys
import zipfile
from collections.abc import Sequence
from typing import Any

from groundscope.files._blocks import ReadBlocks, joined
from groundscope.files.sandbox import limit

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

_DAMAGED = "is damaged, or not what its name says; save it again as {} and load that."
LARGE = "unpacks to more than this app reads; split it into smaller files."
_MANY = (
    f"has more than {MAX_PARAGRAPHS:,} paragraphs, {2 * MAX_PARAGRAPHS:,} pieces of formatted text or {MAX_PARTS:,} pictures and "
    "other parts; split it into smaller files."
)
_LOCKED = "needs a password; save it without protection and load that."
_DEEP = "nests its parts deeper than this app reads; open it in a browser, print it as PDF and load that."
TABLES = "has tables; each row is read as a line of its own, with what its columns are called."
_AS_OPENED = "is protected against changes, but anyone can open it, so it was read."
_NAMELESS = (
    "has letters that its fonts give no meaning to, so that some words lack letters; load it as DOCX, or have its text "
    "recognised (OCR)."
)
_NUMBERED = "is cited by its own page numbers, as it prints or labels them."


class _RefusedDocument(Exception):
    """Why a document is not read."""


def _pdf(data: bytes, most: int) -> dict[str, Any]:
    from groundscope.files.pdf_layout import read_layout
    from groundscope.files.pdf_words import LockedPdf, PdfPages
    from groundscope.text.english import is_written_together

    try:
        file = PdfPages(data)
    except LockedPdf:
        raise _RefusedDocument(_LOCKED) from None
    pages, size = [], 0
    for page in file:
        pages.append(page)
        size += sum(len(word.text) + 1 for word in page.words) if page else 0
        if size > most:
            raise _RefusedDocument(LARGE)
    broken = [number for number, page in enumerate(pages, 1) if page is None]
    if len(broken) == len(pages):
        raise _RefusedDocument(_DAMAGED.format("PDF"))
    layout = read_layout(pages, is_written_together)
    lacks = file.nameless > max(_FEW_NAMELESS, size // 1000)
    notes = [note for note, holds in ((_AS_OPENED, file.protected), (_NAMELESS, lacks), (_NUMBERED, layout.numbered)) if holds]
    blank = [number for number, page in enumerate(pages, 1) if page and not page.words]
    notes += _pages_note(broken, len(pages), "that cannot be read") + _pages_note(blank, len(pages), "without text")
    return {**layout._asdict(), "notes": notes}


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
        raise _RefusedDocument(_DEEP)
    return read_page(tree)


def _docx(data: bytes) -> ReadBlocks:
    from docx import Document

    from groundscope.files._docx_text import read_body

    if data.startswith(_OLD_WORD):
        # An old Word file, or a new one inside its encryption.
        raise _RefusedDocument(_LOCKED if "EncryptedPackage".encode("utf-16-le") in data else _DAMAGED.format("DOCX"))
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        if len(parts.infolist()) > MAX_PARTS:
            raise _RefusedDocument(_MANY)
        # What is stated here is also the most that zipfile unpacks of each.
        if sum(part.file_size for part in parts.infolist()) > _MAX_DECODED:
            raise _RefusedDocument(LARGE)
    document = Document(io.BytesIO(data))
    body = document.element.body
    if body.xpath("count(.//w:p)") > MAX_PARAGRAPHS or body.xpath("count(.//w:r)") > 2 * MAX_PARAGRAPHS:
        raise _RefusedDocument(_MANY)
    return read_body(document)


def read(kind: str, data: bytes, most: int) -> dict[str, Any]:
    """Read a document of a kind, at most so many characters."""
    try:
        if kind == "pdf":
            answer = _pdf(data, most)
        else:
            blocks, notes = (_docx if kind == "docx" else _html)(data)
            text, headings = joined(blocks)
            notes |= {TABLES} if any(block.row for block in blocks) else set()
            answer = {"text": text, "headings": headings, "pages": [], "notes": sorted(notes)}
        return answer if len(answer["text"]) <= most else {"refused": LARGE}
    except _RefusedDocument as refused:
        return {"refused": str(refused)}
    except MemoryError:
        return {"refused": LARGE}
    except Exception:  # Broken files raise whatever other people's code comes upon.
        return {"refused": _DAMAGED.format(kind.upper())}


if __name__ == "__main__":
    limit(_MEMORY, SECONDS)
    sys.stdout.write(json.dumps(read(sys.argv[1], sys.stdin.buffer.read(), int(sys.argv[2]))))
