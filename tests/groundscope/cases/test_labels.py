"""Labels in the words of many sets, columns that look like labels, counts of a set, and public sets that need no code."""

import json
from typing import Any

import pytest

from groundscope.cases.dataset import LoadedDataset, read, read_many
from groundscope.cases.formats import FieldMapping
from groundscope.cases.labels import label
from groundscope.cases.mapping.field_mapping import from_line
from groundscope.errors import DataError
from tests.loops import each

TEXTS = {"question": "When is rent due?", "context": ["Rent is due on May 1."], "answer": "Rent is due on May 2."}


def loaded(*rows: dict[str, Any], mapping: FieldMapping | None = None, name: str = "a.json") -> LoadedDataset:
    return read(name, json.dumps(rows).encode(), mapping)


def rows(column: str, *values: object) -> list[dict[str, Any]]:
    return [{**TEXTS, column: value} for value in values]


@each(
    ("value", "field", "meaning"),
    [
        ("hallucinated", "grounded", "not grounded"),
        ("PASS", "label", "grounded"),
        ("Fail", "label", "not grounded"),
        ("SUPPORTED", "label", "grounded"),
        ("refuted", "label", "contradicted"),
        ("Not Enough Info", "label", "not grounded"),
        ("not_supported", "label", "not grounded"),
        ("Fully attributable", "begin_label", "grounded"),
        ("Not fully attributable", "begin_label", "not grounded"),
        ("Generic", "begin_label", "no label"),
        (0.93, "label", "no label (no word of a label)"),
        ("0.1", "label", "no label (no word of a label)"),
        # Another number is not 1, however it is signed.
        ("-1", "label", "no label (no word of a label)"),
        ("1%", "label", "no label (no word of a label)"),
        ("1.0", "label", "grounded"),
        # The sense of a column is turned by its name, words keep theirs.
        ("yes", "hallucination", "not grounded"),
        (False, "is_hallucinated", "grounded"),
        (1, "unfaithful", "not grounded"),
        ("none", "hallucination", "grounded"),
        ("faithful", "hallucination", "grounded"),
        # Votes: the majority; a tie is no label.
        (["yes", "no", "yes"], "votes", "grounded"),
        (["yes", "no"], "votes", "no label (votes tied)"),
        (["refuted", "refuted", "supported"], "votes", "contradicted"),
    ],
)
def test_a_label_means_what_its_word_and_its_column_say(value: object, field: str, meaning: str) -> None:
    assert label(value, field).meaning == meaning


@each(
    ("column", "values", "grounded"),
    [
        ("hallucination", ["yes", "no"], [False, True]),
        ("is_hallucinated", [1, 0], [False, True]),
        ("label", ["PASS", "FAIL"], [True, False]),
        ("anything", ["supported", "refuted"], [True, False]),
        # Yes and no may answer any question; a score is no label.
        ("is_long", ["yes", "no"], [None, None]),
        ("faithfulness", [0.93, 0.1], [None, None]),
    ],
)
def test_a_column_of_labels_beside_the_texts_is_read_where_it_is_sure(
    column: str, values: list[object], grounded: list[bool | None]
) -> None:
    found = loaded(*rows(column, *values))
    assert [case.grounded for case in found.cases] == grounded
    if grounded[0] is not None:
        sense = ": yes there means not grounded" if "halluc" in column else ""
        assert f"The column {column} is read as the label{sense}." in found.counts.notes
        assert [(number, meaning) for _, meaning, number in found.counts.labels] == [
            (1, {True: "grounded", False: "not grounded", None: ""}[truth])
            if (column, truth) != ("anything", False)
            else (1, "contradicted")
            for truth in grounded
        ]
    assert found.unsure == ""


