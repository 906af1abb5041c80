"""Resolve each citation of a text to its authority: parallel citations, short forms, Id., supra, and bare sections.

In reading order, as a reader would: Id. is the authority cited last, or the record where that was cited last, a short form the
latest one with its volume and reporter, supra the latest one with its name, a bare section the latest law that has it.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from groundscope.citations.reader._laws import Raw
from groundscope.citations.reader._records import records
from groundscope.citations.types import AuthorityKind, CitationParts, Form, code_name, key_of, section_name

NOTHING_BEFORE = "There is no authority before it that it could refer to."
UNREAD_BEFORE = "What stands before it could not be read, so what it refers to is not known."
OF_RECORD = "It refers to “{}”, a cite to the record and not to an authority."
_EU_BETWEEN = re.compile(r"^[^.;()\[\]]{0,80}[,\s]\(?$")
_RULE_CODES = ("fedr", "rule", "usct")


class Resolved(NamedTuple):
    """A resolved citation; see `Citation`."""

    form: Form
    key: str
    same: frozenset[str]
    resolved: CitationParts
    why: str = ""


@dataclass(slots=True)
class _Authority:
    kind: AuthorityKind
    parts: CitationParts
    keys: dict[str, None] = field(default_factory=dict)
    reporters: set[tuple[str, str]] = field(default_factory=set)

    @property
    def key(self) -> str:
        return next(iter(self.keys), "")


def resolved(text: str, raws: Sequence[Raw]) -> list[Resolved]:
    """Resolve citations, each into one entry."""
    authorities: list[_Authority] = []
    by_key: dict[str, _Authority] = {}
    owners: list[tuple[_Authority | None, str]] = []
    # What parallel citations that stand side by side say together: they share names, year and court.
    shared: list[CitationParts] = []
    clusters: list[int | None] = []
    last: _Authority | None = None
    aside = (0, 0)
    went_on = unread = False
    cites = _RecordCites(text, raws)
    record = ""
    for i, raw in enumerate(raws):
        previous = raws[i - 1] if i else None
        owner, why = None, raw.why
        cluster: int | None = None
        goes_on = False
        if cited := cites.before(raw, aside):
            last, unread, record = None, False, cited
        if raw.form is Form.FULL:
            parallel = last if previous and last and _parallel(text, previous, raw) else None
            cluster = clusters[-1] if parallel else None
            if cluster is None:
                cluster = len(shared)
                shared.append(CitationParts())
            shared[cluster] = _completed(shared[cluster], raw.parts)
            owner = _full(raw, by_key, authorities, parallel)
        elif raw.form is Form.ID:
            owner = last
            why = "" if owner else OF_RECORD.format(record) if record else UNREAD_BEFORE if unread else NOTHING_BEFORE
        elif record and (cites.holds(raw) or (previous and _goes_on(text, previous, raw, went_on))):
            # "Lease § 4. Id. § 5": both are sections of the lease.
            goes_on = True
        elif last and previous and _goes_on(text, previous, raw, went_on) and last.kind is AuthorityKind.LAW:
            # "Id. §§ 5, 6" are other sections of the same law.
            goes_on = True
            parts = replace(raw.parts, volume=last.parts.volume, reporter=last.parts.reporter)
            owner = _full(raw._replace(parts=parts), by_key, authorities, None)
        elif raw.form is not Form.UNREADABLE:
            owner, why = _found(raw, authorities)
        went_on = goes_on
        owners.append((owner, why))
        clusters.append(cluster)
        bare = owner is None and raw.kind is AuthorityKind.LAW
        # What a citation quotes inside its parenthesis is not cited last; nor is a section that names no law.
        if not (bare or aside[0] <= raw.start < aside[1]):
            last = owner
            unread = (owner is None and raw.form is not Form.ID) or (unread and raw.form is Form.ID)
            record = record if raw.form is Form.ID else ""
        aside = raw.aside or aside
    together = [CitationParts() if cluster is None else shared[cluster] for cluster in clusters]
    return [_result(raw, owner, why, beside) for raw, (owner, why), beside in zip(raws, owners, together, strict=True)]


class _RecordCites:
    """Cites to the record of a text, outside of its citations, taken in reading order."""

    def __init__(self, text: str, raws: Sequence[Raw]) -> None:
        self._text = text
        # A bare section may be one of a lease.
        ends = [(0, 0), *((raw.start, raw.end) for raw in raws if raw.form is not Form.SHORT or raw.parts.reporter)]
        # What begins before the end of a record may overlap it; of these the last one ends last.
        spans = records(text) if raws else ()
        self._spans = [(a, b) for a, b in spans if ends[bisect_right(ends, (b - 1, len(text))) - 1][1] <= a]
        self._next = 0
        self._last = (0, 0)

    def before(self, raw: Raw, aside: tuple[int, int]) -> str:
        """The words of the last one that begins before a citation does and after the one before it; empty if none does."""
        words = ""
        while self._next < len(self._spans) and self._spans[self._next][0] <= raw.start:
            start, end = self._spans[self._next]
            self._next += 1
            if not aside[0] <= start < aside[1]:
                self._last = start, end
                words = " ".join(self._text[start:end].split())
        return words

    def holds(self, raw: Raw) -> bool:
        """Whether a citation is a part of the last one."""
        return self._last[0] <= raw.start < self._last[1]


def _goes_on(text: str, previous: Raw, raw: Raw, went_on: bool) -> bool:
    if raw.kind is not AuthorityKind.LAW:
        return False
    between = text[previous.end : raw.start].strip(" ,")
    return between in ("", "and", "or", "&") if went_on else previous.form is Form.ID and not between


def _full(raw: Raw, by_key: dict[str, _Authority], authorities: list[_Authority], parallel: _Authority | None) -> _Authority:
    key = key_of(raw.kind, raw.parts)
    owner = by_key.get(key) or parallel
    if owner is None:
        owner = _Authority(raw.kind, raw.parts)
    elif owner in authorities:
        authorities.remove(owner)
    authorities.append(owner)
    owner.parts = _filled(owner.parts, raw.parts)
    owner.keys[key] = None
    owner.reporters.add((raw.parts.volume.casefold(), code_name(raw.parts.reporter)))
    by_key[key] = owner
    return owner


def _filled(parts: CitationParts, more: CitationParts) -> CitationParts:
    """What the first citation lacks, from a later one."""
    gaps = {n: getattr(more, n) for n in ("year", "court", "plaintiff", "defendant", "court_words") if not getattr(parts, n)}
    return replace(parts, **gaps)


def _parallel(text: str, previous: Raw, raw: Raw) -> bool:
    """Whether two citations that follow each other are of one decision."""
    if previous.form is not Form.FULL or previous.kind is not AuthorityKind.CASE or raw.kind is not AuthorityKind.CASE:
        return False
    codes = code_name(previous.parts.reporter), code_name(raw.parts.reporter)
    if codes[0] == codes[1]:
        return False
    between = text[previous.end : raw.start]
    if previous.group >= 0 and previous.group == raw.group:
        return True
    if codes[0] == "cjeu" and len(codes[1]) == 1:
        return bool(_EU_BETWEEN.match(between))
    neutral = previous.group < 0 or raw.group < 0
    apart = ";" in between or (raw.outer < raw.start and raw.outer > previous.end)
    dated = text[previous.start : previous.end].endswith(")") and not neutral
    return not apart and not dated and len(between) <= 3 and bool(re.fullmatch(r",?\s?|\s?\(\s?", between))


def _found(raw: Raw, authorities: Sequence[_Authority]) -> tuple[_Authority | None, str]:
    if raw.kind is AuthorityKind.LAW:
        return _law(raw, authorities)
    name = surnames(raw.hint)
    if raw.form is Form.SHORT:
        report = (raw.parts.volume.casefold(), code_name(raw.parts.reporter))
        same = [a for a in authorities if report in a.reporters]
        named = [a for a in same if name and name & _names(a)]
        candidates = (named or same)[-1:]
        return (candidates[0], "") if candidates else (None, "The full citation that this short form needs is not in this text.")
    named = [a for a in authorities if a.kind is AuthorityKind.CASE and name and name & _names(a)]
    if named:
        return named[-1], ""
    return None, "The full citation that “supra” refers to is not in this text."


def _law(raw: Raw, authorities: Sequence[_Authority]) -> tuple[_Authority | None, str]:
    rules = raw.hint == "rule"
    for a in reversed(authorities):
        of_rules = code_name(a.parts.reporter).startswith(_RULE_CODES)
        if a.kind is AuthorityKind.LAW and section_name(a.parts.page) == section_name(raw.parts.page) and of_rules == rules:
            return a, ""
    return None, ""


def _names(authority: _Authority) -> frozenset[str]:
    return surnames(authority.parts.plaintiff) | surnames(authority.parts.defendant)


COMMON_PARTIES = frozenset(
    "the of and for in re ex parte inc corp co llc ltd plc united states state people city county v a an no association".split()
)


def surnames(name: str) -> frozenset[str]:
    """Find the distinctive words of a party's name."""
    words = [w for w in re.findall(r"[^\W_]+", name.casefold()) if len(w) > 1]
    return frozenset(w for w in words if w not in COMMON_PARTIES) or frozenset(words)


def _result(raw: Raw, owner: _Authority | None, why: str, beside: CitationParts) -> Resolved:
    if owner is not None and raw.form is Form.FULL:
        # What it says itself; a repeated one may give another year, and is not judged by the first one's.
        full = _completed(raw.parts, beside)
        if not (full.plaintiff or full.defendant):
            full = replace(full, plaintiff=owner.parts.plaintiff, defendant=owner.parts.defendant)
        return Resolved(raw.form, key_of(raw.kind, raw.parts), frozenset(owner.keys), full)
    if owner is not None:
        return Resolved(raw.form, owner.key, frozenset(owner.keys), owner.parts)
    if raw.form is not Form.SHORT:
        return Resolved(Form.UNREADABLE, "", frozenset(), raw.parts, why)
    # A section whose code is not named is looked for by its number alone.
    return Resolved(raw.form, "", frozenset(), raw.parts, "" if raw.kind is AuthorityKind.LAW else why)


def _completed(parts: CitationParts, beside: CitationParts) -> CitationParts:
    """What a citation says, with year, court and names of the one beside it where it gives none."""
    named = parts.plaintiff or parts.defendant
    return _filled(parts, replace(beside, plaintiff="", defendant="") if named else beside)
