"""Edit operators on figures: numbers, dates, amounts, sections, deadlines.

A new figure is one that is not in the context, so that no passage can support it after all; but for those of `ELSEWHERE`, which
swap in another source or a figure about something else: their words do stand in the context, and to find them proves nothing.
"""

import re
from calendar import month_name, monthrange
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from groundscope.cases.edits.source import Edit, EditSource, Operator, keep_case
from groundscope.text.values.numbers import ONES, TENS, Numeral, figures, lowered
from groundscope.text.values.provisions import provision_of
from groundscope.text.values.types import Value, ValueKind
from groundscope.types import ErrorType

LAWS = frozenset("section rule article regulation canon".split())
"""Labels of what is a source of law."""
_SPELLED = {Decimal(i): word for i, word in enumerate(ONES)} | {Decimal(10 * i): word for i, word in enumerate(TENS, 2)}
_USUAL_PERIODS = tuple(map(Decimal, (7, 10, 14, 15, 20, 21, 28, 30, 45, 60, 90, 120, 180)))
_FACTORS = tuple(map(Decimal, ("2", "0.5", "10", "1.5")))
_LONGEST = 20
"""No real figure has more digits than decimals hold, and their remainder would be an error."""
_NUMBER = re.compile(r"(?P<number>\d{1,4})(?P<rest>[^(]*)(?:\((?P<sub>\w+)(?P<tail>\).*))?")


def figure_in(text: str, value: Value) -> Numeral | None:
    """The figure in the words of a value, with offsets into the text; nothing where several are."""
    words = text[value.start : value.end]
    read = figures(words, lowered(words))
    return read[0]._replace(start=value.start + read[0].start, end=value.start + read[0].end) if len(read) == 1 else None


def section_in(text: str, value: Value) -> tuple[str, str] | None:
    """The label and the number of a section, as they are written."""
    words, number = text[value.start : value.end], provision_of(value).number
    of_law = value.kind is ValueKind.PROVISION and value.unit in LAWS and words.casefold().endswith(number)
    return (words[: -len(number)], words[-len(number) :]) if of_law else None


def _numbers(source: EditSource) -> Iterator[Edit]:
    """Another number for one that counts something, or another percentage; the context lacks it."""
    for value in source.values(ValueKind.NUMBER, ValueKind.PERCENT):
        # A bare number after a capital is a label ("Bill 5", "AC 521").
        if value.unit or source.text[max(0, value.start - 2) : value.start - 1].islower():
            why = "The answer it was made from says “{old}”; no passage says “{new}”."
            yield from _changed(source, value, value.start, value.end, _other_values, why)


def _deadlines(source: EditSource) -> Iterator[Edit]:
    """Another number before a unit of time; the context has it nowhere."""
    for value in source.values(ValueKind.DURATION):
        if figure := figure_in(source.text, value):
            unit = source.text[figure.end : value.end]
            why = f"The period is {{old}}{unit}, not {{new}}{unit}."
            yield from _changed(source, value, figure.start, figure.end, _other_values, why)


def _money(source: EditSource) -> Iterator[Edit]:
    """An amount doubled, halved or multiplied by ten or by one and a half, written in the same manner."""
    for value in source.values(ValueKind.MONEY):
        yield from _changed(source, value, value.start, value.end, _other_amounts, "The amount is {old}, not {new}.")


def _changed(
    source: EditSource, value: Value, start: int, end: int, others: Callable[[Decimal], Iterable[Decimal]], why: str
) -> Iterator[Edit]:
    """Put other amounts in the words `text[start:end]` of a value."""
    text, figure = source.text, figure_in(source.text, value)
    if figure is None or len(figure.key) > _LONGEST:
        return
    for amount in others(figure.amount):
        written = _as_written(text[figure.start : figure.end], amount)
        new = text[start : figure.start] + written + text[figure.end : end]
        if written and not source.has_value(start, end, new):
            yield Edit(start, end, new, why.format(old=text[start:end], new=new))


