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
from typing import Any

from groundscope.files._blocks import ReadBlocks, joined
from groundscope.files.sandbox import limit

DAMAGED, LARGE, LOCKED, MANY, DEEP = 3, 4, 5, 6, 7
AS_OPENED, NUMBERED, TABLES, NAMELESS = "as-opened", "numbered", "tables", "nameless"

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


def _pdf(data: bytes, most: int) -> dict[str, Any]:
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
    lacks = file.nameless > max(_FEW_NAMELESS, size // 1000)
    notes = [code for code, holds in ((AS_OPENED, file.protected), (NAMELESS, lacks), (NUMBERED, layout.numbered)) if holds]
    blank = [number for number, page in enumerate(pages, 1) if page and not page.words]
    return {**layout._asdict(), "broken": broken, "blank": blank, "count": len(pages), "notes": notes}


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
        raise _RefusedDocument(DEEP)
    return read_page(tree)


def _docx(data: bytes) -> ReadBlocks:
    from docx import Document

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
    return read_body(document)


def read(kind: str, data: bytes, most: int) -> tuple[int, str]:
    """Read a document of a kind, at most so many characters; gives the exit code, and JSON where it is 0."""
    try:
        if kind == "pdf":
            answer = _pdf(data, most)
        else:
            blocks, notes = (_docx if kind == "docx" else _html)(data)
            text, headings = joined(blocks)
            notes |= {TABLES} if any(block.row for block in blocks) else set()
            answer = {"text": text, "headings": headings, "pages": [], "broken": [], "blank": [], "notes": sorted(notes)}
        if len(answer["text"]) > most:
            return LARGE, ""
    except _RefusedDocument as refused:
        return refused.code, ""
    except MemoryError:
        return LARGE, ""
    except Exception:  # Broken files raise whatever other people's code comes upon.
        return DAMAGED, ""
    return 0, json.dumps(answer)


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
