"""`run --on ray` with Ray itself: the same supports to the last bit, an exact bill, and a kill that loses nothing."""

import json
import os
import re
import shutil
import signal
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from groundscope.cases.dataset import read, to_jsonl
from groundscope.experiments.store import JobFile
from groundscope.grounding.sharded.work import gpus_a_process
from groundscope.methods import registry
from groundscope.types import Case
from tests.groundscope.chat.clients.scripts import KEY, line, model, passes
from tests.groundscope.chat.clients.test_budgets import usage
from tests.groundscope.commands.conftest import ROOT, Shell, shell  # noqa: F401 - a fixture
from tests.llm_server import Fault, LLMServer
from tests.loops import each

CASES = 500
METHODS = "direct,overlap,grounding_classifier"
KILLED = "grounding-classifier"
_PARENT = re.compile(r"^PPid:\t(\d+)", re.MULTILINE)


@pytest.fixture
def cases(shell: Shell) -> list[Case]:  # noqa: F811
    made = read("legal_qa.jsonl", (ROOT / "sample_data" / "legal_qa.jsonl").read_bytes()).cases
    # A sentence and the beginning of a source each, so that a model judges hundreds in seconds.
    short = [
        Case(case.id, case.query, (replace(case.context[0], text=case.context[0].text[:300]),), text)
        for case in made
        if case.context and (text := case.response.partition(". ")[0] + ".")
    ]
    copies = [replace(case, id=f"{case.id} {i}") for i in range(2) for case in short][:CASES]
    (shell.home / "cases.jsonl").write_text(to_jsonl(copies), encoding="utf-8")
    return copies


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
        if pid in parents and "ray::ChunkJudge" in words:
            found.append(int(place.name))
    return found


def _equal_to_one_process(rows: Sequence[dict[str, object]], name: str, cases: Sequence[Case]) -> None:
    method, found = registry.load(name), {row["case"]: row for row in rows}
    for case in cases:
        row, judgement = found[case.id], method.score(case)
        assert row["support"] == judgement.support
        assert [s["support"] for s in row["sentences"]] == [s.support for s in judgement.sentences]  # type: ignore[attr-defined]


@pytest.mark.release
@pytest.mark.xdist_group("ray")
def test_supports_are_those_of_one_process_the_bill_is_exact_and_a_kill_loses_and_doubles_nothing(
    shell: Shell,  # noqa: F811
    cases: list[Case],
) -> None:
    out = shell.home / "out"
    with LLMServer(passes, [Fault("status", status=429, times=3, headers={"Retry-After-Ms": "50"})]) as server:
        shell.environment |= {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.anthropic}
        # Short, since the names of Ray's sockets are: below it are its logs.
        logs = Path(tempfile.mkdtemp(prefix="ray", dir="/tmp"))
        shell.environment["RAY_TMPDIR"] = str(logs)
        spec = line("anthropic", server, at_once=8)
        child = shell.start(
            *("run", "--on", "ray", "--cases", "cases.jsonl", "--methods", METHODS, "--model", spec),
            *("--out", "out", "--chunk", "25", "--workers", "2", "--dollars", "5"),
        )  # fmt: skip
        until, killed = time.monotonic() + 180, set[int]()
        while len(killed) < 2 and time.monotonic() < until and child.poll() is None:
            # Both workers of the last pool die at once, while most of its chunks are still to be judged.
            if list(out.glob(f"{KILLED}-*/*.parquet")):
                for pid in _workers(child.pid):
                    os.kill(pid, signal.SIGKILL)
                    killed.add(pid)
            time.sleep(0.05)
        said = b"".join(child.communicate(timeout=240))
    assert child.returncode == 0, said.decode()
    assert len(killed) >= 2
    rows = {}
    for name in METHODS.split(","):
        (folder,) = out.glob(f"{name.replace('_', '-')}-*")
        rows[name] = [row for p in folder.glob("*.parquet") for row in pq.read_table(p).to_pylist()]
        assert sorted(row["case"] for row in rows[name]) == sorted(case.id for case in cases)
    _equal_to_one_process(rows["overlap"], "overlap", cases)
    _equal_to_one_process(rows["grounding_classifier"], "grounding_classifier", cases)
    assert {row["support"] for row in rows["direct"]} == {1.0}
    used = [usage(asked, given) for asked, given in server.answered]
    (job,) = (shell.home / "data" / "on_ray").glob("*.sqlite")
    cost = JobFile(job).spent()
    # Copies ask the same, and are paid once, unless two were asked at one moment.
    assert len({case.response for case in cases}) <= len(used) == len(server.asked) - 3
    assert (cost.calls, cost.tokens, cost.unanswered) == (len(used), sum(u.total for u in used), 0)
    assert cost.dollars == pytest.approx(sum(model(spec).price(u) or 0.0 for u in used), rel=1e-12)
    written = b"".join(p.read_bytes() for p in shell.home.rglob("*") if p.is_file())
    logged = b"".join(p.read_bytes() for p in logs.rglob("*.*") if p.is_file())
    shutil.rmtree(logs)
    assert b"ChunkJudge" in logged
    assert KEY.encode() not in said + written + logged


MODEL = ("--model", "anthropic:claude-haiku-5-5")


@each(
    ("words", "why"),
    [
        (("--methods", "overlap"), "Name the files to judge with --cases"),
        (("--cases", "a.jsonl", "--methods", "overlap"), "Name the folder for the results with --out"),
        (("--cases", "a.jsonl", "--out", "o", "--split", "dev"), "does not take --split"),
        (("--cases", "a.jsonl", "--out", "o", "--sample", "5"), "leave --sample"),
        (("--cases", "a.jsonl", "--out", "o", "--methods", "overlap"), "a.jsonl is not there"),
    ],
)
def test_what_does_not_go_with_ray_is_said(shell: Shell, words: tuple[str, ...], why: str) -> None:  # noqa: F811
    said = shell("run", "--on", "ray", *words)
    assert (said.code, said.out) == (2, "")
    assert why in said.err
    assert not (shell.home / "o").exists()


def test_texts_go_to_a_model_elsewhere_only_after_a_yes(shell: Shell) -> None:  # noqa: F811
    rows = [json.dumps({"query": "q", "context": ["The rent is due."], "response": f"Rent {i} is due."}) for i in range(300)]
    (shell.home / "a.jsonl").write_text("\n".join(rows))
    shell.environment["ANTHROPIC_API_KEY"] = "x"
    said = shell("run", "--on", "ray", "--cases", "a.jsonl", "--out", "o", "--methods", "direct", *MODEL)
    assert said.code == 2
    # Counted on the first 200, and scaled up.
    assert re.search(r"300 calls +api\.anthropic\.com +\$", said.err), said.err
    assert "Nothing was sent. Add --yes to send it." in said.err
    assert not (shell.home / "o").exists()


@each(
    ("precision", "gpus", "processes", "share"),
    [
        ("bf16", 0, 4, 0),
        ("int8", 8, 4, 0),
        ("bf16", 8, 4, 1),
        ("fp32", 1, 3, 0.33),
        ("fp32", 1, 512, 0.01),
    ],
)
def test_weights_of_torch_share_the_gpus_of_a_cluster(precision: str, gpus: float, processes: int, share: float) -> None:
    assert gpus_a_process(precision, gpus, processes) == share
