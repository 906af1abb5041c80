"""Sections of a text: where its headings are, and what they are called.

A heading ends at its line. A line that says something ("4.2 The tenant shall pay the rent") is text, however short it is and
whatever it begins with, and so is a paragraph that a file only styles as a heading.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from groundscope.text.values.numbers import ONES, TENS

LONGEST = 90
"""Characters of a line that can be a heading, and of a title."""
_LONGEST_MARKED = 300
_MOST_LINES = 3
"""Lines that one heading may have."""
_MOST_WORDS = 12
_COUNTED = {word: n for n, word in enumerate(ONES) if n} | {word: 10 * n for n, word in enumerate(TENS, 2)}
IN_WORDS = rf"(?:(?:{'|'.join(TENS)})-)?(?:{'|'.join(sorted(_COUNTED, key=len, reverse=True))})"
_NUMBER = r"\d{1,3} (?: \.\d{1,3} ){0,4}"
_WORDS = r"article|section|part|chapter|schedule|annex|appendix|exhibit|clause|title|rule|artikel|anlage|titre|chapitre"
_SIGN = re.compile(
    rf"""
    \#{{1,6}} \s+
    | (?: (?: {_WORDS} ) \s+ | §+ \s* ) (?: \d[\w.\-]* | (?: [ivxlc]+ | {IN_WORDS} | [a-z] )\b ) [.:)]? (?: \s+ [–—-] )? \s*
    | (?P<number> {_NUMBER} ) [.)]? \s+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ENDS = (".", ",", ";", ":", "?", "!", "…")
_SAYS = re.compile(
    r"\b(?:shall|must|is|are|was|were|has|have|had|may|will|would|should|cannot|agrees?|undertakes?|warrants?|acknowledges?|pays"
    r"|ist|sind|wird|werden|hat|haben|muss|müssen|kann|können|darf|dürfen|soll|sollen|gilt"
    r"|est|sont|doit|doivent|peut|peuvent|sera|seront)\b",
    re.IGNORECASE,
)
"""Words of sentences that titles do without."""
_BEGINS_SENTENCE = re.compile(
    r"(?:the|a|an|each|any|every|no|all|if|where|when|upon|subject|this|these|such|it|he|she|they|we|you|i|there|in|for|on)\b",
    re.IGNORECASE,
)
_SENTENCE_WORDS = 5
"""From how many words on a line that begins as a sentence is one."""
_DATE = re.compile(
    r"(?:jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|janv|févr|mars|avr|juin|juil|août|déc)\w*\.?,?\s+\d{4}\b",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?:\t|\.{3,}|(?:\. ){3,}|…|\s{3,})\s*\d{1,4}$")
"""How an entry of a list of contents ends: with its page."""
_RUN_IN = re.compile(r"[.:–—]\s+(?=\S)")
_NOTE = re.compile(r"\[\^\w{1,5}\]")
"""The mark of a note."""
_MOST_RUN_IN_WORDS, _FEW_WORDS = 6, 8


class Section(NamedTuple):
    """A section: `text[start:end]`, its heading included; `title` is the heading on one line, empty where there is none."""

    start: int
    end: int
    title: str


def sections(text: str, marked: Sequence[int] = ()) -> list[Section]:
    """Cut a text before its headings.

    A heading is a line that the file marks as one, or a short line without a full stop that says nothing, begins with a number, a
    word such as "Article" or a Markdown sign, or is in capitals, and that no line goes on in lower case. Lines of headings that
    follow on each other, up to three, are one heading. Lines that count on without text between them are a list.
    """
    cut: list[Section] = []
    start, title, size = 0, "", 0
    for first, end, named in _titled(text, marked):
        if named is None:
            size = _MOST_LINES
        elif 0 < size < _MOST_LINES and title:
            # "ARTICLE V", "TERMINATION" is one heading; one with a number of its own, or that the file marks, is another.
            apart = _SIGN.match(named) or (_is_marked(marked, first, end) and not _SIGN.fullmatch(title.rpartition(", ")[2]))
            title, size = f"{title}{', ' if apart else ' '}{named}", size + 1
        else:
            cut.append(Section(start, first, title))
            start, title, size = first, named, 1
    cut.append(Section(start, len(text), title))
    return [s for s in cut if text[s.start : s.end].strip()]


