"""Values that follow from those of the sources by one step: a sum, a share, a date and a period, a place inside a range."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import chain, pairwise
from operator import attrgetter
from typing import NamedTuple

from groundscope.text.values.measures import SPAN
from groundscope.text.values.months import Reading
from groundscope.text.values.numbers import canonical
from groundscope.text.values.subjects import (
    BACK,
    BOUND,
    COMPARED,
    DURING,
    ENDING,
    JOINED,
    SENTENCE_END,
    WINDOW,
    Label,
    derives,
    is_change,
    is_of_one,
    label_of,
)
from groundscope.text.values.types import Value, ValueKind
from groundscope.text.values.units import rate_of

_SUMMED = frozenset({ValueKind.MONEY, ValueKind.PERCENT, ValueKind.NUMBER, ValueKind.DURATION})
_NEAR = 8
"""Values after another that a step may join to it: so the work stays linear."""
_MOST_EXTENTS = 1000
_PER = re.compile(r" (?:per|a|an|each|every|for each|for every) (?P<noun>[a-z]+)")
_SHARES = {
    "minute": ("minute", 1), "hour": ("minute", 60), "day": ("minute", 1440), "week": ("minute", 10_080),
    "month": ("month", 1), "year": ("month", 12),
}  # fmt: skip

_YEARLY = re.compile(r"\b(?:a|per|each|every) (?:year|annum)\b|\bannual|\byearly", re.IGNORECASE)
_MONTHLY = re.compile(r"\b(?:a|per|each|every) month\b|\bmonthly", re.IGNORECASE)
_RATES = {"week": ((52, _YEARLY),), "month": ((12, _YEARLY),), "quarter": ((4, _YEARLY),), "year": ((-12, _MONTHLY),)}
"""By how many an amount for a time is one for another; negative: through how many."""
_SUM, _DIFFERENCE, _SHARE, _CHANGED = "+", "{} - {} in the sources", "{} of {} in the sources", "from {} in the sources"

_BETWEEN = re.compile(r"\b(?:between|from|zwischen|von|entre|de|desde|tra|fra) [^\d\n]{0,12}\Z", re.IGNORECASE)
_AND = re.compile(r"\s(?:and|und|et|y|e|to|until|bis|à|a)\s(?:from )?")
_NO_LESS = re.compile(r"\b(?:(?:not|no) (?:less|fewer|sooner|earlier) than|at least|a minimum of) \Z", re.IGNORECASE)
_NO_MORE = re.compile(
    r",? (?:(?:and|nor|but|or) )?(?:(?:not|no|nor) )?(?:(?:more|longer|later|greater) than|at most|up to|a maximum of) "
)
_FROM = re.compile(r"\b(?:from|between|begin|commenc|start|effective)[^;\n]{0,30}\Z", re.IGNORECASE)
_UNTIL = re.compile(r"[^;\n]{0,30}\b(?:to|through|until|and|expires?|ends?|ending|ended)\b[^;\n]{0,25}")
_LONGEST_GAP, _LONGEST_SPAN = 50, 12
_OF = re.compile(r" of (?:the |its |their |such |this |each )?(\w{2,20})")
_BEGINS = re.compile(r"\b(?:beg[aiu]n|commenc|start|last(?:s|ed|ing)\b|term\b|effective|lease|beginn|läuft)", re.IGNORECASE)
"""Of what begins and lasts: its last day is the one before its end."""
_NTH = re.compile(
    r"\s(?:\(\d{1,3}[a-z]{2}\)\s)?(?:(?P<name>(?:(?P<business>business|court|working)\s)?(?P<unit>day|week|month|year))"
    r"\s(?:after|following|from|before|prior)|anniversary)\b",
    re.IGNORECASE,
)
_START = attrgetter("start")
_MOST_TERMS = 4
_MOST_YEARS = 20

_Amount = tuple[ValueKind, str, Decimal]


class _Extent(NamedTuple):
    """A range of amounts that a source states."""

    kind: ValueKind
    unit: str
    low: Value
    high: Value
    text: int


def _sentence_numbers(text: str, values: Sequence[Value]) -> list[int]:
    """Number of the sentence in which each value stands; a rough cut is enough to call two values neighbours."""
    ends = [m.end() for m in SENTENCE_END.finditer(text)]
    return [bisect_right(ends, v.start) for v in values]


def _extents(text: str, values: Sequence[Value], number: int) -> Iterator[_Extent]:
    """Ranges of one kind and unit ("$5 to $10 million", "between 10 and 20 days", "not less than 10 nor more than 60 days")."""
    for value in values:
        stated = value.kind not in (ValueKind.PROVISION, ValueKind.DATE) and value.low is not None and value.high is not None
        if stated and value.low < value.high and not is_change(text, value):  # type: ignore[operator]
            yield _Extent(value.kind, value.unit, value, value, number)
    dates = [v for v in values if v.kind is ValueKind.DATE and v.readings]
    amounts = [v for v in values if v.low is not None and v.kind not in (ValueKind.PROVISION, ValueKind.ORDINAL, ValueKind.TIME)]
    for low, high in chain(pairwise(amounts), pairwise(dates)):
        gap, first = text[low.end : high.start] if high.start - low.end <= _LONGEST_GAP else "", max(0, low.start - 20)
        if not gap:
            continue
        dated, between = low.kind is ValueKind.DATE, gap.casefold()
        if not dated and _NO_MORE.fullmatch(between) and _NO_LESS.search(text, first, low.start):
            low = _in_unit_of(high, low, text)
            joined = True
        else:
            begins = _AND.fullmatch(between) and _BETWEEN.search(text, first, low.start)
            joined = begins or (len(gap) <= _LONGEST_SPAN and SPAN.fullmatch(between))
            joined = joined or (dated and _UNTIL.fullmatch(between) and _FROM.search(text, max(0, low.start - 40), low.start))
        if joined and (
            dated or (low.kind is high.kind and low.unit == high.unit and low.low < high.high and not is_change(text, low))
        ):  # type: ignore[operator]
            yield _Extent(low.kind, low.unit, low, high, number)


def _in_unit_of(high: Value, low: Value, text: str) -> Value:
    """The lower end of "10 nor more than 60 days" in days."""
    figure = re.match(r"\d{1,6}", text[high.start : high.end])
    if low.kind is not ValueKind.NUMBER or low.low is None or high.low is None or figure is None or not int(figure.group()):
        return low
    amount = low.low * high.low / int(figure.group())
    return low._replace(kind=high.kind, unit=high.unit, low=amount, high=amount)


class Step(NamedTuple):
    """How a value follows, and from what place in the sources."""

    note: str
    text: int
    start: int
    end: int


class _Terms(NamedTuple):
    """Values of a text from which another follows; put into words when it is asked for, and where the sentence has `needs`."""

    form: str
    text: int
    values: tuple[Value, ...]
    needs: re.Pattern[str] | None = None


class Derivations:
    """Every value that follows from those of some texts by one step; linear in the texts."""

    def __init__(self, texts: Sequence[str], values: Sequence[Sequence[Value]]) -> None:
        self._amounts: dict[_Amount, list[_Terms]] = {}
        self._days: dict[Reading, list[_Terms]] = {}
        self._extents: list[_Extent] = []
        self._texts, self._values = texts, values
        for i, (text, read) in enumerate(zip(texts, values, strict=True)):
            self._of_text(i, text, read)

    def of(self, value: Value, sentence: str = "", values: Sequence[Value] = ()) -> Step | None:
        """The step from which a value of a sentence follows, if one does; `values` are the sentence's."""
        dated = value.kind is ValueKind.DATE
        if not dated and (value.low is None or value.kind not in _SUMMED):
            return None
        label = label_of(sentence, values, value) if sentence else Label(frozenset(), frozenset())
        if dated:
            steps = [terms for reading in value.readings for terms in self._days.get(reading, ())]
        else:
            steps = self._amounts.get((value.kind, value.unit, value.low), []) if value.low == value.high else []
        for terms in steps:
            if self._holds(terms, value, sentence, label):
                return self._step(terms)
        during = dated and derives(DURING, sentence, value)
        bound = not dated and BOUND.search(sentence, max(0, value.start - 60), value.start)
        for extent in self._extents[:_MOST_EXTENTS]:
            if extent.kind is not value.kind or not (dated or extent.unit == value.unit):
                continue
            if (
                _dated_within(value, extent, during)
                if dated
                else not bound and _is_within(value, extent, self._texts[extent.text])
            ):
                return self._within(extent)
        return None

    def _holds(self, terms: _Terms, value: Value, sentence: str, label: Label) -> bool:
        """Whether a step gives what a sentence says: not of one of its terms alone, nor of what has a value of its own."""
        if terms.needs and not derives(terms.needs, sentence, value):
            return False
        dated, compared = value.kind is ValueKind.DATE, terms.form != _SUM and derives(COMPARED, sentence, value)
        if derives(ENDING if dated else JOINED, sentence, value) or (compared and not dated):
            return True
        theirs = [label_of(self._texts[terms.text], self._values[terms.text], v) for v in terms.values]
        if self._is_another(terms, value, label):
            return False
        if dated:
            day, period = (label.before for label in theirs)
            return not label.all & (day - period) or bool(label.all & (period - day))
        every = frozenset[str]().union(*(t.all for t in theirs))
        if terms.form == _SHARE:
            share, whole = theirs
            ours = share.before if terms.values[0].start < terms.values[1].start else share.all - whole.before
            return not label.all & (whole.before - ours) or bool(label.all & ours)
        if terms.form not in (_SUM, _DIFFERENCE, _CHANGED):
            return True
        own = [t.all.difference(*(o.all for j, o in enumerate(theirs) if j != i)) for i, t in enumerate(theirs)]
        hits = sum(1 for words in own if words & label.all)
        if terms.form == _SUM and hits > 1:
            return not is_of_one(sentence, value)
        if value.kind is ValueKind.MONEY and (terms.form == _SUM or label.all):
            return not hits and not (label.all & every and (terms.form != _SUM or is_of_one(sentence, value)))
        # Rates are no sums, and what counts something else is no sum of counts.
        return not hits and value.kind is not ValueKind.PERCENT and self._says_so(terms)

    def _is_another(self, terms: _Terms, value: Value, label: Label) -> bool:
        """Whether the sources have another value of what a sentence says this value of."""
        places = self._labels.get((value.kind, value.unit, label.before), ()) if label.before else ()
        return any(place not in [(terms.text, v.start) for v in terms.values] for place in places)

    @cached_property
    def _labels(self) -> dict[tuple[ValueKind, str, frozenset[str]], list[tuple[int, int]]]:
        labels: dict[tuple[ValueKind, str, frozenset[str]], list[tuple[int, int]]] = {}
        for i, (text, values) in enumerate(zip(self._texts, self._values, strict=True)):
            for value in values:
                if value.kind in _SUMMED or value.kind is ValueKind.DATE:
                    places = labels.setdefault((value.kind, value.unit, label_of(text, values, value).before), [])
                    if len(places) < _NEAR:
                        places.append((i, value.start))
        return labels

    def _within(self, extent: _Extent) -> Step:
        start, end = extent.low.start, extent.high.end
        return Step(f"within {self._texts[extent.text][start:end]}, which the sources state", extent.text, start, end)

    def _says_so(self, terms: _Terms) -> bool:
        """Whether the sentences of a text join its amounts."""
        text, start, end = self._texts[terms.text], terms.values[0].start, terms.values[-1].end
        first = max((m.end() for m in SENTENCE_END.finditer(text, max(0, start - WINDOW), start)), default=max(0, start - WINDOW))
        last = SENTENCE_END.search(text, end, end + WINDOW)
        return JOINED.search(text, first, last.start() if last else end + WINDOW) is not None

    def _step(self, terms: _Terms) -> Step:
        text = self._texts[terms.text]
        words = [text[v.start : v.end] for v in terms.values]
        note = f"{' + '.join(words)} in the sources" if terms.form == _SUM else terms.form.format(*words)
        ends = [(v.start, v.end) for v in terms.values]
        return Step(note, terms.text, min(ends)[0], max(ends)[1])

    def _of_text(self, i: int, text: str, values: Sequence[Value]) -> None:
        ranges = list(_extents(text, values, i))
        self._extents += ranges
        ends = {s.low.start for s in ranges}
        periods = [p for v in values if (p := _as_period(text, v))]
        values = sorted([*values, *periods], key=_START) if periods else values
        for period in periods:
            self._add(period.kind, period.unit, period.low or Decimal(0), _Terms("{} in the sources", i, (period,)))
        sentences = _sentence_numbers(text, values)
        for at, value in enumerate(values):
            if (value.low is None and not value.readings) or value.low != value.high:
                continue
            for factor, needs in _RATES.get(rate_of(value, text), ()) if value.kind is ValueKind.MONEY and value.low else ():
                terms = _Terms(f"{{}} {'times' if factor > 0 else 'by'} {abs(factor)}", i, (value,), needs)
                self._add(value.kind, value.unit, value.low * factor if factor > 0 else value.low / -factor, terms)  # type: ignore[operator]
            for after in range(at + 1, min(at + 1 + _NEAR, len(values))):
                if sentences[after] - sentences[at] > 1:
                    break
                if after == at + 1 and value.start in ends and value.kind is not ValueKind.DATE:
                    # The ends of a range are no terms of a sum.
                    continue
                self._of_pair(i, text, value, values[after], sentences[after] == sentences[at])
        self._changed(i, text, values)
        self._all(i, values, sentences)

    def _of_pair(self, i: int, text: str, first: Value, second: Value, same: bool) -> None:
        kind = first.kind
        if kind is second.kind:
            if kind in _SUMMED:
                # The same amount again is mostly the same thing again.
                near = same or kind is ValueKind.MONEY
                if near and first.unit == second.unit and (first.unit or kind is not ValueKind.NUMBER):
                    self._sum(i, first, second, is_change(text, first))
            elif kind is ValueKind.DATE and first.readings and second.readings:
                apart = _apart(first.readings[0], second.readings[0]) if same or first.readings[0][2] else ()
                for unit, amount in apart:
                    self._add(ValueKind.DURATION, unit, amount, _Terms("from {} to {} in the sources", i, (first, second)))
            elif kind is ValueKind.TIME and first.exact and second.exact and first.low is not None and second.low is not None:
                terms = _Terms("from {} to {} in the sources", i, (first, second))
                self._add(ValueKind.DURATION, "minute", second.low - first.low, terms)
            return
        kinds = {kind, second.kind}
        if kinds == {ValueKind.PERCENT, ValueKind.MONEY}:
            share, whole = (first, second) if kind is ValueKind.PERCENT else (second, first)
            of = None if same else _OF.match(text, share.end)
            if share.low and whole.low and (same or (of and of[1] in label_of(text, self._values[i], whole).before)):
                self._add(ValueKind.MONEY, whole.unit, share.low * whole.low / 100, _Terms(_SHARE, i, (share, whole)))
        elif same and kind is ValueKind.MONEY and second.kind in (ValueKind.DURATION, ValueKind.NUMBER):
            per = _PER.match(text, first.end)
            times = _times(second, per["noun"]) if per else None
            if first.low and times and times != 1:
                terms = _Terms(f"{{}} times {canonical(times)} in the sources", i, (first, second))
                self._add(kind, first.unit, first.low * times, terms)
        elif kinds == {ValueKind.DATE, ValueKind.DURATION}:
            day, period = (first, second) if kind is ValueKind.DATE else (second, first)
            if same or all(reading[2] for reading in day.readings):
                self._moved(i, day, period)

    def _sum(self, i: int, first: Value, second: Value, changed: bool) -> None:
        if not first.low or not second.low or first.low == second.low:
            return
        if not changed:
            self._add(first.kind, first.unit, first.low + second.low, _Terms(_SUM, i, (first, second)))
        if changed or first.kind is not ValueKind.DURATION:
            more, less = (first, second) if first.low > second.low else (second, first)
            self._add(first.kind, first.unit, abs(first.low - second.low), _Terms(_DIFFERENCE, i, (more, less)))

    def _changed(self, i: int, text: str, values: Sequence[Value]) -> None:
        """Differences of what reads as a range, but was changed ("extended from 30 to 60 days")."""
        for value in values:
            low, high = value.low, value.high
            if value.kind in _SUMMED and low is not None and high is not None and low < high and is_change(text, value):
                self._add(value.kind, value.unit, high - low, _Terms(_CHANGED, i, (value,)))

    def _all(self, i: int, values: Sequence[Value], sentences: Sequence[int]) -> None:
        """Sums of three or more values of a sentence."""
        groups: dict[tuple[int, ValueKind, str], list[Value]] = {}
        for value, sentence in zip(values, sentences, strict=True):
            if value.low and value.kind in _SUMMED and (value.unit or value.kind is not ValueKind.NUMBER):
                groups.setdefault((sentence, value.kind, value.unit), []).append(value)
        for (_, kind, unit), group in groups.items():
            if 3 <= len(group) <= 2 * _NEAR:
                total = sum((v.low for v in group if v.low), Decimal(0))
                self._add(kind, unit, total, _Terms(_SUM, i, tuple(group)))
        money = [(v, s) for v, s in zip(values, sentences, strict=True) if v.kind is ValueKind.MONEY and v.low]
        for first, second, third in zip(money, money[1:], money[2:], strict=False):
            terms = tuple(v for v, _ in (first, second, third))
            if len({v.unit for v in terms}) == 1 and first[1] < third[1] <= first[1] + 2:
                total = sum((v.low for v in terms if v.low), Decimal(0))
                self._add(ValueKind.MONEY, terms[0].unit, total, _Terms(_SUM, i, terms, JOINED))

    def _add(self, kind: ValueKind, unit: str, amount: Decimal, terms: _Terms) -> None:
        if amount > 0:
            others = self._amounts.setdefault((kind, unit, amount), [])
            if len(others) < _MOST_TERMS:
                others.append(terms)

    def _moved(self, i: int, day: Value, period: Value) -> None:
        """The days that lie a period after and before a day; of what begins on it and lasts also the last day."""
        text = self._texts[i]
        back = BACK.search(text, period.end, period.end + 30) is not None
        begins = period.unit == "month" and _BEGINS.search(text, max(0, day.start - WINDOW), period.end + WINDOW)
        for reading in day.readings if period.low else ():
            after, before = (shifted(reading, sign * (period.low or 0), period.unit) for sign in (1, -1))
            if back:
                self._on(before, _Terms("{} minus {}", i, (day, period)))
                continue
            self._on(after, _Terms("{} plus {}", i, (day, period)))
            self._on(before, _Terms("{} minus {}", i, (day, period), BACK))
            if begins and reading[2] and after:
                self._on(_by_days(after, -1), _Terms("the day before {} plus {}", i, (day, period)))

    def _on(self, reading: Reading | None, terms: _Terms) -> None:
        if reading is None:
            return
        self._days.setdefault(reading, []).append(terms)
        if reading[2]:
            for coarse in ((*reading[:2], 0), (reading[0], 0, 0)):
                others = self._days.setdefault(coarse, [])
                if len(others) < _MOST_TERMS:
                    others.append(terms._replace(needs=ENDING))


