"""Edits of a text that make it plain, and the marks to sources that they take out."""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple


class MarkKind(StrEnum):
    """What a mark points to."""

    SOURCE = "source"
    NOTE = "note"


class SourceMark(NamedTuple):
    """A mark `text[start:end]` to sources by their numbers, counted from 1, or to notes by their names."""

    kind: MarkKind
    start: int
    end: int
    numbers: tuple[int, ...] = ()
    note: str = ""


class TextEdit(NamedTuple):
    """Words to put in the place of `text[start:end]`, which may hold notes."""

    start: int
    end: int
    words: str
    mark: SourceMark | None = None
    notes: bool = False


def apart(edits: list[TextEdit]) -> Iterator[TextEdit]:
    """The edits in reading order, those that came first before those that overlap them."""
    last = 0
    order = sorted(range(len(edits)), key=lambda i: (edits[i].start, i))
    for i in order:
        if edits[i].start >= last and (edits[i].end > edits[i].start or edits[i].words):
            last = edits[i].end
            yield edits[i]


def taken_out(text: str, start: int, end: int, mark: SourceMark | None) -> TextEdit:
    """Take a mark out with the blank that it leaves behind."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before in (" ", "\xa0") and (not after or after in " \n\r.,;:!?)]\"'[("):
        start -= 1
    elif (not before or before == "\n") and after == " ":
        end += 1
    # Words on both sides stay apart.
    words = " " if before.isalnum() and after.isalnum() else ""
    return TextEdit(start, end, words, mark)
