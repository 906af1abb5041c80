"""What differs between a response sentence and the context sentence it was matched to: word level, deterministic.

Compared are legal citations (eyecite), money, dates, numbers, capitalised names, quoted words, modals and negations: the
small words and figures that a subtle error changes and that an average over a sentence hides. `BLIND_SPOTS` says what
this cannot see.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

BLIND_SPOTS = (
    "Words and figures only. It cannot see that two different words mean the same, who does what to whom, "
    "cause and effect, or a condition put in other words. No difference here does not mean supported."
)


class Kind(StrEnum):
    """What kind of thing differs; the values are what a reader sees."""

    CITATION = "Citations"
    MONEY = "Money"
    DATE = "Dates"
    NUMBER = "Numbers"
    NAME = "Names"
    QUOTE = "Quoted words"
    MODAL = "Shall, may, must"
    NEGATION = "Negations"


class Item(NamedTuple):
    """`text[start:end]` is an item of a kind; equal keys are the same thing."""

    kind: Kind
    start: int
    end: int
    key: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Items of one kind that stand on one side only; offsets count from the start of each sentence."""

    kind: Kind
    response: tuple[Item, ...]
    context: tuple[Item, ...]


_MONTHS = "January February March April May June July August September October November December".split()
_MONTH = r"(?:" + "|".join(f"{m[:3]}(?:{m[3:]}|\\.)?" if m != "May" else "May" for m in _MONTHS) + r"|Sept\.?)"
_DATE = re.compile(
    rf"\b(?:(?P<m1>{_MONTH})\s(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?,?\s)?(?P<y1>\d{{4}})"
    rf"|(?P<d2>\d{{1,2}})\s(?P<m2>{_MONTH})\s(?P<y2>\d{{4}})|(?P<m4>{_MONTH})\s(?P<d4>\d{{1,2}})"
    r"|(?P<y3>\d{4})-(?P<m3>\d{2})-(?P<d3>\d{2}))\b"
)
_SCALE = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12, "k": 3, "m": 6, "bn": 9}
_MONEY = re.compile(
    r"(?P<sign>[$€£])\s?(?P<n1>\d[\d,]*(?:\.\d+)?)(?:\s?(?P<s1>thousand|million|billion|trillion|bn|[mk])\b)?"
    r"|\b(?P<n2>\d[\d,]*(?:\.\d+)?)\s(?:(?P<s2>thousand|million|billion|trillion)\s)?(?P<word>dollars|euros|pounds)\b",
    re.IGNORECASE,
)
_CURRENCY = {"$": "usd", "€": "eur", "£": "gbp", "dollars": "usd", "euros": "eur", "pounds": "gbp"}
_DIGITS = re.compile(
    r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:%|(?:st|nd|rd|th)\b|[a-z]{0,2}(?:-\d{1,6}[a-z]?){0,3}(?:\([0-9A-Za-z]{1,4}\)){0,5})"
)
_STATUTE = re.compile(
    r"\b\d{1,3}\s(?:U\.?\s?S\.?\s?C\.?(?:\sA\.)?|C\.?\s?F\.?\s?R\.?)\s(?:§{1,2}\s?)?\d[\w.-]{0,12}(?:\([0-9A-Za-z]{1,4}\)){0,5}"
    r"|\bFed\.\sR\.\s(?:Civ|Crim|App|Evid|Bankr)\.(?:\sP\.)?\s\d{1,4}(?:\([0-9A-Za-z]{1,4}\)){0,5}"
)
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = {w: i for i, w in enumerate(_UNITS)} | {w: 10 * i for i, w in enumerate(_TENS, 2)}
_BELOW_100 = rf"(?:{'|'.join(_TENS)})(?:[-\s](?:{'|'.join(_UNITS[1:10])}))?|{'|'.join(sorted(_UNITS[2:], key=len, reverse=True))}"
_SPELLED = re.compile(
    rf"\b(?:(?P<hundreds>{'|'.join(_UNITS[1:10])}|a)\shundred(?:\s(?:and\s)?(?P<rest>{_BELOW_100}))?|(?P<small>{_BELOW_100}))\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[“\"]([^“”\"\n]{1,300})[”\"]")
