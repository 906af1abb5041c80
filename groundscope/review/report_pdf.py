"""The report of a review as PDF, with the same content as the DOCX: tagged for screen readers, as PDF/UA-1 asks."""

import json
import re
import unicodedata
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from groundscope.errors import DataError
from groundscope.review.report import SIGNATURE, TITLE, ReportContent

_TEMPLATE = Path(__file__).with_name("report.typ")
_GONE = "■"
_LOST = "Letters that this file's fonts lack are printed as ■; the DOCX of the same report has them."
_MISSING = re.compile(r'the text `"(.+?)"` could not be displayed')
_ESCAPE = re.compile(r"\\u\{([0-9a-f]+)\}|\\(.)")
_ROUNDS = 5
"""Of replacing letters: what stands beside a replaced one may be set in another font, which lacks others."""


def pdf_report(content: ReportContent) -> bytes:
    """Write the report; the same content makes the same bytes. Raises `DataError` where its text cannot be laid out."""
    from typst import TypstError

    texts, gone = _texts(content), set[str]()
    for _ in range(_ROUNDS):
        lost = {"unchecked": [*texts["unchecked"], _LOST]} if gone else {}
        try:
            return _compiled(_without({**texts, **lost}, gone))
        except TypstError as error:
            missing = {_ESCAPE.sub(_unescaped, text) for text in _MISSING.findall(error.diagnostic)} - gone
            if not missing:
                break
            gone |= missing
    raise DataError("This report cannot be written as PDF; take the DOCX of it.")


def _texts(content: ReportContent) -> dict[str, Any]:
    rows = [row._asdict() for row in content.rows]
    apart = [row for row in rows if row["apart"]]
    return {**asdict(content), "rows": rows, "apart": apart, "heads": content.heads, "title": TITLE, "signature": SIGNATURE}


def _compiled(texts: Any) -> bytes:
    """Lay the report out: no file can be read from the template, and nothing is fetched."""
    from typst import compile as to_pdf

    inputs = {"report": json.dumps(texts, ensure_ascii=False)}
    source = _TEMPLATE.read_bytes()
    return to_pdf(source, font_paths=_fonts(), ignore_system_fonts=True, sys_inputs=inputs, pdf_standards="ua-1")


@lru_cache(maxsize=1)
def _fonts() -> Any:
    """The fonts that come with the library, on every machine the same."""
    from typst import Fonts

    return Fonts(include_system_fonts=False)


def _without(value: Any, gone: set[str]) -> Any:
    """The texts with white space as fonts have it, and a box for each letter that they lack."""
    if isinstance(value, str):
        plain = "".join(" " if c.isspace() and c != "\n" else c for c in unicodedata.normalize("NFC", value))
        for letter in sorted(gone, key=len, reverse=True):
            plain = plain.replace(letter, _GONE)
        return plain
    if isinstance(value, dict):
        return {name: _without(part, gone) for name, part in value.items()}
    return [_without(part, gone) for part in value] if isinstance(value, list | tuple) else value


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else match[2]
