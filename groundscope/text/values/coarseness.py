"""When values say the same: keys of one thing, of what is known by a more exact one, and numbers without their unit."""

import re
from collections.abc import Iterator
from decimal import Decimal

from groundscope.text.values.months import WEEKDAYS, Reading, weekdays_until
from groundscope.text.values.numbers import canonical
from groundscope.text.values.provisions import provision_of
from groundscope.text.values.types import Value, ValueKind

_IMPLIED = 3
_MINUTES = {"business day": 1440, "business hour": 60}
_SEASONS = "winter spring summer fall".split()
_YEAR_ENDED = re.compile(r"\byear[ -]end(?:ed|ing|s)?(?: on)? \Z", re.IGNORECASE)
_WINDOW = 24


def reading_key(reading: Reading) -> str:
    """Canonical spelling of a reading: "2021-3-4", "2021-3", "2021", and "--3-4" for a day of no year."""
    year, month, day = reading
    head = f"{year}" if year else "-"
    return head + (f"-{month}" if month else "") + (f"-{day}" if day else "")


def keys(value: Value) -> tuple[str, ...]:
    """Keys of what a value says: of a date all its readings, else its one key."""
    return tuple(map(reading_key, value.readings)) if value.kind is ValueKind.DATE and value.readings else (value.key,)


def equal_keys(value: Value) -> tuple[str, ...]:
    """Keys that say the same as a value of the sources.

    A calendar day is a day, and the other way round; a business day is neither. Of "two years and six months" the parts count.
    """
    if value.kind is not ValueKind.DURATION:
        return keys(value)
    if value.unit.startswith("calendar "):
        return (value.key, value.key.replace("calendar ", ""))
    same = () if value.unit.startswith("business ") else (value.key.replace(value.unit, f"calendar {value.unit}"),)
    return (value.key, *same, *(f"{part} {value.unit}" for reading in value.readings for part in reading if part))


def keys_beside(value: Value, text: str) -> list[str]:
    """Keys of what a value has in it: of "30 to 60 days" the ends, of "Monday to Friday" the days, of a year's end the year."""
    if value.kind is ValueKind.DURATION and value.low != value.high:
        return [f"{end} {value.unit}" for end in (value.low, value.high)]
    if value.key in WEEKDAYS:
        return weekdays_until(text, value.end, value.key)
    dated = value.kind is ValueKind.DATE and value.readings
    ended = dated and _YEAR_ENDED.search(text, max(0, value.start - _WINDOW), value.start)
    return [f"fy {value.readings[0][0]}"] if ended else []


def coarser_keys(value: Value) -> tuple[str, ...]:
    """Keys of coarser values that are known by one of the sources: of a day its month, of business days the days."""
    if value.kind is ValueKind.DATE:
        return tuple(key for key in dict.fromkeys(_wider(value)) if key not in keys(value))
    minutes = _MINUTES.get(value.unit)
    if minutes and value.low is not None and value.high is not None:
        low, high = (f"{amount * minutes:f}" for amount in (value.low, value.high))
        return (f"{low} minute" if low == high else f"{low}-{high} minute",)
    if value.kind is ValueKind.TIME and value.exact:
        hour, minute = value.key.split(":")
        return (f"{int(hour) % 12}:{minute} ?",)
    return ()


def _wider(value: Value) -> Iterator[str]:
    for year, month, day in value.readings:
        if year and day:
            yield from (reading_key((year, month, 0)), reading_key((0, month, day)))
        if month and (year or day):
            yield reading_key((0, month, 0))
        if year and month:
            yield from (f"{year}-q{(month + 2) // 3}", reading_key((year, 0, 0)))
            # A season begins on its month's first day, or near the 21st.
            yield from (f"{year}-{_SEASONS[m % 12 // 3]}" for m in (month, month - (month % 3 == 0)))
        if year:
            yield f"{year // 10 * 10}s"
    named = re.fullmatch(r"(?:fy )?(?P<year>\d{4})(?:-[a-z]\w*)?", value.key) if not value.readings else None
    if named:
        yield from (named["year"], f"{int(named['year']) // 10 * 10}s")


def numbers_of(value: Value) -> Iterator[str]:
    """Numbers as they may be written without their unit: 30 of "30 days" and "30 %", 2021 of a date."""
    if value.kind is ValueKind.DATE:
        yield from (str(reading[0]) for reading in value.readings if reading[0])
    elif value.kind is ValueKind.PERCENT:
        yield value.key.removesuffix("%")
    elif value.kind is ValueKind.PROVISION:
        number = provision_of(value).number
        if len(number) > 2:
            yield number
    elif value.kind is ValueKind.NUMBER and ":" in value.key:
        yield from value.key.split(":")
    elif value.low is not None and value.kind is ValueKind.MONEY:
        yield canonical(value.low)
    elif value.low is not None and value.high is not None and value.kind is ValueKind.DURATION:
        shares = (1, 12) if "month" in value.unit else (1, 60, 1440, 10_080) if "minute" in value.unit else (1,)
        yield from (canonical(v / s) for v in {value.low, value.high} for s in shares if v % s == 0)


def fractions(percent: Decimal) -> Iterator[str]:
    """Keys of a percentage as a share: "0.5", "1/3"."""
    yield canonical(percent / 100)
    if percent != percent.to_integral_value():
        yield from (key for key, share in (("1/3", "33.3"), ("2/3", "66.6"), ("2/3", "66.7")) if str(percent).startswith(share))


def is_implied(value: Value, sentence: str) -> bool:
    """Whether a number in words is so small that a text may only imply it."""
    small = value.low is not None and value.low <= _IMPLIED and value.low == value.low.to_integral_value()
    return small and not any(c.isdecimal() for c in sentence[value.start : value.end])
