"""A run that is stopped: by a signal, by the end of who began it, by a full disk; what it says, and how it goes on."""

import os
import resource
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from groundscope.chat.budget import Limits
from groundscope.errors import StoreError
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import STOPPED
from groundscope.grounding.runs.reader import read_folder
from groundscope.grounding.runs.store import JUDGEMENT, place
from groundscope.types import Judgement, Passage, Status
from tests.groundscope.chat.clients.scripts import passes
from tests.groundscope.commands.conftest import Shell
from tests.groundscope.grounding.runs import made_cases
from tests.groundscope.grounding.runs.scripted import add, done
from tests.llm_server import Asked, LLMServer

PATIENCE = 60.0
TEXT = " ".join(f"Clause {i} binds the tenant of house {i % 70} alone." for i in range(150))
SLOW = [replace(c, context=(Passage("p", TEXT),), response=f"{c.response} {TEXT}") for c in made_cases(200)]
"""Cases that together take long enough to be stopped in between."""


@pytest.fixture
def slow(shell: Shell) -> Shell:
    shell.write("cases.jsonl", SLOW)
    return shell


def _begun(shell: Shell, *more: str, **options: object) -> "tuple[subprocess.Popen[bytes], JobFile]":
    """A run under way."""
    child = shell.start("run", "--cases", "cases.jsonl", "--methods", "overlap", *more, **options)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        assert child.poll() is None, child.communicate()
        # Its file may be half made.
        with suppress(StoreError):
            if (runs := shell.runs()) and runs[0].done(JUDGEMENT) and done(runs[0])[0] >= 3:
                return child, runs[0]
        time.sleep(0.02)
    raise AssertionError("Nothing was judged in time.")


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.release)])
def test_a_signal_stops_a_run_which_says_how_to_go_on(slow: Shell, number: signal.Signals) -> None:
    child, run = _begun(slow, "--quiet", "--limit", "150")
    child.send_signal(number)
    out, err = child.communicate(timeout=PATIENCE)
    assert (child.returncode, out) == (3, b"")
    why, on = err.decode().splitlines()[-2:]
    assert why == STOPPED
    assert on == f"To resume: python -m groundscope resume {run.id}"
    (before,) = done(run)
    assert 3 <= before < 150
    said = slow(*on.removeprefix("To resume: python -m groundscope ").split(), "--out", "out")
    assert (said.code, said.out) == (0, "out\n")
    assert f"{150 - before} of {150 - before} judgements" in said.err
    assert (read_folder(slow.home / "out").status == 0).all()


def test_a_second_signal_ends_it_at_once(slow: Shell) -> None:
    child, run = _begun(slow, "--quiet")
    child.send_signal(signal.SIGSTOP)
    child.send_signal(signal.SIGINT)
    child.send_signal(signal.SIGTERM)
    child.send_signal(signal.SIGCONT)
    child.communicate(timeout=PATIENCE)
    assert child.returncode in (128 + signal.SIGTERM, 128 + signal.SIGINT)
    assert not run.busy()


def test_a_run_stops_when_the_program_that_began_it_lets_go_of_its_input(slow: Shell) -> None:
    child, run = _begun(slow, "--quiet", "--with-parent")
    assert child.stdin is not None
    child.stdin.write(b"words on standard input mean nothing")
    child.stdin.close()
    assert child.wait(PATIENCE) == 3
    assert child.stderr is not None
    assert f"resume {run.id}" in child.stderr.read().decode()
    for stream in (child.stdout, child.stderr):
        assert stream is not None
        stream.close()


def test_an_input_that_is_closed_from_the_start_stops_a_run_that_watches_it(slow: Shell) -> None:
    given = ("run", "--cases", "cases.jsonl", "--methods", "overlap", "--quiet", "--with-parent")
    child = slow.start(*given, stdin=None, preexec_fn=lambda: os.close(0))
    out, err = child.communicate(timeout=PATIENCE)
    assert (child.returncode, out) == (3, b"")
    assert "There is no standard input to watch." in err.decode()
    assert "Traceback" not in err.decode()


