"""A quotation cut at its ellipses and brackets, and the place of a passage where its pieces stand one after the other."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from groundscope.citations.quotation_marks import LETTERS, WORD
from groundscope.runtime.byte_cache import keep

_LONGEST_GAP = 400
"""Words that an ellipsis may leave out."""
_BRACKET_GAP = 12
"""Words that a bracket may stand for."""
_LONGEST_ENDING = 8
_SHORT_STEM = 1
"""Letters: "a[n]" may gain one more, a longer stem any ending."""
_REMARK = (
    r"(?i:(?:(?:internal|citations?|quotations?|quotation\smarks|footnotes?|emphasis|alterations?|and|in|original)\s){0,6}"
    r"(?:omitted|added|original|adopted))"
)
_TOKEN = re.compile(
    r"\[(?P<bracket>[^\[\]]{0,120})\]|(?P<gap>\.\s?\.\s?\.(?:\s?\.)?|\*\s?\*\s?\*)"
    rf"|(?P<remark>\({_REMARK}\))|(?P<word>{WORD.pattern})"
)
_ADDED = re.compile(rf"sic|{_REMARK}")
_DOTS = re.compile(r"(?:\.\s?){2,5}|(?:\*\s?){3}|omitted")
_NEGATION = re.compile(r"\b(?:not|no|nor|never|none|neither|cannot|without)\b|n't\b", re.IGNORECASE)
BRACKETS = re.compile(r"[\[\]]")
_IN_BRACKETS = r"\[[^\W\d_]{1,12}\]"
_WHOLE_WORD = re.compile(rf"(?:{_IN_BRACKETS})?{LETTERS}(?:{_IN_BRACKETS}(?:{LETTERS})?){{0,2}}|{WORD.pattern}")
"""A word of a source, which may quote with brackets itself: "[t]he"."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a passage as one searchable line, and where each begins in it and stands in the passage."""

    line: str
    at: "array[int]"
    starts: "array[int]"
    ends: "array[int]"

    def find(self, piece: "Piece", first: int, last: int) -> int:
        """Index of the first word from `first` to `last` that a piece can begin with; -1 = nowhere."""
        # The last word is whole, or begins with a stem.
        sought = f" {' '.join((*piece.words, piece.stem))}"
        while first < len(self.at):
            position = self.line.find(sought, self.at[first] - 1)
            if position < 0:
                return -1
            index = bisect_right(self.at, position + 1) - 1
            if index > last:
                return -1
            if not piece.stem or self._ends_like(index + len(piece.words), piece.stem):
                return index
            first = index + 1
        return -1

    def _ends_like(self, index: int, stem: str) -> bool:
        """Whether a word is a stem with an ending: "a[n]" is no "abandonment"."""
        word = self.line[self.at[index] : self.line.index(" ", self.at[index])]
        return len(word) <= len(stem) + (_LONGEST_ENDING if len(stem) > _SHORT_STEM else 1)


@keep(megabytes=32)
def words_of(text: str) -> Words:
    """The words of a passage in lower case, with their offsets in it; cached."""
    matches = list(_WHOLE_WORD.finditer(text))
    words = [BRACKETS.sub("", m.group()).casefold() for m in matches]
    at = array("i", accumulate((len(w) + 1 for w in words), initial=1))
    spans = (array("i", (m.start() for m in matches)), array("i", (m.end() for m in matches)))
    return Words(f" {' '.join(words)} ", at[: len(words)], *spans)


class Piece(NamedTuple):
    """Words that must stand together.

    `gap` words may be left out before them, by an ellipsis if `dots`, else by a bracket; `stem` is how a further word begins
    whose end a bracket changed.
    """

    words: tuple[str, ...]
    gap: int
    dots: bool = False
    stem: str = ""


class _Cutter:
    """Cuts a quotation at its ellipses and brackets."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.words: list[str] = []
        self.brackets: list[str] = []
        self.gap, self.dots = 0, False
        self.negates = False

    def cut(self, next_gap: int, *, dots: bool = False, stem: str = "") -> None:
        if self.words or stem:
            self.pieces.append(Piece(tuple(self.words), self.gap, self.dots, stem))
            self.words, self.gap, self.dots = [], 0, False
        self.gap = max(self.gap, next_gap)
        self.dots = self.dots or dots

    def bracket(self, quotation: str, m: re.Match[str]) -> bool:
        """Whether the word after a bracket continues the word inside it."""
        inside = m["bracket"].strip()
        if _ADDED.fullmatch(inside):
            return False
        if _DOTS.fullmatch(inside):
            self.cut(_LONGEST_GAP, dots=True)
            return False
        after_word = bool(self.words) and quotation[m.start() - 1 : m.start()].isalnum()
        if _NEGATION.search(inside):
            self.negates = True
        if inside and " " not in inside and quotation[m.end() : m.end() + 1].isalnum():
            # "[t]he", "notic[e]s".
            self.words.append((self.words.pop() if after_word else "") + inside.casefold())
            return True
        if after_word:
            # "notic[ed]": the word's end was changed, and nothing else.
            self.cut(_BRACKET_GAP if " " in inside else 0, stem=self.words.pop())
        else:
            self.cut(_BRACKET_GAP)
            self.brackets.append(m.group())
        return False


class _Cut(NamedTuple):
    """A quotation in pieces, none if it holds no word; `brackets` stand for words of the writer's own."""

    pieces: list[Piece]
    brackets: list[str]
    negates: bool


def pieces_of(quotation: str) -> _Cut:
    """Cut a quotation at its ellipses and brackets."""
    cutter = _Cutter()
    goes_on = False
    for m in _TOKEN.finditer(quotation):
        if m["gap"]:
            cutter.cut(_LONGEST_GAP, dots=True)
        elif m["remark"]:
            cutter.cut(_BRACKET_GAP)
        elif m["word"] is None:
            goes_on = cutter.bracket(quotation, m)
            continue
        elif goes_on:
            # "[t]he" is one word, whatever its first letter was.
            cutter.words[-1] += m["word"].casefold()
        else:
            cutter.words.append(m["word"].casefold())
        goes_on = False
    cutter.cut(0)
    return _Cut(cutter.pieces, cutter.brackets, cutter.negates)


def stands(pieces: Sequence[Piece], words: Words) -> tuple[int, int, int] | None:
    """The first place where all pieces, at least one, stand in order, each within its gap after the one before.

    Returns its start and end in the passage, and how many words the ellipses leave out.
    """
    count = len(words.at)
    first = 0
    while (begin := words.find(pieces[0], first, count)) >= 0:
        last = begin + _length(pieces[0])
        left_out = 0
        for piece in pieces[1:]:
            at = words.find(piece, last, last + piece.gap)
            if at < 0:
                break
            left_out += (at - last) * piece.dots
            last = at + _length(piece)
        else:
            return words.starts[begin], words.ends[last - 1], left_out
        first = begin + 1
    return None


def _length(piece: Piece) -> int:
    return len(piece.words) + bool(piece.stem)
