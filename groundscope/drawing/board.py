"""A case and its judgements as the data of the heatmap.

The browser gets texts already cut into sentences, so that no offset crosses the border between Python's characters and
JavaScript's UTF-16 units, except spans inside a sentence, which `utf16` converts.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

import numpy as np

from groundscope.cases.edits.by_hand import LONGEST
from groundscope.cases.error_types import STANCES, TITLES
from groundscope.cases.gold import gold_sentences
from groundscope.citations.explain import differing, quotes_of, summary
from groundscope.citations.quotes import ContextPlace
from groundscope.citations.source_facts import FactStanding, fact_standing
from groundscope.citations.states import Checked, State, layer
from groundscope.drawing.reader import passage_name
from groundscope.drawing.record import flag_words, order_words, proven
from groundscope.drawing.units import cut_text, span_in, utf16
from groundscope.files.sandbox import sandboxed
from groundscope.findings.differs import left_out
from groundscope.findings.exact import compared_in_words
from groundscope.findings.finding import Certainty, Finding
from groundscope.findings.listing import MethodReading, checked, findings_of, nearest_sentences, word_shares
from groundscope.methods import About
from groundscope.methods.board import standing
from groundscope.methods.defaults import EMBEDDER, QUICK
from groundscope.runtime.byte_cache import keep
from groundscope.statistics.decision import verdict
from groundscope.text.alignment import UnitFinder, aligned, says_otherwise
from groundscope.text.differences import BLIND_SPOTS, FACTS, Difference, Item, differences
from groundscope.text.humanize import one_line, page_numbers
from groundscope.text.languages import language_of
from groundscope.text.sentences import Unit, context_sentences, split
from groundscope.text.shown import shown_words
from groundscope.types import Case, Judgement, Matrix

CODES = {State.HERE: "here", State.DIFFERENT: "different", State.ABSENT: "absent", State.UNREAD: "unread"}


def citation_layer(case: Case, units: Sequence[Unit]) -> dict[str, Any] | None:
    """Make the data of citations and quotations in the heatmap."""
    cited = layer(case)
    if not cited.citations and not cited.quotes:
        return None
    places = _Places(case, units)
    citations = [
        {
            "u": c.sentence,
            "claim": c.claim,
            "at": places.in_answer(c.citation.outer, c.citation.end),
            "state": CODES[c.state],
            "text": shown_words(case.response, c.citation.outer, c.citation.end),
            "theirs": one_line(c.theirs),
            "place": _with_marks(c, places),
            "differs": differing(c),
            "marks": [m for d in c.differs if d.span for m in places.in_answer(*d.span)],
            "why": c.why,
            "quotes": quotes_of(c, cited.quotes, places.sentences),
        }
        for c in cited.citations
    ]
    quotes = [
        {
            "u": next((at[0] for at in places.in_answer(q.start, q.start + 1)), -1),
            "at": places.in_answer(q.start, q.end),
            "wrong": [w for a, b in q.wrong for w in places.in_answer(a, b)],
            "ok": q.verbatim,
            "text": shown_words(case.response, q.start, q.end),
            "note": q.note,
            "place": places.drawn(q.place or q.nearest),
        }
        for q in cited.quotes
    ]
    return {"items": citations, "quotes": quotes, "summary": summary(cited), "note": cited.note}


class _Places:
    """Places of a case as the browser counts them: [sentence, start, end] in UTF-16 offsets inside it."""

    def __init__(self, case: Case, units: Sequence[Unit]) -> None:
        self._case, self._units, self.finder = case, units, UnitFinder(units)
        self.sentences = [(s.start, s.end) for s in split(case.response)]
        self._answer_finder = UnitFinder([Unit(0, a, b) for a, b in self.sentences])

    def in_answer(self, start: int, end: int) -> list[list[int]]:
        """The parts of a span of the answer by sentence, without text between sentences."""
        spans = [(i, *self.sentences[i]) for i in self._answer_finder.overlapping(0, start, end)]
        return [[i, *span_in(self._case.response, max(start, a), min(end, b), a, b)] for i, a, b in spans]

    def in_sources(self, passage: int, start: int, end: int) -> list[list[int]]:
        """The parts of a span of a passage by context sentence."""
        text, units = self._case.context[passage].text, self._units
        inside = self.finder.overlapping(passage, start, end)
        return [[j, *span_in(text, start, end, units[j].start, units[j].end)] for j in inside]

    def drawn(self, place: ContextPlace | None, *, in_title: bool = False) -> dict[str, Any] | None:
        """A place of the sources; one `in_title` has no span in the text."""
        return place and {"p": place.passage, "at": [] if in_title else self.in_sources(*place)}


def _with_marks(checked: Checked, places: _Places) -> dict[str, Any] | None:
    drawn = places.drawn(checked.place, in_title=checked.in_source)
    if drawn and checked.place and not checked.in_source:
        spans = [d.context_span for d in checked.differs if d.context_span]
        drawn["marks"] = [at for span in spans for at in places.in_sources(checked.place.passage, *span)]
    return drawn


_LONG = 50_000
"""Bytes of a case that is read in the server: full of citations, it takes 0.2 s."""
MATRIX_CELLS = 60_000
"""Above this the browser gets each sentence's best matches instead of the whole matrix."""


