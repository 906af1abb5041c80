"""Checks quoted text of a response word for word against its context.

Both are plain views (`groundscope.text.plain`), so signs and marks differ in nothing. Tolerated, because quoting changes them
legitimately: an ellipsis, brackets ("[t]he", "[the tenant]", "[sic]"), and the comma or full stop inside the marks. Differing
capitals and punctuation are noted and do not fail the quotation, nor do words in brackets or omissions marked by an ellipsis;
but a bracket that negates does. Words and figures are compared whole: a quotation of half a word, or of "$5" where "$5.50"
stands, is not verbatim.
"""

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import NamedTuple

from rapidfuzz import fuzz, process

from groundscope.citations.quotation_marks import FEWEST_OF_STRAIGHT, WORD, Quotation, count_words, is_own, quoted
from groundscope.citations.quotation_pieces import BRACKETS, CutQuotation, Piece, Stand, negations, stands, words_of
from groundscope.runtime.byte_cache import keep
from groundscope.text.humanize import plural
from groundscope.text.plain import PlainCase, PlainView
from groundscope.text.sentences import Unit, plain_units
from groundscope.types import Case, Passage


def _words(text: str) -> list[str]:
    return [w.casefold() for w in WORD.findall(text)]


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
        place: where it stands word for word; None where it does not, or where all that is left out is what negates it.
        note: how it differs although it is verbatim ("capitals or punctuation differ", "leaves out 3 words"), and the remark.
        nearest: the sentence of the context that is most like it, where it is not verbatim.
        wrong: spans of the response whose words the nearest sentence does not have there.
        remark: why it is no error although it is not verbatim, or what to look at although it is; else empty.
    """

    start: int
    end: int
    place: ContextPlace | None
    note: str = ""
    nearest: ContextPlace | None = None
    similarity: float = 0.0
    wrong: tuple[tuple[int, int], ...] = ()
    remark: str = ""

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
    """Find and check the quotations of a plain text, in reading order; quoted single words are terms, not quotations.

    Passages are looked up by their text alone; `cited` are spans of the citations in the plain text: one that ends a block
    quotation is no part of it.
    """
    passages = tuple(context)
    checked: list[Quote] = []
    last, writers = 0, False
    for q in quoted(response, cited):
        if q.start >= last:
            quote = _checked(response.text, q, passages)
            writers = is_own(response.text, quote.start, quote.end, last, follows=writers)
            last = quote.end
            checked.append(replace(quote, note=_OWN, remark=_OWN) if writers and not quote.verbatim else quote)
    return tuple(checked)


_OWN = "its sentence does not say that the sources have it"


def _checked(response: str, q: Quotation, context: tuple[Passage, ...]) -> Quote:
    # Of the places where it may end the last with which it is verbatim.
    for end in sorted((q.end, *q.ends), reverse=True):
        enough = end == q.end or count_words(response[q.start : end]) >= FEWEST_OF_STRAIGHT
        if enough and (quote := _verbatim(response, q.start, end, context)):
            return quote
    return _nearest(response, q.start, q.end, context)


def _verbatim(response: str, start: int, end: int, context: tuple[Passage, ...]) -> Quote | None:
    quotation = response[start:end]
    cut = CutQuotation.of(quotation)
    pieces, brackets = cut.pieces, cut.brackets
    # What the brackets hold may stand there, too. A bracket that negates what is quoted is no tolerated change.
    inside = _stand(CutQuotation.of(BRACKETS.sub("", quotation)).pieces, context) if brackets else None
    match = inside or (None if cut.negates else _stand(pieces, context))
    if match is None:
        return None
    passage, stand = match
    text = context[passage].text
    left_out = [negations(text[a:b]) for a, b in stand.gaps]
    if any(only for _, only in left_out):
        return None
    exact = len(pieces) > 1 or bool(brackets) or _same_signs(quotation, text[stand.start : stand.end])
    without = [f"“{word}”" for negating, _ in left_out for word in negating][:_MOST_NAMED]
    remark = f"is quoted without {', '.join(without)}, which stands there" if without else ""
    notes = (
        "" if exact else "capitals or punctuation differ",
        f"leaves out {plural(stand.left_out, 'word')}" if stand.left_out else "",
        "" if inside else _writers(brackets),
        remark,
    )
    return Quote(start, end, ContextPlace(passage, stand.start, stand.end), "; ".join(filter(None, notes)), remark=remark)


_MOST_NAMED = 4
"""Brackets or words that are named."""


def _stand(pieces: Sequence[Piece], context: Sequence[Passage]) -> tuple[int, Stand] | None:
    """The first passage and place where a quotation stands word for word."""
    for p, passage in enumerate(context):
        if pieces and (match := stands(pieces, words_of(passage.text))):
            return p, match
    return None


def _writers(brackets: Sequence[str]) -> str:
    named = ", ".join(brackets[:_MOST_NAMED]) + (", …" if len(brackets) > _MOST_NAMED else "")
    return f"words in brackets are the writer's: {named}" if brackets else ""


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
