"""The body of a DOCX -> text in reading order, with the places of its headings.

Paragraphs, with the numbers that Word draws before them; rows of tables; text boxes after the paragraph that they hang on;
symbols; footnotes and endnotes after the paragraph or table that refers to them, as `[^1] The note.`. Tracked changes are read as
if all were accepted; what is hidden, and lists of contents, are not read.
"""

import re
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import qn

from groundscope.files._blocks import DocumentBlock, ReadBlocks, TableCell, table_blocks, written

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
_LEVELS = 9
_LISTED = "w:pPr/w:numPr"
_VALUE = qn("w:val")
_WORD = _VALUE.removesuffix("val")


def read_body(document: Any) -> ReadBlocks:
    """Read the body of a document of python-docx."""
    body = _Body(document)
    return ReadBlocks(list(body.blocks(document.element.body)), body.remarks)


class _Body:
    def __init__(self, document: Any) -> None:
        root = document.element.body
        numbering = next((r.target_part for r in document.part.rels.values() if r.reltype == RELATIONSHIP_TYPE.NUMBERING), None)
        styles = document.styles.element
        self._numbering = Numbering(numbering.element if numbering is not None else None, styles)
        self._headings = {s.style_id for s in document.styles if s.style_id and self._is_heading(s)}
        # A list of contents says each heading again, with a page.
        self._contents = {s.style_id for s in document.styles if s.style_id and s.name and _CONTENTS.fullmatch(s.name)}
        self._heads = {s.style_id for s in document.styles if s.name and s.name.lower().startswith("table heading")}
        self._notes = {kind: _notes(document, kind) for kind in ("footnote", "endnote")}
        self._marks = {"footnote": count(1), "endnote": count(1)}
        self._forms = {kind: root.xpath(f"string(.//w:{kind}Pr/w:numFmt/@w:val)") for kind in self._notes}
        changes = (qn("w:ins"), qn("w:del"), qn("w:moveFrom"))
        self.remarks = {_TRACKED} if next(root.iter(*changes), None) is not None else set[str]()
        self._waiting: list[DocumentBlock] = []
        self._begun = ""
        self._numbers = count()

    def _is_heading(self, style: Any) -> bool:
        """Named so, or with a level in the outline, itself or what it is based on."""
        for element in self._numbering.bases(style.style_id):
            if (_value(element, "w:name") or "").lower().startswith(("heading", "title")):
                return True
            if level := _value(element, "w:pPr/w:outlineLvl"):
                return level in _OUTLINED
        return False

    def blocks(self, element: Any, *, inside: bool = False) -> Iterator[DocumentBlock]:
        """Blocks of an element in reading order; notes that they refer to wait where it is inside a table or a note."""
        if element.tag in _LEFT_OUT or not isinstance(element.tag, str):
            return
        if element.tag not in (_PARAGRAPH, _TABLE):
            for child in element:
                yield from self.blocks(child, inside=inside)
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
        style, level = _value(paragraph, "w:pPr/w:pStyle"), _value(paragraph, "w:pPr/w:outlineLvl")
        if style in self._contents:
            self.remarks.add(_UNREAD)
            return
        gone = _inner(paragraph, "w:pPr/w:rPr/w:del") is not None
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
            yield from self.blocks(box, inside=inside)

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
            elif tag == _RUN and _is_on(_inner(child, "w:rPr/w:vanish")):
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
        text = " ".join(block.text for block in self.blocks(note, inside=True))
        self._waiting.append(DocumentBlock(f"[^{mark}] {' '.join(text.split())}"))
        return f"[^{mark}]"

    def _rows(self, table: Any) -> Iterator[list[TableCell]]:
        above: list[TableCell] = []
        for row in _inside(table, _ROW):
            if _inner(row, "w:trPr/w:del") is not None:
                continue
            head = _is_on(_inner(row, "w:trPr/w:tblHeader"))
            cells: list[TableCell] = []
            for cell in _inside(row, _CELL):
                cells += self._cell(cell, head, above[len(cells)] if len(cells) < len(above) else None)
            above = cells
            yield cells

    def _cell(self, cell: Any, head: bool, above: TableCell | None) -> list[TableCell]:
        merged = _inner(cell, "w:tcPr/w:vMerge")
        width = min(_MOST_COLUMNS, int(_value(cell, "w:tcPr/w:gridSpan") or 1))
        if merged is not None and merged.get(qn("w:val"), "continue") == "continue" and above is not None:
            return [above] * width
        blocks = tuple(self.blocks(cell, inside=True))
        named = head or any(_value(p, "w:pPr/w:pStyle") in self._heads for p in cell.iterchildren(_PARAGRAPH))
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
    return bool(runs) and all(_is_on(_inner(r, "w:rPr/w:b")) for r in runs)


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
    fonts = _inner(run, "w:rPr/w:rFonts")
    font = "Symbol" if fonts is None else fonts.get(qn("w:ascii"), "") or fonts.get(qn("w:hAnsi"), "")
    return "".join(_symbol(font, f"{ord(c):x}") if ord(c) in _PRIVATE else c for c in text)


