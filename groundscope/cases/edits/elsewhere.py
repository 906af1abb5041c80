"""Edit operators that swap in something from elsewhere in the context: another source, or a figure about something else.

Their new words do stand in the context, so that to find them there proves nothing.
"""

import re
from collections.abc import Iterator
from itertools import islice

from groundscope.cases.edits.figures import LABEL, PERIOD, SECTION, YEAR
from groundscope.cases.edits.source import Edit, EditSource, Operator
from groundscope.text.facts import FactKind, Item, items
from groundscope.types import ErrorType

_COUNTED = re.compile(r"%|[-\s][a-z]{2,}")
"""After a number that counts something, and is no part of a citation."""
_BEFORE = re.compile(r"[\s(“]?\Z")
_MOST = 200
"""Figures and sources of the context, the first ones, that may stand in the place of another."""


def _figures(source: EditSource) -> Iterator[Edit]:
    """A number, period, amount or date of another place of the context, of the same kind and unit."""
    figures: dict[tuple[str, str], dict[str, None]] = {}
    for kind, item in islice(_kinds(source.context, 0, len(source.context)), _MOST):
        figures.setdefault(kind, {}).setdefault(source.context[item.start : item.end])
    why = "“{new}” is in the sources, but about something else: here it is {old}."
    for claim in source.claims:
        there = {item.key for _, item in _kinds(source.text, claim.start, claim.end)}
        for kind, item in _kinds(source.text, claim.start, claim.end):
            for new in figures.get(kind, ()):
                if not there & {other.key for other in items(new)}:
                    yield from source.unsaid(item.start, item.end, new, why)


def _kinds(text: str, start: int, end: int) -> Iterator[tuple[tuple[str, str], Item]]:
    """Figures with their kind and unit, those in citations and numbers of sections left out."""
    sections = [m.span() for m in SECTION.finditer(text, start, end)]
    for figure in items(text[start:end]):
        item = figure._replace(start=start + figure.start, end=start + figure.end)
        words = text[item.start : item.end]
        if item.kind in {FactKind.MONEY, FactKind.DATE}:
            yield (item.kind, "year" if YEAR.search(words) else ""), item
        elif item.kind is FactKind.NUMBER and not YEAR.fullmatch(words):
            inside = LABEL.match(text, max(0, item.start - 1)) or any(a <= item.start < b for a, b in sections)
            if inside or not _COUNTED.match(text, item.end) or not _BEFORE.match(text[max(0, item.start - 1) : item.start]):
                continue
            unit = PERIOD.match(text, item.end)
            share = "%" if words.endswith("%") else "word" if words[0].isalpha() else "digits"
            yield (item.kind, unit.group().strip(" -").rstrip("s") if unit else share), item


def _sources(source: EditSource) -> Iterator[Edit]:
    """Another rule, section or article that the context names, or the name of another of its sources, of the same kind."""
    why = "The sources say this of {old}, not of {new}, which is another of them."
    named = dict.fromkeys(m.group() for m in SECTION.finditer(source.context))
    for claim, m in islice(source.in_claims(SECTION), _MOST):
        lead = m.group()[: m.start("number") - m.start()]
        for other in islice(named, _MOST):
            new = lead + other[len(lead) :]
            if (
                other.casefold().startswith(lead.casefold())
                and new not in source.text[claim.start : claim.end]
                and m.group() not in new
            ):
                yield from source.unsaid(m.start(), m.end(), new, why)
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
