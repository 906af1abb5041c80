"""Exact checks of a response against its sources: what can be said of a sentence from the texts alone, without a model.

A check names words and says where they stand or do not. It does not say that a sentence is wrong: `python -m benchmarks.checks`
prints how often a checked sentence was labelled wrong on the samples, and how often a sound one was checked.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from groundscope.text.differences import ContextFacts, FactKind, Item, missing_facts
from groundscope.text.durations import ContextDurations
from groundscope.text.named_sources import NO_NAMES, NamedSources, has_circuit
from groundscope.text.sentences import split
from groundscope.types import Case

_SHORTEST_CITATION = 5
_LETTERS = re.compile(r"\(\w{1,4}\)")
_SECTION = re.compile(r"(?P<number>\d[\w.-]*?)(?P<below>(?:\(\w{1,4}\))+)")
_CIRCUIT = re.compile(r"(?:the )?(?P<name>[\w.]+) circuit")


class CheckKind(StrEnum):
    """What a check found; the values are its titles."""

    MISSING = "Nowhere in the sources"
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
    sources, found = NamedSources.of_case(case), []
    times = ContextDurations.of(p.text for p in case.context)
    for i, sentence in enumerate(split(case.response)):
        text = case.response[sentence.start : sentence.end]
        own = () if sentence.heading else _of_sentence(text, corpus, sources, times)
        here = (cited or {}).get(i, ())
        found.append(tuple(c for c in own if not _cited(c, text, here)))
    return tuple(found)


def _cited(check: TextCheck, text: str, here: Sequence[str]) -> bool:
    words = text[check.start : check.end]
    return check.kind is CheckKind.MISSING and len(words) >= _SHORTEST_CITATION and any(words in cite for cite in here)


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
    """Whether a fact that the sources lack word for word says nothing new: courts and officials by their titles, subsections."""
    words = text[item.start : item.end].casefold()
    if item.kind is FactKind.NAME:
        circuit = _CIRCUIT.fullmatch(words)
        return set(re.findall(r"\w+", words)) <= NO_NAMES or bool(circuit and has_circuit(corpus.folded, circuit["name"]))
    section = _SECTION.search(words) if item.kind in {FactKind.CITATION, FactKind.NUMBER} else None
    if section is None:
        return False
    # The sources may name a section and its subsections apart: "§ 362(d), (e) and (g)".
    below = _LETTERS.findall(section["below"])
    return corpus.folded.has(section["number"]) and all(letter in corpus.text for letter in below)
