"""Rows of public shapes: gold spans are slices of the text they point into, and junk costs its own row at most."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.dataset import LoadedDataset, read, read_many
from groundscope.errors import DataError
from tests.groundscope.cases.format_files import GOOD, RAGTRUTH, REFCHECKER, SINGLE, evidence, loaded, one, rows
from tests.groundscope.junk import HOSTILE, VALUES, at, changed, places
from tests.loops import each

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"

NLI = {
    "id": "n",
    "claim": "It binds.",
    "context": ["One.", "Two.", "Three."],
    "evidence": [0, 2],
    "label": "Entailment",
    "document": "d.txt",
}
RAG = {
    "id": "r",
    "question": "q",
    "documents": ["One fact. Two fact.", " Other."],
    "response": "One fact.\nNew fact.",
    "documents_sentences": [[["0a", "One fact."], ["0b", "Two fact. "]], [["1a", "Other."]]],
    "response_sentences": [["a", "One fact.\n"], ["b", "New fact."]],
    "sentence_support_information": [{"response_sentence_key": "a", "supporting_sentence_keys": ["0b", "1a", "9z"]}],
    "unsupported_response_sentence_keys": ["b"],
    "adherence_score": False,
    "split": "validation",
}


def release(*choices: str) -> dict[str, Any]:
    """ContractNLI's release file: one document a choice, each with one hypothesis."""
    documents = [
        {
            "id": i,
            "file_name": f"{i}.pdf",
            "text": "Alpha one. Beta two.",
            "spans": [[0, 10], [11, 20]],
            "annotation_sets": [{"annotations": {"nda-1": {"choice": choice, "spans": [1]}}}],
        }
        for i, choice in enumerate(choices)
    ]
    return {"documents": documents, "labels": {"nda-1": {"hypothesis": "It holds."}}}


@pytest.mark.parametrize(("label", "grounded"), [("Entailment", True), ("Contradiction", False), ("NotMentioned", False)])
def test_a_contractnli_row_cites_whole_spans(label: str, grounded: bool) -> None:
    found = loaded({**NLI, "label": label})
    (case,) = found.cases
    assert found.shapes == ("ContractNLI",)
    assert evidence(case) == [("It binds.", "One."), ("It binds.", "Three.")]
    assert case.context[0].text == "One.\n\nTwo.\n\nThree."
    assert (case.grounded, case.group) == (grounded, "d.txt")
    assert case.unsupported == (() if grounded else ((0, 9),))


def test_the_contractnli_release_file_gives_a_case_a_hypothesis() -> None:
    found = read("dev.json", json.dumps(release("Entailment", "NotMentioned")).encode())
    assert found.shapes == ("ContractNLI (release file)",)
    assert [(c.id, c.grounded, c.group) for c in found.cases] == [("0-nda-1", True, "0.pdf"), ("1-nda-1", False, "1.pdf")]
    assert evidence(found.cases[0]) == [("It holds.", "Beta two.")]


def test_bad_documents_of_a_release_file_leave_the_others() -> None:
    documents = release("Entailment", "Bogus", "Entailment", "Entailment", "Entailment")
    documents["documents"][2]["id"] = 0
    for number, index in ((3, 2), (4, "x")):
        documents["documents"][number]["annotation_sets"][0]["annotations"]["nda-1"]["spans"] = [index]
    found = read("dev.json", json.dumps(documents).encode())
    assert [c.id for c in found.cases] == ["0-nda-1"]
    assert len(found.rejected) == 4


def test_a_ragbench_row_cites_sentences_and_skips_unknown_keys() -> None:
    found = loaded(RAG)
    (case,) = found.cases
    assert found.shapes == ("RAGBench",)
    assert evidence(case) == [("One fact.", "Two fact."), ("One fact.", "Other.")]
    assert [case.response[s:e] for s, e in case.unsupported] == ["New fact."]
    assert (case.grounded, case.split, case.group) == (False, "dev", "q")


@each(
    ("shape", "field", "value"),
    [
        (NLI, "claim", 5),
        (NLI, "context", "One."),
        (NLI, "evidence", [3]),
        (NLI, "evidence", [-1]),
        (NLI, "label", "Maybe"),
        (RAG, "question", None),
        (RAG, "response", []),
        (RAG, "documents", "x"),
        (RAG, "documents_sentences", None),
        (RAG, "documents_sentences", [[["0a"]]]),
        (RAG, "response_sentences", [5]),
        (RAG, "sentence_support_information", [{"response_sentence_key": []}]),
        (RAG, "sentence_support_information", [{"response_sentence_key": "a", "supporting_sentence_keys": 5}]),
        (RAG, "unsupported_response_sentence_keys", 5),
    ],
)
def test_a_field_of_the_wrong_type_loses_its_row_alone(shape: dict[str, Any], field: str, value: object) -> None:
    found = loaded({**shape, field: value}, {**shape, "id": "good"})
    assert [c.id for c in found.cases] == ["good"]
    assert [r.row for r in found.rejected] == [1]


