"""The answer with its corrections as DOCX: real headings, lists and tables, tracked changes, and a comment for each decision."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any
from xml.sax.saxutils import quoteattr

from groundscope.review.redline import Redline, RedlineParagraph, RedlinePiece, Remark, TrackedChange
from groundscope.review.report import PageSize
from groundscope.review.report_docx import element, saved
from groundscope.text.shown import BlockKind, Style

TITLE = "Answer with corrections"
_STYLES = {BlockKind.QUOTE: "Quote", BlockKind.CODE: "macro"}
_MOST_LEVELS = 3
"""Levels of lists that Word's own styles have."""
_TAGS = {TrackedChange.DELETED: "w:del", TrackedChange.QUOTED: "w:ins"}
_INDENT = 360
"""Twentieths of a point by which each level of a list is moved in."""
_LIST = (
    '<w:abstractNum {0} w:abstractNumId="{1}"><w:multiLevelType w:val="singleLevel"/><w:lvl w:ilvl="0"><w:start w:val="1"/>'
    '<w:numFmt w:val="decimal"/><w:lvlText w:val={4}/><w:pPr><w:ind w:left="{2}" w:hanging="{3}"/></w:pPr></w:lvl>'
    "</w:abstractNum>"
)


def docx_redline(content: Redline, page_size: PageSize = PageSize.A4) -> bytes:
    """Write the answer: with all changes rejected it is the answer as it was, with all accepted the corrected one."""
    from docx import Document
    from docx.shared import Mm

    document: Any = Document()
    document.sections[0].page_width, document.sections[0].page_height = map(Mm, page_size.millimetres)
    document.core_properties.title, document.core_properties.author = TITLE, content.reviewer[:255]
    _Writer(document, content).write()
    return saved(document)


class _Writer:
    def __init__(self, document: Any, content: Redline) -> None:
        self._document, self._content = document, content
        self._numbers = _Numbers(document)
        self._left = Counter(p.remark for row in content.paragraphs for cell in row.cells for p in cell)
        """Pieces of each remark that are not written yet."""
        self._open: dict[int, str] = {}
        """The number of the comment of each remark that is begun."""
        self._changes = 0

    def write(self) -> None:
        rows: list[RedlineParagraph] = []
        head = self._content.head
        for paragraph, following in zip_longest(self._content.paragraphs, self._content.paragraphs[1:]):
            if paragraph.block.kind is BlockKind.TABLE:
                rows.append(paragraph)
                if following is None or following.block != paragraph.block:
                    self._table(rows)
                    rows = []
                    # Word joins tables that follow one another, and none may be the last.
                    if following is None or following.block.kind is BlockKind.TABLE:
                        self._document.add_paragraph()
                continue
            p = self._paragraph(paragraph)
            if paragraph.gone is not None:
                of_end = element("w:rPr")
                of_end.append(self._change(TrackedChange.DELETED, paragraph.gone))
                p._p.get_or_add_pPr().append(of_end)
                if following is None:
                    # The end of the last paragraph cannot go.
                    self._document.add_paragraph()
            if head:
                self._comment(head, p)
                head = None
        if head:
            self._comment(head, self._document.add_paragraph())

    def _paragraph(self, paragraph: RedlineParagraph) -> Any:
        block = paragraph.block
        level = min(block.level, _MOST_LEVELS - 1)
        deeper = f" {level + 1}" if level else ""
        number = "".join(c for c in paragraph.marker if c.isdecimal()) if paragraph.marker.isascii() else ""
        name, before = _STYLES.get(block.kind, "Normal"), ""
        if block.kind is BlockKind.HEADING:
            name = f"Heading {block.level}"
        elif block.kind is BlockKind.ITEM:
            bullet = paragraph.marker in {"•", "◦"}
            name = f"List Number{deeper}" if number else f"List Bullet{deeper}" if bullet else f"List{deeper}"
            before = "" if number or bullet or not paragraph.marker else f"{paragraph.marker} "
        p = self._document.add_paragraph(before, name)
        if number:
            self._numbers.count(p, paragraph.marker.replace(number, "%1"), block.level, int(number))
        elif block.kind is not BlockKind.ITEM:
            self._numbers.begin()
        if block.kind is BlockKind.RULE:
            borders = element("w:pBdr")
            borders.append(element("w:bottom", val="single", sz="6", space="1", color="auto"))
            p._p.get_or_add_pPr().append(borders)
        self._pieces(p, paragraph.cells[0], block.kind)
        return p

    def _table(self, rows: Sequence[RedlineParagraph]) -> None:
        from docx.text.paragraph import Paragraph

        self._numbers.begin()
        table = self._document.add_table(len(rows), max(len(row.cells) for row in rows), "Table Grid")
        for row, tr in zip(rows, table._tbl.tr_lst, strict=True):
            for cell, tc in zip(row.cells, tr.tc_lst, strict=False):
                self._pieces(Paragraph(tc.p_lst[0], table), cell, BlockKind.TABLE)
            if row.gone is not None:
                tr.get_or_add_trPr().append(self._change(TrackedChange.DELETED, row.gone))

    def _pieces(self, p: Any, pieces: Sequence[RedlinePiece], kind: BlockKind) -> None:
        from docx.oxml.ns import qn

        for piece in pieces:
            if piece.remark >= 0 and piece.remark not in self._open:
                self._open[piece.remark] = number = self._noted(self._content.remarks[piece.remark])
                p._p.append(element("w:commentRangeStart", id=number))
            run = p.add_run(piece.text)
            _dress(run, piece, kind)
            if piece.change is not TrackedChange.KEPT:
                change = self._change(piece.change, piece.remark)
                p._p.append(change)
                change.append(run._r)
            if piece.change is TrackedChange.DELETED:
                for text in run._r.t_lst:
                    text.tag = qn("w:delText")
            self._left[piece.remark] -= 1
            if piece.remark >= 0 and not self._left[piece.remark]:
                _close(p, self._open[piece.remark])

    def _change(self, change: TrackedChange, remark: int) -> Any:
        """What words, a paragraph's end or a row is in when it goes, or comes."""
        self._changes += 1
        time = _time(self._content.remarks[remark].time)
        return element(_TAGS[change], id=str(self._changes), author=self._content.reviewer, date=f"{time:%Y-%m-%dT%H:%M:%SZ}")

    def _comment(self, remark: Remark, p: Any) -> None:
        """A comment on a whole paragraph."""
        number = self._noted(remark)
        p._p.insert(1 if p._p.pPr is not None else 0, element("w:commentRangeStart", id=number))
        _close(p, number)

    def _noted(self, remark: Remark) -> str:
        name = self._content.reviewer
        initials = "".join(word[0] for word in name.split())[:3]
        comment = self._document.part.comments.add_comment("\n".join(remark.lines), name, initials)
        if remark.time:
            comment._comment_elm.date = _time(remark.time)
        return str(comment.comment_id)


