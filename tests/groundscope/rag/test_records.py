"""Results made elsewhere: every layout, and every way a row can be wrong."""

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import DataError
from groundscope.rag.outcomes import Answer, AnswerOutcome, outcome
from groundscope.rag.ranking import rankings
from groundscope.rag.records import read_results, to_row
from groundscope.types import Passage
from tests.loops import each

ROW: dict[str, Any] = {
    "embedding_model": "e", "generative_model": "m", "question_id": "q1", "correct": True, "grounded": False,
    "relevant_passage_in_context": True,
}  # fmt: skip
WHOLE = Answer(
    "e", "m", "q1", True, False, True, "Q?", "ref", "said",
    (Passage("1.1-s1", "One."), Passage("1.1-s10", "Ten.")), ("1.1-s10",), "why",
    retrieved=("1.1-s1", "1.1-s10"),
)  # fmt: skip


def jsonl(*rows: Any) -> bytes:
    return "\n".join(json.dumps(r) for r in rows).encode()


def one(**more: Any) -> Answer:
    (answer,) = read_results("r.jsonl", jsonl({**ROW, **more})).answers
    return answer


def test_a_record_is_read_and_written_as_it_was() -> None:
    assert one() == Answer("e", "m", "q1", True, False, True)
    assert read_results("r.jsonl", jsonl(to_row(WHOLE))).answers == (WHOLE,)


def test_a_csv_is_read_as_the_same() -> None:
    text = io.StringIO()
    row = {k: json.dumps(v) if isinstance(v, list) else v for k, v in to_row(WHOLE).items()}
    writer = csv.DictWriter(text, list(row))
    writer.writeheader()
    writer.writerow(row)
    assert read_results("r.csv", text.getvalue().encode()).answers == (WHOLE,)


def test_a_verdict_may_stand_by_itself() -> None:
    row = {k: v for k, v in ROW.items() if k not in ("correct", "grounded")}
    for verdict in (
        {"correct": True, "grounded": None, "reasoning": "so"},
        '{"correct": 1, "grounded": null, "reasoning": "so"}',
    ):
        (answer,) = read_results("r.jsonl", jsonl({**row, "verdict": verdict})).answers
        assert (answer.correct, answer.grounded, answer.reasons) == (True, None, "so")


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_missing_verdict_is_none_and_not_wrong(nothing: Any) -> None:
    assert one(correct=nothing).correct is None


def test_the_hit_is_reported_by_the_exact_id_where_the_file_does_not_tell_it() -> None:
    context = [{"id": "1-s10", "text": "ten"}]
    assert one(relevant_passage_in_context=None, relevant_passage_id="1-s1", context=context).hit is False
    assert one(relevant_passage_in_context=None, relevant_passage_id="1-s10", context=context).hit is True
    assert one(relevant_passage_in_context=None, relevant_passage_id=["1-s2", "1-s10"], context=context).hit is True
    assert one(relevant_passage_in_context=None, relevant_passage_id="1-s10").hit is None
    assert one(relevant_passage_in_context=False, relevant_passage_id="1-s10", context=context).hit is False


@each(
    ("change", "reason"),
    [
        ({"embedding_model": ""}, "'embedding_model' is missing."),
        ({"question_id": None}, "'question_id' is missing."),
        ({"correct": "perhaps"}, "'correct' must be true, false or empty."),
        ({}, "This combination answered this question in an earlier row."),
    ],
)
def test_a_bad_row_is_named_and_the_others_stay(change: dict[str, Any], reason: str) -> None:
    found = read_results("r.jsonl", jsonl(ROW, {**ROW, **change}))
    assert len(found.answers) == 1
    assert [(r.row, r.reason) for r in found.rejected] == [(2, reason)]


@each(
    ("name", "data", "words"),
    [
        ("r.jsonl", b"", "r.jsonl: The file is empty"),
        ("r.jsonl", b"[]", "r.jsonl"),
        ("r.jsonl", b"\xff\xfe", "r.jsonl"),
        ("r.doc", b"x", "r.doc: This kind of file is not supported"),
        ("r.jsonl", jsonl({k: v for k, v in ROW.items() if k != "grounded"}), "r.jsonl, row 1: 'grounded' is missing"),
    ],
)
def test_a_file_without_results_is_refused_in_a_sentence_that_names_it(name: str, data: bytes, words: str) -> None:
    with pytest.raises(DataError) as refused:
        read_results(name, data)
    assert str(refused.value).startswith(words)


def test_unequal_combinations_are_named() -> None:
    other = {**ROW, "generative_model": "n"}
    found = read_results("r.jsonl", jsonl(ROW, other, {**ROW, "question_id": "q2"}))
    assert found.unequal == "Not every combination was asked all 2 questions: e with n (1)."
    assert read_results("r.jsonl", jsonl(ROW, other)).unequal == ""
    never_run = read_results("r.jsonl", jsonl(ROW, {**other, "embedding_model": "f"}))
    assert never_run.unequal == "Not every combination was asked the one question: e with n (0), f with m (0)."
    many = [{**ROW, "embedding_model": f"e{i}", "generative_model": f"m{i}"} for i in range(4)]
    assert read_results("r.jsonl", jsonl(*many)).unequal.endswith("e1 with m3 (0) and 6 more.")


