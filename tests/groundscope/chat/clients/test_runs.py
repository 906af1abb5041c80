"""Whole runs through a server that fails by chance, and a run that is killed and started again."""

import io
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TextIO

import pytest

from groundscope.chat import replies
from groundscope.chat.clients import ceilings
from groundscope.runtime.retention import keeping
from groundscope.types import Case, Judgement, Status
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import case, formed, line, load, model
from tests.groundscope.chat.clients.test_budgets import usage
from tests.llm_server import Asked, Fault, LLMServer

ROOT = Path(__file__).resolve().parents[4]
STATES = {Status.SCORED, Status.INVALID, Status.FAILED}
MIXED = [
    Fault("status", status=429, share=0.06, headers={"Retry-After-Ms": "2"}),
    Fault("status", status=529, share=0.05),
    Fault("status", status=500, share=0.05),
    Fault("cut", share=0.05),
    Fault("half", share=0.05),
    Fault("junk", share=0.04),
    Fault("page", share=0.04),
    Fault("stall", share=0.02, seconds=0.01),
]
"""About 30 % of calls."""


def cases(count: int) -> list[Case]:
    return [case(f"Claim {i} was dismissed.", f"Claim {i} was {'allowed' if i % 3 else 'dismissed'}.") for i in range(count)]


def judge(asked: Asked) -> str:
    """Compares the texts; of some cases it says nothing that can be read, and every twentieth it refuses."""
    answer, document = asked.data["answer"], asked.data["document"]
    number = int("".join(c for c in answer if c.isdigit()))
    if number % 20 == 7:
        return "I would rather not say."
    if number % 20 == 9 and asked.forced:
        return '{"reasons": ['
    if "allowed" in document:
        quotes = [{"quote": answer, "why": "It was allowed."}]
        return formed(asked, json.dumps({"reasons": ["No."], "unsupported": quotes, "verdict": "FAIL"}))
    return formed(asked, json.dumps({"reasons": ["Yes."], "unsupported": [], "verdict": "PASS"}))


def _run(spec: str, wanted: list[Case], threads: int = 8) -> list[Judgement]:
    scorer = load("direct", spec)

    def one(judged: Case) -> Judgement:
        with keeping():
            return scorer.score(judged)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(one, wanted))


def _prompts(server: LLMServer) -> Counter[str]:
    """How often each prompt was answered whole."""
    return Counter(asked.unmarked for asked, _ in server.answered)


@pytest.mark.parametrize("way", ["anthropic", "server;stream=1"])
def test_a_hundred_cases_through_a_failing_server(way: str, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    # Eight faults in a row would be a named failure, as below; here none shall be.
    monkeypatch.setattr(ceilings, "TRIES", 99)
    monkeypatch.setattr(ceilings, "UNREAD", 99)
    server = serve(judge, *MIXED, seed=5)
    spec = line(way, server, at_once=8)
    judgements = _run(spec, cases(100))
    met = len(server.asked) - len(server.answered)
    assert met > 0.2 * len(server.asked)
    assert {j.status for j in judgements} <= STATES
    assert all((j.status is Status.SCORED) == (j.support is not None) for j in judgements)
    assert all(j.note for j in judgements)
    expected = [None if i % 20 == 7 else float(i % 3 == 0) for i in range(100)]
    assert [j.support for j in judgements] == expected
    assert [j.status for j in judgements] == [Status.INVALID if e is None else Status.SCORED for e in expected]
    # Two answers a case where the first could not be read, and no answer twice.
    assert set(_prompts(server).values()) == {1}
    assert len(server.answered) == 100 + 5 + 5
    _match_what_was_answered(spec, server, judgements)
    again = _run(spec, cases(100))
    assert len(server.answered) == 110
    assert [j.support for j in again] == expected
    assert all((j.calls, j.tokens, j.cost, j.cached) == (0, 0, 0, 1) for j in again)


def _match_what_was_answered(spec: str, server: LLMServer, judgements: list[Judgement]) -> None:
    assert sum(j.calls for j in judgements) == len(server.answered)
    used = [usage(asked, said) for asked, said in server.answered]
    if "anthropic" not in spec:
        used = [u.__class__(u.input + u.cache_write, u.output, u.cache_read) for u in used]
    assert sum(j.tokens for j in judgements) == sum(u.total for u in used)
    assert sum(j.cost or 0 for j in judgements) == pytest.approx(sum(model(spec).price(u) or 0 for u in used))


RUN = """
import sys
from groundscope.chat.clients import ceilings
from tests.groundscope.chat.clients.test_runs import cases, written

ceilings._FIRST_PAUSE, ceilings._LONGEST_PAUSE, ceilings.TRIES, ceilings.UNREAD = 0.002, 0.004, 99, 99
written(sys.argv[1], cases(60), sys.stdout)
"""


def written(spec: str, wanted: list[Case], out: TextIO) -> None:
    """A run as a runner makes it: every judgement is a row as soon as it is there."""
    scorer = load("direct", spec)

    def one(judged: Case) -> None:
        with keeping():
            j = scorer.score(judged)
        row = [judged.response, j.status, j.support, [s.support for s in j.sentences], j.note]
        out.write(f"{json.dumps(row)}\n")
        out.flush()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, wanted))


def test_a_killed_run_goes_on_and_pays_for_nothing_again(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(asked: Asked) -> str:
        time.sleep(0.01)
        return judge(asked)

    monkeypatch.setattr(ceilings, "TRIES", 99)
    monkeypatch.setattr(ceilings, "UNREAD", 99)
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "killed"))
    server = serve(slow, *MIXED, seed=8)
    spec = line("anthropic", server, at_once=4)
    with subprocess.Popen([sys.executable, "-c", RUN, spec], cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
        while len(server.answered) < 25:
            assert run.poll() is None
            time.sleep(0.002)
        run.kill()
        printed = run.communicate(timeout=10)[0].splitlines()
    assert run.returncode == -signal.SIGKILL
    assert 25 <= len(server.answered) < 60
    assert len(printed) > 10

    again = io.StringIO()
    written(spec, cases(60), again)
    # Twice were answered at most those that were under way when it died, and none whose judgement was there.
    times = Counter(asked.data["answer"] for asked, _ in server.answered if asked.forced)
    assert {json.loads(row)[0] for row in printed}.isdisjoint(answer for answer, n in times.items() if n > 1)
    assert sum(n - 1 for n in _prompts(server).values()) <= 4

    replies.default().close()
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "whole"))
    whole = io.StringIO()
    written(spec, cases(60), whole)
    assert len(again.getvalue().splitlines()) == 60
    assert sorted(again.getvalue().splitlines()) == sorted(whole.getvalue().splitlines())
    assert set(printed) <= set(whole.getvalue().splitlines())
