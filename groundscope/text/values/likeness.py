"""When a value is another under its name: numbers without their unit, shares of a hundred."""

from collections.abc import Iterator
from decimal import Decimal

from groundscope.text.values.numbers import canonical
from groundscope.text.values.provisions import provision_of
from groundscope.text.values.types import Value, ValueKind

_IMPLIED = 3


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
