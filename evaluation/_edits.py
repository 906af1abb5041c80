"""What the legal edit operators share: a response ready to be edited, an edit, and an operator."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from evaluation.differences import Corpus
from evaluation.facts import Item, Kind, items
from evaluation.sentences import Sentence, split
from evaluation.types import Case, ErrorType

_ARTICLE = re.compile(r"\b(an?)\s$", re.IGNORECASE)
_QUOTATION = re.compile(r"[“\"][^“”\"\n]{1,2000}[”\"]")
_SET_PHRASE = re.compile(r"\b(?:any and|after|at|above|for|of|in) all\b(?! of\b)", re.IGNORECASE)
_VOWEL = re.compile(r"(?!uni|use|usu|eu|one\b|once\b)[aeiou]|8|1[18]\b|h(?:our|onest|eir)", re.IGNORECASE)
_WORDS = re.compile(r"\w+(?:['’-]\w+)*")


class Edit(NamedTuple):
    """Put `new` in the place of `response[start:end]`; `why` says what the sources or the parent say instead."""

    start: int
    end: int
    new: str
    why: str


@dataclass(frozen=True, slots=True)
class Operator:
    """One way to make a sound answer subtly wrong.

    Attributes:
        name: unique; part of the variants' ids.
        title: what people call it.
        type: the error it makes.
        candidates: the edits it thinks of, in any order; `edits` leaves out what would not do.
        absent: why there is none, in one sentence, where there is none.
    """

    name: str
    title: str
    type: ErrorType
    candidates: "Callable[[Source], Iterator[Edit]]"
    absent: str

    def edits(self, source: "Source") -> list[Edit]:
        """Every edit of a response, in reading order: none touches a quotation or leaves "a" before a vowel."""
        fitting = (e for e in self.candidates(source) if not source.quoted(e.start, e.end))
        return sorted((e for e in fitting if fits_article(source.text, e.start, e.new)), key=lambda e: e.start)


class Source:
    """A response to edit, its sentences, and its context ready to look things up in."""

    def __init__(self, case: Case) -> None:
        """Read the case once for all operators."""
        self.case = case
        self.text = case.response
        self.claims = tuple(s for s in split(case.response) if not s.heading)

    @cached_property
    def corpus(self) -> Corpus:
        """The context, to ask whether it holds a fact."""
        return Corpus.of_case(self.case)

    @cached_property
    def context(self) -> str:
        """The passages with their sources, as they are written."""
        return "\n".join(f"{p.source}\n{p.text}" for p in self.case.context)

    @cached_property
    def _quotations(self) -> list[tuple[int, int]]:
        return [m.span() for m in _QUOTATION.finditer(self.text)]

    def quoted(self, start: int, end: int) -> bool:
        """Whether a span touches a quotation, whose words are not the author's to change."""
        return any(a < end and start < b for a, b in self._quotations)

    def facts(self, *kinds: Kind) -> Iterator[tuple[Sentence, Item]]:
        """Items of some kinds in the claims, with offsets into the response."""
        for claim in self.claims:
            for item in items(self.text[claim.start : claim.end]):
                if item.kind in kinds:
                    yield claim, item._replace(start=claim.start + item.start, end=claim.start + item.end)

    def found(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Matches inside a claim that touch no citation, name or set phrase."""
        taken = [(i.start, i.end) for _, i in self.facts(Kind.CITATION, Kind.NAME)]
        taken += [m.span() for m in _SET_PHRASE.finditer(self.text)]
        for claim in self.claims:
            for match in pattern.finditer(self.text, claim.start, claim.end):
                if not any(a < match.end() and match.start() < b for a, b in taken):
                    yield match

    def says(self, words: str) -> bool:
        """Whether the context has these words, apart from case and white space."""
        return " ".join(words.casefold().split()) in self.corpus.text

    def around(self, start: int, end: int, new: str, size: int = 2) -> str:
        """The edited words with `size` words on each side, to ask whether some passage says just this."""
        before = list(_WORDS.finditer(self.text, max(0, start - 60), start))[-size:]
        after = list(_WORDS.finditer(self.text, end, end + 60))[:size]
        left = self.text[before[0].start() : start] if before else ""
        right = self.text[end : after[-1].end()] if after else ""
        return left + new + right


def keep_case(old: str, new: str) -> str:
    """`new` with the capitals of `old`: all, the first, or none."""
    if len(old) > 1 and old.isupper():
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def fits_article(text: str, start: int, new: str) -> bool:
    """Whether an "a" or "an" right before `start` fits the new word too."""
    before = _ARTICLE.search(text, max(0, start - 4), start)
    return not before or (before[1].lower() == "an") == bool(_VOWEL.match(new))
