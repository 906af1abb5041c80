"""The run that comes with the app: it loads, its methods are still what they were, and its thresholds fit it."""

from typing import get_args

import numpy as np
import pytest

import scorers
from evaluation.dataset import read
from evaluation.decisions import frozen
from evaluation.run_data import RunData
from evaluation.run_folder import data_hash
from evaluation.run_list import SAMPLES, samples
from evaluation.run_list import read as read_run
from evaluation.store import Store
from evaluation.types import Status
from scorers._precision import Precision

MAKE = "run `make sample-run`"


@pytest.fixture(scope="module")
def run() -> RunData:
    (entry,) = samples()
    return read_run(entry, Store())


def test_it_judges_the_sample_set_as_it_is_now(run: RunData) -> None:
    path = SAMPLES.parent / "legal_qa.jsonl"
    cases = read(path.name, path.read_bytes()).cases
    assert run.data_hash == data_hash(cases), f"the sample set changed: {MAKE}"
    assert run.case(len(cases) - 1) == cases[-1]
    assert set(np.unique(run.status)) <= {list(Status).index(s) for s in (Status.SCORED, Status.NOT_ASSESSABLE)}
    assert run.finished


def test_its_methods_still_have_these_signatures(run: RunData) -> None:
    for method in run.methods:
        # The precision is the machine's; the run was made where it was.
        ways = [{"precision": p} for p in get_args(Precision)] if "precision" in scorers.parameters(method.id) else [{}]
        now = {scorers.load(method.id, **{**method.options, **way}).signature for way in ways}
        assert method.signature in now, f"{method.id} changed: {MAKE}"


def test_its_seconds_were_measured_and_its_machine_is_named(run: RunData) -> None:
    assert (run.seconds[run.timed] > 0).all()
    assert run.timed[:, run.rows("dev")].all(), "latency is measured on dev, where nothing is used again"
    assert all(m.cold_seconds and m.cold_seconds > 0 for m in run.methods)
    assert "cores" in run.machine[0]


def test_thresholds_tuned_on_its_dev_split_come_with_it(run: RunData) -> None:
    (decision,) = frozen(SAMPLES / run.id).values()
    assert decision.strangers(run) == ()
    assert {t.split for t in decision.tuned.values()} == {"dev"}
    assert set(decision.rules(run)) == {m.id for m in run.methods}
