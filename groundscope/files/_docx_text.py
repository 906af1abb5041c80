"""The body of a DOCX -> text in reading order, with the places of its headings.

Paragraphs, with the numbers that Word draws before them; rows of tables; text boxes after the paragraph that they hang on;
symbols; footnotes and endnotes after the paragraph or table that refers to them, as `[^1] The note.`. Tracked changes are read as
if all were accepted; what is hidden, and lists of contents, are not read.
"""

import re
from collections.abc import Iterator
from itertools import count
from typing import Any

from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import qn

from groundscope.files._blocks import DocumentBlock, ReadBlocks, TableCell, table_blocks, written
from groundscope.files._docx_numbering import Numbering, inner, is_on, value

_LEFT_OUT = {
    *(qn(f"w:{name}") for name in "del moveFrom pPr rPr sectPr tblPr tcPr trPr sdtPr instrText delText".split()),
    # The same text box once more, for programs that cannot draw it.
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
_PARAGRAPH, _TABLE, _ROW, _CELL, _BOX = (qn(f"w:{name}") for name in ("p", "tbl", "tr", "tc", "txbxContent"))
_TEXT = {qn("w:t"), "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"}
_SIGNS = {qn("w:tab"): "\t", qn("w:ptab"): "\t", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-", qn("w:softHyphen"): ""}
_BREAK, _RUN, _SYMBOL = qn("w:br"), qn("w:r"), qn("w:sym")
_REFERENCES = {qn("w:footnoteReference"): "footnote", qn("w:endnoteReference"): "endnote"}

_GREEK = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼" + " " * 34
    + "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|―↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"
)  # fmt: skip
"""The font Symbol from character 32 on."""
_PICTURES = {
    **dict(zip(b"lnoqtuvwx\x9e\x9f\xa7\xa8", "●■☐❑◆◆❖◆☒·•▪☐", strict=True)),
    **dict(zip(b"\xd8\xdf\xe0\xe8\xef\xf0\xf3\xfb\xfc\xfd\xfe", "➢←→➔⇦⇨⇔✗✓☒☑", strict=True)),
}
"""Signs of Wingdings that texts use; others are pictures."""
_MORE_PICTURES = {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0xA3: "☐"}
"""Of Wingdings 2."""
_CONTENTS = re.compile(r"toc \d", re.IGNORECASE)
_TRACKED = "has tracked changes; it was read as if all of them were accepted."
_NO_NOTES = "has footnotes or endnotes, which are not read."
_UNREAD = "has hidden text or a list of contents, which is not read."
_OUTLINED = set("012345678")
"""Levels of headings; level 9 is that of text."""
_MOST_COLUMNS = 63
"""Of a table of Word."""
_PRIVATE = range(0xF020, 0xF100)


def read_body(document: Any) -> ReadBlocks:
    """Read the body of a document of python-docx."""
    body = _Body(document)
    return ReadBlocks(list(body.blocks()), body.remarks)


class _Body:
    def __init__(self, document: Any) -> None:
        self._root = document.element.body
        numbering = next((r.target_part for r in document.part.rels.values() if r.reltype == RELATIONSHIP_TYPE.NUMBERING), None)
        styles = document.styles.element
        self._numbering = Numbering(numbering.element if numbering is not None else None, styles)
        self._headings = {s.style_id for s in document.styles if s.style_id and self._is_heading(s)}
        # A list of contents says each heading again, with a page.
        self._contents = {s.style_id for s in document.styles if s.style_id and s.name and _CONTENTS.fullmatch(s.name)}
        self._heads = {s.style_id for s in document.styles if s.name and s.name.lower().startswith("table heading")}
        self._notes = {kind: _notes(document, kind) for kind in ("footnote", "endnote")}
        self._marks = {"footnote": count(1), "endnote": count(1)}
        self._forms = {kind: self._root.xpath(f"string(.//w:{kind}Pr/w:numFmt/@w:val)") for kind in self._notes}
        changes = (qn("w:ins"), qn("w:del"), qn("w:moveFrom"))
        self.remarks = {_TRACKED} if next(self._root.iter(*changes), None) is not None else set[str]()
        self._waiting: list[DocumentBlock] = []
        self._begun = ""
        self._numbers = count()

    def _is_heading(self, style: Any) -> bool:
        """Named so, or with a level in the outline, itself or what it is based on."""
        for element in self._numbering.bases(style.style_id):
            if (value(element, "w:name") or "").lower().startswith(("heading", "title")):
                return True
            if level := value(element, "w:pPr/w:outlineLvl"):
                return level in _OUTLINED
        return False

    def blocks(self) -> Iterator[DocumentBlock]:
        """All blocks in reading order."""
        return self._of(self._root)

    def _of(self, element: Any, *, inside: bool = False) -> Iterator[DocumentBlock]:
        """Blocks of an element; notes that they refer to wait where it is inside a table or a note."""
        if element.tag in _LEFT_OUT or not isinstance(element.tag, str):
            return
        if element.tag not in (_PARAGRAPH, _TABLE):
            for child in element:
                yield from self._of(child, inside=inside)
            return
        if element.tag == _PARAGRAPH:
            yield from self._paragraph(element, inside=inside)
        else:
            yield from table_blocks(list(self._rows(element)))
        while self._waiting and not inside:
            yield self._waiting.pop(0)

    def _paragraph(self, paragraph: Any, *, inside: bool) -> Iterator[DocumentBlock]:
        boxes: list[Any] = []
        text = "".join(self._runs(paragraph, boxes))
        style, level = value(paragraph, "w:pPr/w:pStyle"), value(paragraph, "w:pPr/w:outlineLvl")
        if style in self._contents:
            self.remarks.add(_UNREAD)
            return
        gone = inner(paragraph, "w:pPr/w:rPr/w:del") is not None
        # Where its end was deleted, a paragraph goes on in the next.
        text, self._begun = ("", self._begun + text) if gone else ((self._begun + text).strip(), "")
        if not gone:
            number = self._numbering.before(paragraph)
            heading = level in _OUTLINED if level else style in self._headings
            if heading:
                text = " ".join(text.split())
            if text:
                yield DocumentBlock(f"{number} {text}" if number else text, heading)
        for box in boxes:
            yield from self._of(box, inside=inside)

    def _runs(self, element: Any, boxes: list[Any]) -> Iterator[str]:
        """Texts of a paragraph in order; text boxes are gathered, and notes wait."""
        for child in element:
            tag = child.tag
            if tag in _TEXT:
                text = child.text or ""
                yield _from_font(text, child.getparent()) if any(ord(c) in _PRIVATE for c in text) else text
            elif tag in _SIGNS:
                yield _SIGNS[tag]
            elif tag == _BREAK:
                yield "\n" if child.get(qn("w:type"), "textWrapping") == "textWrapping" else ""
            elif tag == _SYMBOL:
                yield _symbol(child.get(qn("w:font"), ""), child.get(qn("w:char"), ""))
            elif tag in _REFERENCES:
                yield self._note(_REFERENCES[tag], child.get(qn("w:id"), ""))
            elif tag == _BOX:
                boxes.append(child)
            elif tag == _RUN and is_on(inner(child, "w:rPr/w:vanish")):
                self.remarks.add(_UNREAD)
            elif isinstance(tag, str) and tag not in _LEFT_OUT:
                yield from self._runs(child, boxes)

    def _note(self, kind: str, number: str) -> str:
        """The mark of a note, which then waits for the end of the block."""
        # Once: a note that refers to itself would go on.
        note = self._notes[kind].pop(number, None)
        if note is None:
            self.remarks.add(_NO_NOTES)
            return ""
        at = next(self._marks[kind])
        form = self._forms[kind] or ("decimal" if kind == "footnote" else "lowerRoman")
        mark = written(at, form)
        text = " ".join(block.text for block in self._of(note, inside=True))
        self._waiting.append(DocumentBlock(f"[^{mark}] {' '.join(text.split())}"))
        return f"[^{mark}]"

    def _rows(self, table: Any) -> Iterator[list[TableCell]]:
        above: list[TableCell] = []
        for row in _inside(table, _ROW):
            if inner(row, "w:trPr/w:del") is not None:
                continue
            head = is_on(inner(row, "w:trPr/w:tblHeader"))
            cells: list[TableCell] = []
            for cell in _inside(row, _CELL):
                cells += self._cell(cell, head, above[len(cells)] if len(cells) < len(above) else None)
            above = cells
            yield cells

    def _cell(self, cell: Any, head: bool, above: TableCell | None) -> list[TableCell]:
        merged = inner(cell, "w:tcPr/w:vMerge")
        width = min(_MOST_COLUMNS, int(value(cell, "w:tcPr/w:gridSpan") or 1))
        if merged is not None and merged.get(qn("w:val"), "continue") == "continue" and above is not None:
            return [above] * width
        blocks = tuple(self._of(cell, inside=True))
        named = head or any(value(p, "w:pPr/w:pStyle") in self._heads for p in cell.iterchildren(_PARAGRAPH))
        return [TableCell(blocks, next(self._numbers), named or _is_bold(cell))] * width


def _notes(document: Any, kind: str) -> dict[str, Any]:
    """The notes of a kind by their ids, without the lines that separate them."""
    of = {"footnote": RELATIONSHIP_TYPE.FOOTNOTES, "endnote": RELATIONSHIP_TYPE.ENDNOTES}[kind]
    part = next((r.target_part for r in document.part.rels.values() if r.reltype == of), None)
    if part is None:
        return {}
    written = parse_xml(part.blob).iterchildren(qn(f"w:{kind}"))
    return {e.get(qn("w:id"), ""): e for e in written if e.get(qn("w:type"), "normal") == "normal"}


def _inside(element: Any, tag: str) -> Iterator[Any]:
    """Rows of a table or cells of a row, also those in a form or a tracked insertion."""
    for child in element:
        if child.tag == tag:
            yield child
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
            yield from _inside(child, tag)


def _is_bold(cell: Any) -> bool:
    """Whether all of its text is, as that of a head."""
    runs = [r for r in cell.iter(qn("w:r")) if any((t.text or "").strip() for t in r.iterchildren(qn("w:t")))]
    return bool(runs) and all(is_on(inner(r, "w:rPr/w:b")) for r in runs)


def _symbol(font: str, code: str) -> str:
    try:
        at = int(code, 16)
    except ValueError:
        return ""
    if at in _PRIVATE:
        at -= 0xF000
        if font.lower().startswith("wingdings"):
            return (_MORE_PICTURES if font.endswith("2") else _PICTURES).get(at, "•")
        if font.lower() == "symbol":
            return _GREEK[at - 32 : at - 31].strip()
        return bytes([at]).decode("cp1252", "replace")
    return chr(at) if 32 <= at < 0xD800 or 0xE000 <= at < 0x110000 else ""


def _from_font(text: str, run: Any) -> str:
    """A text of a font of signs, whose characters have no meaning of their own."""
    fonts = inner(run, "w:rPr/w:rFonts")
    font = "Symbol" if fonts is None else fonts.get(qn("w:ascii"), "") or fonts.get(qn("w:hAnsi"), "")
    return "".join(_symbol(font, f"{ord(c):x}") if ord(c) in _PRIVATE else c for c in text)
