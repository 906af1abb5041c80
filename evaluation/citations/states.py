"""What became of every citation of a response in its context: there, there but different, not there, or not to be read.

No model and no network: a citation that is not in the context may still exist elsewhere, and one that is there may be cited for
what it does not say. The words here say no more than that.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from evaluation.citations._comparing_parts import Differs, compared, like
from evaluation.citations._index import Found, Index
from evaluation.citations.claims import claim_sentences
from evaluation.citations.quotes import Place, Quote, quotes
from evaluation.citations.reading import read
from evaluation.citations.types import Citation, Form, Kind, code_name, key_of
from evaluation.types import Case, Passage


class State(StrEnum):
    """What a lawyer can act on."""

    HERE = "in the context"
    DIFFERENT = "in the context, but different"
    ABSENT = "not in the context"
    UNREAD = "could not be read"


@dataclass(frozen=True, slots=True)
class Checked:
    """One citation of a response.

    Attributes:
        citation: with offsets into the response.
        state: see `State`.
        place: where it, or what is like it, stands in the context; a place in a source begins and ends at 0.
        in_source: whether that is what the passage is called.
        theirs: the words there.
        differs: parts that differ from those words.
        why: a sentence that says more; empty where there is no more to say.
        sentence: index of the response sentence that holds it.
        claim: index of the sentence that it is cited for.
    """

    citation: Citation
    state: State
    place: Place | None
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
        """How many citations have a state."""
        return sum(c.state is state for c in self.citations)


@lru_cache(maxsize=32)
def layer(case: Case) -> Layer:
    """Check the citations and quotations of a case's response against its context; linear in both, and kept."""
    ours = read(case.response)
    known, notes = _context(case.context) if ours.citations else (Index(()), ())
    cited_for = claim_sentences(case.response, ours.citations)
    checked = tuple(
        _checked(case, c, known, sentence, claim) for c, (sentence, claim) in zip(ours.citations, cited_for, strict=True)
    )
    note = " ".join(dict.fromkeys(filter(None, (ours.note, *notes))))
    return Layer(checked, quotes(case.response, case.context), note)


@lru_cache(maxsize=8)
def _context(context: tuple[Passage, ...]) -> tuple[Index, tuple[str, ...]]:
    found: list[Found] = []
    notes: list[str] = []
    for p, passage in enumerate(context):
        reading = read(passage.text)
        found += [Found(Place(p, c.outer, c.end), c, False) for c in reading.citations]
        found += [Found(Place(p, 0, 0), c, True) for c in read(passage.source).citations]
        if reading.note:
            notes.append(f"Passage {p + 1}: {reading.note}")
    return Index(found), tuple(notes)


class _Result(NamedTuple):
    state: State
    found: Found | None = None
    differs: tuple[Differs, ...] = ()
    why: str = ""


def _checked(case: Case, ours: Citation, known: Index, sentence: int, claim: int) -> Checked:
    result = _looked_up(case, ours, known)
    place, theirs, in_source = None, "", False
    if result.found:
        place, in_source = result.found.place, result.found.in_source
        passage = case.context[place.passage]
        theirs = passage.source if in_source else passage.text[place.start : place.end]
    return Checked(ours, result.state, place, in_source, theirs, result.differs, result.why, sentence, claim)


