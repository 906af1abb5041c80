"""The report of a review as DOCX, with real headings, a table, styles and a footnote."""

import io
from typing import Any

from groundscope.review.report import TITLE, ReportContent

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_RULE = '<w:footnote w:type="{0}" w:id="{1}"><w:p><w:r><w:{0}/></w:r></w:p></w:footnote>'
_RULES = _RULE.format("separator", -1) + _RULE.format("continuationSeparator", 0)
_PART = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
_WIDTHS = {3: (6.8, 3.0, 7.2), 4: (5.6, 5.0, 2.6, 3.8)}
"""Centimetres of the columns, by their number."""


def docx_report(content: ReportContent) -> bytes:
    """Write the report."""
    from docx import Document
    from docx.shared import Cm, Pt

    document: Any = Document()
    document.styles["Normal"].font.size = Pt(10)
    for side in ("left_margin", "right_margin", "top_margin", "bottom_margin"):
        setattr(document.sections[0], side, Cm(2))
    document.core_properties.title, document.core_properties.author = TITLE, content.reviewer[:255]
    document.add_heading(TITLE, 0)
    for label, text in content.facts:
        paragraph = document.add_paragraph()
        paragraph.add_run(f"{label}: ").bold = True
        paragraph.add_run(text)
    if content.worth:
        _footnote(document, paragraph, " ".join(content.worth))
    document.add_heading("Sentences", 1)
    _sentences(document, content)
    document.add_heading("Sources", 1)
    for line in content.sources:
        document.add_paragraph(line, "List Number")
    document.add_heading("What was not checked", 1)
    for line in content.unchecked:
        document.add_paragraph(line, "List Bullet")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _sentences(document: Any, content: ReportContent) -> None:
    from docx.shared import Cm

    heads = content.heads
    table, widths = document.add_table(1, len(heads), "Table Grid"), _WIDTHS[len(heads)]
    table.autofit = False
    for cell, head in zip(table.rows[0].cells, heads, strict=True):
        cell.paragraphs[0].add_run(head).bold = True
    _marked(table.rows[0], "w:tblHeader")
    for row in content.rows:
        sentence, *listed, decision, why = table.add_row().cells
        for cell in listed:
            cell.text = row.listed
        sentence.paragraphs[0].add_run(f"{row.number}. ")
        for text, wrong, bold in row.text:
            run = sentence.paragraphs[0].add_run(text)
            run.underline, run.bold = wrong or None, bold or None
        decision.text = row.decision
        if row.quote:
            why.paragraphs[0].add_run(f"“{row.quote}” ")
            why.paragraphs[0].add_run(row.cite).italic = True
        if row.note:
            (why.add_paragraph() if row.quote else why.paragraphs[0]).add_run(f"Note: {row.note}")
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Cm(width)
    for line in table.rows:
        _marked(line, "w:cantSplit")
        for cell, width in zip(line.cells, widths, strict=True):
            cell.width = Cm(width)


def _marked(row: Any, mark: str) -> None:
    """Have a table's head stand on each page, or a row on one."""
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement(mark))


def _footnote(document: Any, paragraph: Any, text: str) -> None:
    """A footnote at the end of a paragraph; python-docx writes none, so its part is made here."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import XmlPart
    from docx.oxml import parse_xml
    from docx.oxml.ns import qn

    mark = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:{}/></w:r>'
    small = '<w:r><w:rPr><w:sz w:val="16"/></w:rPr><w:t/></w:r>'
    body = f'<w:footnote w:id="1"><w:p>{mark.format("footnoteRef")}{small}</w:p></w:footnote>'
    notes = parse_xml(f"<w:footnotes {_W}>{_RULES}{body}</w:footnotes>")
    (place,) = notes.iter(qn("w:t"))
    place.text = f" {text}"
    place.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    document.part.relate_to(
        XmlPart(PackURI("/word/footnotes.xml"), _PART, notes, document.part.package), RELATIONSHIP_TYPE.FOOTNOTES
    )
    reference = mark.format('footnoteReference w:id="1"').replace("<w:r>", f"<w:r {_W}>", 1)
    paragraph._p.append(parse_xml(reference))