def _as_period(text: str, value: Value) -> Value | None:
    """The period that an ordinal stands for: ten days of "the tenth day after"."""
    m = _NTH.match(text, value.end) if value.kind is ValueKind.ORDINAL and value.low else None
    if m is None or value.low is None:
        return None
    unit, share = ("business day", 1) if m["business"] else _SHARES[(m["unit"] or "year").casefold()]
    amount = value.low * share
    return Value(ValueKind.DURATION, value.start, m.end(), f"{amount} {unit}", amount, amount, unit)


def _is_within(value: Value, extent: _Extent, text: str) -> bool:
    """Whether an amount lies in a range, or a range is this one.

    A period in a range of years is of whole years, too, and so on: "91 months" is no answer to "five to ten years".
    """
    if value.low is None or value.high is None or extent.low.low is None or extent.high.high is None:
        return False
    if value.low < value.high:
        return (value.low, value.high) == (extent.low.low, extent.high.high)
    if not extent.low.low < value.low < extent.high.high:
        return False
    if value.kind is not ValueKind.DURATION:
        return True
    words = text[extent.low.start : extent.high.end]
    whole = max((share for unit, (base, share) in _SHARES.items() if base == value.unit and unit in words), default=1)
    return not value.low % whole


def _dated_within(value: Value, extent: _Extent, during: bool) -> bool:
    """Whether a year is in a range of years, a month in one of a year's months, a day in one of a month's days.

    Any date that something lasts `during` may be in a longer range.
    """
    low, high = extent.low.readings[0], extent.high.readings[0]
    low = (low[0] or high[0], low[1], low[2])
    if during and all((*low, *high)):
        sizes = [(r, sum(map(bool, r))) for r in value.readings if r[0]]
        return any(low[:n] <= r[:n] <= high[:n] for r, n in sizes)
    parts = 3 if high[2] else 2 if high[1] else 1
    alike = all(low[:parts]) and not any(low[parts:]) and low[: parts - 1] == high[: parts - 1]
    if parts == 1 and high[0] - low[0] > _MOST_YEARS:
        return False
    return alike and any(
        low < (year or low[0], *rest) < high and bool(all(rest[: parts - 1]))
        for year, *rest in value.readings
        if sum(map(bool, rest)) == parts - 1
    )


