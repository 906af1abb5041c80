"""Matters on the Cases page: their sources, the answers that are checked against them, and the way to read and review these."""

from html import escape

import streamlit as st

from components import case_sets, shell, state
from components.cases import documents
from components.controls import errors_shown
from components.team import members
from components.team.seen import seen
from groundscope.cases.pasted import from_paste
from groundscope.errors import GroundscopeError
from groundscope.review import case_key
from groundscope.review.matters import Matter, MatterAnswer, MatterSource, default, matter_passages
from groundscope.storage.team.acting import current_person
from groundscope.text.humanize import plural

_SAID = "matters"
_OPEN = "matter_open"
_ABOUT = (
    "A matter is a folder of sources and of the answers that are checked against them. Drop in its documents once, then check as "
    "many answers as you like, and read, review and compare them. Matters are kept in the data folder of this app"
)
_OPEN_TO_ALL = ": everyone who can open this app can read them there, until you delete them."
_OF_MEMBERS = ". A matter is seen by its members alone; you are the first, and can add others."


def show() -> None:
    """The whole tab."""
    with st.container():
        shell.show_said(_SAID)
    with errors_shown():
        found = {m.number: m for m in default().all()}
        if not found:
            st.html(f"<p class='gs-measure'>{_ABOUT}{_OF_MEMBERS if current_person() else _OPEN_TO_ALL}</p>")
            _new(first=True)
            return
        if st.session_state.get(_OPEN) not in found:
            st.session_state[_OPEN] = next(iter(found))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            number = st.selectbox("Matter", list(found), format_func=lambda n: found[n].name, key=_OPEN, persist_state="session")
            with st.popover("New matter"):
                _new(first=False)
            if current_person():
                members.panel(default().members(number), number)
            _deletion(found[number])
        _matter(found[number])


def _new(*, first: bool) -> None:
    with st.form("matter_new", border=False):
        st.text_input(
            "Name of the matter", key="matter_name", max_chars=80, placeholder="such as Doe v. Roe, lease of 2024", width=420
        )
        st.form_submit_button("Begin a matter" if first else "Begin", type="primary", on_click=_begin)


def _begin() -> None:
    try:
        st.session_state[_OPEN] = default().create(st.session_state.get("matter_name") or "").number
    except GroundscopeError as error:
        shell.say(_SAID, "bad", str(error))


def _deletion(matter: Matter) -> None:
    with st.popover("Delete matter"):
        st.html(
            shell.note(
                "Its sources and answers are deleted from the data folder. Decisions of reviewers stay until they are deleted."
            )
        )
        st.button("Delete", key="matter_delete", on_click=_delete, args=(matter,))


def _delete(matter: Matter) -> None:
    try:
        default().delete(matter.number)
        case_sets.remove(case_sets.matter_set(matter.name))
    except GroundscopeError as error:
        shell.say(_SAID, "bad", str(error))


def _matter(matter: Matter) -> None:
    seen("opened a matter", matter=matter.number)
    sources, answers = default().sources(matter.number), default().answers(matter.number)
    left, right = st.columns(2)
    with left:
        _sources(matter, sources)
    with right:
        _form(matter, sources)
    _answers(matter, answers)


def _sources(matter: Matter, sources: tuple[MatterSource, ...]) -> None:
    key = f"matter_files_{matter.number}"
    kept: set[str] = state.own("matter_kept", set())
    for upload, file in documents.read_files(documents.uploader(key), key).items():
        # A document that was removed must not come back at the next redraw.
        if upload not in kept:
            default().add_source(matter.number, file)
            kept.add(upload)
            st.rerun()
    if not sources:
        st.html(shell.note("No source yet. Drop in the documents that answers of this matter must stand on."))
    for one in sources:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(shell.note(f"{documents.described(one.file)}. {' '.join(one.file.notes)}"), width="stretch")
            st.button("Remove", key=f"matter_source_{one.number}", on_click=_drop_source, args=(one.number,))


def _drop_source(number: int) -> None:
    try:
        default().drop_source(number)
    except GroundscopeError as error:
        shell.say(_SAID, "bad", str(error))


def _form(matter: Matter, sources: tuple[MatterSource, ...]) -> None:
    query = st.text_input("Question", key=f"matter_query_{matter.number}", placeholder="The question that was asked")
    response = st.text_area("Answer to check", key=f"matter_response_{matter.number}", height=190)
    if st.button("Check the answer", type="primary", key="matter_check", disabled=not sources):
        case = documents.fitted(from_paste(query, (), response, "answer", matter_passages(sources)))
        _open(matter, default().add_answer(matter, case), default().answers(matter.number))


def _answers(matter: Matter, answers: tuple[MatterAnswer, ...]) -> None:
    shell.section("Answers")
    if not answers:
        st.html(shell.note("No answer yet. Enter one beside the sources."))
        return
    for one in reversed(answers):
        with st.container(border=True, key=f"matter_answer_{one.number}"):
            case, when = one.case, one.created[:16].replace("T", " ")
            st.html(f"<p class='gs-text' dir='auto'><b>{escape(case.query or '(no question)')}</b></p>")
            st.html(f"<p class='gs-text' dir='auto'>{escape(_first(case.response))}</p>")
            with st.container(horizontal=True, vertical_alignment="center"):
                if st.button("Heatmap", key=f"matter_heatmap_{one.number}", type="primary"):
                    _open(matter, one, answers)
                if st.button("Review", key=f"matter_review_{one.number}"):
                    _load(matter, answers)
                    st.switch_page("pages/review.py", query_params={"reviewed": case_key(case)})
                st.button("Remove", key=f"matter_drop_{one.number}", on_click=_drop, args=(one.number,))
                read = (
                    f"{case.note.partition('. ')[0]}." if case.note else f"All {plural(len(case.context), 'passage')} were read."
                )
                st.html(shell.note(f"{when} UTC. {read}"), width="stretch")


def _first(text: str) -> str:
    line = " ".join(text.split())
    return f"{line[:240]}…" if len(line) > 240 else line


def _load(matter: Matter, answers: tuple[MatterAnswer, ...]) -> None:
    case_sets.add_matter(matter.name, tuple(a.case for a in answers))


def _open(matter: Matter, one: MatterAnswer, answers: tuple[MatterAnswer, ...]) -> None:
    _load(matter, answers)
    state.open_heatmap(case_sets.matter_set(matter.name), one.case)


def _drop(number: int) -> None:
    try:
        default().drop_answer(number)
    except GroundscopeError as error:
        shell.say(_SAID, "bad", str(error))
