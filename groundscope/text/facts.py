"""Comparable facts of a sentence: citations, amounts, dates, numbers, names, quotations, modals, negations.

Every reader is linear in the text. Equal keys are the same fact: "180" and "one hundred eighty", "$1.5 million" and
"$1,500,000", "Jan. 5, 2020" and "2020-01-05".
"""

import logging
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from groundscope.runtime.byte_cache import keep
from groundscope.text.items import FactKind as FactKind
from groundscope.text.items import Item as Item
from groundscope.text.names import read_names

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
    """Find what eyecite finds in a piece; nothing of it reaches a log.

    Args:
        piece: of `citation_pieces`.

    Returns:
        eyecite's citations, with offsets into the piece.
    """
    from eyecite import get_citations

    for name in _QUIET:
        # Their warnings quote the citation, and so the case.
        logging.getLogger(name).disabled = True
    return get_citations(_RULE.sub(lambda line: " " * len(line.group()), piece))


MONTHS = "January February March April May June July August September October November December".split()
_MONTH = r"(?:" + "|".join(f"{m[:3]}(?:{m[3:]}|\\.)?" if m != "May" else "May" for m in MONTHS) + r"|Sept\.?)"
_ORDINAL = r"(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"\b(?:(?P<m1>{_MONTH})\s(?:(?P<d1>\d{{1,2}}){_ORDINAL},?\s)?(?P<y1>\d{{4}})"
    rf"|(?P<d2>\d{{1,2}}){_ORDINAL}\s(?P<m2>{_MONTH})\s(?P<y2>\d{{4}})|(?P<m4>{_MONTH})\s(?P<d4>\d{{1,2}}){_ORDINAL}"
    r"|(?P<y3>\d{4})-(?P<m3>\d{2})-(?P<d3>\d{2}))\b"
)
# Bounded: "000,000,…" would be read to its end from each of its groups.
FIGURE = r"(?:\d{1,3}(?:,\d{3}){1,20}|\d+)(?:\.\d+)?"
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12, "k": 3, "m": 6, "bn": 9}
_SCALE = r"(?:thousand|million|billion|trillion)"
_MONEY = re.compile(
    rf"(?P<sign>[$€£])\s?(?P<n1>{FIGURE})(?:\s?(?P<s1>{_SCALE}|bn|[mk])\b)?"
    rf"|\b(?P<n2>{FIGURE})\s(?:(?P<s2>{_SCALE})\s)?(?P<word>dollars|euros|pounds)\b",
    re.IGNORECASE,
)
_CURRENCY = {"$": "usd", "€": "eur", "£": "gbp", "dollars": "usd", "euros": "eur", "pounds": "gbp"}
_SUBSECTIONS = r"(?:\([0-9A-Za-z]{1,4}\)){0,5}"
_DIGITS = re.compile(
    rf"(?<![\w.])(?P<figure>{FIGURE})(?:\s(?P<scale>{_SCALE})\b|%|(?:st|nd|rd|th)\b|[a-z]{{0,2}}(?:-\d{{1,6}}[a-z]?){{0,3}}{_SUBSECTIONS})"
)
_STATUTE = re.compile(
    r"\b(?P<title>\d{1,3})\s(?P<code>U\.?\s?S\.?\s?C\.?(?:\sA\.)?|C\.?\s?F\.?\s?R\.?)\s(?:§{1,2}\s?)?"
    rf"(?P<section>\d[\w.-]{{0,12}}(?<![.-]){_SUBSECTIONS})"
    rf"|\b(?P<rules>Fed\.\sR\.\s(?:Civ|Crim|App|Evid|Bankr)\.(?:\sP\.)?)\s(?P<rule>\d{{1,4}}{_SUBSECTIONS})"
)
UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = {w: i for i, w in enumerate(UNITS)} | {w: 10 * i for i, w in enumerate(TENS, 2)} | {"a": 1}
_DIGIT = "|".join(UNITS[1:10])
BELOW_100 = rf"(?:{'|'.join(TENS)})(?:[-\s](?:{_DIGIT}))?|{'|'.join(sorted(UNITS[2:], key=len, reverse=True))}"
_SPELLED = re.compile(
    rf"\b(?:(?P<hundreds>{_DIGIT}|a)\shundred(?:\s(?:and\s)?(?P<rest>{BELOW_100}))?"
    rf"|(?P<one>one|a)(?=\s{_SCALE})|(?P<small>{BELOW_100}))(?:\s(?P<scale>{_SCALE}))?\b",
    re.IGNORECASE,
)
SMALL_COUNTS = frozenset(UNITS[:11])
"""Small numbers in words mostly count what a sentence itself lists."""

_QUOTED = re.compile(r"[“\"]([^“”\"\n]{1,300})[”\"]")
_MODAL = re.compile(r"\b(shall|must|may|should|can|could|might|will|would|ought|cannot)\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(not|no|never|neither|nor|none|without|unless|except|cannot)\b|\b\w+(n['’]t)\b", re.IGNORECASE)
_CITES = re.compile(r"\d.{0,60}[A-Z§]|[A-Z§].{0,60}\d|\b[Ii]d\.", re.DOTALL)