def test_what_is_not_sure_is_named_with_the_mapping_to_use() -> None:
    found = loaded(*rows("verdict", "A", "B"))
    assert [case.grounded for case in found.cases] == [None, None]
    line = "context=context,answer=answer,question=question,label=verdict,grounded=VALUE"
    assert found.unsure.startswith("The column verdict (A, B) looks like a label and is not used")
    assert found.unsure.endswith(f'--map "{line}"')
    # Two columns of labels that do not agree.
    both = [{**TEXTS, "label": "yes", "hallucination": "yes"}]
    assert "looks like a label" in loaded(*both).unsure
    # Public sets count three answers in several orders: 0 is entailment in one, contradiction in another.
    numbered = loaded(*({"premise": "Rent is due.", "hypothesis": f"Rent {i}", "label": i} for i in range(3)))
    assert [case.grounded for case in numbered.cases] == [None] * 3
    assert numbered.unsure.endswith('--map "context=premise,answer=hypothesis,label=label,grounded=VALUE"')
    scores = loaded(*rows("faithfulness", 0.93)).counts.notes
    assert "The column faithfulness is not used: numbers such as 0.93 are scores and no labels." in scores
    folds = loaded(*rows("fold", "A", "B")).counts.notes
    assert any(note.startswith("The column fold (A, B) looks like a split and is not used; to use it: --map") for note in folds)
    assert [case.split for case in loaded(*rows("fold", "train", "validation")).cases] == ["train", "dev"]


@each(
    ("column", "values", "asked"),
    [
        ("votes", [["yes", "no", "yes"], ["no"]], "label=votes,grounded=yes"),
        ("annotator_1", [1, 0], "label=annotator_1,grounded=1"),
        ("no_hallucination", [1, 0], "label=no_hallucination,grounded=1"),
        ("reviews", [[{"by": 1, "label": "PASS"}, {"by": 2, "label": "FAIL"}]], "label=reviews.label,grounded=PASS"),
        ("parts", [[{"text": "Rent is due", "label": "supported"}]], "sentence=parts.text,sentence_label=parts.label"),
        ("fold", [0, 1, 2], "split=fold"),
        ("metadata", [{"split": "held-out"}], "split=metadata.split"),
        ("prompt", [{"label": "my first prompt"}], ""),
    ],
)
def test_votes_and_labels_inside_are_asked_about(column: str, values: list[object], asked: str) -> None:
    found = loaded(*rows(column, *values))
    assert [case.grounded for case in found.cases] == [None] * len(values)
    line = next((note for note in found.counts.notes if "--map" in note), "").partition('--map "')[2].rstrip('"')
    assert (line.endswith(asked), bool(line)) == (True, bool(asked))
    assert bool(found.unsure) == ("label" in asked)
    if column == "reviews":
        votes = loaded(*rows(column, *values), mapping=from_line(line)).counts.labels
        assert [meaning for _, meaning, _ in votes] == ["no label (votes tied)"]


@each(
    ("line", "words"),
    [
        ("context=context,answer=answer,label=v,grounded=Fully atributable", "no row has this value; write 'Fully attributable'"),
        ("context=context,answer=anser", "answer=anser: no row has this field; write 'answer'"),
        ("context=context,answer=answer,split=part", "split=part: no row has this field; there are"),
        ("context=context,answer=answer,label=verdict,grounded=yes", "label=verdict: no row has this field"),
    ],
)
def test_a_mapping_that_no_row_fits_is_refused_with_the_nearest_name(line: str, words: str) -> None:
    table = rows("v", "Fully attributable", "Not fully attributable")
    for call in (
        lambda: loaded(*table, mapping=from_line(line)),
        lambda: read_many([("a.json", json.dumps(table).encode())], from_line(line)),
    ):
        with pytest.raises(DataError, match="The mapping does not fit") as error:
            call()
        assert words in str(error.value)


def test_a_file_may_lack_answers_of_one_label() -> None:
    found = loaded(*rows("ok", "no", "no"), mapping=from_line("context=context,answer=answer,label=ok,grounded=yes"))
    assert [case.grounded for case in found.cases] == [False, False]


