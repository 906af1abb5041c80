"""The row above the heatmap: the open case, the methods shown, their thresholds and their record."""

from collections.abc import Mapping
from contextlib import suppress

import streamlit as st

from components import case_sets, shell, state
from components.controls import several_of
from components.opened import choice, record, two_answers
from components.opened.case_bar import casebar, label, subtitle
from components.scoring import rules_in_use
from components.scoring.session import LoadedMethod, Session
from groundscope.methods import registry


def open_linked() -> bool:
    """Open the case of the link, else the one that was open; False, with a notice, if there is no such case."""
    case_id = st.query_params.get(state.SELECTED) or state.opened() or case_sets.SHOWCASE[0]
    linked = st.query_params.get("method", "")
    if registry.current(linked) != linked:
        st.query_params["method"] = registry.current(linked)
    changed = choice.linked_part(linked)
    linked_case = case_sets.find(case_id) or choice.linked_case(case_id)
    if linked_case is None:
        shell.heading("This case is not here")
        shell.notice(
            "info",
            "The case in the link is not loaded in this session. Uploaded cases stay in the session that loaded them, pasted "
            "ones in the browser that pasted them. Load the file again on the Cases page, or open a sample.",
        )
        return False
    if changed:
        shell.notice("info", changed)
    group, case = linked_case
    state.open_case(group.name, case.id)
    if st.query_params.get(state.SELECTED) != case.id:
        # The address always names the open case, so that a reload or a shared link opens it.
        st.query_params[state.SELECTED] = case.id
    return True


def toolbar(session: Session) -> list[LoadedMethod]:
    """The row above the open case: its question, which case, which methods. Returns the chosen methods."""
    group, case = session.opened
    with st.container(horizontal=True, vertical_alignment="center", key="casebar"):
        casebar(group, case, _go, label, subtitle(group, case, labelled=state.gold()))
        two_answers.offer(group, case)
        return _methods(session)


def _go(group: str, case_id: str) -> None:
    state.open_case(group, case_id)
    st.query_params[state.SELECTED] = case_id
    # The sentence belongs to the previous case; the method stays.
    st.query_params.pop("sentence", None)
    st.query_params.pop(choice.RUN, None)


def _methods(session: Session) -> list[LoadedMethod]:
    titles = {m.id: f"{m.about.title}{f' ({m.lacks.lower()})' if m.missing else ''}" for m in session.shown}
    linked = st.query_params.get("method")
    if linked and linked not in titles:
        shell.notice(
            "info",
            f"The method {linked[:80]} in the link is not here: it was deleted, has other settings now, or is not part of "
            "this version. Another one is shown; its judgements in a run stay on the pages of that run.",
        )
        del st.query_params["method"]
    with st.popover("Methods"):
        first = [m.id for m in session.shown if not (m.missing or m.method.on_request) or m.id == linked]
        chosen = several_of(
            st, "Methods to show", titles, state.METHODS, default=first, persist_state="session",
            placeholder="Choose at least one method",
        )  # fmt: skip
        _thresholds(titles)
        _record()
    if linked in titles and linked not in chosen:
        del st.query_params["method"]
    return session.of(chosen)


def _thresholds(titles: Mapping[str, str]) -> None:
    """Choose the thresholds: those that methods start with, or frozen ones, which carry their promises."""
    rules_in_use.begin()
    frozen, now = rules_in_use.names(), rules_in_use.chosen()
    if not frozen and now == rules_in_use.STARTING:
        return
    labels = {rules_in_use.STARTING: "Those that methods start with", **{name: f"Frozen: {name}" for name in frozen}}
    options: list[str | None] = [*([] if now in labels else [None]), *labels]
    chosen = st.selectbox(
        "Thresholds",
        options,
        index=options.index(now if now in labels else None),
        format_func=lambda name: "As set in this session" if name is None else labels[name],
        help="Thresholds that you froze on the Thresholds page stay for your next visits, with their promises about misses.",
    )
    if chosen is not None and chosen != now:
        rules_in_use.choose(chosen)
    if moved := [titles[name] for name in rules_in_use.moved() if name in titles]:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(shell.note(f"Moved by hand since: {', '.join(moved)}."), width="content")
            if now is not None:
                st.button("Undo", key="rules_back", on_click=rules_in_use.choose, args=(now,))


def _record() -> None:
    """Choose the run that shows how often the methods were right."""
    names = record.choices()
    if (now := record.chosen(names)) is None:
        return
    chosen = st.selectbox(
        "How often they are right: counted in the run",
        list(names),
        index=list(names).index(now),
        format_func=lambda run: choice.label(names[run]),
        help="A run with labelled cases, such as those of your own field. A method with other settings has no figures.",
    )
    if chosen != now:
        with suppress(OSError):
            record.choose(chosen)
