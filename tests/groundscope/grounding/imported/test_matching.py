"""Which case a recorded score belongs to."""

import json
import math
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from groundscope.cases.splitting import with_splits
from groundscope.grounding.imported.scores import Recorded, attach, match, read_scores
from groundscope.grounding.results import results
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.reader import read_store
from groundscope.grounding.runs.store import FOLDER
from groundscope.grounding.tuning import Rule, starting_rules, verdicts
from groundscope.types import Case, Passage
from tests.groundscope.grounding.imported.score_files import BOND, CASES, FEE, RAGAS, export, table
from tests.groundscope.grounding.imported.score_files import FOLDER as FILES


def test_scores_find_their_cases_by_question_and_answer_but_for_white_space() -> None:
    found = match(export("ragas.csv"), CASES)
    np.testing.assert_array_equal(found.supports["faithfulness"], [0.25, 1.0, math.nan])
    assert list(found.invalid["faithfulness"]) == [False, False, True]
    assert found.reasons["faithfulness"] == ("One claim of four.", "All of it is there.", "")
    assert (found.matched, found.unmatched, found.ambiguous) == (3, 0, 0)


def test_a_case_id_finds_a_case_that_has_no_text_in_the_export() -> None:
    found = match(export("phoenix_annotations.json"), CASES)
    np.testing.assert_array_equal(found.supports["faithfulness"], [math.nan, 1.0, 0.0])
    np.testing.assert_array_equal(found.supports["correctness"], [math.nan, 1.0, math.nan])
    assert list(found.invalid["faithfulness"]) == [True, False, False]
    assert (found.matched, found.unmatched) == (4, 0)


def test_an_id_with_another_answer_is_another_case() -> None:
    row = {**RAGAS, "case_id": "fee", "user_input": FEE.query}
    right, wrong = {**row, "response": FEE.response}, {**row, "response": "Another answer."}
    assert match(table(right), CASES).supports["faithfulness"][1] == 0.5
    found = match(table(wrong), CASES)
    assert np.isnan(found.supports["faithfulness"]).all()
    assert (found.matched, found.unmatched) == (0, 1)


def test_rows_that_fit_two_cases_or_disagree_are_counted_and_give_no_score() -> None:
    twin = Case("twin", BOND.query, (Passage("p", "Another text."),), BOND.response)
    bond, fee = ({**RAGAS, "user_input": c.query, "response": c.response} for c in (BOND, FEE))
    found = match(table(bond, fee, {**fee, "faithfulness": 1.0}), (*CASES, twin))
    assert np.isnan(found.supports["faithfulness"]).all()
    assert not found.invalid["faithfulness"].any()
    assert (found.matched, found.unmatched, found.ambiguous) == (0, 0, 3)
    agreeing = match(table(fee, fee), CASES)
    assert agreeing.supports["faithfulness"][1] == 0.5
    assert (agreeing.matched, agreeing.ambiguous) == (2, 0)


TIMES = (1.5, 2.5, 0.5)


def deepeval(*durations: object, metrics: int = 1) -> Recorded:
    """A test run with one metric or more a test case, as slow as given."""
    run = json.loads((FILES / "deepeval.json").read_text())
    for case, duration in zip(run["testCases"], durations, strict=True):
        case.update(metricsData=case["metricsData"][:metrics], runDuration=duration)
    return read_scores("run.json", json.dumps(run).encode())


def measured(recorded: Recorded, kind: str) -> dict[str, list[float]]:
    return {m: [v for row in recorded.rows for v in [getattr(row, kind).get(m)] if v is not None] for m in recorded.metrics}


def test_deepeval_has_the_cost_of_each_metric_and_the_time_of_a_lone_one() -> None:
    found = deepeval(*TIMES)
    assert measured(found, "costs") == {"Faithfulness": [0.001] * 3}
    assert measured(found, "seconds") == {"Faithfulness": list(TIMES)}
    # The time of a test case is that of all its metrics: which took how long is not known.
    both = deepeval(*TIMES, metrics=2)
    assert measured(both, "seconds") == {"Faithfulness": [], "Hallucination (inverted)": []}
    for odd in (-1, "soon", None, True, "nan", [1]):
        found = deepeval(1.5, odd, 0.5)
        assert (len(found.rows), measured(found, "seconds")) == (3, {"Faithfulness": [1.5, 0.5]})


def test_phoenix_has_the_time_of_each_evaluation() -> None:
    rows: list[dict[str, Any]] = json.loads((FILES / "phoenix_evaluators.json").read_text())
    for row, seconds in zip(rows, TIMES, strict=False):
        row["hallucination_execution_details"] = {"status": "COMPLETED", "exceptions": [], "execution_seconds": seconds}
    found = read_scores("a.json", json.dumps(rows).encode())
    assert measured(found, "seconds")["hallucination"] == list(TIMES[: len(rows)])
    older = [{"span_id": "a", "score": 1, "label": "factual", "execution_seconds": 0.25}]
    assert measured(read_scores("qa.json", json.dumps(older).encode()), "seconds") == {"qa": [0.25]}


def test_trulens_has_the_cost_of_a_feedback_function_and_not_that_of_the_application() -> None:
    found = export("trulens.json")
    assert measured(found, "costs")["Groundedness"] == [0.001] * 3
    assert measured(found, "costs")["Answer Relevance"] == []
    assert measured(found, "seconds") == {m: [] for m in found.metrics}


def test_a_run_keeps_both_and_says_where_they_are_from(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_STORE", str(tmp_path))
    cases = [replace(c, grounded=i > 0) for i, c in enumerate(with_splits(CASES, {"dev": 1}))]
    attached = [a for one in (deepeval(*TIMES), export("ragas.csv")) for a in attach(one, cases)[0]]
    made = planning.begin("Others", "f", cases, [], attached[:2])
    with closing(FOLDER.open(made)) as file:
        run = read_store(file)
    assert [m.title for m in run.methods] == ["DeepEval: Faithfulness", "Ragas: faithfulness"]
    assert sorted(run.seconds[0].tolist()) == sorted(TIMES)
    assert run.timed.tolist() == [[True] * 3, [False] * 3]
    assert run.cost[0].tolist() == [0.001] * 3
    assert np.isnan(run.cost[1]).all()
    rules = starting_rules(run)
    deep, ragas = results(run, verdicts(run, rules), rules, np.arange(3, dtype=np.int32), None).methods
    assert (deep.latency.timed, deep.latency.mean, deep.dev_latency.mean) == (3, pytest.approx(1.5), pytest.approx(1.5))
    assert ragas.latency.timed == 0
    assert (deep.cost, str(ragas.cost)) == (pytest.approx(0.001), "nan")
    tuned = {m.id: Rule("own", 0.5) for m in run.methods}
    notes = [m.note for m in results(run, verdicts(run, tuned), tuned, np.arange(3, dtype=np.int32), None).methods]
    assert "measured where the tool ran" in notes[0]
    assert "no seconds" in notes[1]