class _Level(NamedTuple):
    start: int
    form: str
    pattern: str
    legal: bool


class Numbering:
    """Numbers that Word draws before paragraphs ("4.2", "(a)") and that are in no text; paragraphs are given in order."""

    def __init__(self, numbering: Any, styles: Any) -> None:
        self._abstract = {e.get(qn("w:abstractNumId")): e for e in _all(numbering, "w:abstractNum")}
        self._nums = {e.get(qn("w:numId")): e for e in _all(numbering, "w:num")}
        self._styles = {e.get(qn("w:styleId")): e for e in _all(styles, "w:style")}
        self._levels: dict[str, tuple[str, dict[int, _Level]]] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[str] = set()

    def before(self, paragraph: Any) -> str:
        """Count a paragraph; gives what Word draws before it, empty for none."""
        number, depth = self._place(paragraph)
        abstract, levels = self._levels_of(number) if number else ("", {})
        level = levels.get(depth)
        if level is None:
            return ""
        counts = self._counts.setdefault(abstract, {})
        if number not in self._begun:
            self._begun.add(number)
            for override in _all(self._nums.get(number), "w:lvlOverride"):
                if start := _value(override, "w:startOverride"):
                    counts[int(override.get(qn("w:ilvl"), 0))] = int(start) - 1
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [at for at in counts if at > depth]:
            del counts[deeper]
        if level.form == "bullet":
            return "•"
        drawn = level.pattern
        for at in range(min(depth, _LEVELS - 1) + 1):
            of = levels.get(at, level)
            form = "decimal" if level.legal else of.form
            drawn = drawn.replace(f"%{at + 1}", written(counts.get(at, of.start), form))
        return drawn.strip()

    def _place(self, paragraph: Any) -> tuple[str, int]:
        """The list and the level of a paragraph, of itself or of its style."""
        if _inner(paragraph, "w:pPr") is None:
            return "", 0
        number, depth = _value(paragraph, f"{_LISTED}/w:numId"), _value(paragraph, f"{_LISTED}/w:ilvl")
        for of in self.bases(_value(paragraph, "w:pPr/w:pStyle") or ""):
            if _inner(of, _LISTED) is not None:
                number = number or _value(of, f"{_LISTED}/w:numId")
                # A style has the level that names it.
                depth = depth or _value(of, f"{_LISTED}/w:ilvl") or self._level_of_style(number, of.get(qn("w:styleId")))
        return number if number and number != "0" else "", int(depth) if depth and depth.isdecimal() else 0

    def bases(self, style: str) -> Iterator[Any]:
        """A style, what it is based on, and so on."""
        seen: set[str] = set()
        while style in self._styles and style not in seen:
            seen.add(style)
            yield self._styles[style]
            style = _value(self._styles[style], "w:basedOn") or ""

    def _level_of_style(self, number: str | None, style: str) -> str | None:
        levels = _all(self._abstract_of(number or ""), "w:lvl")
        return next((e.get(qn("w:ilvl")) for e in levels if _value(e, "w:pStyle") == style), None)

    def _abstract_of(self, number: str) -> Any:
        element = self._abstract.get(_value(self._nums.get(number), "w:abstractNumId") or "")
        linked = self._styles.get(_value(element, "w:numStyleLink"))
        theirs = self._nums.get(_value(linked, f"{_LISTED}/w:numId") or "")
        return self._abstract.get(_value(theirs, "w:abstractNumId") or "", element)

    def _levels_of(self, number: str) -> tuple[str, dict[int, _Level]]:
        if number not in self._levels:
            element = self._abstract_of(number)
            levels = [*_all(element, "w:lvl"), *_all(self._nums.get(number), "w:lvlOverride/w:lvl")]
            key = element.get(qn("w:abstractNumId"), "") if element is not None else ""
            self._levels[number] = key, {int(e.get(qn("w:ilvl"), 0)): _level(e) for e in levels}
        return self._levels[number]


def _level(element: Any) -> _Level:
    form = _value(element, "w:numFmt") or "decimal"
    # A word processor draws nothing where the text is missing.
    pattern = _value(element, "w:lvlText") or ""
    return _Level(int(_value(element, "w:start") or "1"), form, pattern, _is_on(_inner(element, "w:isLgl")))


def _is_on(element: Any) -> bool:
    """Whether a switch is there and not off."""
    return element is not None and element.get(qn("w:val"), "true") not in ("0", "false", "off")


def _inner(element: Any, path: str) -> Any:
    """What stands in an element, None where there is none."""
    return None if element is None else element.find(path.replace("w:", _WORD))


def _value(element: Any, path: str) -> str | None:
    """The value of what stands in an element, if both are there."""
    of = _inner(element, path)
    read: str | None = None if of is None else of.get(_VALUE)
    return read


def _all(element: Any, path: str) -> list[Any]:
    return [] if element is None else element.findall(path.replace("w:", _WORD))
