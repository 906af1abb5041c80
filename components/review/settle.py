"""Differences between reviewers, one at a time with its sentence and its sources, to settle."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from components import shell, state
from components.controls import errors_shown
from components.review import board, team_decisions
from components.shell import component
from components.team.person import log_view
from components.worker.reading import read_once
from groundscope.cases.error_types import TITLES
from groundscope.drawing.board import prepared
from groundscope.findings.listing import nearest_sentences
from groundscope.review import ReviewDecision, default
from groundscope.review.decisions import WHOLE, unlabelled
from groundscope.review.settling import ReviewDifference
from groundscope.storage.team import Role, lacks
from groundscope.text.humanize import plural
from groundscope.types import Case

_KEY, _SAID = "review_settle", "review_settling"
_AT, _LAST = "review_difference", "review_settled_last"

_mount = component("settle", root="groundscope", css=("heatmap", "review"), scripts=("text", "sources", "keys", "settle"))


def show(name: str) -> None:
    """The whole view, of what is revealed to this reviewer."""
    if team_decisions.opened_to(name):
        st.fragment(_draw)(name)


def _draw(name: str) -> None:
    view = team_decisions.decisions_shown_to(name)
    differences = view.differences(tuple(view.people))
    shell.show_said(_SAID)
    if not differences:
        shell.notice("info", "Reviewers have no differing decisions.")
        return
    left = sum(d.settled is None for d in differences)
    with st.container(horizontal=True, vertical_alignment="center", key="casebar"):
        st.html(shell.note(f"{plural(len(differences), 'difference')}, {left:,} not settled."), width="stretch")
        only = st.toggle("Only what is not settled", value=True, key="review_open_only")
    shown = [d for d in differences if not (only and d.settled)]
    if not shown:
        shell.notice("good", "Everything is settled.")
        return
    places = [(d.key, d.sentence) for d in shown]
    chosen = state.value(_AT, places[0])
    at = places.index(chosen) if chosen in places else 0
    case = view.cases[shown[at].key]
    bare = unlabelled(case)
    if read_once(bare, lambda: prepared(bare)) is None:
        return
    with errors_shown():
        log_view("read a case to review", case=shown[at].key)
        _mount(key=_KEY, data=_drawn(case, shown, at), on_item_change=partial(_take, case, name, shown, at))


def _drawn(case: Case, shown: Sequence[ReviewDifference], at: int) -> dict[str, Any]:
    """The difference in its case, as JSON."""
    d, fixed = shown[at], prepared(unlabelled(case))
    nearest = nearest_sentences(unlabelled(case), shares=fixed.shares)
    people = [{"name": n, **board.drawn_decision(case, stored, fixed.units)} for n, stored in d.decisions.items()]
    return {
        **board.drawn(case, {}, 0.0),
        "id": _id(d),
        "query": case.query,
        "sentence": d.sentence,
        "at": at,
        "of": len(shown),
        "places": {str(one.sentence): n for n, one in enumerate(shown) if one.key == d.key},
        "people": people,
        "nearest": nearest[d.sentence] if d.sentence != WHOLE else -1,
        "settled": _settled_words(d),
        "last": state.value(_LAST, ""),
        "refused": lacks(Role.LEAD),
    }


def _id(d: ReviewDifference) -> str:
    return f"{d.key} {d.sentence} {d.settled.number if d.settled else 0} {[s.number for s in d.decisions.values()]}"


def _settled_words(d: ReviewDifference) -> str:
    if d.settled is None:
        return ""
    held, when = d.settled.decision, d.settled.time[:16].replace("T", " ")
    words = f"{held.ruling}{f': {TITLES[held.type].lower()}' if held.type else ''}"
    return f"{d.settled.reviewer}, {when} UTC: {words}{f' (“{held.note}”)' if held.note else ''}"


def _take(case: Case, name: str, shown: Sequence[ReviewDifference], at: int) -> None:
    """Do what the browser asks of the difference that it shows; a second click that comes late is of none."""
    item = st.session_state[_KEY].get("item")
    d = shown[at]
    if not isinstance(item, dict) or item.get("id") != _id(d):
        return
    go = item.get("go")
    if type(go) is int and 0 <= go < len(shown):
        st.session_state[_LAST] = ""
        st.session_state[_AT] = shown[go].key, shown[go].sentence
    elif "settle" in item and (decision := _decision(case, d, item)):
        with errors_shown(place=_SAID):
            default().settle(case, name, decision, after=d.settled.number if d.settled else 0)
            st.session_state[_LAST] = "The one before is settled." if decision.ruling else "Open again."
            if decision.ruling:
                after = shown[(at + 1) % len(shown)]
                st.session_state[_AT] = after.key, after.sentence


def _decision(case: Case, d: ReviewDifference, item: dict[str, Any]) -> ReviewDecision | None:
    """What is to hold; None where the browser sends what no page makes."""
    if not item["settle"]:
        return ReviewDecision(d.sentence)
    decisions, whose = [stored.decision for stored in d.decisions.values()], item.get("as")
    try:
        written = board.read_back(case, {"sentence": d.sentence, **{k: item.get(k) for k in ("ruling", "type", "note")}})
    except ValueError:
        return None
    if type(whose) is int and 0 <= whose < len(decisions):
        return replace(decisions[whose], note=written.note or decisions[whose].note)
    return written if written.ruling else None
