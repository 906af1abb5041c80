"""The citations of a context: which of its texts are read for them, and their index.

Reading takes most of the time of a check, and asking for words takes little. What is left out can change no result: a citation
of the context answers for one of the response by a number, a party's name, the range that it lies in, or the name of its code.
The index is by authority, by section, and by the parts that a wrong citation usually gets right.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from groundscope.citations._comparing_parts import follows, range_of, within
from groundscope.citations.quotes import ContextPlace
from groundscope.citations.reader.code_names import TITLES, act_of, one_code
from groundscope.citations.reader.reading import LONGEST
from groundscope.citations.reader.resolving import COMMON_PARTIES, surnames
from groundscope.citations.types import AuthorityKind, Citation, CitationParts, Form, code_name, section_name
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


_LONG_NUMBER = 3
"""Characters from which a section's number is unlikely to occur in another law."""
_NEAR = 25
"""Numbers between two sections that are probably of one act."""
_MOST_ACTS = 400
"""Citations that an act alone is compared with, and ranges that a section may be in."""


class ContextCitation(NamedTuple):
    """A citation in the context; `in_source` means that it stands in what the passage is called, not in its text."""

    place: ContextPlace
    citation: Citation
    in_source: bool


class Index:
    """All citations of a context; answers come in reading order."""

    def __init__(self, citations: Iterable[ContextCitation]) -> None:
        """Take all of them, in reading order. Of those that say the same only the first is kept: it answers for all."""
        first: dict[tuple[Citation, bool], ContextCitation] = {}
        for cited in citations:
            first.setdefault((placeless(cited.citation), cited.in_source), cited)
        self._all = tuple(first.values())
        self._by_key: dict[str, list[int]] = defaultdict(list)
        self._by_section: dict[str, list[int]] = defaultdict(list)
        self._wide: list[int] = []
        self._titles: dict[tuple[int, str], list[tuple[str, str]]] = defaultdict(list)
        self._by_act: dict[str, list[int]] = defaultdict(list)
        self._by_trait: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for i, f in enumerate(self._all):
            c = f.citation
            for key in c.same:
                self._by_key[key].append(i)
            if c.kind is AuthorityKind.LAW and c.resolved.page:
                self._by_section[section_name(c.resolved.page)].append(i)
                if c.resolved.following or range_of(c.resolved.page)[0]:
                    self._wide.append(i)
                if c.resolved.volume:
                    of_code = self._titles[f.place.passage, code_name(c.resolved.reporter)]
                    of_code.append((c.resolved.volume, section_name(c.resolved.page)))
            if c.kind is AuthorityKind.LAW and (act := "".join(act_of(c.resolved.reporter))):
                self._by_act[act].append(i)
            if c.form is Form.FULL:
                for trait in set(_traits(c.kind, c.resolved)):
                    self._by_trait[trait].append(i)

    def same(self, ours: Citation) -> list[ContextCitation]:
        """Citations of the same authority; of a section whose law one side does not name, those with its number."""
        places = {i for key in ours.same for i in self._by_key.get(key, ())} if ours.key else set()
        if ours.kind is AuthorityKind.LAW and ours.parts.page:
            page, wide = ours.resolved.page, ((i, self._all[i].citation.resolved) for i in self._wide[:_MOST_ACTS])
            ranges = (i for i, of in wide if within(page, of.page) or (of.following and follows(page, of.page)))
            numbered = [*self._by_section.get(section_name(page), ()), *ranges]
            places.update(i for i in numbered if not ours.key or _one_act(ours, self._all[i].citation))
            # Where the sources name the law of this number, one that names none says nothing of the law.
            if len(ours.parts.page) >= _LONG_NUMBER and not any(self._all[i].citation.key for i in numbered):
                places.update(i for i in numbered if not self._of_another_title(ours.resolved, self._all[i].place.passage))
        elif ours.kind is AuthorityKind.LAW and (act := act_of(ours.resolved.reporter))[1]:
            alike = self._by_act.get("".join(act), ())[:_MOST_ACTS]
            places.update(i for i in alike if _one_act(ours, self._all[i].citation))
        elif ours.form is Form.SHORT and not ours.key:
            # Its full citation stands in the sources alone.
            report = (ours.kind, "volume", ours.parts.volume.casefold(), code_name(ours.parts.reporter))
            places.update(self._by_trait.get(report, ()))
        return [self._all[i] for i in sorted(places)]

    def _of_another_title(self, ours: CitationParts, passage: int) -> bool:
        """Whether a text cites the sections around one of a code, and of another title alone."""
        theirs, section = self._titles.get((passage, code_name(ours.reporter)), ()), section_name(ours.page)
        near = {title for title, page in theirs if follows(section, page, _NEAR) or follows(page, section, _NEAR)}
        return bool(near) and ours.volume not in near

    def sharing(self, ours: Citation) -> list[ContextCitation]:
        """Full citations that share a name, or two of volume, reporter and page; of a law, section, or title and code."""
        places = {i for trait in _traits(ours.kind, ours.resolved) for i in self._by_trait.get(trait, ())}
        return [self._all[i] for i in sorted(places)]


def placeless(c: Citation) -> Citation:
    """What a citation says, wherever it stands."""
    return replace(c, outer=0, start=0, end=1, aside=None)


def _one_act(ours: Citation, theirs: Citation) -> bool:
    """Whether both are of one act, of which one side leaves the year or the first words out."""
    a, b = ours.resolved, theirs.resolved
    return bool(theirs.key) and a.volume == b.volume and one_code(a.reporter, b.reporter)


def _traits(kind: AuthorityKind, parts: CitationParts) -> Iterator[tuple[str, ...]]:
    volume, code, page = parts.volume.casefold(), code_name(parts.reporter), section_name(parts.page)
    if kind is AuthorityKind.LAW:
        yield ("law", "section", page.removesuffix("note"))
        yield ("law", "code", volume, code)
        return
    for name in surnames(parts.plaintiff) | surnames(parts.defendant):
        yield ("name", name)
    yield (kind, "volume", volume, code)
    yield (kind, "page", page, code)
    yield (kind, "both", volume, page)
