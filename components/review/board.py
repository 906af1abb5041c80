"""Data of a case for the browser, and decisions read back from it. Pure: no streamlit.

Nothing of labels or other people is in it, nor of findings before they are revealed: what a reviewer must not see is not sent.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from groundscope.cases.error_types import TITLES
from groundscope.drawing.board import drawn_checks, prepared
from groundscope.drawing.units import from_utf16, span_in
from groundscope.findings import Certainty, FindingList
from groundscope.review.decisions import (
    WHOLE,
    WRONG,
    Correction,
    ReviewDecision,
    Ruling,
    SourcePlace,
    StoredDecision,
    case_key,
    from_fields,
    unlabelled,
)
from groundscope.review.redline import cell_of, narrowed, offered, row_cells, source_sentence
from groundscope.review.report import pin_cite
from groundscope.text.sentences import Sentence, Unit, split
from groundscope.types import Case, ErrorType

SIGNS = {Ruling.SUPPORTED: "✓", Ruling.PARTLY: "~", Ruling.NOT_SUPPORTED: "✗", Ruling.CONTRADICTED: "⊥", Ruling.CANNOT_SAY: "?"}
"""A sign of each ruling beside its key."""


def drawn(
    case: Case,
    current: Mapping[int, StoredDecision],
    acked: float,
    *,
    sentence: int = -1,
    failed: bool = False,
    findings: FindingList | None = None,
    undo: Sequence[int] = (),
    reviewer: str = "",
    more: bool = False,
    settled: Mapping[int, StoredDecision] = MappingProxyType({}),
) -> dict[str, Any]:
    """The case, its reviewer's decisions and what a decision may be, as JSON.

    `sentence` is the one to open at, -1 for the first that is undecided; `acked` is the last number that is stored; `undo` has
    the sentences of the decisions that can be taken back, the last one at the end; `more` says that another case is unread.
    """
    fixed = prepared(unlabelled(case))
    return {
        "key": case_key(case),
        "reviewer": reviewer,
        "next": more,
        "response": fixed.data["response"],
        "context": fixed.data["context"],
        "rulings": [
            {"id": r.value, "key": str(i), "title": r.value, "sign": SIGNS[r], "on": r is Ruling.SUPPORTED, "wrong": r in WRONG}
            for i, r in enumerate(Ruling, 1)
        ],
        "types": [{"id": t.value, "title": TITLES[t]} for t in ErrorType],
        "decisions": {str(i): drawn_decision(case, d, fixed.units, findings) for i, d in current.items()},
        "saved": max((d.time for d in current.values()), default="")[11:16],
        "acked": acked,
        "start": sentence,
        "failed": failed,
        "undo": list(undo),
        "settled": {str(i): f"Settled by {d.reviewer}: {d.decision.ruling}. " for i, d in settled.items()},
        "findings": findings
        and {
            "headline": findings.headline,
            "order": list(dict.fromkeys(f.sentence for f in findings.findings)),
            "of": drawn_checks(case, fixed.units, findings.findings),
        },
    }


def drawn_decision(
    case: Case, stored: StoredDecision, units: Sequence[Unit], findings: FindingList | None = None
) -> dict[str, Any]:
    """A decision with its places among the sentences of the answer and the sources."""
    d = stored.decision
    span = None
    if d.span and d.sentence != WHOLE:
        s = split(case.response)[d.sentence]
        span = span_in(case.response, *d.span, s.start, s.end)
    place = d.rests_on
    rests = next((j for j, u in enumerate(units) if place and (u.passage, u.start) == (place.passage, place.start)), -1)
    of_sentence = findings.of(d.sentence) if findings else ()
    places = (f.place for f in of_sentence if f.place and f.certainty in (Certainty.EXACT, Certainty.DIFFERS))
    # Before the findings are revealed, what is offered is of a passage that the reviewer chose.
    seen = next((SourcePlace(*place) for place in places if place.start < place.end), None)
    return {
        "ruling": d.ruling,
        "type": d.type,
        "span": span,
        "rests": rests,
        "note": d.note,
        "number": stored.number,
        "correction": _correction(case, d.sentence, d.correction, units),
        "offer": _correction(case, d.sentence, offered(case, d, seen), units),
    }


def _correction(case: Case, sentence: int, correction: Correction | None, units: Sequence[Unit]) -> dict[str, Any] | None:
    """`span` in the sentence, `at` in the unit of the sources that is quoted, and its pin-cite; unit -1 where none is."""
    if correction is None:
        return None
    s, place = split(case.response)[sentence], correction.place
    drawn = {"span": span_in(case.response, correction.start, correction.end, s.start, s.end), "unit": -1, "at": None, "cite": ""}
    u = source_sentence(case, place) if place else None
    if place is None or u is None:
        return drawn
    text, unit = case.context[u.passage].text, bisect_left(units, (u.passage, u.start), key=lambda unit: unit[:2])
    return drawn | {"unit": unit, "at": span_in(text, place.start, place.end, u.start, u.end), "cite": pin_cite(case, place)}


def read_back(case: Case, item: Mapping[str, Any], before: ReviewDecision | None = None) -> ReviewDecision:
    """A decision as the browser changes the one before; `ValueError` if it means nothing."""
    units, sentences = prepared(unlabelled(case)).units, split(case.response)
    sentence, rests = item.get("sentence"), item.get("rests")
    read = from_fields(sentence, {**item, "span": None, "rests_on": None, "correction": None})
    whole = read.sentence == WHOLE
    if not whole and read.sentence >= len(sentences):
        raise ValueError("there is no such sentence")
    before = before or ReviewDecision(read.sentence)
    ruling = read.ruling if "ruling" in item else before.ruling
    wrong = correction = None
    if not whole:
        s = sentences[read.sentence]
        wrong = _span_of(item.get("span"), case.response, s.start, s.end)
        correction = _correction_of(case, item.get("correction"), s, units)
    place = units[rests] if type(rests) is int and 0 <= rests < len(units) else None
    rests_on = SourcePlace(place.passage, place.start, place.end) if place else None
    sent = {"ruling": ruling, "type": read.type, "span": wrong, "rests_on": rests_on, "note": read.note, "correction": correction}
    changes: dict[str, Any] = {name: value for name, value in sent.items() if name.removesuffix("_on") in item}
    changed = replace(before, **changes)
    if "span" in item and "correction" not in item:
        changed = replace(changed, correction=narrowed(case, changed))
    if item.get("take") is True:
        # Asked for before the page knew what the source offers.
        changed = replace(changed, correction=offered(case, changed))
    # What is not wrong has nothing to correct.
    return changed if changed.ruling in WRONG else replace(changed, correction=None)


def _span_of(span: object, text: str, origin: int, limit: int) -> tuple[int, int] | None:
    """A span of the text, as the browser counts inside `text[origin:limit]`."""
    if not (isinstance(span, list) and len(span) == 2 and all(type(n) is int and n >= 0 for n in span)):
        return None
    start, end = (origin + from_utf16(text[origin:limit], n) for n in span)
    return (start, end) if start < end else None


def _correction_of(case: Case, sent: object, s: Sentence, units: Sequence[Unit]) -> Correction | None:
    """A correction as the browser writes it: a place of the sources, never words."""
    if not isinstance(sent, dict) or (span := _span_of(sent.get("span"), case.response, s.start, s.end)) is None:
        return None
    unit = sent.get("unit")
    if unit == -1:
        return Correction(*span, None)
    u = units[unit] if type(unit) is int and 0 <= unit < len(units) else None
    at = _span_of(sent.get("at"), case.context[u.passage].text, u.start, u.end) if u else None
    if not (u and at):
        return None
    # What stands between the cells of a row, no source says.
    cells = row_cells(case.context[u.passage].text[u.start : u.end])
    return (
        None if cells and not cell_of(cells, at[0] - u.start, at[1] - u.start) else Correction(*span, SourcePlace(u.passage, *at))
    )
