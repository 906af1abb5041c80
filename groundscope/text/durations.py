"""Lengths of time of a text: "two years", "a 30-day stay", "24 months"; equal ones are the same in any unit.

This project's own reader, in no paper. Small numbers in words mostly count what a sentence itself lists, so that the facts of a
sentence leave them out; before a unit of time they are what a deadline is made of.
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from groundscope.text.facts import BELOW_100, FIGURE, TENS, UNITS

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
            found = list(durations(text))
            starts = {d.start for d in found}
            times |= {d.time for d in found}
            bare |= {Decimal(m.group().replace(",", "")) for m in _BARE.finditer(text) if m.start() not in starts}
        return cls(frozenset(times), frozenset(bare))

    def missing(self, sentence: str) -> Iterator[Duration]:
        """Find lengths of time that the context does not state, in this unit or another."""
        for found in durations(sentence):
            known = found.time in self.times or (found.value > _FEW and found.value in self.bare)
            if not found.vague and not known:
                yield found


def durations(text: str) -> Iterator[Duration]:
    """Find units of time with a number before them; linear in the text."""
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