@keep(megabytes=16)
def items(text: str) -> tuple[Item, ...]:
    """Find everything comparable in one sentence.

    Args:
        text: the sentence; any text will do, in linear time. Recent results are cached.

    Returns:
        Items in reading order, with half-open character offsets into `text`. Facts do not overlap; quotations, modals and
        negations may stand inside others.
    """
    taken = bytearray(len(text))
    facts: list[Item] = []
    for reader in _READERS:
        for item in reader(text):
            inside = item.kind in {FactKind.MODAL, FactKind.NEGATION, FactKind.QUOTE}
            if inside or not any(taken[item.start : item.end]):
                facts.append(item)
                if not inside:
                    taken[item.start : item.end] = b"\x01" * (item.end - item.start)
    return tuple(sorted(facts, key=lambda i: (i.start, i.end)))


def keyed_items(text: str) -> Iterator[Item]:
    """Find the facts whose key says all of them: sections, amounts, dates and numbers.

    Args:
        text: of a sentence or a passage.

    Yields:
        Items with half-open character offsets into `text`, kind by kind; they may overlap.
    """
    for reader in (_statutes, _money, _dates, _numbers):
        yield from reader(text)


def _statutes(text: str) -> Iterator[Item]:
    """Sections with letters and hyphens ("2000e-5(e)(1)"), subsections, and rules, which eyecite leaves out."""
    for m in _STATUTE.finditer(text):
        code = re.sub(r"[\s.]", "", m["code"] or m["rules"]).casefold()
        yield Item(FactKind.CITATION, m.start(), m.end(), f"{m['title'] or ''} {code} {(m['section'] or m['rule']).casefold()}")


def _citations(text: str) -> Iterator[Item]:
    from eyecite.models import IdCitation, SupraCitation, UnknownCitation

    for offset, piece in citation_pieces(text):
        if not _CITES.search(piece):
            continue
        for cite in eyecite_citations(piece):
            if not isinstance(cite, IdCitation | SupraCitation | UnknownCitation):
                start, end = cite.span()
                yield Item(FactKind.CITATION, offset + start, offset + end, cite.corrected_citation().casefold())


def _money(text: str) -> Iterator[Item]:
    """Amounts in dollars, euros and pounds; the key is currency and value ("usd 1500000")."""
    for m in _MONEY.finditer(text):
        currency = _CURRENCY.get((m["sign"] or m["word"]).casefold())
        if currency:
            yield Item(FactKind.MONEY, m.start(), m.end(), f"{currency} {_amount(m['n1'] or m['n2'], m['s1'] or m['s2'])}")


def _amount(figure: str, scale: str | None) -> str:
    """One spelling of a number: no commas, no trailing zeros, scale multiplied in."""
    value = Decimal(figure.replace(",", "")).scaleb(_SCALES.get((scale or "").casefold(), 0))
    return f"{value:f}".rstrip("0").rstrip(".") if "." in f"{value:f}" else f"{value:f}"


def _dates(text: str) -> Iterator[Item]:
    """Days and months of a year, days of a month; the key is "2020-1-5", with nothing for what is not named."""
    for m in _DATE.finditer(text):
        month = m["m1"] or m["m2"] or m["m4"]
        number = next(i for i, n in enumerate(MONTHS, 1) if n[:3] == month[:3]) if month else int(m["m3"])
        year, day = m["y1"] or m["y2"] or m["y3"] or "", m["d1"] or m["d2"] or m["d3"] or m["d4"] or ""
        yield Item(FactKind.DATE, m.start(), m.end(), f"{year}-{number}-{day.lstrip('0')}")


def _numbers(text: str) -> Iterator[Item]:
    """Numbers in digits, with what belongs to them ("37(e)", "9th", "5%"), then in words; the key is the value in digits."""
    for m in _DIGITS.finditer(text):
        plain = m["scale"] or m.group() == m["figure"]
        key = _amount(m["figure"], m["scale"]) if plain else m.group().replace(",", "").casefold()
        yield Item(FactKind.NUMBER, m.start(), m.end(), key)
    for m in _SPELLED.finditer(text):
        value = _spelled(m)
        if value is not None:
            yield Item(FactKind.NUMBER, m.start(), m.end(), _amount(str(value), m["scale"]))


def _spelled(m: re.Match[str]) -> int | None:
    words = re.split(r"[-\s]", (m["rest"] or m["small"] or m["one"] or "zero").casefold())
    hundreds = (m["hundreds"] or "zero").casefold()
    # Letters such as the dotless i match without regard to case and yet are no such word.
    if hundreds not in _VALUES or any(w not in _VALUES for w in words):
        return None
    return 100 * _VALUES[hundreds] + sum(_VALUES[w] for w in words)


def _quotes(text: str) -> Iterator[Item]:
    for m in _QUOTED.finditer(text):
        yield Item(FactKind.QUOTE, m.start(), m.end(), m.group(1).strip(" ,.;").casefold())


def _modals(text: str) -> Iterator[Item]:
    for m in _MODAL.finditer(text):
        if m.group() != "May":
            yield Item(FactKind.MODAL, m.start(), m.end(), m.group().casefold().replace("cannot", "can"))


def _negations(text: str) -> Iterator[Item]:
    for m in _NEGATION.finditer(text):
        word = m.group().casefold()
        if m.group() == "No" and text[m.end() : m.end() + 1] == ".":
            continue
        yield Item(FactKind.NEGATION, m.start(), m.end(), "not" if m.group(2) or word == "cannot" else word)


_READERS: tuple[Callable[[str], Iterator[Item]], ...] = (
    _statutes, _citations, _money, _dates, _numbers, read_names, _quotes, _modals, _negations,
)  # fmt: skip
