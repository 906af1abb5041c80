"""Times of day in a text: "5 p.m.", "17:00", "17h00" and "17 Uhr" are equal."""

import re
from collections.abc import Iterator
from decimal import Decimal

from groundscope.text.values.numbers import ONES, has_digit
from groundscope.text.values.types import Value, ValueKind

_HALF = r"(?P<half>[ap])\.?\s?m\b\.?"
_FIGURE = re.compile(r"\d\d*")
_FOLLOWS = frozenset("aApP:.-tToOuUhH時时点시")
"""First letters of what follows the hour."""
_NO_HOUR = frozenset("_.,:$€£§/")
_TWELVE = re.compile(
    rf"(?:(?P<from>\d{{1,2}})(?:[:.](?P<from_minute>\d\d))?\s?(?:-|to|and|or|until)\s?)?"
    rf"(?P<hour>\d{{1,2}})(?:[:.](?P<minute>\d\d)(?::\d\d)?)?\s?{_HALF}",
    re.IGNORECASE,
)
_TWENTY_FOUR = re.compile(
    r"(?:(?P<a>\d{1,2})(?:[:.](?P<a2>\d\d))?\s?(?:Uhr|uur)\b(?:\s(?P<a3>\d\d)(?!\d))?"
    r"|(?P<b>\d{1,2})\s?[hH]\s?(?P<b2>\d\d)(?!\d)|(?P<c>\d{1,2})h(?!\w)"
    r"|(?P<d>\d{1,2})(?::(?P<d2>\d\d))\s?(?:hours|hrs|horas|heures|ore)\b"
    r"|(?P<e>\d{1,2})\s?[時时点시](?![間间])(?:\s?(?P<e2>\d{1,2})\s?[分분])?)"
)
_COLON = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\w:]|[.,]\d|-(?:cv|cr|mc|md|bk|ap)\b|-\d(?!\d?:\d\d(?!\d)))"
)
_CLOCK = re.compile(
    rf"\b(?P<hour>\d{{1,2}}|{'|'.join(ONES[1:13])})\s(?P<clock>o'clock)"
    r"(?:\sin\sthe\s(?P<part>morning|afternoon|evening))?",
    re.IGNORECASE,
)
_WORD = re.compile(
    r"[NnMm](?<![^\W_].)(?:(?<=[Nn])oon(?:time)?|(?<=N)OON|(?<=M)IDNIGHT|(?<=[Mm])(?:id(?:night|day|dernacht)|itt(?:ags|ernacht)|inuit"
    r"|edi(?:odía|anoche)|ezz(?:anotte|ogiorno)|ei[ao]-(?:noite|dia)))\b"
)
_TWELVE_BEFORE = re.compile(r"(?:\b12|\b[Tt]welve)\s\Z")
_MIDNIGHT = frozenset("midnight mitternacht minuit medianoche mezzanotte meia-noite middernacht".split())
_AT = re.compile(
    r"(?<!Tr\.\s)(?<!Dep\.\s)\b(?:at|by|until|till|from|to|before|after|around|about|between|and|since|um|ab|bis|vor|nach|gegen|à|de|vers|"
    r"a\slas|las|alle|ore|dalle|às|om|van|tot|kl\.|time:?|is|was)\s\Z|-\Z|\(\Z|\A\Z",
    re.IGNORECASE,
)
"""What stands before figures with a colon that are a time, and no verse, page and line or ratio."""


def read_times(text: str) -> Iterator[Value]:
    """Read times of day, in reading order, in minutes from midnight, with half-open offsets; linear in the text.

    "5:30" and "5 o'clock" without more may be either half of the day: they are not `exact`, and their key ends in "?".
    """
    last = 0
    for value in sorted([*_figures(text), *_clock(text), *_words(text)], key=lambda v: (v.start, -v.end)):
        if value.start >= last:
            yield value
            last = value.end


def _figures(text: str) -> Iterator[Value]:
    for m in _FIGURE.finditer(text) if has_digit(text) else ():
        start, end = m.span()
        before = text[start - 1 : start]
        if (
            end - start > 2
            or text[end : end + 2].lstrip()[:1] not in _FOLLOWS
            or before in _NO_HOUR
            or (before.isalnum() and before < "\u1100")
        ):
            continue
        yield from _twelve(text, start) or _twenty_four(text, start) or _colon(text, start)


def _time(start: int, end: int, hour: int, minute: int, exact: bool = True) -> Iterator[Value]:
    if hour > 24 or minute > 59:
        return
    amount = Decimal(hour % 24 * 60 + minute)
    key = f"{hour % 24}:{minute:02}" if exact else f"{hour % 12}:{minute:02} ?"
    yield Value(ValueKind.TIME, start, end, key, amount, amount, "minute", (), exact)


def _twelve(text: str, start: int) -> list[Value]:
    m = _TWELVE.match(text, start)
    if not m or not 1 <= int(m["hour"]) <= 12:
        return []
    hour, later = int(m["hour"]) % 12, m["half"] in "pP"
    times = [*_time(m.start("hour"), m.end(), hour + 12 * later, int(m["minute"] or 0))]
    if m["from"] and 1 <= int(m["from"]) <= 12:
        first = int(m["from"]) % 12
        end = m.end("from_minute") if m["from_minute"] else m.end("from")
        # "9-5 p.m." begins in the morning.
        times += _time(start, end, first + 12 * (later and first <= hour), int(m["from_minute"] or 0))
    return times


def _twenty_four(text: str, start: int) -> list[Value]:
    m = _TWENTY_FOUR.match(text, start)
    if not m:
        return []
    hour = int(m["a"] or m["b"] or m["c"] or m["d"] or m["e"])
    minute = int(m["a2"] or m["a3"] or m["b2"] or m["d2"] or m["e2"] or 0)
    half = text[max(0, start - 3) : start].rstrip()[-2:]
    later = half in ("午後", "下午", "오후") and hour < 12
    return [*_time(start, m.end(), hour + 12 * later, minute)]


def _clock(text: str) -> Iterator[Value]:
    at = text.find("o'clock")
    while at >= 0:
        m = _CLOCK.search(text, max(0, at - 7), min(len(text), at + 30))
        if m and m.start("clock") == at:
            word = m["hour"].casefold()
            hour = int(word) if word.isdecimal() else ONES.index(word)
            exact = m["part"] is not None or hour > 12
            later = exact and hour < 12 and m["part"].casefold() != "morning"
            yield from _time(m.start(), m.end(), hour + 12 * later, 0, exact)
        at = text.find("o'clock", at + 1)


def _words(text: str) -> Iterator[Value]:
    for m in _WORD.finditer(text):
        twelve = _TWELVE_BEFORE.search(text, max(0, m.start() - 8), m.start())
        yield from _time(twelve.start() if twelve else m.start(), m.end(), 0 if m.group().casefold() in _MIDNIGHT else 12, 0)


def _colon(text: str, start: int) -> list[Value]:
    m = _COLON.match(text, start)
    if not m or int(m["hour"]) > 23 or not _AT.search(text, max(0, start - 14), start):
        return []
    hour = int(m["hour"])
    return [*_time(start, m.end(), hour, int(m["minute"]), not 1 <= hour <= 12 or m["hour"].startswith("0"))]
