"""Checks quoted text of a response word for word against its context.

Tolerated, because quoting changes them legitimately: quotation marks, white space, dashes, an ellipsis, brackets ("[t]he", "[the
tenant]", "[sic]"), and the comma or full stop inside the marks. Differing capitals and punctuation are noted and do not fail the
quotation, nor do words in brackets or omissions marked by an ellipsis; but a bracket that negates does. Words are compared
whole: a quotation of half a word is not verbatim.
"""

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from rapidfuzz import fuzz, process

from groundscope.citations._quoted_words import WORD, pieces_of, plain, stands, words_of
from groundscope.runtime.byte_cache import keep
from groundscope.text.humanize import plural
from groundscope.text.sentences import Unit, context_sentences
from groundscope.types import Passage

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
    if brackets and (found := _stand(_BRACKETS.sub("", quotation), context)):
        # What the brackets hold stands there, too.
        return Quote(start, end, found[0], _left_out(found[1]))
    # A bracket that negates what is quoted is no tolerated change.
    if not any(_NEGATION.search(b) for b in brackets) and (found := _stand(quotation, context)):
        place, left_out = found
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
        if pieces and (found := stands(pieces, words_of(passage.text))):
            start, end, left_out = found
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
    found = []
    for unit in context_sentences(context):
        words = [plain(w) for w in WORD.findall(context[unit.passage].text[unit.start : unit.end])]
        found.append(_Sentence(unit, " ".join(words), frozenset(words)))
    return tuple(found)


def _nearest(response: str, start: int, end: int, context: tuple[Passage, ...]) -> Quote:
    sentences = _sentences(context)
    words = [plain(w) for w in WORD.findall(response[start:end])]
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
