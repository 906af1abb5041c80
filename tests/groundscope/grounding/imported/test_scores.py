"""Scores of Ragas, DeepEval, TruLens and Phoenix: an export of each, what is refused, and which case a score belongs to."""

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.dataset import read
from groundscope.cases.splitting import with_splits
from groundscope.errors import DataError
from groundscope.grounding.imported._entries import ScoredAnswer
from groundscope.grounding.imported.scores import (
    MAX_METRICS,
    Matched,
    Recorded,
    RecordedScore,
    attach,
    match,
    read_scores,
    stored_scores,
)
from groundscope.grounding.results import results
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.reader import read_store
from groundscope.grounding.runs.store import FOLDER as RUNS
from groundscope.grounding.tuning import Rule, starting_rules, verdicts
from groundscope.types import Case, Passage, Status
from tests.groundscope.junk import HOSTILE, VALUES, at, changed, places
from tests.loops import each

FOLDER = Path(__file__).parents[2] / "cases" / "formats"
FEE = Case("fee", "When is the fee due?", (Passage("p", "Text."),), "The fee is due on filing.")
REGISTER = Case("register", "Who keeps the register?", (Passage("p", "Text."),), "The clerk keeps it, as far as is known.")
BOND = Case("bond", "What does a bond cost?", (Passage("p", "Text."),), "A bond costs 90 pounds.")
CASES = (BOND, FEE, REGISTER)
RAGAS = {"user_input": "q", "response": "r", "faithfulness": 0.5}


def export(name: str) -> Recorded:
    return read_scores(name, (FOLDER / name).read_bytes())


def table(*rows: dict[str, Any]) -> Recorded:
    return read_scores("a.json", json.dumps(list(rows)).encode())


def scores(recorded: Recorded, metric: str) -> list[float | None]:
    return [row.marks[metric].value for row in recorded.rows if metric in row.marks]


def marked(row: ScoredAnswer[RecordedScore]) -> dict[str, float | None]:
    return {metric: mark.value for metric, mark in row.marks.items()}


def supports(matched: Matched, metric: str = "faithfulness") -> list[float | None]:
    return [judgement.support for judgement in matched.judgements[metric]]


def statuses(matched: Matched) -> list[Status]:
    return [judgement.status for judgement in matched.judgements["faithfulness"]]


def test_ragas_gives_a_method_a_metric_and_no_number_where_it_has_none() -> None:
    found = export("ragas.csv")
    assert (found.tool, found.rejected) == ("ragas", ())
    assert found.method_ids == {
        "faithfulness": "recorded:ragas.faithfulness",
        "factual_correctness(mode=f1)": "recorded:ragas.factual_correctness_mode_f1",
        "noise_sensitivity(mode=relevant) (inverted)": "recorded:ragas.noise_sensitivity_mode_relevant_inverted",
    }
    assert scores(found, "faithfulness") == [1.0, None, 0.25]
    assert found.rows[0].marks["faithfulness"].reason == "All of it is there."
    assert found.rows[0].query == FEE.query
    older = export("ragas_old.csv")
    assert (older.metrics, scores(older, "faithfulness")) == (("faithfulness", "answer_relevancy"), [0.5, None])


def test_the_ways_that_pandas_writes_a_frame_say_the_same() -> None:
    expected = export("ragas.csv").rows
    frame = pd.read_json(FOLDER / "ragas_columns.json")
    written = {
        "columns.json": (FOLDER / "ragas_columns.json").read_bytes(),
        "records.json": frame.to_json(orient="records").encode(),
        "lines.jsonl": frame.to_json(orient="records", lines=True).encode(),
        "index.json": frame.to_json(orient="index").encode(),
        # The standard library writes NaN, which JSON does not have.
        "list.json": json.dumps(frame.to_dict(orient="list")).encode(),
        "nan.jsonl": "\n".join(map(json.dumps, frame.to_dict(orient="records"))).encode(),
    }
    assert b"NaN" in written["list.json"]
    for name, data in written.items():
        assert [(r.query, r.response, marked(r)) for r in read_scores(name, data).rows] == [
            (r.query, r.response, marked(r)) for r in expected
        ], name


