"""Statutes, rules, treaties and neutral citations of a clean text, by the patterns of `_forms`."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from groundscope.citations.reader._forms import (
    BARE,
    EDITION,
    FOLLOWING,
    MORE,
    MORE_CASES,
    NOTE,
    PLURAL,
    SAME_ACT,
    Pattern,
    patterns_for,
)
from groundscope.citations.reader.code_names import TITLES
from groundscope.citations.reader.party_names import sentence_cut
from groundscope.citations.types import AuthorityKind, CitationParts, Form, code_name

_FIRM = r"(?:,(?=\s(?:Inc|LLC|L\.L\.C|Ltd|Co|Corp|L\.P|N\.A|S\.A|P\.C|LLP)\b))?"
_NAME = rf"\(?[A-Z][\w.&'’()-]{{0,24}}{_FIRM}"
_PARTIES = re.compile(
    rf"((?:{_NAME}\s(?:(?:of|the|and|for|de|&|plc|ex parte)\s){{0,2}}){{1,6}})(?:v\.?|vs\.?|/)\s"
    rf"((?:{_NAME},?\s?(?:(?:of|the|and|for|de|&)\s){{0,2}}){{1,7}}?)(?:\((?:No\.?|HL|CA)[\s\d\w]{{0,6}}\)\s?)?,?\s?$"
)
_IN_RE = re.compile(rf"\b(?:In re|Ex parte|Matter of)\s((?:{_NAME},?\s?(?:(?:of|the|and|for|de|&)\s){{0,2}}){{1,7}}?),?\s?$")
_BEFORE = 160
_LEAD = re.compile(
    r"(?:In|See(?: also)?|Cf|But|Also|Under|The|As|Accord|E\.g|And|Compare|With|Both|Since|Unlike|Like|While)\b\.?,?\s+",
    re.IGNORECASE,
)
_WIDE = ("§§", "articles", "sections", "secs.", "cases", " ss ", " ss. ")
_RANGE = re.compile(r"(?P<first>(?P<before>[\w.:/-]{0,20}?)\d{1,5})[-‐‑–](?P<last>(?:(?P=before))\d{1,5}|\.\d{1,5})")
_LETTERED_RANGE = re.compile(
    r"(?P<first>(?P<number>\d{1,5})[a-z]{0,4}(?:-\d{1,3})?)[-‐‑–](?P<last>(?P=number)[a-z]{1,4}(?:-\d{1,3})?)"
)
_FEDERAL_RANGE = re.compile(r"\d{2,5}[-‐‑–]\d{2,5}")
_FEDERAL = frozenset(("usc", "cfr"))


_NUMBER = re.compile(r"[\dIVXL](?:(?<=\d)\d*|(?<!\w.)[IVXL]{0,6}\b)")
_BEFORE_NUMBER, _AFTER_NUMBER = 360, 200
"""Characters around a number in which all of its citation stands."""


class Raw(NamedTuple):
    """A citation in the clean text, before it is resolved."""

    kind: AuthorityKind
    form: Form
    start: int
    end: int
    outer: int
    parts: CitationParts
    aside: tuple[int, int] | None = None
    why: str = ""
    hint: str = ""
    group: int = -1


def laws(text: str) -> Iterator[Raw]:
    """Full citations of laws and of cases outside the reporters, in no order; of overlapping ones the first pattern's."""
    taken = bytearray(len(text))
    spans = _numbered(text)
    for pattern in patterns_for(text) if spans else ():
        for m in (m for span in spans for m in pattern.regex.finditer(text, *span)):
            if any(taken[m.start() : m.end()]):
                continue
            parts = _parts(pattern, m)
            outer, end = m.start(), m.start() + len(m.group().rstrip(" ,"))
            wide = any(w in f" {m.group().casefold()}" for w in _WIDE)
            if pattern.kind is AuthorityKind.CASE:
                outer, parts = with_parties(text, outer, parts)
            else:
                parts, end = _law_to(text, parts, end, wide)
            taken[m.start() : end] = b"\x01" * (end - m.start())
            yield Raw(pattern.kind, Form.FULL, m.start(), end, outer, parts)
            if wide:
                yield from _further(text, pattern, parts, end, taken)


def _numbered(text: str) -> list[tuple[int, int]]:
    """The parts of a text that may hold a law: no pattern goes without a number, and many are slow to see that."""
    spans: list[tuple[int, int]] = []
    for m in _NUMBER.finditer(text):
        start, end = max(0, m.start() - _BEFORE_NUMBER), min(len(text), m.end() + _AFTER_NUMBER)
        if spans and start <= spans[-1][1]:
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
    return spans


def _group(m: re.Match[str], name: str) -> str:
    for n in (name, f"{name}2"):
        if n in m.re.groupindex and m[n]:
            return str(m[n]).strip(" ,")
    return ""


