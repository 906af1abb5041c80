"""Public sets of claims against documents, and LettuceDetect's second version: what a hand-made file of each becomes."""

import json

import pytest

from groundscope.cases.dataset import LoadedDataset, read
from tests.groundscope.cases.format_files import content, loaded, one, rows
from tests.groundscope.cases.test_public_formats import labels, marked
from tests.loops import each


def named(name: str, file: str) -> LoadedDataset:
    """The file under another name."""
    return read(name, content(file))


def test_attributionbench_judges_a_claim_against_its_references() -> None:
    found = one("attributionbench.jsonl")
    assert found.shapes == ("AttributionBench",)
    assert labels(found) == {"ExpertQA_1": True, "ExpertQA_2": False}
    first = found.cases[0]
    assert (first.query, first.response, first.area) == ("When is the fee due?", "The fee is due on filing.", "ExpertQA")
    assert [p.text for p in first.context] == ["The fee is due on filing.", "The clerk takes it."]
    assert first.group == found.cases[1].group
    assert [r.reason for r in found.rejected] == ["'references' holds no text to compare the claim with."]


@each(
    ("name", "split"),
    [("train_all_subset_balanced.jsonl", "train"), ("test_ood_all.jsonl", "test"), ("dev_all.jsonl", "dev"), ("all.jsonl", None)],
)
def test_a_files_name_says_the_split_where_the_rows_do_not(name: str, split: str | None) -> None:
    assert {c.split for c in named(name, "attributionbench.jsonl").cases} == {split}


def test_factcc_has_correct_and_incorrect_claims_about_one_text() -> None:
    found = one("factcc-dev.jsonl")
    assert found.shapes == ("FactCC",)
    assert labels(found) == {"cnndm/test/a": True, "cnndm/test/b": False}
    assert [(c.split, c.area) for c in found.cases] == [("dev", "Summaries"), ("dev", "Summaries · DateSwap")]
    assert len({c.group for c in found.cases}) == 1


def test_llm_aggrefact_has_a_claim_a_document_and_a_label() -> None:
    found = named("test-00000-of-00001.csv", "aggrefact_test.csv")
    assert found.shapes == ("LLM-AggreFact",)
    assert [(c.grounded, c.split, c.area, c.response) for c in found.cases] == [
        (True, "test", "ClaimVerify", "The bond costs 90 pounds."),
        (False, "test", "ClaimVerify", "The bond costs 19 pounds."),
    ]
    assert "CC BY-ND 4.0" in found.notes[0]


def test_pairs_as_true_has_them_are_read() -> None:
    found = one("true_pairs.csv")
    assert found.shapes == ("claims about documents",)
    assert [(c.context[0].text, c.response, c.grounded) for c in found.cases] == [
        ("The clerk filed the bond.", "The bond was filed.", True),
        ("The clerk filed the bond.", "The bond was lost.", False),
    ]


@each(
    ("label", "grounded"),
    [("SUPPORTS", True), ("not_supported", False), ("Not Enough Info", False), ("entailment", True), (1.0, True), ("", None)],
)
def test_a_claims_label_is_read_in_the_words_of_many_sets(label: object, grounded: bool | None) -> None:
    assert loaded({"document": "d", "claim": "c", "label": label}).cases[0].grounded is grounded


def test_a_label_that_means_nothing_here_is_for_the_user_to_explain() -> None:
    found = loaded({"document": "d", "claim": "c", "label": "2"})
    assert (found.cases, found.unknown) == ((), True)


def test_lettucedetects_second_version_keeps_question_context_and_categories() -> None:
    found = one("lettucedetect_v2.jsonl")
    assert found.shapes == ("LettuceDetect",)
    first, second, third = found.cases
    assert (first.query, first.context[0].text, first.split) == ("When is the fee due?", "The fee is due on filing.", "dev")
    assert (marked(first), first.grounded) == (["May", "rule 9"], False)
    assert first.area == "hand-made · qa · contradiction · fabricated reference"
    # What is left out is no unsupported statement.
    assert (second.grounded, second.area) == (True, "hand-made · summarization · omission")
    assert (second.query, second.context[0].text) == ("Sum it up.", "The fee is due on filing. The clerk takes it.")
    assert (third.query, third.context[0].text) == ("Who takes it?", "The clerk takes the fee.")


@pytest.mark.parametrize(("name", "domain"), [("summedits_sales_email.json", "sales_email"), ("samsum.json", "samsum")])
def test_summedits_domain_is_the_files_name(name: str, domain: str) -> None:
    without = [{**row, "id": str(i)} for i, row in enumerate(rows("summedits.json"))]
    for row in without:
        row.pop("domain", None)
    found = read(name, json.dumps(without).encode())
    assert {c.area for c in found.cases} == {domain}
    assert bool(found.notes) is (domain == "samsum")
