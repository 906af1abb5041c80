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
_LONGEST_ENDING, _LONGEST_MIDDLE = 8, 3
_SHORT_STEM = 1
"""Letters: "a[n]" may gain one more, a longer stem any ending."""
_REMARK = (
    r"(?i:(?:(?:internal|citations?|quotations?|quotation\smarks|footnotes?|emphasis|alterations?|and|in|original)\s){0,6}"
    r"(?:omitted|added|original|adopted))"
)
_IN_BRACKETS = r"\[(?:[^\W\d_]|'){0,12}\]"
_WHOLE_WORD = re.compile(rf"(?:{_IN_BRACKETS})?{LETTERS}(?:{_IN_BRACKETS}(?:{LETTERS})?){{0,2}}|{WORD.pattern}")
"""A word with what brackets changed of it: "[t]he". A source may quote so itself."""
_TOKEN = re.compile(
    rf"(?P<word>{_WHOLE_WORD.pattern})|\[(?P<bracket>[^\[\]]{{0,120}})\]"
    rf"|(?P<gap>\.\s?\.\s?\.(?:\s?\.)?|\*\s?\*\s?\*)|(?P<remark>\({_REMARK}\))"
)
_ADDED = re.compile(rf"sic|{_REMARK}")
_DOTS = re.compile(r"(?:\.\s?){2,5}|(?:\*\s?){3}|omitted")
_NEGATION = re.compile(r"\b(?:not|no|nor|never|none|nothing|neither|cannot|without)\b|(?:\b\w+)?n't\b", re.IGNORECASE)
_STOP = re.compile(r"[.;:?!][\"')]{0,2}\s")
BRACKETS = re.compile(r"[\[\]]")


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
        farthest = (self.at[last] if last < len(self.at) else len(self.line)) + len(sought)
        while first < len(self.at):
            position = self.line.find(sought, self.at[first] - 1, farthest)
            if position < 0:
                return -1
            index = bisect_right(self.at, position + 1) - 1
            if not piece.stem or self._has_ends(index + len(piece.words), piece):
                return index
            first = index + 1
        return -1

    def _has_ends(self, index: int, piece: "Piece") -> bool:
        """Whether a word that begins as a piece's last one ends so, too: "a[n]" is no "abandonment"."""
        word = self.line[self.at[index] : self.line.index(" ", self.at[index])]
        most = 1 if len(piece.stem) == _SHORT_STEM else _LONGEST_MIDDLE if piece.ending else _LONGEST_ENDING
        return word.endswith(piece.ending) and 0 <= len(word) - len(piece.stem) - len(piece.ending) <= most


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

    `gap` words may be left out before them, by an ellipsis if `dots`, else by a bracket; `stem` and `ending` are how a further
    word begins and ends of which a bracket changed the rest.
    """

    words: tuple[str, ...]
    gap: int
    dots: bool = False
    stem: str = ""
    ending: str = ""


class CutQuotation:
    """A quotation in pieces, none if it holds no word; `brackets` stand for words of the writer's own, some of which negate."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.words: list[str] = []
        self.brackets: list[str] = []
        self.gap, self.dots = 0, False
        self.negates = False

    @classmethod
    def of(cls, quotation: str) -> "CutQuotation":
        """Cut a quotation at its ellipses and brackets."""
        cut = cls()
        for m in _TOKEN.finditer(quotation):
            if m["word"]:
                cut._word(m["word"].casefold())
            elif m["gap"]:
                cut._cut(_LONGEST_GAP, dots=True)
            elif m["remark"]:
                cut._cut(_BRACKET_GAP)
            else:
                cut._bracket(m.group(), m["bracket"].strip())
        cut._cut(0)
        return cut

    def _cut(self, next_gap: int, *, dots: bool = False, stem: str = "", ending: str = "") -> None:
        if self.words or stem:
            self.pieces.append(Piece(tuple(self.words), self.gap, self.dots, stem, ending))
            self.words, self.gap, self.dots = [], 0, False
        self.gap = max(self.gap, next_gap)
        self.dots = self.dots or dots

    def _word(self, word: str) -> None:
        # "[t]he" is one word, whatever its first letter was.
        first, *rest = BRACKETS.split(word.removeprefix("[").replace("]", "", word.startswith("[")))
        if rest:
            self.negates = self.negates or any(map(_NEGATION.search, rest[::2]))
            self._cut(0, stem=first, ending=rest[-1])
        else:
            self.words.append(first)

    def _bracket(self, whole: str, inside: str) -> None:
        if _DOTS.fullmatch(inside):
            self._cut(_LONGEST_GAP, dots=True)
        elif not _ADDED.fullmatch(inside):
            self.negates = self.negates or bool(_NEGATION.search(inside))
            self._cut(_BRACKET_GAP)
            self.brackets.append(whole)


class Stand(NamedTuple):
    """Where a quotation stands in a passage, how many words its ellipses leave out, and the spans that all gaps leave out."""

    start: int
    end: int
    left_out: int
    gaps: tuple[tuple[int, int], ...]


def negations(left_out: str) -> tuple[list[str], bool]:
    """Find the words of negation in what is left out of one sentence, and whether it is nothing else."""
    negating = [] if _STOP.search(left_out) else _NEGATION.findall(left_out)
    return negating, bool(negating) and len(WORD.findall(left_out)) == len(negating)


def stands(pieces: Sequence[Piece], words: Words) -> Stand | None:
    """Where all pieces, at least one, first stand in order, each within its gap after the one before, and as near as they do."""
    first, nearest, count = 0, None, len(words.at)
    # A later beginning before the second piece leaves out less.
    while (begin := words.find(pieces[0], first, count)) >= 0:
        at = [begin]
        for piece, before in zip(pieces[1:], pieces, strict=False):
            last = at[-1] + _length(before)
            at.append(words.find(piece, last, last + piece.gap))
            if at[-1] < 0:
                break
        else:
            nearest, count = at, at[1] - 1 if len(at) > 1 else 0
        first = begin + 1
    if nearest is None:
        return None
    ends = [at + _length(piece) for at, piece in zip(nearest, pieces, strict=True)]
    between = [(a, b, p.dots) for a, b, p in zip(ends, nearest[1:], pieces[1:], strict=False) if b > a]
    gaps = tuple((words.ends[a - 1], words.starts[b]) for a, b, _ in between)
    return Stand(words.starts[nearest[0]], words.ends[ends[-1] - 1], sum(b - a for a, b, dots in between if dots), gaps)


def _length(piece: Piece) -> int:
    return len(piece.words) + bool(piece.stem)
