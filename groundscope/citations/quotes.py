"""Checks quoted text of a response word for word against its context.

Both are plain views (`groundscope.text.plain`), so signs and marks differ in nothing. Tolerated, because quoting changes them
legitimately: an ellipsis, brackets ("[t]he", "[the tenant]", "[sic]"), and the comma or full stop inside the marks. Differing
capitals and punctuation are noted and do not fail the quotation, nor do words in brackets or omissions marked by an ellipsis;
but a bracket that negates does. Words and figures are compared whole: a quotation of half a word, or of "$5" where "$5.50"
stands, is not verbatim.
"""

import heapq
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate
from typing import NamedTuple

from rapidfuzz import fuzz, process

from groundscope.citations.quotation_marks import FEWEST_OF_STRAIGHT, LETTERS, WORD, Quotation, count_words, quoted
from groundscope.runtime.byte_cache import keep
from groundscope.text.humanize import plural
from groundscope.text.plain import PlainCase, PlainView
from groundscope.text.sentences import Unit, plain_units
from groundscope.types import Case, Passage

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
_BRACKETS = re.compile(r"[\[\]]")
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
    words = [_BRACKETS.sub("", m.group()).casefold() for m in matches]
    at = array("i", accumulate((len(w) + 1 for w in words), initial=1))
    spans = (array("i", (m.start() for m in matches)), array("i", (m.end() for m in matches)))
    return Words(f" {' '.join(words)} ", at[: len(words)], *spans)


def _words(text: str) -> list[str]:
    return [w.casefold() for w in WORD.findall(text)]


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


_LOOKED_AT = 60
"""Sentences of the context that share most words with a quotation and are compared with it letter by letter."""
_LONG = 400
"""Characters of a quotation from which on it is compared as a whole: it then begins and ends where sentences do."""
_CLOSE = 60.0
"""Similarity in percent below which a passage is no nearest passage."""


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


class _Sentence(NamedTuple):
    unit: Unit
    line: str
    length: int


def quotes(response: str, context: Sequence[Passage]) -> tuple[Quote, ...]:
    """Find and check the quotations of a response, with offsets into the texts as they are."""
    view = PlainCase.of(Case("quotes", "", tuple(context), response))
    return tuple(in_original(view, quote, view.response) for quote in plain_quotes(view.response, view.case.context))


def in_original(view: PlainCase, quote: Quote, response: PlainView, begin: int = 0) -> Quote:
    """Bring a quotation of a plain text, which begins somewhere in the response, back to the texts as they are."""
    start, end = (begin + at for at in response.span(quote.start, quote.end))
    place, nearest = (place_in_original(view, p) if p else None for p in (quote.place, quote.nearest))
    spans = (response.span(*w) for w in quote.wrong)
    wrong = tuple((begin + a, begin + b) for a, b in spans)
    return replace(quote, start=start, end=end, place=place, nearest=nearest, wrong=wrong)


def place_in_original(view: PlainCase, place: ContextPlace) -> ContextPlace:
    """Bring a place of a plain passage back to the passage as it is."""
    return ContextPlace(place.passage, *view.context[place.passage].span(place.start, place.end))


def plain_quotes(response: PlainView, context: Sequence[Passage], cited: Sequence[tuple[int, int]] = ()) -> tuple[Quote, ...]:
    """Find and check the quotations of a plain text; quoted single words are terms, not quotations.

    Args:
        response: the plain view of any text, may be empty.
        context: passages in plain views, in which the quotations are looked up by their text alone.
        cited: spans of the citations in the plain text; one that ends a block quotation is no part of it.

    Returns:
        Quotations in reading order, with half-open character offsets into the plain text of `response`.
    """
    passages = tuple(context)
    checked: list[Quote] = []
    for q in quoted(response, cited):
        if not checked or q.start >= checked[-1].end:
            checked.append(_checked(response.text, q, passages))
    return tuple(checked)


def _checked(response: str, q: Quotation, context: tuple[Passage, ...]) -> Quote:
    # Of the places where it may end the last with which it is verbatim.
    for end in sorted((q.end, *q.ends), reverse=True):
        enough = end == q.end or count_words(response[q.start : end]) >= FEWEST_OF_STRAIGHT
        if enough and (quote := _verbatim(response, q.start, end, context)):
            return quote
    return _nearest(response, q.start, q.end, context)