def gaps(text: str, marked: Sequence[int] = ()) -> list[int]:
    """Find the offsets at which a heading and a text are on lines next to each other, without a blank line."""
    lines = pairwise(_titled(text, marked))
    return [b[0] for a, b in lines if a[1] == b[0] and (a[2] is not None or b[2] is not None)]


def counted(words: str) -> int:
    """The value of a number in words: 21 for "Twenty-One"; 0 for what is none."""
    return sum(_COUNTED.get(word, 0) for word in words.lower().split("-"))


def is_title(line: str) -> bool:
    """Whether a line names something and says nothing; what numbers it does not count."""
    line = line.strip()
    sign = _SIGN.match(line)
    body = line[sign.end() :] if sign else line
    words = body.split()
    if len(line) > LONGEST or len(words) > _MOST_WORDS or body[:1].islower() or body.endswith(_ENDS):
        return False
    if _SAYS.search(body) or _LISTED.search(line) or (sign and sign["number"] and _DATE.match(body)):
        return False
    # "The Rights of the Tenant" is a title; "The tenant pays on the first" is none.
    capitals = sum(w[0].isupper() for w in words if len(w) > 3) >= 0.75 * sum(len(w) > 3 for w in words)
    return capitals or len(words) < _SENTENCE_WORDS or not _BEGINS_SENTENCE.match(body)


def run_in_title(line: str) -> str:
    """The title that a paragraph begins with on its first line: "4. Notice" of "4. Notice. It is in writing."; empty for none."""
    sign = _SIGN.match(line)
    begin = sign.end() if sign else 0
    end = _RUN_IN.search(line, begin, begin + LONGEST)
    title = line[: end.start()] if end else ""
    short = 0 < len(title[begin:].split()) <= _MOST_RUN_IN_WORDS and not _BEGINS_SENTENCE.match(title, begin)
    return title if short and is_title(title) else ""


def _titled(text: str, marked: Sequence[int]) -> list[tuple[int, int, str | None]]:
    """Where each line that is not blank begins and ends, and the title that it is; None for text."""
    ends = accumulate(map(len, whole := text.splitlines(keepends=True)))
    lines = [(end - len(line), end, line.strip()) for line, end in zip(whole, ends, strict=True) if line.strip()]
    numbers = [_number(line) for _, _, line in lines]
    follows = [bool(a) and b == (*a[:-1], a[-1] + 1) for a, b in pairwise(numbers)] + [False]
    titled: list[tuple[int, int, str | None]] = []
    after: str = ""
    title: str | None = ""
    # From the end: whether capitals are a heading or a paragraph is seen at its last line.
    for n, (start, end, line) in reversed(list(enumerate(lines))):
        listed = follows[n] or (n > 1 and follows[n - 1] and follows[n - 2])
        if _is_marked(marked, start, end):
            title = _marked_title(line)
        else:
            title = _title(line) if not listed and _is_heading(line, after, title) else None
        titled.append((start, end, title))
        after = line
    return titled[::-1]


def _is_heading(line: str, after: str, title_after: str | None) -> bool:
    if line.startswith("#"):
        return bool(_SIGN.match(line)) and len(line) <= LONGEST and not line.endswith(_ENDS)
    if not after or after[0].islower() or not is_title(line):
        return False
    if _in_capitals(line):
        return title_after is not None or not _in_capitals(after)
    return bool(_SIGN.match(line)) and any(c.isalpha() for c in line)


def _in_capitals(line: str) -> bool:
    letters = [c for c in line if c.isalpha()]
    return len(letters) > 3 and all(c.isupper() for c in letters)


def _number(line: str) -> tuple[int, ...]:
    sign = _SIGN.match(line)
    return tuple(map(int, sign["number"].split("."))) if sign and sign["number"] else ()


def _marked_title(line: str) -> str | None:
    """The title of what a file marks as a heading; of a whole clause the title that it begins with, or None."""
    words = len(line.split())
    if len(line) <= _LONGEST_MARKED and (words <= _FEW_WORDS or not line.endswith((".", ",", ";", ":"))):
        return _title(line)
    return _title(run_in_title(line)) or None


def _is_marked(marked: Sequence[int], start: int, end: int) -> bool:
    at = bisect_left(marked, start)
    return at < len(marked) and marked[at] < end


def _title(line: str) -> str:
    title = " ".join(_NOTE.sub("", line).strip().lstrip("#").split())
    return title if len(title) <= LONGEST else f"{title[:LONGEST].rpartition(' ')[0] or title[:LONGEST]} …"
