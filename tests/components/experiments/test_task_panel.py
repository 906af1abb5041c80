"""The jobs of a task on a page: in a team each person has the own ones, and an answer is known by its content."""

from dataclasses import replace
from pathlib import Path

import pytest

from components.experiments.panel import TaskPanel
from groundscope.cases.edits.whole_set import WRITING, begin_one, digest
from groundscope.paths import Variable
from groundscope.storage.team.acting import Person, Role, acting_as
from groundscope.types import Case, Passage

CASE = Case("1", "When is it due?", (Passage("p", "It is due in 30 days."),), "It is due in 30 days.", grounded=True)
ANA, BEN = Person("ana@example.org", Role.REVIEWER), Person("ben@example.org", Role.REVIEWER)
PANEL = TaskPanel(WRITING.kind, "Its versions", take=lambda file: None, taking="Show the variants")


def test_who_takes_a_result_over_has_it_alone_so_each_person_sees_the_own_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(Variable.DATA, str(tmp_path))
    with acting_as(ANA):
        job = begin_one(CASE, "server:one@http://127.0.0.1:9/v1", 1)
        assert [listed.id for listed in PANEL.jobs()] == [job]
    with acting_as(BEN):
        assert PANEL.jobs() == []
    # Where no one logs in, all sessions are of one person.
    assert [listed.id for listed in PANEL.jobs()] == [job]


def test_answers_of_one_id_are_different_ones() -> None:
    other = Case("1", "Who pays?", (), "The tenant pays.", grounded=True)
    assert digest(CASE) == digest(replace(CASE))
    assert digest(CASE) != digest(other)
