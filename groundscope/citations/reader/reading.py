"""Text -> its legal citations in reading order, with offsets into that text, each tied to the authority that it stands for.

Cases and journals are found by eyecite (Free Law Project), statutes, rules, treaties and neutral citations by patterns of this
project's own; what looks like a citation and cannot be read is in the result too, and says why.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from groundscope.citations.reader._abbreviations import sentence_cut
from groundscope.citations.reader._cases import NO_PAGE, cases, stripped
from groundscope.citations.reader._laws import Raw, bare_sections, laws, with_parties
from groundscope.citations.reader._short_forms import ids, named_pages
from groundscope.citations.reader.cleaning import clean
from groundscope.citations.reader.resolving import resolved
from groundscope.citations.types import AuthorityKind, Citation, CitationParts, Form
from groundscope.runtime.kept import keep

__all__ = ["CitationReading", "read"]

LONGEST = 1_500_000
"""Characters of one text that are read; what stands beyond is named in `Reading.note`."""

_UNKNOWN = re.compile(
    r"(?<![\w.§])(?P<v>\d{1,4})\s(?P<r>[A-Z][A-Za-z.’'&]{0,14}(?:\s(?:[A-Z][A-Za-z.’'&]{0,14}|[2-9]d|[4-9]th|de|of)){0,4})\s"
    r"(?P<p>\d{1,5})(?:,\s\d{1,5}(?:-\d{1,5})?)?\s\((?:[^()]{0,40}\s)?(?P<y>(?:1[6-9]|20)\d\d)\)"
)
_NO_PAGE = re.compile(
    r"\b(?P<v>\d{1,4})\sU\.\s?S\.\s[–—-]{2,9}(?:,\s[–—-]{2,9})?(?![–—-]|,\s\d)(?:\s\((?P<y>(?:1[6-9]|20)\d\d)\))?"
)
_BY_NAME = re.compile(
    r"(?P<a>[A-Z][\w.&’'-]{1,24}(?:\s(?:of\s|the\s|and\s|&\s)?[A-Z][\w.&’'-]{0,24}){0,4})\sv\.?s?\.?\s"
    r"(?P<b>[A-Z][\w.&’'-]{1,24}(?:\s(?:of\s|the\s|and\s|&\s)?[A-Z][\w.&’'-]{0,24}){0,4})\s\((?:[^()]{0,30}\s)?(?P<y>(?:1[6-9]|20)\d\d)\)(?!,?\s\d)"
)


class CitationReading(NamedTuple):
    """The citations of a text, in reading order, without overlaps; `note` says what was not read."""

    citations: tuple[Citation, ...]
    note: str = ""


@keep(megabytes=16)
def read(text: str) -> CitationReading:
    """Find the citations of a text. Nothing of the text reaches a log, and no text raises an error.

    Args:
        text: any, may be empty; characters beyond `LONGEST` are not read.

    Returns:
        Citations in reading order, with half-open character offsets into `text`, and a note on what was not read.
    """
    note = "" if len(text) <= LONGEST else f"Only the first {LONGEST:,} characters were read for citations."
    cleaned = clean(text[:LONGEST])
    first = _without_overlaps(_all(cleaned.text))
    raws = _without_overlaps((*first, *named_pages(cleaned.text, first)))
    found = []
    for raw, r in zip(raws, resolved(cleaned.text, raws), strict=True):
        start, end = cleaned.original(raw.start, raw.end)
        outer = min(start, cleaned.original(raw.outer, raw.end)[0])
        aside = cleaned.original(*raw.aside) if raw.aside and raw.aside[0] < raw.aside[1] else None
        found.append(Citation(raw.kind, r.form, start, end, outer, raw.parts, r.key, r.same, r.resolved, r.why, aside))
    return CitationReading(tuple(found), note)


def _all(text: str) -> Iterator[Raw]:
    """Better readings first: of two that overlap the first stands."""
    yield from laws(text)
    yield from cases(text)
    yield from ids(text)
    yield from _unknown(text)
    yield from bare_sections(text)


def _unknown(text: str) -> Iterator[Raw]:
    for m in _UNKNOWN.finditer(text):
        outer, parts = with_parties(text, m.start(), CitationParts(m["v"], m["r"], m["p"], "", m["y"]))
        yield Raw(
            AuthorityKind.CASE, Form.UNREADABLE, m.start(), m.end(), outer, parts, why=f"The reporter “{m['r']}” is not known."
        )
    for m in _NO_PAGE.finditer(text):
        outer, parts = with_parties(text, m.start(), CitationParts(m["v"], "U.S.", year=m["y"] or ""))
        yield Raw(AuthorityKind.CASE, Form.UNREADABLE, m.start(), m.end(), outer, parts, why=NO_PAGE)
    for m in _BY_NAME.finditer(text):
        plaintiff = stripped(m["a"][sentence_cut(m["a"]) :])
        if not plaintiff:
            continue
        start = m.end("a") - len(plaintiff)
        yield Raw(
            AuthorityKind.CASE, Form.UNREADABLE, start, m.end(), start,
            CitationParts(year=m["y"], plaintiff=plaintiff, defendant=m["b"]),
            why="It names no volume, reporter and page, so only the names can be looked for.",
        )  # fmt: skip


def _without_overlaps(raws: Iterable[Raw]) -> list[Raw]:
    kept: list[Raw] = []
    spans: list[tuple[int, int]] = []
    for raw in raws:
        at = bisect_right(spans, (raw.start, raw.end))
        before = spans[at - 1] if at else (0, 0)
        after = spans[at] if at < len(spans) else (raw.end, raw.end)
        if before[1] > raw.start or after[0] < raw.end:
            continue
        spans.insert(at, (raw.start, raw.end))
        kept.insert(at, raw)
    # Names begin no earlier than the citation before them ends; the same citation cannot be both a case and its law.
    floors = (0, *(raw.end for raw in kept))
    return [raw._replace(outer=min(raw.start, max(raw.outer, floor))) for raw, floor in zip(kept, floors, strict=False)]
