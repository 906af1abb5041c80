"""A quotation cut at its ellipses and brackets, and looked up in the words of a passage."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

_LONGEST_GAP = 400
"""Words that an ellipsis may leave out."""
_BRACKET_GAP = 12
"""Words that a bracket may stand for."""
_ADDED = {"sic", "emphasis added", "emphasis in original", "citation omitted", "citations omitted", "footnote omitted"}
_TOKEN = re.compile(
    r"\[(?P<bracket>[^\[\]]{0,120})\]|(?P<gap>…|\.\s?\.\s?\.(?:\s?\.)?|\*\s?\*\s?\*)|(?P<word>[^\W_]+(?:['’][^\W_]+)*)"
)
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a passage as one searchable line, and where each comes from."""

    line: str
    at: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]

    def find(self, words: Sequence[str], first: int, last: int) -> int:
        """Index of the first word of a run of words that begins at `first` or later, at most at `last`; -1 = nowhere."""
        if first >= len(self.at):
            return -1
        sought = f" {' '.join(words)} "
        found = self.line.find(sought, self.at[first] - 1)
        if found < 0:
            return -1
        index = bisect_right(self.at, found + 1) - 1
        return index if index <= last else -1


@lru_cache(maxsize=512)
def words_of(text: str) -> Words:
    found = list(WORD.finditer(text))
    at, parts, position = [], [" "], 1
    for m in found:
        word = plain(m.group())
        at.append(position)
        parts.append(f"{word} ")
        position += len(word) + 1
    return Words("".join(parts), tuple(at), tuple(m.span() for m in found))


def plain(word: str) -> str:
    return word.replace("’", "'").casefold()


class Piece(NamedTuple):
    """Words that must stand together, and how many may stand between the piece before it and them."""

    words: tuple[str, ...]
    gap: int


class _Cutter:
    """Cuts a quotation at its ellipses and brackets."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.words: list[str] = []
        self.gap = 0

    def cut(self, next_gap: int) -> None:
        if self.words:
            self.pieces.append(Piece(tuple(self.words), self.gap))
            self.words, self.gap = [], 0
        self.gap = max(self.gap, next_gap)

    def bracket(self, quotation: str, m: re.Match[str]) -> bool:
        """Whether the word that follows goes on with what the bracket holds."""
        inside = m["bracket"].strip()
        if inside.casefold() in _ADDED:
            return False
        if len(inside) == 1 and quotation[m.end() : m.end() + 1].isalnum():
            self.words.append(plain(inside))
            return True
        if quotation[m.start() - 1 : m.start()].isalnum() and self.words:
            # "notic[ed]": the word's end was changed.
            self.words.pop()
        self.cut(_BRACKET_GAP)
        return False


def pieces_of(quotation: str) -> list[Piece]:
    cutter = _Cutter()
    goes_on = False
    for m in _TOKEN.finditer(quotation):
        if m["gap"]:
            cutter.cut(_LONGEST_GAP)
        elif m["word"] is None:
            goes_on = cutter.bracket(quotation, m)
            continue
        elif goes_on:
            # "[t]he" is one word, whatever its first letter was.
            cutter.words[-1] += plain(m["word"])
        else:
            cutter.words.append(plain(m["word"]))
        goes_on = False
    cutter.cut(0)
    return cutter.pieces


def stands(pieces: Sequence[Piece], words: Words) -> tuple[int, int] | None:
    count = len(words.at)
    first = 0
    while (begin := words.find(pieces[0].words, first, count)) >= 0:
        last = begin + len(pieces[0].words)
        for piece in pieces[1:]:
            at = words.find(piece.words, last, last + piece.gap)
            if at < 0:
                break
            last = at + len(piece.words)
        else:
            return words.spans[begin][0], words.spans[last - 1][1]
        first = begin + 1
    return None
