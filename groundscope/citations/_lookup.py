"""Look up one citation of a response in the context: where it stands, and what differs."""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from groundscope.citations._comparing_parts import Differs, compared, like, report_of, sections_of
from groundscope.citations._index import ContextCitation, Index
from groundscope.citations.quotes import ContextPlace
from groundscope.citations.reader.resolving import NOTHING_BEFORE, UNREAD_BEFORE
from groundscope.citations.types import AuthorityKind, Citation, Form, code_name, key_of
from groundscope.types import Case


class State(StrEnum):
    """Result of checking a citation, in words for lawyers."""

    HERE = "in the sources"
    DIFFERENT = "in the sources, but different"
    ABSENT = "not in the sources"
    UNREAD = "could not be read"


class LookupResult(NamedTuple):
    """A state with the citation of the context that it is about, and what differs there."""

    state: State
    found: ContextCitation | None = None
    differs: tuple[Differs, ...] = ()
    why: str = ""


def looked_up(case: Case, ours: Citation, known: Index) -> LookupResult:
    """Look up a citation of the response: first its authority, then its words, then similar citations."""
    same = known.same(ours)
    if same and (other_report := _other_report(ours, same)):
        return other_report
    if same:
        pins = [f for f in same if _same_pages(ours, f.citation)]
        best = min(pins or same, key=lambda f: (len(compared(ours, f.citation)), f.citation.form is not Form.FULL, f.in_source))
        only_number = _only_number(ours, best.citation)
        if differs := compared(ours, best.citation):
            return LookupResult(State.DIFFERENT, best, differs, only_number)
        return LookupResult(State.HERE, best, why=only_number or _unchecked(ours, best.citation, same))
    if place := _stands(case, ours):
        return LookupResult(State.HERE, ContextCitation(place, ours, False), why="Its words stand there.")
    near = [(f, like(ours, f.citation)) for f in known.sharing(ours)]
    alike = sorted((f for f, how in near if how == "other"), key=lambda f: len(compared(ours, f.citation)))
    if alike and (ours.key or ours.parts.plaintiff):
        differs = compared(ours, alike[0].citation)
        how = "" if ours.key else "Found by its names."
        return LookupResult(State.DIFFERENT if differs else State.HERE, alike[0], differs, how)
    if ours.form is Form.UNREADABLE or (not ours.key and ours.kind is AuthorityKind.CASE):
        return LookupResult(State.UNREAD, why=ours.why or "It is not clear what it refers to.")
    if place := _number(case, ours):
        return LookupResult(
            State.HERE, ContextCitation(place, ours, False), why="Its number stands there, without the name of the law."
        )
    if not ours.key:
        return LookupResult(State.UNREAD, why="It names no law, and its number does not stand in the sources.")
    if place := _act(case, ours):
        return LookupResult(State.ABSENT, ContextCitation(place, ours, False), why="The sources name the act without this year.")
    nearest = next((f for f, how in near if how == "near"), None)
    return LookupResult(State.ABSENT, nearest, why="The sources cite something close to it." if nearest else "")


def _other_report(ours: Citation, same: Sequence[ContextCitation]) -> LookupResult | None:
    """What there is to say of a parallel citation that the context does not give: its reporter may have another page there."""
    own = key_of(ours.kind, ours.parts)
    if ours.kind is AuthorityKind.LAW or ours.form is not Form.FULL or any(own in f.citation.same for f in same):
        return None
    code = code_name(ours.parts.reporter)
    full = [f for f in same if f.citation.form is Form.FULL]
    reports = [f for f in full if code_name(f.citation.parts.reporter) == code]
    best = min(reports or full or same, key=lambda f: len(compared(ours, f.citation)))
    differs = compared(ours, best.citation, reports=bool(reports))
    why = "" if reports else "The sources give only a parallel report of it, so volume and page are not checked."
    return LookupResult(State.DIFFERENT if differs else State.HERE, best, differs, why)


def _number(case: Case, ours: Citation) -> ContextPlace | None:
    """Where the number of a bare section stands, if it is one that nothing else would have."""
    page = ours.parts.page
    if ours.form is not Form.SHORT or page.isdecimal() or len(page) < 3:
        return None
    return _first(case, re.compile(rf"(?<![\w.-]){re.escape(page)}(?![\w-])"))


def _act(case: Case, ours: Citation) -> ContextPlace | None:
    """Where an act stands without its year."""
    named = re.fullmatch(r"(?:The\s|the\s)?(.+\bAct)(?:\sof)?\s\d{4}.*", ours.parts.reporter)
    return _first(case, re.compile(rf"\b{re.escape(named[1])}\b")) if named else None


def _first(case: Case, sought: re.Pattern[str]) -> ContextPlace | None:
    for p, passage in enumerate(case.context):
        if m := sought.search(passage.text):
            return ContextPlace(p, *m.span())
    return None


def _same_pages(ours: Citation, theirs: Citation) -> bool:
    """Whether both name pages of one report, so that these can be compared."""
    if ours.kind is AuthorityKind.LAW or not ours.parts.pin or not theirs.parts.pin:
        return False
    return report_of(ours) == report_of(theirs)


def _only_number(ours: Citation, theirs: Citation) -> str:
    if ours.kind is AuthorityKind.LAW and not (ours.key and theirs.key):
        whose = "one side does not name" if ours.key or theirs.key else "neither side names"
        return f"Only the number is compared: {whose} the law."
    return ""


def _unchecked(ours: Citation, best: Citation, same: Sequence[ContextCitation]) -> str:
    """What of a citation the context cannot confirm."""
    pin = ours.parts.pin
    if ours.kind is not AuthorityKind.LAW:
        if pin and not any(_same_pages(ours, f.citation) for f in same):
            return f"The sources name no page of this report, so the pin cite {pin} is not checked."
        return ""
    notes = []
    if ours.resolved.page != best.resolved.page and sections_of(best.resolved.page):
        notes.append(f"It is one of the sections {best.resolved.page} that the sources cite together.")
    if pin and not any(f.citation.parts.pin and not compared(ours, f.citation) for f in same):
        notes.append(f"The sources do not name its subsection, so {pin} is not checked.")
    return " ".join(notes)


def _stands(case: Case, ours: Citation) -> ContextPlace | None:
    """Where an unreadable citation's words stand in the context, as they are."""
    if ours.form is not Form.UNREADABLE or ours.why in (NOTHING_BEFORE, UNREAD_BEFORE):
        return None
    words = case.response[ours.start : ours.end].split()
    return _first(case, re.compile(r"\s+".join(map(re.escape, words))))
