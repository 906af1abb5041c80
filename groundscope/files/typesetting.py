"""Lay out texts as PDF, tagged for screen readers as PDF/UA-1 asks, with the fonts that come with Typst.

Texts come to the template as JSON and are never read as markup. The template reads no file but itself, and nothing is fetched.
"""

import json
import re
import unicodedata
from functools import lru_cache
from typing import Any

from groundscope.errors import DataError
from groundscope.files.sandbox import sandboxed

GONE = "■"
"""Stands for a letter that the fonts lack."""
_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
_MISSING = re.compile(r'the text `"(.+?)"` could not be displayed')
_ESCAPE = re.compile(r"\\u\{([0-9a-f]+)\}|\\(.)")
_ODD = re.compile(r"[^\n -~\u00a1-\u024f\u2010-\u2027\u2030-\u205e\u20ac\u25a0]")
"""Letters beyond those of most European languages."""
_HERE = 300_000
"""Bytes that are laid out in the server, in some tenths of a second."""
_ROUNDS = 5
"""Of replacing letters: what stands beside a replaced one may be set in another font, which lacks others."""


def typeset(template: str, texts: dict[str, Any]) -> bytes:
    """Lay out texts; the same ones make the same bytes. Raises a DataError where they cannot be laid out."""
    sent = json.dumps(texts, ensure_ascii=False)
    # A slip of the library at an odd letter must not harm the app.
    return sandboxed(0 if _ODD.search(sent) else _HERE, laid_out, template, sent)


def laid_out(template: str, sent: str) -> bytes:
    """Lay out texts here; letters that the fonts lack are named by the library's error, and replaced."""
    gone, texts = set[str](), json.loads(sent)
    for _ in range(_ROUNDS):
        try:
            return _compiled(template, _without({**texts, "lost": bool(gone)}, gone))
        except RuntimeError as error:
            missing = _MISSING.findall(getattr(error, "diagnostic", ""))
            new = {_ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], text) for text in missing}
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            new = set(_ODD.findall(sent))
        if new <= gone:
            break
        gone |= new
    raise DataError("This text cannot be laid out as PDF; take the DOCX of it.")


def _compiled(template: str, texts: Any) -> bytes:
    from typst import compile as to_pdf

    inputs = {"texts": json.dumps(texts, ensure_ascii=False)}
    return to_pdf(template.encode(), font_paths=_fonts(), ignore_system_fonts=True, sys_inputs=inputs, pdf_standards="ua-1")


@lru_cache(maxsize=1)
def _fonts() -> Any:
    """The fonts that come with the library, on every machine the same."""
    from typst import Fonts

    return Fonts(include_system_fonts=False)


def _without(value: Any, gone: set[str]) -> Any:
    """The texts with white space as fonts have it, and a box for each letter that they lack."""
    if isinstance(value, str):
        plain = "".join(" " if c.isspace() and c != "\n" else c for c in unicodedata.normalize("NFC", value) if c != _MARK)
        for letter in sorted(gone, key=len, reverse=True):
            plain = plain.replace(letter, GONE)
        return plain
    if isinstance(value, dict):
        return {name: _without(part, gone) for name, part in value.items()}
    return [_without(part, gone) for part in value] if isinstance(value, list) else value
