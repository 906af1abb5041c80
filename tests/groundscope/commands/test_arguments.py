"""`arguments-scenarios`, `arguments-run` and `arguments-report` as a user types them."""

import json
from pathlib import Path

import pytest

from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.scenarios import read_scenarios
from tests.groundscope.arguments.scripted import argues, spec
from tests.groundscope.commands.conftest import Shell
from tests.llm_server import Fault, LLMServer


def made(shell: Shell, *more: str) -> str:
    said = shell("arguments-scenarios", "--number", "2", "--out", "s.jsonl", *more)
    assert (said.code, said.out) == (0, "s.jsonl\n"), said.err
    return "s.jsonl"


def test_scenarios_go_to_standard_output_or_to_a_file(shell: Shell) -> None:
    made(shell)
    said = shell("arguments-scenarios", "--number", "2", "--seed", "0", "--complexity", "5")
    assert said.out == (shell.home / "s.jsonl").read_text("utf-8")
    read = read_scenarios("s.jsonl", said.out.encode(), TRADE_SECRETS)
    assert [s.test.value for s in read.scenarios] == ["arguable"] * 2 + ["reordered"] * 2 + ["non-arguable"] * 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--complexity", "99"), "Complexity must be from 2 to 12"),
        (("--catalogue", "gone.csv"), "gone.csv cannot be read"),
        (("--out", "no/where/s.jsonl"), "cannot be written"),
    ],
)
def test_what_makes_no_scenarios_is_refused_in_a_sentence(shell: Shell, given: tuple[str, ...], words: str) -> None:
    assert words in shell.refuses("arguments-scenarios", *given)


def test_built_in_arguers_are_run_and_reported(shell: Shell) -> None:
    name = made(shell)
    said = shell.done("arguments-run", "--scenarios", name, "--arguers", "faithful,never-abstains", "--quiet")
    assert "6 triples of s.jsonl." in said.err
    run = Path(said.out.strip()).stem
    report = shell.done("arguments-report", run, "--plaintiff-weight", "2")
    assert "12 arguments about 6 triples" in report.out
    assert "weighted recall arguable" in report.out
    found = json.loads(shell("arguments-report", run, "--json").out)
    assert [r["tests"]["non-arguable"]["abstained"]["value"] for r in found["rows"]] == [1.0, 0.0]
    refused = shell("arguments-report", run, "--extractor", "model")
    assert (refused.code, refused.out) == (2, "")


def test_a_model_is_asked_its_faults_are_named_and_the_run_goes_on(shell: Shell) -> None:
    name = made(shell)
    with LLMServer(argues, [Fault("status", status=400)]) as server:
        said = shell("arguments-run", "--scenarios", name, "--arguers", spec(server), "--extractor", spec(server))
        assert said.code == 3, said.err
        assert "argues" in said.err
        assert "A reply that cannot be read is asked for once more, which may cost as much again." in said.err
        assert "scripted-1 failed 5 times in a row and was skipped: " in said.err
        (run,) = (line.rpartition(" ")[2] for line in said.err.splitlines() if line.startswith("To resume: "))
        server.faults = []
        done = shell("resume", run)
    assert done.code == 0, done.err
    assert "So far " in done.err
    report = shell("arguments-report", run)
    assert "Both extractors agree on 100%" in report.out


def test_texts_go_nowhere_without_a_word(shell: Shell) -> None:
    given = ("--scenarios", made(shell), "--arguers", "server:m@http://models.example/v1")
    assert "Nothing was sent." in shell.refuses("arguments-run", *given)


def test_a_file_of_arguments_is_reported_with_its_bad_rows(shell: Shell) -> None:
    name = made(shell)
    scenario = json.loads((shell.home / name).read_text("utf-8").splitlines()[0])
    rows = [{"model": "m", "scenario": scenario, "argument": "TSC1 had F99."}, {"model": "m"}]
    (shell.home / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    said = shell.done("arguments-report", "a.jsonl")
    assert "F99 (no factor)" in said.out
    assert "a.jsonl, row 2: 'argument' is missing" in said.err


def test_a_run_that_is_not_there_is_refused(shell: Shell) -> None:
    assert "There is no run of arguments" in shell.refuses("arguments-report", "../runs")


def test_what_was_not_measured_is_named(shell: Shell) -> None:
    name = made(shell)
    scenario = json.loads((shell.home / name).read_text("utf-8").splitlines()[0])
    (shell.home / "one.jsonl").write_text(json.dumps({"model": "m", "scenario": scenario, "argument": ""}), encoding="utf-8")
    said = shell("arguments-report", "one.jsonl")
    assert "1 argument about 1 triple. Percent" in said.out
    assert "m: 1 without an argument, counted as abstentions that use no factor, as in the paper" in said.out
    assert "m: 1 without an argument, in no mean" in shell("arguments-report", "one.jsonl", "--without-silent").out
