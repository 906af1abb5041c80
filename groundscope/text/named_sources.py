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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import NamedTuple

from groundscope.text.names import CIRCUITS, NO_NAMES
from groundscope.text.sentences import Unit, context_sentences, plain_units
from groundscope.types import Passage

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
    rf"\b(?:(?P<circuit>{'|'.join(map(str.title, CIRCUITS))}|D\.C\.) Circuit"
    r"|(?P<named>House of Lords|Privy Council|Court of (?:Chancery|Justice)|Tax Court|General Court)"
    r"|(?!The )(?P<place>[A-Z][a-z]+(?: [A-Z][a-z]+)?) (?:Supreme|Superior|High|Appellate|Chancery) (?:Court|Division))\b"
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
_FILE = re.compile(r"\.(?:pdf|docx?|txt|rtf|odt|html?|md|xlsx?|pptx?|eml|msg)\b", re.IGNORECASE)
_FILE_NAME = re.compile(
    r"(?:[(\[](?:[Ss]ee |[Ss]ources?:? |[Ff]rom )?(?:[^()\[\]\n]{0,60}?[\s:;,])??"
    r"|\b(?:[Aa]ccording to|[Pp]er|[Ss]ee|[Uu]nder|[Ii]n|[Ff]rom|[Bb]y|[Ss]ources?:\*{0,2}) (?:the )?[\"“*_]{0,3})"
    r"(?P<name>(?:[A-Z\d][\w&'’-]{0,40} ){0,6}[\w&'’-]{1,60})\Z"
)
"""What names a file as a source: in brackets, or after words such as "according to"."""
_LONGEST_NAME = 160
FUNCTION_WORDS = frozenset(
    (
        "a about after all also an and any are as at be because been before being between both but by can could did do does "
        "during each either for from had has have he her his how i if in into is it its least less may might more most must "
        "neither no nor not of on only or other ought our out over s shall she should since so some such than that the their "
        "them then there these they this those through to under unless until up upon very was we were what when where which "
        "while who whom whose will with within without would you your"
    ).split()
)


class Misplaced(NamedTuple):
    """Words `sentence[start:end]` that name a source, or a court, in which the sentence's words do not stand.

    `named`: passages that bear the name, in rising order; none for a court. `stands`: index of the context sentence that
    shares most words with the sentence; for a court, of the passages that it was looked for in. -1 = none.
    """

    start: int
    end: int
    named: tuple[int, ...]
    stands: int