def test_a_full_disk_stops_a_run_which_goes_on_with_room(slow: Shell) -> None:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    child = slow.start("run", "--cases", "cases.jsonl", "--methods", "overlap", "--limit", "40", "--quiet", preexec_fn=limit)
    out, err = child.communicate(timeout=PATIENCE)
    assert (child.returncode, out) == (3, b""), err.decode()
    assert "Every result so far is saved" in err.decode()
    (run,) = slow.runs()
    assert err.decode().endswith(f"To resume: python -m groundscope resume {run.id}\n")
    assert 0 < done(run)[0] < 40
    assert slow("resume", run.id, "--quiet").code == 0


def test_a_run_whose_files_cannot_be_written_is_kept_and_says_how_to_go_on(shell: Shell) -> None:
    cases = shell.write("cases.jsonl", made_cases(4))

    def answer(asked: Asked) -> str:
        (shell.home / "out").write_text("in the way", encoding="utf-8")
        return passes(asked)

    with LLMServer(answer) as server:
        model = f"server:scripted-1@{server.openai}"
        stopped = shell("run", "--cases", cases, "--methods", "direct", "--model", model, "--quiet", "--out", "out/run")
    assert (stopped.code, stopped.out) == (3, "")
    assert "out/run cannot be written" in stopped.err
    (run,) = shell.runs()
    assert f"resume {run.id}" in stopped.err
    assert run.finished()
    resumed = shell("resume", run.id, "--out", "elsewhere")
    assert (resumed.code, resumed.out) == (0, "elsewhere\n")


def test_a_budget_is_raised_without_losing_the_other_limit(shell: Shell) -> None:
    cases = shell.write("cases.jsonl", made_cases(4))
    assert shell("run", "--cases", cases, "--methods", "quip", "--calls", "5", "--dollars", "2").code == 0
    (run,) = shell.runs()
    assert shell("resume", run.id, "--calls", "9").code == 0
    assert run.limits() == Limits(9, 2.0)
    assert shell("resume", run.id, "--dollars", "3.5").code == 0
    assert run.limits() == Limits(9, 3.5)


def test_a_method_that_is_gone_is_reported(shell: Shell) -> None:
    cases = shell.write("cases.jsonl", made_cases(4))
    assert shell("run", "--cases", cases, "--methods", "quip").code == 0
    (run,) = shell.runs()
    plan = run.about("plan")
    plan["methods"][0]["id"] = "quip:gone"
    run.forget(JUDGEMENT, [place(0, 2)])
    run.set_about("plan", plan)
    run.set_about("finished", "")
    run.close()
    err = shell.refuses("resume", run.id)
    assert "quip has no variant 'gone'" in err
    assert "The method quip:gone of this job is no longer available. Its results are saved" in err
    assert "3 " in shell("report", run.id).out


def test_a_reader_that_goes_away_stops_nothing(shell: Shell) -> None:
    cases = shell.write("cases.jsonl", made_cases(30))
    child = shell.start("run", "--cases", cases, "--methods", "quip,overlap")
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    child.stderr.close()
    assert child.wait(PATIENCE) == 0
    assert child.stdin is not None
    child.stdin.close()
    assert all(run.finished() for run in shell.runs())
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        child = shell.start("runs", stdout=full)
        _, err = child.communicate(timeout=PATIENCE)
    assert child.returncode == 2
    assert err.decode() == "Standard output cannot be written (No space left on device).\n"


def test_a_run_in_which_everything_failed_says_so(shell: Shell) -> None:
    cases = shell.write("cases.jsonl", made_cases(2))
    assert shell("run", "--cases", cases, "--methods", "quip").code == 0
    (run,) = shell.runs()
    for row in range(2):
        add(run, 0, row, Judgement(Status.FAILED, note="The server was down."), timed=False)
    said = shell("resume", run.id)
    assert said.code == 4
    assert "2 times: The server was down." in said.err
    assert f"2 judgements failed. To retry: python -m groundscope resume {run.id} --retry-failed" in said.err
