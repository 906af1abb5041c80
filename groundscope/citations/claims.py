"""Text -> (claim, citation) pairs: what each authority is cited for.

A sentence that holds a citation and words of its own is the claim of that citation, less citations, signals and pin cites. A
sentence that is nothing but citations supports the claim before it, and so does every citation of a string. Of several sentences
between two citations the last is the claim (default), or all of them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from groundscope.citations.reader.reading import CitationReading, read
from groundscope.citations.types import Citation, CitationParts, Form
from groundscope.text.sentences import split

SIGNALS = re.compile(
    r"\b(?:see,?\s(?:also|generally|e\.\s?g\.)|but\s(?:see|cf\.)|see|cf\.|e\.\s?g\.|accord|contra|compare|with|quoting|citing|quoted\sin|"
    r"cited\sin|citations?\somitted|internal\squotation\smarks\somitted|emphasis\sadded|cleaned\sup|and|also|generally|or|in|of|under|"
    r"per|at|by|the|both)\b[.,]?",
    re.IGNORECASE,
)
_ENDING_SIGNAL = re.compile(
    r"[\s,;(\[]*(?:\b(?:see,?\s(?:also|generally|e\.\s?g\.,?)|but\s(?:see|cf\.)|see|cf\.|e\.\s?g\.|accord|quoting|citing|quoted\sin),?\s*)+$",
    re.IGNORECASE,
)
_HANGING = re.compile(r"(?:^|\s)(?:under|in|by|per|of|to|from|with|pursuant\sto|as\sin|and|or|both)\s+$", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]{2,}")
FEWEST_WORDS = 3
"""Words besides citations and signals from which on a sentence claims something itself."""
_NO_VERB = re.compile(
    r"\s(?:and|or|et|see|citing|quoting|accord|but|cf|with|through|thru|to|as|in|of|under|at|by|for|on|note|notes|nn|app|generally|"
    r"passim|ff|id|ibid|supra|also|compare|contra|eff|rev|ed)\b",
    re.IGNORECASE,
)


class CitingSentence(NamedTuple):
    """A sentence with its citations; `words` are those that are no citations, `claims`: whether these say something."""

    start: int
    end: int
    heading: bool
    citations: tuple[int, ...]
    words: str
    claims: bool


def citing_sentences(text: str, citations: Sequence[Citation]) -> list[CitingSentence]:
    """A text as sentences with their citations, in reading order; sentences that a citation spans are joined."""
    grouped: list[CitingSentence] = []
    first, start = 0, -1
    sentences = split(text)
    for s in sentences:
        start = s.start if start < 0 else start
        after = first
        while after < len(citations) and citations[after].start < s.end:
            after += 1
        # A name or a parenthesis may hold a full stop that is none of a sentence.
        crossing = any(c.outer < s.end < c.end for c in citations[first : after + 1])
        if crossing and not s.heading and s is not sentences[-1]:
            continue
        heading = s.heading and start == s.start
        inside = citations[first:after]
        remaining = _own(text, start, s.end, inside)
        enough = len(WORD.findall(SIGNALS.sub(" ", remaining))) >= FEWEST_WORDS
        # "42 U.S.C. § 1983 creates liability": two words, but a whole claim.
        claims = enough or any(_grammatical(text, c, s.end) and not _NO_VERB.match(text, c.end) for c in inside)
        grouped.append(CitingSentence(start, s.end, heading, tuple(range(first, after)), remaining, claims))
        first, start = after, -1
    return grouped


def _own(text: str, start: int, end: int, citations: Sequence[Citation]) -> str:
    """The words of a sentence that are no citation, signal or explanation of one."""
    parts: list[str] = []
    at = start
    for c in citations:
        if _grammatical(text, c, end):
            continue
        piece = text[at : max(at, min(c.outer, end))]
        parts.append(_HANGING.sub(" ", _ENDING_SIGNAL.sub(" ", piece)))
        at = max(at, c.end)
        if c.aside and c.aside[0] >= at:
            at = c.aside[1] + 1
    parts.append(text[at:end])
    return _smoothed(" ".join(p.strip() for p in parts))


def _smoothed(words: str) -> str:
    """What is left where citations were taken out, without the commas and brackets that stood around them."""
    words = re.sub(r"\(\s*\)|\[\s*\]|[(\[]\s*(?=[,.;:])", " ", words)
    words = re.sub(r"\s+([,.;:)])", r"\1", " ".join(words.split()))
    words = re.sub(r"([,;:])[,;:]+", r"\1", words).lstrip(" ,;:.)")
    stripped = words.rstrip(" .,;:(")
    return f"{stripped}." if "." in words[len(stripped) :] else stripped


def _grammatical(text: str, citation: Citation, end: int) -> bool:
    """Whether the sentence needs the citation as its subject or object: "Section 5 requires notice"."""
    if citation.kind != "law":
        return False
    after = text[citation.end : min(end, citation.end + 12)]
    return bool(re.match(r"\s[a-z]{2,}", after))


Reach = Literal["last", "all"]
REACHES: tuple[Reach, ...] = ("last", "all")


@dataclass(frozen=True, slots=True)
class LegalClaim:
    """A claim that authorities are cited for, without citations and signals; `spans` are the offsets of its sentences."""

    text: str
    spans: tuple[tuple[int, int], ...]


class CitedClaim(NamedTuple):
    """A claim with one authority it is cited for.

    `citation`: index in `CitingDocument.citations` of the first citation of the authority for this claim. `parts`: what the
    text says of it: names, volume, reporter and page.
    """

    claim: int
    citation: int
    key: str
    same: frozenset[str]
    parts: CitationParts = CitationParts()


@dataclass(frozen=True, slots=True)
class CitingDocument:
    """A text as claims with their authorities, in reading order.

    `alone`: places of citations without a claim before them or in their parenthesis.
    """

    text: str
    citations: tuple[Citation, ...]
    claims: tuple[LegalClaim, ...]
    pairs: tuple[CitedClaim, ...]
    unread: tuple[int, ...] = ()
    alone: tuple[int, ...] = ()
    note: str = ""


def document(text: str, reach: Reach = "last", *, subsections: bool = False) -> CitingDocument:
    """Pair the claims of a text with their authorities, in reading order, with half-open character offsets into `text`.

    By `reach`, of several sentences between two citations the `last` is the claim, or `all` of them are. What is read of a
    longer text is in `CitingDocument.note`.
    """
    if reach not in REACHES:
        raise ValueError(f"reach must be one of {', '.join(REACHES)}, got {reach!r}")
    reading = read(text)
    return assembled(text, reading, _cited(text, reading.citations, reach), subsections=subsections)


def assembled(
    text: str,
    reading: CitationReading,
    cited_claims: Iterable[tuple[LegalClaim | None, Sequence[int]]],
    *,
    subsections: bool = False,
) -> CitingDocument:
    """Pair claims with the authorities that their citations, by place in the reading, stand for; None = nothing is claimed.

    A claim has one pair for each authority, parallel citations are one.
    """
    claims: list[LegalClaim] = []
    pairs: list[CitedClaim] = []
    alone: list[int] = []
    unread = [i for i, c in enumerate(reading.citations) if _key(c, subsections) == ""]
    unkeyed = set(unread)
    for claim, cited in cited_claims:
        keyed = [i for i in cited if i not in unkeyed]
        if claim is None:
            alone += keyed
            continue
        taken: set[str] = set()
        for i in keyed:
            same = _same(reading.citations[i], subsections)
            if not taken.isdisjoint(same):
                continue
            taken |= same
            citation = reading.citations[i]
            pairs.append(CitedClaim(len(claims), i, _key(citation, subsections), same, citation.resolved))
        if taken:
            claims.append(claim)
    return CitingDocument(text, reading.citations, tuple(claims), tuple(pairs), tuple(unread), tuple(alone), reading.note)


def documents(texts: Sequence[str], reach: Reach = "last", *, subsections: bool = False) -> list[CitingDocument]:
    """Pair the claims of each text with their authorities."""
    return [document(text, reach, subsections=subsections) for text in texts]


def _key(citation: Citation, subsections: bool) -> str:
    bare = citation.kind == "law" and citation.form is Form.SHORT and bool(citation.parts.page)
    key = citation.key or (f"law|||{citation.parts.page.casefold()}" if bare else "")
    if key and subsections and citation.kind == "law":
        return f"{key}{re.sub(r'[^0-9A-Za-z()]', '', citation.parts.pin).casefold()}"
    return key


def _same(citation: Citation, subsections: bool) -> frozenset[str]:
    if citation.same and not (subsections and citation.kind == "law"):
        return citation.same
    return frozenset((_key(citation, subsections),))


def _cited(text: str, citations: Sequence[Citation], reach: Reach) -> Iterator[tuple[LegalClaim | None, tuple[int, ...]]]:
    """Claims with the places of their citations, in reading order; None where nothing is claimed."""
    sentences = citing_sentences(text, citations)
    waiting: list[CitingSentence] = []
    claim: LegalClaim | None = None
    held: list[int] = []
    for s in sentences:
        if s.heading:
            continue
        if s.claims or not s.citations:
            if held:
                yield claim, tuple(held)
                held = []
                waiting = []
            waiting.append(s)
            if s.citations:
                claim = _claim(waiting, reach)
                held += s.citations
        else:
            if not held:
                claim = _claim(waiting, reach) or _aside(text, citations, s.citations)
            held += s.citations
    if held:
        yield claim, tuple(held)


def _claim(waiting: Sequence[CitingSentence], reach: Reach) -> LegalClaim | None:
    chosen = waiting[-1:] if reach == "last" else waiting
    if not chosen:
        return None
    return LegalClaim(" ".join(s.words for s in chosen), tuple((s.start, s.end) for s in chosen))


def _aside(text: str, citations: Sequence[Citation], cited: Sequence[int]) -> LegalClaim | None:
    """What a parenthesis says its case held, where nothing stands before the citation."""
    for i in cited:
        if (aside := citations[i].aside) and len(WORD.findall(text[slice(*aside)])) >= FEWEST_WORDS:
            return LegalClaim(" ".join(text[slice(*aside)].split()), (aside,))
    return None


def claim_sentences(text: str, citations: Sequence[Citation]) -> list[tuple[int, int]]:
    """Find for each citation the sentence that holds it, and the one that it is cited for: that sentence or an earlier one.

    Both are counted as `groundscope.text.sentences.split` does.
    """
    sentences = split(text)
    starts = [s.start for s in sentences]
    claims: dict[int, int] = {}
    for claim, cited in _cited(text, citations, "last"):
        for i in cited:
            if claim is not None:
                claims[i] = _index(starts, claim.spans[-1][0])
    return [(_index(starts, c.start), claims.get(i, _index(starts, c.start))) for i, c in enumerate(citations)]


def _index(starts: Sequence[int], at: int) -> int:
    return max(0, bisect_right(starts, at) - 1)
