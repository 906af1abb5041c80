"""The panel of edits on the heatmap: what was typed, the old values beside the new, undo, and a variant to keep.

Edits stay in the session: an edited case has no link, and nothing of it is saved until the user keeps it as a variant.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from components import case_sets, shell, state
from components.controls import table_csv
from components.heatmap.hands_on.moves import focus_of, moves, moves_frame, moves_html
from components.worker import scoring
from groundscope.cases.edits.by_hand import response_place, source_place
from groundscope.cases.edits.history import EditHistory, labelled_variant, variant_id
from groundscope.cases.error_types import TITLES
from groundscope.drawing.board import MethodRow, prepared
from groundscope.errors import DataError, GroundscopeError
from groundscope.text.humanize import plural
from groundscope.types import Case, ErrorType

_PLACE = "hands_on"
_NO_ERROR = "none"
_KINDS = {_NO_ERROR: "No error: it says the same", **{kind.value: title for kind, title in TITLES.items()}}


def shown(case: Case) -> Case:
    """The version of a case that the heatmap shows."""
    history = case_sets.edits().get(case)
    return history.shown.case if history else case


def _of(case: Case) -> EditHistory | None:
    """The history whose shown version is this case."""
    return next((h for h in case_sets.edits().values() if h.shown.case == case), None)


def focus(case: Case) -> int:
    """The sentence that the heatmap opens an edited case with; -1 where nothing was edited."""
    history = _of(case)
    return focus_of(history) if history else -1


def take(case: Case, message: object, chosen: Sequence[str]) -> bool:
    """Handle what was typed on the board over a sentence of the shown case; whether the page must be drawn again.

    What the browser sends is checked before use: a message about another version does nothing.
    """
    if not isinstance(message, Mapping) or message.get("case") != prepared(case).key:
        return False
    text, index, looked = message.get("text"), message.get("index"), message.get("sentence")
    if not isinstance(text, str) or not isinstance(index, int):
        return False
    place = response_place(case, index) if message.get("where") == "response" else source_place(case, index)
    if place is None:
        return False
    about = response_place(case, looked) if isinstance(looked, int) else None
    try:
        new = (_of(case) or EditHistory.of(case)).typed(place, text, about[:2] if about else (0, 0))
    except DataError as error:
        shell.say(_PLACE, "bad", str(error))
        return True
    if new.shown.case == case:
        return False
    _go(new, chosen)
    return True


def _go(history: EditHistory, chosen: Sequence[str]) -> None:
    """Show another version; what still scores an edited one that is left is stopped."""
    before = shown(history.original)
    if before != history.original:
        scoring.cancel(before, chosen)
    scoring.again(history.shown.case, chosen)
    # The newest is the last entry.
    case_sets.edits().pop(history.original, None)
    case_sets.edits()[history.original] = history


def controls(case: Case, chosen: Sequence[str]) -> None:
    """The row of undo, redo and keep over the heatmap of an edited case; nothing where it was not edited."""
    shell.show_said(_PLACE)
    history = case_sets.edits().get(case)
    if history is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="hands_on"):
        count = plural(history.at, "edit")
        words = f"Edited by hand: {count}. In this session only; the link opens the original." if history.at else "The original."
        st.html(shell.note(words), width="content")
        steps = (
            ("Undo", history.undone(), history.at > 0),
            ("Redo", history.redone(), history.can_redo),
            ("Back to the original", history.reset(), history.at > 0),
        )
        for label, target, possible in steps:
            key = f"edit_{label.split()[0].lower()}"
            st.button(label, key=key, disabled=not possible, on_click=_go, args=(target, chosen))
        if history.at:
            with st.popover("Keep as a variant", key="edit_keep_panel"):
                _keep_form(history)


def _keep_form(history: EditHistory) -> None:
    st.text_input("Name", key="edit_name", max_chars=60, help="Letters and digits of it become part of the variant's id.")
    st.selectbox("What the edit makes of the answer", list(_KINDS), format_func=_KINDS.__getitem__, key="edit_kind")
    st.text_input("Why", key="edit_note", max_chars=500, placeholder="such as: the rule says 30 days")
    if history.original.response == history.shown.case.response:
        st.html(shell.note("Only sources changed: with an error, the chosen sentence of the answer is marked."))
    st.button("Keep", key="edit_keep", type="primary", on_click=_keep, args=(history,))


def _keep(history: EditHistory) -> None:
    """Put the variant where the user's own cases are, and open it."""
    # Not as arguments: those are of the draw before the last word was typed.
    name, kind, note = (str(st.session_state[key]) for key in ("edit_name", "edit_kind", "edit_note"))
    taken = {c.id for group in case_sets.sets().values() for c in group.cases} | {c.id for c in case_sets.pasted_store().cases()}
    try:
        case_id = variant_id(history.original, name, taken)
        variant = labelled_variant(history, case_id, None if kind == _NO_ERROR else ErrorType(kind), note)
    except DataError as error:
        shell.say(_PLACE, "bad", str(error))
        return
    case_sets.edits().pop(history.original, None)
    spans = f" with {plural(len(variant.errors), 'marked place')}" if variant.errors else ""
    label = {True: "grounded", False: "ungrounded", None: "without a label"}[variant.grounded]
    try:
        case_sets.add_own(variant)
        shell.say("heatmap", "good", f"Kept as {case_id}, {label}{spans}. It is among your pasted cases on the Cases page.")
    except GroundscopeError as error:
        # It is in the session all the same.
        shell.say("heatmap", "bad", f"Kept as {case_id} for this session. {error}")
    state.open_case(case_sets.PASTED, variant.id)
    st.query_params[state.SELECTED] = variant.id
    st.query_params.pop("sentence", None)


def waiting(case: Case, chosen: Sequence[str]) -> list[str]:
    """Methods that still score the original of an edited case."""
    history = _of(case)
    if history is None or not history.at:
        return []
    scoring.rows(history.original, chosen)
    return scoring.running(history.original, chosen)


def table(case: Case, rows: Sequence[MethodRow], chosen: Sequence[str]) -> None:
    """The old value of every shown method beside the new one; nothing where the original is shown."""
    history = _of(case)
    if history is None or not history.at:
        return
    found: Any = moves(history, scoring.rows(history.original, chosen), rows)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.html(moves_html(found), width="stretch")
        table_csv(moves_frame(found), f"{history.original.id} edit", "edit_csv")
