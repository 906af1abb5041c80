"""Text -> its legal citations in reading order, with offsets into that text, each tied to the authority that it stands for.

Cases and journals are found by eyecite (Free Law Project), statutes, rules, treaties and neutral citations by patterns of this
project's own; what looks like a citation and cannot be read is in the result too, and says why.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from groundscope.citations.reader._cases import NO_PAGE, cases
from groundscope.citations.reader._laws import Raw, bare_sections, laws, stripped, with_parties
from groundscope.citations.reader._short_forms import ids, named_pages
from groundscope.citations.reader.party_names import sentence_cut
from groundscope.citations.reader.resolving import resolved
from groundscope.citations.types import AuthorityKind, Citation, CitationParts, Form
from groundscope.runtime.byte_cache import keep
from groundscope.text.plain import PlainView, plain

__all__ = ["CitationReading", "placed", "read", "read_plain"]

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
_YEAR = r"(?:1[6-9]|20)\d\d"
_SPACES = "\t\r\f\v\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        # From where a run of spaces begins: from each of its spaces would be quadratic.
        (r"(?<![^\S\n])[^\S\n]*+\n(?:[^\S\n]*+\n)++\s*+", "\n\n"),
        (rf"[^\S\n]*+(?<!\n)\n(?!\n)[^\S\n]*|[^\S\n]{{2,}}|[{_SPACES}]", " "),
        # Spaces that a scan put into a reporter: "U . S .", "F.3 d".
        (r" (?=\.)(?:(?<=\b[A-Z] )(?=\.\s?[A-Z0-9])|(?<=\.[A-Z] )|(?<=\. [A-Z] ))", ""),
        (r" (?=[23]? ?d\b)(?:(?<=\b[FPA]\. )(?=[23])|(?=d)(?:(?<=\b[FPA]\.[23] )|(?<=\b[FPA]\. [23] )|(?<=\bSupp\. 2 )))", ""),
        # And those that it lost; "(9th Cir.1995)" would have neither year nor court.
        (rf"(?<=[A-Za-z]\.)(?={_YEAR}\))|(?<=\b\d)(?=U\. ?S\. ?\d)|(?<=\d\d)(?=(?:U\. ?S\.|F\.[23]d) ?\d)", " "),
        (r"(?<=\bU\.S\.)(?=\d)|(?<=\bF\.[23]d)(?=\d)|(?<=\bS\.Ct\.)(?=\d)|(?<=[A-Za-z]\.)(?=§)|(?<=§)(?=\d)", " "),
    )
)


_TOUCHING = re.compile(r"[.§][\d§]|\d[UF]")
"""Where a blank may be lost."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A clean text; of each character, where the original of it begins and ends (equal for a character that was put in)."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of the clean text to the original: removed characters inside it are included, those at its ends are not."""
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"a span needs 0 <= start < end <= {len(self.text)}, got {start}, {end}")
        return self.starts[start], max(self.ends[end - 1], self.starts[start])


def clean(text: str) -> Cleaned:
    """Undo in a plain text what lines and scans did to citations; linear in its length."""
    cleaned = Cleaned(text, range(len(text)), range(1, len(text) + 1))
    for pattern, replacement in _RULES if _TOUCHING.search(text) else _RULES[:-2]:
        cleaned = _applied(cleaned, pattern, replacement)
    return cleaned


def _applied(now: Cleaned, pattern: re.Pattern[str], replacement: str) -> Cleaned:
    """One rule. What replaces a run stands for all of it: its first character for the run, further ones for the run's end."""
    matches = list(pattern.finditer(now.text))
    if not matches:
        return now
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for m in matches:
        parts.append(now.text[at : m.start()])
        starts += now.starts[at : m.start()]
        ends += now.ends[at : m.start()]
        at = m.end()
        put = m.expand(replacement)
        if put:
            first, last = _run(now, m.start(), m.end())
            parts.append(put)
            starts += [first] + [last] * (len(put) - 1)
            ends += [last] * len(put)
    parts.append(now.text[at:])
    return Cleaned("".join(parts), [*starts, *now.starts[at:]], [*ends, *now.ends[at:]])


def _run(now: Cleaned, start: int, end: int) -> tuple[int, int]:
    if start < end:
        return now.starts[start], now.ends[end - 1]
    # Put in between two characters: it is nowhere in the original.
    position = now.ends[start - 1] if start else 0
    return position, position


class CitationReading(NamedTuple):
    """The citations of a text, in reading order, without overlaps; `note` says what was not read."""

    citations: tuple[Citation, ...]
    note: str = ""


@keep(megabytes=16)
def read(text: str) -> CitationReading:
    """Find the citations of a text, in its footnotes as well, in reading order, with half-open character offsets into it.

    Characters beyond `LONGEST` are not read, which a note says. Nothing of the text reaches a log, and no text raises an error.
    """
    view = plain(text, source=True)
    reading = read_plain(view.text)
    return reading if view.starts is None else reading._replace(citations=tuple(placed(c, view) for c in reading.citations))


def placed(citation: Citation, view: PlainView) -> Citation:
    """Bring the offsets of a citation of a plain text back to the original."""
    start, end = view.span(citation.start, citation.end)
    outer = min(start, view.span(citation.outer, citation.end)[0])
    return replace(citation, start=start, end=end, outer=outer, aside=view.span(*citation.aside) if citation.aside else None)


@keep(megabytes=16)
def read_plain(text: str) -> CitationReading:
    """As `read`, of a text in its plain view."""
    note = "" if len(text) <= LONGEST else f"Only the first {LONGEST:,} characters were read for citations."
    cleaned = clean(text[:LONGEST])
    first = _without_overlaps(_all(cleaned.text))
    raws = _without_overlaps((*first, *named_pages(cleaned.text, first)))
    citations = []
    for raw, r in zip(raws, resolved(cleaned.text, raws), strict=True):
        start, end = cleaned.original(raw.start, raw.end)
        outer = min(start, cleaned.original(raw.outer, raw.end)[0])
        aside = cleaned.original(*raw.aside) if raw.aside and raw.aside[0] < raw.aside[1] else None
        citations.append(Citation(raw.kind, r.form, start, end, outer, raw.parts, r.key, r.same, r.resolved, r.why, aside))
    return CitationReading(tuple(citations), note)


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
    apart: list[Raw] = []
    spans: list[tuple[int, int]] = []
    for raw in raws:
        at = bisect_right(spans, (raw.start, raw.end))
        before = spans[at - 1] if at else (0, 0)
        after = spans[at] if at < len(spans) else (raw.end, raw.end)
        if before[1] > raw.start or after[0] < raw.end:
            continue
        spans.insert(at, (raw.start, raw.end))
        apart.insert(at, raw)
    # Names begin no earlier than the citation before them ends; the same citation cannot be both a case and its law.
    floors = (0, *(raw.end for raw in apart))
    return [raw._replace(outer=min(raw.start, max(raw.outer, floor))) for raw, floor in zip(apart, floors, strict=False)]
