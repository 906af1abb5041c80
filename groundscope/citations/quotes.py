"""Checks quoted text of a response word for word against its context.

Tolerated, because quoting changes them legitimately: quotation marks, white space, dashes, an ellipsis, brackets ("[t]he", "[the
tenant]", "[sic]"), and the comma or full stop inside the marks. Differing capitals and punctuation are noted and do not fail the
quotation, nor do words in brackets or omissions marked by an ellipsis; but a bracket that negates does. Words are compared
whole: a quotation of half a word is not verbatim.
"""

import heapq
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from rapidfuzz import fuzz, process

from groundscope.runtime.byte_cache import keep
from groundscope.text.humanize import plural
from groundscope.text.sentences import Unit, context_sentences
from groundscope.types import Passage

_LONGEST_GAP = 400
"""Words that an ellipsis may leave out."""
_BRACKET_GAP = 12
"""Words that a bracket may stand for."""
_LONGEST_ENDING = 8
_SHORT_STEM = 2
"""Letters: "a[n]" may gain one more, a longer stem any ending."""
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
    """The words of a passage, each as `plain` spells it, with their offsets in it; cached."""
    matches = list(WORD.finditer(text))
    at, parts, position = [], [" "], 1
    for m in matches:
        word = plain(m.group())
        at.append(position)
        parts.append(f"{word} ")
        position += len(word) + 1
    return Words("".join(parts), tuple(at), tuple(m.span() for m in matches))


def plain(word: str) -> str:
    """A word as it is compared: straight apostrophes, lower case."""
    return word.replace("’", "'").casefold()


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

    def cut(self, next_gap: int, *, dots: bool = False, stem: str = "") -> None:
        if self.words or stem:
            self.pieces.append(Piece(tuple(self.words), self.gap, self.dots, stem))
            self.words, self.gap, self.dots = [], 0, False
        self.gap = max(self.gap, next_gap)
        self.dots = self.dots or dots

    def bracket(self, quotation: str, m: re.Match[str]) -> bool:
        """Whether the word after a bracket continues the word inside it."""
        inside = m["bracket"].strip()
        if inside.casefold() in _ADDED:
            return False
        after_word = bool(self.words) and quotation[m.start() - 1 : m.start()].isalnum()
        if inside and " " not in inside and quotation[m.end() : m.end() + 1].isalnum():
            # "[t]he", "notic[e]s".
            self.words.append((self.words.pop() if after_word else "") + plain(inside))
            return True
        if after_word:
            # "notic[ed]": the word's end was changed, and nothing else.
            self.cut(_BRACKET_GAP if " " in inside else 0, stem=self.words.pop())
        else:
            self.cut(_BRACKET_GAP)
            self.brackets.append(m.group())
        return False


def pieces_of(quotation: str) -> tuple[list[Piece], list[str]]:
    """The pieces of a quotation, none if it holds no word, and the brackets that stand for words of the writer's own."""
    cutter = _Cutter()
    goes_on = False
    for m in _TOKEN.finditer(quotation):
        if m["gap"]:
            cutter.cut(_LONGEST_GAP, dots=True)
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
    return cutter.pieces, cutter.brackets


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
            return words.spans[begin][0], words.spans[last - 1][1], left_out
        first = begin + 1
    return None


def _length(piece: Piece) -> int:
    return len(piece.words) + bool(piece.stem)


FEWESTWORDS = 2
"""Words below which quotation marks are taken to name a term, not to quote."""
_LOOKED_AT = 200
"""Sentences of the context that share most words with a quotation and are compared with it letter by letter."""
_CLOSE = 60.0
"""Similarity in percent below which a passage is no nearest passage."""

_LINE = r"\n(?![^\S\n]{0,40}\n)"
_QUOTED = re.compile(
    rf"“(?P<a>[^“”]{{2,3000}}?)”(?!\w)|(?<![\w\"])\"(?P<b>(?:[^\"\n]|{_LINE}){{2,2000}}?)\"(?!\w)|„(?P<c>[^„“”]{{2,3000}}?)[“”]"
    r"|«\s?(?P<d>[^«»]{2,3000}?)\s?»|»(?P<e>[^«»]{2,3000}?)«|‹\s?(?P<f>[^‹›]{2,1500}?)\s?›|›(?P<g>[^‹›]{2,1500}?)‹"
    r"|「(?P<h>[^「」]{2,3000}?)」|『(?P<i>[^『』]{2,3000}?)』|(?<![\w’'])‘(?P<j>[^‘“”]{2,1500}?)’(?!\w)"
    # LaTeX, and the straight single mark, which is an apostrophe as well.
    rf"|``(?P<k>(?:[^`'\n]|(?<=\w)'(?=\w)|{_LINE}){{2,2000}}?)''|(?<![\w'’])'(?P<l>(?=[^\W\d_]|\[)(?:[^'\n]|(?<=\w)'(?=\w)|{_LINE}){{2,1500}}?)'(?!\w)"
)
_FEWEST_OF_STRAIGHT = 3
"""Words between straight single marks below which they may be apostrophes."""


