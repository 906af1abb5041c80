"""Comparable facts of a sentence: citations, amounts, dates, numbers, names, quotations, modals, negations.

Every reader is linear in the text. Equal keys are the same fact.
"""

import logging
import re
from collections.abc import Iterator
from typing import Any

from groundscope.runtime.byte_cache import keep
from groundscope.text.names import FactKind as FactKind
from groundscope.text.names import Item as Item
from groundscope.text.names import read_names
from groundscope.text.values.grammar import read_values
from groundscope.text.values.types import Value, ValueKind

_PIECE = 8_000
_END = re.compile(r"[a-z]{3}[.?!][”\"’)]?\s(?=[A-Z“])")
_RULE = re.compile(r"(?<=[_–—-]{40})[_–—-]+")
"""A drawn line beyond what stands for a missing page."""
_QUIET = tuple(f"eyecite.{module}" for module in ("helpers", "models", "annotate", "find", "resolve", "tokenizers"))


def citation_pieces(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text at ends of paragraphs, else of sentences, where no citation goes on: eyecite's time is quadratic in a piece."""
    start = 0
    while len(text) - start > _PIECE:
        window = text[start : start + _PIECE]
        cut = window.rfind("\n\n", _PIECE // 4)
        if cut < 0:
            ends = [m.end() for m in _END.finditer(window)]
            cut = ends[-1] if ends and ends[-1] > _PIECE // 4 else max(window.rfind(" ", _PIECE // 4), -1)
        cut = cut if cut > 0 else _PIECE
        yield start, text[start : start + cut]
        start += cut
    yield start, text[start:]


def eyecite_citations(piece: str) -> list[Any]:
    """Find what eyecite finds in a piece, with offsets into it; nothing of it reaches a log."""
    from eyecite import get_citations

    for name in _QUIET:
        # Their warnings quote the citation, and so the case.
        logging.getLogger(name).disabled = True
    return get_citations(_RULE.sub(lambda line: " " * len(line.group()), piece))


_KINDS = dict.fromkeys(ValueKind, FactKind.NUMBER) | {
    ValueKind.MONEY: FactKind.MONEY,
    ValueKind.DATE: FactKind.DATE,
    ValueKind.TIME: FactKind.DATE,
    ValueKind.PROVISION: FactKind.CITATION,
    ValueKind.DOCKET: FactKind.CITATION,
}
_QUOTED = re.compile(r"[“\"]([^“”\"\n]{1,300})[”\"]")
_MODAL = re.compile(r"\b(shall|must|may|should|can|could|might|will|would|ought|cannot)\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(not|no|never|neither|nor|none|without|unless|except|cannot)\b|\b\w+(n['’]t)\b", re.IGNORECASE)
_CITES = re.compile(r"\d.{0,60}[A-Z§]|[A-Z§].{0,60}\d|\b[Ii]d\.", re.DOTALL)


@keep(megabytes=16)
def items(text: str, language: str = "en") -> tuple[Item, ...]:
    """Find everything comparable in one sentence, in reading order, with half-open character offsets; linear in it, and cached.

    Facts do not overlap; quotations, modals and negations may stand inside others.
    """
    taken = bytearray(len(text))
    facts: list[Item] = []
    # The longest of those in the same words: "Ninth Circuit", "29 U.S.C. § 1109(a)"; but "One Hundred" is a number.
    read = (*values_in(text, language), *_citations(text), *read_names(text, language))
    for item in sorted(read, key=lambda i: i.start - i.end):
        if 1 not in taken[item.start : item.end]:
            facts.append(item)
            taken[item.start : item.end] = b"\x01" * (item.end - item.start)
    return tuple(sorted((*facts, *_signals(text)), key=lambda i: (i.start, i.end)))


def values_in(text: str, language: str = "en") -> dict[Item, Value]:
    """Find the values of a text, as items."""
    return {Item(_KINDS[v.kind], v.start, v.end, v.key): v for v in read_values(text, language)}


def _citations(text: str) -> Iterator[Item]:
    from eyecite.models import IdCitation, SupraCitation, UnknownCitation

    for offset, piece in citation_pieces(text):
        if not _CITES.search(piece):
            continue
        for cite in eyecite_citations(piece):
            if not isinstance(cite, IdCitation | SupraCitation | UnknownCitation):
                start, end = cite.span()
                yield Item(FactKind.CITATION, offset + start, offset + end, cite.corrected_citation().casefold())


def _signals(text: str) -> Iterator[Item]:
    """Quotations, modals and negations."""
    for m in _QUOTED.finditer(text):
        yield Item(FactKind.QUOTE, *m.span(), m.group(1).strip(" ,.;").casefold())
    for m in _MODAL.finditer(text):
        if m.group() != "May":
            yield Item(FactKind.MODAL, *m.span(), m.group().casefold().replace("cannot", "can"))
    for m in _NEGATION.finditer(text):
        word = m.group().casefold()
        if m.group() != "No" or not text.startswith(".", m.end()):
            yield Item(FactKind.NEGATION, *m.span(), "not" if m.group(2) or word == "cannot" else word)
