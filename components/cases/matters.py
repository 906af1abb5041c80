"""Matters on the Cases page: their sources, the answers checked against them, and links to the heatmap and the review."""

from collections.abc import Sequence
from html import escape

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components import case_sets, shell, state
from components.cases import documents
from components.controls import errors_shown
from components.team import account
from components.team.person import log_view
from groundscope.cases.passages import from_paste
from groundscope.errors import GroundscopeError
from groundscope.review import case_key
from groundscope.review.matters import Matter, MatterAnswer, MatterSource, default, matter_passages, replaced_by
from groundscope.storage.team.acting import current_person
from groundscope.text.humanize import one_line, plural

_SAID, _SAID_FILES = "matters", "matter_files"
_OPEN = "matter_open"
_ABOUT = (
    "A matter is a folder of sources and of the answers that are checked against them. Drop in its documents once, then check as "
    "many answers as you like, and read, review and compare them. Matters are kept in the data folder of this app"
)
_OPEN_TO_ALL = ": everyone who can open this app can read them there, until you delete them."
_OF_MEMBERS = ". Only its members see a matter; you are the first, and can add others."


def show() -> None:
    """The whole tab."""
    with st.container():
        shell.show_said(_SAID)
    with errors_shown():
        matters = {m.number: m for m in default().all()}
        if not matters:
            st.html(f"<p class='gs-measure'>{_ABOUT}{_OF_MEMBERS if current_person() else _OPEN_TO_ALL}</p>")
            _new(first=True)
            return
        if st.session_state.get(_OPEN) not in matters:
            st.session_state[_OPEN] = next(iter(matters))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            number = st.selectbox(
                "Matter", list(matters), format_func=lambda n: matters[n].name, key=_OPEN, persist_state="session"
            )
            with st.popover("New matter"):
                _new(first=False)
            _client(matters[number])
            if current_person():
                account.members_panel(default().members(number), number)
            _deletion(matters[number])
        _matter(matters[number])


def _new(*, first: bool) -> None:
    with st.form("matter_new", border=False):
        st.text_input(
            "Name of the matter", key="matter_name", max_chars=80, placeholder="such as Doe v. Roe, lease of 2024", width=420
        )
        st.text_input("Client (optional)", key="matter_client", max_chars=80, placeholder="such as Jane Doe", width=420)
        st.form_submit_button("Create the matter" if first else "Create", type="primary", on_click=_begin)


@errors_shown(place=_SAID)
def _begin() -> None:
    name, client = (st.session_state.get(key) or "" for key in ("matter_name", "matter_client"))
    st.session_state[_OPEN] = default().create(name, client).number


def _client(matter: Matter) -> None:
    with st.popover("Client"), st.form("matter_client_form", border=False):
        st.text_input("Client, as reports name it", matter.client, key=f"matter_client_{matter.number}", max_chars=80)
        st.form_submit_button("Save", on_click=_name_client, args=(matter,))


@errors_shown(place=_SAID)
def _name_client(matter: Matter) -> None:
    default().name_client(matter.number, st.session_state.get(f"matter_client_{matter.number}") or "")


def _deletion(matter: Matter) -> None:
    with st.popover("Delete matter"):
        st.html(
            shell.note(
                "Its sources and answers are deleted from the data folder. Decisions of reviewers stay until they are deleted."
            )
        )
        st.button("Delete", key="matter_delete", on_click=_delete, args=(matter,))


@errors_shown(place=_SAID)
def _delete(matter: Matter) -> None:
    default().delete(matter.number)
    case_sets.remove(case_sets.matter_set(matter.name))


def _matter(matter: Matter) -> None:
    log_view("opened a matter", matter=matter.number)
    sources, answers = default().sources(matter.number), default().answers(matter.number)
    left, right = st.columns(2)
    with left:
        _sources(matter, sources)
    with right:
        _form(matter, sources)
    _answers(matter, answers)


def _sources(matter: Matter, sources: tuple[MatterSource, ...]) -> None:
    # An uploader that was read gives way to an empty one, so that a document stands in the list alone.
    drops: dict[int, int] = state.own("matter_drops", {})
    if files := documents.uploader(f"matter_files_{matter.number}_{drops.get(matter.number, 0)}"):
        _add(matter, files)
        drops[matter.number] = drops.get(matter.number, 0) + 1
        st.rerun()
    shell.show_said(_SAID_FILES)
    if not sources:
        st.html(shell.note("No source yet. Add the documents that the answers of this matter must rely on."))
    for source in sources:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(shell.note(f"{documents.described(source.file)}. {' '.join(source.file.notes)}"), width="stretch")
            drop = errors_shown(place=_SAID)(default().drop_source)
            st.button("Remove", key=f"matter_source_{source.number}", on_click=drop, args=(source.number,))


def _add(matter: Matter, files: Sequence[UploadedFile]) -> None:
    """Keep documents; the page then says which took the place of others, and which cannot be kept."""
    kind: shell.Kind = "info"
    lines = []
    for upload in files:
        try:
            file = documents.read_file(upload)
            before = [s.file.name for s in replaced_by(file, default().sources(matter.number))]
            default().add_source(matter.number, file)
        except GroundscopeError as error:
            kind = "bad"
            lines.append(str(error))
            continue
        others = ", ".join(name for name in before if name.casefold() != file.name.casefold())
        if others:
            lines.append(f"{file.name} has the text of {others} and takes its place.")
        elif before:
            lines.append(f"{file.name} takes the place of the older one.")
    if lines:
        shell.say(_SAID_FILES, kind, " ".join(lines))


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
    for answer in reversed(answers):
        with st.container(border=True, key=f"matter_answer_{answer.number}"):
            case, when = answer.case, answer.created[:16].replace("T", " ")
            st.html(f"<p class='gs-text' dir='auto'><b>{escape(case.query or '(no question)')}</b></p>")
            st.html(f"<p class='gs-text' dir='auto'>{escape(one_line(case.response, 240))}</p>")
            with st.container(horizontal=True, vertical_alignment="center"):
                if st.button("Heatmap", key=f"matter_heatmap_{answer.number}", type="primary"):
                    _open(matter, answer, answers)
                if st.button("Review", key=f"matter_review_{answer.number}"):
                    _load(matter, answers)
                    st.switch_page("pages/review.py", query_params={"reviewed": case_key(case)})
                drop = errors_shown(place=_SAID)(default().drop_answer)
                st.button("Remove", key=f"matter_drop_{answer.number}", on_click=drop, args=(answer.number,))
                read = (
                    f"{case.note.partition('. ')[0]}." if case.note else f"All {plural(len(case.context), 'passage')} were read."
                )
                st.html(shell.note(f"{when} UTC. {read}"), width="stretch")


def _load(matter: Matter, answers: tuple[MatterAnswer, ...]) -> None:
    case_sets.add_matter(matter.name, tuple(a.case for a in answers))


def _open(matter: Matter, answer: MatterAnswer, answers: tuple[MatterAnswer, ...]) -> None:
    _load(matter, answers)
    state.open_heatmap(case_sets.matter_set(matter.name), answer.case)