@dataclass(frozen=True, slots=True)
class MethodRow:
    """One method on the board: its judgement, or in `state` why there is none yet ("scoring ...").

    The threshold is the user's, or the method's own; None = not set.
    """

    id: str
    about: About
    judgement: Judgement | None
    threshold: float | None
    state: str = ""
    busy: bool = False
    signature: str = ""


_CHECKS = {"checks": Certainty.EXACT, "differs": Certainty.DIFFERS, "remarks": Certainty.REMARK}


@dataclass(frozen=True, slots=True)
class _Fixed:
    """The data that do not change while methods arrive; cached, because 2 MB of context take seconds."""

    key: str
    units: tuple[Unit, ...]
    data: dict[str, Any]
    checks: tuple[Finding, ...]
    shares: tuple[dict[int, float], ...]


@keep(megabytes=64)
def prepared(case: Case) -> _Fixed:
    """Read what the board shows of the case alone, in a child process if it is long; cached, so a page does this first."""
    return sandboxed(_LONG, read_case, case)


def read_case(case: Case) -> _Fixed:
    """Read what the board shows of the case alone, here and now."""
    units = context_sentences(case.context)
    labels = (case.grounded, case.errors, case.unsupported, case.evidence)
    content = repr((case.id, case.query, case.response, case.context, labels)).encode("utf-8", "replace")
    findings = checked(case)
    data = {
        "response": cut_text(case.response, [(s.start, s.end, s.heading) for s in split(case.response)]),
        "context": _context(case, units),
        **{name: drawn_checks(case, units, [f for f in findings if f.certainty is c]) for name, c in _CHECKS.items()},
        "leftOut": _left_out(case, units),
        "compared": compared_in_words(case.response),
        "partly": language_of(case.response) != "en",
        "blindSpots": BLIND_SPOTS,
        "gold": _gold(case),
        "citations": citation_layer(case, units),
        "grounded": case.grounded,
    }
    return _Fixed(blake2b(content).hexdigest()[:16], units, data, findings, word_shares(case))


def board(
    case: Case,
    rows: Sequence[MethodRow],
    records: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    promises: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    *,
    rules: int = 0,
    method: str = "",
    sentence: int = -1,
    show_gold: bool = False,
    small: bool = False,
    follows: bool = False,
) -> dict[str, Any]:
    """Make everything that the heatmap draws, as JSON."""
    fixed = prepared(case)
    meaning = next((r.judgement.matrix for r in rows if r.id == EMBEDDER and r.judgement), None)
    of_checks, nearest = findings_of(case, checks=fixed.checks), nearest_sentences(case, meaning, fixed.shares)
    methods = [
        _method(case, row, fixed, records.get(row.id), nearest)
        | {"promise": promises.get(row.id), "standing": standing(row.signature, len(fixed.units))}
        for row in rows
    ]
    shown = [(records.get(r.id, {}).get("place"), promises.get(r.id), r.threshold) for r in rows]
    state = repr([(r.id, r.state, r.judgement and r.judgement.status, words) for r, words in zip(rows, shown, strict=True)])
    return {
        **fixed.data,
        "caseKey": fixed.key,
        "version": blake2b(f"{fixed.key}{state}{follows}{rules}".encode()).hexdigest()[:16],
        "methods": methods,
        "leading": [i for i, row in enumerate(rows) if not i or row.id == QUICK],
        "headline": of_checks.headline,
        "order": of_checks.order,
        "rules": rules,
        "differences": _differences(case, methods, fixed.units),
        "start": {"method": method, "sentence": sentence},
        "showGold": show_gold,
        "small": small,
        "follows": follows,
        "longestEdit": LONGEST,
    }


