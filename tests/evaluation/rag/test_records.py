"""Results made elsewhere: every layout, and every way a row can be wrong."""

import csv
import io
import json
from typing import Any

import pytest

from evaluation.errors import DataError
from evaluation.rag.outcomes import Answer
from evaluation.rag.records import read_results, to_row
from evaluation.types import Passage

ROW: dict[str, Any] = {
    "embedding_model": "e", "generative_model": "m", "question_id": "q1", "correct": True, "grounded": False,
    "relevant_passage_in_context": True,
}  # fmt: skip
WHOLE = Answer(
    "e", "m", "q1", True, False, True, "Q?", "ref", "said",
    (Passage("1.1-s1", "One."), Passage("1.1-s10", "Ten.")), ("1.1-s10",), "why",
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


def test_the_hit_is_told_by_the_exact_id_where_the_file_does_not_tell_it() -> None:
    context = [{"id": "1-s10", "text": "ten"}]
    assert one(relevant_passage_in_context=None, relevant_passage_id="1-s1", context=context).hit is False
    assert one(relevant_passage_in_context=None, relevant_passage_id="1-s10", context=context).hit is True
    assert one(relevant_passage_in_context=None, relevant_passage_id=["1-s2", "1-s10"], context=context).hit is True
    assert one(relevant_passage_in_context=None, relevant_passage_id="1-s10").hit is None
    assert one(relevant_passage_in_context=False, relevant_passage_id="1-s10", context=context).hit is False


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"embedding_model": ""}, "'embedding_model' is missing."),
        ({"question_id": None}, "'question_id' is missing."),
        ({"correct": "perhaps"}, "'correct' must be true, false or empty."),
        ({"relevant_passage_id": [1]}, "Each entry of 'relevant_passage_id' must be text, one is a number."),
        ({"context": 7}, "'context' must be a text or a list of passages, it is a number."),
        ({}, "This combination answered this question in an earlier row."),
    ],
)
def test_a_bad_row_is_named_and_the_others_stay(change: dict[str, Any], reason: str) -> None:
    found = read_results("r.jsonl", jsonl(ROW, {**ROW, **change}))
    assert len(found.answers) == 1
    assert [(r.row, r.reason) for r in found.rejected] == [(2, reason)]


def test_a_row_without_verdicts_is_named() -> None:
    row = {k: v for k, v in ROW.items() if k != "grounded"}
    with pytest.raises(DataError, match=r"r\.jsonl, row 1: 'grounded' is missing"):
        read_results("r.jsonl", jsonl(row))


@pytest.mark.parametrize("data", [b"", b"[]", b"not json", b"\xff\xfe"])
def test_a_file_without_results_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(DataError):
        read_results("r.jsonl", data)


def test_unequal_combinations_are_named() -> None:
    other = {**ROW, "generative_model": "n"}
    found = read_results("r.jsonl", jsonl(ROW, other, {**ROW, "question_id": "q2"}))
    assert found.unequal == "Not every combination was asked all 2 questions: e with n (1)."
    assert read_results("r.jsonl", jsonl(ROW, other)).unequal == ""
