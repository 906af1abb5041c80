"""The list of people and the members of a matter: who is added and removed, and why the last member stays."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components.team.account import _change
from groundscope.review.matters import MatterStore, default
from groundscope.storage.team.acting import Person, Role, acting_as, use_logins
from groundscope.storage.team.people import People

BEN, CLEO, EVE = "ben@example.org", "cleo@example.org", "eve@example.org"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MatterStore]:
    """A matter of Ben, who acts in every thread."""
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    with acting_as(Person("ana@example.org", Role.LEAD)):
        for email in (BEN, CLEO):
            People().name(email, Role.REVIEWER)
    use_logins(lambda: Person(BEN, Role.REVIEWER))
    with closing(default().database):
        default().create("Lease")
        yield default()
    use_logins(None)


def _page() -> None:
    from components.team.account import members_panel
    from groundscope.review.matters import default

    (matter,) = default().all()
    members_panel(default().members(matter.number), matter.number)


def test_a_member_is_added_and_removed_and_the_last_one_stays(store: MatterStore) -> None:
    (matter,) = store.all()
    app = AppTest.from_function(_page, default_timeout=60).run()
    app.selectbox(f"member_new_{matter.number}").set_value(CLEO)
    app.button(f"member_add_{matter.number}").click().run()
    assert not app.exception
    assert store.members(matter.number).all() == (BEN, CLEO)
    app.button(f"member_{matter.number}_{CLEO}").click().run()
    assert store.members(matter.number).all() == (BEN,)
    app.button(f"member_{matter.number}_{BEN}").click().run()
    assert store.members(matter.number).all() == (BEN,)
    assert any('role="alert"' in e.proto.body for e in app.get("html"))


def test_a_field_names_no_one_who_was_removed_in_the_same_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    with acting_as(Person("ana@example.org", Role.LEAD)):
        People().name(EVE, Role.REVIEWER)
        st.session_state["role"] = Role.LEAD
        _change(EVE, "role")
        assert People().find(EVE).role is Role.LEAD
        People().remove(EVE)
        _change(EVE, "role")
        assert People().find(EVE).role is None
