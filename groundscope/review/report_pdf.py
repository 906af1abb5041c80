"""The report of a review as PDF, with the same content as the DOCX."""

import unicodedata
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from groundscope.review.report import TITLE, ReportContent, ReportRow

_FONT = "Source Serif Pro"
_STYLES = {"": "Regular", "B": "Semibold"}
_WIDTHS = (68, 30, 72)
"""Millimetres of the columns; their sum is the width of the text."""
_MARGIN, _FOOT = 20, 28
"""Millimetres."""
_GONE = "■"
_LOST = "Letters that this file's font lacks are printed as ■; the DOCX of the same report has them."


def pdf_report(content: ReportContent) -> bytes:
    """Write the report."""
    made: Any = _file(content)
    _line(made, TITLE, 20, "B", after=3)
    for label, text in content.facts:
        _labelled(made, f"{label}: ", text)
    _line(made, "Sentences", 13, "B", before=3)
    _sentences(made, content.rows)
    _line(made, "Sources", 13, "B", before=4)
    for n, line in enumerate(content.sources, 1):
        _line(made, f"{n}. {line}", 10)
    _line(made, "What was not checked", 13, "B", before=4)
    for line in (*content.unchecked, *([_LOST] if made.lost else [])):
        _line(made, f"• {line}", 10)
    if content.methods:
        _footnote(made, " ".join(content.methods))
    return bytes(made.output())


def _file(content: ReportContent) -> Any:
    from fpdf import FPDF

    made: Any = FPDF(format="A4")
    made.set_margins(_MARGIN, _MARGIN)
    made.set_auto_page_break(auto=True, margin=_MARGIN)
    made.set_title(TITLE)
    made.set_author(content.reviewer)
    made.set_creator("Groundscope")
    made.set_lang("en")
    for style, name in _STYLES.items():
        made.add_font(_FONT, style, _path(name))
    made.lost = False
    made.add_page()
    return made


def _path(style: str) -> Path:
    return Path(str(files("font_source_serif_pro"))) / "files" / f"SourceSerifPro-{style}.ttf"


@lru_cache(maxsize=1)
def _letters() -> frozenset[int]:
    """What every style of the font can show."""
    from fontTools.ttLib import TTFont

    found = [frozenset(TTFont(_path(name)).getBestCmap()) for name in _STYLES.values()]
    return frozenset.intersection(*found)


def _shown(made: Any, text: str) -> str:
    """The text with white space as the font has it; what it lacks is replaced and remembered."""
    plain = "".join(" " if c.isspace() and c != "\n" else c for c in unicodedata.normalize("NFC", text))
    found = "".join(c if c == "\n" or ord(c) in _letters() else "" if unicodedata.category(c) == "Cf" else _GONE for c in plain)
    made.lost = made.lost or _GONE in found
    return found


def _line(made: Any, text: str, size: float, style: str = "", *, before: float = 0, after: float = 0.6) -> None:
    made.ln(before)
    made.set_font(_FONT, style, size)
    made.multi_cell(0, size * 0.48, _shown(made, text), align="L", new_x="LMARGIN", new_y="NEXT")
    made.ln(after)


def _labelled(made: Any, label: str, text: str) -> None:
    made.set_font(_FONT, "B", 10)
    made.write(4.8, label)
    made.set_font(_FONT, "", 10)
    made.write(4.8, _shown(made, text))
    made.ln(6)


def _sentences(made: Any, rows: tuple[ReportRow, ...]) -> None:
    from fpdf.enums import TableBordersLayout
    from fpdf.fonts import FontFace

    made.set_font(_FONT, "", 9.5)
    head = FontFace(emphasis="B")
    looks = {"borders_layout": TableBordersLayout.HORIZONTAL_LINES, "line_height": 4.6, "padding": (0.8, 1.5, 0.8, 0)}
    with made.table(col_widths=_WIDTHS, text_align="L", v_align="T", headings_style=head, **looks) as table:
        marked = any(wrong for row in rows for _, wrong in row.text)
        table.row((f"Sentence{', wrong words in ‹ ›' if marked else ''}", "Decision", "Rests on, and note"))
        for row in rows:
            table.row((_shown(made, _sentence(row)), _shown(made, row.decision), _shown(made, _why(row))))


def _sentence(row: ReportRow) -> str:
    """The sentence, its wrong words between angle brackets: a cell of the table has one style."""
    return f"{row.number}. {''.join(f'‹{text}›' if wrong else text for text, wrong in row.text)}"


def _why(row: ReportRow) -> str:
    rests = f"“{row.quote}” {row.cite}" if row.quote else ""
    return "\n".join(filter(None, [rests, f"Note: {row.note}" if row.note else ""]))


def _footnote(made: Any, text: str) -> None:
    """At the foot of the last page, under a line."""
    made.set_font(_FONT, "", 8)
    shown = _shown(made, text)
    height = 3.9 * len(made.multi_cell(0, 3.9, shown, dry_run=True, output="LINES"))
    top = made.h - _MARGIN - height
    if made.get_y() > top - 3:
        made.ln(4)
    else:
        made.set_y(top)
    made.line(_MARGIN, made.get_y() - 1.5, _MARGIN + 50, made.get_y() - 1.5)
    made.multi_cell(0, 3.9, shown, align="L", new_x="LMARGIN", new_y="NEXT")