def test_deepeval_reads_a_test_run_and_turns_its_hallucination_round() -> None:
    found = export("deepeval.json")
    assert found.metrics == ("Faithfulness", "Hallucination (inverted)")
    assert found.inverted == ("Hallucination (inverted)",)
    assert found.method_ids["Hallucination (inverted)"] == "recorded:deepeval.hallucination_inverted"
    assert scores(found, "Hallucination (inverted)") == [1.0, 0.0, 0.75]
    assert scores(found, "Faithfulness") == [1.0, None, 0.75]
    assert found.rows[1].marks["Faithfulness"].reason == "The reply could not be parsed."
    # A metric that passes above its threshold is not turned round, whatever its name.
    results = export("deepeval_results.json")
    assert (results.metrics, results.inverted) == (("Hallucination check [GEval]",), ())


def test_snake_case_test_cases_are_read_too() -> None:
    run = json.loads((FOLDER / "deepeval.json").read_text())
    cases = [
        {"name": c["name"], "input": c["input"], "actual_output": c["actualOutput"], "metrics_data": c["metricsData"]}
        for c in run["testCases"]
    ]
    found = read_scores("run.json", json.dumps({"test_cases": cases}).encode())
    assert [marked(r) for r in found.rows] == [marked(r) for r in export("deepeval.json").rows]


def test_trulens_reads_feedback_and_no_cost_or_latency() -> None:
    for found in (export("trulens.csv"), export("trulens.json")):
        assert found.metrics == ("Groundedness", "Answer Relevance")
        assert scores(found, "Groundedness") == [1.0, None, 0.333]
    assert found.rows[0].marks["Groundedness"].reason == "Reason 0."


def test_phoenix_takes_the_name_of_an_evaluation_from_its_file() -> None:
    found = export("phoenix_hallucination.csv")
    assert found.metrics == found.inverted == ("phoenix_hallucination (inverted)",)
    assert scores(found, found.metrics[0]) == [1.0, 0.0, None]
    assert [row.case_id for row in found.rows] == ["5b8e", "e19b", "77aa"]


def test_phoenix_annotations_joined_spans_and_evaluators_are_read() -> None:
    assert scores(export("phoenix_annotations.json"), "faithfulness") == [1.0, 0.0, None]
    assert scores(export("phoenix_spans.json"), "QA Quality") == [1.0, 0.5]
    evaluators = export("phoenix_evaluators.json")
    assert (evaluators.metrics, evaluators.inverted) == (("hallucination",), ())
    assert scores(evaluators, "hallucination") == [1.0, 0.0]


@each(
    ("label", "score", "inverted"),
    [
        ("factual", 1.0, False),
        ("factual", 0.0, True),
        ("hallucinated", 1.0, True),
        ("hallucinated", 0.0, False),
        (None, 1.0, True),
    ],
)
def test_phoenix_labels_tell_which_way_a_hallucination_score_runs(label: str | None, score: float, inverted: bool) -> None:
    found = table({"span_id": "s", "annotation_name": "hallucination", "label": label, "score": score})
    assert bool(found.inverted) is inverted


def test_objects_that_csv_has_spoilt_are_refused_with_what_to_do() -> None:
    found = read_scores("a.csv", b"input,output,h_score\nq,r,\"{'name': 'h', 'score': 1.0}\"\n")
    assert found.rows == ()
    assert "as JSON" in found.rejected[0].reason


@each(
    ("name", "inverted"),
    [
        ("toxicity", True),
        ("Bias", True),
        ("noise_sensitivity", True),
        ("answer_hallucination", True),
        ("Non-Toxicity", False),
        ("hallucination_free", False),
        ("unbiased", False),
    ],
)
def test_a_name_says_whether_lower_is_better(name: str, inverted: bool) -> None:
    found = table({"user_input": "q", "response": "r", name: 0.25})
    assert bool(found.inverted) is inverted
    assert marked(found.rows[0]) == {f"{name} (inverted)" if inverted else name: 0.75 if inverted else 0.25}


