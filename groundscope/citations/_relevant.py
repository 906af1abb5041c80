"""Which texts of a context may say something of the citations of a response: the others need not be read for citations.

Reading takes most of the time of a check, and asking for words takes little. What is left out can change no result: a citation
of the context answers for one of the response by a number, a party's name, the range that it lies in, or the name of its code.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from groundscope.citations.reader.code_names import TITLES
from groundscope.citations.reader.reading import LONGEST
from groundscope.citations.reader.resolving import COMMON_PARTIES, surnames
from groundscope.citations.types import AuthorityKind, Citation, section_name
from groundscope.text.names import NO_NAMES

_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_LETTERS = re.compile(r"[^\W\d_]+")
_ROMAN = re.compile(r"[IVXL](?<!\w.)[IVXL]{0,6}\b")
_RANGE = re.compile(r"\d\w{0,4}\s?(?:[-‐‑–]|to\b|through\b|thru\b)\s?(?:§{1,2}\s?)?\d")
_AND_FOLLOWING = re.compile(r"[Ssf](?<!\w.)(?:(?<=[Ss])eqq?\b|(?<=f)f?\.|(?<=f)ollowing\b)")
_ANY_LAW = re.compile(r"[§/]|[A-Z]\w{0,20}\.?\s?\d|[Rr]ule|[Aa]rt|[Ss]ec|Code|\bAct\b|Law|Stat|Reg")
_MOST_WORDS = 200
"""Words that are searched one by one; for more all texts are read, which is linear."""
_TITLES = frozenset(TITLES.values())


@dataclass(frozen=True, slots=True)
class Relevance:
    """What a text must have to concern some citations: one of these words or numbers, a range of sections, or any law."""

    words: frozenset[str]
    ranges: bool
    laws: bool

    @classmethod
    def of(cls, citations: Iterable[Citation], names: Iterable[str]) -> "Relevance":
        """Take what citations say, and the names by which a text may mean cases."""
        words = {word for name in names for word in _LETTERS.findall(name) if word not in NO_NAMES}
        ranges = laws = False
        for c in citations:
            for parts in (c.parts, c.resolved):
                words.update(_NUMBER.findall(f"{parts.volume} {section_name(parts.page)}"))
                names = surnames(parts.plaintiff) | surnames(parts.defendant)
                names = names - COMMON_PARTIES or names
                words |= {word for name in names for word in _LETTERS.findall(name)}
                if c.kind is AuthorityKind.LAW:
                    ranges = True
                    # Without a title that both sides have, the code's name alone may be what they share.
                    code = parts.reporter and (not parts.volume.isdecimal() or parts.volume in _TITLES)
                    laws = laws or bool(code) or not any(s.isdecimal() for s in parts.page)
        return cls(frozenset(words), ranges, laws)

    def concerns(self, text: str) -> bool:
        """Whether a text may say something of them; always of one too long to be read to its end."""
        if not (self.words or self.ranges or self.laws) or not text:
            return False
        folded = text.casefold()
        if len(text) > LONGEST or len(self.words) > _MOST_WORDS or any(_stands(folded, word) for word in self.words):
            return True
        if (self.ranges and (_RANGE.search(text) or _AND_FOLLOWING.search(text))) or (self.laws and _ANY_LAW.search(text)):
            return True
        return self.ranges and any(section_name(m.group()) in self.words for m in _ROMAN.finditer(text))


def _stands(text: str, word: str) -> bool:
    """Whether letters stand in a text between no other letters, or a number between no other figures."""
    at, digits = text.find(word), word[0].isdecimal()
    while at >= 0:
        end = at + len(word)
        before, after = text[max(0, at - 2) : at], text[end : end + 2]
        if digits:
            whole = not (before[-1:].isdecimal() or _POINT_AFTER.match(before)) and not _POINT_BEFORE.match(after)
        else:
            whole = not before[-1:].isalpha() and not after[:1].isalpha()
        if whole:
            return True
        at = text.find(word, end)
    return False


_POINT_AFTER, _POINT_BEFORE = re.compile(r"\d\."), re.compile(r"\.?\d")
