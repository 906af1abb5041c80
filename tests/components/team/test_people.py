"""The list of people: a field that reports its value again changes nothing."""

from pathlib import Path

import pytest
import streamlit as st

from components.team.account import _change
from groundscope.storage.team.acting import acting_as
from groundscope.storage.team.people import People
from groundscope.storage.team.roles import Person, Role

EVE = "eve@example.org"


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
