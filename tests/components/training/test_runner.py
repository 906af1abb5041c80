"""Trainings that the app begins, with their real processes: they learn, stop, go on, are refused, and leave nothing behind."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from components.training import runner
from components.training.runner import Trainer, elsewhere, file_name
from groundscope.commands.finetune import finetune
from groundscope.errors import DataError
from groundscope.models.weights.grounding import record
from groundscope.training.finetuning import partial_folder, reports
from groundscope.training.own_models import folder_of, own_models, unfinished
from groundscope.training.search import under_way
from tests.components.labelled_set import cases, judged_run
from tests.components.processes import PATIENCE, end_all, until
from tests.loops import each
from tests.scorers import tiny

HOSTILE = "../<img src=x>.jsonl.gz"
SHORT = ("--epochs=2", "--longest=64", "--rate=0.001")
LONG = ("--epochs=500", "--longest=64", "--patience=5000")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    tiny.quiet()
    return str(tiny.bert_cross_encoder(tmp_path_factory.mktemp("base") / "tiny"))


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def trainer(data: Path) -> Iterator[Trainer]:
    found = Trainer()
    yield found
    end_all(found)


def _requests(data: Path) -> list[str]:
    return sorted(path.name for path in (data / "trainings").glob("*"))


def test_a_training_ends_as_a_model_and_leaves_no_copy_of_the_cases(trainer: Trainer, data: Path, base: str) -> None:
    trainer.begin("own", [f"--base={base}", *SHORT], HOSTILE, cases())
    assert trainer.at_work() == trainer.open() == ("own",)
    assert trainer.stage("own") == "preparing"
    assert runner.request_title("own") == HOSTILE
    kept = data / "trainings" / "own"
    assert kept.stat().st_mode & 0o077 == 0
    assert [p.name for p in (kept / "cases").iterdir()] == ["img-src-x.jsonl"]
    assert trainer.wait("own", PATIENCE)
    assert trainer.trouble("own") == ""
    assert own_models() == ("own",)
    made = record(folder_of("own"))
    assert made["about"]["Data"] == "img-src-x.jsonl"
    assert made["options"]["rate"] == 1e-3
    assert made["options"]["longest"] == 64
    assert [r["method"] for r in made["responses"]["beside"]] == ["grounding_classifier:own", "cos_sim:minilm"]
    until(lambda: _requests(data) == [])
    assert trainer.open() == ()
    assert trainer.new("own")
    with pytest.raises(DataError, match="Choose another name"):
        trainer.begin("own", [f"--base={base}", *SHORT], "Cases", cases())
    trainer.delete("own")
    assert own_models() == ()


def test_a_search_is_followed_by_its_settings_stopped_and_resumed(trainer: Trainer, data: Path, base: str) -> None:
    # Of the grid the epochs stay, 2 or 5.
    trainer.begin("best", [f"--base={base}", "--search", "--longest=64", "--rate=0.001", "--batch=8"], "Cases", cases())
    until(lambda: bool(reports(folder_of("best"))))
    assert under_way(folder_of("best")) in ((0, 2), (1, 2))
    until(lambda: (under_way(folder_of("best")) or (1, 2))[0] == 1)
    trainer.stop("best")
    assert trainer.wait("best", PATIENCE)
    if "best" not in own_models():
        assert (under_way(folder_of("best")), trainer.trouble("best"), trainer.open()) == ((1, 2), "", ("best",))
        trainer.resume("best")
        assert trainer.wait("best", PATIENCE)
    assert own_models() == ("best",)
    assert [row["setting"] for row in record(folder_of("best"))["search"]] == [
        f"learning rate 0.001, {epochs} epochs, batches of 8" for epochs in (2, 5)
    ]
    assert under_way(folder_of("best")) is None


def test_a_training_is_stopped_goes_on_in_another_app_and_is_discarded(trainer: Trainer, data: Path, base: str) -> None:
    trainer.begin("long", [f"--base={base}", *LONG], "Cases", cases())
    until(lambda: sum(p.dev_f1 is not None for p in reports(folder_of("long"))) > 0)
    assert trainer.stage("long") == "training"
    with pytest.raises(DataError, match="Pause it first"):
        trainer.delete("long")
    other = Trainer()
    assert elsewhere("long")
    assert other.open() == ("long",)
    with pytest.raises(DataError):
        other.delete("long")
    trainer.stop("long")
    assert trainer.stopping("long")
    assert trainer.wait("long", PATIENCE)
    assert trainer.trouble("long") == ""
    assert not elsewhere("long")
    before = len(reports(folder_of("long")))
    try:
        other.resume("long")
        assert other.stage("long") == "preparing"
        until(lambda: len(reports(folder_of("long"))) > before)
        assert other.stage("long") == "training"
        resumed = reports(folder_of("long"))[before]
        assert resumed.step > 1
    finally:
        other.stop("long")
        assert other.wait("long", PATIENCE)
    assert other.open() == ("long",)
    assert runner.request_arguments("long")
    other.delete("long")
    assert other.open() == ()
    assert not partial_folder(folder_of("long")).exists()
    assert _requests(data) == []


@pytest.mark.release
def test_a_killed_process_is_reported_and_can_be_gone_on_with(trainer: Trainer, data: Path, base: str) -> None:
    trainer.begin("killed", [f"--base={base}", *LONG], "Cases", cases())
    until(lambda: any(p.dev_f1 is not None for p in reports(folder_of("killed"))))
    os.kill(trainer._processes["killed"].pid, signal.SIGKILL)
    assert trainer.wait("killed", PATIENCE)
    assert trainer.trouble("killed").startswith("Its process ended (memory may have run out).")
    trainer.tidy()
    assert trainer.open() == ("killed",)
    assert _requests(data) == ["killed"]


APP = """
import sys, time
from tests.components.labelled_set import cases
options = [f"--base={sys.argv[1]}", "--epochs=500", "--longest=64", "--patience=5000"]
Trainer().begin("long", options, "Cases", cases())
time.sleep(600)
"""


def test_the_judging_at_the_end_can_be_skipped_and_the_model_stays(trainer: Trainer, data: Path, base: str) -> None:
    copies = [
        replace(c, id=f"{c.id}-{i}", group=f"{c.group}-{i}", parent=f"{c.parent}-{i}" if c.parent else None)
        for i in range(60)
        for c in cases()
        if c.split == "dev"
    ]
    trainer.begin("own", [f"--base={base}", *SHORT], "Cases", [*(c for c in cases() if c.split == "train"), *copies])
    until(lambda: trainer.stage("own") == "judging")
    assert trainer.open() == ("own",)
    trainer.end("own")
    assert trainer.wait("own", PATIENCE)
    assert trainer.open() == ()
    assert own_models() == ("own",)
    assert trainer.new("own")
    assert trainer.unjudged("own") == trainer.trouble("own") == ""
    assert "responses" not in record(folder_of("own"))
    until(lambda: _requests(data) == [])


@pytest.mark.release
def test_a_training_stops_when_the_app_dies_and_the_next_app_can_go_on(trainer: Trainer, base: str) -> None:
    app = subprocess.Popen([sys.executable, "-c", APP, base], cwd=Path(__file__).resolve().parents[3])
    try:
        until(lambda: any(p.dev_f1 is not None for p in reports(folder_of("long"))))
        assert elsewhere("long")
    finally:
        app.kill()
        app.wait(PATIENCE)
    until(lambda: not elsewhere("long"))
    assert trainer.open() == ("long",)
    assert runner.request_arguments("long")
    assert trainer.trouble("long") == ""


def test_what_is_refused_says_why_once_and_leaves_nothing(trainer: Trainer, data: Path, tmp_path: Path) -> None:
    (tmp_path / "decoder").mkdir()
    (tmp_path / "decoder" / "config.json").write_text('{"model_type": "gpt2"}', encoding="utf-8")
    trainer.begin("refused", [f"--base={tmp_path / 'decoder'}", *SHORT], "Cases", cases())
    assert trainer.wait("refused", PATIENCE)
    trainer.tidy()
    assert "is of type gpt2, not an encoder" in trainer.refused()["refused"]
    assert trainer.open() == unfinished() == ()
    assert _requests(data) == []
    with pytest.raises(DataError, match="small letters"):
        trainer.begin("../refused", ["--base=minilm", *SHORT], "Cases", cases())


def test_cases_that_cannot_be_written_are_reported(trainer: Trainer, data: Path) -> None:
    data.mkdir()
    (data / "trainings").write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(DataError, match="The cases cannot be saved for the training"):
        trainer.begin("own", ["--base=minilm", *SHORT], "Cases", cases())
    assert trainer.open() == ()


def test_a_training_of_a_shell_is_seen_and_cannot_be_gone_on_with_from_here(trainer: Trainer) -> None:
    partial_folder(folder_of("shell")).mkdir(parents=True)
    assert trainer.open() == ("shell",)
    assert not runner.request_arguments("shell")
    trainer.resume("shell")
    assert not trainer.works("shell")
    trainer.delete("shell")
    assert trainer.open() == ()


@each("content", ["", "[]", '{"arguments": [1]}', "{"])
def test_a_damaged_request_is_none(trainer: Trainer, data: Path, content: str) -> None:
    for name in ("own", "..", "No name"):
        place = data / "trainings" / name
        place.mkdir(parents=True, exist_ok=True)
        (place / "request.json").write_text(content, encoding="utf-8")
    assert trainer.open() == ()
    trainer.resume("own")
    assert trainer.at_work() == ()


def test_a_base_that_begins_like_an_option_is_no_option(trainer: Trainer, data: Path) -> None:
    runner.write_request("a-1", ["--recipe=evidence", "--base=--discard", "--epochs=1.5"], "Cases", cases())
    arguments = runner.request_arguments("a-1")
    params = finetune.make_context("finetune", arguments).params
    expected = {"name": "a-1", "recipe": "evidence", "base": "--discard", "discard": False, "epochs": 1.5}
    assert {name: params[name] for name in expected} == expected
    assert arguments[-1] == str(data / "trainings" / "a-1" / "cases" / "Cases.jsonl")


@each(
    ("title", "name"),
    [
        ("a.jsonl.gz", "a.jsonl"),
        (HOSTILE, "img-src-x.jsonl"),
        ("…", "cases.jsonl"),
        ("x" * 200, "x" * 60 + ".jsonl"),
    ],
)
def test_files_of_cases_have_harmless_names(title: str, name: str) -> None:
    assert file_name(title) == name


@pytest.mark.release
def test_pairs_and_a_teacher_of_a_request_of_an_earlier_version_are_learned_from(trainer: Trainer, data: Path, base: str) -> None:
    run = judged_run(cases())
    row = {"evidence": "Rent is due.", "statement": "It is due.", "label": 1, "split": "train"}
    runner.write_request("own", [f"--base={base}", *SHORT, f"--teacher={run}/overlap"], "Cases", cases())
    for number, label in enumerate((1, 0), 1):
        folder = data / "trainings" / "own" / "pairs" / str(number)
        folder.mkdir(parents=True)
        (folder / "more.jsonl").write_text(json.dumps({**row, "label": label}), encoding="utf-8")
    trainer.resume("own")
    assert trainer.wait("own", PATIENCE)
    assert trainer.trouble("own") == ""
    made = record(folder_of("own"))
    assert made["about"]["Further pairs"] == "more.jsonl, more.jsonl"
    assert made["about"]["Teacher"] == f"{run}/overlap"
    # Two changed sentences a query, both sentences of each response by the teacher, and two pairs of files.
    assert made["pairs"]["train"] == 5 * 2 + 10 * 2 + 2
    until(lambda: _requests(data) == [])
