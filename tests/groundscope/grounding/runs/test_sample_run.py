"""The run that comes with the app: it loads, its methods are still what they were, and its thresholds fit it."""

import re

import numpy as np
import pytest

from groundscope.cases.dataset import read, to_row
from groundscope.grounding.rules.frozen_rules import frozen
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.folder import rows_hash
from groundscope.grounding.runs.listing import SAMPLES, samples
from groundscope.grounding.runs.listing import read as read_run
from groundscope.methods import registry
from groundscope.types import Status

MAKE = "run `make sample-run`"


@pytest.fixture(scope="module")
def run() -> RunData:
    (entry,) = samples()
    return read_run(entry)


def test_it_judges_the_sample_set_as_it_is_now(run: RunData) -> None:
    path = SAMPLES.parent / "legal_qa.jsonl"
    cases = read(path.name, path.read_bytes()).cases
    assert run.data_hash == rows_hash(map(to_row, cases)), f"the sample set changed: {MAKE}"
    assert run.case(len(cases) - 1) == cases[-1]
    assert set(np.unique(run.status)) <= {list(Status).index(s) for s in (Status.SCORED, Status.NOT_ASSESSABLE)}
    assert run.finished


def test_its_methods_still_have_these_signatures(run: RunData) -> None:
    for method in run.methods:
        # The precision is the machine's, also of an embedder or a method inside; the run was made where it was.
        now = _without_precision(registry.load(method.loads, **method.options).signature)
        assert _without_precision(method.signature) == now, f"{method.id} changed: {MAKE}"


def _without_precision(signature: str) -> str:
    return re.sub(r"\b(?:bf16|fp32)\b", "", signature)


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
