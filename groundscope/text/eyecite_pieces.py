"""Legal citations by eyecite (Free Law Project), in linear time: it takes quadratic time, so a text is read piece by piece."""

import logging
import re
from collections.abc import Iterator
from typing import Any

_PIECE = 8_000
_END = re.compile(r"[a-z]{3}[.?!][”\"’)]?\s(?=[A-Z“])")
_RULE = re.compile(r"(?<=[_–—-]{40})[_–—-]+")
"""A drawn line beyond what stands for a missing page."""
_QUIET = tuple(f"eyecite.{module}" for module in ("helpers", "models", "annotate", "find", "resolve", "tokenizers"))


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text at ends of paragraphs, else of sentences, where no citation goes on."""
    start = 0
    while len(text) - start > _PIECE:
        window = text[start : start + _PIECE]
        cut = window.rfind("\n\n", _PIECE // 4)
        if cut < 0:
            ends = [m.end() for m in _END.finditer(window)]
            cut = ends[-1] if ends and ends[-1] > _PIECE // 4 else max(window.rfind(" ", _PIECE // 4), -1)
        cut = cut if cut > 0 else _PIECE
        yield start, text[start : start + cut]
        start += cut
    yield start, text[start:]


def cited(piece: str) -> list[Any]:
    """Find what eyecite finds in a piece; nothing of it reaches a log.

    Args:
        piece: as `pieces` gives it.

    Returns:
        eyecite's citations, with offsets into the piece.
    """
    from eyecite import get_citations

    for name in _QUIET:
        # Their warnings quote the citation, and so the case.
        logging.getLogger(name).disabled = True
    return get_citations(_RULE.sub(lambda line: " " * len(line.group()), piece))
