"""Units of an amount: what it measures ("50 miles"), and for what each it is ("$5,000 per day", "five percentage points").

Amounts of two units are equal only where both are metric.
"""

import re
from collections.abc import Iterator
from decimal import Decimal

from groundscope.text.values.types import Value, ValueKind

MEASURES = {
    form: unit
    for unit, words in {
        "mile": "mi", "kilometer": "kilometre km", "meter": "metre", "centimeter": "centimetre cm", "millimeter": "millimetre mm",
        "foot": "feet ft", "inch": "inches", "yard": "yd", "acre": "", "hectare": "ha hektar", "gallon": "gal",
        "liter": "litre l", "milliliter": "millilitre ml", "quart": "", "pint": "", "ounce": "oz", "pound": "lb", "mph": "",
        "kilogram": "kilo kg", "gram": "gramm g", "milligram": "mg", "microgram": "mcg", "ton": "", "tonne": "", "kph": "",
        "barrel": "", "bushel": "", "kilowatt": "kw", "megawatt": "mw", "kilobyte": "kb", "megabyte": "mb", "gigabyte": "gb",
    }.items()
    for word in (unit, *words.split())
    for form in ((word, f"{word}s") if word not in ("g", "ha", "mi", "l") else (word,))
}  # fmt: skip
"""Unit of measure as it is written -> its name; amounts of two are never compared."""
_MEASURE = re.compile(
    rf"[ \n-]?(?P<power>(?:square|sq\.?|cubic|cu\.?)[ -])?(?P<unit>{'|'.join(sorted(MEASURES, key=len, reverse=True))})(?![\w])"
)
_METRIC = re.compile(r"(micro|milli|centi|kilo|)(gram|liter|meter)")
_POWERS = {"micro": -6, "milli": -3, "centi": -2, "": 0, "kilo": 3}
RATED = frozenset({ValueKind.MONEY, ValueKind.PERCENT, ValueKind.TIME})
POINTS, _BASIS = "point", "basis"
_EACH = {
    "minute": "minute", "hour": "hour", "hr": "hour", "day": "day", "diem": "day", "week": "week", "wk": "week",
    "month": "month", "mo": "month", "quarter": "quarter", "year": "year", "yr": "year", "annum": "year",
    "tag": "day", "stunde": "hour", "woche": "week", "monat": "month", "jahr": "year",
}  # fmt: skip
_EVERY = {f"{unit}ly": unit for unit in ("hour", "week", "month", "quarter", "year")} | {
    "daily": "day", "annually": "year", "annual": "year",
    "täglich": "day", "wöchentlich": "week", "monatlich": "month", "jährlich": "year",
}  # fmt: skip
_RATE = re.compile(
    r"(?:,?\s(?:per|a|an|each|every|for each|for every|pro|je|im)\s|\s?/\s?)(?:calendar |business |additional )?"
    rf"(?P<unit>{'|'.join(_EACH)})\b|\s(?P<word>{'|'.join(_EVERY)})\b",
    re.IGNORECASE,
)
_RATE_BEFORE = re.compile(
    rf"(?<![\w-])(?P<word>{'|'.join(_EVERY)})"
    r"(?:(?: [^\W\d_][\w'-]{0,20}){0,3}?(?::| (?:is|was|are|were|be|of|equals|totals)))? \Z",
    re.IGNORECASE,
)
"""Of "the monthly fee is $35" and "an annual salary of $90,000"."""
_WINDOW = 64
_ZONE = re.compile(
    r" \(?(?:(?P<zone>[ECMP])(?:[SD]?T\b|astern\b|entral\b|ountain\b|acific\b)|(?P<other>GMT|UTC|BST|CET|CEST|JST|IST)\b)"
)


def measure_after(text: str, low: str, end: int) -> tuple[str, int]:
    """Unit of measure that stands after a figure ("square foot", "kilometer") and where it ends if no blank is before it."""
    if low[end : end + 1] in ("x", "×") and not text[end + 1 : end + 2].isalnum():
        return "time", end + 1
    m = _MEASURE.match(low, end)
    # "a 5G network"
    if m is None or (m.end() == end + 1 and text[end] == "G"):
        return "", end
    power = "" if not m["power"] else "square " if m["power"].startswith("sq") else "cubic "
    return power + MEASURES[m["unit"]], m.end() if m.start() == m.start("unit") else end


def converted(amount: Decimal, unit: str) -> Iterator[tuple[str, Decimal]]:
    """An amount of a metric unit in the others."""
    if metric := _METRIC.fullmatch(unit):
        yield from ((f"{p}{metric[2]}", amount.scaleb(_POWERS[metric[1]] - power)) for p, power in _POWERS.items())


def rate_of(value: Value, text: str) -> str:
    """For what unit of time an amount of a text is, or the zone of a time; empty where the text names none."""
    if value.kind not in RATED:
        return ""
    if value.kind is ValueKind.TIME:
        zone = _ZONE.match(text, value.end)
        return (zone["zone"] or zone["other"]) if zone else ""
    if value.kind is ValueKind.PERCENT:
        written = text[value.start : value.end].casefold()
        if "b" in written and "per" not in written:
            return _BASIS
        if POINTS in written:
            return POINTS
    m = _RATE.match(text, value.end) or _RATE_BEFORE.search(text, max(0, value.start - _WINDOW), value.start)
    return (_EACH | _EVERY)[(m["word"] or m["unit"]).casefold()] if m else ""


def contradicts(rate: str, theirs: set[str]) -> bool:
    """Whether sources give an amount, and only with other rates; one without a rate may be of any time."""
    if not theirs or rate in theirs or _BASIS in (rate, *theirs):
        return False
    if POINTS in (rate, *theirs):
        return rate == POINTS or theirs == {POINTS}
    return bool(rate) and "" not in theirs
