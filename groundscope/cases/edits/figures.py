"""Edit operators on figures: numbers, dates, amounts, sections, deadlines.

A new figure is one that is not in the context, so that no passage can support it after all.
"""

import re
from bisect import bisect_right
from calendar import monthrange
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice

from groundscope.cases.edits.source import Edit, EditSource, Operator, keep_case
from groundscope.text.facts import MONTHS, TENS, UNITS, FactKind, Item
from groundscope.types import ErrorType

PERIOD = re.compile(r"[-\s](?:(?:calendar|business|working|court|full|consecutive)\s)?(?:day|week|month|year|hour)s?\b")
_SPELLED = dict(enumerate(UNITS)) | {10 * i: word for i, word in enumerate(TENS, 2)}
_USUAL_PERIODS = (7, 10, 14, 15, 20, 21, 28, 30, 45, 60, 90, 120, 180)
YEAR = re.compile(r"\b(1[5-9]|20)\d\d\b")
LABEL = re.compile(r".?\d{1,3}(?:\)|\s[A-Z][\w.]*\.?\s(?:C\.\s)?§|\s(?:U\.S\.|F\.|Del\.|Cal\.|N\.Y\.))", re.DOTALL)
SECTION = re.compile(
    r"(?:§{1,2}\s?|(?<!['’])\b(?:[Ss]ections?|ss?|[Rr]ules?|[Aa]rticles?|[Aa]rts?\.?|[Rr]egulations?|[Rr]eg\.?|[Cc]anons?)\s)"
    r"(?P<number>\d{1,4})(?P<letters>[A-Za-z]{0,3})(?P<rest>(?:[-.]\d{1,4})?)(?P<sub>(?:\([0-9A-Za-z]{1,3}\))*)"
)
_LONGEST_AMOUNT = 20
_MOST_SECTIONS = 100


def _numbers(source: EditSource) -> Iterator[Edit]:
    """Another number for one that is no period of time and belongs to no citation, section or date; the context lacks it."""
    sections = [m.span() for m in SECTION.finditer(source.text)]
    begins = [a for a, _ in sections]
    for _, item in source.facts(FactKind.NUMBER):
        at = bisect_right(begins, item.start) - 1
        inside = (at >= 0 and item.start < sections[at][1]) or LABEL.match(source.text, max(0, item.start - 1))
        if not inside and not PERIOD.match(source.text, item.end) and not YEAR.fullmatch(source.text, item.start, item.end):
            yield from _renumbered(source, item, "The answer it was made from says “{old}”; no passage says “{new}”.")


def _deadlines(source: EditSource) -> Iterator[Edit]:
    """Another number before a unit of time, from hours to years; the context has it nowhere."""
    for _, item in source.facts(FactKind.NUMBER):
        if unit := PERIOD.match(source.text, item.end):
            why = "The period is {old}" + unit.group() + ", not {new}" + unit.group() + "."
            yield from _renumbered(source, item, why)


def _renumbered(source: EditSource, item: Item, why: str) -> Iterator[Edit]:
    old = source.text[item.start : item.end]
    value = _value(item.key)
    if value is None:
        return
    for other in _other_values(value):
        new = _as_written(old, other)
        if new and new != old and not source.has_value(item.start, item.end, new):
            yield Edit(item.start, item.end, new, why.format(old=old, new=new))


def _value(key: str) -> int | None:
    digits = key.removesuffix("%")
    return int(digits) if digits.isdecimal() and len(digits) < 10 else None


