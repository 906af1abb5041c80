"""Public data sets by shape: what a hand-made file of each becomes."""

import json

import pytest

from groundscope.cases.dataset import LoadedDataset, read, read_many
from groundscope.errors import DataError
from groundscope.types import Case
from tests.groundscope.cases.format_files import RAGTRUTH, REFCHECKER, content, evidence, loaded, one, rows
from tests.loops import each


def marked(case: Case) -> list[str]:
    return [case.response[start:end] for start, end in case.unsupported]


def labels(found: LoadedDataset) -> dict[str, bool | None]:
    return {case.id: case.grounded for case in found.cases}


def test_lettucedetect_reads_ragtruths_prompts_and_its_own_fields() -> None:
    found = one("lettucedetect.json")
    truth = {case.response: case for case in one(*RAGTRUTH).cases}
    assert found.shapes == ("LettuceDetect",)
    first, second, third, fourth = found.cases
    for case in (first, second):
        assert (case.query, case.context) == (truth[case.response].query, truth[case.response].context)
    assert marked(first) == ["30 days"]
    assert "'city': 'Ely'" in third.context[0].text
    assert not third.context[0].text.endswith("Overview:")
    assert (fourth.query, fourth.context[0].text) == ("When is the fee due?", "The fee is due on filing.")
    assert fourth.area == "hand-made · qa · de"
    assert [c.split for c in found.cases] == ["train", "test", "dev", "test"]
    # A prompt of another kind is the context as it stands.
    (case,) = loaded({**rows("lettucedetect.json")[0], "prompt": "Answer: what is due?\nThe fee."}).cases
    assert (case.query, case.context[0].text) == ("", "Answer: what is due?\nThe fee.")


def test_halueval_gives_two_cases_a_row_in_one_group() -> None:
    found = one("halueval_qa.json")
    assert labels(found) == {"row-1-right": True, "row-1-hallucinated": False, "row-2-right": True, "row-2-hallucinated": False}
    right, wrong = found.cases[:2]
    assert (right.group, wrong.group, wrong.parent) == (right.query, right.query, right.id)
    assert right.context == wrong.context


def test_faithbench_takes_the_worst_label_and_marks_what_is_not_supported() -> None:
    found = one("faithbench_batch.json")
    assert [(c.id, c.grounded, c.area.removeprefix("Summaries · ")) for c in found.cases] == [
        ("faithbench-15", False, "Unwanted"),
        ("faithbench-130", True, "Benign"),
        ("faithbench-245", True, "Consistent"),
        ("faithbench-360", False, "Questionable"),
    ]
    # Two annotators marked "bail" and "bail bond"; what is benign is not marked.
    assert [marked(c) for c in found.cases] == [["bail bond"], [], [], ["perhaps"]]
    # What they marked in the source is gold evidence; two of them marked the clerk.
    assert evidence(found.cases[0]) == [("bail bond", "bond"), ("clerk", "clerk")]
    assert len({c.group for c in found.cases}) == 1


@each(
    ("names", "stances"),
    [
        # Extrinsic alone; benign, consistent; only questionable.
        (("faithbench_batch.json",), [False, None, None, None]),
        (("faithbench_table.csv",), [None] * 4),
        (("contractnli_rows.jsonl",), [None, True]),
        (REFCHECKER, [False, None, None]),
        # A conflict beside what is baseless; baseless alone; a conflict.
        (RAGTRUTH, [None, True, False, True]),
    ],
)
def test_sets_with_three_labels_say_what_the_context_contradicts(names: tuple[str, ...], stances: list[bool | None]) -> None:
    assert [case.stance for case in one(*names).cases] == stances


@each(
    ("label", "stance"),
    [("REFUTES", True), ("contradiction", True), ("NOT ENOUGH INFO", False), ("neutral", False), ("SUPPORTS", None), (0, None)],
)
def test_pairs_of_premise_and_hypothesis_or_evidence_and_claim_have_three_labels(label: object, stance: bool | None) -> None:
    for document, claim in (("premise", "hypothesis"), ("evidence", "claim"), ("evidence", "statement")):
        (case,) = loaded({document: "It opens at nine.", claim: "It opens at ten.", "label": label}).cases
        assert (case.context[0].text, case.response, case.stance) == ("It opens at nine.", "It opens at ten.", stance)


def test_faithbenchs_table_has_the_worst_label_of_every_summary() -> None:
    found = one("faithbench_table.csv")
    assert found.shapes == ("FaithBench (table)",)
    assert [c.grounded for c in found.cases] == [False, True, True, False]
    assert found.cases[0].area == "Summaries · Unwanted · model-a"
    assert len({c.group for c in found.cases}) == 1
    assert "CC BY-NC-SA 4.0" in found.notes[0]


