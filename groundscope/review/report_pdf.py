"""The report of a review as PDF, with the same content as the DOCX."""

import unicodedata
from functools import lru_cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from groundscope.review.report import TITLE, ReportContent, ReportRow

_FONT = "Source Serif Pro"
_STYLES = {"": "Regular", "B": "Semibold"}
_WIDTHS = {3: (68, 30, 72), 4: (55, 50, 25, 40)}
"""Millimetres of the columns, by their number; their sum is the width of the text."""
_MARGIN, _FOOT = 20, 28
"""Millimetres."""
_GONE = "■"
_LOST = "Letters that this file's font lacks are printed as ■; the DOCX of the same report has them."


def pdf_report(content: ReportContent) -> bytes:
    """Write the report."""
    pdf: Any = _file(content)
    _line(pdf, TITLE, 20, "B", after=3)
    for label, text in content.facts:
        _labelled(pdf, f"{label}: ", text)
    _line(pdf, "Sentences", 13, "B", before=3)
    _sentences(pdf, content)
    _line(pdf, "Sources", 13, "B", before=4)
    for n, line in enumerate(content.sources, 1):
        _line(pdf, f"{n}. {line}", 10)
    _line(pdf, "What was not checked", 13, "B", before=4)
    for line in (*content.unchecked, *([_LOST] if pdf.lost else [])):
        _line(pdf, f"• {line}", 10)
    if content.worth:
        _footnote(pdf, " ".join(content.worth))
    return bytes(pdf.output())


def _file(content: ReportContent) -> Any:
    from fpdf import FPDF

    pdf: Any = FPDF(format="A4")
    pdf.set_margins(_MARGIN, _MARGIN)
    pdf.set_auto_page_break(auto=True, margin=_MARGIN)
    pdf.set_title(TITLE)
    pdf.set_author(content.reviewer)
    pdf.set_creator("Groundscope")
    pdf.set_lang("en")
    for style, name in _STYLES.items():
        pdf.add_font(_FONT, style, _path(name))
    pdf.lost = False
    pdf.add_page()
    return pdf


def _path(style: str) -> Path:
    return Path(str(files("font_source_serif_pro"))) / "files" / f"SourceSerifPro-{style}.ttf"


@lru_cache(maxsize=1)
def _letters() -> frozenset[int]:
    """What every style of the font can show."""
    from fontTools.ttLib import TTFont

    by_style = [frozenset(TTFont(_path(name)).getBestCmap()) for name in _STYLES.values()]
    return frozenset.intersection(*by_style)


def _shown(pdf: Any, text: str) -> str:
    """The text with white space as the font has it; what it lacks is replaced and remembered."""
    plain = "".join(" " if c.isspace() and c != "\n" else c for c in unicodedata.normalize("NFC", text))
    printable = "".join(
        c if c == "\n" or ord(c) in _letters() else "" if unicodedata.category(c) == "Cf" else _GONE for c in plain
    )
    pdf.lost = pdf.lost or _GONE in printable
    return printable


def _line(pdf: Any, text: str, size: float, style: str = "", *, before: float = 0, after: float = 0.6) -> None:
    pdf.ln(before)
    pdf.set_font(_FONT, style, size)
    pdf.multi_cell(0, size * 0.48, _shown(pdf, text), align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(after)


def _labelled(pdf: Any, label: str, text: str) -> None:
    pdf.set_font(_FONT, "B", 10)
    pdf.write(4.8, label)
    pdf.set_font(_FONT, "", 10)
    pdf.write(4.8, _shown(pdf, text))
    pdf.ln(6)


def _sentences(pdf: Any, content: ReportContent) -> None:
    from fpdf.enums import TableBordersLayout
    from fpdf.fonts import FontFace

    pdf.set_font(_FONT, "", 9.5)
    head = FontFace(emphasis="B")
    looks = {"borders_layout": TableBordersLayout.HORIZONTAL_LINES, "line_height": 4.6, "padding": (0.8, 1.5, 0.8, 0)}
    (sentence, *heads), rows = content.heads, content.rows
    with pdf.table(col_widths=_WIDTHS[len(content.heads)], text_align="L", v_align="T", headings_style=head, **looks) as table:
        marked = any(wrong for row in rows for _, wrong, _ in row.text)
        table.row((f"{sentence}{', wrong words in ‹ ›' if marked else ''}", *heads))
        for row in rows:
            cells = (_sentence(row), *([row.listed] if content.lists else []), row.decision, _why(row))
            table.row([_shown(pdf, text) for text in cells])


def _sentence(row: ReportRow) -> str:
    """The sentence, its wrong words between angle brackets: a cell of the table has one style."""
    parts = ((wrong, "".join(text for text, *_ in pieces)) for wrong, pieces in groupby(row.text, key=lambda piece: piece[1]))
    return f"{row.number}. {''.join(f'‹{text}›' if wrong else text for wrong, text in parts)}"


def _why(row: ReportRow) -> str:
    rests = f"“{row.quote}” {row.cite}" if row.quote else ""
    return "\n".join(filter(None, [rests, f"Note: {row.note}" if row.note else ""]))


def _footnote(pdf: Any, text: str) -> None:
    """At the foot of the last page, under a line."""
    pdf.set_font(_FONT, "", 8)
    shown = _shown(pdf, text)
    height = 3.9 * len(pdf.multi_cell(0, 3.9, shown, dry_run=True, output="LINES"))
    top = pdf.h - _MARGIN - height
    if pdf.get_y() > top - 3:
        pdf.ln(4)
    else:
        pdf.set_y(top)
    pdf.line(_MARGIN, pdf.get_y() - 1.5, _MARGIN + 50, pdf.get_y() - 1.5)
    pdf.multi_cell(0, 3.9, shown, align="L", new_x="LMARGIN", new_y="NEXT")
