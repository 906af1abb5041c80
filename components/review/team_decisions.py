"""Everyone's decisions on the cases that are revealed to a reviewer; read again only after a change of the store."""

from typing import NamedTuple

import streamlit as st

from components import shell, state
from groundscope.review import StoredDecision, default
from groundscope.review.decisions import bare, counting_by_case
from groundscope.review.ratings import MeasureRow, RatedPlace, Rating, agreement_rows, person_ratings
from groundscope.review.settling import ReviewDifference, gold_decisions, review_differences
from groundscope.runtime.byte_cache import keep
from groundscope.text.humanize import plural
from groundscope.types import Case

AGREED = ""
"""Stands for what reviewers agree on, or was settled, in place of a name."""
_Decisions = dict[str, dict[int, StoredDecision]]


class TeamDecisions(NamedTuple):
    """Decisions on the revealed cases; `hidden` are the keys of those that others decided and that are not revealed.

    `people` has by name what counts, `blind` what counts of what was decided blind.
    """

    people: dict[str, _Decisions]
    blind: dict[str, _Decisions]
    settled: _Decisions
    cases: dict[str, Case]
    hidden: tuple[str, ...]

    def differences(self, names: tuple[str, ...]) -> tuple[ReviewDifference, ...]:
        """Where these people differ."""
        return review_differences({n: self.people[n] for n in names}, self.settled)


_NOTHING = "No case that anyone reviewed is revealed to you yet. Reveal a case after you have decided it, or all of them here."


def opened_to(name: str) -> TeamDecisions | None:
    """What a reviewer may see, with the offer to reveal the rest; None, and a notice, where that is nothing."""
    view = decisions_shown_to(name)
    if view.hidden:
        with st.container(horizontal=True, vertical_alignment="center"):
            count = plural(len(view.hidden), "reviewed case is", "reviewed cases are")
            st.html(shell.note(f"{count} not revealed to you and not counted here."), width="content")
            label = f"Reveal {plural(len(view.hidden), 'case')}"
            st.button(label, key="review_reveal_all", on_click=_reveal, args=(name, view.hidden))
    if not view.cases:
        shell.notice("info", _NOTHING)
        return None
    return view


def _reveal(name: str, keys: tuple[str, ...]) -> None:
    default().reveal(name, *default().cases(keys).values())


def decisions_shown_to(name: str) -> TeamDecisions:
    """What a reviewer may see of everyone's decisions; the last reading is kept."""
    return state.once("review_gathered", (name, default().stamp()), lambda: _read(name), 1)


def _read(name: str) -> TeamDecisions:
    store = default()
    shown = store.revealed(name)
    history = {who: store.all(who) for who in store.reviewers()}
    people = {who: counting_by_case(own) for who, own in history.items()}
    keys = dict.fromkeys(key for decided in people.values() for key in decided)
    return TeamDecisions(
        {who: _only(decided, shown) for who, decided in people.items()},
        {who: _only(counting_by_case(d for d in own if d.blind), shown) for who, own in history.items()},
        _only(store.settled(), shown),
        store.cases([k for k in keys if k in shown]),
        tuple(k for k in keys if k not in shown),
    )


def _only(decided: _Decisions, keys: dict[str, str]) -> _Decisions:
    return {key: own for key, own in decided.items() if key in keys}


def ratings_of(view: TeamDecisions, name: str, *, blind: bool) -> dict[RatedPlace, Rating]:
    """What a person says, or what holds of it all where the name is `AGREED`."""
    if name == AGREED:
        return person_ratings(gold_decisions(view.people, view.settled), view.cases)
    return person_ratings(bare((view.blind if blind else view.people).get(name, {})), view.cases)


def agreement_of(name: str, people: tuple[str, ...], *, blind: bool) -> tuple[MeasureRow, ...]:
    """How far people agree on what is revealed to a reviewer."""
    return _agreement(default().database.shown, name, default().stamp(), people, blind)


@keep(megabytes=8)
def _agreement(_path: str, name: str, _stamp: tuple[int, ...], people: tuple[str, ...], blind: bool) -> tuple[MeasureRow, ...]:
    view = decisions_shown_to(name)
    return agreement_rows([ratings_of(view, who, blind=blind) for who in people], lambda key: query_of(view.cases[key]))


def query_of(case: Case) -> str:
    """What stays together when queries are drawn: the case's query, by its group or by its words."""
    return case.group or case.query
