"""Exact checks of a response against its sources: what can be said of a sentence from the texts alone, without a model.

A check names words and says where they stand or do not. It does not say that a sentence is wrong: `python -m benchmarks.checks`
prints how often a checked sentence was labelled wrong on the samples, and how often a sound one was checked.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from groundscope.text.differences import ContextFacts, FactKind, Item, missing_facts
from groundscope.text.facts import BELOW_100, FIGURE, TENS, UNITS
from groundscope.text.named_sources import NamedSources
from groundscope.text.sentences import split
from groundscope.types import Case

_VALUES = {w: i for i, w in enumerate(UNITS)} | {w: 10 * i for i, w in enumerate(TENS, 2)} | {"a": 1, "an": 1}
_KINDS = "calendar|business|working|court|full|whole|consecutive|more|additional|further"
_UNIT = re.compile(r"(?<=[\s-])(?P<unit>minute|hour|day|week|month|year)s?\b", re.IGNORECASE)
_BEFORE = re.compile(
    rf"(?<![\w.])(?P<value>{FIGURE}|one|an?|{BELOW_100})[\s-](?:(?:{_KINDS})\s)?\Z",
    re.IGNORECASE,
)
_BARE = re.compile(rf"(?<![\w.]){FIGURE}\b")
_WINDOW = 50
"""Characters before a unit in which its number stands."""
_IN_SMALLER = {"hour": ("minute", 60), "day": ("minute", 1440), "week": ("minute", 10_080), "year": ("month", 12)}
"""Months have no fixed number of days."""
_FEW = 10
"""Greatest number that, without a unit, says nothing of a time: texts count small things everywhere."""

Time = tuple[Decimal, str]
"""An amount of minutes or months."""


class Duration(NamedTuple):
    """A length of time `text[start:end]`."""

    start: int
    end: int
    time: Time
    value: Decimal
    vague: bool


class ContextDurations(NamedTuple):
    """The lengths of time of a context.

    Attributes:
        bare: its numbers in digits, whose unit may be named elsewhere ("a range of months ... imposed 90").
    """

    times: frozenset[Time]
    bare: frozenset[Decimal]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "ContextDurations":
        """Read passages; linear in their length."""
        times, bare = set[Time](), set[Decimal]()
        for text in texts:
            lengths = list(durations(text))
            starts = {d.start for d in lengths}
            times |= {d.time for d in lengths}
            bare |= {Decimal(m.group().replace(",", "")) for m in _BARE.finditer(text) if m.start() not in starts}
        return cls(frozenset(times), frozenset(bare))

    def missing(self, sentence: str) -> Iterator[Duration]:
        """Find lengths of time that the context does not state, in this unit or another."""
        for duration in durations(sentence):
            stated = duration.time in self.times or (duration.value > _FEW and duration.value in self.bare)
            if not duration.vague and not stated:
                yield duration


def durations(text: str) -> Iterator[Duration]:
    """Find lengths of time ("two years", "a 30-day stay"); equal ones are the same in any unit. Linear in the text.

    This project's own reader, in no paper. Small numbers in words mostly count what a sentence itself lists, so that the facts
    of a sentence leave them out; before a unit of time they are what a deadline is made of.
    """
    # From its unit backwards: numbers in words are slow to look for everywhere.
    for end in _UNIT.finditer(text):
        m = _BEFORE.search(text, max(0, end.start() - _WINDOW), end.start())
        words = m["value"].casefold() if m else ""
        value = Decimal(words.replace(",", "")) if words[:1].isdecimal() else _spelled(words)
        if m and value is not None:
            unit, factor = end["unit"].casefold(), 1
            if unit in _IN_SMALLER:
                unit, factor = _IN_SMALLER[unit]
            yield Duration(m.start(), end.end(), (value * factor, unit), value, words in ("a", "an"))


def _spelled(words: str) -> Decimal | None:
    values = [_VALUES.get(word) for word in re.split(r"[-\s]", words)]
    # Letters such as the dotless i match without regard to case and yet are no such word.
    return None if None in values else Decimal(sum(v for v in values if v is not None))


_SHORTEST_CITATION = 5
_LETTERS = re.compile(r"\(\w{1,4}\)")
_SECTION = re.compile(r"(?P<number>\d[\w.-]*?)(?P<below>(?:\(\w{1,4}\))+)")


class CheckKind(StrEnum):
    """What a check found; the values are its titles."""

    MISSING = "Not in the sources"
    SOURCE = "Stands in another source"
    COURT = "Another court than the source's"


class TextCheck(NamedTuple):
    """Words `sentence[start:end]` of a response sentence that a check found.

    Attributes:
        stands: index of the context sentence that shares most words with the sentence; -1 = none, or not looked for.
    """

    kind: CheckKind
    start: int
    end: int
    named: tuple[int, ...] = ()
    stands: int = -1
    fact: FactKind | None = None


def checks(
    case: Case, corpus: ContextFacts, cited: Mapping[int, Sequence[str]] | None = None
) -> tuple[tuple[TextCheck, ...], ...]:
    """Check every sentence of a response."""
    sources, checked = NamedSources.of_case(case), []
    times = ContextDurations.of(p.text for p in case.context)
    for i, sentence in enumerate(split(case.response)):
        text = case.response[sentence.start : sentence.end]
        sentence_checks = () if sentence.heading else _of_sentence(text, corpus, sources, times)
        citations = (cited or {}).get(i, ())
        checked.append(tuple(c for c in sentence_checks if not _cited(c, text, citations)))
    return tuple(checked)


def _cited(check: TextCheck, text: str, citations: Sequence[str]) -> bool:
    words = text[check.start : check.end]
    return check.kind is CheckKind.MISSING and len(words) >= _SHORTEST_CITATION and any(words in cite for cite in citations)


def check_words(check: TextCheck, place: str) -> str:
    """Say what a check found of some words, to stand after them."""
    if check.kind is CheckKind.MISSING:
        return "is not in the sources"
    if check.kind is CheckKind.COURT:
        return f"is not a court named in {place}" if place else "is not a court named in this source"
    return f"is not the source that has most words of this sentence: {place}"


def _of_sentence(text: str, corpus: ContextFacts, sources: NamedSources, times: ContextDurations) -> list[TextCheck]:
    facts = [i for i in missing_facts(text, corpus) if not _known(i, text, corpus)]
    missing = [TextCheck(CheckKind.MISSING, i.start, i.end, fact=i.kind) for i in facts]
    missing += [
        TextCheck(CheckKind.MISSING, d.start, d.end, fact=FactKind.NUMBER)
        for d in times.missing(text)
        if not any(i.start < d.end and d.start < i.end for i in facts)
    ]
    taken = [(c.start, c.end) for c in missing]
    elsewhere = [
        TextCheck(CheckKind.SOURCE if m.named else CheckKind.COURT, *m)
        for m in sources.misplaced(text)
        if not any(start < m.end and m.start < end for start, end in taken)
    ]
    return sorted([*missing, *elsewhere], key=lambda c: (c.start, c.end))


def _known(item: Item, text: str, corpus: ContextFacts) -> bool:
    """Whether a fact that the sources lack word for word says nothing new: subsections."""
    words = text[item.start : item.end].casefold()
    section = _SECTION.search(words) if item.kind in {FactKind.CITATION, FactKind.NUMBER} else None
    if section is None:
        return False
    # The sources may name a section and its subsections apart: "§ 362(d), (e) and (g)".
    below = _LETTERS.findall(section["below"])
    return corpus.folded.has(section["number"]) and all(letter in corpus.text for letter in below)