def _close(p: Any, number: str) -> None:
    p._p.append(element("w:commentRangeEnd", id=number))
    p.add_run()._r.append(element("w:commentReference", id=number))


def _time(written: str) -> datetime:
    return datetime.fromisoformat(written).astimezone(UTC)


def _dress(run: Any, piece: RedlinePiece, kind: BlockKind) -> None:
    """Give words their look, by the styles that Word has for it."""
    names = {Style.CODE: "Macro Text Char", Style.BOLD: "Strong", Style.ITALIC: "Emphasis"}
    if kind is BlockKind.TABLE:
        names |= {Style.HEAD: "Strong"}
    looks = [look for look in names if look in piece.styles]
    if looks:
        run.style = names[looks[0]]
    # A run has one style.
    run.italic = True if Style.ITALIC in looks[1:] else None
    run.font.strike = True if Style.STRUCK in piece.styles else None
    run.font.superscript = True if Style.MARK in piece.styles else None


class _Numbers:
    """The numbers of lists, which Word counts: each begins where the answer's does, in its form ("1.", "(1)")."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._forms: dict[tuple[str, int], str] = {}
        self._at: dict[int, tuple[str, str, int]] = {}
        """By level: the form, the list in Word, and the number that comes next."""

    def begin(self) -> None:
        """Leave the list: what follows is another one."""
        self._at.clear()

    def count(self, p: Any, form: str, level: int, number: int) -> None:
        """Number a paragraph."""
        self._at = {at: counted for at, counted in self._at.items() if at <= level}
        last, numbered, following = self._at.get(level, ("", "", 0))
        if (last, following) != (form, number):
            numbered = self._new(form, level, number)
        self._at[level] = form, numbered, number + 1
        properties = p._p.get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_ilvl().val = 0
        properties.get_or_add_numId().val = int(numbered)

    def _new(self, form: str, level: int, number: int) -> str:
        from docx.oxml import parse_xml
        from docx.oxml.ns import nsdecls

        numbering = self._document.part.numbering_part.element
        if (form, level) not in self._forms:
            self._forms[form, level] = shape = str(900 + len(self._forms))
            left = _INDENT * (level + 1)
            numbering.insert(0, parse_xml(_LIST.format(nsdecls("w"), shape, left, _INDENT, quoteattr(form))))
        counted = numbering.add_num(int(self._forms[form, level]))
        counted.add_lvlOverride(ilvl=0).add_startOverride(number)
        return str(counted.numId)