def _looked_up(case: Case, ours: Citation, known: Index) -> _Result:
    same = known.same(ours)
    if same and (other_report := _other_report(ours, same)):
        return other_report
    if same:
        pins = [f for f in same if _same_pages(ours, f.citation)]
        best = min(pins or same, key=lambda f: (len(compared(ours, f.citation)), f.citation.form is not Form.FULL, f.in_source))
        if differs := compared(ours, best.citation):
            return _Result(State.DIFFERENT, best, differs)
        return _Result(State.HERE, best, why=_unchecked_pin(ours, same))
    if place := _stands(case, ours):
        return _Result(State.HERE, Found(place, ours, False), why="Its words stand there.")
    near = [(f, like(ours, f.citation)) for f in known.sharing(ours)]
    alike = sorted((f for f, how in near if how == "other"), key=lambda f: len(compared(ours, f.citation)))
    if alike and (ours.key or ours.parts.plaintiff):
        differs = compared(ours, alike[0].citation)
        how = "" if ours.key else "Found by its names."
        return _Result(State.DIFFERENT if differs else State.HERE, alike[0], differs, how)
    if ours.form is Form.UNREADABLE or (not ours.key and ours.kind is Kind.CASE):
        return _Result(State.UNREAD, why=ours.why or "What it refers to could not be told.")
    if place := _number(case, ours):
        return _Result(State.HERE, Found(place, ours, False), why="Its number stands there, without the name of the law.")
    if not ours.key:
        return _Result(State.UNREAD, why="It names no law, and its number does not stand in the context.")
    if place := _act(case, ours):
        return _Result(State.ABSENT, Found(place, ours, False), why="The context names the act without this year.")
    nearest = [f for f, how in near if how == "near"]
    return _Result(State.ABSENT, nearest[0] if nearest else None, why=_nearest_words(nearest))


def _other_report(ours: Citation, same: Sequence[Found]) -> _Result | None:
    """What there is to say of a parallel citation that the context does not give: its reporter may have another page there."""
    own = key_of(ours.kind, ours.parts)
    if ours.kind is Kind.LAW or ours.form is not Form.FULL or any(own in f.citation.same for f in same):
        return None
    code = code_name(ours.parts.reporter)
    full = [f for f in same if f.citation.form is Form.FULL]
    reports = [f for f in full if code_name(f.citation.parts.reporter) == code]
    best = min(reports or full or same, key=lambda f: len(compared(ours, f.citation)))
    differs = compared(ours, best.citation, reports=bool(reports))
    why = "" if reports else "The context gives only a parallel report of it, so volume and page are not checked."
    return _Result(State.DIFFERENT if differs else State.HERE, best, differs, why)


def _number(case: Case, ours: Citation) -> Place | None:
    """Where the number of a bare section stands, if it is one that nothing else would have."""
    page = ours.parts.page
    if ours.form is not Form.SHORT or page.isdecimal() or len(page) < 3:
        return None
    return _first(case, re.compile(rf"(?<![\w.-]){re.escape(page)}(?![\w-])"))


def _act(case: Case, ours: Citation) -> Place | None:
    """Where an act stands without its year."""
    named = re.fullmatch(r"(?:The\s|the\s)?(.+\bAct)(?:\sof)?\s\d{4}.*", ours.parts.reporter)
    return _first(case, re.compile(rf"\b{re.escape(named[1])}\b")) if named else None


def _first(case: Case, sought: re.Pattern[str]) -> Place | None:
    for p, passage in enumerate(case.context):
        if m := sought.search(passage.text):
            return Place(p, *m.span())
    return None


def _nearest_words(nearest: Sequence[Found]) -> str:
    return "The context cites something close to it." if nearest else ""


def _same_pages(ours: Citation, theirs: Citation) -> bool:
    """Whether both name pages of one report, so that these can be compared."""
    if ours.kind is Kind.LAW or not ours.parts.pin or not theirs.parts.pin:
        return False
    reports = [code_name(c.parts.reporter or c.resolved.reporter) for c in (ours, theirs)]
    return reports[0] == reports[1]


def _unchecked_pin(ours: Citation, same: Sequence[Found]) -> str:
    if ours.parts.pin and ours.kind is not Kind.LAW and not any(_same_pages(ours, f.citation) for f in same):
        return f"The context names no page of this report, so the pin cite {ours.parts.pin} is not checked."
    return ""


def _stands(case: Case, ours: Citation) -> Place | None:
    """Where an unreadable citation's words stand in the context, as they are."""
    if ours.form is not Form.UNREADABLE or ours.why.startswith("There is no authority"):
        return None
    words = case.response[ours.start : ours.end].split()
    return _first(case, re.compile(r"\s+".join(map(re.escape, words))))
