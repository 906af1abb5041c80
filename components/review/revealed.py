"""What a reviewer sees of a revealed case: its findings, and labels, other people and methods beside the own decisions."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from components import shell, state
from components.opened import record
from components.scoring import judging
from components.scoring.session import LoadedMethod, Session, this_session
from groundscope.cases.error_types import TITLES
from groundscope.cases.gold import gold_sentences
from groundscope.drawing.board import MethodRow, prepared
from groundscope.drawing.html import Html, region, table
from groundscope.drawing.record import flag_words
from groundscope.findings import FindingList, findings_of
from groundscope.findings.listing import leading, nearest_sentences
from groundscope.methods.defaults import EMBEDDER
from groundscope.review import Ruling, StoredDecision, case_key, default
from groundscope.review.decisions import unlabelled
from groundscope.review.ratings import gold_ratings
from groundscope.review.report import MissingMethod
from groundscope.text.alignment import aligned
from groundscope.text.humanize import joined, one_line
from groundscope.text.sentences import split
from groundscope.text.shown import shown_words
from groundscope.types import Case, Status

_PATIENCE, _POLL = 1.5, 0.5
_COUNTING = "How often it is right is being counted."


def listed(case: Case) -> FindingList:
    """The findings as the heatmap lists them: those of the checks, and what the method doubts that was shown there."""
    fixed = prepared(unlabelled(case))
    methods = this_session()
    shown = (state.way_back(case) or {}).get("method", "")
    first = shown if methods.of([shown]) else methods.recommendation.method
    names = dict.fromkeys((first, *(m.id for m in chosen(case, methods))))
    rows = judging.rows(case, methods.of(names), _PATIENCE, methods.listed[0].id)
    if any(r.busy for r in rows if r.id == first):
        return findings_of(case, checks=fixed.checks, working=True)
    readings = judging.readings(rows)
    if (reading := leading([r for r in readings if r.method == first]) or leading(readings)) is None:
        return findings_of(case, checks=fixed.checks)
    records = record.drawn({reading.method: reading.signature})
    worth = _COUNTING if records is None else flag_words(records.get(reading.method), reading.threshold)
    meaning = next((r.judgement.matrix for r in rows if r.id == EMBEDDER and r.judgement), None)
    return findings_of(case, replace(reading, record=worth), nearest_sentences(case, meaning, fixed.shares), checks=fixed.checks)


def chosen(case: Case, methods: Session) -> list[LoadedMethod]:
    """The methods that run on this machine and ask no chat model, and what the heatmap of this session shows of the case."""
    in_heatmap = {*(st.session_state.get(state.METHODS) or ()), (state.way_back(case) or {}).get("method", "")}
    return [m for m in methods.shown if m.id in in_heatmap or not (m.missing or m.method.asks)]


def left_out(rows: Sequence[MethodRow]) -> tuple[MissingMethod, ...]:
    """The methods that have no figure for the case, or not yet, and why."""
    return tuple(MissingMethod(r.about.title, why) for r in rows if (why := lacks(r)))


def lacks(row: MethodRow) -> str:
    """Why a method has no figure; empty where it has one."""
    if row.judgement is None:
        return "still at work" if row.busy else row.state.partition(":")[0].lower()
    if row.judgement.status is Status.SCORED:
        return ""
    note = one_line(row.judgement.note, 200)
    return f"{str(row.judgement.status).replace('_', ' ')}{f': {note}' if note else ''}"


def show(case: Case, name: str, findings: FindingList) -> None:
    """A row a sentence: the reviewer, others, gold labels, and every method of this machine."""
    shell.section("What others say")
    methods = chosen(case, this_session())
    waiting = _working(case, methods)
    polls = waiting or findings.working
    st.fragment(_draw, run_every=_POLL if polls else None)(case, name, methods, waiting)


def _working(case: Case, methods: Sequence[LoadedMethod]) -> tuple[str, ...]:
    """The methods at work on the case; with an empty name where how often they are right is being counted."""
    return (*(m.id for m in judging.running(case, methods)), *([""] if record.drawn({}) is None else []))


def _draw(case: Case, name: str, drawn: Sequence[LoadedMethod], waiting: tuple[str, ...]) -> None:
    methods = this_session().of(m.id for m in drawn)
    rows = judging.rows(case, methods)
    if waiting != _working(case, methods):
        # What the exports lack is another thing now.
        st.rerun()
    key = case_key(case)
    people = {name: default().current(key, name)}
    for other in dict.fromkeys(d.reviewer for d in default().history(key)):
        people.setdefault(other, default().current(key, other))
    st.html(region("What others say", Html(_table(case, people, rows, name))))
    st.html(shell.note(_words(case, people[name], rows)))
    if words := missing_words(rows):
        st.html(shell.note(words))


def missing_words(rows: Sequence[MethodRow]) -> str:
    """What the report and the pack lack if they are made now."""
    busy = [r.about.title for r in rows if r.busy]
    others = [f"{r.about.title} ({why})" for r in rows if not r.busy and (why := lacks(r))]
    verb = "is" if len(busy) == 1 else "are"
    parts = [f"{len(busy)} of {len(rows)} methods {verb} still at work: {joined(busy)}. Wait for all."] if busy else []
    parts += [f"Without a figure: {'; '.join(others)}."] if others else []
    return " ".join((*parts, "A report or a pack made now names what it lacks.")) if parts else ""


def _table(case: Case, people: dict[str, dict[int, StoredDecision]], rows: Sequence[MethodRow], name: str) -> str:
    gold = gold_sentences(case)
    heads = ["Sentence", "You", *(p for p in people if p != name), "Gold label", *(r.about.title for r in rows)]
    lines, by_method = [], [supports(case, r) for r in rows]
    for i, s in enumerate(split(case.response)):
        if s.heading:
            continue
        labels = gold[i] if gold else None
        types = ", ".join(TITLES[e.type] for e in labels.errors) if labels else ""
        label = types or ("wrong" if labels and labels.wrong else "sound" if labels or case.grounded else "–")
        mine = [str(own[i].decision.ruling or "–") if i in own else "–" for own in people.values()]
        text = shown_words(case.response, s.start, s.end)
        lines.append(
            (
                f"{i + 1}. {text[:60]}{'…' if len(text) > 60 else ''}",
                *mine,
                label,
                *(_said(r, own[i]) for r, own in zip(rows, by_method, strict=True)),
            )
        )
    return table(heads, lines, caption="By sentence; a method says “doubtful” below its threshold.", css="gs-counts gs-names")


def _said(row: MethodRow, support: float | None) -> str:
    if support is None or row.threshold is None:
        return "…" if row.busy else "–"
    return f"doubtful ({support:.2f})" if support < row.threshold else f"{support:.2f}"


def supports(case: Case, row: MethodRow) -> list[float | None]:
    """The support of each sentence, headings included, by one method; None where it has none."""
    count = len(split(case.response))
    return [s.support for s in aligned(case, row.judgement)] if row.judgement else [None] * count


def _words(case: Case, mine: dict[int, StoredDecision], rows: Sequence[MethodRow]) -> str:
    """How often each method said the same as the reviewer, of what both decided before the reveal."""
    wrong = {i: d.decision.ruling is not Ruling.SUPPORTED for i, d in mine.items() if d.blind and i >= 0 and d.decision.ruling}
    wrong = {i: w for i, w in wrong.items() if mine[i].decision.ruling is not Ruling.CANNOT_SAY}
    if not wrong:
        return "You decided no sentence before you revealed this case, so nothing is compared."
    gold = {i: r.flagged for (_, i), r in gold_ratings({"": case}).items() if i in wrong}
    parts = [f"gold labels {sum(gold[i] == wrong[i] for i in gold)} of {len(gold)}"] if gold else []
    for row in rows:
        support = supports(case, row)
        both = {i: s < row.threshold for i in wrong if (s := support[i]) is not None and row.threshold is not None}
        if both:
            parts.append(f"{row.about.title} {sum(both[i] == wrong[i] for i in both)} of {len(both)}")
    if not parts:
        return "No method has judged this case yet, and it has no labels."
    return (
        "Same as you, of the sentences that you decided blind (doubtful or not; partly supported counts as doubtful, “cannot "
        f"say” is left out): {'; '.join(parts)}."
    )
