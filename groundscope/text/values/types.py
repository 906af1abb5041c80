"""A value of a text, and what sources say of it."""

from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple


class ValueKind(StrEnum):
    """Kind of a value, as readers name it."""

    MONEY = "amount of money"
    PERCENT = "percentage"
    NUMBER = "number"
    ORDINAL = "ordinal"
    DURATION = "period"
    TIME = "time of day"
    DATE = "date"
    PROVISION = "section or exhibit"
    DOCKET = "docket number"

    # Enum's own is written in Python and takes longer than what kinds are keys of.
    __hash__ = str.__hash__


class Value(NamedTuple):
    """A value `text[start:end]`.

    Attributes:
        key: canonical spelling; equal keys of a kind are equal values ("usd 1500000", "5 %", "30 day", "2021-3-4", "section 9").
        low: amount, in the smallest unit that `unit` stands for; of a range its lower end. None where there is no amount.
        high: of a range its upper end; else equal to `low`.
        unit: currency code, "%", "minute" or "month" for periods, stem of the noun that a number counts, label of a provision.
        readings: of a date, (year, month, day) with 0 for what is not stated; two of a numeric one that has two orders.
        exact: whether the unit is stated; a bare "5 million" may be of money.
        also: key of the other reading of a figure such as "1.250"; mostly empty.
    """

    kind: ValueKind
    start: int
    end: int
    key: str
    low: Decimal | None = None
    high: Decimal | None = None
    unit: str = ""
    readings: tuple[tuple[int, int, int], ...] = ()
    exact: bool = True
    also: str = ""


class Standing(StrEnum):
    """How a value stands on sources."""

    EQUAL = "stands in the sources"
    COVERED = "the sources are more exact"
    COMPUTED = "computed, not quoted"
    MISSING = "is not in the sources"


class ValueLookup(NamedTuple):
    """What the sources say of a value, and where: `text` is the index of the source text, -1 = none.

    `note`: the step by which it was computed, or the order in which a date was read; may be empty.
    """

    standing: Standing
    text: int = -1
    start: int = 0
    end: int = 0
    note: str = ""
