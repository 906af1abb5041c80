"""`error-types` as a user types it: two models on loopback, and a file whose types a run counts."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from groundscope.cases.dataset import read, to_jsonl
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import STAGE
from groundscope.grounding.runs import listing
from groundscope.grounding.runs.arrays import TYPES, case_columns
from groundscope.types import Case, ErrorType, Passage
from tests.components.processes import until
from tests.groundscope.commands.conftest import Shell
from tests.llm_server import Asked, LLMServer

FACT, STEP = ErrorType.FACTUAL_INACCURACY, ErrorType.PROCEDURAL_ERROR
CASES = tuple(
    Case(f"c{i}", f"q{i}", (Passage("p", "Within 30 days."),), f"Answer {i}.", grounded=i == 0, split="dev") for i in range(3)
)


@pytest.fixture
def servers() -> Iterator[tuple[LLMServer, LLMServer]]:
    def chosen(*kinds: ErrorType) -> str:
        return json.dumps({"types": [kind.value for kind in kinds]})

    with (
        LLMServer(lambda _: chosen(FACT, STEP)) as one,
        LLMServer(lambda asked: chosen(STEP, FACT) if "1" in asked.data["answer"] else chosen(STEP)) as two,
    ):
        yield one, two


def asked(shell: Shell, servers: tuple[LLMServer, LLMServer], *more: str) -> tuple[str, ...]:
    (shell.home / "mine.jsonl").write_text(to_jsonl(CASES), encoding="utf-8")
    first, second = (f"server:scripted-1@{s.openai}" for s in servers)
    where = ("--out", "typed.jsonl", "--quiet")
    return "error-types", "--cases", "mine.jsonl", "--first", first, "--second", second, *where, *more


def test_types_of_both_models_are_written_with_the_cases_and_counted_in_a_run(
    shell: Shell, servers: tuple[LLMServer, LLMServer]
) -> None:
    said = shell.done(*asked(shell, servers))
    assert "Both chose exactly the same types for 50 % of 2 responses, and at least one in common for 100 %" in said.out
    assert "2 responses got types: typed.jsonl" in said.err
    found = read("typed.jsonl", (shell.home / "typed.jsonl").read_bytes()).cases
    assert [c.types for c in found] == [(), (FACT, STEP), (STEP,)]
    counted = case_columns(found).types.sum(axis=0)
    assert {kind: int(n) for kind, n in zip(TYPES, counted, strict=True) if n} == {FACT: 1, STEP: 2}
    assert [len(s.asked) for s in servers] == [2, 2]


def test_what_cannot_be_typed_is_refused_before_anything_is_sent(shell: Shell, servers: tuple[LLMServer, LLMServer]) -> None:
    line = asked(shell, servers)
    same = (*line[:6], line[4], *line[7:])
    assert "Name two different models" in shell(*same).err
    (shell.home / "typed.jsonl").write_text("mine", encoding="utf-8")
    assert "already exists" in shell.refuses(*line)
    sound = to_jsonl(CASES[:1])
    (shell.home / "mine.jsonl").write_text(sound, encoding="utf-8")
    (shell.home / "typed.jsonl").unlink()
    assert "No response of mine.jsonl is labelled ungrounded" in shell(*line).err
    assert [s.asked for s in servers] == [[], []]


def test_a_budget_stops_it_and_what_was_answered_is_not_asked_again(shell: Shell, servers: tuple[LLMServer, LLMServer]) -> None:
    stopped = shell(*asked(shell, servers, "--calls", "2"))
    assert stopped.code == 3, stopped.err
    job = re.findall(r"To resume: python -m groundscope resume (\S+)", stopped.err)[-1]
    assert not (shell.home / "typed.jsonl").exists()
    assert re.search(rf"{job} +typing +Error types of mine.jsonl +paused +2 of 4", shell("jobs").out)
    assert shell("resume", job, "--calls", "3", "--quiet").code == 3
    said = shell.done("resume", job, "--calls", "4", "--quiet")
    assert "Both chose exactly the same types for 50 % of 2 responses" in said.out
    assert "2 responses got types: " in said.err
    assert [c.types for c in read("typed.jsonl", (shell.home / "typed.jsonl").read_bytes()).cases] == [(), (FACT, STEP), (STEP,)]
    assert sum(len(s.asked) for s in servers) == 4
    # The copy of the cases is gone with the job.
    assert not list((shell.home / "data").rglob("typings/*.sqlite"))


def test_a_typing_that_is_killed_resumes_and_asks_for_what_is_left_alone(
    shell: Shell, servers: tuple[LLMServer, LLMServer]
) -> None:
    gate, at_the_gate = Event(), Event()

    def waits(asked: Asked) -> str:
        if "2" in asked.data["answer"] and not gate.is_set():
            at_the_gate.set()
            gate.wait(60)
        return json.dumps({"types": [STEP.value]})

    with LLMServer(waits) as slow:
        child = shell.start(*asked(shell, (servers[0], slow)))
        assert at_the_gate.wait(60)
        (path,) = (shell.home / "data" / "typings").glob("*.sqlite")
        until(lambda: len(JobFile(path).done(STAGE)) == 3)
        child.kill()
        child.communicate(timeout=60)
        gate.set()
        assert re.search(rf"{path.stem} +typing .* paused +3 of 4", shell("jobs").out)
        shell.done("resume", path.stem, "--quiet")
        assert [c.types for c in read("typed.jsonl", (shell.home / "typed.jsonl").read_bytes()).cases] == [(), (STEP,), (STEP,)]
        assert len(servers[0].asked) == 2
        assert sorted(a.data["answer"] for a in slow.asked) == ["Answer 1.", "Answer 2.", "Answer 2."]


def test_what_failed_is_retried_and_written_beside_what_was_there(shell: Shell, servers: tuple[LLMServer, LLMServer]) -> None:
    servers[1].refusal = "No."
    said = shell(*asked(shell, servers))
    job = re.findall(r"python -m groundscope resume (\S+) --retry-failed", said.err)[-1]
    assert "0 responses got types: " in said.err
    servers[1].refusal = ""
    said = shell.done("resume", job, "--retry-failed", "--quiet")
    assert "2 responses got types: " in said.err
    assert [c.types for c in read("t.jsonl", (shell.home / "typed-2.jsonl").read_bytes()).cases] == [(), (FACT, STEP), (STEP,)]
    assert not list((shell.home / "data").rglob("typings/*.sqlite"))


def judged(shell: Shell) -> str:
    shell.write("mine.jsonl", CASES)
    said = shell.done("run", "--cases", "mine.jsonl", "--methods", "overlap", "--quiet", "--name", "Mine")
    return Path(said.out.strip()).name


def found_types(shell: Shell, run: str) -> list[tuple[ErrorType, ...]]:
    out = f"out-{len(list(shell.home.glob('out-*')))}"
    assert shell("export", run, "--out", out).code == 0
    found = listing.find(str(shell.home / out))
    return [c.types for c in found.read_cases(range(len(found.ids)))]


def test_a_finished_run_takes_types_from_a_file_and_keeps_what_it_was(shell: Shell) -> None:
    run = judged(shell)
    before = shell("report", run, "--format", "csv").out
    typed = [replace(c, error_types=(FACT,)) if not c.grounded else c for c in CASES]
    shell.write("typed.jsonl", [*typed[:2], replace(typed[2], id="strange", response="Another.")])
    said = shell("error-types", "--run", run, "--types", "typed.jsonl")
    assert (said.code, said.out) == (0, ""), said.err
    # The counts of the file come first.
    assert said.err.splitlines()[-2:] == [
        "Case strange: the run has no response with this question, these sources and this answer.",
        "1 response of the run Mine got types; 1 ungrounded one has none.",
    ]
    assert found_types(shell, run) == [(), (FACT,), ()]
    assert shell("report", run, "--format", "csv").out == before
    again = shell("error-types", "--run", run, "--types", "typed.jsonl")
    assert (again.code, "1 response has these already." in again.err) == (0, True)
    assert "mine.jsonl has no error types" in shell("error-types", "--run", run, "--types", "mine.jsonl").err


@pytest.mark.parametrize("form", ["markdown", "csv"])
def test_the_table_by_error_type_is_written_and_says_where_types_come_from(shell: Shell, form: str) -> None:
    run = judged(shell)
    bare = shell("report", run, "--errors", "--format", form).out
    assert "added to this run" not in bare
    shell.write("typed.jsonl", [replace(c, error_types=(FACT,)) if not c.grounded else c for c in CASES])
    assert shell("error-types", "--run", run, "--types", "typed.jsonl").code == 0
    said = shell.done("report", run, "--errors", "--format", form)
    assert "added to this run after it was judged: 2 responses from typed.jsonl" in said.out
    # The scripted answers share hardly a word with the source, so that both are flagged.
    assert ("factual_inaccuracy,0,0,2,0.0," if form == "csv" else "0.0 % (0 of 2)") in said.out
    assert ("Factual inaccuracy" in bare, "Factual inaccuracy (2)" in said.out) == (False, form != "csv")


def test_two_models_type_the_cases_of_a_finished_run_that_have_none(shell: Shell, servers: tuple[LLMServer, LLMServer]) -> None:
    run = judged(shell)
    shell.write("typed.jsonl", [replace(CASES[1], error_types=(FACT,))])
    assert shell("error-types", "--run", run, "--types", "typed.jsonl").code == 0
    first, second = (f"server:scripted-1@{s.openai}" for s in servers)
    models = ("--first", first, "--second", second)
    said = shell.done("error-types", "--run", run, *models, "--quiet")
    assert "1 response of the run Mine got types; 0 ungrounded ones have none." in said.err
    assert [len(s.asked) for s in servers] == [1, 1]
    assert found_types(shell, run) == [(), (FACT,), (STEP,)]
    assert "No response of the run Mine is ungrounded and without error types." in shell("error-types", "--run", run, *models).err


def test_types_that_people_added_while_models_chose_stay_alone(shell: Shell, servers: tuple[LLMServer, LLMServer]) -> None:
    run = judged(shell)
    line = asked(shell, servers)
    stopped = shell("error-types", "--run", run, *line[3:7], "--quiet", "--calls", "3")
    job = re.findall(r"To resume: python -m groundscope resume (\S+)", stopped.err)[-1]
    shell.write("typed.jsonl", [replace(CASES[1], error_types=(FACT,))])
    assert shell("error-types", "--run", run, "--types", "typed.jsonl").code == 0
    said = shell("resume", job, "--calls", "9", "--quiet")
    assert "1 response of the run Mine got types; 0 ungrounded ones have none." in said.err
    assert found_types(shell, run) == [(), (FACT,), (STEP,)]


def test_options_that_do_not_go_together_are_refused(shell: Shell) -> None:
    for options, words in (
        (("--types", "a.jsonl"), "--types goes with --run alone"),
        (("--run", "r"), "Name two chat models with --first and --second"),
        (("--first", "a:b", "--second", "a:c"), "Name a new file for the types with --out, or a finished run with --run."),
        (("--run", "r", "--cases", "a.jsonl", "--first", "a:b", "--second", "a:c"), "leave out --cases"),
        (("--run", "none", "--types", "a.jsonl"), "a.jsonl cannot be read"),
    ):
        assert words in shell.refuses("error-types", *options)
