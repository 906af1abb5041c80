"""The citation layer of the heatmap as data: spans inside sentences, states, and places in the context."""

from collections.abc import Sequence
from typing import Any

from groundscope.citations.explain import differing, quotes_of, summary
from groundscope.citations.quotes import ContextPlace
from groundscope.citations.states import Checked, State, layer
from groundscope.drawing.offsets import span_in
from groundscope.text.alignment import UnitFinder
from groundscope.text.sentences import Unit, split
from groundscope.types import Case

CODES = {State.HERE: "here", State.DIFFERENT: "different", State.ABSENT: "absent", State.UNREAD: "unread"}


def citation_layer(case: Case, units: Sequence[Unit]) -> dict[str, Any] | None:
    """Make the data of citations and quotations in the heatmap."""
    found = layer(case)
    if not found.citations and not found.quotes:
        return None
    sentences = [(s.start, s.end) for s in split(case.response)]
    own = UnitFinder([Unit(0, a, b) for a, b in sentences])
    finder = UnitFinder(units)
    citations = [
        {
            "u": c.sentence,
            "claim": c.claim,
            "at": _inside(case.response, sentences, own, c.citation.outer, c.citation.end),
            "state": CODES[c.state],
            "text": _line(case.response[c.citation.outer : c.citation.end]),
            "theirs": _line(c.theirs),
            "place": _with_marks(case, c, units, finder),
            "differs": differing(c),
            "marks": [m for d in c.differs if d.span for m in _inside(case.response, sentences, own, *d.span)],
            "why": c.why,
            "quotes": quotes_of(c, found.quotes, sentences),
        }
        for c in found.citations
    ]
    quotes = [
        {
            "u": next(iter(own.overlapping(0, q.start, q.start + 1)), -1),
            "at": _inside(case.response, sentences, own, q.start, q.end),
            "wrong": [w for a, b in q.wrong for w in _inside(case.response, sentences, own, a, b)],
            "ok": q.verbatim,
            "text": _line(case.response[q.start : q.end]),
            "note": q.note,
            "place": _place(case, q.place or q.nearest, False, units, finder),
        }
        for q in found.quotes
    ]
    return {"items": citations, "quotes": quotes, "summary": summary(found), "note": found.note}


def _line(text: str) -> str:
    return " ".join(text.split())


def _inside(text: str, sentences: Sequence[tuple[int, int]], own: UnitFinder, start: int, end: int) -> list[list[int]]:
    """The parts of a span by sentence, without text between sentences."""
    spans = [(i, *sentences[i]) for i in own.overlapping(0, start, end)]
    return [[i, *span_in(text, max(start, a), min(end, b), a, b)] for i, a, b in spans]


def _with_marks(case: Case, checked: Checked, units: Sequence[Unit], finder: UnitFinder) -> dict[str, Any] | None:
    place = _place(case, checked.place, checked.in_source, units, finder)
    if place and checked.place and not checked.in_source:
        parts = [ContextPlace(checked.place.passage, *d.context_span) for d in checked.differs if d.context_span]
        place["marks"] = [span for part in parts for span in _spans(case, part, units, finder)]
    return place


def _place(
    case: Case, place: ContextPlace | None, in_source: bool, units: Sequence[Unit], finder: UnitFinder
) -> dict[str, Any] | None:
    if place is None:
        return None
    if in_source:
        return {"p": place.passage, "at": []}
    return {"p": place.passage, "at": _spans(case, place, units, finder)}


def _spans(case: Case, place: ContextPlace, units: Sequence[Unit], finder: UnitFinder) -> list[list[int]]:
    text = case.context[place.passage].text
    inside = finder.overlapping(place.passage, place.start, place.end)
    return [[j, *span_in(text, place.start, place.end, units[j].start, units[j].end)] for j in inside]
