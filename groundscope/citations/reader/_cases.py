"""Cases and journals of a clean text, by eyecite; spans, pin cites and courts are read again where eyecite's cannot be relied on.

eyecite 2.7.8 gives the first of a string of citations, where it has an explanatory parenthetical, a full span over the next one,
and shares one full span between parallel citations: so a citation ends after its own pin cite and the parentheses that follow at
once, and begins no earlier than the one before it ended.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from groundscope.citations.reader._laws import Raw, stripped, with_parties
from groundscope.citations.reader._short_forms import (
    PIN_PAGE,
    aside_at,
    closes_parallel,
    parallel_at,
    reference,
    short_form,
    supra,
)
from groundscope.citations.reader.party_names import sentence_cut
from groundscope.citations.types import AuthorityKind, CitationParts, Form
from groundscope.text.facts import citation_pieces, eyecite_citations

_CITES = re.compile(r"\d.{0,60}[A-Z§]|[A-Z§].{0,60}\d|\b[Ii](?:d|bid)\.|\bsupra\b", re.DOTALL)
_PIN = re.compile(rf",?\s(?:at\s)?({PIN_PAGE}(?:,\s{PIN_PAGE}){{0,4}})(?!\s?[A-Z§]|\s?\d|[-‐‑–]\w)")
_DATED = re.compile(r"\s?\(([^()]{0,60}?)\s?((?:1[6-9]|20)\d\d)\)")
_PLAIN_COURT = re.compile(r"\s?\(([A-Z0-9][\w. ]{1,28}\.?)\)")
_IN_RE = re.compile(r"(?:In re|Ex parte|Matter of)\s$")
_DATED_BEFORE = re.compile(r"\s\((?P<c>[^()]{1,40}?)\s(?P<y>(?:1[6-9]|20)\d\d)\)\s\Z")
_VOLUMES, _SECTIONS = ("title", "chapter", "volume"), ("section", "page")
_FARTHEST_NAME = 220
_MONTHS = re.compile(r",?\s*(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?\s\d{1,2},?$")
_BLANK = re.compile(r"[_–—-]*(?:,\s[_–—-]{2,9})?")
_BLANK_REPORT = re.compile(r",?\s\d{1,4}\sU\.\s?S\.\s[_–—-]{2,}.*$")
_BLANK_BEFORE = re.compile(r",\s(?=\d{1,4}\s[A-Z])")
NO_PAGE = "It names no page, so there is nothing to look for."


def cases(text: str) -> Iterator[Raw]:
    """Everything that eyecite finds except Id. and what it cannot identify; parallel citations may share a `group`."""
    last_end, number = 0, 0
    waiting: tuple[Raw, int] | None = None
    for offset, piece in citation_pieces(text):
        if not _CITES.search(piece):
            continue
        shared: tuple[int, int] | None = None
        for cite in _found(piece):
            full = cite.full_span()
            same = full == shared and type(cite).__name__ == "FullCaseCitation"
            number += not same
            shared = full
            raw = _raw(text, offset, cite, last_end)
            if raw is None:
                continue
            last_end = max(last_end, raw.end)
            raw = raw._replace(group=number)
            if blank := _BLANK_BEFORE.match(text, raw.end) if raw.form is Form.UNREADABLE else None:
                waiting, last_end = (raw, blank.end()), raw.start
                continue
            if waiting and raw.start == waiting[1]:
                raw = _with_names(raw, waiting[0])
            elif waiting:
                yield waiting[0]
            waiting = None
            yield raw
    if waiting:
        yield waiting[0]


def _with_names(raw: Raw, blank: Raw) -> Raw:
    """Take the names of "Doe v. Roe, 585 U.S. ___," for the report that follows; the blank one is no citation of its own."""
    first = blank.parts
    parts = replace(raw.parts, plaintiff=first.plaintiff or raw.parts.plaintiff, defendant=first.defendant or raw.parts.defendant)
    return raw._replace(parts=parts, outer=blank.outer)


def _found(piece: str) -> list[Any]:
    from eyecite.models import IdCitation, UnknownCitation

    # Id. is read elsewhere: eyecite sees it between white space alone.
    citations = [c for c in eyecite_citations(piece) if not isinstance(c, UnknownCitation | IdCitation)]
    return sorted(citations, key=lambda c: c.span())


def _raw(text: str, offset: int, cite: Any, last_end: int) -> Raw | None:
    name = type(cite).__name__
    start, end = (at + offset for at in cite.span())
    if start < last_end:
        return None
    outer = min(start, max(cite.full_span()[0] + offset, last_end))
    if name == "SupraCitation":
        return supra(text, cite, start, end, outer)
    if name == "ReferenceCitation":
        return reference(text, start, end)
    if name == "ShortCaseCitation":
        return short_form(text, cite, start, end, outer)
    if name == "FullLawCitation":
        return _law(cite, start, end)
    kind = AuthorityKind.JOURNAL if name == "FullJournalCitation" else AuthorityKind.CASE
    return _full(text, cite, kind, (start, end, outer), last_end)


def _law(cite: Any, start: int, end: int) -> Raw | None:
    """A law whose form this project's patterns do not know."""
    groups = cite.groups
    volume, section = (next((groups[n] for n in names if groups.get(n)), "") for names in (_VOLUMES, _SECTIONS))
    if not section:
        return None
    parts = CitationParts(volume, str(groups.get("reporter") or ""), section, cite.metadata.pin_cite or "")
    return Raw(AuthorityKind.LAW, Form.FULL, start, end, start, parts)


