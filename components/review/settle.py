"""The sentences that reviewers see differently, side by side, and the decision that settles each."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from components import shell
from components.controls import ticked_list
from components.review.gathered import Gathered
from groundscope.cases.error_types import TITLES
from groundscope.drawing.html import Html, region, table, tag
from groundscope.errors import StoreError
from groundscope.review import ReviewDecision, Ruling, default
from groundscope.review.decisions import WHOLE
from groundscope.review.report import pin_cite, quoted
from groundscope.review.settling import ReviewDifference
from groundscope.text.humanize import plural
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorType

_SAID = "review_settle"
_OWN = "another decision"


def show(found: Gathered, names: tuple[str, ...], name: str) -> None:
    """The list, and below it the difference that is chosen."""
    shell.show_said(_SAID)
    differences = found.differences(names)
    if not differences:
        shell.notice("info", "These people differ in nothing that both decided.")
        return
    left = sum(d.settled is None for d in differences)
    words = f"{plural(len(differences), 'difference')}, {left:,} not settled."
    only = st.toggle("Only what is not settled", value=True, key="review_open_only")
    shown = [d for d in differences if not (only and d.settled)]
    st.html(shell.note(words + (" Tick a row to see what each decided, and settle it." if shown else "")))
    if not shown:
        return
    at = ticked_list(_rows(shown, names, found), f"review_differences_{only}_{len(shown)}", 8, f"{words}", {"Sentence": 520})
    _detail(found, shown[at or 0], name)


def _rows(shown: Sequence[ReviewDifference], names: Sequence[str], found: Gathered) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Sentence": [_text(found.cases[d.key], d.sentence) for d in shown],
            **{n: [_said(d.decisions[n].decision) if n in d.decisions else "" for d in shown] for n in names},
            "Settled": [_said(d.settled.decision) if d.settled else "" for d in shown],
        }
    )


def _text(case: Case, sentence: int) -> str:
    if sentence == WHOLE:
        return f"Whole answer: {' '.join(case.response.split())[:120]}"
    s = split(case.response)[sentence]
    return " ".join(case.response[s.start : s.end].split())


def _said(d: ReviewDecision) -> str:
    return f"{d.ruling or '–'}{f': {TITLES[d.type].lower()}' if d.type else ''}"


def _detail(found: Gathered, d: ReviewDifference, name: str) -> None:
    case = found.cases[d.key]
    with st.container(border=True):
        st.html(f"{tag('p', tag('b', case.query or '(no question)'), dir='auto')}{tag('p', _text(case, d.sentence), dir='auto')}")
        people = list(d.decisions)
        decisions = [one.decision for one in d.decisions.values()]
        lines = [
            ("Decision", *map(_said, decisions)),
            ("Wrong words", *(case.response[slice(*one.span)] if one.span else "–" for one in decisions)),
            ("Rests on", *(_rests(case, one) for one in decisions)),
            ("Note", *(one.note or "–" for one in decisions)),
        ]
        st.html(region("What each decided", table(["", *people], lines, css="gs-counts gs-names")))
        if d.settled:
            st.html(shell.note(f"Settled by {d.settled.reviewer}, {d.settled.time[:16].replace('T', ' ')} UTC."))
        _form(case, d, name)


def _rests(case: Case, d: ReviewDecision) -> str | Html:
    return f"“{quoted(case, d.rests_on)}” {pin_cite(case, d.rests_on)}" if d.rests_on else "–"


def _form(case: Case, d: ReviewDifference, name: str) -> None:
    with st.form(f"review_settle_{d.key}_{d.sentence}", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            whose = st.selectbox("Settle as", [*d.decisions, _OWN], format_func=lambda n: n if n == _OWN else f"as {n} decided")
            ruling = st.selectbox("Decision, if another one", list(Ruling), format_func=lambda r: r.value)
            kind = st.selectbox("Error type", [None, *ErrorType], format_func=lambda t: TITLES[t] if t else "none")
            note = st.text_input("Note", max_chars=4_000)
        if st.form_submit_button("Settle", type="primary"):
            chosen = d.decisions[whose].decision if whose in d.decisions else ReviewDecision(d.sentence, ruling, kind)
            _settle(
                case,
                name,
                d,
                ReviewDecision(d.sentence, chosen.ruling, chosen.type, chosen.span, chosen.rests_on, note or chosen.note),
            )
    if d.settled and st.button("Open it again", key="review_unsettle"):
        _settle(case, name, d, ReviewDecision(d.sentence))


def _settle(case: Case, name: str, seen: ReviewDifference, decision: ReviewDecision) -> None:
    try:
        default().settle(case, name, decision, after=seen.settled.number if seen.settled else 0)
        shell.say(_SAID, "good", "Settled." if decision.ruling else "Open again.")
    except StoreError as error:
        shell.say(_SAID, "bad", str(error))
    st.rerun()
