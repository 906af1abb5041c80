"""Spans -> escaped HTML, by a left-to-right walk that escapes every fragment."""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from groundscope.drawing.html import Html


class Mark(NamedTuple):
    """`text[start:end]` gets the classes in `css` and, on hover, `title`."""

    start: int
    end: int
    css: str
    title: str = ""


def highlight(text: str, marks: Iterable[Mark]) -> Html:
    """Mark spans of a text; they may overlap, touch or nest.

    The text is cut at every border of a mark, so that tags never cross; a fragment has the classes and titles of all marks
    over it. Marks are clipped to the text. All text, classes and titles are escaped.
    """
    clipped = [m._replace(start=max(0, m.start), end=min(len(text), m.end)) for m in marks]
    clipped = [m for m in clipped if m.start < m.end]
    borders = sorted({0, len(text), *(m.start for m in clipped), *(m.end for m in clipped)})
    waiting = sorted(clipped, key=lambda m: m.start)
    open_marks: list[Mark] = []
    parts: list[str] = []
    for start, end in pairwise(borders):
        while waiting and waiting[0].start == start:
            open_marks.append(waiting.pop(0))
        open_marks = [m for m in open_marks if m.end > start]
        parts.append(_fragment(text[start:end], open_marks))
    return Html("".join(parts))


def _fragment(text: str, marks: Sequence[Mark]) -> str:
    if not marks:
        return escape(text)
    css = " ".join(dict.fromkeys(m.css for m in marks))
    title = "; ".join(dict.fromkeys(m.title for m in marks if m.title))
    hover = f' title="{escape(title)}"' if title else ""
    return f'<mark class="{escape(css)}"{hover}>{escape(text)}</mark>'
