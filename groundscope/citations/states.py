"""State of every citation of a response: in the context, in it but different, not in it, or unreadable.

No model and no network: a citation that is not in the context may still exist elsewhere, and one that is there may be cited for
something it does not say. The states claim no more than that.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from groundscope.citations._comparing_parts import (
    Differs,
    compared,
    follows,
    like,
    one_is_note,
    report_of,
    states_all,
    within,
)
from groundscope.citations._index import ContextCitation, Index, Relevance, placeless
from groundscope.citations.case_names import ONLY_NAMED, CaseNames, case_words
from groundscope.citations.claims import claim_sentences
from groundscope.citations.footnotes import NotedText, with_notes
from groundscope.citations.quotes import ContextPlace, Quote, in_original, place_in_original, plain_quotes
from groundscope.citations.reader.reading import placed, read, read_plain
from groundscope.citations.types import AuthorityKind, Citation, Form, code_name, key_of
from groundscope.runtime.byte_cache import keep
from groundscope.text.plain import PlainCase, PlainView
from groundscope.types import Case, Passage

__all__ = ["Checked", "Layer", "State", "layer"]


class State(StrEnum):
    """Result of checking a citation, in words for lawyers."""

    HERE = "in the sources"
    DIFFERENT = "in the sources, but different"
    ABSENT = "not in the sources"
    UNREAD = "could not be read"


NO_SUBSECTION = "The sources do not name its subsection"


class LookupResult(NamedTuple):
    """A state with the citation of the context that it is about, and what differs there."""

    state: State
    match: ContextCitation | None = None
    differs: tuple[Differs, ...] = ()
    why: str = ""


def looked_up(case: Case, ours: Citation, response: str, index: Index) -> LookupResult:
    """Look up a citation of the response: first its authority, then its words, then similar citations."""
    same = index.same(ours)
    if same and (other_report := _other_report(ours, same)):
        return other_report
    if same:
        paged = [f for f in same if _same_pages(ours, f.citation)]
        best = min(paged or same, key=lambda f: (len(compared(ours, f.citation)), f.citation.form is not Form.FULL, f.in_source))
        only_number = _only_number(ours, best.citation)
        # "§§ 2(a)-(b)" of two citations.
        stated = states_all([f.citation.parts.pin for f in same], ours.parts.pin)
        if differs := tuple(d for d in compared(ours, best.citation) if not (stated and d.part == "subsection")):
            return LookupResult(State.DIFFERENT, best, differs, only_number)
        notes = (_in_range(ours, best.citation, same), only_number, _unchecked(ours, same))
        return LookupResult(State.HERE, best, why=" ".join(filter(None, notes)))
    if place := _stands(case, ours, response):
        return LookupResult(State.HERE, ContextCitation(place, ours, False), why="These words are in the sources.")
    near = [(f, like(ours, f.citation)) for f in index.sharing(ours)]
    alike = sorted((f for f, how in near if how == "other"), key=lambda f: len(compared(ours, f.citation)))
    if alike and (ours.key or ours.parts.plaintiff):
        differs = compared(ours, alike[0].citation)
        how = "" if ours.key else "Matched by the names of its parties."
        return LookupResult(State.DIFFERENT if differs else State.HERE, alike[0], differs, how)
    if ours.form is Form.UNREADABLE or (not ours.key and ours.kind is AuthorityKind.CASE):
        return LookupResult(State.UNREAD, why=ours.why or "It is not clear what it refers to.")
    if place := _bare_number(case, ours):
        return LookupResult(
            State.HERE, ContextCitation(place, ours, False), why="The number is in the sources, without the name of the law."
        )
    nearest = next((f for f, how in near if how == "near"), None)
    if nearest and one_is_note(ours.resolved.page, nearest.citation.resolved.page):
        return LookupResult(State.ABSENT, nearest, why="A section and the note under it are two provisions.")
    if not ours.key:
        return LookupResult(State.UNREAD, why="It names no law, and its number is not in the sources.")
    if place := _act(case, ours, dated=True):
        return LookupResult(State.HERE, ContextCitation(place, ours, False), why="The sources name the act and its year.")
    if place := _act(case, ours, dated=False):
        return LookupResult(State.ABSENT, ContextCitation(place, ours, False), why="The sources name the act without this year.")
    return LookupResult(State.ABSENT, nearest, why="The sources cite something close to it." if nearest else "")


def _other_report(ours: Citation, same: Sequence[ContextCitation]) -> LookupResult | None:
    """What there is to say of a parallel citation that the context does not give: its reporter may have another page there."""
    key = key_of(ours.kind, ours.parts)
    if ours.kind is AuthorityKind.LAW or ours.form is not Form.FULL or any(key in f.citation.same for f in same):
        return None
    code = code_name(ours.parts.reporter)
    full = [f for f in same if f.citation.form is Form.FULL]
    reports = [f for f in full if code_name(f.citation.parts.reporter) == code]
    best = min(reports or full or same, key=lambda f: len(compared(ours, f.citation)))
    differs = compared(ours, best.citation, reports=bool(reports))
    why = "" if reports else "The sources give only a parallel report of it, so volume and page are not checked."
    return LookupResult(State.DIFFERENT if differs else State.HERE, best, differs, why)


def _bare_number(case: Case, ours: Citation) -> ContextPlace | None:
    """Where the number of a bare section stands, if it is one that nothing else would have."""
    page = ours.parts.page
    if ours.form is not Form.SHORT or page.isdecimal() or len(page) < 3:
        return None
    return _first(case, re.compile(rf"(?<![\w.-]){re.escape(page)}(?![\w-])"))


def _act(case: Case, ours: Citation, *, dated: bool) -> ContextPlace | None:
    """Where an act without a section stands in other words, with its year ("the 1934 Securities Exchange Act") or without."""
    named = re.fullmatch(r"(?:The\s|the\s)?(?P<name>.+\bAct)(?:\sof)?\s(?P<year>\d{4}).*", ours.parts.reporter)
    if not named or (dated and ours.parts.page):
        return None
    name, year = re.escape(named["name"]).replace(r"\ ", r"\s"), named["year"]
    words = (
        rf"\b{year}\s{name}\b|\b{name},?\s(?:\(|(?:(?:passed|enacted|adopted)\s)?(?:in|of)\s)?{year}\b"
        if dated
        else rf"\b{name}\b(?!,?\s(?:of\s)?\d{{4}})"
    )
    return _first(case, re.compile(words, re.IGNORECASE if dated else re.NOFLAG))


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


def _in_range(ours: Citation, best: Citation, same: Sequence[ContextCitation]) -> str:
    if ours.kind is not AuthorityKind.LAW:
        return ""
    page = best.resolved.page
    if within(ours.resolved.page, page):
        return f"It is within a range that the sources cite: {page}."
    if best.resolved.following and follows(ours.resolved.page, page):
        return f"It is within a range that the sources cite: {page} and those after it, without the last."
    if ours.resolved.following and not any(f.citation.resolved.following for f in same):
        return f"The sources cite {page}, not the sections after it."
    return ""


def _unchecked(ours: Citation, same: Sequence[ContextCitation]) -> str:
    """What of a citation the context cannot confirm."""
    pin = ours.parts.pin
    if ours.kind is not AuthorityKind.LAW:
        if pin and not any(_same_pages(ours, f.citation) for f in same):
            return f"The sources name no page of this report, so the pin cite {pin} is not checked."
        return ""
    checked = not pin or states_all([f.citation.parts.pin for f in same], pin)
    return "" if checked else f"{NO_SUBSECTION}, so {pin} is not checked."


def _stands(case: Case, ours: Citation, response: str) -> ContextPlace | None:
    """Where an unreadable citation's words stand in the context, as they are."""
    # An Id. that refers to nothing has no words of its own.
    if ours.form is not Form.UNREADABLE or not (ours.parts.volume or ours.parts.plaintiff or ours.parts.defendant):
        return None
    words = response[ours.start : ours.end].split()
    return _first(case, re.compile(r"\s+".join(map(re.escape, words))))


