"""Small files that were made to hold a reader: many parts, paragraphs, fields and columns, and streams that unpack slowly."""

import base64
import io
import json
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq

from tests.groundscope.files.document_files import docx, pdf, with_part

_WORD = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx_of_parts(count: int) -> bytes:
    """A DOCX that relates to so many parts, which python-docx opens in time that grows with their square."""
    file = io.BytesIO()
    related = b"".join(b'<Relationship Id="x%d" Type="http://x/y" Target="m/%d.bin"/>' % (i, i) for i in range(count))
    kinds = b'<Default Extension="bin" ContentType="application/x"/></Types>'
    with zipfile.ZipFile(io.BytesIO(docx("One."))) as old, zipfile.ZipFile(file, "w") as new:
        for part in old.infolist():
            content = old.read(part).replace(b"</Types>", kinds)
            if part.filename == "word/_rels/document.xml.rels":
                content = content.replace(b"</Relationships>", related + b"</Relationships>")
            new.writestr(part.filename, content)
        for i in range(count):
            new.writestr(f"word/m/{i}.bin", b"a")
    return file.getvalue()


def docx_of_paragraphs(count: int, inside: bytes = b"") -> bytes:
    """A DOCX of so many paragraphs that are alike, and so small."""
    paragraph = b"<w:p>" + inside + b"</w:p>"
    body = b"<w:document " + _WORD + b"><w:body>" + paragraph * count + b"</w:body></w:document>"
    return with_part(docx(), "word/document.xml", body)


_JUNK = b"BT /F1 9 Tf (a) Tj ET 1 0 0 1 7 9 cm q ".ljust(40)


def pdf_of_junk(operators: int) -> bytes:
    """A PDF page of so many operators that place text, packed by LZW and then ASCII85, both of which pypdf unpacks in Python."""
    # What 200 of them pack to begins and ends at a whole group, so that it can be repeated.
    packed = base64.a85encode(_lzw(_JUNK * 200)) * (operators // 200) + base64.a85encode(b"\x80\x80") + b"~>"
    return pdf(packed, filters=("/ASCII85Decode", "/LZWDecode"))


def _lzw(data: bytes) -> bytes:
    """LZW as a PDF has it, without its end, with codes of nine bits: the table is cleared before it needs ten."""
    bits = "".join(f"{256:09b}" + "".join(f"{byte:09b}" for byte in data[at : at + 250]) for at in range(0, len(data), 250))
    assert len(bits) % 32 == 0
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def wide(ending: str, count: int) -> bytes:
    """A file of one row with so many fields."""
    row = dict.fromkeys((f"c{i}" for i in range(count)), 1)
    if ending == "csv":
        return (",".join(row) + "\n" + ",".join(map(str, row.values()))).encode()
    if ending == "parquet":
        file = io.BytesIO()
        pq.write_table(pa.table({name: ["x"] for name in row}), file)
        return file.getvalue()
    return json.dumps(row).encode()