def _times(value: Value, noun: str) -> Decimal | None:
    """How many of a noun a period or a count has: 30 of "day"."""
    if value.kind is ValueKind.NUMBER:
        return value.low if value.unit == noun else None
    unit, share = _SHARES.get(noun, ("", 1))
    return value.low / share if value.low and value.unit == unit else None


def _apart(first: Reading, second: Reading) -> Iterator[tuple[str, Decimal]]:
    if all((*first, *second)):
        try:
            days = abs((date(*second) - date(*first)).days)
        except ValueError:
            return
        yield "minute", Decimal(days * 1440)
    elif not first[0] or not second[0]:
        return
    # A year begins on January 1 and ends on December 31.
    for last in (second, _by_days(second, 1) if second[2] else None):
        if last and first[2] == last[2] and (months := abs((last[0] - first[0]) * 12 + last[1] - first[1])):
            yield "month", Decimal(months)


def shifted(reading: Reading, amount: Decimal | int, unit: str) -> Reading | None:
    """Move a date by a period.

    Args:
        reading: of a date; a month or a year alone moves by months or years.
        amount: negative for the past.
        unit: "minute" or "month" as periods have them, or "day", "week", "year".

    Returns:
        The new date; at the end of a shorter month its last day. None where the date or the period is too coarse for it.
    """
    year, month, day = reading
    factor, base = {"day": (1440, "minute"), "week": (10_080, "minute"), "year": (12, "month")}.get(unit, (1, unit))
    moved = Decimal(amount) * factor / (1440 if base == "minute" else 1)
    if not year or base not in ("minute", "month") or moved != moved.to_integral_value() or abs(moved) > 400_000:
        return None
    if base == "minute":
        return _by_days(reading, int(moved)) if day else None
    if not month:
        return (year + int(moved) // 12, 0, 0) if moved % 12 == 0 and 1 <= year + int(moved) // 12 <= 9999 else None
    months = year * 12 + month - 1 + int(moved)
    year, month = months // 12, months % 12 + 1
    if not 1 <= year <= 9999:
        return None
    return (year, month, min(day, _days_of(year, month)))


def _days_of(year: int, month: int) -> int:
    return 31 if month == 12 else (date(year, month + 1, 1) - timedelta(days=1)).day


def _by_days(reading: Reading, days: int) -> Reading | None:
    try:
        moved = date(*reading) + timedelta(days=days)
    except (ValueError, OverflowError):
        return None
    return (moved.year, moved.month, moved.day)
