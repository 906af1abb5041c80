"""Data of a case for the browser, and decisions read back from it. Pure: no streamlit.

Nothing of labels or other people is in it, nor of findings before they are revealed: what a reviewer must not see is not sent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from groundscope.cases.error_types import TITLES
from groundscope.drawing.board import drawn_checks, prepared
from groundscope.drawing.units import from_utf16, span_in
from groundscope.findings import FindingList
from groundscope.review.decisions import (
    WHOLE,
    ReviewDecision,
    Ruling,
    SourcePlace,
    StoredDecision,
    case_key,
    from_fields,
    unlabelled,
)
from groundscope.text.sentences import Unit, split
from groundscope.types import Case, ErrorType

SIGNS = {Ruling.SUPPORTED: "✓", Ruling.PARTLY: "~", Ruling.NOT_SUPPORTED: "✗", Ruling.CONTRADICTED: "⊥", Ruling.CANNOT_SAY: "?"}
"""A sign of each ruling beside its key."""
_FIELDS = {"rests": "rests_on"}
"""Fields of a decision that have another name in the browser, where a passage is the index of a sentence."""


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
) -> dict[str, Any]:
    """The case, its reviewer's decisions and what a decision may be, as JSON.

    `sentence` is the one to open at, -1 for the first that is undecided; `acked` is the last number that is kept; `failed` says
    that what came after it could not be; `findings` are those that the reviewer sees; `undo` has the sentences of the decisions
    that can be taken back, the last one at the end; `more` says that another case is unread.
    """
    fixed = prepared(unlabelled(case))
    return {
        "key": case_key(case),
        "reviewer": reviewer,
        "next": more,
        "response": fixed.data["response"],
        "context": fixed.data["context"],
        "rulings": [
            {"id": r.value, "key": str(i), "title": r.value, "sign": SIGNS[r], "on": r is Ruling.SUPPORTED}
            for i, r in enumerate(Ruling, 1)
        ],
        "types": [{"id": t.value, "title": TITLES[t]} for t in ErrorType],
        "decisions": {str(i): _drawn(case, d, fixed.units) for i, d in current.items()},
        "saved": max((d.time for d in current.values()), default="")[11:16],
        "acked": acked,
        "start": sentence,
        "failed": failed,
        "undo": list(undo),
        "findings": _listed(case, findings, fixed.units) if findings else None,
    }


def _listed(case: Case, findings: FindingList, units: Sequence[Unit]) -> dict[str, Any]:
    """The headline, the sentences in the order to read them, and what is said of each."""
    of = drawn_checks(case, units, findings.findings)
    return {"headline": findings.headline, "order": list(dict.fromkeys(f.sentence for f in findings.findings)), "of": of}


def _drawn(case: Case, stored: StoredDecision, units: Sequence[Unit]) -> dict[str, Any]:
    d = stored.decision
    span = None
    if d.span and d.sentence != WHOLE:
        s = split(case.response)[d.sentence]
        span = span_in(case.response, *d.span, s.start, s.end)
    place = d.rests_on
    rests = next((j for j, u in enumerate(units) if place and (u.passage, u.start) == (place.passage, place.start)), -1)
    return {"ruling": d.ruling, "type": d.type, "span": span, "rests": rests, "note": d.note, "number": stored.number}


def read_back(case: Case, item: Mapping[str, Any], before: ReviewDecision | None = None) -> ReviewDecision:
    """A decision as the browser changes the one before; `ValueError` if it means nothing."""
    units, sentences = prepared(unlabelled(case)).units, split(case.response)
    sentence, span, rests = item.get("sentence"), item.get("span"), item.get("rests")
    read = from_fields(sentence, {**item, "span": None, "rests_on": None})
    whole = read.sentence == WHOLE
    if not whole and read.sentence >= len(sentences):
        raise ValueError("there is no such sentence")
    wrong = None
    if not whole and isinstance(span, list) and len(span) == 2 and all(type(n) is int and n >= 0 for n in span):
        s = sentences[read.sentence]
        text = case.response[s.start : s.end]
        start, end = (s.start + from_utf16(text, n) for n in span)
        wrong = (start, end) if start < end else None
    place = units[rests] if type(rests) is int and 0 <= rests < len(units) else None
    rests_on = SourcePlace(place.passage, place.start, place.end) if place else None
    sent = {"ruling": read.ruling, "type": read.type, "span": wrong, "rests": rests_on, "note": read.note}
    changes: dict[str, Any] = {_FIELDS.get(name, name): value for name, value in sent.items() if name in item}
    return replace(before or ReviewDecision(read.sentence), **changes)
