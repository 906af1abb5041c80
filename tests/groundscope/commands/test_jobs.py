"""`jobs`, `resume` and `delete`: every kind of long job in the same words, with a budget that holds."""

import re
from pathlib import Path

import pytest

from tests.groundscope.arguments.scripted import argues, spec
from tests.groundscope.commands.conftest import Said, Shell
from tests.llm_server import Fault, LLMServer


@pytest.fixture
def triples(shell: Shell) -> str:
    """A file of six triples."""
    shell("arguments-scenarios", "--number", "2", "--out", "s.jsonl")
    return "s.jsonl"


def started(shell: Shell, triples: str, server: LLMServer, *more: str) -> tuple[Said, str]:
    said = shell("arguments-run", "--scenarios", triples, "--arguers", spec(server, at_once=1), "--quiet", *more)
    found = re.search(r"^Job (\S+): ", said.err, re.M)
    assert found is not None, said.err
    return said, found[1]


def state(shell: Shell, job: str) -> str:
    (row,) = (line for line in shell("jobs").out.splitlines() if line.startswith(job))
    return row


def test_without_a_job_the_list_says_how_to_start_one(shell: Shell) -> None:
    said = shell("jobs")
    assert (said.code, said.out) == (0, "")
    assert "No jobs yet; start one with" in said.err


def test_a_limit_holds_over_five_starts_and_a_higher_one_lets_the_job_finish(shell: Shell, triples: str) -> None:
    with LLMServer(argues) as server:
        said, job = started(shell, triples, server, "--calls", "3")
        for _ in range(4):
            assert said.code == 3
            assert "Stopped by the budget: all of its 3 calls are made" in said.err
            said = shell("resume", job, "--quiet")
        assert len(server.asked) == 3
        assert re.search(r"paused +3 of 6 +0 ", state(shell, job))
        said = shell("resume", job, "--quiet", "--calls", "6")
        assert (said.code, len(server.asked)) == (0, 6)
    assert "finished" in state(shell, job)


def test_what_failed_is_retried_only_when_asked(shell: Shell, triples: str) -> None:
    with LLMServer(argues, [Fault("status", status=413, times=1)]) as server:
        said, job = started(shell, triples, server)
        assert said.code == 0
        assert "1 argument failed. To retry: python -m groundscope resume" in said.err
        asked = len(server.asked)
        assert shell("resume", job, "--quiet").code == 0
        assert len(server.asked) == asked
        said = shell("resume", job, "--quiet", "--retry-failed")
    assert said.code == 0
    assert "1 failed result is made again." in said.err
    assert re.search(r"finished +6 of 6 +0 ", state(shell, job))


def test_what_may_be_billed_without_an_answer_is_said(shell: Shell, triples: str) -> None:
    table = shell.home / "data" / "prices.csv"
    table.parent.mkdir(parents=True, exist_ok=True)
    table.write_text("model,above,input,output,cache_read,cache_write,date,source\nscripted-1,0,1,5,1,1,2026-11-01,mine\n")
    with LLMServer(argues, [Fault("cut", times=1)]) as server:
        said, job = started(shell, triples, server)
    assert said.code == 0
    words = r"^So far 7 calls, .*, at least \$0\.\d+: 1 call brought no answer and may be billed, \$0\.\d+ at most"
    assert re.search(words, said.err, re.M)
    assert re.search(r"at least \$0\.\d+", state(shell, job))


def test_a_deleted_job_is_gone_with_its_file(shell: Shell, triples: str) -> None:
    with LLMServer(argues) as server:
        said, job = started(shell, triples, server)
    path = Path(said.out.strip())
    assert path.is_file()
    assert shell("delete", job).code == 0
    assert not path.exists()
    for verb in ("delete", "resume"):
        err = shell.refuses(verb, job)
        assert "There is no job" in err
        assert "`python -m groundscope jobs` lists them" in err
