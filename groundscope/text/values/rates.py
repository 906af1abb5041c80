"""What an amount is for each of: "$5,000 per day", "5% a year", "five percentage points"."""

import re

from groundscope.text.values.types import Value, ValueKind

RATED = frozenset({ValueKind.MONEY, ValueKind.PERCENT})
POINTS = "point"
_UNITS = {
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
    return _UNITS[(m["unit"] or m["word"]).casefold()] if m else ""


def contradicts(rate: str, theirs: set[str]) -> bool:
    """Whether sources give an amount, and only with other rates; one without a rate may be of any time."""
    if not theirs or rate in theirs:
        return False
    if POINTS in (rate, *theirs):
        return rate == POINTS or theirs == {POINTS}
    return bool(rate) and "" not in theirs
