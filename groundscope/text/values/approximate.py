"""Amounts that an answer rounds and says so: "about $1.2 million" for $1,198,500."""

import re
from collections.abc import Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Decimal

from groundscope.text.values.types import Standing, Value, ValueKind, ValueLookup

_ROUGHLY = re.compile(
    r"\b(?:(?P<about>about|approximately|approx\.|around|roughly|some|circa|ca\.|close to|etwa|rund|environ|unos|unas)"
    r"|(?P<under>nearly|almost|just under|just short of|less than|fewer than|under|below|knapp|fast|presque|casi)"
    r"|(?P<over>over|more than|above|exceeding|exceeds|upwards of|in excess of|at least|just over|mehr als|über|plus de|más de))"
    r" (?:a total of |the sum of )?\Z",
    re.IGNORECASE,
)
_ROUNDED = frozenset({ValueKind.MONEY, ValueKind.PERCENT, ValueKind.NUMBER})
_NEAR = Decimal("0.1")
_WINDOW = 32


def rounded(value: Value, sentence: str, values: Sequence[Sequence[Value]], texts: Sequence[str]) -> ValueLookup | None:
    """Look for the exact amount of a value that its sentence calls rough; linear in the values.

    Args:
        value: of the answer.
        sentence: in which it stands.
        values: of the sources, by text.
        texts: of the sources.
    """
    m = _ROUGHLY.search(sentence[max(0, value.start - _WINDOW) : value.start])
    if m is None or not value.low or value.kind not in _ROUNDED:
        return None
    ways = (ROUND_HALF_UP,) if m["about"] else (ROUND_HALF_UP, ROUND_UP) if m["under"] else (ROUND_HALF_UP, ROUND_DOWN)
    step = Decimal(1).scaleb(_last_place(value.low))
    for i, of_text in enumerate(values):
        for other in of_text:
            if other.kind is not value.kind or other.low is None or (other.unit != value.unit and other.unit and value.unit):
                continue
            side = not (m["under"] and other.low >= value.low) and not (m["over"] and other.low <= value.low)
            if not side or abs(other.low - value.low) > _NEAR * value.low:
                continue
            if any((other.low / step).quantize(Decimal(1), way) * step == value.low for way in ways):
                note = f"{texts[i][other.start : other.end]} in the sources"
                return ValueLookup(Standing.COVERED, i, other.start, other.end, note)
    return None


def _last_place(amount: Decimal) -> int:
    """Power of ten of the last digit that is not zero."""
    exponent = amount.normalize().as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0
