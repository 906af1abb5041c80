"""Quoted text of a response, checked word for word against its context.

Tolerated, because quoting changes them rightly: quotation marks, white space, dashes, an ellipsis, brackets ("[t]he", "[the
tenant]", "[sic]"), and the comma or full stop that goes inside the marks. Capitals and punctuation that differ are told of, and
are no failure. Words are compared whole: a quotation of half a word is not verbatim.
"""

import heapq
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz, process

from evaluation.sentences import Unit, context_sentences
from evaluation.types import Passage

FEWEST_WORDS = 2
"""Words below which quotation marks are taken to name a term, not to quote."""
_LOOKED_AT = 200
"""Sentences of the context that share most words with a quotation and are compared with it letter by letter."""
_LONGEST_GAP = 400
"""Words that an ellipsis may leave out."""
_BRACKET_GAP = 12
"""Words that a bracket may stand for."""
_CLOSE = 60.0
"""Similarity in percent below which a passage is no nearest passage."""

_ADDED = {"sic", "emphasis added", "emphasis in original", "citation omitted", "citations omitted", "footnote omitted"}
_QUOTED = re.compile(
    r"“(?P<a>[^“”]{2,3000}?)”(?!\w)|(?<![\w\"])\"(?P<b>[^\"\n]{2,2000}?)\"(?!\w)|„(?P<c>[^„“”]{2,3000}?)[“”]|«\s?(?P<d>[^«»]{2,3000}?)\s?»"
    r"|(?<![\w’'])‘(?P<e>[^‘“”]{2,1500}?)’(?!\w)"
)
_TOKEN = re.compile(
    r"\[(?P<bracket>[^\[\]]{0,120})\]|(?P<gap>…|\.\s?\.\s?\.(?:\s?\.)?|\*\s?\*\s?\*)|(?P<word>[^\W_]+(?:['’][^\W_]+)*)"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Place(NamedTuple):
    """`context[passage].text[start:end]`."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quote:
    """Quoted words of the response and where they stand.

    Attributes:
        start: `response[start:end]` is what stands between the marks.
        end: see `start`.
        place: where it stands word for word; None where it does not.
        note: how it differs although it is verbatim ("capitals or punctuation differ"); else empty.
        nearest: the sentence of the context that is most like it, where it is not verbatim.
        similarity: of that sentence, 0..1.
        wrong: spans of the response whose words the nearest sentence does not have there.
    """

    start: int
    end: int
    place: Place | None
    note: str = ""
    nearest: Place | None = None
    similarity: float = 0.0
    wrong: tuple[tuple[int, int], ...] = ()

    @property
    def verbatim(self) -> bool:
        """Whether it stands in the context word for word."""
        return self.place is not None


@dataclass(frozen=True, slots=True)
class _Words:
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
def _words(text: str) -> _Words:
    found = list(_WORD.finditer(text))
    at, parts, position = [], [" "], 1
    for m in found:
        word = _plain(m.group())
        at.append(position)
        parts.append(f"{word} ")
        position += len(word) + 1
    return _Words("".join(parts), tuple(at), tuple(m.span() for m in found))


def _plain(word: str) -> str:
    return word.replace("’", "'").casefold()


def quotes(response: str, context: Sequence[Passage]) -> tuple[Quote, ...]:
    """Find and check the quotations of a response, in reading order; those of fewer than two words are terms, not quotations."""
    return tuple(_checked(response, start, end, tuple(context)) for start, end in quoted(response))


def quoted(text: str) -> Iterator[tuple[int, int]]:
    """Spans between quotation marks that hold at least two words."""
    for m in _QUOTED.finditer(text):
        name = m.lastgroup or "a"
        if len(_WORD.findall(m[name])) >= FEWEST_WORDS:
            yield m.span(name)


class _Piece(NamedTuple):
    """Words that must stand together, and how many may stand between the piece before it and them."""

    words: tuple[str, ...]
    gap: int


class _Cutter:
    """Cuts a quotation at its ellipses and brackets."""

    def __init__(self) -> None:
        self.pieces: list[_Piece] = []
        self.words: list[str] = []
        self.gap = 0

    def cut(self, next_gap: int) -> None:
        if self.words:
            self.pieces.append(_Piece(tuple(self.words), self.gap))
            self.words, self.gap = [], 0
        self.gap = max(self.gap, next_gap)

    def bracket(self, quotation: str, m: re.Match[str]) -> bool:
        """Whether the word that follows goes on with what the bracket holds."""
        inside = m["bracket"].strip()
        if inside.casefold() in _ADDED:
            return False
        if len(inside) == 1 and quotation[m.end() : m.end() + 1].isalnum():
            self.words.append(_plain(inside))
            return True
        if quotation[m.start() - 1 : m.start()].isalnum() and self.words:
            # "notic[ed]": the word's end was changed.
            self.words.pop()
        self.cut(_BRACKET_GAP)
        return False


def _pieces(quotation: str) -> list[_Piece]:
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
            cutter.words[-1] += _plain(m["word"])
        else:
            cutter.words.append(_plain(m["word"]))
        goes_on = False
    cutter.cut(0)
    return cutter.pieces


def _checked(response: str, start: int, end: int, context: tuple[Passage, ...]) -> Quote:
    pieces = _pieces(response[start:end])
    if not pieces:
        return Quote(start, end, None)
    for p, passage in enumerate(context):
        span = _stands(pieces, _words(passage.text))
        if span:
            theirs = passage.text[span[0] : span[1]]
            exact = len(pieces) > 1 or _same_signs(response[start:end], theirs)
            return Quote(start, end, Place(p, *span), "" if exact else "capitals or punctuation differ")
    return _nearest(response, start, end, context)


def _stands(pieces: Sequence[_Piece], words: _Words) -> tuple[int, int] | None:
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


_SIGNS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-"})


def _same_signs(ours: str, theirs: str) -> bool:
    def plain(text: str) -> str:
        return re.sub(r"[.,;:!?]+$", "", " ".join(text.translate(_SIGNS).split())).strip(" \"'")

    return plain(ours) == plain(theirs)


class _Sentence(NamedTuple):
    unit: Unit
    line: str
    words: frozenset[str]


@lru_cache(maxsize=4)
def _sentences(context: tuple[Passage, ...]) -> tuple[_Sentence, ...]:
    found = []
    for unit in context_sentences(context):
        words = [_plain(w) for w in _WORD.findall(context[unit.passage].text[unit.start : unit.end])]
        found.append(_Sentence(unit, " ".join(words), frozenset(words)))
    return tuple(found)


def _nearest(response: str, start: int, end: int, context: tuple[Passage, ...]) -> Quote:
    sentences = _sentences(context)
    words = [_plain(w) for w in _WORD.findall(response[start:end])]
    # Words in common are counted fast; only what shares most of them is looked at closely.
    wanted = frozenset(words)
    near = heapq.nlargest(_LOOKED_AT, range(len(sentences)), key=lambda i: (len(wanted & sentences[i].words), -i))
    texts = {i: sentences[i].line for i in near}
    best = process.extractOne(" ".join(words), texts, scorer=fuzz.partial_ratio, score_cutoff=_CLOSE)
    if best is None:
        return Quote(start, end, None)
    unit = sentences[best[2]].unit
    theirs = context[unit.passage].text[unit.start : unit.end]
    wrong = tuple((start + a, start + b) for a, b in _wrong(response[start:end], theirs))
    return Quote(start, end, None, "", Place(unit.passage, unit.start, unit.end), best[1] / 100.0, wrong)


def _wrong(ours: str, theirs: str) -> Iterator[tuple[int, int]]:
    """Runs of our words that have no counterpart in theirs; where theirs only has more, the words around that gap."""
    mine = [m.span() for m in _WORD.finditer(ours)]
    a = [_plain(ours[i:j]) for i, j in mine]
    b = [_plain(w) for w in _WORD.findall(theirs)]
    blocks = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    for tag, i1, i2, _, _ in blocks:
        if tag in ("delete", "replace"):
            yield mine[i1][0], mine[i2 - 1][1]
        elif tag == "insert" and 0 < i1 < len(mine):
            yield mine[i1 - 1][0], mine[i1][1]
