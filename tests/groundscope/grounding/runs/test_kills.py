"""`kill -9` at any point: nothing acknowledged is lost, nothing is judged twice, a resumed run equals an uninterrupted one."""

import random
import signal
import time
from itertools import islice
from pathlib import Path

import pytest

from groundscope.errors import StoreError
from groundscope.experiments.steps import Tick
from groundscope.experiments.store import JobFile
from groundscope.grounding.runs.folder import export
from tests.groundscope.experiments.jobs import go, started
from tests.groundscope.grounding.runs.scripted import cases_of, finished, judge, places, planned, two_methods

CASES = cases_of(60)
SAME = ("cases.parquet", "judgements.parquet", "sentences.parquet")

WORKER = """
import sys, time
from groundscope.grounding.runs.store import FOLDER
from tests.groundscope.grounding.runs.scripted import judge
from tests.groundscope.grounding.runs.scripted import two_methods
run = FOLDER.open(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
def hear(tick):
    print(tick.part, tick.place.row, tick.status or "loading", flush=True)
    if tick.done == int(sys.argv[3]):
        time.sleep(600)
print(judge(run, two_methods(float(sys.argv[2])), hear=hear))
"""


def _rows(lines: list[str]) -> list[tuple[int, int]]:
    places = {"first": 0, "second": 1}
    whole = [line.split() for line in lines if line.endswith("\n")]
    return [(places[words[0]], int(words[1])) for words in whole if len(words) == 3 and words[2] != "loading"]


def _heard(run: JobFile) -> list[Tick]:
    heard: list[Tick] = []
    assert judge(run, two_methods(), hear=heard.append).finished
    return heard


@pytest.mark.parametrize(("at", "kept"), [(0, 0), (31, 31), (120, 120)], ids=["loading", "judging", "the end"])
def test_a_kill_at_any_stage_loses_nothing_that_was_kept(at: int, kept: int) -> None:
    run = planned(CASES, two_methods())
    child = started(WORKER, run.id, 0.0, at)
    go(child)
    assert child.stdout is not None
    for _ in range(1 if at == 0 else at + 2):
        assert child.stdout.readline()
    assert run.busy()
    with pytest.raises(StoreError, match="Another process works on this job; pause it there first, or wait"):
        judge(run, two_methods())
    child.kill()
    child.communicate(timeout=60)
    assert (len(places(run)), run.finished(), run.busy()) == (kept, "", False)
    judged = [tick for tick in _heard(run) if tick.status]
    assert len(judged) == 120 - kept
    assert run.finished()


@pytest.mark.parametrize("kills", [2, pytest.param(12, marks=pytest.mark.release)])
def test_a_run_that_is_killed_again_and_again_equals_one_that_is_not(kills: int, tmp_path: Path) -> None:
    dice = random.Random(6)  # noqa: S311 - no secret
    run = planned(CASES, two_methods())
    acknowledged: list[tuple[int, int]] = []
    for _ in range(kills):
        child = started(WORKER, run.id, 0.002, -1)
        go(child)
        assert child.stdout is not None
        seen = list(islice(child.stdout, dice.randrange(10)))
        time.sleep(dice.uniform(0, 0.02 if seen else 0.2))
        child.kill()
        acknowledged += _rows([*seen, *child.stdout])
        child.communicate(timeout=60)
        assert child.returncode == -signal.SIGKILL
        run.close()
        assert set(acknowledged) <= places(run)
        assert not run.busy()
    assert not run.finished()
    hear = [f"{t.part} {t.place.row} {t.status or 'loading'}\n" for t in _heard(run)]
    acknowledged += _rows(hear)
    assert run.finished()
    assert len(places(run)) == 2 * len(CASES)
    assert len(acknowledged) == len(set(acknowledged))
    whole = finished(CASES, two_methods(), "Another name")
    folders = [export(r, tmp_path / r.id) for r in (run, whole)]
    for name in SAME:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