def test_labels_and_votes_of_sentences_make_spans_and_the_label_of_the_answer() -> None:
    row = {
        "doc": "Rent is due on May 1. No fee is due.",
        "parts": [
            {"text": "Rent is due.", "votes": ["yes", "yes", "no"]},
            {"text": "A fee is due.", "votes": ["no", "no", "yes"]},
            {"text": "Pets may stay.", "votes": ["yes", "no"]},
        ],
    }
    mapping = from_line("context=doc,sentence=parts[].text,sentence_label=parts[].votes")
    (case,) = loaded(row, mapping=mapping).cases
    assert case.response == "Rent is due. A fee is due. Pets may stay."
    assert [case.response[start:end] for start, end in case.unsupported] == ["A fee is due."]
    assert case.grounded is False
    sound = {**row, "parts": [row["parts"][0]]}
    tied = {**row, "parts": [row["parts"][0], row["parts"][2]]}  # type: ignore[index]
    found = loaded(sound, tied, mapping=mapping)
    assert [case.grounded for case in found.cases] == [True, None]
    assert set(found.counts.labels) == {
        ("no, yes, yes", "grounded", 2),
        ("no, yes", "no label (votes tied)", 1),
    }


def test_counts_say_what_a_file_holds_and_what_two_splits_share() -> None:
    def row(query: str, source: str, split: str, grounded: object = True) -> dict[str, Any]:
        return {"query": query, "context": [source], "response": "Yes.", "split": split, "grounded": grounded}

    table = [
        row("a", "A.", "dev"),
        row("b", "B.", "dev", "no"),
        row("a", "A.", "test"),
        row("c", "B.", "test"),
        row("d", "D.", "test", "?"),
    ]
    counts = loaded(*table, {"query": "x"}, {"query": "y"}).counts
    assert (counts.rows, counts.cases, counts.queries, counts.spans) == (7, 5, 4, 0)
    assert [(left.number, left.rows) for left in counts.left_out] == [(2, (6, 7))]
    assert counts.splits == (("dev", 2), ("test", 3))
    (leak,) = counts.leaks
    assert leak.words == "1 of the 3 queries and 2 of the 3 passages of test are also in dev"
    assert any("Labels are of whole answers" in note for note in counts.notes)


def test_answers_without_question_and_group_are_grouped_by_their_sources() -> None:
    bare = [{"query": "", "context": [text], "response": "Yes."} for text in ("A.", "A.", "B.")]
    assert loaded(*bare).counts.queries == 2
    assert any("All answers are to one query" in note for note in loaded(*bare[:2]).counts.notes)


def sentence(text: str, *votes: str) -> dict[str, Any]:
    return {"sentence": text, "responses": [{"worker_id": i, "response": vote} for i, vote in enumerate(votes)]}


PUBLISHED: dict[str, tuple[dict[str, Any], bool | None, list[str]]] = {
    "BEGIN": (
        {"model_name": "t5", "data_source": "wow", "knowledge": "Ink is blue.", "message": "Hi", "response": "Ink is blue.",
         "begin_label": "Fully attributable"}, True, [],
    ),
    "HaluBench": (
        {"id": "1", "passage": "Ink is blue.", "question": "Which colour?", "answer": "Red.", "label": "FAIL",
         "source_ds": "x"}, False, [],
    ),
    "AggreFact": (
        {"doc": "Ink is blue.", "summary": "Ink is red.", "label": 0, "origin": "xsum", "dataset": "CLIFF", "cut": "val"},
        False, [],
    ),
    "QAGS": (
        {"article": "Ink is blue.",
         "summary_sentences": [sentence("Ink is blue.", "yes", "yes", "no"),
                               sentence("Ink is red.", "no", "no", "yes")]},
        False, ["Ink is red."],
    ),
    "FRANK": (
        {"article": "Ink is blue.", "summary": "Ink is blue. Ink is red.", "model_name": "m", "split": "valid",
         "summary_sentences": ["Ink is blue.", "Ink is red."],
         "summary_sentences_annotations": [
             {"annotator_0": ["NoE"], "annotator_1": ["NoE"], "annotator_2": ["OutE"]},
             {"annotator_0": ["EntE", "OutE"], "annotator_1": ["NoE"], "annotator_2": ["PredE"]},
         ]},
        False, ["Ink is red."],
    ),
    "WiCE": (
        {"claim": "Ink is blue.", "evidence": ["A page.", "Ink is blue."], "label": "partially_supported",
         "supporting_sentences": [[1]], "meta": {"id": "dev1"}},
        False, [],
    ),
    "FELM": (
        {"index": "0", "source": "quora", "prompt": "Which colour?", "response": "Ink is blue. It is red.",
         "segmented_response": ["Ink is blue.", "It is red."], "labels": [True, False], "ref": ["https://ink.example"],
         "ref_contents": ["Ink is blue."], "domain": "wk"},
        False, ["It is red."],
    ),
    "TofuEval": (
        {"doc_id": "d1", "topic": "Ink", "model_name": "A", "sent_idx": 1, "summ_sent": "Ink is red.", "sent_label": "no",
         "exp": "It is blue.", "type": "Extrinsic", "source": "Ink is blue."}, False, [],
    ),
}  # fmt: skip
"""A row with the fields that the data set's own description names (README or paper), what it is labelled, and what is marked."""


