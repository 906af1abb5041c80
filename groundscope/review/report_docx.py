"""The report of a review as DOCX: headings, a table and lists in named styles alone, which a firm's template can restyle."""

import io
import zipfile
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from unicodedata import bidirectional

from groundscope.review.report import SIGNATURE, TITLE, PageSize, ReportContent, ReportRow

_WIDTHS = (7.7, 2.4, 6.9)
"""Centimetres of the columns on A4; on Letter the last one is wider by as much as the page is."""
_MARGIN, _LEAST = 2.0, 1.4
"""Centimetres at the sides, and at the top and the foot."""

_Run = str | tuple[str, str]
"""Words, and their style if they have one."""
_TIME = (1980, 1, 1, 0, 0, 0)
"""Of every file in a zip, so that the same content makes the same bytes."""


class _Style(NamedTuple):
    """A style of paragraphs, or where it has no base of words: points of its size and of the space around it, and its look."""

    name: str
    base: str = ""
    size: float | None = None
    before: float = 0
    after: float = 2
    bold: bool | None = None
    underline: bool | None = None
    quiet: bool = False
    keep: bool = False


_FONT = "Times New Roman"
_STYLES = (
    _Style("Normal", "Normal", 10),
    _Style("Title", "Normal", 17, after=5, bold=True),
    _Style("Heading 1", "Normal", 11, before=6, bold=True, keep=True),
    _Style("List Number", "Normal", 8.5, after=0),
    _Style("List Bullet", "Normal", 8.5, after=0, keep=True),
    _Style("Footer", "Normal", 8.5),
    _Style("Review Fact", "Normal"),
    _Style("Review Conclusion", "Normal", 11.5, bold=True, keep=True),
    _Style("Review More", "Normal"),
    _Style("Review Apart", "Normal", before=3, keep=True),
    _Style("Review Apart More", "Review Apart"),
    _Style("Review Head", "Normal", 8.5, bold=True),
    _Style("Review Cell", "Normal", 8.5, after=0),
    _Style("Review Finding", "Review Cell", after=0, quiet=True),
    _Style("Review Record", "Normal", 8),
    _Style("Review Signature", "Normal", before=8, keep=True),
    _Style("Review Label", bold=True),
    _Style("Review Cite", quiet=True),
    _Style("Review Bold", bold=True),
    _Style("Wrong Words", underline=True),
    _Style("Wrong Words Bold", underline=True, bold=True),
)
_BASES = frozenset(("Default Paragraph Font", "Normal Table", "No List", "Title Char", "Heading 1 Char", "Footer Char"))
"""Styles of the library that others rest on."""
_BAR = '<w:pBdr {0}><w:left w:val="single" w:sz="12" w:space="6" w:color="595959"/></w:pBdr>'
_TABLE = (
    '<w:tblPr {0}><w:tblBorders><w:top {1}/><w:bottom {1}/><w:insideH {1}/></w:tblBorders><w:tblCellMar><w:top w:w="30" '
    'w:type="dxa"/><w:left w:w="80" w:type="dxa"/><w:bottom w:w="30" w:type="dxa"/><w:right w:w="80" w:type="dxa"/>'
    "</w:tblCellMar></w:tblPr>"
)
_LINE = 'w:val="single" w:sz="4" w:space="0" w:color="595959"'


def docx_report(content: ReportContent) -> bytes:
    """Write the report."""
    from docx import Document

    document: Any = Document(io.BytesIO(_styled()))
    properties = document.core_properties
    properties.title, properties.author, properties.language = TITLE, content.reviewer[:255], "en"
    _set_page(document, content.page_size)

    def add(style: str, *runs: _Run) -> None:
        _write(document.add_paragraph(), style, *runs)

    def labelled(style: str, lines: tuple[tuple[str, str], ...]) -> None:
        for label, text in lines:
            add(style, (f"{label}: ", "Review Label"), text)

    add("Title", TITLE)
    labelled("Review Fact", content.facts)
    add("Heading 1", "Conclusion")
    for n, line in enumerate(content.conclusion):
        add("Review More" if n else "Review Conclusion", line)
    if content.apart:
        add("Heading 1", "Contradicted by the sources")
    for row in content.apart:
        add("Review Apart", *_pieces(row), (f" ({row.decision})", "Review Cite"))
        add("Review Apart More", *(("The source says: ", *_source(row)) if row.quote else ("No passage was named.",)))
        for runs in _reasons(row):
            add("Review Apart More", *runs)
    add("Heading 1", "Sentences")
    _sentences(document, content)
    add("Heading 1", "How it was reviewed")
    labelled("Review Record", content.about)
    add("Heading 1", "Sources")
    for line in content.sources:
        add("List Number", line)
    add("Heading 1", "What was not checked")
    for line in content.unchecked:
        add("List Bullet", line)
    name, *others = SIGNATURE
    add("Review Signature", f"{name}: {content.reviewer}")
    add("Review Signature", "\t".join(f"{label}:\t" for label in others))
    return saved(document)


