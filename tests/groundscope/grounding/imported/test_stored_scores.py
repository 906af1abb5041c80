"""Scores that a file of cases holds beside its cases become methods of the run."""

import json

from groundscope.cases.dataset import read
from groundscope.grounding.imported.methods import attach
from groundscope.grounding.imported.scores import read_scores
from groundscope.grounding.imported.stored import stored_scores
from groundscope.types import Status
from tests.groundscope.grounding.imported.score_files import FOLDER, export

BATCH = "faithbench_batch.json"
DATA = (FOLDER / BATCH).read_bytes()


def test_faithbenchs_eight_detectors_are_methods_of_its_cases() -> None:
    cases = read(BATCH, DATA).cases
    (recorded,) = stored_scores([(BATCH, DATA)])
    methods, matched = attach(recorded, cases)
    assert (matched.matched, matched.unmatched, recorded.inverted) == (4, 0, ())
    assert [a.method.title for a in methods] == [
        *("FaithBench: HHEM 1", "FaithBench: HHEM 2.1", "FaithBench: HHEM 2.1 English", "FaithBench: TrueTeacher"),
        *("FaithBench: TRUE NLI", "FaithBench: GPT-3.5 Turbo", "FaithBench: GPT-4 Turbo", "FaithBench: GPT-4o"),
    ]
    by_id = {a.method.id: a.judgements for a in methods}
    assert [j.support for j in by_id["recorded:faithbench.trueteacher"]] == [0.0, 1.0, 1.0, 1.0]
    # One detector has no verdict on one summary.
    assert [j.status for j in by_id["recorded:faithbench.true_nli"]][1] is Status.INVALID


def test_batches_that_come_together_are_one_tool() -> None:
    other = json.loads(DATA)
    for sample in other["samples"]:
        sample["metadata"]["raw_sample_id"] += 1
        sample["summary"] += " Again."
    second = json.dumps(other).encode()
    (both,) = stored_scores([(BATCH, DATA), ("b.json", second)])
    assert (len(both.rows), both.name) == (8, f"{BATCH}, b.json")
    cases = (*read(BATCH, DATA).cases, *read("b.json", second).cases)
    assert attach(both, cases)[1].matched == 8
    assert both.digest not in {read_scores(BATCH, DATA).digest, read_scores("b.json", second).digest}


def test_tables_of_answers_are_read_only_where_the_user_names_them() -> None:
    assert export("ragas.csv").metrics
    files = [(name, (FOLDER / name).read_bytes()) for name in ("ragas.csv", "halueval_qa.json", "faithbench_table.csv")]
    assert stored_scores([*files, ("broken.json", b"{")]) == ()


def test_other_spellings_of_a_detector_are_the_same_one() -> None:
    sample = {"summary": "s", "metadata": {"gpt-4o": 1, "gpt_35_turbo": 0}}
    assert read_scores("a.jsonl", json.dumps(sample).encode()).metrics == ("GPT-3.5 Turbo", "GPT-4o")