EXPORTS: dict[str, dict[str, Any]] = {
    "LangSmith": {"inputs": {"question": "Q?", "documents": ["Ink is blue."]}, "outputs": {"answer": "Red."}},
    "Langfuse": {"input": {"query": "Q?"}, "output": "Red.", "metadata": {"contexts": ["Ink is blue."]}},
    "DeepEval": {"input": "Q?", "actual_output": "Red.", "retrieval_context": "Ink is blue."},
    "TruLens": {"record_id": "r", "input": "Q?", "output": "Red.", "contexts": ["Ink is blue."]},
    "chat messages": {"messages": [{"role": "user", "content": "Q?"}, {"role": "assistant", "content": "Red."}], "docs": ["Ink"]},
}


@each("title", EXPORTS)
def test_a_label_beside_the_texts_of_an_export_is_read_or_named(title: str) -> None:
    row = EXPORTS[title]
    found = loaded({**row, "is_hallucination": True, "fold": "dev"})
    (case,) = found.cases
    assert (found.shapes, case.grounded, case.split, case.id) == ((title,), False, "dev", row.get("record_id", "row-1"))
    assert "looks like a label" in loaded({**row, "verdict": "A"}).unsure


def test_a_row_of_felm_without_the_texts_behind_its_links_says_what_is_missing() -> None:
    row = {name: value for name, value in PUBLISHED["FELM"][0].items() if name != "ref_contents"}
    with pytest.raises(DataError, match="add these texts as a list, ref_contents"):
        loaded(row)


@each("fields", [("context", "answer", "label"), ("quelle", "antwort", "urteil")])
def test_an_unknown_file_is_asked_about_with_the_guess_to_use(fields: tuple[str, ...]) -> None:
    found = loaded(dict(zip(fields, ("Ink is blue.", "Red.", "no"), strict=True)))
    guess = "context=context,answer=answer,label=label,grounded=VALUE" if "label" in fields else "context=FIELD,answer=FIELD"
    assert (found.unknown, found.unsure) == (True, f'say what its fields are, such as --map "{guess}".')


@each("title", PUBLISHED)
def test_a_public_set_is_read_by_its_own_fields(title: str) -> None:
    row, grounded, marked = PUBLISHED[title]
    found = loaded(row)
    assert (found.shapes, found.rejected, found.unsure) == ((title,), (), "")
    (case,) = found.cases
    assert case.grounded is grounded
    assert [case.response[start:end] for start, end in case.unsupported] == marked
    assert "Ink is blue." in case.context[0].text
    assert found.counts.labels
    if title == "WiCE":
        (span,) = case.evidence
        assert case.context[0].text[span.start : span.end] == "Ink is blue."


def test_tofuevals_sentences_come_with_a_file_of_documents() -> None:
    answer = {key: value for key, value in PUBLISHED["TofuEval"][0].items() if key != "source"}
    with pytest.raises(DataError, match="without their documents"):
        loaded(answer)
    sources = [{"meeting_id": "d1", "source": "Ink is blue."}]
    (found,) = read_many([("a.json", json.dumps([answer]).encode()), ("b.json", json.dumps(sources).encode())])
    assert (found.shapes, found.cases[0].context[0].text, found.cases[0].group) == (("TofuEval",), "Ink is blue.", "d1")
