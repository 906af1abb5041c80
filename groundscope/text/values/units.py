"""Units of an amount: what it measures ("50 miles"), and for what each it is ("$5,000 per day", "five percentage points").

Amounts of two units are never equal, and none is converted.
"""

import re

from groundscope.text.values.types import Value, ValueKind

MEASURES = {
    word: unit
    for unit, words in {
        "mile": "mile miles mi", "kilometer": "kilometer kilometers kilometre kilometres km kms",
        "meter": "meter meters metre metres",
        "centimeter": "centimeter centimeters centimetre centimetres cm", "millimeter": "millimeter millimeters millimetre mm",
        "foot": "foot feet ft", "inch": "inch inches", "yard": "yard yards yd yds",
        "acre": "acre acres", "hectare": "hectare hectares ha hektar",
        "gallon": "gallon gallons gal", "liter": "liter liters litre litres", "quart": "quarts", "pint": "pint pints",
        "milliliter": "milliliter milliliters millilitre millilitres ml", "ounce": "ounce ounces oz", "pound": "lb lbs",
        "kilogram": "kilogram kilograms kilo kilos kg", "gram": "gram grams gramm g", "milligram": "milligram milligrams mg",
        "microgram": "microgram micrograms mcg", "ton": "ton tons", "tonne": "tonne tonnes",
        "barrel": "barrel barrels", "bushel": "bushels",
        "kilowatt": "kilowatt kilowatts kw", "megawatt": "megawatt megawatts mw", "mph": "mph", "kph": "kph",
    }.items()
    for word in words.split()
}  # fmt: skip
"""Unit of measure as it is written -> its name; amounts of two are never compared."""
_MEASURE = re.compile(
    rf"[ \n-](?P<power>(?:square|sq\.?|cubic|cu\.?)[ -])?(?P<unit>{'|'.join(sorted(MEASURES, key=len, reverse=True))})(?![\w])"
)
RATED = frozenset({ValueKind.MONEY, ValueKind.PERCENT})
POINTS = "point"
_TIMES = {
    "minute": "minute", "hour": "hour", "hr": "hour", "day": "day", "diem": "day",
    "week": "week", "wk": "week", "month": "month", "mo": "month",
    "quarter": "quarter", "year": "year", "yr": "year", "annum": "year",
    "tag": "day", "stunde": "hour", "woche": "week", "monat": "month",
    "jahr": "year", "hourly": "hour", "daily": "day", "weekly": "week",
    "monthly": "month", "quarterly": "quarter", "annually": "year",
    "yearly": "year", "täglich": "day", "wöchentlich": "week", "monatlich": "month", "jährlich": "year",
}  # fmt: skip
_RATE = re.compile(
    r"(?:,?\s(?:per|a|an|each|every|for each|for every|pro|je|im)\s|\s?/\s?)(?:calendar |business |additional )?"
    r"(?P<unit>minute|hour|hr|day|diem|week|wk|month|mo|quarter|year|yr|annum|tag|stunde|woche|monat|jahr)\b"
    r"|\s(?P<word>hourly|daily|weekly|monthly|quarterly|annually|yearly|täglich|wöchentlich|monatlich|jährlich)\b",
    re.IGNORECASE,
)


def measure_after(low: str, end: int) -> str:
    """Unit of measure that stands after a figure ("square foot", "kilometer"); empty where none does."""
    m = _MEASURE.match(low, end)
    if m is None:
        return ""
    power = "" if not m["power"] else "square " if m["power"].startswith("sq") else "cubic "
    return power + MEASURES[m["unit"]]


def rate_of(value: Value, text: str) -> str:
    """For what unit of time an amount of a text is; empty where the text names none."""
    if value.kind not in RATED:
        return ""
    if (
        value.kind is ValueKind.PERCENT
        and POINTS in (written := text[value.start : value.end].casefold())
        and "basis" not in written
    ):
        return POINTS
    m = _RATE.match(text, value.end)
    return _TIMES[(m["unit"] or m["word"]).casefold()] if m else ""


def contradicts(rate: str, theirs: set[str]) -> bool:
    """Whether sources give an amount, and only with other rates; one without a rate may be of any time."""
    if not theirs or rate in theirs:
        return False
    if POINTS in (rate, *theirs):
        return rate == POINTS or theirs == {POINTS}
    return bool(rate) and "" not in theirs