def _gold(case: Case) -> list[dict[str, Any]] | None:
    """Per response sentence: `e` its errors with spans in UTF-16 offsets inside it, `u` its untyped ones, `c` its evidence."""
    sentences = gold_sentences(case)
    if not sentences:
        return None
    labels = []
    for s in sentences:
        errors = [
            {
                "span": span_in(case.response, e.start, e.end, s.start, s.end),
                "type": TITLES[e.type],
                "why": e.why,
                "stance": STANCES[e.contradicted],
            }
            for e in s.errors
        ]
        untyped = [span_in(case.response, start, end, s.start, s.end) for start, end in s.unsupported]
        labels.append({"e": errors, "u": untyped, "c": list(s.evidence)})
    return labels


def _context(case: Case, units: Sequence[Unit]) -> list[dict[str, Any]]:
    by_passage: list[list[tuple[int, int, bool]]] = [[] for _ in case.context]
    for unit in units:
        by_passage[unit.passage].append((unit.start, unit.end, False))
    named = [{"source": _named(case, i), "document": p.document} for i, p in enumerate(case.context)]
    return [
        name | cut_text(p.text, by_passage[i], source=True) for i, (name, p) in enumerate(zip(named, case.context, strict=True))
    ]


def _named(case: Case, i: int) -> str:
    """A passage's name with its pages, where they are known."""
    pages = page_numbers(number for _, number in case.context[i].pages)
    return ", ".join(filter(None, [passage_name(case, i), pages]))


def _method(
    case: Case, row: MethodRow, fixed: _Fixed, record: Mapping[str, Any] | None, nearest: Sequence[int]
) -> dict[str, Any]:
    units = fixed.units
    judgement, title = row.judgement, row.about.plain or row.about.title
    worth = flag_words(record, row.threshold)
    reading = MethodReading(row.id, "", judgement, row.threshold, worth, title=title) if judgement else None
    listed = findings_of(case, reading, nearest, checks=fixed.checks, working=judgement is None and row.busy)
    doubts = [f for f in listed.findings if f.certainty is Certainty.DOUBTFUL]
    entry: dict[str, Any] = {
        "id": row.id,
        "title": row.about.title,
        "plain": title,
        "measures": row.about.measures,
        "aggregation": row.about.aggregation,
        "threshold": row.threshold,
        "thresholdSource": row.about.threshold_source,
        "words": row.state or (verdict(judgement, row.threshold).words if judgement else ""),
        "headline": listed.headline,
        "order": listed.order,
        "doubts": drawn_checks(case, units, doubts),
        "record": worth,
        "ranking": order_words(record),
        "proven": proven(record, row.threshold),
        "note": judgement.note if judgement else "",
        "raw": judgement.raw if judgement else "",
        "claims": _claims(case, judgement) if judgement else [],
        "busy": judgement is None and row.busy,
        "best": list(nearest),
        "s": None,
    }
    if judgement is None or judgement.support is None:
        return entry
    places = _Places(case, units)
    sentences = aligned(case, judgement)
    near = [[[j, round(support, 4)] for j, support in places.finder.ranked(s)] for s in sentences]
    copied = [s.matches if s.verbatim else () for s in sentences]
    matrix = judgement.matrix
    entry |= {
        "support": judgement.support,
        "seconds": judgement.seconds,
        "seen": judgement.context_seen,
        "cached": judgement.cached,
        "s": [s.support for s in sentences],
        "near": near,
        "best": _passages(near, listed.order, entry["best"]),
        "verbatim": [[span_in(case.response, *v, s.start, s.end) for v in s.verbatim] for s in sentences],
        "quoted": [[at for m in of for at in places.in_sources(m.passage, m.start, m.end)] for of in copied],
        "unsupported": [[span_in(case.response, *u, s.start, s.end) for u in s.unsupported] for s in sentences],
        "against": [s.contradiction for s in sentences],
        "otherwise": [says_otherwise(s) for s in sentences],
        "matrix": _thousandths(matrix) if matrix is not None and matrix.size <= MATRIX_CELLS else None,
    }
    return entry