def _other_values(value: Decimal) -> list[Decimal]:
    if value % 1:
        return []
    usual = [v for v in _USUAL_PERIODS if 3 * value <= 10 * v <= 31 * value] if value > 5 else []
    near = [value + 1, value - 1, value * 2, value // 2] if value < 20 else [value * 2, value // 2, value + 10, value - 10]
    return [v for v in dict.fromkeys(usual + near) if v > 1 and v != value]


def _other_amounts(value: Decimal) -> list[Decimal]:
    return [value * factor for factor in _FACTORS if value and (value % 1 or not value * factor % 1)]


def _as_written(old: str, amount: Decimal) -> str:
    """The amount in the manner of `old`: digits stay digits, words words; empty if it has no short word."""
    if old[0].isdecimal():
        new = f"{amount:,f}" if "," in old or len(old) < 4 else f"{amount:f}"
        return new.rstrip("0").rstrip(".") if "." in new else new
    words, repeated, _ = old.partition(" (")
    spelled = keep_case(words, _SPELLED.get(amount, ""))
    return f"{spelled} ({amount:f})" if spelled and repeated else spelled


def _dates(source: EditSource) -> Iterator[Edit]:
    """The year of a date or decision moved by one to three, or the month to the next: one that exists and the context lacks."""
    for value in source.values(ValueKind.DATE):
        old = source.text[value.start : value.end]
        for new in _other_dates(old, *value.readings[0]) if value.readings else ():
            if not source.has_value(value.start, value.end, new):
                yield Edit(value.start, value.end, new, f"The date is {old}, not {new}.")


def _other_dates(old: str, year: int, month: int, day: int) -> Iterator[str]:
    for n in (-1, 1, -2, 2, 3) if year and f"{year}" in old else ():
        if _in_calendar(year + n, month, day):
            yield old.replace(f"{year}", f"{year + n}")
    following = month % 12 + 1
    if month and month_name[month] in old and _in_calendar(year, following, day):
        yield old.replace(month_name[month], month_name[following])


def _in_calendar(year: int, month: int, day: int) -> bool:
    # A year with a 29 February, where none is named.
    return not month or day <= monthrange(year or 2000, month)[1]


def _sections(source: EditSource) -> Iterator[Edit]:
    """A neighbouring section, rule or article, or one of its subsections, whose number neither context nor sentence has."""
    named = {provision_of(v).number for v in source.context_values if v.kind is ValueKind.PROVISION}
    for claim in source.claims:
        beside = {m.group() for m in re.finditer(r"\d+", source.text[claim.start : claim.end])}
        for value in source.values_of(claim, ValueKind.PROVISION):
            label, number = section_in(source.text, value) or ("", "")
            for other, other_number in _other_numbers(number):
                if other.casefold() not in named and other_number not in beside:
                    new, old = label + other, label + number
                    yield Edit(value.start, value.end, new, f"The rule comes from {old}; no passage has {new}.")


def _other_numbers(number: str) -> Iterator[tuple[str, str]]:
    """Numbers of sections near one, each with the section's own number where that is another."""
    m = _NUMBER.fullmatch(number)
    if m is None:
        return
    for shift in (1, -1, 2) if m["sub"] else ():
        if sub := _shifted(m["sub"], shift):
            yield f"{m['number']}{m['rest']}({sub}{m['tail']}", ""
    for shift in (1, -1, 2, -2):
        if new := _shifted(m["number"], shift):
            yield new + number[m.end("number") :], new


def _shifted(mark: str, shift: int) -> str:
    if mark.isdecimal():
        return str(int(mark) + shift) if int(mark) + shift > 0 else ""
    if len(mark) == 1 and mark.isascii() and mark.isalpha():
        moved = chr(ord(mark) + shift)
        return moved if moved.isalpha() and moved.isupper() == mark.isupper() else ""
    return ""


OPERATORS = (
    Operator("number", "Another number", ErrorType.FACTUAL_INACCURACY, _numbers, "It holds no number that can change."),
    Operator("date", "Another date", ErrorType.FACTUAL_INACCURACY, _dates, "It holds no date."),
    Operator("money", "Another amount", ErrorType.FACTUAL_INACCURACY, _money, "It holds no amount of money."),
    Operator("section", "Another section", ErrorType.MISATTRIBUTION, _sections, "It names no section, rule or article."),
    Operator(
        "deadline", "Another deadline", ErrorType.PROCEDURAL_ERROR, _deadlines, "It holds no number of days, months or years."
    ),
)


_MOST = 200
"""Figures and sources of the context, the first ones, that may stand in the place of another."""


class _Figure(NamedTuple):
    """Words `text[start:end]` of a value, in whose place those of another figure of this kind may stand."""

    kind: tuple[ValueKind, str]
    start: int
    end: int
    key: str


def _figures(source: EditSource) -> Iterator[Edit]:
    """A number, period, amount or date of another place of the context, of the same kind and unit."""
    others: dict[tuple[ValueKind, str], dict[str, str]] = {}
    for figure in islice(_of_kinds(source.context, source.context_values), _MOST):
        others.setdefault(figure.kind, {}).setdefault(source.context[figure.start : figure.end], figure.key)
    why = "“{new}” is in the sources, but about something else: here it is {old}."
    for claim in source.claims:
        figures = [*_of_kinds(source.text, source.values_of(claim, *ValueKind))]
        there = {figure.key for figure in figures}
        for figure in figures:
            for new, key in others.get(figure.kind, {}).items():
                if key not in there:
                    yield from source.unsaid(figure.start, figure.end, new, why)


def _of_kinds(text: str, values: Iterable[Value]) -> Iterator[_Figure]:
    for value in values:
        kind, start, end = value.kind, value.start, value.end
        figure = figure_in(text, value)
        if kind is ValueKind.DATE and value.readings and any(value.readings[0][1:]):
            unit = " ".join(part for part, stated in zip(("year", "month", "day"), value.readings[0], strict=True) if stated)
        elif kind in (ValueKind.MONEY, ValueKind.PERCENT):
            unit = value.unit
        elif kind is ValueKind.NUMBER and value.unit and figure:
            unit = "words" if figure.words else "digits"
        elif kind is ValueKind.DURATION and figure:
            start, end, unit = figure.start, figure.end, text[figure.end : end].strip(" -").rstrip("s")
        else:
            continue
        yield _Figure((kind, unit), start, end, value.key)


def _sources(source: EditSource) -> Iterator[Edit]:
    """Another rule, section or article that the context names, or the name of another of its sources, of the same kind."""
    why = "The sources say this of {old}, not of {new}, which is another of them."
    named = list(islice(dict.fromkeys(filter(None, (section_in(source.context, v) for v in source.context_values))), _MOST))
    for claim in source.claims:
        sentence = source.text[claim.start : claim.end]
        for value in source.values_of(claim, ValueKind.PROVISION):
            label, _ = section_in(source.text, value) or ("", "")
            for other, other_number in named:
                if other.casefold() == label.casefold() and label + other_number not in sentence:
                    yield from source.unsaid(value.start, value.end, label + other_number, why)
    titles = [t for t in dict.fromkeys(p.source for p in source.case.context) if len(t) > 3][:_MOST]
    for old in titles:
        others = [new for new in titles if new.split()[0] == old.split()[0] and old not in new and new not in old]
        for claim, m in source.in_claims(re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")) if others else ():
            for new in others:
                if new not in source.text[claim.start : claim.end]:
                    yield from source.unsaid(m.start(), m.end(), new, why)


ELSEWHERE = (
    Operator(
        "source",
        "Another of the sources",
        ErrorType.MISATTRIBUTION,
        _sources,
        "It names no source, or the context no other of its kind.",
    ),
    Operator(
        "elsewhere",
        "Figure of another passage",
        ErrorType.FACTUAL_INACCURACY,
        _figures,
        "It holds no figure, or the context no other of its kind.",
    ),
)
