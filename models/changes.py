"""Small edits of a sentence that change what it says: opposites, numbers, names, negations, and the legal edit operators."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from groundscope.cases.edits.source import EditSource
from groundscope.cases.edits.variants import LEARNED
from groundscope.types import Case, Passage
from models.change_words import OPPOSITES

_WORD = re.compile(r"[A-Za-z]+")
_NUMBER = re.compile(r"(?<![\w.,$-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w,-]|\.\d)")
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][a-z]+(?: [A-Z][a-z]+){0,2}\b")
_LISTED = re.compile(r"(?:\s|,|&|and\b|or\b|nor\b|[A-Z][a-z]+)*")
"""Between names whose order does not matter."""
_AUXILIARY = "is|are|was|were|can|could|will|would|should|may|must|has|have|had|does|do|did"
_PLAIN_VERB = re.compile(rf"(?<!whether or not )\b({_AUXILIARY})\b(?! (?:not|no|nothing|never|only|to)\b)")
_NEGATED_VERB = re.compile(rf"\b({_AUXILIARY}) not\b")

_OPPOSITE: dict[str, list[str]] = {}
for _a, _b in OPPOSITES:
    _OPPOSITE.setdefault(_a, []).append(_b)
    _OPPOSITE.setdefault(_b, []).append(_a)


_COUNTED = "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety".split()
_NUMBER_WORD = re.compile(rf"\b({'|'.join(_COUNTED[1:])})\b", re.IGNORECASE)


class Change(NamedTuple):
    """One edit: `new` in the place of a span; which kind of edit it is."""

    start: int
    end: int
    new: str
    kind: str


def changes(sentence: str, window: str, others: str, draw: random.Random) -> Iterator[Change]:
    """Every small edit that could be made."""
    for m in _WORD.finditer(sentence):
        # A capital inside a sentence is that of a name: May, High Court, New York.
        if (m.start() == 0 or m[0].islower()) and (opposite := _OPPOSITE.get(m[0].lower())):
            yield Change(*m.span(), cased(m[0], draw.choice(opposite)), "opposite")
    for m in _NUMBER.finditer(sentence):
        numbers = [n for n in _NUMBER.findall(window) if n != m[0]]
        yield Change(*m.span(), draw.choice(numbers) if numbers and draw.random() < 0.5 else _other_number(m[0], draw), "number")
    for m in _NUMBER_WORD.finditer(sentence):
        at = _COUNTED.index(m[0].lower())
        near = [w for w in _COUNTED[max(1, at - 3) : at + 4] if w != m[0].lower()]
        yield Change(*m.span(), cased(m[0], draw.choice(near)), "number word")
    names = list(_NAME.finditer(sentence))
    known_names = _NAME.findall(f"{window} {others}") if names else []
    for m in names:
        if strange := [n for n in known_names if n not in m[0] and m[0] not in n]:
            yield Change(*m.span(), draw.choice(strange), "name")
    if len(names) > 1:
        a, b = sorted(draw.sample(names, 2), key=lambda m: m.start())
        if a[0] != b[0] and not _LISTED.fullmatch(sentence, a.end(), b.start()):
            yield Change(a.start(), b.end(), b[0] + sentence[a.end() : b.start()] + a[0], "exchange")
    if plain := _PLAIN_VERB.search(sentence):
        yield Change(*plain.span(), f"{plain[1]} not", "negation")
    if negated := _NEGATED_VERB.search(sentence):
        yield Change(*negated.span(), negated[1], "negation dropped")
    source = EditSource(Case("text", "", (Passage("p", window),), sentence))
    for operator in draw.sample(LEARNED, 6):
        for edit in operator.edits(source)[:2]:
            yield Change(edit.start, edit.end, edit.new, operator.name)


def chosen(options: Sequence[Change], counts: Counter[str], draw: random.Random) -> Change | None:
    """One of a kind that has been rare so far, so that frequent words don't make up all of the set."""
    kinds = sorted({c.kind for c in options})
    if not kinds:
        return None
    kind = min(kinds, key=lambda k: counts[k] * draw.uniform(0.3, 1.7))
    counts[kind] += 1
    return draw.choice([c for c in options if c.kind == kind])


def _other_number(text: str, draw: random.Random) -> str:
    value = float(text.replace(",", ""))
    if text.isdecimal() and 1900 <= value <= 2100:
        return str(int(value) + draw.choice((-10, -5, -3, -2, -1, 1, 2, 3, 4, 7, 10)))
    changed = value * draw.choice((0.5, 1.5, 2, 3, 10)) + (2 if value < 2 else 0)
    if value != int(value):
        return f"{changed:.1f}"
    return f"{int(changed):,}" if "," in text else str(int(changed))


def cased(old: str, new: str) -> str:
    """`new` with the capital of `old`."""
    return capital(new) if old[:1].isupper() else new


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]
