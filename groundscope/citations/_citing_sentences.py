"""Sentences of a text with their citations, and the words of each that are no citation."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from groundscope.citations.types import Citation
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
