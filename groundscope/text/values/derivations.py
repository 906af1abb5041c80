"""Values that follow from those of the sources by one step: a sum, a share, a date and a period, a place inside a range."""

import re
from bisect import bisect_right
from calendar import monthrange
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
from groundscope.text.values.types import Standing, Value, ValueKind, ValueLookup
from groundscope.text.values.units import RATED, rate_of
from groundscope.text.values.wording import (
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
_RATES = {
    "week": ("times 52", _YEARLY),
    "month": ("times 12", _YEARLY),
    "quarter": ("times 4", _YEARLY),
    "year": ("divided by 12", _MONTHLY),
}
"""How an amount for a time is one for another."""
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
_BEGINS = re.compile(
    r"\b(?:beg[aiu]n|commenc|start|last(?:s|ed|ing)\b|term\b|effective|lease|beginn|läuft|Dauer|effet|durée|duración|durata)|期間",
    re.IGNORECASE,
)
"""Of what begins and lasts: its last day is the one before its end."""
_NTH = re.compile(
    r"\s(?:\(\d{1,3}[a-z]{2}\)\s)?(?:(?:(?P<business>business|court|working)\s)?(?P<unit>day|week|month|year)"
    r"\s(?:after|following|from|before|prior)|anniversary)\b",
    re.IGNORECASE,
)
_START = attrgetter("start")
_MOST_TERMS = 4
_MOST_YEARS = 20


class _Extent(NamedTuple):
    """A range that a source states, by its ends."""

    low: Value
    high: Value
    text: int


class _Terms(NamedTuple):
    """Values of a text from which another follows; put into words when it is asked for, and where the sentence has `needs`."""

    form: str
    text: int
    values: tuple[Value, ...]
    needs: re.Pattern[str] | None = None


def _extents(text: str, values: Sequence[Value], number: int) -> Iterator[_Extent]:
    """Ranges of one kind and unit ("$5 to $10 million", "between 10 and 20 days", "not less than 10 nor more than 60 days")."""
    dates = [v for v in values if v.kind is ValueKind.DATE and v.readings]
    amounts = [v for v in values if v.low is not None and v.kind not in (ValueKind.DATE, ValueKind.PROVISION, ValueKind.ORDINAL)]
    yield from (_Extent(v, v, number) for v in amounts if v.low < v.high and not is_change(text, v))  # type: ignore[operator]
    for low, high in chain(pairwise(amounts), pairwise(dates)):
        between = text[low.end : high.start].casefold() if high.start - low.end <= _LONGEST_GAP else ""
        short, first = len(between) <= _LONGEST_SPAN, max(0, low.start - 20)
        joined = short and ((_AND.fullmatch(between) and _BETWEEN.search(text, first, low.start)) or SPAN.fullmatch(between))
        if low.kind is ValueKind.DATE:
            if joined or (_UNTIL.fullmatch(between) and _FROM.search(text, max(0, low.start - 40), low.start)):
                yield _Extent(low, high, number)
            continue
        if not joined and (joined := _NO_MORE.fullmatch(between) and _NO_LESS.search(text, first, low.start)):
            figure = re.match(r"[1-9]\d{0,5}", text[high.start : high.end])
            if low.kind is ValueKind.NUMBER is not high.kind and figure:
                # "10 nor more than 60 days"
                amount = low.low * high.low / int(figure.group())  # type: ignore[operator]
                low = low._replace(kind=high.kind, unit=high.unit, low=amount)
        alike = low.kind is high.kind and low.unit == high.unit and low.low < high.high  # type: ignore[operator]
        if joined and alike and not is_change(text, low):
            yield _Extent(low, high, number)


class Derivations:
    """Every value that follows from those of some texts by one step; linear in the texts."""

    def __init__(self, texts: Sequence[str], values: Sequence[Sequence[Value]]) -> None:
        self._terms: dict[tuple[ValueKind, str, Decimal | Reading], list[_Terms]] = {}
        self._extents: list[_Extent] = []
        self._texts, self._values = texts, values
        for i, (text, read) in enumerate(zip(texts, values, strict=True)):
            self._of_text(i, text, read)

    def of(self, value: Value, sentence: str = "", values: Sequence[Value] = ()) -> ValueLookup | None:
        """The step from which a value of a sentence follows, if one does; `values` are the sentence's."""
        dated = value.kind is ValueKind.DATE
        if not dated and (value.low is None or value.kind not in _SUMMED):
            return None
        label = label_of(sentence, values, value)
        keys = value.readings if dated else [value.low] if value.low == value.high else ()
        for terms in (t for key in keys if key for t in self._terms.get((value.kind, "" if dated else value.unit, key), ())):
            if self._holds(terms, value, sentence, label):
                words = [self._texts[terms.text][v.start : v.end] for v in terms.values]
                note = f"{' + '.join(words)} in the sources" if terms.form == _SUM else terms.form.format(*words)
                start, end = min(v.start for v in terms.values), max(v.end for v in terms.values)
                return ValueLookup(Standing.COMPUTED, terms.text, start, end, note)
        during = derives(DURING, sentence, value)
        bound = not dated and value.low == value.high and BOUND.search(sentence, max(0, value.start - 60), value.start)
        for low, high, i in self._extents[:_MOST_EXTENTS]:
            if low.kind is not value.kind or bound:
                continue
            span = self._texts[i][low.start : high.end]
            if _dated_within(value, low, high, during) if dated else _is_within(value, low, high, span):
                return ValueLookup(Standing.COMPUTED, i, low.start, high.end, f"within {span}, which the sources state")
        return None

    def _holds(self, terms: _Terms, value: Value, sentence: str, label: Label) -> bool:
        """Whether a step gives what a sentence says: not of one of its terms alone, nor of what has a value of its own."""
        dated, summed, text = value.kind is ValueKind.DATE, terms.form == _SUM, self._texts[terms.text]
        if terms.needs and not derives(terms.needs, sentence, value):
            return False
        if derives(ENDING if dated else JOINED, sentence, value) or (
            not dated and not summed and derives(COMPARED, sentence, value)
        ):
            return True
        places = self._labels.get((value.kind, value.unit, label.before), ()) if label.before else ()
        if any(place not in [(terms.text, v.start) for v in terms.values] for place in places):
            return False
        theirs = [label_of(text, self._values[terms.text], v) for v in terms.values]
        if dated or terms.form == _SHARE:
            # A deadline is of the period, and a share of what it is a share of.
            (base, step), (first, second) = theirs if dated else theirs[::-1], terms.values
            ours = step.before if dated or first.start < second.start else step.all - base.before
            return not label.all & (base.before - ours) or bool(label.all & (ours - base.before if dated else ours))
        if not summed and terms.form not in (_DIFFERENCE, _CHANGED):
            return True
        alone = [t.all.difference(*(o.all for o in theirs if o is not t)) for t in theirs]
        hits = sum(1 for words in alone if words & label.all)
        if summed and hits > 1:
            return not is_of_one(sentence, value)
        if value.kind is ValueKind.MONEY and (summed or label.all):
            shared = any(t.all & label.all for t in theirs)
            return not hits and not (shared and (not summed or is_of_one(sentence, value)))
        # Rates are no sums, and what counts something else is no sum of counts.
        says_so = JOINED.search(text, terms.values[0].start, terms.values[-1].end)
        return not hits and value.kind is not ValueKind.PERCENT and says_so is not None

    @cached_property
    def _labels(self) -> dict[tuple[ValueKind, str, frozenset[str]], list[tuple[int, int]]]:
        """Where the sources have a value of what they say it."""
        labels: dict[tuple[ValueKind, str, frozenset[str]], list[tuple[int, int]]] = {}
        for i, values in enumerate(self._values):
            for v in values:
                if v.kind in _SUMMED or v.kind is ValueKind.DATE:
                    places = labels.setdefault((v.kind, v.unit, label_of(self._texts[i], values, v).before), [])
                    places += [(i, v.start)] if len(places) < _NEAR else []
        return labels

    def _of_text(self, i: int, text: str, values: Sequence[Value]) -> None:
        ranges = list(_extents(text, values, i))
        self._extents += ranges
        ends = {s.low.start for s in ranges if s.low.kind in _SUMMED}
        periods = [p for v in values if (p := _as_period(text, v))]
        for period in periods:
            self._add(period, period.low, _Terms("{} in the sources", i, (period,)))
        values = sorted([*values, *periods], key=_START) if periods else values
        # A rough cut is enough to call two values neighbours.
        stops = [m.end() for m in SENTENCE_END.finditer(text)]
        sentences = [bisect_right(stops, v.start) for v in values]
        for at, value in enumerate(values):
            low, high = value.low, value.high
            if value.kind in _SUMMED and low is not None and high is not None and low < high and is_change(text, value):
                # "extended from 30 to 60 days"
                self._add(value, high - low, _Terms(_CHANGED, i, (value,)))
            if (low is None and not value.readings) or low != high:
                continue
            if value.kind is ValueKind.MONEY and low and (rate := _RATES.get(rate_of(value, text))):
                way, needs = rate
                factor = int(way.rpartition(" ")[2])
                amount = low / factor if way.startswith("divided") else low * factor
                self._add(value, amount, _Terms(f"{{}} {way}", i, (value,), needs))
            run = [value]
            for after in range(at + 1, min(at + 1 + _NEAR, len(values))):
                other, same = values[after], sentences[after] == sentences[at]
                if sentences[after] - sentences[after - 1] > 1 or sentences[after] - sentences[at] > 2:
                    break
                if after == at + 1 and value.start in ends:
                    # The ends of a range are no terms of a sum.
                    continue
                if (
                    value.kind in _SUMMED
                    and (other.kind, other.unit) == (value.kind, value.unit)
                    and (same or value.kind in RATED)
                ):
                    run.append(other)
                    if len(run) > 2 and (value.unit or value.kind is not ValueKind.NUMBER):
                        total = sum((v.low for v in run if v.low), Decimal(0))
                        self._add(value, total, _Terms(_SUM, i, tuple(run), None if same else JOINED))
                if sentences[after] - sentences[at] <= 1 or value.kind is other.kind is ValueKind.DATE:
                    self._of_pair(i, text, value, other, same)

    def _of_pair(self, i: int, text: str, first: Value, second: Value, same: bool) -> None:
        kind = first.kind
        if kind is second.kind:
            pair, low, high = _Terms("from {} to {} in the sources", i, (first, second)), first.low, second.low
            if kind in _SUMMED:
                # The same amount again is mostly the same thing again.
                near = (same or kind in RATED) and first.unit == second.unit and low != high
                if not near or not low or not high or not (first.unit or kind is not ValueKind.NUMBER):
                    return
                if len({rate_of(first, text), rate_of(second, text)} - {""}) > 1:
                    return
                changed = is_change(text, first)
                if not changed:
                    self._add(first, low + high, pair._replace(form=_SUM))
                if changed or kind is not ValueKind.DURATION:
                    more = (first, second) if low > high else (second, first)
                    self._add(first, abs(low - high), _Terms(_DIFFERENCE, i, more))
            elif kind is ValueKind.DATE and first.readings and second.readings and (same or first.readings[0][2]):
                for unit, amount in _apart(first.readings[0], second.readings[0]):
                    self._add(first._replace(kind=ValueKind.DURATION, unit=unit), amount, pair)
            elif kind is ValueKind.TIME and first.exact and second.exact and low is not None and high is not None:
                self._add(first._replace(kind=ValueKind.DURATION), high - low, pair)
            return
        kinds = {kind, second.kind}
        if kinds == {ValueKind.PERCENT, ValueKind.MONEY}:
            share, whole = (first, second) if kind is ValueKind.PERCENT else (second, first)
            of = None if same else _OF.match(text, share.end)
            if share.low and whole.low and (same or (of and of[1] in label_of(text, self._values[i], whole).before)):
                self._add(whole, share.low * whole.low / 100, _Terms(_SHARE, i, (share, whole)))
        elif same and kind is ValueKind.MONEY and second.kind in (ValueKind.DURATION, ValueKind.NUMBER):
            per = _PER.match(text, first.end)
            times = _times(second, per["noun"]) if per else None
            if first.low and times and times != 1:
                terms = _Terms(f"{{}} times {canonical(times)} in the sources", i, (first, second))
                self._add(first, first.low * times, terms)
        elif kinds == {ValueKind.DATE, ValueKind.DURATION}:
            day, period = (first, second) if kind is ValueKind.DATE else (second, first)
            if same or all(reading[2] for reading in day.readings):
                self._moved(i, text, day, period)

    def _moved(self, i: int, text: str, day: Value, period: Value) -> None:
        """The days that lie a period after and before a day; of what begins on it and lasts also the last day."""
        back = BACK.search(text, period.end, period.end + 30)
        begins = period.unit == "month" and _BEGINS.search(text, max(0, day.start - WINDOW), period.end + WINDOW)
        for reading in day.readings if period.low else ():
            after, before = (shifted(reading, sign * (period.low or 0), period.unit) for sign in (1, -1))
            steps = [(before, "{} minus {}", None if back else BACK)]
            if not back and after:
                steps += [(after, "{} plus {}", None)]
                steps += [(_by_days(after, -1), "the day before {} plus {}", None)] if begins and reading[2] else []
            for moved, form, needs in steps:
                terms = _Terms(form, i, (day, period), needs)
                self._add(day, moved, terms)
                for coarse in ((*moved[:2], 0), (moved[0], 0, 0)) if moved and moved[2] else ():
                    self._add(day, coarse, terms._replace(needs=ENDING))

    def _add(self, like: Value, amount: Decimal | Reading | None, terms: _Terms) -> None:
        if amount and (isinstance(amount, tuple) or amount > 0):
            unit = "" if like.kind is ValueKind.DATE else like.unit
            others = self._terms.setdefault((like.kind, unit, amount), [])
            others += [terms] if len(others) < _MOST_TERMS else []


def _as_period(text: str, value: Value) -> Value | None:
    """The period that an ordinal stands for: ten days of "the tenth day after"."""
    m = _NTH.match(text, value.end) if value.kind is ValueKind.ORDINAL and value.low else None
    if m is None or value.low is None:
        return None
    unit, share = ("business day", 1) if m["business"] else _SHARES[(m["unit"] or "year").casefold()]
    amount = value.low * share
    return Value(ValueKind.DURATION, value.start, m.end(), f"{amount} {unit}", amount, amount, unit)


def _is_within(value: Value, low: Value, high: Value, words: str) -> bool:
    """Whether an amount lies in a range, or a range is this one; a period in a range of years is of whole years, too."""
    if value.unit != low.unit or None in (value.low, value.high, low.low, high.high):
        return False
    if value.low != value.high:
        return (value.low, value.high) == (low.low, high.high)
    whole = max((share for unit, (base, share) in _SHARES.items() if base == value.unit and unit in words), default=1)
    inside = low.low < value.low < high.high  # type: ignore[operator]
    return inside and (value.kind is not ValueKind.DURATION or not value.low % whole)  # type: ignore[operator]


def _dated_within(value: Value, first: Value, last: Value, during: bool) -> bool:
    """Whether a year is in a range of years, a month in one of a year's months, a day in one of a month's days.

    Any date that something lasts `during` may be in a longer range.
    """
    low, high = first.readings[0], last.readings[0]
    low, parts = (low[0] or high[0], *low[1:]), sum(map(bool, high))
    near = low[: parts - 1] == high[: parts - 1] and high[0] - low[0] <= _MOST_YEARS
    if not value.readings:
        return False
    # Of a date in figures the order of its language.
    year, *rest = value.readings[0]
    n = 1 + sum(map(bool, rest))
    inside = low[:n] <= (year or low[0], *rest)[:n] <= high[:n] and sum(map(bool, low)) == parts
    return inside and bool((near and n == parts) or (during and (n < parts or year)))


def _times(value: Value, noun: str) -> Decimal | None:
    """How many of a noun a period or a count has: 30 of "day"."""
    if value.kind is ValueKind.NUMBER:
        return value.low if value.unit == noun else None
    unit, share = _SHARES.get(noun, ("", 1))
    return value.low / share if value.low and value.unit == unit else None


def _apart(first: Reading, second: Reading) -> Iterator[tuple[str, Decimal]]:
    if not first[0] or not second[0]:
        return
    # A year begins on January 1 and ends on December 31.
    next_day = _by_days(second, 1)
    if next_day and _by_days(first, 0):
        yield "minute", Decimal(abs((date(*second) - date(*first)).days) * 1440)
    for last in filter(None, (second, next_day)):
        if first[2] == last[2]:
            yield "month", Decimal(abs((last[0] - first[0]) * 12 + last[1] - first[1]))


def shifted(reading: Reading, amount: Decimal | int, unit: str) -> Reading | None:
    """Move a date by a period in "minute" or "month"; a month or a year alone moves by months or years.

    At the end of a shorter month it is that month's last day. None where the date or the period is too coarse for it.
    """
    year, month, day = reading
    moved = Decimal(amount) / (1440 if unit == "minute" else 1)
    if not year or unit not in ("minute", "month") or moved != moved.to_integral_value() or abs(moved) > 400_000:
        return None
    if unit == "minute":
        return _by_days(reading, int(moved)) if day else None
    year, month = divmod(year * 12 + max(month, 1) - 1 + int(moved), 12)
    if not 1 <= year <= 9999 or (not reading[1] and month):
        return None
    return (year, month + 1 if reading[1] else 0, min(day, monthrange(year, month + 1)[1]))


def _by_days(reading: Reading, days: int) -> Reading | None:
    try:
        moved = date(*reading) + timedelta(days=days)
    except (ValueError, OverflowError):
        return None
    return (moved.year, moved.month, moved.day)
