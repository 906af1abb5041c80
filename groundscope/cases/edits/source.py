"""Shared parts of the legal edit operators: a response prepared for editing, an edit, and an operator.

An operator yields edits with offsets into the response and leaves its headings alone.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from groundscope.text.facts import FactKind, Item, items, values_in
from groundscope.text.sentences import Sentence, split
from groundscope.text.values.grammar import read_values
from groundscope.text.values.lookup import ContextValues
from groundscope.text.values.types import Standing, Value, ValueKind
from groundscope.types import Case, ErrorType

_ARTICLE = re.compile(r"\b(an?)\s$", re.IGNORECASE)
_QUOTATION = re.compile(r"[“\"][^“”\"\n]{1,2000}[”\"]")
_SET_PHRASE = re.compile(r"\b(?:any and|after|at|above|for|of|in) all\b(?! of\b)", re.IGNORECASE)
_VOWEL = re.compile(r"(?!uni|use|usu|eu|one\b|once\b)[aeiou]|8|1[18]\b|h(?:our|onest|eir)", re.IGNORECASE)
_WORDS = re.compile(r"\w+(?:['’-]\w+)*")


class Edit(NamedTuple):
    """Replacement of `response[start:end]` by `new`; `why` states what the sources or the parent say instead."""

    start: int
    end: int
    new: str
    why: str


def shifted(offset: int, edit: Edit, *, at_start: bool) -> int:
    """Find where an offset of a text lies after an edit."""
    if offset <= edit.start and (at_start or offset < edit.end):
        return offset
    if offset >= edit.end:
        return offset + len(edit.new) - (edit.end - edit.start)
    return edit.start if at_start else edit.start + len(edit.new)


@dataclass(frozen=True, slots=True)
class Operator:
    """One way to make a sound answer subtly wrong, or, of a control, with `type` None, to write it differently.

    `candidates`: the edits it thinks of, in any order; `edits` leaves out what would not do.
    """

    name: str
    title: str
    type: ErrorType | None
    candidates: "Callable[[EditSource], Iterator[Edit]]"
    absent: str

    def edits(self, source: "EditSource") -> list[Edit]:
        """List every edit of a response that will do: none touches a quotation or spoils an "a" or "an"."""
        fitting = (e for e in self.candidates(source) if not source.quoted(e.start, e.end))
        return sorted((e for e in fitting if fits_article(source.text, e.start, e.new)), key=lambda e: e.start)


class EditSource:
    """A response to edit, its sentences, and its context ready to look things up in."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.text = case.response
        self.claims = tuple(s for s in split(case.response) if not s.heading)

    @cached_property
    def _values(self) -> ContextValues:
        return ContextValues.of([f"{p.source}\n{p.text}" for p in self.case.context], "en")

    @cached_property
    def context(self) -> str:
        """The passages with their sources, as they are written."""
        return "\n".join(f"{p.source}\n{p.text}" for p in self.case.context)

    @cached_property
    def context_values(self) -> tuple[Value, ...]:
        """The values of the context."""
        return read_values(self.context)

    @cached_property
    def _quoted(self) -> bytearray:
        return self.marked(m.span() for m in _QUOTATION.finditer(self.text))

    @cached_property
    def _fixed(self) -> bytearray:
        named = ((i.start, i.end) for _, i in self.facts(FactKind.CITATION, FactKind.NAME))
        return self.marked(chain(named, (m.span() for m in _SET_PHRASE.finditer(self.text))))

    def quoted(self, start: int, end: int) -> bool:
        """Whether `response[start:end]` overlaps a quotation, whose words must not change."""
        # Nothing is replaced where words are only put in: the place is quoted if it is on both sides.
        return 1 in self._quoted[start:end] if start < end else self._quoted[start - 1 : start + 1] == b"\1\1"

    def marked(self, spans: Iterable[tuple[int, int]]) -> bytearray:
        """Mark the characters of some spans, which may overlap: a byte a character of the response, 1 in a span, else 0."""
        mask = bytearray(len(self.text))
        for start, end in spans:
            mask[start:end] = b"\1" * (end - start)
        return mask

    def facts(self, *kinds: FactKind) -> Iterator[tuple[Sentence, Item]]:
        """Find the facts of some kinds in the claims, in reading order; claim and fact have offsets into the response."""
        for claim in self.claims:
            for item in items(self.text[claim.start : claim.end]):
                if item.kind in kinds:
                    yield claim, item._replace(start=claim.start + item.start, end=claim.start + item.end)

    def values(self, *kinds: ValueKind) -> Iterator[Value]:
        """Find the values of some kinds in the claims, outside of citations and names, with offsets into the response."""
        return chain.from_iterable(self.values_of(claim, *kinds) for claim in self.claims)

    def values_of(self, claim: Sentence, *kinds: ValueKind) -> Iterator[Value]:
        """Find the values of some kinds in one claim, as `values` does."""
        text = self.text[claim.start : claim.end]
        values = values_in(text)
        for item in items(text):
            if (value := values.get(item)) and value.kind in kinds:
                yield value._replace(start=claim.start + value.start, end=claim.start + value.end)

    def in_claims(self, pattern: re.Pattern[str]) -> Iterator[tuple[Sentence, re.Match[str]]]:
        """Find a pattern claim by claim, so that no match crosses sentences; claim and match have offsets into the response."""
        for claim in self.claims:
            for match in pattern.finditer(self.text, claim.start, claim.end):
                yield claim, match

    def found(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Find a pattern inside the claims, where it touches no citation, name or set phrase."""
        for _, match in self.in_claims(pattern):
            if 1 not in self._fixed[match.start() : match.end()]:
                yield match

    @cached_property
    def _folded(self) -> str:
        return " ".join(self.context.casefold().split())

    def has_value(self, start: int, end: int, new: str) -> bool:
        """Whether the context has a value that new words would make in the place of `response[start:end]`, or by themselves."""
        claim = next((c for c in self.claims if c.start <= start < c.end), None)
        before, after = (self.text[claim.start : start], self.text[end : claim.end]) if claim else ("", "")
        at = len(before)
        values = [v for v in read_values(before + new + after) if v.start < at + len(new) and at < v.end]
        looked_up = map(self._values.look_up, (*values, *read_values(new)))
        return any(f.standing in (Standing.EQUAL, Standing.COVERED) and f.text >= 0 for f in looked_up)

    def says(self, words: str) -> bool:
        """Whether the context, or the name of a source, has these words, apart from case and white space."""
        return " ".join(words.casefold().split()) in self._folded

    def unsaid(self, start: int, end: int, new: str, why: str, **words: str) -> Iterator[Edit]:
        """Make an edit, unless the context has the new words with their neighbours."""
        # Two neighbours on each side, of those at most 60 characters away.
        before = list(_WORDS.finditer(self.text, max(0, start - 60), start))[-2:]
        after = list(_WORDS.finditer(self.text, end, end + 60))[:2]
        left = self.text[before[0].start() : start] if before else ""
        right = self.text[end : after[-1].end()] if after else ""
        if not self.says(left + new + right):
            yield Edit(start, end, new, why.format(old=self.text[start:end], new=new, **words))


def keep_case(old: str, new: str) -> str:
    """Give a word the capitals of another: all, the first, or none."""
    if len(old) > 1 and old.isupper():
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def fits_article(text: str, start: int, new: str) -> bool:
    """Whether an "a" or "an" before a word also fits its replacement."""
    before = _ARTICLE.search(text, max(0, start - 4), start)
    return not before or (before[1].lower() == "an") == bool(_VOWEL.match(new))