def saved(document: Any) -> bytes:
    """The file of a document; the same content makes the same bytes, and runs from the right where its script does."""
    from docx.oxml.ns import qn
    from docx.text.run import Run

    for paragraph in document.element.body.iter(qn("w:p")):
        runs = [(r, "".join(t.text or "" for t in r.iter(qn("w:t"), qn("w:delText")))) for r in paragraph.iter(qn("w:r"))]
        if _right_to_left("".join(text for _, text in runs)):
            paragraph.get_or_add_pPr().insert_element_before(element("w:bidi"), "w:rPr")
        for run in (r for r, text in runs if _right_to_left(text)):
            Run(run, document).font.rtl = True
    file = io.BytesIO()
    document.save(file)
    with zipfile.ZipFile(file) as parts:
        return zipped({name: parts.read(name) for name in parts.namelist()})


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Pack files into a zip that says no time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(zipfile.ZipInfo(name, _TIME), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def element(name: str, **attributes: str) -> Any:
    """An element of Word's markup."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    written = OxmlElement(name)
    for key, value in attributes.items():
        written.set(qn(f"w:{key}"), value)
    return written


def _right_to_left(text: str) -> bool:
    """Whether the first letter with a direction is of a script that is written so."""
    return not text.isascii() and next((d for c in text if (d := bidirectional(c)) in {"L", "R", "AL"}), "L") != "L"


@lru_cache(maxsize=1)
def _styled() -> bytes:
    """An empty document with the styles of a report."""
    from docx import Document

    document: Any = Document()
    there = {style.name: style for style in document.styles}
    for style in _STYLES:
        _set_style(document.styles, style, set(there))
    _set_frames(document.styles)
    for name in there.keys() - {style.name for style in _STYLES} - _BASES:
        # Some 150 that come with the library: a firm's list of styles need not show them.
        there[name].delete()
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _set_page(document: Any, page_size: PageSize) -> None:
    from docx.shared import Cm, Mm

    (section,) = document.sections
    section.page_width, section.page_height = map(Mm, page_size.millimetres)
    section.left_margin = section.right_margin = Cm(_MARGIN)
    section.top_margin = section.bottom_margin = Cm(_LEAST)
    section.footer_distance = Cm(0.8)
    (foot,) = section.footer.paragraphs
    for code, after in (("PAGE", " / "), ("NUMPAGES", "")):
        foot._p.append(element("w:fldSimple", instr=code))
        foot.add_run(after)


def _set_style(styles: Any, style: _Style, there: set[str]) -> None:
    from docx.enum.style import WD_STYLE_TYPE
    from docx.shared import Pt, RGBColor

    kind = WD_STYLE_TYPE.PARAGRAPH if style.base else WD_STYLE_TYPE.CHARACTER
    entry: Any = styles[style.name] if style.name in there else styles.add_style(style.name, kind)
    font = entry.font
    if style.base and (look := entry.element.rPr) is not None:
        # The colours and fonts of the library's own template.
        entry.element.remove(look)
    if style.name == "Normal":
        font.name = _FONT
    if style.size:
        font.size = Pt(style.size)
    font.bold, font.underline = style.bold, style.underline
    if style.quiet or style.base:
        font.color.rgb = RGBColor(0x59, 0x59, 0x59) if style.quiet else RGBColor(0, 0, 0)
    if style.base:
        if style.base != style.name:
            entry.base_style = styles[style.base]
        layout = entry.paragraph_format
        layout.space_before, layout.space_after, layout.line_spacing = Pt(style.before), Pt(style.after), 1.0
        layout.keep_with_next = style.keep
        entry.quick_style = True


def _set_frames(styles: Any) -> None:
    """The bar beside what is set apart, the lines of the table, and those to sign on."""
    from docx.enum.style import WD_STYLE_TYPE
    from docx.enum.text import WD_TAB_ALIGNMENT, WD_TAB_LEADER
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls, qn
    from docx.shared import Cm

    title = styles["Title"].element.pPr
    title.remove(title.find(qn("w:pBdr")))
    apart = styles["Review Apart"].element.get_or_add_pPr()
    apart.insert_element_before(parse_xml(_BAR.format(nsdecls("w"))), "w:spacing", "w:ind", "w:rPr")
    styles["Review Apart"].paragraph_format.left_indent = Cm(0.35)
    table = styles.add_style("Review Table", WD_STYLE_TYPE.TABLE)
    table.base_style = styles["Normal Table"]
    table.element.append(parse_xml(_TABLE.format(nsdecls("w"), _LINE)))
    stops = styles["Review Signature"].paragraph_format.tab_stops
    for place, leader in ((5.5, WD_TAB_LEADER.HEAVY), (6.2, WD_TAB_LEADER.SPACES), (17.0, WD_TAB_LEADER.HEAVY)):
        stops.add_tab_stop(Cm(place), WD_TAB_ALIGNMENT.LEFT, leader)


def _write(paragraph: Any, style: str, *runs: _Run) -> None:
    """Fill a paragraph. Styles are named by their ids: the library looks a name up in all styles, each time."""
    paragraph._p.style = style.replace(" ", "")
    for words in runs:
        text, look = (words, "") if isinstance(words, str) else words
        run = paragraph.add_run(text)
        if look:
            run._r.style = look.replace(" ", "")


def _pieces(row: ReportRow) -> list[_Run]:
    looks = {(True, True): "Wrong Words Bold", (True, False): "Wrong Words", (False, True): "Review Bold"}
    return [f"{row.number}. ", *((text, looks.get((wrong, bold), "")) for text, wrong, bold in row.text)]


def _source(row: ReportRow) -> tuple[_Run, ...]:
    return f"“{row.quote}” ", (row.cite, "Review Cite")


def _reasons(row: ReportRow) -> list[tuple[_Run, ...]]:
    labelled = (("Corrected", row.correction), ("Reason", row.note), ("Settled", row.settled))
    return [((f"{label}: ", "Review Label"), text) for label, text in labelled if text]


def _sentences(document: Any, content: ReportContent) -> None:
    from docx.shared import Cm

    more = (content.page_size.millimetres[0] - PageSize.A4.millimetres[0]) / 10
    widths = [Cm(w) for w in (*_WIDTHS[:-1], _WIDTHS[-1] + more)]
    table = document.add_table(0, len(_WIDTHS), "Review Table")
    table.autofit = False
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    for cell, head in zip(_cells(table, widths, "w:tblHeader"), content.heads, strict=True):
        _write(cell.paragraphs[0], "Review Head", head)
    for row in content.rows:
        sentence, decision, why = _cells(table, widths)
        _write(sentence.paragraphs[0], "Review Cell", *_pieces(row))
        for finding in row.findings:
            _write(sentence.add_paragraph(), "Review Finding", finding)
        _write(decision.paragraphs[0], "Review Cell", row.decision)
        lines = [("Set out above.",)] if row.apart else [*([_source(row)] if row.quote else []), *_reasons(row)]
        for n, runs in enumerate(lines or [()]):
            _write(why.add_paragraph() if n else why.paragraphs[0], "Review Cell", *runs)


def _cells(table: Any, widths: list[Any], *marks: str) -> list[Any]:
    """The cells of a new row, which stays on one page; a mark has it stand on each, as the table's head."""
    row = table.add_row()
    for mark in ("w:cantSplit", *marks):
        row._tr.get_or_add_trPr().append(element(mark))
    cells = list(row.cells)
    for cell, width in zip(cells, widths, strict=True):
        cell.width = width
    return cells
