"""Documents made for tests: PDF pages with a line of text each, and DOCX with whatever its body is told to hold."""

import io
import zipfile
from collections.abc import Callable, Sequence

from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, StreamObject

from groundscope.files.document_text import Document as ReadDocument


def pdf(
    *pages: str | bytes, password: str | None = None, owner: str | None = None, filters: Sequence[str] = ("/FlateDecode",)
) -> bytes:
    """A PDF of a text a page, ASCII without brackets; an empty page for an empty text, and bytes as a packed content."""
    writer = PdfWriter()
    name = NameObject
    font = {name("/Type"): name("/Font"), name("/Subtype"): name("/Type1"), name("/BaseFont"): name("/Helvetica")}
    for text in pages:
        page = writer.add_blank_page(600, 800)
        page[name("/Resources")] = DictionaryObject({name("/Font"): DictionaryObject({name("/F1"): DictionaryObject(font)})})
        content = StreamObject()
        if isinstance(text, bytes):
            content[name("/Filter")] = ArrayObject(map(name, filters))
            content._data = text
        else:
            lines = text.replace("\n", ") Tj 0 -14 Td (")
            content.set_data(f"BT /F1 12 Tf 50 700 Td ({lines}) Tj ET".encode() if text else b"")
        page[name("/Contents")] = writer._add_object(content)
    if password is not None:
        writer.encrypt(password, owner, algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


_NAMES = nsdecls("w") + ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'


def docx(*blocks: str) -> bytes:
    """A DOCX of paragraphs; a block that begins with `<` is put in as it is, with `w:` and `mc:` declared."""
    document = Document()
    body = document.element.body
    for block in blocks:
        if block.startswith(("<w:p>", "<w:tbl>", "<w:sdt>")):
            tag, rest = block.split(">", 1)
            body.insert(len(body) - 1, parse_xml(f"{tag} {_NAMES}>{rest}"))
        elif block.startswith("<"):
            body.insert(len(body) - 1, parse_xml(f"<w:p {_NAMES}>{block}</w:p>"))
        else:
            document.add_paragraph(block)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    """A DOCX with one part replaced or added."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            if part.filename != name:
                new.writestr(part.filename, old.read(part))
        new.writestr(name, content)
    return file.getvalue()


def read_here(function: Callable[..., ReadDocument], *arguments: object, **_limits: object) -> ReadDocument:
    """What the child process that reads a document would give, from this process: it takes a second to start."""
    return function(*arguments)
