"""Frozen decisions: written once, read back whole, and no file of theirs can do harm."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import DataError, StoreError
from groundscope.grounding.rules.frozen_rules import FROZEN, Decision, forget, freeze, from_json, frozen, problems, to_json
from groundscope.grounding.tuning import Objective, Rule, Tuned
from groundscope.paths import Variable
from groundscope.storage.database import Database
from tests.groundscope.grounding.runs import decided, made_cases, made_run
from tests.loops import each

DECISION = Decision(
    "First",
    "2026-11-22T10:00:00+00:00",
    "Samples",
    "abc",
    Objective(2.5),
    {
        "quip": Tuned(Rule("own", 0.25), "dev", 0.75, 40),
        "hem_v2": Tuned(Rule("share_below", 0.5, 0.125), "train", 0.625, 80, "A warning."),
    },
    {"quip": "quip|n=21", "hem_v2": "hem_v2|fp32"},
)


@pytest.fixture(autouse=True)
def own_database(shared_database: Database) -> Database:
    return shared_database


@given(st.text(st.characters(codec=None)), st.floats(-1, 2), st.text())
def test_any_text_and_any_threshold_survive_the_file(text: str, threshold: float, method: str) -> None:
    tuned = {method: Tuned(Rule("mean", threshold), text, 0.5, 3, text)}
    found = from_json(to_json(replace(DECISION, run=text, tuned=tuned, signatures={method: text})))
    assert (found.run, found.tuned, found.signatures) == (text, tuned, {method: text})


def test_text_that_no_encoding_takes_is_frozen_all_the_same() -> None:
    freeze(replace(DECISION, run="a \ud800 run"))
    assert frozen()["First"].run == "a \ud800 run"


def test_what_was_frozen_is_read_back_whole_and_its_name_is_used_once() -> None:
    freeze(DECISION)
    for name in ("First", "FIRST"):
        with pytest.raises(DataError, match="taken"):
            freeze(replace(DECISION, name=name, run="another"))
    assert frozen() == {"First": DECISION}


def test_of_many_that_freeze_under_one_name_at_once_one_succeeds() -> None:
    def attempt(i: int) -> bool:
        try:
            freeze(replace(DECISION, run=str(i)))
        except DataError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(8))) == 1


def test_a_name_that_is_no_name_is_refused() -> None:
    for name in ("", "../up", "a\\b", ".hidden", "a\n", "<b>", "=1+1", "\ud800", "字" * 81, "𝔞" * 80):
        with pytest.raises(DataError, match="choose another"):
            freeze(replace(DECISION, name=name))
    assert frozen() == {}


def test_names_of_letters_digits_and_signs_are_taken_and_the_newest_stands_first() -> None:
    names = ("Dev 2026-11-22 (macro-F1)", "字" * 80, "Prüfung 2.1")
    for name, made in zip(names, ("2026-01-01", "2026-03-01", "2026-02-01"), strict=True):
        freeze(replace(DECISION, name=name, made=made))
    assert list(frozen()) == ["字" * 80, "Prüfung 2.1", "Dev 2026-11-22 (macro-F1)"]


def test_a_decision_that_comes_with_a_run_is_read_and_cannot_displace_the_users_own(tmp_path: Path) -> None:
    freeze(DECISION)
    shipped = tmp_path / "run"
    shipped.mkdir()
    (shipped / "decision.json").write_text(to_json(replace(DECISION, name="Shipped")), encoding="utf-8")
    assert set(frozen(shipped)) == {"First", "Shipped"}
    (shipped / "decision.json").write_text(to_json(replace(DECISION, made="2030", run="other")), encoding="utf-8")
    assert frozen(shipped)["First"].run == "Samples"
    assert list(frozen(tmp_path / "nothing")) == ["First"]


def damaged(**changes: Any) -> str:
    return json.dumps({**json.loads(to_json(DECISION)), **changes})


RULE = {"how": "own", "threshold": 0.5, "sentence_threshold": None}
FOUND = {"rule": RULE, "split": "dev", "value": 0.5, "responses": 4, "warning": ""}


@each(
    "text",
    [
        "",
        "null",
        "[" * 100_000,
        damaged(format="other"),
        damaged(version="2"),
        damaged(objective={"missed": -1}),
        damaged(tuned=[]),
        damaged(tuned={"quip": {**FOUND, "rule": {**RULE, "threshold": "half"}}}),
        damaged(tuned={"quip": {**FOUND, "rule": {**RULE, "threshold": float("nan")}}}),
        damaged(tuned={"quip": {**FOUND, "rule": {**RULE, "threshold": 10**400}}}),
        damaged(tuned={"quip": {**FOUND, "rule": {**RULE, "how": "median"}}}),
        damaged(tuned={"quip": {**FOUND, "responses": None}}),
        damaged(signatures=["quip"]),
        to_json(DECISION)[:200],
    ],
)
def test_a_damaged_text_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(DataError, match="cannot be read; freeze them again"):
        from_json(text)
    with pytest.raises(DataError, match="newer Groundscope; update"):
        from_json(damaged(version=2))


def test_a_damaged_text_hides_no_other(own_database: Database) -> None:
    freeze(DECISION)
    with own_database.writing() as connection:
        connection.execute(sa.insert(FROZEN).values(key="damaged", name="damaged", made="", content="null"))
    assert list(frozen()) == ["First"]
    assert problems() == ("These frozen thresholds cannot be read and are left out: damaged.",)


def test_one_is_forgotten_and_the_others_stay() -> None:
    freeze(DECISION)
    freeze(replace(DECISION, name="Second"))
    forget("First")
    forget("Never frozen")
    assert list(frozen()) == ["Second"]
    freeze(DECISION)


def test_a_database_that_cannot_be_written_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.delenv(Variable.DATABASE)
    monkeypatch.setenv(Variable.DATA, str(tmp_path / "file"))
    with pytest.raises(StoreError, match="cannot be written; set GROUNDSCOPE_DATA"):
        freeze(DECISION)
    assert frozen() == {}


def test_a_rule_holds_for_the_parameters_it_was_tuned_with_alone() -> None:
    run = made_run(made_cases(60), 3)
    decision = decided(run)
    decision = replace(decision, signatures={**decision.signatures, "method_1": "other parameters"})
    assert set(decision.rules(run)) == {"method_0", "method_2"}
    assert decision.strangers(run) == ("method_1",)
    assert decision.rules(run)["method_2"] == decision.tuned["method_2"].rule
