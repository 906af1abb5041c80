"""What other tools write of an application's answers: test cases of DeepEval, a data set of Ragas, records of TruLens."""

import json

from groundscope.cases.dataset import read
from groundscope.grounding.imported.scores import attach, stored_scores
from tests.groundscope.cases.format_files import content, loaded, one, rows


def test_the_test_cases_of_a_deepeval_run_are_cases_without_a_label() -> None:
    found = one("deepeval.json")
    assert found.shapes == ("DeepEval",)
    first = found.cases[0]
    # The user left an id in the metadata; other test cases have their names.
    assert (first.id, first.query, first.response) == ("fee", "When is the fee due?", "The fee is due on filing.")
    assert [p.text for p in first.context] == ["The fee is due on filing."]
    assert {c.grounded for c in found.cases} == {None}


def test_the_metrics_of_a_deepeval_run_are_methods_of_its_cases() -> None:
    data = content("deepeval.json")
    cases = read("deepeval.json", data).cases
    (recorded,) = stored_scores([("deepeval.json", data)])
    methods, matched = attach(recorded, cases)
    assert [a.method.title for a in methods] == ["DeepEval: Faithfulness", "DeepEval: Hallucination (inverted)"]
    assert (matched.matched, matched.unmatched) == (len(cases), 0)


def test_test_cases_come_one_a_row_or_as_a_data_set_in_either_spelling() -> None:
    case = {"input": "q", "actual_output": "a", "retrieval_context": ["c", "d"], "additional_metadata": {"case_id": "mine"}}
    camel = {"input": "q", "actualOutput": "a", "retrievalContext": ["c", "d"], "context": ["never"]}
    assert [c.id for c in loaded(case).cases] == ["mine"]
    (goldens,) = loaded({"goldens": [camel]}).cases
    assert (goldens.id, [p.text for p in goldens.context]) == ("row-1-1", ["c", "d"])
    found = loaded({"test_cases": [camel, {"input": "q", "actual_output": "a"}, {"input": "q", "context": ["c"]}, 5]})
    assert len(found.cases) == 1
    assert [r.reason.partition(":")[0] for r in found.rejected] == ["Test case 2", "Test case 3", "Test case 4"]
    assert "'actual_output' is missing" in found.rejected[1].reason


def test_ragas_data_set_says_the_same_as_json_lines_and_as_csv() -> None:
    lines, table = one("ragas_dataset.jsonl"), one("ragas_dataset.csv")
    assert lines.shapes == table.shapes == ("Ragas",)
    assert lines.cases[0] == table.cases[0]
    assert [p.text for p in table.cases[0].context] == ["The fee is due on filing.", "The clerk's register has it."]
    assert (lines.cases[1].grounded, lines.cases[1].split, lines.cases[1].group) == (True, "dev", "Who keeps the register?")
    assert "several turns" in lines.rejected[0].reason
    assert [r.row for r in table.rejected] == [2]
    missing = loaded({"user_input": "q", "retrieved_contexts": [], "response": "r"})
    assert "'retrieved_contexts' is missing" in missing.rejected[0].reason


def test_trulens_records_have_their_context_from_the_trace_or_from_feedback() -> None:
    found = one("trulens_records.json")
    assert found.shapes == ("TruLens",)
    assert [(c.id, [p.text for p in c.context]) for c in found.cases] == [
        ("record_0", ["The fee is due on filing.", "The clerk takes it."]),
        ("record_1", ["The clerk keeps the register.", "It is open on Mondays."]),
    ]
    assert found.cases[0].area == "clerk"
    assert "No retrieved text was found" in found.rejected[0].reason


def test_a_column_of_contexts_comes_before_what_feedback_was_given() -> None:
    row = {**rows("trulens_records.json")[0], "contexts": json.dumps(["Only this."])}
    assert [p.text for p in loaded(row).cases[0].context] == ["Only this."]