def test_passages_without_ids_get_none_and_say_nothing_of_retrieval() -> None:
    found = one(relevant_passage_in_context=None, relevant_passage_id="1-s1", context=["one", "two"])
    assert (found.hit, found.retrieved, [p.id for p in found.context]) == (None, (), ["", ""])
    assert outcome(replace(found, correct=False, grounded=True)) is AnswerOutcome.UNCLEAR
    assert [set(p) for p in to_row(found)["context"]] == [{"text"}, {"text"}]
    told = one(relevant_passage_id="p1", context="One.\n---\nTwo.")
    assert (told.hit, told.retrieved, [p.text for p in told.context]) == (True, (), ["One.", "Two."])
    assert rankings([found, told]) == []


def test_one_passage_with_an_id_says_a_hit_and_no_miss() -> None:
    context = [{"id": "a", "text": "one"}, "two"]
    assert one(relevant_passage_in_context=None, relevant_passage_id="a", context=context).hit is True
    other = one(relevant_passage_in_context=None, relevant_passage_id="b", context=context)
    assert (other.hit, other.retrieved) == (None, ())


def test_ids_that_stand_beside_the_context_are_those_of_its_passages() -> None:
    given = {"relevant_passage_in_context": None, "relevant_passage_id": "b", "context": ["one", "two"]}
    found = one(**given, retrieved_ids=["a", "b"])
    assert (found.hit, [p.id for p in found.context]) == (True, ["a", "b"])
    # Of more than there are texts nobody knows which were given to the model.
    assert one(**given, retrieved_ids=["a", "c", "b"]).hit is None


@given(st.lists(st.one_of(st.text(), st.builds(dict, text=st.text()), st.builds(dict, id=st.just("p1"), text=st.text()))))
def test_no_id_is_made_up(context: list[Any]) -> None:
    found = one(relevant_passage_in_context=None, relevant_passage_id="p2", context=context)
    given_ids = [item.get("id", "") if isinstance(item, dict) else "" for item in context]
    assert [p.id for p in found.context] == given_ids
    assert found.hit is (False if context and all(given_ids) else None)


def test_where_flag_and_ids_disagree_the_file_counts_and_it_is_said() -> None:
    context = [{"id": "1-s10", "text": "ten"}]
    rows = [{**ROW, "question_id": str(i), "relevant_passage_id": "1-s1", "context": context} for i in range(2)]
    rows += [{**ROW, "question_id": "2", "relevant_passage_id": "1-s10", "context": context}]
    found = read_results("r.jsonl", jsonl(*rows))
    assert [a.hit for a in found.answers] == [True, True, True]
    assert found.notes == (
        "For 2 answers the file says that a relevant passage was retrieved, by exact ids none was; what the file says counts.",
    )
    (note,) = read_results("r.jsonl", jsonl({**rows[2], "relevant_passage_in_context": False})).notes
    assert note.startswith("For 1 answer the file says that no relevant passage was retrieved, by exact ids one was;")


def test_ids_may_be_numbers_and_are_the_same_with_and_without_a_point() -> None:
    found = one(question_id=7.0, relevant_passage_id=[1, 2.0], retrieved_ids=[5], context=[{"id": 2, "text": "two"}])
    assert (found.question_id, found.relevant, found.retrieved) == ("7", ("1", "2"), ("5",))
    assert one(question_id=7).question_id == "7"
    assert one(relevant_passage_id=3).relevant == ("3",)


def test_passages_of_other_programs_are_read() -> None:
    context = [{"page_content": "One.", "metadata": {"source": "lease", "id": 4}}, {"content": "Two.", "title": "deed"}]
    assert one(context=context).context == (Passage("4", "One.", "lease"), Passage("", "Two.", "deed"))


@each(
    ("change", "complaint"),
    [
        ({"context": 7}, "a 'context' that is neither a text nor a list of texts or passages"),
        ({"context": [{"words": "x"}]}, "a 'context' that is neither a text nor a list of texts or passages"),
        ({"relevant_passage_id": [{}]}, "a 'relevant_passage_id' that is neither an id nor a list of ids"),
        ({"retrieved_ids": True}, "a 'retrieved_ids' that is neither an id nor a list of ids"),
        ({"relevant_passage_in_context": "perhaps"}, "a 'relevant_passage_in_context' that is neither true nor false"),
        ({"rag_answer": ["x"]}, "a 'rag_answer' that is no text"),
    ],
)
def test_an_optional_field_that_cannot_be_read_costs_no_verdict_and_is_named(change: dict[str, Any], complaint: str) -> None:
    found = read_results("r.jsonl", jsonl(ROW, {**ROW, "question_id": "q2", **change}))
    assert (len(found.answers), found.rejected) == (2, ())
    assert found.notes == (f"r.jsonl: row 2 has {complaint} (ignored).",)
