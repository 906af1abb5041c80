"""The account menu of every page: name, role, log-out; for leads the list of people; and the members of a matter."""

from collections.abc import Callable
from functools import partial
from html import escape

import streamlit as st

from components.team import login
from groundscope.errors import GroundscopeError
from groundscope.paths import Variable
from groundscope.storage.team.acting import ABOUT, Person, Role
from groundscope.storage.team.members import Membership
from groundscope.storage.team.people import People

_SAID, _OPEN, _LINES = "people_said", "people_open", "people_lines"


@st.dialog("People", width="large", on_dismiss=lambda: st.session_state.update({_OPEN: False}))
def _dialog() -> None:
    """The list, and the form for one more."""
    st.html("".join(f"<p class='gs-note'>A <b>{role.words}</b> {words}.</p>" for role, words in ABOUT.items()))
    people: dict[str, Person] = {}
    _try(lambda: people.update({one.email: one for one in People().all()}))
    lines: list[str] = st.session_state.setdefault(_LINES, [])
    lines += [email for email in people if email not in lines]
    for email in lines:
        # Who was removed leaves a gap: where lines move up, the browser can keep a second form below.
        _line(people[email]) if email in people else st.empty()
    with st.form("people_form", border=False, clear_on_submit=True), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("E-mail address", key="people_email", max_chars=80, placeholder="ana@example.org")
        st.selectbox("Role", list(Role), index=1, format_func=_title, key="people_role", width=160)
        st.form_submit_button("Add", type="primary", on_click=_name)
    _show_said(_SAID)


def _line(person: Person) -> None:
    fixed = person.email in Variable.LEADS.names()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f"<span dir='auto'>{escape(person.email)}</span>", width="stretch")
        if fixed:
            st.html("<span class='gs-note'>lead, set in the server's configuration</span>", width="content")
            return
        # A key of the role: a field whose value is set from here reports it back, as if someone had chosen it.
        key = f"person_role_{person.email}_{person.role}"
        now = list(Role).index(person.role) if person.role else None
        st.selectbox(
            f"Role of {_plain(person.email)}", list(Role), now, format_func=_title, key=key, width=160,
            label_visibility="collapsed", on_change=_change, args=(person.email, key),
        )  # fmt: skip
        st.button("Remove", key=f"person_drop_{person.email}", on_click=_try, args=(partial(People().remove, person.email),))


def _plain(email: str) -> str:
    """An address for a label, which is markdown and would make a link of it."""
    return "".join(c if c.isalnum() or c in " .-" else " " for c in email.replace("@", " at "))


def _title(role: Role) -> str:
    return role.words.capitalize()


def _name() -> None:
    _try(lambda: People().name(st.session_state.get("people_email") or "", st.session_state["people_role"]))


def _change(email: str, key: str) -> None:
    def change() -> None:
        # A field may report its value in the very run in which its person is removed, which must not name them again.
        if People().find(email).role not in {None, st.session_state[key]}:
            People().name(email, st.session_state[key])

    _try(change)


def _try(work: Callable[[], object], place: str = _SAID) -> None:
    try:
        work()
    except GroundscopeError as error:
        st.session_state[place] = str(error)


def _show_said(place: str) -> None:
    if message := st.session_state.pop(place, ""):
        st.html(f'<p class="gs-notice bad" role="alert">{escape(message)}</p>')


def entry(who: Person) -> None:
    """Draw it as the last one of the navigation."""
    with st.popover(_plain(who.email.partition("@")[0])[:24], key="account"):
        role = f"You are a {who.role.words}. A {who.role.words} {ABOUT[who.role]}." if who.role else ""
        st.html(f"<p class='gs-note'>{escape(who.email)}<br>{role}</p>")
        with st.container(horizontal=True):
            if who.role is Role.LEAD:
                st.button("People", key="team_people", on_click=st.session_state.update, kwargs={_OPEN: True, _LINES: []})
            login.log_out_button()
    # A page that is drawn again behind the list, such as when a score arrives, must not close it.
    if who.role is Role.LEAD and st.session_state.get(_OPEN):
        _dialog()


_MEMBERS_SAID = "members_said"


def members_panel(members: Membership, number: int) -> None:
    """A popover with the members of the matter of this number, and a form for one more."""
    with st.popover("Members", key="matter_members"):
        emails = members.all()
        for email in emails:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.html(f"<span dir='auto'>{escape(email)}</span>", width="stretch")
                remove = partial(members.remove, email)
                st.button("Remove", key=f"member_{number}_{email}", on_click=_try, args=(remove, _MEMBERS_SAID))
        others = [p.email for p in People().all() if p.email not in emails]
        if others:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                who = st.selectbox("Add a person", others, key=f"member_new_{number}")
                add = partial(members.add, who)
                st.button("Add", key=f"member_add_{number}", on_click=_try, args=(add, _MEMBERS_SAID))
        _show_said(_MEMBERS_SAID)
