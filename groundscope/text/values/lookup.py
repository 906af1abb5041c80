"""What sources say of a value: whether they have it, know it more exactly, or have something from which it follows."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property
from operator import attrgetter
from threading import Lock

from groundscope.runtime.byte_cache import keep
from groundscope.text.values.coarseness import coarser_keys, equal_keys, fractions, is_implied, keys, keys_beside, numbers_of
from groundscope.text.values.dates import read_dates
from groundscope.text.values.derivations import Derivations
from groundscope.text.values.grammar import read_values, values_of
from groundscope.text.values.measures import PAIR, beginnings
from groundscope.text.values.months import WEEKDAYS, weekday_of
from groundscope.text.values.numbers import canonical, lowered
from groundscope.text.values.provision_index import Place, ProvisionIndex
from groundscope.text.values.provisions import LABEL_OF
from groundscope.text.values.types import Standing, Value, ValueKind, ValueLookup
from groundscope.text.values.units import MEASURES, POINTS, RATED, contradicts, converted, rate_of
from groundscope.text.values.wording import CALENDAR, enumerated, lists_itself, rounded, written_step

_PERIODS = ("", "day", "week", "month", "year")
_SMALL = 10
"""Numbers up to it count what a text itself lists."""
_TIMED = frozenset({ValueKind.DATE, ValueKind.TIME, ValueKind.DURATION})
_YEAR_OF_REPORT = re.compile(r"\[((?:1[6-9]|20)\d\d)\]")
_SHORTEST = 4
_MEASURED = frozenset(MEASURES.values())
_MOST_SEARCHES = 200
"""Values that are searched one by one; of more all sources are indexed, which is linear."""
_WEIGHT = 8
"""Bytes that values take for each character of their text."""
_START, _END = attrgetter("start"), attrgetter("end")
_QUIET = ValueLookup(Standing.COVERED)
_MISSING = ValueLookup(Standing.MISSING)


class ContextValues:
    """The values of sources, to look up those of an answer.

    Most values of most answers stand in a source as they are written: only such sources are read for them. All are read for
    the first value that does not.
    """

    def __init__(self, texts: tuple[str, ...], language: str) -> None:
        self.texts, self._language = texts, language
        self._read: dict[int, tuple[Value, ...]] = {}
        self._written: dict[tuple[ValueKind, str, str], Place] = {}
        self._indexed, self._searches, self._lock = False, 0, Lock()
        self._places: dict[tuple[ValueKind, str], Place] = {}
        self._coarser: dict[tuple[ValueKind, str], Place] = {}
        self._bare: dict[str, Place] = {}
        self._counts: dict[str, dict[str, Place]] = {"": self._bare}
        self._ordinals: dict[str, dict[str, Place]] = {}
        self._with_noun: dict[str, Place] = {}
        self._any: dict[str, Place] = {}
        self._lengths: dict[str, Place] = {}
        self._rates: dict[tuple[ValueKind, str], set[str]] = {}
        self._provisions = ProvisionIndex(texts, self._values_of)

    @classmethod
    def of(cls, texts: Iterable[str], language: str = "en") -> "ContextValues":
        """Take the texts of sources, each with its title, and their language; recent sources are cached."""
        return _read(tuple(texts), language)

    @property
    def nbytes(self) -> int:
        """About the memory of it all, for the cache."""
        return _WEIGHT * sum(map(len, self.texts))

    def look_up(self, value: Value, sentence: str = "") -> ValueLookup:
        """Say how a value of an answer stands on the sources.

        The sentence from which it was read decides whether the value is meant roughly, counts what the sentence lists, or is only
        implied, and then has no place.
        """
        rate = rate_of(value, sentence)
        rated = rate or (value.kind is ValueKind.PERCENT and self._points)
        if not rated and not self._indexed and sentence and self._searches < _MOST_SEARCHES:
            self._searches += 1
            if place := self._as_written(value, sentence[value.start : value.end]):
                return ValueLookup(Standing.EQUAL, *place)
            if self._only_implied(value, sentence):
                return _QUIET
        self._index_all()
        if rated and contradicts(rate, self._rates.get((value.kind, value.key), set())):
            return self._computed(value, sentence)
        lookup = self._stated(value, sentence)
        if lookup.standing is not Standing.MISSING:
            return lookup
        return rounded(value, sentence, self.values, self.texts) or self._computed(value, sentence)

    def _computed(self, value: Value, sentence: str) -> ValueLookup:
        values = read_values(sentence, self._language)
        written, result = written_step(value, values, sentence)
        if written and (value.low in (result.low, *CALENDAR) or self._stated(result, sentence) is not _MISSING):
            return ValueLookup(Standing.COMPUTED, note=written)
        return self.steps.of(value, sentence, values) or _MISSING

    @cached_property
    def values(self) -> tuple[tuple[Value, ...], ...]:
        """The values of each text."""
        return tuple(map(self._values_of, range(len(self.texts))))

    def between(self, i: int, start: int, end: int) -> list[Value]:
        """The values of a part of a text."""
        values = self._values_of(i)
        return list(values[bisect_left(values, start, key=_START) : bisect_right(values, end, key=_END)])

    @cached_property
    def _points(self) -> bool:
        return any(POINTS in text for text in self.texts)

    def _values_of(self, i: int) -> tuple[Value, ...]:
        if i not in self._read:
            self._read[i] = values = values_of(self.texts[i], self._language)
            for value in values:
                self._written.setdefault((value.kind, value.unit, value.key), (i, value.start, value.end))
        return self._read[i]

    def _as_written(self, value: Value, words: str) -> Place | None:
        """Where a value stands in these words; only texts that have them are read."""
        sought = value.kind, value.unit, value.key
        for i, text in enumerate(self.texts):
            if sought in self._written:
                break
            if i not in self._read and words in text:
                self._values_of(i)
        return self._written.get(sought)

    def _only_implied(self, value: Value, sentence: str) -> bool:
        """Whether a value that may be only implied is of what the sources neither rank nor count."""
        rank = value.kind is ValueKind.ORDINAL and not value.exact
        if not rank and not (value.kind is ValueKind.NUMBER and is_implied(value, sentence)):
            return False
        if not value.unit or value.unit.rpartition(" ")[2] in _MEASURED:
            return not value.unit
        starts = beginnings(value.unit)
        for i, text in enumerate(self.texts):
            if i not in self._read and any(start in text.lower() for start in starts):
                self._values_of(i)
        return not any(of[:2] == (value.kind, value.unit) and of[2] != "1" for of in list(self._written))

    def _index_all(self) -> None:
        with self._lock:
            if not self._indexed:
                for i, of_text in enumerate(self.values):
                    for value in of_text:
                        self._index(value, (i, value.start, value.end))
                    self._provisions.add_clauses(i, of_text)
                self._indexed = True

    @cached_property
    def steps(self) -> Derivations:
        """What follows from the values by one step; read when first asked for."""
        return Derivations(self.texts, self.values)

    @cached_property
    def _lists(self) -> tuple[tuple[str, frozenset[int]], ...]:
        """Each text in small letters, and how many things its lists have."""
        return tuple((lowered(text), frozenset(enumerated(text))) for text in self.texts)

    def _index(self, value: Value, place: Place) -> None:
        kind = value.kind
        beside = (*equal_keys(value), *keys_beside(value, self.texts[place[0]])) if kind in _TIMED else (value.key,)
        for key in (*beside, value.also):
            if key:
                self._places.setdefault((kind, key), place)
        for key in coarser_keys(value) if kind in _TIMED else ():
            self._coarser.setdefault((kind, key), place)
        if kind in RATED:
            self._rates.setdefault((kind, value.key), set()).add(rate_of(value, self.texts[place[0]]))
        if kind is ValueKind.NUMBER:
            for key in filter(None, (value.key, value.also)):
                self._counts.setdefault(value.unit, {}).setdefault(key, place)
                (self._with_noun if value.unit else self._bare).setdefault(key, place)
        elif kind is ValueKind.ORDINAL:
            self._ordinals.setdefault(value.unit, {}).setdefault(value.key, place)
        elif kind is ValueKind.PROVISION:
            self._provisions.add(value, place)
        elif kind is ValueKind.DOCKET and (year := _YEAR_OF_REPORT.match(self.texts[place[0]], place[1], place[2])):
            self._any.setdefault(year[1], place)
        if kind is ValueKind.DATE and not value.exact:
            # "1500 crates"
            self._with_noun.setdefault(value.key, place)
        for number in numbers_of(value):
            self._any.setdefault(number, place)
            if kind is ValueKind.DURATION:
                self._lengths.setdefault(number, place)

    def _stated(self, value: Value, sentence: str) -> ValueLookup:
        kind = value.kind
        if kind is ValueKind.PROVISION:
            return self._provisions.look_up(value, sentence)
        if kind is ValueKind.ORDINAL:
            return self._ordinal(value)
        if kind is ValueKind.NUMBER:
            return self._number(value, sentence)
        if kind in _TIMED:
            return self._timed(value, sentence)
        place = next((p for key in (value.key, value.also) if key and (p := self._places.get((kind, key)))), None)
        if place:
            return ValueLookup(Standing.EQUAL, *place)
        if kind is ValueKind.PERCENT and value.low is not None and value.low % 100:
            # "50 %" where the sources say "half".
            place = next((p for k in fractions(value.low) if (p := self._bare.get(k) or self._with_noun.get(k))), None)
            return ValueLookup(Standing.EQUAL, *place) if place else _MISSING
        return self._docket(value, sentence) if kind is ValueKind.DOCKET else _MISSING

    def _timed(self, value: Value, sentence: str) -> ValueLookup:
        for i, key in enumerate(keys(value)):
            if place := self._places.get((value.kind, key)):
                note = f"read as {key}" if len(value.readings) > 1 and i and value.kind is ValueKind.DATE else ""
                return ValueLookup(Standing.EQUAL, *place, note)
        for key in keys(value):
            if place := self._coarser.get((value.kind, key)):
                return ValueLookup(Standing.COVERED, *place)
        if value.kind is ValueKind.DATE and value.key in WEEKDAYS:
            # "Monday, May 4, 2020": the date has its weekday.
            dated = (reading for date in read_dates(sentence, self._language) for reading in date.readings)
            return _QUIET if value.key in map(weekday_of, dated) else _MISSING
        if value.kind is ValueKind.DATE:
            return self._day(value)
        if value.kind is ValueKind.DURATION:
            if not value.exact:
                return _QUIET
            for number in numbers_of(value):
                # "a range of months ... imposed 90"
                if Decimal(number) > _SMALL and (place := self._bare.get(number)):
                    return ValueLookup(Standing.COVERED, *place)
        return _MISSING

    def _day(self, value: Value) -> ValueLookup:
        for year, month, day in value.readings:
            if not month:
                place = next((p for of in (self._bare, self._any, self._with_noun) if (p := of.get(str(year)))), None)
                return ValueLookup(Standing.COVERED, *place) if place else _MISSING
            # "On May 5 and June 6, 2020": day and year apart.
            place = self._places.get((ValueKind.DATE, f"--{month}-{day}" if day else f"--{month}"))
            if place and any(r[0] == year for v in self.values[place[0]] for r in v.readings):
                return ValueLookup(Standing.COVERED, *place)
        return _MISSING

    def _number(self, value: Value, sentence: str) -> ValueLookup:
        noun, key = value.unit, value.key
        counted = self._counts.get(noun, {}) if noun else {}
        named = {"pound": self._places.get((ValueKind.MONEY, f"gbp {key}")), "time": self._counts.get(PAIR, {}).get(f"{key}:1")}
        place = named.get(noun) or counted.get(key) or self._bare.get(key) or (self._bare.get(value.also) if value.also else None)
        if place is None and value.low is not None:
            # "0.5 g" of "500 mg"
            place = next((p for u, n in converted(value.low, noun) if (p := self._counts.get(u, {}).get(canonical(n)))), None)
        if place:
            return ValueLookup(Standing.EQUAL, *place)
        if noun.rpartition(" ")[2] in _MEASURED and any(
            key in keys for unit, keys in self._counts.items() if unit != noun and unit.rpartition(" ")[2] in _MEASURED
        ):
            # "50 kilometers" of "50 miles"
            return _MISSING
        if noun == PAIR and not counted:
            parts = [self._number(value._replace(unit="", key=n, low=Decimal(n)), sentence) for n in key.split(":")]
            return min(parts, key=lambda part: part.standing is not Standing.MISSING)
        elsewhere = self._with_noun.get(key) or (None if noun else self._any.get(key))
        if elsewhere and not counted:
            return ValueLookup(Standing.EQUAL if not noun else Standing.COVERED, *elsewhere)
        if value.low is None or value.low != value.low.to_integral_value():
            share = self._places.get((ValueKind.PERCENT, f"{canonical(value.low * 100)}%")) if value.low is not None else None
            return ValueLookup(Standing.EQUAL, *share) if share else _MISSING
        # "claim 14", "Juror 5"
        label = LABEL_OF.get(sentence[: value.start].rstrip().rpartition(" ")[2].casefold())
        labelled = value._replace(key=f"{label} {value.key}", unit=label or "")
        there = self._provisions.look_up(labelled, sentence) if label else self._provisions.numbered(value, sentence)
        if there.standing is not Standing.MISSING:
            return there
        number = int(value.low)
        if number > _SMALL:
            return _MISSING
        # "three other dates" are four; what is only called one is not counted.
        others = sentence.startswith(" other", value.end) and str(number + 1) in counted
        # "Both points", "the three of them": two and three count what a text only implies.
        implied = is_implied(value, sentence)
        uncounted = not set(counted) - {"1"} and (implied or key in self._any)
        more = set(counted) - {"1"} and not any(f"one {noun}" in low for low, _ in self._lists)
        quiet = uncounted or (number < 2 and not more) or others or any(number in n and noun in low for low, n in self._lists)
        return _QUIET if quiet or lists_itself(sentence, value.end, number) else _MISSING

    def _ordinal(self, value: Value) -> ValueLookup:
        ranked = self._ordinals.get(value.unit, {}) if value.unit else {}
        place = ranked.get(value.key) or self._ordinals.get("", {}).get(value.key)
        if place:
            return ValueLookup(Standing.EQUAL, *place)
        elsewhere = self._places.get((ValueKind.ORDINAL, value.key))
        if elsewhere and not ranked:
            return ValueLookup(Standing.COVERED, *elsewhere)
        # "the third element" of three.
        counted = [int(k) for k in self._counts.get(value.unit, {}) if k.isdecimal()] if value.unit else []
        if (value.low is not None and any(n >= value.low for n in counted)) or not (value.exact or ranked):
            return _QUIET
        # "the twentieth day" of "20 days"
        place = self._lengths.get(canonical(value.low)) if value.low is not None and value.unit in _PERIODS else None
        return ValueLookup(Standing.COVERED, *place) if place else _MISSING

    def _docket(self, value: Value, sentence: str) -> ValueLookup:
        words = re.sub(r"^(?![IVX]+ )[^\d\[]*(?=[\d\[])", "", sentence[value.start : value.end]) if sentence else value.key
        place = self._bare.get(words) if len(words) < _SHORTEST else None
        lookup = ValueLookup(Standing.COVERED, *place) if place else self._provisions.verbatim(words)
        return lookup or self._provisions.numbered(value, sentence)


@keep(8)
def _read(texts: tuple[str, ...], language: str) -> ContextValues:
    """Responses to one question share their context."""
    return ContextValues(texts, language)