def _parts(pattern: Pattern, m: re.Match[str]) -> CitationParts:
    volume, reporter = _group(m, "v"), _group(m, "r") or pattern.code
    if number := _group(m, "n"):
        volume = f"{volume} {number}"
    page, pin = _section(m), _group(m, "s")
    if act := SAME_ACT.get(code_name(reporter)):
        volume, reporter = act, "Regulation"
    elif re.match(r"Regulation|Directive|(?:Framework )?Decision", reporter) and volume:
        reporter = reporter.split()[0]
    elif title := TITLES.get(code_name(reporter)):
        volume, reporter = title, "U.S.C."
    year = volume[:4] if pattern.kind is AuthorityKind.CASE and re.match(r"(?:1[6-9]|20)\d\d", volume) else ""
    court, following = _group(m, "c"), bool(_group(m, "f"))
    return CitationParts(volume, reporter, page, pin, _group(m, "y") or year, court, court_words=court, following=following)


def _section(m: re.Match[str]) -> str:
    """The section of a match; the first and the last of a range with a dash between them."""
    last = _group(m, "t")
    return f"{_group(m, 'p')}–{last}" if last else _group(m, "p")


def _law_to(text: str, parts: CitationParts, end: int, wide: bool) -> tuple[CitationParts, int]:
    """What follows the section of a law and is of its citation, and where that ends."""
    federal = code_name(parts.reporter) in _FEDERAL
    note = NOTE.match(text, end) if federal or not parts.reporter else None
    if parts.pin == "(note)" or (note and not parts.pin):
        parts, end = replace(parts, page=f"{parts.page} note", pin=""), note.end() if note else end
    elif following := FOLLOWING.match(text, end):
        parts, end = replace(parts, following=True), following.end()
    # A hyphen after one section sign, or in one section of several, is of its number.
    several = (wide and not MORE.match(text, end)) or (federal and _FEDERAL_RANGE.fullmatch(parts.page))
    if several and (spread := _RANGE.fullmatch(parts.page) or _LETTERED_RANGE.fullmatch(parts.page)):
        parts = replace(parts, page=f"{spread['first']}–{spread['last']}")
    if edition := EDITION.match(text, end):
        parts, end = replace(parts, year=edition["y"]), edition.end()
    return parts, end


def _further(text: str, pattern: Pattern, first: CitationParts, at: int, taken: bytearray) -> Iterator[Raw]:
    """Read on in "42 U.S.C. §§ 1983, 1985" and "Joined Cases C-293/12 and C-594/12"."""
    regex = MORE_CASES if pattern.kind is AuthorityKind.CASE else MORE
    while (m := regex.match(text, at)) and not any(taken[m.start() : m.end()]):
        start = m.start("p")
        parts = CitationParts(first.volume, first.reporter, _section(m), m["s"].strip() if "s" in m.re.groupindex else "")
        at = m.end()
        if pattern.kind is AuthorityKind.LAW:
            parts, at = _law_to(text, parts, at, wide=True)
        taken[start:at] = b"\x01" * (at - start)
        yield Raw(pattern.kind, Form.FULL, start, at, start, parts)


def with_parties(text: str, start: int, parts: CitationParts, floor: int = 0) -> tuple[int, CitationParts]:
    """Include the names before a citation, which begin at `floor` or later.

    Returns the offset at which the names begin and the parts with them; the arguments unchanged without a name.
    """
    first = max(floor, start - _BEFORE)
    parties = _PARTIES.search(text, first, start) if " v" in text[first:start] or " / " in text[first:start] else None
    if not parties:
        alone = _IN_RE.search(text, first, start)
        return (alone.start(), replace(parts, defendant=alone[1].strip(" ,"))) if alone else (start, parts)
    plaintiff = stripped(parties[1][sentence_cut(parties[1]) :])
    if not plaintiff:
        return start, parts
    named = replace(parts, plaintiff=plaintiff, defendant=parties[2].strip(" ,"))
    return parties.start(1) + parties[1].rindex(plaintiff), named


def stripped(name: str) -> str:
    """A party's name without signals such as "See" or "But" before it; may be empty."""
    name = name.strip(" ,")
    while m := _LEAD.match(name):
        name = name[m.end() :]
    return name


def bare_sections(text: str) -> Iterator[Raw]:
    """Sections, rules and articles whose law is named elsewhere; the caller drops those inside other citations.

    `hint` is `section`, `rule` or `article`.
    """
    for m in BARE.finditer(text):
        word = _group(m, "sign").casefold()
        hint = "rule" if word.startswith("rule") else "article" if word.startswith("art") else "section"
        raw = _bare(text, m, m.start(), hint, wide=word in PLURAL)
        yield raw
        while word in PLURAL and (more := MORE.match(text, raw.end)):
            raw = _bare(text, more, more.start("p"), hint, wide=True)
            yield raw


def _bare(text: str, m: re.Match[str], start: int, hint: str, wide: bool) -> Raw:
    parts, end = _law_to(text, CitationParts(page=_section(m), pin=_group(m, "s")), m.end(), wide)
    return Raw(AuthorityKind.LAW, Form.SHORT, start, end, start, parts, hint=hint)