@dataclass(frozen=True, slots=True)
class Checked:
    """One citation of a response.

    `place`: where it, or what is like it, stands in the context; a place in a source begins and ends at 0. `why`: a sentence
    that says more; may be empty.
    """

    citation: Citation
    state: State
    place: ContextPlace | None
    in_source: bool
    theirs: str
    differs: tuple[Differs, ...]
    why: str
    sentence: int
    claim: int


@dataclass(frozen=True, slots=True)
class Layer:
    """All citations and quotations of a response; `note` says what was not read."""

    citations: tuple[Checked, ...]
    quotes: tuple[Quote, ...]
    note: str = ""

    def count(self, state: State) -> int:
        """Count the citations with one state."""
        return sum(c.state is state for c in self.citations)


@keep(megabytes=16)
def layer(case: Case) -> Layer:
    """Check a response's citations and quotations against its context, in reading order, with offsets into the case; cached."""
    view = PlainCase.of(case)
    noted = with_notes(view.response)
    citations, note = _citations(view.case, noted)
    checked = plain_quotes(view.response, view.case.context, [(c.citation.outer, c.citation.end) for c in citations])
    quoted = [in_original(view, q, view.response) for q in checked]
    for footnote in noted.notes:
        quoted += [in_original(view, q, footnote.view, footnote.start) for q in plain_quotes(footnote.view, view.case.context)]
    placed_ones = sorted((_in_original(case, view, noted.view, c) for c in citations), key=lambda c: c.citation.outer)
    return Layer(tuple(placed_ones), tuple(sorted(quoted, key=lambda q: q.start)), note)


