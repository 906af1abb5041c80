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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from groundscope.text.names import CIRCUITS, NO_NAMES
from groundscope.text.sentences import Unit, context_sentences, plain_units
from groundscope.types import Case, Passage

LEAST = 0.2
"""Share of a sentence's weighted words that the best context sentence must have; below, no passage is known to hold it."""
RATIO = 0.6
"""The named passages are too far from a sentence that share less than this much of what the best one shares."""
LEAST_MARKED, RATIO_MARKED = 0.3, 0.3
"""The same for marks, which stand on most sentences of an answer and so must be sure."""
_SOURCE = r"(?:source|document|doc|passage|excerpt|snippet|chunk|reference|result)s?\.?"
_NUMBERED_TITLE = re.compile(rf"\W{{0,3}}(?:{_SOURCE}\s{{0,2}})?#?\[?(?P<number>\d{{1,3}})(?:[\].):\s]|\Z)", re.IGNORECASE)
_NUMBERED_LINE = re.compile(
    rf"^[^\w\n]{{0,3}}(?:{_SOURCE}\s{{0,2}}#?\[?(?P<named>\d{{1,3}})\b|\[(?P<bare>\d{{1,3}})\])|\(Doc\. (?P<record>\d{{1,3}})",
    re.IGNORECASE | re.MULTILINE,
)
_STEM = 6
_MOST = 200
"""A word in more context sentences than this says little of where a sentence stands, and a name of more sources than this names
none: both are left out."""
_WORD = re.compile(r"[^\W_]+(?:['’](?!s\b)[^\W_]+)*")
_CAPITALS = re.compile(r"\b[A-Z][\w’'.&-]*(?:\s(?:(?:v\.|of|the|&|and)\s)?[A-Z][\w’'.&-]*){0,12}")
_NAME = re.compile(r"[A-Za-z][\w’'-]{2,}")
_SECTION = re.compile(
    r"(?:§§?|\b[Ss]ections?|\b[Rr]ules?|\b[Aa]rt\.|\b[Aa]rticles?)\s?"
    r"(?P<key>\d[\w-]{0,12}(?:\.\d[\w-]{0,6}){0,3}(?:\(\w{1,4}\)){0,6})"
)
_NUMBERED = re.compile(r"\d[\w.-]*(?:\(\w{1,4}\)){0,6}")
_COURT = re.compile(
    r"\b(?!The )(?P<place>[A-Z][a-z]+(?: [A-Z][a-z]+)?) (?:Supreme|Superior|High|Appellate|Chancery) (?:Court|Division)\b"
)
_NAMED_COURTS = {
    "house of lords": ("lords", "hl", "ukhl"),
    "privy council": ("privy", "pc", "ukpc"),
    "court of chancery": ("chancery", "ch"),
    "tax court": ("tax court", "t.c"),
    "court of justice": ("court of justice", "ecj", "cjeu", "ecr", "eu"),
    "general court": ("general court", "ecr", "eu"),
}
"""Courts without a place, and what names them."""
_NAMED_COURT = re.compile(r"\b(?P<name>House of Lords|Privy Council|Court of (?:Chancery|Justice)|Tax Court|General Court)\b")
_CIRCUIT = re.compile(rf"\b(?P<name>{'|'.join(map(str.title, CIRCUITS))}|D\.C\.) Circuit\b")
_FUNCTION_WORDS = frozenset(
    (
        "a about after all also an and any are as at be because been before between both but by can could did do does during "
        "each either for from had has have he her his i if in into is it its least less may might more most must neither no nor "
        "not of on only or other our out over s shall she should since so such than that the their then there these they this "
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


def has_words(text: str, words: str) -> bool:
    """Whether words stand in a text as whole words."""
    # No pattern: to compile one for each words takes longer than to find them.
    at = text.find(words)
    while at >= 0:
        end = at + len(words)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            return True
        at = text.find(words, end)
    return False


def _has_circuit(text: str, name: str) -> bool:
    """Whether a case-folded text names a federal circuit, in full, as citations shorten it, or among several."""
    short = CIRCUITS.get(name, name)
    names = (f"{name} circuit", f"{short} circuit", f"{short} cir")
    return any(has_words(text, n) for n in names) or (has_words(text, name) and has_words(text, "circuits"))


class NamedSources:
    """A context, indexed to look for the sources that sentences name and for where their words stand."""

    def __init__(self, context: Sequence[Passage], units: Callable[[tuple[Passage, ...]], tuple[Unit, ...]]) -> None:
        self._context, self._split = tuple(context), units
        names, sections = defaultdict[str, set[int]](set), defaultdict[str, set[int]](set)
        for i, passage in enumerate(self._context):
            for word in _NAME.findall(passage.source):
                names[word].add(i)
            for m in _NUMBERED.finditer(passage.source):
                sections[m.group().rstrip(".")].add(i)
        self.names = {name: frozenset(found) for name, found in names.items() if len(found) <= _MOST}
        self.sections = {key: frozenset(found) for key, found in sections.items() if len(found) <= _MOST}

    @classmethod
    def of_case(cls, case: Case, *, plain: bool = False) -> "NamedSources":
        """Index the context of a case, whose texts may be plain views already; linear in its length."""
        return cls(case.context, plain_units if plain else context_sentences)

    # Most responses ask for some of these, and few for all.

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The context sentences."""
        return self._split(self._context)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each passage with its title, case folded."""
        return tuple(f"{p.source}\n{p.text}".casefold() for p in self._context)

    @cached_property
    def titles(self) -> frozenset[str]:
        """The stems of all titles."""
        return frozenset(stem for p in self._context for stem in _stems(p.source))

    @cached_property
    def _places(self) -> Mapping[str, list[int]]:
        """By stem: the context sentences that have it, in rising order."""
        places = defaultdict[str, list[int]](list)
        for j, unit in enumerate(self.units):
            for stem in _stems(self._context[unit.passage].text[unit.start : unit.end]):
                places[stem].append(j)
        return places

    @cached_property
    def _ranks(self) -> list[int]:
        """By passage: its place among all, whatever their order is."""
        order = sorted(range(len(self._context)), key=lambda i: (self._context[i].source, self._context[i].text))
        return sorted(range(len(order)), key=order.__getitem__)

    def misplaced(self, sentence: str) -> tuple[Misplaced, ...]:
        """Find the sources and courts that a sentence names while its words stand elsewhere."""
        named = list(self._named(sentence))
        if not named and not any(pattern.search(sentence) for pattern in (_CIRCUIT, _NAMED_COURT, _COURT)):
            return ()
        stems = _stems(sentence) - {s for start, end, *_ in named for s in _stems(sentence[start:end])}
        shares = self._shares(stems)
        best = self._best(shares)
        holds = best >= 0 and shares[best] >= LEAST
        passages = frozenset[int]().union(*(own for *_, own in named))
        read = passages or (frozenset({self.units[best].passage}) if holds else frozenset())
        stands = self._best({j: share for j, share in shares.items() if self.units[j].passage in read})
        misplaced = [Misplaced(start, end, (), stands) for start, end in self._courts(sentence, read)]
        if holds and self.units[best].passage not in passages:
            nearest = self._nearest_of_each(shares)
            for start, end, key, bearers in named:
                far = max(nearest[p] for p in bearers) < RATIO * shares[best]
                if far and not has_words(self.texts[self.units[best].passage], key.casefold()):
                    misplaced.append(Misplaced(start, end, tuple(sorted(bearers)), best))
        return tuple(sorted(misplaced))

    def elsewhere(self, sentence: str, passages: Collection[int]) -> int:
        """Find the context sentence that shares most words with a sentence if it lies in none of some passages, far from them.

        Returns:
            Its index; -1 where these passages have the words or it is not known which one has.
        """
        shares = self._shares(_stems(sentence) - self.titles)
        best = self._best(shares)
        if best < 0 or shares[best] < LEAST_MARKED or self.units[best].passage in passages:
            return -1
        nearest = self._nearest_of_each(shares)
        # Several passages may have some of the words each.
        return best if sum(nearest[p] for p in passages) < RATIO_MARKED * shares[best] else -1

    def _nearest_of_each(self, shares: Mapping[int, float]) -> Mapping[int, float]:
        """By passage: the greatest share of its sentences."""
        nearest = defaultdict[int, float](float)
        for j, share in shares.items():
            nearest[self.units[j].passage] = max(nearest[self.units[j].passage], share)
        return nearest

    def nearest(self, sentence: str) -> int:
        """Find the context sentence that shares most words with a sentence, each weighted by how rare it is."""
        return self._best(self._shares(_stems(sentence)))

    def _best(self, shares: Mapping[int, float]) -> int:
        """The context sentence with most of the weights, of equals the same in any order of the passages; -1 = none."""
        most = max(shares.values(), default=0.0)
        equal = (j for j, share in shares.items() if share == most)
        return min(equal, key=lambda j: (self._ranks[self.units[j].passage], self.units[j].start), default=-1)

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
            places = self._places.get(stem, ())
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
        for m in _NAMED_COURT.finditer(sentence):
            if not any(has_words(t, name) for t in texts for name in _NAMED_COURTS[m["name"].casefold()]):
                yield m.span()
        for m in _COURT.finditer(sentence):
            place = m["place"].casefold()
            if place not in NO_NAMES and not any(has_words(t, place.split()[0]) or f"{place[:3]}." in t for t in texts):
                yield m.span()


def _stems(text: str) -> set[str]:
    return {w[:_STEM] for w in _WORD.findall(text.casefold()) if w not in _FUNCTION_WORDS}


@dataclass(frozen=True, slots=True)
class MarkedSources:
    """The passages that each number of a mark such as "[2]" may mean, and the numbers that sources give themselves.

    Marks count passages from 1, unless the sources number themselves: by their titles, or at the beginning of a line. Where
    several passages have one title, a mark may count titles too. What may be meant is never absent.
    """

    count: int
    by_number: Mapping[int, frozenset[int]]
    inside: frozenset[int]

    @classmethod
    def of(cls, context: Sequence[Passage], first: int = 1) -> "MarkedSources":
        """Number the passages of a context from 0 or 1 on."""
        numbers = defaultdict[int, set[int]](set)
        titles: dict[str, int] = {}
        names = [p.source for p in context]
        repeated = all(names) and len(set(names)) < len(names)
        inside = set[int]()
        for i, passage in enumerate(context):
            numbers[i + first].add(i)
            if repeated:
                numbers[titles.setdefault(passage.source, len(titles) + first)].add(i)
            if m := _NUMBERED_TITLE.match(passage.source):
                numbers[int(m["number"])].add(i)
            inside |= {int(m[m.lastgroup or 0]) for m in _NUMBERED_LINE.finditer(passage.text)}
        return cls(len(context), {n: frozenset(found) for n, found in numbers.items()}, frozenset(inside))

    def absent(self, number: int) -> bool:
        """Whether no source has a number, in whatever way they are counted."""
        return number not in self.by_number and number not in self.inside

    def passages(self, number: int) -> frozenset[int] | None:
        """The passages that a number may mean; None where that is not known."""
        return None if number in self.inside else self.by_number.get(number)