def _passages(near: Sequence[Sequence[Sequence[float]]], findings: Sequence[int], nearest: Sequence[int]) -> list[int]:
    """The context sentence to read beside each response sentence: of one with findings not the best of low supports."""
    return [nearest[i] if i in findings and nearest[i] >= 0 else int(n[0][0]) if n else -1 for i, n in enumerate(near)]


def _left_out(case: Case, units: Sequence[Unit]) -> dict[str, Any]:
    """By response sentence: the words of its nearest passage that no sentence of the response repeats, and their place."""
    places = _Places(case, units)
    return {str(c.sentence): {"text": c.text, "place": places.drawn(c.place)} for c in left_out(case)}


def _claims(case: Case, judgement: Judgement) -> list[list[Any]]:
    """[response sentence, claim, support, reason] of each claim that a method checked."""
    starts = [s.start for s in split(case.response)]
    return [[max(0, bisect_right(starts, c.start) - 1), c.text, c.support, c.reason] for c in judgement.claims]


def _thousandths(matrix: Matrix) -> list[list[int | None]]:
    """Whole thousandths; None for a pair that the method did not read."""
    return [[None if np.isnan(x) else round(1000 * x) for x in row] for row in matrix.tolist()]


def _differences(case: Case, methods: Sequence[Mapping[str, Any]], units: Sequence[Unit]) -> dict[str, Any]:
    """For every pair of a response sentence and some method's best match, what differs."""
    pairs = {(i, int(j)) for m in methods for i, j in enumerate(m["best"]) if j >= 0}
    sentences = split(case.response)
    drawn = {}
    for i, j in sorted(pairs):
        unit = units[j]
        ours = case.response[sentences[i].start : sentences[i].end]
        theirs = case.context[unit.passage].text[unit.start : unit.end]
        if rows := differences(ours, theirs):
            items = [item for row in rows if row.kind in FACTS for item in row.response]
            where = dict(zip(items, fact_standing(case, ours, items), strict=True))
            drawn[f"{i}:{j}"] = {
                "rows": [_difference(row, ours, theirs, where) for row in rows],
                "r": [_item_span(ours, item) for row in rows for item in row.response],
                "c": [_item_span(theirs, item) for row in rows for item in row.context],
            }
    return drawn


def _item_span(text: str, item: Item) -> list[int]:
    return [utf16(text, item.start), utf16(text, item.end)]


def _difference(row: Difference, ours: str, theirs: str, where: Mapping[Item, FactStanding]) -> dict[str, Any]:
    response = [{"text": ours[item.start : item.end], "where": where.get(item, "")} for item in row.response]
    context = [{"text": theirs[item.start : item.end], "where": ""} for item in row.context]
    return {"kind": row.kind.value, "r": response, "c": context}


def drawn_checks(case: Case, units: Sequence[Unit], findings: Sequence[Finding]) -> list[list[dict[str, Any]]]:
    """List findings of exact checks by response sentence, with their words and the place to read."""
    places = _Places(case, units)
    drawn: list[list[dict[str, Any]]] = [[] for _ in places.sentences]
    for f in findings:
        check = {
            "kind": f.kind.value,
            "certainty": f.certainty.value,
            "check": f.check,
            "worth": f.worth,
            "text": shown_words(case.response, f.start, f.end),
            "why": f.why,
            "at": places.in_answer(f.start, f.end),
            "place": places.drawn(f.place, in_title=f.place is not None and f.place.start == f.place.end),
        }
        drawn[f.sentence].append(check)
    return drawn