def _citations(case: Case, noted: NotedText) -> tuple[list[Checked], str]:
    """The citations of a plain response and of its notes, with what was not read."""
    response = noted.view.text
    ours = read_plain(response)
    index, names, notes = _context(case.context, Relevance.of(ours.citations, case_words(response)))
    results: dict[tuple[Citation, str], LookupResult] = {}
    looked_up_all: list[tuple[Citation, LookupResult]] = []
    for c in ours.citations:
        # A text may say the same thousands of times: it is looked up once.
        key = placeless(c), response[c.start : c.end]
        result = results[key] = results.get(key) or looked_up(case, c, response, index)
        looked_up_all.append((c, result))
    named = list(names.named_in(response, ours.citations))
    cited_for = [*claim_sentences(response, ours.citations), *claim_sentences(response, [n.citation for n in named])]
    looked_up_all += [(n.citation, LookupResult(State.HERE, n.source, why=ONLY_NAMED)) for n in named]
    checked = []
    for (c, result), (sentence, claim) in zip(looked_up_all, cited_for, strict=True):
        of_note = noted.sentence(c.start)
        places = (sentence, claim) if of_note < 0 else (of_note, of_note)
        checked.append(_checked(case, response, c, result, *places))
    checked.sort(key=lambda c: c.citation.outer)
    return checked, " ".join(dict.fromkeys(filter(None, (ours.note, *(notes if checked else ())))))


def _in_original(case: Case, view: PlainCase, response: PlainView, checked: Checked) -> Checked:
    """A citation of the plain case with the offsets of the original."""
    place, differs = checked.place, checked.differs
    theirs = checked.theirs
    if place:
        source = None if checked.in_source else view.context[place.passage]
        differs = tuple(
            d._replace(
                span=response.span(*d.span) if d.span else None,
                context_span=source.span(*d.context_span) if source and d.context_span else d.context_span,
            )
            for d in differs
        )
        if not checked.in_source:
            place = place_in_original(view, place)
            theirs = case.context[place.passage].text[place.start : place.end]
    citation = placed(checked.citation, response)
    return replace(checked, citation=citation, place=place, theirs=theirs, differs=differs)


def _context(context: tuple[Passage, ...], relevance: Relevance) -> tuple[Index, CaseNames, tuple[str, ...]]:
    """What of a context may concern the citations of a response."""
    citations: list[ContextCitation] = []
    titles: list[tuple[int, str]] = []
    notes: list[str] = []
    for p, passage in enumerate(context):
        if relevance.concerns(passage.text):
            reading = read_plain(passage.text)
            citations += [ContextCitation(ContextPlace(p, c.outer, c.end), c, False) for c in reading.citations]
            if reading.note:
                notes.append(f"Passage {p + 1}: {reading.note}")
        if relevance.concerns(passage.source):
            titles.append((p, passage.source))
            citations += [ContextCitation(ContextPlace(p, 0, 0), c, True) for c in read(passage.source).citations]
    return Index(citations), CaseNames.of(titles, citations), tuple(notes)


def _checked(case: Case, response: str, ours: Citation, result: LookupResult, sentence: int, claim: int) -> Checked:
    place, theirs, in_source, differs = None, "", False, result.differs
    if result.match:
        place, in_source = result.match.place, result.match.in_source
        passage = case.context[place.passage]
        theirs = passage.source if in_source else passage.text[place.start : place.end]
        text = passage.source if in_source else passage.text
        differs = tuple(_placed(d, response, ours, text, result.match.citation) for d in differs)
    return Checked(ours, result.state, place, in_source, theirs, differs, result.why, sentence, claim)


def _placed(differs: Differs, response: str, ours: Citation, passage: str, theirs: Citation) -> Differs:
    span = part_span(response, ours, differs.part, differs.ours)
    return differs._replace(span=span, context_span=part_span(passage, theirs, differs.part, differs.theirs))


_LAST = ("year", "court", "pin cite", "edition")
_NAMES = ("first party", "second party", "order of the parties")


def part_span(text: str, citation: Citation, part: str, words: str) -> tuple[int, int] | None:
    """Where a citation says one part, named as in `Differs.part`; spaces may differ in `text`.

    None if the citation itself does not state the part, as an Id. states no year.
    """
    named = part in _NAMES
    start, end = (citation.outer, citation.start) if named else (citation.start, citation.end)
    spans = _found(text, words, start, end)
    if not spans:
        return None
    if part in _LAST:
        return spans[-1]
    if part in ("page", "section"):
        reporter = _found(text, citation.parts.reporter, citation.start, citation.end)
        return next((span for span in spans if not reporter or span[0] >= reporter[0][1]), spans[0])
    return spans[-1] if part == "second party" else spans[0]


_DASH = "(?:[-‐‑–]|to|through|thru)"
"""Between the ends of a range."""


def _found(text: str, words: str, start: int, end: int) -> list[tuple[int, int]]:
    """Every place of words in a span, however they are spaced there."""
    tokens = re.findall(r"\w+|[^\w\s]", words)
    if not tokens:
        return []
    left, right = (r"(?<!\w)" if tokens[0][0].isalnum() else ""), (r"(?!\w)" if tokens[-1][-1].isalnum() else "")
    pattern = re.compile(left + r"\s*".join(_DASH if t == "–" else re.escape(t) for t in tokens) + right)
    return [m.span() for m in pattern.finditer(text, start, end)]