def test_bad_samples_of_a_batch_leave_the_others_and_an_annotation_without_a_label_says_nothing() -> None:
    batch = json.loads(content("faithbench_batch.json"))
    batch["samples"][0]["annotations"][0]["label"] = ["Awful"]
    batch["samples"][1] = 5
    batch["samples"][3]["annotations"][0]["label"] = []
    found = loaded(batch)
    assert [(c.id, c.grounded, c.unsupported) for c in found.cases] == [
        ("faithbench-245", True, ()),
        ("faithbench-360", True, ()),
    ]
    assert [r.reason.partition(":")[0] for r in found.rejected] == ["Sample 1", "Sample 2"]


def test_a_span_counted_as_a_browser_counts_is_put_where_its_words_are() -> None:
    batch = json.loads(content("faithbench_batch.json"))
    sample = batch["samples"][3]
    sample["summary"] = "📎 " + sample["summary"]
    sample["annotations"][0].update(summary_start=13, summary_end=20)
    (case,) = loaded(sample).cases
    assert marked(case) == ["perhaps"]


def test_summedits_keeps_a_documents_summaries_together() -> None:
    found = one("summedits.json")
    assert labels(found) == {"sales_call_1_og": True, "sales_call_1_0": False, "samsum_2_og": True}
    assert [c.area for c in found.cases] == ["sales_call", "sales_call", "samsum"]
    assert found.cases[0].group == found.cases[1].group != found.cases[2].group


def test_expertqa_reads_claims_with_their_evidence() -> None:
    found = one("expertqa.jsonl")
    first, second = found.cases
    assert [(p.text, p.source) for p in first.context] == [
        ("A will is signed before two witnesses.", "https://wills.example/act"),
        ("A register of wills is kept.", "https://wills.example/registry"),
    ]
    # The last claim needs no citation, so its label does not count.
    assert (marked(first), first.grounded, second.grounded) == (["It must be registered."], False, True)
    assert (first.area, first.group) == ("Law", "What does a will need?")
    (rejected,) = found.rejected
    assert rejected.row == 1
    assert rejected.reason.startswith("Answer 2:")


def test_the_published_shape_of_ragbench_has_its_split_in_its_name() -> None:
    assert [c.split for c in one("ragbench.jsonl").cases] == ["dev"]


def test_refchecker_is_grounded_where_every_claim_is_entailed() -> None:
    found = one(*REFCHECKER)
    assert found.shapes == ("RefChecker",)
    assert labels(found) == {"11": False, "12": True, "13": None}
    assert [c.area for c in found.cases] == ["Claims · Neutral", "Claims · Entailment", "Claims · no label"]
    # A claim without a label leaves an otherwise entailed answer unlabelled.
    answer = {**rows(REFCHECKER[0])[1], **rows(REFCHECKER[1])[1]}
    answer["claude2_response_kg"].append({"triplet": ["a", "b", "c"]})
    assert loaded(answer).cases[0].grounded is None
    assert [p.text for p in found.cases[0].context] == ["A bond costs 90 pounds.", "It is paid at the registry."]


@each(
    ("names", "words"),
    [
        (RAGTRUTH, ["MS MARCO", "Yelp"]),
        (("lettucedetect.json",), ["MS MARCO", "Yelp"]),
        (REFCHECKER, ["MS MARCO"]),
        (("ragbench.jsonl",), ["MS MARCO"]),
        (("summedits.json",), ["SAMSum"]),
        (("faithbench_batch.json",), ["CC BY-NC-SA 4.0"]),
        (("halueval_qa.json",), []),
        (("expertqa.jsonl",), []),
        (("contractnli_rows.jsonl",), []),
    ],
)
def test_what_a_licence_keeps_back_is_noted_with_its_source(names: tuple[str, ...], words: list[str]) -> None:
    notes = one(*names).notes
    assert len(notes) == len(words)
    assert all(word in note for word, note in zip(words, notes, strict=True))


@each(("licence", "noted"), [("CC-BY-NC-4.0", True), ("non-commercial", True), ("CC-BY-4.0", False), (5, False)])
def test_a_row_that_names_a_non_commercial_licence_itself_is_noted(licence: object, noted: bool) -> None:
    row = {"query": "q", "context": ["c"], "response": "r", "license": licence}
    assert bool(loaded(row).notes) is noted


def test_ragtruth_joins_answers_and_sources_whatever_their_names_and_order() -> None:
    found = one(*RAGTRUTH)
    assert (found.name, found.shapes) == ("ragtruth_response.jsonl", ("RAGTruth",))
    assert {c.id: c.grounded for c in found.cases} == {"r1": True, "r2": False, "r3": False, "r4": False}
    by_id = {case.id: case for case in found.cases}
    assert [p.text for p in by_id["r2"].context] == ["A tenant must give notice within 14 days.", "Notice is given in writing."]
    assert by_id["r2"].query == "Within how many days must a tenant give notice?"
    assert marked(by_id["r2"]) == ["30 days", "and by registered post"]
    assert {c.id: (c.group, c.split, c.area) for c in found.cases}["r3"] == ("s2", "test", "Summary")
    assert '"city": "Ely"' in by_id["r4"].context[0].text
    other = read_many([("b.jsonl", content(RAGTRUTH[1])), ("a.jsonl", content(RAGTRUTH[0]))])
    assert [(f.name, f.cases) for f in other] == [("a.jsonl", found.cases)]


