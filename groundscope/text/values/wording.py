"""What a sentence says of its numbers: that they are rough ("about $1.2 million" for $1,198,500), or count what it lists."""

import operator
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Decimal

from groundscope.text.values.numbers import ORDINALS
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
    """Look in the sources for the exact amount of a value that its sentence calls rough; linear in the values."""
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


_OPERATOR = re.compile(
    r"\s?(?:(?P<add>\+|plus)|(?P<sub>-|less|minus)|(?P<mul>[×x*·]|\\times|times|of)|(?P<truediv>[÷/]|divided by))\s?(?:the )?"
)
_EQUALS = re.compile(r"\)?\s?=\s?|[^.;()\d]{0,30}\(")
_START = operator.attrgetter("start")
CALENDAR = frozenset({4, 7, 12, 24, 52, 60, 365})
"""Factors that no source states."""


def written_step(value: Value, values: Sequence[Value], sentence: str) -> tuple[str, Value]:
    """The step that a sentence writes out for a value or with it as a factor, and its result: "$900 (3 × $300)"."""
    at = bisect_left(values, value.start, key=_START)
    # "a year" of "$18,000 a year ($1,500 × 12)" is no term.
    near = [v for v in values[max(0, at - 3) : at + 4] if v.exact]
    for first, second, third in zip(near, near[1:], near[2:], strict=False):
        for a, b, result in ((first, second, third), (second, third, first)):
            sign = _OPERATOR.fullmatch(sentence, a.end, b.start)
            equals = _EQUALS.fullmatch(sentence, *((b.end, third.start) if result is third else (first.end, a.start)))
            if not sign or not equals or not a.low or not b.low or value not in (a, b, result):
                continue
            share = 100 if sign.lastgroup == "mul" and ValueKind.PERCENT in (a.kind, b.kind) else 1
            alike = value is result or value.kind is ValueKind.NUMBER
            if alike and getattr(operator, sign.lastgroup or "")(a.low, b.low) / share == result.low:
                return f"{sentence[a.start : b.end]} in the answer", result
    return "", value


_MARK = re.compile(r"\((?P<number>\d{1,2})\)|\((?P<letter>[a-z])\)|\((?P<roman>i{1,3}|iv|v|vi{1,3}|ix|x)\)")
_RANK = re.compile(rf"\b({'|'.join(word for word, rank in ORDINALS.items() if rank <= 10)})(?:ly)?\b", re.IGNORECASE)
_ROMANS = "i ii iii iv v vi vii viii ix x".split()


def enumerated(text: str) -> Iterator[int]:
    """How many things each list of a text has ("(1) ... (2) ... (3)", "first, ... second, ..."); linear in it."""
    last = {"number": 0, "letter": 0, "roman": 0}
    for m in _MARK.finditer(text):
        for form, mark in m.groupdict().items():
            if mark is None:
                continue
            at = int(mark) if form == "number" else ord(mark) - 96 if form == "letter" else _ROMANS.index(mark) + 1
            if form == "letter" and mark in _ROMANS and last["roman"] + 1 == _ROMANS.index(mark) + 1:
                last["roman"] += 1
                yield last["roman"]
            # "(1)" begins another list.
            if at == last[form] + 1 or at == 1:
                last[form] = at
                yield at
    reached = 0
    for m in _RANK.finditer(text):
        at = ORDINALS[m[1].casefold()]
        if at in (1, reached + 1):
            reached = at
            yield at


def lists_itself(sentence: str, end: int, number: int) -> bool:
    """Whether a sentence goes on to list what its number counts ("two exceptions: ...")."""
    before, colon, after = sentence[end:].partition(":")
    rest = after if colon else before
    # "two exceptions, consent and emergency": a comma, and as many joints as join the items.
    joined = len(re.findall(r",|;|\band\b|\bor\b", rest))
    if colon:
        return not rest.strip() or joined >= min(number - 1, 2) or any(True for _ in enumerated(rest))
    return number in set(enumerated(rest)) or (
        joined >= number and re.search(r"\b(?:and|or)\b", rest) is not None and "," in rest
    )
