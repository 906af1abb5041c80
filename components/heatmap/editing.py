"""Editing on the heatmap: sentences typed over, the old values of every method beside the new, undo, and variants.

Edits stay in the session: an edited case has no link, and nothing is saved until the user saves it as a variant.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from components import case_sets, shell, state
from components.scoring import judging
from components.scoring.session import LoadedMethod
from groundscope.cases.edits.by_hand import EditHistory, labelled_variant, response_place, source_place, variant_id
from groundscope.cases.error_types import TITLES
from groundscope.drawing.board import MethodRow, prepared
from groundscope.drawing.html import Html, region, table, with_small
from groundscope.errors import DataError, GroundscopeError
from groundscope.text.alignment import aligned
from groundscope.text.humanize import plural
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorType, Judgement

_MOVED = 0.005
"""Smallest difference that shows in two digits."""

_PLACE = "editing"
_NO_ERROR = "none"
_KINDS = {_NO_ERROR: "No error: same meaning", **{kind.value: title for kind, title in TITLES.items()}}


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


def take(case: Case, message: object, chosen: Sequence[LoadedMethod]) -> bool:
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


def _go(history: EditHistory, chosen: Sequence[LoadedMethod]) -> None:
    """Show another version; what still scores an edited one that is left is stopped."""
    before = shown(history.original)
    if before != history.original:
        judging.cancel(before, chosen)
    judging.again(history.shown.case, chosen)
    # The newest is the last entry.
    case_sets.edits().pop(history.original, None)
    case_sets.edits()[history.original] = history


def controls(case: Case, chosen: Sequence[LoadedMethod]) -> None:
    """The row of undo, redo and keep over the heatmap of an edited case; nothing where it was not edited."""
    history = case_sets.edits().get(case)
    shell.show_said(_PLACE, f"{case.id}, {history.at if history else 0}")
    if history is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="editing"):
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
    st.selectbox("Error that the edit introduces", list(_KINDS), format_func=_KINDS.__getitem__, key="edit_kind")
    st.text_input("Why", key="edit_note", max_chars=500, placeholder="such as: the rule says 30 days")
    if history.original.response == history.shown.case.response:
        st.html(shell.note("Only sources changed: with an error, the chosen sentence of the answer is marked."))
    st.button("Keep", key="edit_keep", type="primary", on_click=_keep, args=(history,))


def _keep(history: EditHistory) -> None:
    """Add the variant to the user's own cases and open it."""
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


def waiting(case: Case, chosen: Sequence[LoadedMethod]) -> list[LoadedMethod]:
    """Methods that still score the original of an edited case."""
    history = _of(case)
    if history is None or not history.at:
        return []
    judging.rows(history.original, chosen)
    return judging.running(history.original, chosen)


def show_moves(case: Case, rows: Sequence[MethodRow], chosen: Sequence[LoadedMethod]) -> None:
    """The old value of every shown method beside the new one; nothing where the original is shown."""
    history = _of(case)
    if history is None or not history.at:
        return
    st.html(moves_html(moves(history, judging.rows(history.original, chosen), rows)))


class SupportMove(NamedTuple):
    """One method before and after an edit.

    Attributes:
        before: lowest support of the sentences of the original that the edit is about, 0..1; None = not assessed, or not yet.
        others: how many other sentences moved, where no word of the answer changed; -1 = not comparable.
        state: why there is no value yet, "…" while the method scores, or empty.
    """

    title: str
    before: float | None
    after: float | None
    whole: tuple[float | None, float | None]
    others: int
    state: str
    verdict: str


def focus_of(history: EditHistory) -> int:
    """The index of the sentence that the shown edit is about, in the answer as it is shown."""
    ahead = EditHistory(history.versions, 1) if history.at == 0 and history.can_redo else history
    start, end = history.shown.focus if history.at else ahead.before()
    sentences = split(history.shown.case.response)
    touched = [i for i, s in enumerate(sentences) if s.start < max(end, start + 1) and start < s.end]
    # A sentence that was deleted has none; the next one stands in its place.
    return touched[0] if touched else min((i for i, s in enumerate(sentences) if s.start >= start), default=len(sentences) - 1)


def moves(history: EditHistory, before: Sequence[MethodRow], after: Sequence[MethodRow]) -> list[SupportMove]:
    """One entry a method, in the order of `after`; of the rows, `before` judge the original and `after` what is shown."""
    old = {row.id: row for row in before}
    return [_move(history, old.get(row.id), row) for row in after]


def _move(history: EditHistory, old: MethodRow | None, new: MethodRow) -> SupportMove:
    first, shown = history.original, history.shown.case
    judged = old.judgement if old else None
    was, now = _lowest(first, judged, history.before()), _lowest(shown, new.judgement, history.shown.focus)
    whole = (judged.support if judged else None, new.judgement.support if new.judgement else None)
    others = -1
    if first.response == shown.response and judged and new.judgement:
        pairs = zip(aligned(first, judged), aligned(shown, new.judgement), strict=True)
        start, end = history.shown.focus
        others = sum(_apart(a.support, b.support) for a, b in pairs if not (a.start < end and start < a.end))
    return SupportMove(
        new.about.title, was, now, whole, others, "…" if new.busy else new.state, _verdict(was, now, new.threshold)
    )


def _apart(a: float | None, b: float | None) -> bool:
    return (a is None) != (b is None) or (a is not None and b is not None and abs(a - b) >= _MOVED)


def _lowest(case: Case, judgement: Judgement | None, span: tuple[int, int]) -> float | None:
    if judgement is None or judgement.support is None:
        return None
    start, end = span
    supports = [s.support for s in aligned(case, judgement) if s.start < end and start < s.end]
    return min((x for x in supports if x is not None), default=None)


def _verdict(was: float | None, now: float | None, threshold: float | None) -> str:
    if threshold is None or was is None or now is None:
        return ""
    words = {(False, True): "now flagged", (True, False): "no longer flagged", (True, True): "flagged as before"}
    return words.get((was < threshold, now < threshold), "not flagged, as before")


def moves_html(methods: Sequence[SupportMove]) -> Html:
    """The table of an edit, a column a method, so that the heatmap under it stays in view."""
    rows = [
        ("This sentence", *(with_small(_arrow(m.before, m.after, m.state), m.verdict) for m in methods)),
        ("Whole answer", *(_arrow(*m.whole, m.state) for m in methods)),
    ]
    if any(m.others >= 0 for m in methods):
        rows.append(("Other sentences moved", *(str(m.others) if m.others >= 0 else "–" for m in methods)))
    heads = ("Original → now", *(m.title for m in methods))
    return region("Old and new values", table(heads, rows))


def _arrow(was: float | None, now: float | None, state: str) -> str:
    # The spaces do not break: in a narrow column each value keeps to its line.
    return f"{_number(was)}\N{NO-BREAK SPACE}→\N{NO-BREAK SPACE}{state or _number(now)}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