def test_ragtruth_leaves_out_what_its_own_evaluation_leaves_out() -> None:
    (rejected,) = one(*RAGTRUTH).rejected
    assert (rejected.file, rejected.row) == ("ragtruth_response.jsonl", 5)
    assert "'quality'" in rejected.reason


@each(
    ("name", "words"),
    [
        *((name, r"load response\.jsonl and source_info\.jsonl together") for name in RAGTRUTH),
        (REFCHECKER[0], "load them together"),
    ],
)
def test_half_of_a_set_is_refused_with_what_to_load(name: str, words: str) -> None:
    for call in (lambda: read(name, content(name)), lambda: read_many([(name, content(name))])):
        with pytest.raises(DataError, match=words):
            call()


def test_an_answer_without_its_source_and_a_source_that_comes_twice_are_named() -> None:
    answers = b"\n".join(json.dumps({**row, "source_id": "gone" if row["id"] == "r1" else row["source_id"]}).encode()
                         for row in rows(RAGTRUTH[0]))  # fmt: skip
    first = json.dumps(rows(RAGTRUTH[1])[0]).encode()
    (found,) = read_many([("a.jsonl", answers), ("s.jsonl", content(RAGTRUTH[1]) + first + b'\n{"source_id"')])
    assert [c.id for c in found.cases] == ["r2", "r3", "r4"]
    assert [(r.file, r.row) for r in found.rejected] == [("a.jsonl", 1), ("a.jsonl", 5), ("s.jsonl", 4), ("s.jsonl", 5)]
    assert "No row of the file of sources" in found.rejected[0].reason


def test_files_that_do_not_belong_together_are_read_one_by_one() -> None:
    files = [(name, content(name)) for name in ("halueval_qa.json", *RAGTRUTH, "summedits.json")] + [("x.doc", b"a")]
    found = {f.name: f for f in read_many(files)}
    assert [len(found[name].cases) for name in ("halueval_qa.json", "ragtruth_response.jsonl", "summedits.json")] == [4, 4, 3]
    assert "not supported" in found["x.doc"].refused
    assert found["x.doc"].rejected[0].row == 0
    assert len(found) == 4


def test_two_files_of_one_name_both_stay() -> None:
    data = content("summedits.json")
    found = read_many([("a.json", data), ("a.json", data)])
    assert [f.name for f in found] == ["a.json", "a (2).json"]
    assert all(len(f.cases) == 3 for f in found)


def test_nothing_usable_in_any_file_names_each() -> None:
    with pytest.raises(DataError, match=r"a\.jsonl: .*empty.* b\.txt: "):
        read_many([("a.jsonl", b""), ("b.txt", b"x")])


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
    assert {c.split for c in read(name, content("attributionbench.jsonl")).cases} == {split}


def test_factcc_has_correct_and_incorrect_claims_about_one_text() -> None:
    found = one("factcc-dev.jsonl")
    assert found.shapes == ("FactCC",)
    assert labels(found) == {"cnndm/test/a": True, "cnndm/test/b": False}
    assert [(c.split, c.area) for c in found.cases] == [("dev", "Summaries"), ("dev", "Summaries · DateSwap")]
    assert len({c.group for c in found.cases}) == 1


def test_llm_aggrefact_has_a_claim_a_document_and_a_label() -> None:
    found = read("test-00000-of-00001.csv", content("aggrefact_test.csv"))
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
    assert ([c.grounded for c in found.cases], found.rejected) == ([None], ())
    assert "Not read as labels: 2." in found.unsure
    assert '--map "context=document,answer=claim,label=label,grounded=VALUE"' in found.unsure


@each(
    ("answer", "words", "shift", "read"),
    [
        ("😀😀 Rent is due on Friday, as agreed.", "Friday", 2, "Friday"),
        ("Rent is due on Friday 😀", "Friday", 0, "Friday"),
        ("😀 Rent is due on Friday", "Friday", 1, "Friday"),
        # Where neither reading ends at words, or nothing is beyond the first plane, offsets are as they stand.
        ("😀 Rent is due on Friday", "rid", 0, "rid"),
        ("Rent is due on Friday, as agreed.", "Friday", 2, "iday, "),
    ],
)
def test_spans_that_count_as_browsers_do_are_read_where_only_that_fits_words(
    answer: str, words: str, shift: int, read: str
) -> None:
    start = answer.index(words) + shift
    label = {"start": start, "end": start + len(words), "label": "conflict"}
    (case,) = loaded({"prompt": "Rent is due on Monday.", "answer": answer, "labels": [label]}).cases
    assert [case.response[a:b] for a, b in case.unsupported] == [read]


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