class ContextPlace(NamedTuple):
    """`context[passage].text[start:end]`."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quote:
    """Quoted words of the response, between their marks, and where they stand.

    Attributes:
        place: where it stands word for word; None where it does not.
        note: how it differs although it is verbatim ("capitals or punctuation differ", "leaves out 3 words"); else empty.
        nearest: the sentence of the context that is most like it, where it is not verbatim.
        wrong: spans of the response whose words the nearest sentence does not have there.
    """

    start: int
    end: int
    place: ContextPlace | None
    note: str = ""
    nearest: ContextPlace | None = None
    similarity: float = 0.0
    wrong: tuple[tuple[int, int], ...] = ()

    @property
    def verbatim(self) -> bool:
        """Whether it stands in the context word for word."""
        return self.place is not None


def quotes(response: str, context: Sequence[Passage]) -> tuple[Quote, ...]:
    """Find and check the quotations of a response; quoted single words are terms, not quotations.

    Args:
        response: any text, may be empty.
        context: passages in which the quotations are looked up, by their text alone.

    Returns:
        Quotations in reading order, with half-open character offsets into `response`.
    """
    return tuple(_checked(response, start, end, tuple(context)) for start, end in quoted(response))


def quoted(text: str) -> Iterator[tuple[int, int]]:
    """Find the text between quotation marks that holds at least two words, between straight single marks three.

    Args:
        text: of a response.

    Yields:
        Half-open character offsets of what stands between the marks, in reading order.
    """
    for m in _QUOTED.finditer(text):
        name = m.lastgroup or "a"
        if len(WORD.findall(m[name])) >= (_FEWEST_OF_STRAIGHT if name == "l" else FEWESTWORDS):
            yield m.span(name)


def _checked(response: str, start: int, end: int, context: tuple[Passage, ...]) -> Quote:
    quotation = response[start:end]
    pieces, brackets = pieces_of(quotation)
    if not pieces:
        return Quote(start, end, None)
    if brackets and (match := _stand(_BRACKETS.sub("", quotation), context)):
        # What the brackets hold stands there, too.
        return Quote(start, end, match[0], _left_out(match[1]))
    # A bracket that negates what is quoted is no tolerated change.
    if not any(_NEGATION.search(b) for b in brackets) and (match := _stand(quotation, context)):
        place, left_out = match
        theirs = context[place.passage].text[place.start : place.end]
        exact = len(pieces) > 1 or bool(brackets) or _same_signs(quotation, theirs)
        notes = ("" if exact else "capitals or punctuation differ", _left_out(left_out), _writers(brackets))
        return Quote(start, end, place, "; ".join(filter(None, notes)))
    return _nearest(response, start, end, context)


_BRACKETS = re.compile(r"[\[\]]")
_NEGATION = re.compile(r"\b(?:not|no|nor|never|none|neither|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_BRACKETS_TOLD = 4


def _stand(quotation: str, context: Sequence[Passage]) -> tuple[ContextPlace, int] | None:
    """The first place where a quotation stands word for word, and how many words it leaves out."""
    pieces, _ = pieces_of(quotation)
    for p, passage in enumerate(context):
        if pieces and (match := stands(pieces, words_of(passage.text))):
            start, end, left_out = match
            return ContextPlace(p, start, end), left_out
    return None


def _left_out(count: int) -> str:
    return f"leaves out {plural(count, 'word')}" if count else ""


def _writers(brackets: Sequence[str]) -> str:
    told = ", ".join(brackets[:_BRACKETS_TOLD]) + (", …" if len(brackets) > _BRACKETS_TOLD else "")
    return f"words in brackets are the writer's: {told}" if brackets else ""


_SIGNS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-"})


def _same_signs(ours: str, theirs: str) -> bool:
    def plain(text: str) -> str:
        return re.sub(r"^[….\s]+|[….,;:!?\s]+$", "", " ".join(text.translate(_SIGNS).split())).strip(" \"'")

    return plain(ours) == plain(theirs)


class _Sentence(NamedTuple):
    unit: Unit
    line: str
    words: frozenset[str]


@keep(megabytes=32)
def _sentences(context: tuple[Passage, ...]) -> tuple[_Sentence, ...]:
    sentences = []
    for unit in context_sentences(context):
        words = [plain(w) for w in WORD.findall(context[unit.passage].text[unit.start : unit.end])]
        sentences.append(_Sentence(unit, " ".join(words), frozenset(words)))
    return tuple(sentences)


def _nearest(response: str, start: int, end: int, context: tuple[Passage, ...]) -> Quote:
    sentences = _sentences(context)
    words = [plain(w) for w in WORD.findall(response[start:end])]
    # Words in common are counted fast; only what shares most of them is looked at closely.
    distinct = frozenset(words)
    near = heapq.nlargest(_LOOKED_AT, range(len(sentences)), key=lambda i: (len(distinct & sentences[i].words), -i))
    texts = {i: sentences[i].line for i in near}
    best = process.extractOne(" ".join(words), texts, scorer=fuzz.partial_ratio, score_cutoff=_CLOSE)
    if best is None:
        return Quote(start, end, None)
    unit = sentences[best[2]].unit
    theirs = context[unit.passage].text[unit.start : unit.end]
    wrong = tuple((start + a, start + b) for a, b in _wrong(response[start:end], theirs))
    return Quote(start, end, None, "", ContextPlace(unit.passage, unit.start, unit.end), best[1] / 100.0, wrong)


def _wrong(ours: str, theirs: str) -> Iterator[tuple[int, int]]:
    """Runs of our words that have no counterpart in theirs; where theirs only has more, the words around that gap."""
    mine = [m.span() for m in WORD.finditer(ours)]
    a = [plain(ours[i:j]) for i, j in mine]
    b = [plain(w) for w in WORD.findall(theirs)]
    blocks = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    for tag, i1, i2, _, _ in blocks:
        if tag in ("delete", "replace"):
            yield mine[i1][0], mine[i2 - 1][1]
        elif tag == "insert" and 0 < i1 < len(mine):
            yield mine[i1 - 1][0], mine[i1][1]
