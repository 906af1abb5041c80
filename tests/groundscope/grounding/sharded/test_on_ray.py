"""`run --on ray` with Ray itself: the same supports to the last bit, and a process that is killed loses and doubles nothing."""

import json
import os
import re
import signal
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from groundscope.cases.dataset import read, to_jsonl
from groundscope.methods import registry
from tests.groundscope.commands.conftest import ROOT, Shell, shell  # noqa: F401 - a fixture

CASES = 500
METHODS = ("grounding_classifier",)
_PARENT = re.compile(r"^PPid:\t(\d+)", re.MULTILINE)


@pytest.fixture
def cases(shell: Shell) -> Path:  # noqa: F811
    from dataclasses import replace

    made = read("legal_qa.jsonl", (ROOT / "sample_data" / "legal_qa.jsonl").read_bytes()).cases
    again = [replace(case, id=f"{case.id} again") for case in made]
    path = shell.home / "cases.jsonl"
    path.write_text(to_jsonl([*made, *again][:CASES]), encoding="utf-8")
    return path


def _words(path: Path, out: str, *more: str) -> tuple[str, ...]:
    return ("run", "--on", "ray", "--cases", str(path), "--methods", ",".join(METHODS), "--out", out, "--chunk", "25", *more)


def _workers(pid: int) -> list[int]:
    """The processes of Ray that hold a method, among those that a start has begun."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().decode("utf-8", "replace")
            parents, up = set(), place
            while (above := _PARENT.search((up / "status").read_text())) and above[1] not in {"0", "1"}:
                parents.add(int(above[1]))
                up = Path("/proc") / above[1]
        except OSError:
            continue
        if pid in parents and "MapWorker" in words:
            found.append(int(place.name))
    return found


@pytest.mark.xdist_group("ray")
def test_supports_are_those_of_one_process_and_a_kill_loses_and_doubles_nothing(shell: Shell, cases: Path) -> None:  # noqa: F811
    child = shell.start(*_words(cases, "out", "--workers", "2"))
    until, killed = time.monotonic() + 120, set[int]()
    while len(killed) < 2 and time.monotonic() < until and child.poll() is None:
        # Both workers of the pool die at once, while most chunks are still to be judged.
        if list((shell.home / "out").glob("*/*.parquet")):
            for pid in _workers(child.pid):
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
        time.sleep(0.05)
    _, said = child.communicate(timeout=240)
    assert child.returncode == 0, said.decode()
    assert len(killed) >= 2
    given = read(cases.name, cases.read_bytes()).cases
    for name in METHODS:
        (folder,) = (shell.home / "out").glob(f"{name.replace('_', '-')}-*")
        rows = [row for p in folder.glob("*.parquet") for row in pq.read_table(p).to_pylist()]
        assert sorted(row["case"] for row in rows) == sorted(case.id for case in given)
        method, found = registry.load(name), {row["case"]: row for row in rows}
        for case in given[:60]:
            judgement = method.score(case)
            assert found[case.id]["support"] == judgement.support
            assert [s["support"] for s in found[case.id]["sentences"]] == [s.support for s in judgement.sentences]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--on", "ray", "--methods", "overlap"), "Name the files to judge with --cases"),
        (("--on", "ray", "--cases", "a.jsonl", "--methods", "overlap"), "Name the folder for the results with --out"),
        (("--on", "ray", "--cases", "a.jsonl", "--out", "o", "--split", "dev"), "does not take --split"),
        (("--on", "ray", "--cases", "a.jsonl", "--out", "o", "--sample", "5"), "leave --sample"),
        (("--on", "ray", "--cases", "a.jsonl", "--out", "o", "--methods", "overlap"), "a.jsonl is not there"),
    ],
)
def test_what_does_not_go_with_ray_is_said(shell: Shell, words: tuple[str, ...], why: str) -> None:  # noqa: F811
    said = shell.here("run", *words)
    assert (said.code, said.out) == (2, "")
    assert why in said.err
    assert not (shell.home / "o").exists()


def test_a_chat_model_is_not_asked_by_many_machines_yet(shell: Shell) -> None:  # noqa: F811
    (shell.home / "a.jsonl").write_text(json.dumps({"query": "q", "context": ["c"], "response": "r"}))
    shell.environment["ANTHROPIC_API_KEY"] = "x"
    said = shell("run", "--on", "ray", "--cases", "a.jsonl", "--out", "o", "--methods", "direct:anthropic:claude-haiku-5-5")
    assert said.code == 2
    assert not (shell.home / "o").exists()