@each(("value", "reason"), [(1.5, "outside"), (-0.1, "outside"), ("much", "number"), ([], "a list"), (True, "truth")])
def test_a_score_that_is_none_costs_itself_alone(value: object, reason: str) -> None:
    found = table({**RAGAS, "relevancy": 1}, {**RAGAS, "faithfulness": value, "relevancy": 1}, {**RAGAS, "relevancy": 0})
    assert [marked(row) for row in found.rows] == [
        {"faithfulness": 0.5, "relevancy": 1},
        {"relevancy": 1},
        {"faithfulness": 0.5, "relevancy": 0},
    ]
    (rejected,) = found.rejected
    assert (rejected.file, rejected.row) == ("a.json", 2)
    assert "'faithfulness'" in rejected.reason
    assert reason in rejected.reason


@each("value", [None, "", "nan", "None"])
def test_a_missing_score_is_never_nought(value: object) -> None:
    found = table(RAGAS, {**RAGAS, "faithfulness": value})
    assert scores(found, "faithfulness") == [0.5, None]
    assert found.rejected == ()
    # A metric that failed on every row stays, without a number.
    assert scores(table({**RAGAS, "faithfulness": value, "remark": None}), "faithfulness") == [None]


def test_a_column_of_other_numbers_is_no_metric_and_is_named() -> None:
    found = table({**RAGAS, "rating": 4, "latency": 0.5, "remark": "x"}, {**RAGAS, "rating": 1, "latency": 0.7, "remark": ""})
    assert found.metrics == ("faithfulness",)
    (rejected,) = found.rejected
    assert rejected.row == 0
    assert "'rating'" in rejected.reason
    # The worst of a rating, 1, is not read as full support.
    assert table(*({**RAGAS, "rating": value} for value in (1, 1, 1, 1, 2, 5))).metrics == ("faithfulness",)


def test_metrics_written_alike_get_ids_of_their_own() -> None:
    found = table({"user_input": "q", "response": "r", "A b": 0.5, "a_b": 0.5, "µ": 0.5, " a_b ": 1})
    ids = list(found.method_ids.values())
    assert ids == ["recorded:ragas.a_b", "recorded:ragas.a_b_2", "recorded:ragas.metric", "recorded:ragas.a_b_3"]
    assert len(set(found.metrics)) == 4


