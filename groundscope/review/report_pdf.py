"""The report of a review as PDF, with the same content as the DOCX: tagged for screen readers, as PDF/UA-1 asks."""

from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from groundscope.files.typesetting import GONE, typeset
from groundscope.review.report import SIGNATURE, TITLE, ReportContent

_LOST = f"Letters that this file's fonts lack are printed as {GONE}; the DOCX of the same report has them."


def pdf_report(content: ReportContent) -> bytes:
    """Write the report; the same content makes the same bytes. Raises `DataError` where its text cannot be laid out."""
    return typeset(template(), texts_of(content))


@cache
def template() -> str:
    """Read the layout."""
    return Path(__file__).with_name("report.typ").read_text(encoding="utf-8")


def texts_of(content: ReportContent) -> dict[str, Any]:
    """Gather what the layout reads."""
    rows = [row._asdict() for row in content.rows]
    return {
        **asdict(content),
        "title": TITLE,
        "heads": content.heads,
        "rows": rows,
        "apart": [row for row in rows if row["apart"]],
        "signature": SIGNATURE,
        "lost_words": _LOST,
    }
