"""Sentences that cite one source but match another.

This project's own rule, in no paper. A sentence is compared with every context sentence by the words that they share, each
weighted by how rare it is in the context. Words are equal if their first `_STEM` letters are. Where the best context sentence
lies in another passage than those whose source the sentence names, and these share far fewer of its words, the sentence is
misplaced. The thresholds were set on the train split of the samples; `python -m benchmarks.checks` prints what the rule finds
there and on the other splits, and its false alarms.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from groundscope.text.differences import FoldedText
from groundscope.text.names import CIRCUITS, NO_NAMES
from groundscope.text.sentences import Unit, context_sentences
from groundscope.types import Case

LEAST = 0.2
"""Share of a sentence's weighted words that the best context sentence must have; below, no passage is known to hold it."""
RATIO = 0.6
"""The named passages are too far from a sentence that share less than this much of what the best one shares."""
_STEM = 6
_MOST = 200
"""A word in more context sentences than this says little of where a sentence stands, and a name of more sources than this names
none: both are left out."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CAPITALS = re.compile(r"\b[A-Z][\w’'.&-]*(?:\s(?:(?:v\.|of|the|&|and)\s)?[A-Z][\w’'.&-]*){0,12}")
_NAME = re.compile(r"[A-Za-z][\w’'-]{2,}")
_SECTION = re.compile(
    r"(?:§§?|\b[Ss]ections?|\b[Rr]ules?|\b[Aa]rt\.|\b[Aa]rticles?)\s?"
    r"(?P<key>\d[\w-]{0,12}(?:\.\d[\w-]{0,6}){0,3}(?:\(\w{1,4}\)){0,6})"
)
_COURT = re.compile(
    r"\b(?!The )(?P<place>[A-Z][a-z]+(?: [A-Z][a-z]+)?) (?:Supreme|Superior|High|Appellate|Chancery) (?:Court|Division)\b"
)
_CIRCUIT = re.compile(rf"\b(?P<name>{'|'.join(map(str.title, CIRCUITS))}|D\.C\.) Circuit\b")
_FUNCTION_WORDS = frozenset(
    (
        "a about after all also an and any are as at be because been before between both but by can could did do does during "
        "each either for from had has have he her his i if in into is it its least less may might more most must neither no nor "
        "not of on only or other our out over shall she should since so such than that the their then there these they this "
        "those through to under until up upon very was we were when where which while who whom whose will with would you your"
    ).split()
)


class Misplaced(NamedTuple):
    """Words `sentence[start:end]` that name a source, or a court, in which the sentence's words do not stand.

    Attributes:
        named: passages that bear the name, in rising order; none for a court.
        stands: index of the context sentence that shares most words with the sentence; for a court, of the passages that it was
            looked for in. -1 = none.
    """

    start: int
    end: int
    named: tuple[int, ...]
    stands: int


@dataclass(frozen=True, slots=True)
class NamedSources:
    """A context, indexed to look for the sources that sentences name and for where their words stand."""

    units: tuple[Unit, ...]
    names: Mapping[str, frozenset[int]]
    sections: Mapping[str, frozenset[int]]
    texts: tuple[FoldedText, ...]
    places: Mapping[str, tuple[int, ...]]

    @classmethod
    def of_case(cls, case: Case) -> "NamedSources":
        """Index the context of a case; linear in its length."""
        units = context_sentences(case.context)
        names, sections, places = (
            defaultdict[str, set[int]](set),
            defaultdict[str, set[int]](set),
            defaultdict[str, list[int]](list),
        )
        for i, passage in enumerate(case.context):
            for word in _NAME.findall(passage.source):
                names[word].add(i)
            for m in re.finditer(r"\d[\w.-]*(?:\(\w{1,4}\)){0,6}", passage.source):
                sections[m.group().rstrip(".")].add(i)
        for j, unit in enumerate(units):
            for stem in _stems(case.context[unit.passage].text[unit.start : unit.end]):
                places[stem].append(j)
        return cls(
            units,
            {name: frozenset(found) for name, found in names.items() if len(found) <= _MOST},
            {key: frozenset(found) for key, found in sections.items() if len(found) <= _MOST},
            tuple(FoldedText.of(f"{p.source}\n{p.text}".casefold()) for p in case.context),
            {stem: tuple(found) for stem, found in places.items()},
        )

    def misplaced(self, sentence: str) -> tuple[Misplaced, ...]:
        """Find the sources and courts that a sentence names while its words stand elsewhere."""
        named = list(self._named(sentence))
        stems = _stems(sentence) - {s for start, end, *_ in named for s in _stems(sentence[start:end])}
        shares = self._shares(stems)
        best = max(shares, key=lambda j: (shares[j], -j), default=-1)
        holds = best >= 0 and shares[best] >= LEAST
        passages = frozenset[int]().union(*(own for *_, own in named))
        read = passages or (frozenset({self.units[best].passage}) if holds else frozenset())
        stands = max((j for j in shares if self.units[j].passage in read), key=lambda j: (shares[j], -j), default=-1)
        misplaced = [Misplaced(start, end, (), stands) for start, end in self._courts(sentence, read)]
        if holds and self.units[best].passage not in passages:
            nearest = defaultdict[int, float](float)
            for j, share in shares.items():
                nearest[self.units[j].passage] = max(nearest[self.units[j].passage], share)
            for start, end, key, bearers in named:
                far = max(nearest[p] for p in bearers) < RATIO * shares[best]
                if far and not self.texts[self.units[best].passage].has(key.casefold()):
                    misplaced.append(Misplaced(start, end, tuple(sorted(bearers)), best))
        return tuple(sorted(misplaced))

    def nearest(self, sentence: str) -> int:
        """Find the context sentence that shares most words with a sentence, each weighted by how rare it is."""
        shares = self._shares(_stems(sentence))
        return max(shares, key=lambda j: (shares[j], -j), default=-1)

    def _named(self, sentence: str) -> Iterator[tuple[int, int, str, frozenset[int]]]:
        """The words that name a source: their span, the word that distinguishes it, and the passages that bear it."""
        for m in _CAPITALS.finditer(sentence):
            # The first word of a name that says something is what people shorten it to.
            words = (w for w in _NAME.finditer(m.group()) if w.group()[0].isupper() and w.group().casefold() not in NO_NAMES)
            word = next(words, None)
            key = word.group().removesuffix("'s").removesuffix("’s") if word else ""
            if word and (bearers := self.names.get(key)):
                yield m.start() + word.start(), m.start() + len(m.group().rstrip(".'’-&")), key, bearers
        for m in _SECTION.finditer(sentence):
            if bearers := self.sections.get(m["key"]):
                yield *m.span("key"), m["key"], bearers

    def _shares(self, stems: Iterable[str]) -> dict[int, float]:
        """By context sentence: the share of the weights of these stems that it has."""
        number, whole = len(self.units) + 1, 0.0
        weights = defaultdict[int, float](float)
        for stem in stems:
            places = self.places.get(stem, ())
            weight = math.log(number / (len(places) + 0.5)) + 0.1
            whole += weight
            if len(places) <= _MOST:
                for j in places:
                    weights[j] += weight
        return {j: share / whole for j, share in weights.items()} if whole > 0 else {}

    def _courts(self, sentence: str, passages: frozenset[int]) -> Iterator[tuple[int, int]]:
        """Where the sentence names courts that none of these passages names."""
        if not passages:
            return
        texts = [self.texts[p] for p in passages]
        for m in _CIRCUIT.finditer(sentence):
            if not any(_has_circuit(t, m["name"].casefold()) for t in texts):
                yield m.span()
        for m in _COURT.finditer(sentence):
            place = m["place"].casefold()
            if place not in NO_NAMES and not any(t.has(place.split()[0]) or f"{place[:3]}." in t.text for t in texts):
                yield m.span()


def _has_circuit(text: FoldedText, name: str) -> bool:
    """Whether a text names a federal circuit, in full, as citations shorten it, or among several."""
    short = f"{CIRCUITS.get(name, name)} cir"
    return text.has(f"{name} circuit") or text.has(short) or (text.has(name) and text.has("circuits"))


def _stems(text: str) -> set[str]:
    words = {w.casefold().removesuffix("'s").removesuffix("’s") for w in _WORD.findall(text)}
    return {w[:_STEM] for w in words if w not in _FUNCTION_WORDS}