def real(name: str) -> tuple[LoadedDataset, list[dict[str, Any]]]:
    path = DATA / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there: the shared data folder is not part of the repository")
    data = path.read_bytes()
    return read(path.name, data), [json.loads(line) for line in gzip.decompress(data).splitlines()]


def test_all_of_contractnli_dev_is_read() -> None:
    found, raw = real("contractnli_dev")
    assert (len(found.cases), found.rejected, found.shapes) == (1037, (), ("ContractNLI",))
    for case, row in zip(found.cases, raw, strict=True):
        assert evidence(case) == [(row["claim"], row["context"][i]) for i in row["evidence"]]
        assert case.grounded is (row["label"] == "Entailment")


def test_all_of_ragbench_expertqa_is_read() -> None:
    found, raw = real("ragbench_expertqa")
    assert (len(found.cases), found.rejected, found.shapes) == (391, (), ("RAGBench",))
    for case, row in zip(found.cases, raw, strict=True):
        sentences = {text.strip() for _, text in row["response_sentences"]}
        cited = {text.strip() for document in row["documents_sentences"] for _, text in document}
        assert all(ours in sentences and theirs in cited for ours, theirs in evidence(case))
        assert case.grounded is row["adherence_score"]
    # 1,919 cited pairs were found word for word when this was written; fewer would be a loss.
    assert sum(len(c.evidence) for c in found.cases) == 1919


def test_the_test_cases_of_a_deepeval_run_are_cases_without_a_label() -> None:
    found = one("deepeval.json")
    assert found.shapes == ("DeepEval",)
    first = found.cases[0]
    # The user left an id in the metadata; other test cases have their names.
    assert (first.id, first.query, first.response) == ("fee", "When is the fee due?", "The fee is due on filing.")
    assert [p.text for p in first.context] == ["The fee is due on filing."]
    assert {c.grounded for c in found.cases} == {None}


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
    # A column of contexts comes before both.
    row = {**rows("trulens_records.json")[0], "contexts": json.dumps(["Only this."])}
    assert [p.text for p in loaded(row).cases[0].context] == ["Only this."]


JUNK = st.sampled_from(VALUES)


@each("shape", SINGLE)
def test_the_row_that_is_changed_below_is_a_good_one(shape: str) -> None:
    found = loaded(SINGLE[shape](), GOOD)
    assert found.cases[-1].id == "good"
    assert len(found.cases) > 1


@pytest.mark.parametrize("shape", SINGLE)
@given(data=st.data())
def test_junk_in_any_field_costs_its_own_row_at_most(shape: str, data: st.DataObject) -> None:
    row = SINGLE[shape]()
    spot = data.draw(st.sampled_from(list(places(row))))
    found = loaded(changed(row, spot, data.draw(JUNK)), GOOD)
    assert found.cases[-1].id == "good"
    assert len(found.cases) > 1 or found.rejected
    assert all(r.row == 1 for r in found.rejected)


@given(data=st.data())
def test_junk_in_either_half_never_breaks_the_reading(data: st.DataObject) -> None:
    names = data.draw(st.sampled_from([RAGTRUTH, REFCHECKER]))
    halves = {name: rows(name) for name in names}
    name = data.draw(st.sampled_from(names))
    spot = data.draw(st.sampled_from(list(places(halves[name][0]))))
    halves[name][0] = changed(halves[name][0], spot, data.draw(JUNK))
    try:
        found = read_many([(f"{n}.json", json.dumps(r).encode()) for n, r in halves.items()])
    except DataError:
        pytest.fail("the other rows can be used")
    ids = {c.id for f in found for c in f.cases}
    assert ids >= ({"r3", "r4"} if names is RAGTRUTH else {"12", "13"})


@each("shape", SINGLE)
def test_hostile_text_is_read_as_text_and_never_quoted(shape: str) -> None:
    row = SINGLE[shape]()
    for path in places(row):
        if not isinstance(at(row, path), str):
            continue
        found = loaded(changed(row, path, HOSTILE), GOOD)
        assert not any("alert(1)" in r.reason for r in found.rejected)
        for case in found.cases:
            texts = [case.id, case.query, case.response, case.area, *(p.text + p.source for p in case.context)]
            assert not any("\ud800" in text or "\x00" in text for text in texts)


def test_the_address_of_an_evidence_is_text_that_a_browser_takes() -> None:
    row = SINGLE["expertqa"]()
    row["answers"]["model_a"]["claims"][0]["evidence"] = ["https://wills.example/\ud800 A will is signed."]
    assert loaded(row).cases[0].context[0].source == "https://wills.example/\ufffd"