def _other_values(value: int) -> list[int]:
    usual = [v for v in _USUAL_PERIODS if v != value and 0.3 <= v / max(1, value) <= 3.1] if value > 5 else []
    near = [value + 1, value - 1, value * 2, value // 2] if value < 20 else [value * 2, value // 2, value + 10, value - 10]
    return [v for v in dict.fromkeys(usual + near) if v > 1 and v != value]


def _as_written(old: str, value: int) -> str:
    """The value in the manner of `old`: digits stay digits, words words; empty if it has no short word."""
    if old[0].isdigit():
        return f"{value:,}" if "," in old else f"{value}{old[len(old.rstrip('%')) :]}"
    return keep_case(old, _SPELLED.get(value, ""))


def _dates(source: EditSource) -> Iterator[Edit]:
    """The year of a date or decision moved by one to three, or the month to the next: one that exists and the context lacks."""
    for _, item in source.facts(FactKind.DATE, FactKind.NUMBER):
        if item.kind is FactKind.NUMBER and not YEAR.fullmatch(source.text, item.start, item.end):
            continue
        old = source.text[item.start : item.end]
        for new in _other_dates(old):
            if not source.has_value(item.start, item.end, new):
                yield Edit(item.start, item.end, new, f"The date is {old}, not {new}.")


def _other_dates(old: str) -> Iterator[str]:
    candidates = []
    if year := YEAR.search(old):
        candidates += [f"{old[: year.start()]}{int(year.group()) + n}{old[year.end() :]}" for n in (-1, 1, -2, 2, 3)]
    candidates += [old.replace(month, MONTHS[(i + 1) % 12]) for i, month in enumerate(MONTHS) if month in old]
    yield from filter(_in_calendar, candidates)


def _in_calendar(text: str) -> bool:
    """Whether a date with a day, as far as it has one, exists."""
    month = next((i for i, name in enumerate(MONTHS, 1) if name in text), 0)
    day = re.search(r"\b\d{1,2}(?=\b|st|nd|rd|th)", YEAR.sub("", text))
    year = YEAR.search(text)
    # A year with a 29 February, where none is named.
    return not month or not day or int(day.group()) <= monthrange(int(year.group()) if year else 2000, month)[1]


def _money(source: EditSource) -> Iterator[Edit]:
    """An amount doubled, halved or multiplied by ten or by one and a half, written in the same manner."""
    for _, item in source.facts(FactKind.MONEY):
        old = source.text[item.start : item.end]
        figure = re.search(r"\d[\d,]*(?:\.\d+)?", old)
        if not figure:
            continue
        value = Decimal(figure.group().replace(",", ""))
        # No real amount has more digits than decimals hold, and their remainder would be an error.
        if not value or len(figure.group()) > _LONGEST_AMOUNT:
            continue
        for factor in (Decimal(2), Decimal("0.5"), Decimal(10), Decimal("1.5")):
            if (value * factor) % 1 and not value % 1:
                continue
            plain = f"{value * factor:,f}"
            plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
            new = old[: figure.start()] + plain + old[figure.end() :]
            if not source.has_value(item.start, item.end, new):
                yield Edit(item.start, item.end, new, f"The amount is {old}, not {new}.")


def _sections(source: EditSource) -> Iterator[Edit]:
    """A neighbouring section, rule, article or subsection, which no passage names and whose number its sentence does not hold."""
    # Each is looked up in the whole context and in its whole sentence; one of them changes.
    for claim, m in islice(source.in_claims(SECTION), _MOST_SECTIONS):
        beside = set(re.findall(r"\d+", source.text[claim.start : claim.end]))
        for new in _other_sections(m):
            other = re.search(r"\d+", new)
            repeats = other is not None and other.group() != m["number"] and other.group() in beside
            if not repeats and not _stands(source, new):
                yield Edit(m.start(), m.end(), new, f"The rule comes from {m.group()}; no passage has {new}.")


def _other_sections(m: re.Match[str]) -> Iterator[str]:
    lead = m.group()[: m.start("number") - m.start()]
    head = f"{m['number']}{m['letters']}{m['rest']}"
    if m["sub"]:
        first, tail = m["sub"][1 : m["sub"].index(")")], m["sub"][m["sub"].index(")") :]
        for shift in (1, -1, 2):
            if new := _shifted(first, shift):
                yield f"{lead}{head}({new}{tail}"
    for shift in (1, -1, 2, -2):
        if int(m["number"]) + shift > 0:
            yield f"{lead}{int(m['number']) + shift}{m['letters']}{m['rest']}{m['sub']}"


def _shifted(mark: str, shift: int) -> str:
    if mark.isdecimal():
        return str(int(mark) + shift) if int(mark) + shift > 0 else ""
    if len(mark) == 1 and mark.isascii() and mark.isalpha():
        moved = chr(ord(mark) + shift)
        return moved if moved.isalpha() and moved.isupper() == mark.isupper() else ""
    return ""


def _stands(source: EditSource, section: str) -> bool:
    """Whether the context names this section, whatever word stands before it."""
    number = re.escape(re.sub(r"^\D+", "", section))
    return re.search(rf"(?<![\w.]){number}(?![\w(])", source.context, re.IGNORECASE) is not None


OPERATORS = (
    Operator("number", "Another number", ErrorType.FACTUAL_INACCURACY, _numbers, "It holds no number that can change."),
    Operator("date", "Another date", ErrorType.FACTUAL_INACCURACY, _dates, "It holds no date."),
    Operator("money", "Another amount", ErrorType.FACTUAL_INACCURACY, _money, "It holds no amount of money."),
    Operator("section", "Another section", ErrorType.MISATTRIBUTION, _sections, "It names no section, rule or article."),
    Operator(
        "deadline", "Another deadline", ErrorType.PROCEDURAL_ERROR, _deadlines, "It holds no number of days, months or years."
    ),
)
