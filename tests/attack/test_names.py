"""Hostile names of runs, sets, files, models and authors, and lone surrogates everywhere."""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from components.opened import case_bar
from groundscope.errors import DataError, GroundscopeError
from groundscope.experiments.plan import Part
from groundscope.grounding.parts import described
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import FOLDER
from groundscope.methods import registry
from groundscope.paths import Variable
from groundscope.training.folders import folder_of
from tests.attack.conftest import Open, sound
from tests.attack.tally import Tally
from tests.attack.test_forms import SURROGATES, _lines, look, press, uploaded
from tests.attack.texts import NAMES
from tests.groundscope.grounding.runs.scripted import cases_of, judge


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(Variable.MODEL, raising=False)


def _outside(data: Path) -> set[str]:
    """Everything beside the data folder: a name must not lead there."""
    return {path.name for path in data.parent.iterdir()}


def test_names_of_runs_stay_names(opened: Open, data: Path, tried: Tally) -> None:
    before = _outside(data)
    for name in NAMES:
        with tried("names", f"run {name!r}"):
            part = described(Part("overlap"), registry.load("overlap"))
            run = FOLDER.open(planning.begin(name, name, cases_of(2), [part]))
            assert judge(run, {"overlap": registry.load("overlap")}).finished
            assert run.path.is_relative_to(data)
            run.close()
            assert _outside(data) == before
            sound(opened("runs"))
            sound(opened("compare", {"run": run.id}))
            FOLDER.delete(run.id)


def test_names_of_models_are_refused_or_stay_in_their_folder(data: Path, tried: Tally) -> None:
    for name in NAMES:
        with tried("names", f"model {name!r}"), suppress(DataError):
            assert folder_of(name).resolve().is_relative_to(data.resolve())


def test_names_of_chat_models_are_drawn_as_text_or_refused(opened: Open, tried: Tally, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        with tried("names", f"chat model {name!r}"):
            if "\x00" not in name:
                monkeypatch.setenv(Variable.MODEL, f"server:{name}@http://127.0.0.1:9/v1")
            sound(opened("methods"))


def test_names_of_sets_and_files_are_drawn_as_text(opened: Open, data: Path, tried: Tally) -> None:
    before = _outside(data)
    row = {"id": "c", "query": "Is rent due?", "context": ["Rent is due."], "response": "Rent is due."}
    # Streamlit itself refuses an upload whose name holds a NUL.
    for name in (name for name in NAMES if "\x00" not in name):
        for ending in (".jsonl", ".parquet"):
            with tried("names", f"set {name!r}{ending}"):
                uploaded(opened, f"{name}{ending}", json.dumps(row).encode())
        with tried("names", f"author {name!r}"):
            app = opened("arguments", arguments_page="Paste or load")
            app.text_area(key="arguments_text").set_value("TSC1 had F4.")
            app.text_input(key="arguments_model").set_value(name[:80])
            sound(press(app, "Show the argument"))
        with tried("names", f"corpus {name!r}"):
            app = opened("legal_rag", rag_turn_page="New experiment", rag_add=True, rag_way="Documents and questions")
            app.file_uploader(key="rag_documents").set_value([(f"{name}.txt", b"Rent is due on Mondays.", "")]).run()
            app.button(key="rag_load_documents").click().run()
            sound(app)
    assert _outside(data) == before


FIELDS = ("id", "query", "response", "area", "split", "group", "parent", "license")


@pytest.mark.parametrize("text", SURROGATES, ids=range(len(SURROGATES)))
def test_lone_surrogates_end_in_words_and_lose_nothing(opened: Open, tried: Tally, text: str) -> None:
    good = {"id": "good", "query": "Is rent due?", "context": ["Rent is due."], "response": "Rent is due."}
    for field in (*FIELDS, "context", "text", "source", text):
        with tried("surrogates", f"case {field!r}"):
            row = {**good, "id": "bad", field: text}
            if field in {"text", "source"}:
                row = {**good, "id": "bad", "context": [{"text": "Rent is due.", field: text}]}
            if field == "context":
                row["context"] = [text]
            app = uploaded(opened, "s.jsonl", _lines([good, row]))
            (group,) = app.session_state["sets"].values()
            assert group.cases[0].id == "good"
            for case in group.cases:
                case_bar._signs(case)
                look(app, case.id.encode("utf-8", "replace").decode())
    for field in ("reference", "generated", "id", "system"):
        with tried("surrogates", f"analysis {field}"):
            row = {"reference": "See 410 U.S. 113.", "generated": "See 410 U.S. 113.", field: text}
            app = opened("citation_recall", cites_page="Load texts", cites_scorer="rouge")
            app.file_uploader(key="cites_upload").set_value([("s.jsonl", _lines([row]), "")]).run()
            sound(app)
            app.session_state["cites_page"] = "Citations"
            sound(app.run())
    for field in ("model", "argument"):
        with tried("surrogates", f"argument {field}"):
            app = opened("arguments", arguments_page="Paste or load", arguments_way="A file of many")
            row = {"model": "m", "argument": "TSC1 had F4.", "scenario_id": "x", field: text}
            app.file_uploader(key="arguments_upload").set_value([("s.jsonl", _lines([row]), "")]).run()
            sound(app)
    for field in ("id", "text", "title"):
        with tried("surrogates", f"corpus {field}"):
            app = opened("legal_rag", rag_turn_page="New experiment", rag_add=True)
            passage = {"id": "p", "text": "Rent is due.", "title": "Lease", field: text}
            asked = {"id": "q", "question": f"Rent? {text}", "answer": text, "relevant_passage_id": "p"}
            app.file_uploader(key="rag_corpus").set_value(("c.jsonl", _lines([passage]), ""))
            app.file_uploader(key="rag_questions").set_value(("q.jsonl", _lines([asked]), "")).run()
            sound(press(app, "Load them"))


def test_a_run_over_lone_surrogates_is_whole_or_refused_in_words(opened: Open, tried: Tally) -> None:
    for text in SURROGATES:
        with tried("surrogates", f"run {text!r}"):
            cases = [replace(c, response=f"{c.response} {text}", query=text) for c in cases_of(2)]
            part = described(Part("overlap"), registry.load("overlap"))
            # What is refused is refused in words.
            with suppress(GroundscopeError):
                run = FOLDER.open(planning.begin("Run", "s", cases, [part]))
                assert judge(run, {"overlap": registry.load("overlap")}).finished
                run.close()
                sound(opened("compare", {"run": run.id}))
                sound(opened("errors", {"run": run.id}))