@each(
    ("name", "data", "words"),
    [
        ("a.json", b"[]", "No score of Ragas"),
        ("a.csv", b"", "empty"),
        ("a.doc", b"x", "not supported"),
        ("a.csv", b"user_input,response\nq,r\n", "No score of Ragas"),
        ("a.json", b'{"testCases": []}', "No score of Ragas"),
        ("a.json", json.dumps([{**RAGAS, **{f"m{i}": 0.5 for i in range(MAX_METRICS)}}]).encode(), "metrics"),
    ],
)
def test_a_file_without_scores_says_what_to_export(name: str, data: bytes, words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_scores(name, data)


GOOD: dict[str, Callable[[], dict[str, Any]]] = {
    "ragas": lambda: json.loads(json.dumps({**RAGAS, "retrieved_contexts": ["c"], "relevancy": 1.0, "relevancy_reason": "x"})),
    "trulens": lambda: json.loads((FOLDER / "trulens.json").read_text())[0],
    "deepeval": lambda: json.loads((FOLDER / "deepeval.json").read_text())["testCases"][0],
    "annotation": lambda: json.loads((FOLDER / "phoenix_annotations.json").read_text())[0],
    "spans": lambda: json.loads((FOLDER / "phoenix_spans.json").read_text())[0],
    "evaluators": lambda: json.loads((FOLDER / "phoenix_evaluators.json").read_text())[0],
}


@pytest.mark.parametrize("kind", GOOD)
@given(data=st.data())
def test_junk_in_any_field_costs_its_own_row_at_most(kind: str, data: st.DataObject) -> None:
    bad = GOOD[kind]()
    bad = changed(bad, data.draw(st.sampled_from(list(places(bad)))), data.draw(st.sampled_from(VALUES)))
    found = table(GOOD[kind](), bad, GOOD[kind]())
    assert [row.number for row in found.rows if row.number != 2] == [1, 3]
    expected = table(GOOD[kind](), GOOD[kind]())
    # What the odd row tells of a metric's direction is outvoted by the others.
    assert [marked(row) for row in found.rows if row.number != 2] == [marked(row) for row in expected.rows]
    assert all(0 <= v <= 1 for row in found.rows for v in marked(row).values() if v is not None)
    assert not any("alert(1)" in r.reason for r in found.rejected)
    match(found, CASES)


@each("kind", GOOD)
def test_hostile_text_is_kept_as_text(kind: str) -> None:
    row = GOOD[kind]()
    for path in places(row):
        if isinstance(at(row, path), str):
            found = table(changed(row, path, HOSTILE), row)
            texts = [*found.metrics, *(r.reason for r in found.rejected)]
            texts += [t for r in found.rows for t in (r.query, r.response, r.case_id, *(m.reason for m in r.marks.values()))]
            assert not any("\ud800" in text or "\x00" in text for text in texts)
            assert all(id.isascii() and " " not in id for id in found.method_ids.values())


BATCH = "faithbench_batch.json"
DATA = (FOLDER / BATCH).read_bytes()


def test_faithbenchs_eight_detectors_are_methods_of_its_cases() -> None:
    cases = read(BATCH, DATA).cases
    (recorded,) = stored_scores([(BATCH, DATA)])
    methods, matched = attach(recorded, cases)
    assert (matched.matched, matched.unmatched, recorded.inverted) == (4, 0, ())
    assert (len(methods), methods[0].method.title) == (8, "FaithBench: HHEM 1")
    by_id = {a.method.id: a.judgements for a in methods}
    assert [j.support for j in by_id["recorded:faithbench.trueteacher"]] == [0.0, 1.0, 1.0, 1.0]
    # One detector has no verdict on one summary.
    assert [j.status for j in by_id["recorded:faithbench.true_nli"]][1] is Status.INVALID
    # Other spellings of a detector are the same one.
    sample = {"summary": "s", "metadata": {"gpt-4o": 1, "gpt_35_turbo": 0}}
    assert read_scores("a.jsonl", json.dumps(sample).encode()).metrics == ("GPT-3.5 Turbo", "GPT-4o")


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
    assert len({both.digest, read_scores(BATCH, DATA).digest, read_scores("b.json", second).digest}) == 3


def test_tables_of_answers_are_read_only_where_the_user_names_them() -> None:
    assert export("ragas.csv").metrics
    files = [(name, (FOLDER / name).read_bytes()) for name in ("ragas.csv", "halueval_qa.json", "faithbench_table.csv")]
    assert stored_scores([*files, ("broken.json", b"{")]) == ()


def test_scores_find_their_cases_by_question_and_answer_but_for_white_space() -> None:
    found = match(export("ragas.csv"), CASES)
    assert supports(found) == [0.25, 1.0, None]
    assert statuses(found) == [Status.SCORED, Status.SCORED, Status.INVALID]
    assert [j.note for j in found.judgements["faithfulness"][:2]] == ["One claim of four.", "All of it is there."]
    assert (found.matched, found.unmatched, found.ambiguous) == (3, 0, 0)


def test_a_case_id_finds_a_case_that_has_no_text_in_the_export() -> None:
    found = match(export("phoenix_annotations.json"), CASES)
    assert supports(found) == [None, 1.0, 0.0]
    assert supports(found, "correctness") == [None, 1.0, None]
    assert statuses(found) == [Status.INVALID, Status.SCORED, Status.SCORED]
    assert (found.matched, found.unmatched) == (4, 0)


def test_an_id_with_another_answer_is_another_case() -> None:
    row = {**RAGAS, "case_id": "fee", "user_input": FEE.query}
    right, wrong = {**row, "response": FEE.response}, {**row, "response": "Another answer."}
    assert supports(match(table(right), CASES))[1] == 0.5
    found = match(table(wrong), CASES)
    assert set(statuses(found)) == {Status.FAILED}
    assert (found.matched, found.unmatched) == (0, 1)


def test_rows_that_fit_two_cases_or_disagree_are_counted_and_give_no_score() -> None:
    twin = Case("twin", BOND.query, (Passage("p", "Another text."),), BOND.response)
    bond, fee = ({**RAGAS, "user_input": c.query, "response": c.response} for c in (BOND, FEE))
    found = match(table(bond, fee, {**fee, "faithfulness": 1.0}), (*CASES, twin))
    assert set(statuses(found)) == {Status.FAILED}
    assert (found.matched, found.unmatched, found.ambiguous) == (0, 0, 3)
    agreeing = match(table(fee, fee), CASES)
    assert supports(agreeing)[1] == 0.5
    assert (agreeing.matched, agreeing.ambiguous) == (2, 0)


TIMES = (1.5, 2.5, 0.5)


def deepeval(*durations: object, metrics: int = 1) -> Recorded:
    """A test run with one metric or more a test case, as slow as given."""
    run = json.loads((FOLDER / "deepeval.json").read_text())
    for case, duration in zip(run["testCases"], durations, strict=True):
        case.update(metricsData=case["metricsData"][:metrics], runDuration=duration)
    return read_scores("run.json", json.dumps(run).encode())


def measured(recorded: Recorded, kind: str) -> dict[str, list[float]]:
    marks = {m: [row.marks[m] for row in recorded.rows if m in row.marks] for m in recorded.metrics}
    return {m: [v for mark in some if (v := getattr(mark, kind)) is not None] for m, some in marks.items()}


def test_deepeval_has_the_cost_of_each_metric_and_the_time_of_a_lone_one() -> None:
    found = deepeval(*TIMES)
    assert measured(found, "cost") == {"Faithfulness": [0.001] * 3}
    assert measured(found, "seconds") == {"Faithfulness": list(TIMES)}
    # The time of a test case is that of all its metrics: which took how long is not known.
    both = deepeval(*TIMES, metrics=2)
    assert measured(both, "seconds") == {"Faithfulness": [], "Hallucination (inverted)": []}
    for odd in (-1, "soon", None, True, "nan", [1]):
        found = deepeval(1.5, odd, 0.5)
        assert (len(found.rows), measured(found, "seconds")) == (3, {"Faithfulness": [1.5, 0.5]})


def test_phoenix_has_the_time_of_each_evaluation() -> None:
    rows: list[dict[str, Any]] = json.loads((FOLDER / "phoenix_evaluators.json").read_text())
    for row, seconds in zip(rows, TIMES, strict=False):
        row["hallucination_execution_details"] = {"status": "COMPLETED", "exceptions": [], "execution_seconds": seconds}
    found = read_scores("a.json", json.dumps(rows).encode())
    assert measured(found, "seconds")["hallucination"] == list(TIMES[: len(rows)])
    older = [{"span_id": "a", "score": 1, "label": "factual", "execution_seconds": 0.25}]
    assert measured(read_scores("qa.json", json.dumps(older).encode()), "seconds") == {"qa": [0.25]}


def test_trulens_has_the_cost_of_a_feedback_function_and_not_that_of_the_application() -> None:
    found = export("trulens.json")
    assert measured(found, "cost")["Groundedness"] == [0.001] * 3
    assert measured(found, "cost")["Answer Relevance"] == []
    assert measured(found, "seconds") == {m: [] for m in found.metrics}


def test_a_run_keeps_both_and_says_where_they_are_from(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_STORE", str(tmp_path))
    cases = [replace(c, grounded=i > 0) for i, c in enumerate(with_splits(CASES, {"dev": 1}))]
    attached = [a for one in (deepeval(*TIMES), export("ragas.csv")) for a in attach(one, cases)[0]]
    made = planning.begin("Others", "f", cases, [], attached[:2])
    with closing(RUNS.open(made)) as file:
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