def _full(text: str, cite: Any, kind: AuthorityKind, span: tuple[int, int, int], last_end: int) -> Raw:
    start, end, outer = span
    m = cite.metadata
    pin = ""
    if not cite.groups.get("page") and (blank := _BLANK.match(text, end)):
        end = blank.end()
    if pin_match := _PIN.match(text, end):
        pin, end = pin_match[1], pin_match.end(1)
    # What dates a parallel citation in brackets stands behind them, and is of both.
    end += closes_parallel(text, start, end)
    year, court, words, end, aside = _dated(text, end, m)
    if before := _DATED_BEFORE.search(text, max(last_end, start - _FARTHEST_NAME), start):
        # California puts court and year before the report.
        outer, named = with_parties(text, before.start(), CitationParts(), last_end)
        plaintiff, defendant, year, court, words = named.plaintiff, named.defendant, before["y"], before["c"], before["c"]
    else:
        plaintiff, defendant, outer = _parties(text, m, start, outer, last_end)
    groups = cite.groups
    page = groups.get("page") or ""
    parts = CitationParts(groups.get("volume") or "", _reporter(cite, kind), page, pin, year, court, plaintiff, defendant, words)
    why = "" if page else NO_PAGE
    return Raw(kind, Form.FULL if page else Form.UNREADABLE, start, end, outer, parts, aside, why)


def _parties(text: str, metadata: Any, start: int, outer: int, last_end: int) -> tuple[str, str, int]:
    """Both parties, and where their names begin; a signal before them is no part of them."""
    plaintiff = getattr(metadata, "plaintiff", None) or ""
    plaintiff = stripped(plaintiff[sentence_cut(plaintiff) :])
    defendant = (getattr(metadata, "defendant", None) or "").strip(" ,")
    defendant = _BLANK_REPORT.sub("", defendant)
    defendant = re.sub(r",?\s(?:No|Civ|Docket|Case)\.?\s.*$", "", defendant)
    if ")" in defendant and "(" not in defendant:
        # The citation before it was none for eyecite.
        defendant = ""
    first = plaintiff or defendant
    at = text.find(first, outer, start) if first else -1
    own_start, named = with_parties(text, start, CitationParts(), last_end)
    if at < 0 or start - at > _FARTHEST_NAME:
        # Where it finds no names, eyecite takes those of the citation before.
        return named.plaintiff, named.defendant, own_start
    # It cuts initials off, too ("E.M.D. Sales").
    if own_start < at and plaintiff and named.plaintiff.endswith(plaintiff):
        return named.plaintiff, defendant, own_start
    lead = _IN_RE.search(text, max(0, at - 10), at)
    return plaintiff, defendant, lead.start() if lead and not plaintiff else at


def _reporter(cite: Any, kind: AuthorityKind) -> str:
    return str(cite.groups.get("reporter") or "").strip() if kind is AuthorityKind.JOURNAL else str(cite.corrected_reporter())


def _dated(text: str, end: int, metadata: Any) -> tuple[str, str, str, int, tuple[int, int] | None]:
    """Year and court of a citation, the court's words, where it ends, and the span of its explanatory parenthetical."""
    year, court, words = getattr(metadata, "year", None) or "", getattr(metadata, "court", None) or "", ""
    if parallel_at(text, end):
        return str(year), str(court), words, end, None
    if m := _DATED.match(text, end):
        year, end = m[2], m.end()
        words = _MONTHS.sub("", m[1]).strip(" ,")
    elif (m := _PLAIN_COURT.match(text, end)) and ("." in m[1] or m[1] in ("HL", "PC", "CA")):
        words, end = m[1], m.end()
    return str(year), str(court or words), words, end, aside_at(text, end)
