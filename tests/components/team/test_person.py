"""What someone chose for later visits: their own on a server with logins."""

from pathlib import Path

import pytest

from components.opened import record
from components.team.person import keep, kept
from groundscope.grounding.runs.listing import RunEntry
from groundscope.storage.team.acting import Person, Role, acting_as

ANA, DAN = Person("ana@example.org", Role.LEAD), Person("dan@example.org", Role.READER)


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    monkeypatch.setattr("streamlit.session_state", {})
    monkeypatch.setattr("components.state.st.session_state", {})


def test_a_choice_is_that_of_the_person_who_made_it() -> None:
    keep("rules", "of no one")
    with acting_as(DAN):
        assert kept("rules") is None
        keep("rules", "strict")
    with acting_as(ANA):
        assert kept("rules") is None
        keep("rules", "lenient")
        keep("rules", None)
        assert kept("rules") is None
    with acting_as(DAN):
        assert kept("rules") == "strict"
    assert kept("rules") == "of no one"


def test_a_record_is_ones_own_choice_then_that_for_all_then_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {i: RunEntry(i, i) for i in ("first", "second", "third")}

    def chosen_by(person: Person) -> str | None:
        # A later visit, which has chosen nothing yet.
        monkeypatch.setattr("components.state.st.session_state", {})
        with acting_as(person):
            return record.chosen(known)

    assert chosen_by(DAN) == "first"
    with acting_as(ANA):
        record.choose("third")
        record.choose("second", for_all=True)
    assert (chosen_by(ANA), chosen_by(DAN)) == ("second", "second")
    with acting_as(DAN):
        record.choose("third")
    assert (chosen_by(ANA), chosen_by(DAN)) == ("second", "third")
