"""Edit operators that swap in something from elsewhere in the context: another source, or a figure about something else.

Their new words do stand in the context, so that to find them there proves nothing.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from groundscope.cases.edits.figures import figure_in, section_in
from groundscope.cases.edits.source import Edit, EditSource, Operator
from groundscope.text.values.types import Value, ValueKind
from groundscope.types import ErrorType

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


OPERATORS = (
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