_MODAL = re.compile(r"\b(shall|must|may|should|can|could|might|will|would|ought|cannot)\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(not|no|never|neither|nor|none|without|unless|except|cannot)\b|\b\w+(n['’]t)\b", re.IGNORECASE)
_CAPITAL = r"(?:(?:[A-Z]\.){2,}|[A-Z][\w’'&-]*)"
_NAME = re.compile(rf"\b{_CAPITAL}(?:\s(?:of\s(?:the\s)?|de\s|v\.\s|&\s)?{_CAPITAL})*")
_CITES = re.compile(r"\d.{0,60}[A-Z§]|[A-Z§].{0,60}\d|\b[Ii]d\.", re.DOTALL)
_NOT_NAMES = frozenset(
    "i a an the if in on at by for to of and or but as it its this that these those see also id cf accord under court "
    "courts section rule act state states cir del no nos art ex so where when because although".split()
)


def differences(response: str, context: str) -> tuple[Difference, ...]:
    """Compare one response sentence with one context sentence.

    Returns:
        One entry a kind that differs, in the order of `Kind`. Each side lists what the other side lacks.
    """
    ours, theirs = items(response), items(context)
    here, there = response.casefold(), context.casefold()
    found = []
    for kind in Kind:
        a = tuple(_missing(ours, theirs, kind, there))
        b = tuple(_missing(theirs, ours, kind, here))
        if a or b:
            found.append(Difference(kind, a, b))
    return tuple(found)


def _missing(items_: Iterable[Item], others: Iterable[Item], kind: Kind, other_text: str) -> Iterator[Item]:
    known = {i.key for i in others if i.kind is kind}
    for item in items_:
        if item.kind is not kind or item.key in known:
            continue
        if kind in {Kind.NAME, Kind.QUOTE} and item.key in other_text:
            continue
        yield item


@lru_cache(maxsize=4096)
def items(text: str) -> tuple[Item, ...]:
    """Everything comparable in one sentence, in reading order; no two items overlap."""
    taken = bytearray(len(text))
    found: list[Item] = []
    for reader in _READERS:
        for item in reader(text):
            inside = item.kind in {Kind.MODAL, Kind.NEGATION, Kind.QUOTE}
            if inside or not any(taken[item.start : item.end]):
                found.append(item)
                if not inside:
                    taken[item.start : item.end] = b"\x01" * (item.end - item.start)
    return tuple(sorted(found, key=lambda i: (i.start, i.end)))


def _citations(text: str) -> Iterator[Item]:
    if not _CITES.search(text):
        return
    from eyecite import get_citations
    from eyecite.models import IdCitation, SupraCitation, UnknownCitation

    for cite in get_citations(text):
        if isinstance(cite, IdCitation | SupraCitation | UnknownCitation):
            continue
        found: Any = cite
        start, end = found.span()
        yield Item(Kind.CITATION, start, end, found.corrected_citation().casefold())


def _statutes(text: str) -> Iterator[Item]:
    """Sections with letters and hyphens ("2000e-5(e)(1)"), subsections, and rules, which eyecite leaves out."""
    for m in _STATUTE.finditer(text):
        yield Item(Kind.CITATION, m.start(), m.end(), re.sub(r"[\s.§]", "", m.group()).casefold())


def _money(text: str) -> Iterator[Item]:
    for m in _MONEY.finditer(text):
        value = float((m["n1"] or m["n2"]).replace(",", ""))
        value *= 10 ** _SCALE.get((m["s1"] or m["s2"] or "").lower(), 0)
        currency = _CURRENCY[(m["sign"] or m["word"]).lower()]
        yield Item(Kind.MONEY, m.start(), m.end(), f"{currency} {value:g}")


def _dates(text: str) -> Iterator[Item]:
    for m in _DATE.finditer(text):
        month = m["m1"] or m["m2"] or m["m4"]
        number = next(i for i, n in enumerate(_MONTHS, 1) if n[:3] == month[:3]) if month else int(m["m3"])
        year, day = m["y1"] or m["y2"] or m["y3"] or "", m["d1"] or m["d2"] or m["d3"] or m["d4"] or ""
        yield Item(Kind.DATE, m.start(), m.end(), f"{year}-{number}-{day.lstrip('0')}")


def _numbers(text: str) -> Iterator[Item]:
    for m in _DIGITS.finditer(text):
        yield Item(Kind.NUMBER, m.start(), m.end(), m.group().replace(",", "").casefold())
    for m in _SPELLED.finditer(text):
        hundreds = _VALUES.get((m["hundreds"] or "zero").lower(), 1)
        value = 100 * hundreds + sum(_VALUES[w] for w in re.split(r"[-\s]", (m["rest"] or m["small"] or "zero").lower()))
        yield Item(Kind.NUMBER, m.start(), m.end(), str(value))