def _verbatim(response: str, start: int, end: int, context: tuple[Passage, ...]) -> Quote | None:
    quotation = response[start:end]
    pieces, brackets, negates = pieces_of(quotation)
    if not pieces:
        return None
    if brackets and (match := _stand(pieces_of(_BRACKETS.sub("", quotation)).pieces, context)):
        # What the brackets hold stands there, too.
        return Quote(start, end, match[0], _left_out(match[1]))
    # A bracket that negates what is quoted is no tolerated change.
    if negates or not (match := _stand(pieces, context)):
        return None
    place, left_out = match
    theirs = context[place.passage].text[place.start : place.end]
    exact = len(pieces) > 1 or bool(brackets) or _same_signs(quotation, theirs)
    notes = ("" if exact else "capitals or punctuation differ", _left_out(left_out), _writers(brackets))
    return Quote(start, end, place, "; ".join(filter(None, notes)))


_BRACKETS_TOLD = 4


def _stand(pieces: Sequence[Piece], context: Sequence[Passage]) -> tuple[ContextPlace, int] | None:
    """The first place where a quotation stands word for word, and how many words it leaves out."""
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


def _same_signs(ours: str, theirs: str) -> bool:
    """Compare the capitals and signs of two texts of the same words, but for those at their ends and which marks quote."""

    def bare(text: str) -> str:
        text = " ".join(_LINE_SIGN.sub("\n", text).replace('"', "'").replace(" %", "%").split())
        return text.strip(".,;:!?' ")

    return bare(ours) == bare(theirs)


_LINE_SIGN = re.compile(r"\n[ \t]{0,3}>?[ \t]?[\"']?")


@keep(megabytes=16)
def _sentences(context: tuple[Passage, ...]) -> tuple[_Sentence, ...]:
    sentences = []
    for unit in plain_units(context):
        words = _words(context[unit.passage].text[unit.start : unit.end])
        sentences.append(_Sentence(unit, " ".join(words), len(words)))
    return tuple(sentences)


def _nearest(response: str, start: int, end: int, context: tuple[Passage, ...]) -> Quote:
    sentences = _sentences(context)
    words = _words(response[start:end])
    line = " ".join(words)
    # Words in common are counted fast; only what shares most of them is looked at closely.
    distinct = frozenset(words)
    common = [len(distinct.intersection(s.line.split(" "))) for s in sentences]
    near = heapq.nlargest(_LOOKED_AT, range(len(sentences)), key=lambda i: (common[i], -i))
    windows = {i: _window(sentences, i, len(words)) for i in near}
    texts = {i: " ".join(s.line for s in sentences[i : windows[i]]) for i in near}
    scorer = fuzz.ratio if len(line) > _LONG else fuzz.partial_ratio
    best = process.extractOne(line, texts, scorer=scorer, score_cutoff=_CLOSE)
    if best is None:
        return Quote(start, end, None)
    first, last = sentences[best[2]].unit, sentences[windows[best[2]] - 1].unit
    place = ContextPlace(first.passage, first.start, last.end)
    wrong = tuple(
        (start + a, start + b) for a, b in _wrong(response[start:end], context[place.passage].text[place.start : place.end])
    )
    return Quote(start, end, None, "", place, best[1] / 100.0, wrong)


def _window(sentences: Sequence[_Sentence], first: int, count: int) -> int:
    """The end of the sentences from one on, in one passage, that have as many words as a quotation."""
    last, words = first + 1, sentences[first].length
    while last < len(sentences) and words < count and sentences[last].unit.passage == sentences[first].unit.passage:
        words += sentences[last].length
        last += 1
    return last


def _wrong(ours: str, theirs: str) -> Iterator[tuple[int, int]]:
    """Runs of our words that have no counterpart in theirs; where theirs only has more, the words around that gap."""
    mine = [m.span() for m in WORD.finditer(ours)]
    a, b = _words(ours), _words(theirs)
    blocks = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    for tag, i1, i2, _, _ in blocks:
        if tag in ("delete", "replace"):
            yield mine[i1][0], mine[i2 - 1][1]
        elif tag == "insert" and 0 < i1 < len(mine):
            yield mine[i1 - 1][0], mine[i1][1]