class SearchedTexts:
    """Texts in which words are searched as whole words, in each once."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._has = cache(lambda i, words: _has_words(texts[i], words))

    def have(self, words: str, among: Iterable[int] | None = None) -> bool:
        """Whether one of the texts, or of those with some indices, has words."""
        return any(self._has(i, words) for i in (range(len(self.texts)) if among is None else among))


def _has_words(text: str, words: str) -> bool:
    # No pattern: to compile one for each words takes longer than to find them.
    at = text.find(words)
    while at >= 0:
        end = at + len(words)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            return True
        at = text.find(words, end)
    return False


class NamedSources:
    """A context, perhaps plain, indexed to look for the sources that sentences name and for where their words stand."""

    def __init__(self, context: tuple[Passage, ...], *, plain: bool = False) -> None:
        self._context, self._plain = context, plain
        bearers = defaultdict[str, set[int]](set)
        for i, passage in enumerate(self._context):
            for m in (*_NAME.finditer(passage.source), *_NUMBERED.finditer(passage.source)):
                bearers[m.group().rstrip(".")].add(i)
        self._bearers = {name: frozenset(passages) for name, passages in bearers.items() if len(passages) <= _MOST}

    # Most responses ask for some of these, and few for all.

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The context sentences."""
        return (plain_units if self._plain else context_sentences)(self._context)

    @cached_property
    def texts(self) -> SearchedTexts:
        """Each passage with its title, case folded."""
        return SearchedTexts([f"{p.source}\n{p.text}".casefold() for p in self._context])

    @cached_property
    def titles(self) -> frozenset[str]:
        """The stems of all titles."""
        return frozenset(stem for p in self._context for stem in stems_of(p.source))

    @cached_property
    def _places(self) -> Mapping[str, list[int]]:
        """By stem: the context sentences that have it, in rising order."""
        places = defaultdict[str, list[int]](list)
        for j, unit in enumerate(self.units):
            for stem in stems_of(self._context[unit.passage].text[unit.start : unit.end]):
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
        if not named and not _COURT.search(sentence):
            return ()
        stems = stems_of(sentence) - {s for start, end, *_ in named for s in stems_of(sentence[start:end])}
        shares = self._shares(stems)
        best = self.best(shares)
        holds = best >= 0 and shares[best] >= LEAST
        passages = frozenset[int]().union(*(own for *_, own in named))
        read = passages or (frozenset({self.units[best].passage}) if holds else frozenset())
        stands = self.best({j: share for j, share in shares.items() if self.units[j].passage in read})
        misplaced = [Misplaced(start, end, (), stands) for start, end in self._courts(sentence, read)]
        if holds and self.units[best].passage not in passages:
            nearest = self._nearest_of_each(shares)
            for start, end, key, bearers in named:
                far = max(nearest[p] for p in bearers) < RATIO * shares[best]
                if far and not self.texts.have(key.casefold(), [self.units[best].passage]):
                    misplaced.append(Misplaced(start, end, tuple(sorted(bearers)), best))
        return tuple(sorted(misplaced))

    def elsewhere(self, sentence: str, passages: Collection[int]) -> int:
        """Find the context sentence that shares most words with a sentence if it lies in none of some passages, far from them.

        -1 where these passages have the words or it is not known which one has.
        """
        shares = self._shares(stems_of(sentence) - self.titles)
        best = self.best(shares)
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

    def shares(self, sentence: str) -> dict[int, float]:
        """By context sentence: the share of a sentence's words that it has, each weighted by how rare it is; none of 0."""
        return self._shares(stems_of(sentence))

    def nearest(self, sentence: str) -> int:
        """Find the context sentence that shares most words with a sentence, each weighted by how rare it is; -1 = none."""
        return self.best(self.shares(sentence))

    def best(self, shares: Mapping[int, float]) -> int:
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
            if word and (bearers := self._bearers.get(key)):
                yield m.start() + word.start(), m.start() + len(m.group().rstrip(".'’-&")), key, bearers
        for m in _SECTION.finditer(sentence):
            if bearers := self._bearers.get(m["key"]):
                yield *m.span("key"), m["key"], bearers

    def _shares(self, stems: Iterable[str]) -> dict[int, float]:
        """By context sentence: the share of the weights of these stems that it has."""
        number, whole = len(self.units) + 1, 0.0
        weights = defaultdict[int, float](float)
        # In one order: sums are the same in every process.
        for stem in sorted(stems):
            places = self._places.get(stem, ())
            weight = math.log(number / (len(places) + 0.5)) + 0.1
            whole += weight
            if len(places) <= _MOST:
                for j in places:
                    weights[j] += weight
        return {j: share / whole for j, share in weights.items()} if whole > 0 else {}

    def _courts(self, sentence: str, passages: frozenset[int]) -> Iterator[tuple[int, int]]:
        """Where the sentence names courts that none of these passages names."""
        for m in _COURT.finditer(sentence) if passages else ():
            kind = m.lastgroup or ""
            if not any(self._names_court(p, kind, m[kind].casefold()) for p in passages):
                yield m.span()

    def _names_court(self, passage: int, kind: str, name: str) -> bool:
        have = partial(self.texts.have, among=[passage])
        if kind == "named":
            return any(map(have, _NAMED_COURTS[name]))
        if kind == "place":
            return name in NO_NAMES or have(name.split()[0]) or f"{name[:3]}." in self.texts.texts[passage]
        # In full, as citations shorten it, or among several.
        short = CIRCUITS.get(name, name)
        return any(map(have, (f"{name} circuit", f"{short} circuit", f"{short} cir"))) or (have(name) and have("circuits"))

    def absent_files(self, response: str) -> Iterator[tuple[int, int]]:
        """Find the files that a response names as sources while all sources have titles and none is or names such a file."""
        titles = [p.source.casefold() for p in self._context]
        if not all(titles):
            return
        words: list[tuple[frozenset[str], str]] = []
        for m in _FILE.finditer(response):
            words = words or [(frozenset(_WORD.findall(t)), "".join(_WORD.findall(t))) for t in titles]
            first = max(0, m.start() - _LONGEST_NAME)
            if not (named := _FILE_NAME.search(response[first : m.start()])):
                continue
            name = _WORD.findall(named["name"].casefold())
            stands = any(whole.issuperset(name) or "".join(name) in joined for whole, joined in words)
            start = first + named.start("name")
            if name and not stands and not self.texts.have(response[start : m.end()].casefold()):
                yield start, m.end()


def stems_of(text: str) -> set[str]:
    """List the words of a text that say something, each cut to its first letters."""
    return {w[:_STEM] for w in _WORD.findall(text.casefold()) if w not in FUNCTION_WORDS}


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
