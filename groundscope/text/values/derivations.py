"""Values that follow from those of the sources by one step: a sum, a share, a date and a period, a place inside a range."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from groundscope.text.values.measures import SPAN
from groundscope.text.values.months import Reading
from groundscope.text.values.numbers import canonical
from groundscope.text.values.types import Value, ValueKind

_SUMMED = frozenset({ValueKind.MONEY, ValueKind.PERCENT, ValueKind.NUMBER, ValueKind.DURATION})
_NEAR = 8
"""Values after another that a step may join to it: so the work stays linear."""
_MOST_EXTENTS = 1000
_PER = re.compile(r" (?:per|a|an|each|every|for each|for every) (?P<noun>[a-z]+)")
_SHARES = {
    "minute": ("minute", 1), "hour": ("minute", 60), "day": ("minute", 1440), "week": ("minute", 10_080),
    "month": ("month", 1), "year": ("month", 12),
}  # fmt: skip

_SUM = "+"

_END = re.compile(r"[.!?;]['\")]?\s+(?=[A-Z(\"'])|[。！？]|\n")
_BETWEEN = re.compile(r"\b(?:between|from|zwischen|von|entre|de|desde|tra|fra) [^\d\n]{0,12}\Z", re.IGNORECASE)
_AND = re.compile(r"\s(?:and|und|et|y|e|to|until|bis|à|a)\s(?:from )?")
_LONGEST_GAP = 12
_CHANGE = re.compile(
    r"\b(?:rais(?:e|es|ed|ing)|r(?:ise|ises|isen|ising|ose)|f(?:all|alls|allen|alling|ell)|increas(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)"
    r"|reduc(?:e|es|ed|ing|tion)|cuts?|cutting|lower(?:s|ed|ing)?|chang(?:e|es|ed|ing)|amend(?:s|ed|ing|ment)?"
    r"|exten(?:d|ds|ded|ding|sion)|gr(?:ow|ows|ew|own|owing|owth)|drop(?:s|ped|ping)?|mov(?:e|es|ed|ing)|jump(?:s|ed)?|went|climb(?:s|ed)?"
    r"|declin(?:e|es|ed|ing)|shorten(?:s|ed)?|doubled|adjust(?:s|ed|ment)?|revis(?:e|es|ed|ion)|expand(?:s|ed)?|modif(?:y|ies|ied)"
    r"|convert(?:s|ed)?|shr[iau]nk|swung|slipp?ed)\b[^.;\n]{0,60}\bfrom [^\d\n]{0,12}\Z",
    re.IGNORECASE,
)
"""Begins a change: of "raised from $5 to $10" the amounts are no range."""
_RANGING = re.compile(r"\brang|\bvar(?:y|ies)|\banywhere|\bof from", re.IGNORECASE)
_WINDOW = 100
_JOINED = re.compile(
    r"\b(?:totals?|totall?(?:ed|ing)|in all|(?:al)?together|combined?|sums?|plus|add(?:s|ed|itional|itionally)?|further|another"
    r"|aggregate|overall|(?:extend|extends|extended|increased?|increases|reduced?|reduces|lengthened|shortened) by"
    r"|(?:more|less|fewer)(?! than| or)"
    r"|remain(?:s|ing|ed|der)?|followed by|then|left|after which|extension|minus|subtract(?:s|ed|ing)?|excluding|including|except"
    r"|insgesamt|zusammen|gesamt|weitere[rns]?|zusätzliche?[rns]?|übrigen?|au total|en tout|ensemble|supplémentaires?|en total"
    r"|adicional(?:es)?|restantes?)\b|合計|さらに",
    re.IGNORECASE,
)
"""Says that amounts are joined: without it a count that is a sum of two others is another count."""
_JOINED_KINDS = frozenset({ValueKind.NUMBER, ValueKind.DURATION})
_BEGINS = re.compile(r"\b(?:beg[aiu]n|commenc|start|last(?:s|ed|ing)\b|term\b|effective|lease|beginn|läuft)", re.IGNORECASE)
"""Of what begins and lasts: its last day is the one before its end."""
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
    ends = [m.end() for m in _END.finditer(text)]
    return [bisect_right(ends, v.start) for v in values]


def _is_change(text: str, value: Value) -> bool:
    """Whether an amount is what another was changed from."""
    m = _CHANGE.search(text, max(0, value.start - _WINDOW), value.start)
    # "increases ranging from 3% to 5%"
    return m is not None and _RANGING.search(m.group()) is None


def _extents(text: str, values: Sequence[Value], number: int) -> Iterator[_Extent]:
    """Ranges of amounts of one kind and unit ("$5 to $10 million", "between 10 and 20 days")."""
    for value in values:
        stated = value.kind not in (ValueKind.PROVISION, ValueKind.DATE) and value.low is not None and value.high is not None
        if stated and value.low < value.high and not _is_change(text, value):  # type: ignore[operator]
            yield _Extent(value.kind, value.unit, value, value, number)
    for low, high in pairwise(values):
        if low.kind is high.kind is ValueKind.DATE and 0 < high.start - low.end <= _LONGEST_GAP:
            between = text[low.end : high.start].casefold()
            begins = _AND.fullmatch(between) and _BETWEEN.search(text, max(0, low.start - 20), low.start)
            if low.readings and high.readings and (begins or SPAN.fullmatch(between)):
                yield _Extent(low.kind, "", low, high, number)
            continue
        if low.low is None or high.high is None or not 0 < high.start - low.end <= _LONGEST_GAP or low.low >= high.high:
            continue
        if low.kind is not high.kind or low.unit != high.unit or low.kind in (ValueKind.PROVISION, ValueKind.ORDINAL):
            continue
        between = text[low.end : high.start].casefold()
        begins = _AND.fullmatch(between) and _BETWEEN.search(text, max(0, low.start - 20), low.start)
        if (begins or SPAN.fullmatch(between)) and not _is_change(text, low):
            yield _Extent(low.kind, low.unit, low, high, number)


class Step(NamedTuple):
    """How a value follows, and from what place in the sources."""

    note: str
    text: int
    start: int
    end: int


class _Terms(NamedTuple):
    """Values of a text from which another follows; put into words when it is asked for. `joined` needs a word for it."""

    form: str
    text: int
    values: tuple[Value, ...]
    joined: bool = False


class Derivations:
    """Every value that follows from those of some texts by one step; linear in the texts."""

    def __init__(self, texts: Sequence[str], values: Sequence[Sequence[Value]]) -> None:
        self._amounts: dict[_Amount, list[_Terms]] = {}
        self._days: dict[Reading, _Terms] = {}
        self._extents: list[_Extent] = []
        self._texts = texts
        for i, (text, read) in enumerate(zip(texts, values, strict=True)):
            self._of_text(i, text, read)

    def of(self, value: Value, sentence: str = "") -> Step | None:
        """The step from which a value of a sentence follows, if one does."""
        for reading in value.readings:
            if terms := self._days.get(reading):
                return self._step(terms)
        if value.kind is ValueKind.DATE:
            dated = (e for e in self._extents[:_MOST_EXTENTS] if e.kind is ValueKind.DATE and _dated_within(value, e))
            return next(map(self._within, dated), None)
        if value.low is None or value.kind not in _SUMMED:
            return None
        # What counts something else is no sum of these.
        says_so = _JOINED.search(sentence) is not None
        for terms in self._amounts.get((value.kind, value.unit, value.low), ()):
            if says_so or not terms.joined or self._says_so(terms):
                return self._step(terms)
        for extent in self._extents[:_MOST_EXTENTS]:
            inside = extent.low.low is not None and extent.high.high is not None and extent.low.low < value.low < extent.high.high
            if inside and (extent.kind, extent.unit) == (value.kind, value.unit) and _as_whole(value, extent):
                return self._within(extent)
        return None

    def _within(self, extent: _Extent) -> Step:
        start, end = extent.low.start, extent.high.end
        return Step(f"within {self._texts[extent.text][start:end]}, which the sources state", extent.text, start, end)

    def _says_so(self, terms: _Terms) -> bool:
        """Whether the sentences of a text join its amounts."""
        text, start, end = self._texts[terms.text], terms.values[0].start, terms.values[-1].end
        first = max((m.end() for m in _END.finditer(text, max(0, start - _WINDOW), start)), default=max(0, start - _WINDOW))
        last = _END.search(text, end, end + _WINDOW)
        return _JOINED.search(text, first, last.start() if last else end + _WINDOW) is not None

    def _step(self, terms: _Terms) -> Step:
        text = self._texts[terms.text]
        words = [text[v.start : v.end] for v in terms.values]
        note = f"{' + '.join(words)} in the sources" if terms.form == _SUM else terms.form.format(*words)
        ends = [(v.start, v.end) for v in terms.values]
        return Step(note, terms.text, min(ends)[0], max(ends)[1])

    def _of_text(self, i: int, text: str, values: Sequence[Value]) -> None:
        if len(values) < 2:
            self._extents += _extents(text, values, i)
            self._changed(i, text, values)
            return
        ranges = list(_extents(text, values, i))
        self._extents += ranges
        ends = {s.low.start for s in ranges}
        sentences = _sentence_numbers(text, values)
        for at, value in enumerate(values):
            if (value.low is None and not value.readings) or value.low != value.high:
                continue
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
                    self._sum(i, first, second, _is_change(text, first))
            elif same and kind is ValueKind.DATE:
                self._between(i, first, second)
            return
        kinds = {kind, second.kind}
        if same and kinds == {ValueKind.PERCENT, ValueKind.MONEY} and first.low and second.low:
            share, whole = (first, second) if kind is ValueKind.PERCENT else (second, first)
            amount = (share.low or Decimal(0)) * (whole.low or Decimal(0)) / 100
            self._add(ValueKind.MONEY, whole.unit, amount, _Terms("{} of {} in the sources", i, (share, whole)))
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
                self._last_day(i, day, period)

    def _sum(self, i: int, first: Value, second: Value, changed: bool) -> None:
        if not first.low or not second.low or first.low == second.low:
            return
        joined = first.kind in _JOINED_KINDS and not changed
        if not changed:
            self._add(first.kind, first.unit, first.low + second.low, _Terms(_SUM, i, (first, second), joined))
        if changed or first.kind is not ValueKind.DURATION:
            more, less = (first, second) if first.low > second.low else (second, first)
            terms = _Terms("{} - {} in the sources", i, (more, less), joined)
            self._add(first.kind, first.unit, abs(first.low - second.low), terms)

    def _changed(self, i: int, text: str, values: Sequence[Value]) -> None:
        """Differences of what reads as a range, but was changed ("extended from 30 to 60 days")."""
        for value in values:
            low, high = value.low, value.high
            if value.kind in _SUMMED and low is not None and high is not None and low < high and _is_change(text, value):
                self._add(value.kind, value.unit, high - low, _Terms("from {} in the sources", i, (value,)))

    def _all(self, i: int, values: Sequence[Value], sentences: Sequence[int]) -> None:
        """Sums of three or more values of a sentence."""
        groups: dict[tuple[int, ValueKind, str], list[Value]] = {}
        for value, sentence in zip(values, sentences, strict=True):
            if value.low and value.kind in _SUMMED and (value.unit or value.kind is not ValueKind.NUMBER):
                groups.setdefault((sentence, value.kind, value.unit), []).append(value)
        for (_, kind, unit), group in groups.items():
            if 3 <= len(group) <= 2 * _NEAR:
                total = sum((v.low for v in group if v.low), Decimal(0))
                self._add(kind, unit, total, _Terms(_SUM, i, tuple(group), kind in _JOINED_KINDS))

    def _add(self, kind: ValueKind, unit: str, amount: Decimal, terms: _Terms) -> None:
        if amount > 0:
            others = self._amounts.setdefault((kind, unit, amount), [])
            if len(others) < _MOST_TERMS:
                others.append(terms)

    def _last_day(self, i: int, day: Value, period: Value) -> None:
        """The day before the end of what begins on a day and lasts a period."""
        text, unit = self._texts[i], period.unit
        if unit != "month" or not period.low or not _BEGINS.search(text, max(0, day.start - _WINDOW), period.end + _WINDOW):
            return
        for reading in day.readings:
            moved = shifted(reading, period.low, unit) if reading[2] else None
            last = moved and _by_days(moved, -1)
            if last:
                self._days.setdefault(last, _Terms("the day before {} plus {}", i, (day, period)))

    def _moved(self, i: int, day: Value, period: Value) -> None:
        for reading in day.readings:
            for sign, name in ((1, "plus"), (-1, "minus")):
                moved = shifted(reading, sign * period.low, period.unit) if period.low is not None else None
                if moved:
                    self._days.setdefault(moved, _Terms(f"{{}} {name} {{}}", i, (day, period)))

    def _between(self, i: int, first: Value, second: Value) -> None:
        for unit, amount in _apart(first.readings[0], second.readings[0]) if first.readings and second.readings else ():
            self._add(ValueKind.DURATION, unit, amount, _Terms("from {} to {} in the sources", i, (first, second)))


def _as_whole(value: Value, extent: _Extent) -> bool:
    """Whether a period in a range of years is of whole years, too, and so on: "91 months" is no answer to "five to ten years"."""
    if value.kind is not ValueKind.DURATION or value.low is None or extent.low.low is None or extent.high.high is None:
        return True
    units = (12, 1) if value.unit == "month" else (10_080, 1440, 60, 1)
    whole = next((u for u in units if not extent.low.low % u and not extent.high.high % u), 1)
    return not value.low % whole


def _dated_within(value: Value, extent: _Extent) -> bool:
    """Whether a year is in a range of years, a month in one of a year's months, a day in one of a month's days."""
    low, high = extent.low.readings[0], extent.high.readings[0]
    low = (low[0] or high[0], low[1], low[2])
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
    if first[1:] == second[1:] or first[2] == second[2]:
        months = abs((second[0] - first[0]) * 12 + second[1] - first[1])
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