def _names(text: str) -> Iterator[Item]:
    for m in _NAME.finditer(text):
        name = re.sub(r"(?:['’]s)?[.,'’]*$", "", m.group())
        first = not text[: m.start()].strip(" \t\n\"“'‘(*")
        start = m.start()
        words = name.split()
        if words and (words[0].casefold() in _NOT_NAMES or (first and len(words) > 1 and words[0].istitle())):
            # A sentence's first word has its capital anyway: what follows it may still be a name.
            rest = name[len(words[0]) :].lstrip()
            start, name = start + len(name) - len(rest), rest
            first = False
        if first or name.casefold() in _NOT_NAMES or len(name) < 2 or not name[:1].isupper():
            continue
        yield Item(Kind.NAME, start, start + len(name), name.casefold())


def _quotes(text: str) -> Iterator[Item]:
    for m in _QUOTED.finditer(text):
        yield Item(Kind.QUOTE, m.start(), m.end(), m.group(1).strip(" ,.;").casefold())


def _modals(text: str) -> Iterator[Item]:
    for m in _MODAL.finditer(text):
        if m.group() != "May":
            yield Item(Kind.MODAL, m.start(), m.end(), m.group().casefold().replace("cannot", "can"))


def _negations(text: str) -> Iterator[Item]:
    for m in _NEGATION.finditer(text):
        word = m.group().casefold()
        following = text[m.end() : m.end() + 2]
        if word == "no" and following[:1] == "." and text[m.start()] == "N":
            continue
        key = "not" if m.group(2) or word == "cannot" else word
        yield Item(Kind.NEGATION, m.start(), m.end(), key)


_READERS: tuple[Callable[[str], Iterator[Item]], ...] = (
    _statutes, _citations, _money, _dates, _numbers, _names, _quotes, _modals, _negations,
)  # fmt: skip


FACTS = frozenset({Kind.CITATION, Kind.MONEY, Kind.DATE, Kind.NUMBER, Kind.NAME, Kind.QUOTE})
"""Kinds that stand for a thing, so that it makes sense to look for it in all of the context."""

_WORD = re.compile(r"[^\W_]{2,}")
_COUNTING = frozenset(_UNITS[:11])
"""Small numbers in words mostly count what the sentence itself lists."""

_KEYED = frozenset({Kind.MONEY, Kind.DATE, Kind.NUMBER})


@dataclass(frozen=True, slots=True)
class Corpus:
    """A whole context made ready to look facts up in.

    Attributes:
        text: all passages, case folded, white space as single spaces.
        keys: its amounts, dates and numbers, so that "180" is found where "one hundred eighty" stands.
    """

    text: str
    keys: frozenset[tuple[Kind, str]]

    @classmethod
    def of(cls, passages: Iterable[str]) -> "Corpus":
        """Read a context; linear in its length."""
        texts = list(passages)
        keys = {(i.kind, i.key) for t in texts for reader in (_money, _dates, _numbers) for i in reader(t)}
        return cls(" ".join(" \n ".join(texts).casefold().split()), frozenset(keys))

    def holds(self, item: Item, text: str) -> bool:
        """Whether a fact of `text` stands anywhere in the context, as whole words or as the same amount or date."""
        if item.kind in _KEYED and (item.kind, item.key) in self.keys:
            return True
        if item.kind is Kind.NAME and all(self._finds(w) for w in _WORD.findall(item.key)):
            return True
        return self._finds(" ".join(text[item.start : item.end].strip("\"“”'‘’ ,.").casefold().split()))

    def _finds(self, words: str) -> bool:
        position = self.text.find(words)
        while position >= 0:
            before, after = (
                self.text[max(0, position - 1) : position],
                self.text[position + len(words) : position + len(words) + 1],
            )
            if not before.isalnum() and not after.isalnum():
                return True
            position = self.text.find(words, position + 1)
        return False


def missing_facts(sentence: str, corpus: Corpus) -> tuple[Item, ...]:
    """Citations, amounts, dates, numbers, names and quotations of a sentence that stand nowhere in the context."""
    facts = (i for i in items(sentence) if i.kind in FACTS and sentence[i.start : i.end].lower() not in _COUNTING)
    return tuple(i for i in facts if not corpus.holds(i, sentence))
