"""Legal RAG Bench's layout from files: every kind of file, and every way a row can be wrong."""

import csv
import gzip
import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from groundscope.errors import DataError
from groundscope.files.rows import MAX_ROWS
from groundscope.rag.corpora.corpus import MAX_PASSAGES, passages_jsonl, read_benchmark, with_questions, without_questions
from groundscope.rag.corpora.documents import read_documents
from groundscope.rag.types import Benchmark, Question
from groundscope.types import Passage
from tests.groundscope.junk import HOSTILE, VALUES
from tests.loops import each

CORPUS: list[dict[str, Any]] = [
    {"id": "1.1-c1-s1", "title": "Duty", "text": " One. ", "footnotes": None},
    {"id": "1.1-c1-s10", "title": "Duty", "text": "Ten.", "footnotes": None},
]
QA: list[dict[str, Any]] = [
    {"id": "q1", "question": "What?", "answer": "Ten.", "relevant_passage_id": "1.1-c1-s10"},
    {"id": "q2", "question": "Who?", "answer": "One.", "relevant_passage_id": "1.1-c1-s1"},
]
PASSAGES = (Passage("1.1-c1-s1", " One. ", "Duty"), Passage("1.1-c1-s10", "Ten.", "Duty"))
QUESTIONS = (Question("q1", "What?", "Ten.", ("1.1-c1-s10",)), Question("q2", "Who?", "One.", ("1.1-c1-s1",)))


def jsonl(rows: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def table(rows: list[dict[str, Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows([{k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()} for row in rows])
    return text.getvalue().encode()


def parquet(rows: list[dict[str, Any]]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file)
    return file.getvalue()


FILES = {
    "jsonl": jsonl,
    "csv": table,
    "parquet": parquet,
    "jsonl.gz": lambda rows: gzip.compress(jsonl(rows)),
}


def loaded(corpus: list[dict[str, Any]] = CORPUS, questions: list[dict[str, Any]] = QA) -> Benchmark:
    return read_benchmark(("c.jsonl", jsonl(corpus)), ("q.jsonl", jsonl(questions)))


@each("kind", FILES)
def test_the_same_benchmark_is_read_from_every_kind_of_file(kind: str) -> None:
    files = [(f"{name}.{kind}", FILES[kind](rows)) for name, rows in (("corpus", CORPUS), ("qa", QA))]
    assert read_benchmark(*files, "CC BY-NC 4.0") == Benchmark(f"corpus.{kind}", PASSAGES, QUESTIONS, (), "CC BY-NC 4.0")


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_relevant_passages_may_be_a_list(kind: str) -> None:
    rows = [{**QA[0], "relevant_passage_id": ["1.1-c1-s10", "1.1-c1-s1", "1.1-c1-s10"]}]
    found = read_benchmark(("c.jsonl", jsonl(CORPUS)), (f"q.{kind}", FILES[kind](rows)))
    assert found.questions[0].relevant == ("1.1-c1-s10", "1.1-c1-s1")
    assert found.problems == ()


def test_ids_may_be_numbers_also_where_a_gap_made_them_decimal() -> None:
    corpus = parquet([{"id": 1, "text": "One."}, {"id": 2, "text": "Two."}])
    questions = parquet([{"id": 7, "question": "Q?", "relevant_passage_id": 2.0}, {"id": 8, "question": "R?"}])
    found = read_benchmark(("c.parquet", corpus), ("q.parquet", questions))
    assert [p.id for p in found.passages] == ["1", "2"]
    assert [(q.id, q.relevant) for q in found.questions] == [("7", ("2",)), ("8", ())]


def test_a_gap_that_another_program_wrote_as_nan_is_a_gap() -> None:
    found = read_benchmark(
        ("c.jsonl", b'{"id": "a", "title": NaN, "text": "One.", "footnotes": NaN}'), ("q.jsonl", jsonl(QA[:1]))
    )
    assert found.passages == (Passage("a", "One."),)


def test_white_space_around_an_id_is_no_part_of_it() -> None:
    found = read_benchmark(("c.csv", b"id, text\n a ,One.\n"), ("q.csv", b"id,question,relevant_passage_id\nq,Q?, a \n"))
    assert found.questions[0].relevant == (found.passages[0].id,) == ("a",)


def test_footnotes_are_left_out_and_it_is_said() -> None:
    found = loaded([{**CORPUS[0], "footnotes": "1. Secret."}, CORPUS[1]])
    assert found.passages == PASSAGES
    assert found.problems == ("c.jsonl: row 1 has footnotes, which are neither embedded nor shown.",)


@each(
    ("row", "problem"),
    [
        ({**CORPUS[0], "title": "Elsewhere"}, "the id and the text of an earlier row (used once)"),
        ({"id": "1.1-c1-s1", "text": "Other."}, "the id of an earlier row with another text (skipped)"),
        ({"id": "x"}, "no text (left out)"),
        ({"id": "x", "text": 7}, "no text (left out)"),
        ({"id": "x", "text": "x" * 5_000_001}, "more than 5,000,000 characters of text (left out)"),
    ],
)
def test_a_row_that_is_no_passage_is_named_and_the_others_stay(row: dict[str, Any], problem: str) -> None:
    found = loaded([CORPUS[0], row, CORPUS[1]])
    assert found.passages == PASSAGES
    assert found.problems == (f"c.jsonl: row 2 has {problem}.",)
    assert found.questions == QUESTIONS


@each("nothing", [None, "", "  ", True, [], {}])
def test_a_passage_or_question_without_an_id_gets_one_and_is_named(nothing: Any) -> None:
    found = loaded([*CORPUS, {"id": nothing, "text": "Three."}], [{"id": nothing, "question": "Q?", "answer": "A."}])
    assert found.passages[2] == Passage("row-3", "Three.")
    assert found.questions == (Question("row-1", "Q?", "A."),)
    reason = "has no id that can be used (given one by row number)."
    assert found.problems == (f"c.jsonl: row 3 {reason}", f"q.jsonl: row 1 {reason}")


@each(
    ("row", "kept", "problem"),
    [
        (QA[0], None, "the id and the question of an earlier row (used once)"),
        ({"id": "q1", "question": "?"}, None, "the id of an earlier row with another question (skipped)"),
        ({"id": "q3", "question": ["Q?"]}, None, "no question (left out)"),
        ({"id": "q3", "question": "Q?" * 2_500_001}, None, "more than 5,000,000 characters (left out)"),
        (
            {"id": "q3", "question": "Q?"},
            Question("q3", "Q?"),
            "no reference answer, so it cannot be judged whether an answer is correct",
        ),
        (
            {"id": "q3", "question": "Q?", "answer": "A.", "relevant_passage_id": ["1.1-c1-s1", "1.1-c1-s2"]},
            Question("q3", "Q?", "A.", ("1.1-c1-s1",)),
            "a relevant passage that is not in the corpus (ignored)",
        ),
        (
            {"id": "q3", "question": "Q?", "answer": "A.", "relevant_passage_id": "[1.1"},
            Question("q3", "Q?", "A."),
            "relevant passages that are neither an id nor a list of ids (ignored)",
        ),
    ],
)
def test_a_doubtful_question_is_named_and_the_others_stay(row: dict[str, Any], kept: Question | None, problem: str) -> None:
    found = loaded(questions=[QA[0], row, QA[1]])
    assert found.questions == (QUESTIONS[0], *([kept] if kept else []), QUESTIONS[1])
    assert found.problems == (f"q.jsonl: row 2 has {problem}.",)
    assert found.passages == PASSAGES


def test_a_row_that_cannot_be_read_is_named_with_its_reason() -> None:
    corpus = jsonl(CORPUS[:1]) + b'\n{"id": "secret\n[]\n' + jsonl(CORPUS[1:])
    found = read_benchmark(("c.jsonl", corpus), ("q.jsonl", jsonl(QA)))
    assert found.passages == PASSAGES
    first, second = found.problems
    assert first.startswith("c.jsonl, row 2: It is not complete JSON")
    assert second == "c.jsonl, row 3: It is not a JSON object with named fields."
    assert "secret" not in first


def test_rows_with_the_same_fault_are_named_in_one_sentence() -> None:
    bad = [{"id": "x", "text": ""}] * 2000
    (problem,) = loaded([*CORPUS, *bad]).problems
    assert problem == "c.jsonl: rows 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 and 1,988 others have no text (left out)."
    (problem,) = loaded([*CORPUS, *bad[:2]]).problems
    assert problem.startswith("c.jsonl: rows 3 and 4 have no text")


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_corpus_may_have_more_rows_than_other_files(kind: str) -> None:
    rows = FILES[kind]([{"id": i, "text": "x"} for i in range(MAX_ROWS + 1)])
    found = read_benchmark((f"c.{kind}", rows), ("q.jsonl", jsonl(QA)))
    assert len(found.passages) == MAX_ROWS + 1 < MAX_PASSAGES


@each(
    ("corpus", "questions", "message"),
    [
        (("c.json", b"[]"), ("q.jsonl", jsonl(QA)), "c.json holds no passage: each row needs 'id' and 'text'; it has no row."),
        (("c.parquet", b"One."), ("q.jsonl", jsonl(QA)), "c.parquet: The Parquet file is damaged or not Parquet."),
        (
            ("c.jsonl", jsonl(QA)),
            ("q.jsonl", jsonl(CORPUS)),
            "c.jsonl holds no passage: each row needs 'id' and 'text'; its fields are: "
            "answer, id, question, relevant_passage_id; row 1 has no text (left out).",
        ),
        (
            ("c.jsonl", jsonl(CORPUS)),
            ("q.jsonl", jsonl(CORPUS)),
            "q.jsonl holds no question: each row needs 'id' and 'question'; its fields are: footnotes, id, text, title; "
            "row 1 has no question (left out).",
        ),
    ],
)
def test_a_file_that_is_no_such_layout_says_so(corpus: Any, questions: Any, message: str) -> None:
    with pytest.raises(DataError) as error:
        read_benchmark(corpus, questions)
    assert str(error.value).startswith(message)


@each("value", VALUES)
@each("field", ["id", "title", "text", "footnotes"])
def test_no_value_in_a_passage_breaks_the_others(field: str, value: Any) -> None:
    found = loaded([CORPUS[0], {**CORPUS[1], field: value}])
    assert found.passages[0] == PASSAGES[0]
    for passage in found.passages:
        assert passage.id
        assert passage.text.strip()
        "".join((passage.id, passage.text, passage.source)).encode()
    assert not any("alert" in p or "cmd" in p for p in found.problems)


@each("value", VALUES)
@each("field", ["id", "question", "answer", "relevant_passage_id"])
def test_no_value_in_a_question_breaks_the_others(field: str, value: Any) -> None:
    found = loaded(questions=[QA[0], {**QA[1], field: value}])
    assert found.questions[0] == QUESTIONS[0]
    assert {i for q in found.questions for i in q.relevant} <= {p.id for p in found.passages}
    assert not any("alert" in p or "cmd" in p for p in found.problems)


def test_hostile_texts_are_kept_as_they_are_but_for_what_no_browser_takes() -> None:
    rtl = "\u202eabc"
    found = loaded([{"id": HOSTILE, "title": rtl, "text": HOSTILE}], [{"id": rtl, "question": HOSTILE, "answer": rtl}])
    kept = "<script>alert(1)</script>\ufffd\ufffd=cmd()"
    assert found.passages == (Passage(kept, kept, rtl),)
    assert found.questions == (Question(rtl, kept, rtl),)


def test_questions_stand_beside_passages_that_are_already_there() -> None:
    found = with_questions(
        PASSAGES, "Mine", ("q.csv", table([{**QA[0]}, {**QA[1], "relevant_passage_id": ""}])), ("a.pdf is long.",)
    )
    assert found == Benchmark("Mine", PASSAGES, (QUESTIONS[0], Question("q2", "Who?", "One.")), ("a.pdf is long.",))


def test_questions_need_passages_and_a_file_that_can_be_read() -> None:
    with pytest.raises(DataError, match=r"^There is no passage to ask about\. Load documents or a corpus that hold text\.$"):
        with_questions((), "Mine", ("q.jsonl", jsonl(QA)))
    with pytest.raises(DataError, match=r"q\.jsonl: The file is empty"):
        with_questions(PASSAGES, "Mine", ("q.jsonl", b""))


def test_where_no_document_can_be_used_it_is_said_why_of_each() -> None:
    problems = [f"{i}.pdf is damaged." for i in range(7)]
    for make in (lambda: with_questions((), "M", ("q", b""), problems), lambda: without_questions((), "M", problems)):
        with pytest.raises(DataError, match=r"There is no passage to ask about\. 0\.pdf is damaged\..* 4\.pdf") as refused:
            make()
        assert "5.pdf" not in str(refused.value)


def test_a_corpus_may_come_before_its_questions_which_name_the_ids_it_got() -> None:
    cut = read_documents([("lease.txt", b"Rent is due on Mondays. " * 9), ("act.md", b"Costs follow the event.")], len, 120)
    corpus = without_questions(cut.passages, "Mine", cut.problems)
    assert corpus.questions == ()
    assert [p.id for p in corpus.passages] == ["lease.txt-s1", "lease.txt-s2", "act.md-s1"]
    asked = [{"id": "q", "question": "Who pays?", "answer": "Who lost.", "relevant_passage_id": "act.md-s1"}]
    found = with_questions(corpus.passages, corpus.name, ("q.jsonl", jsonl(asked)))
    assert found.questions == (Question("q", "Who pays?", "Who lost.", ("act.md-s1",)),)


def test_passages_are_written_as_they_are_read() -> None:
    odd = (*PASSAGES, Passage("odd", 'A "line"\n\u2028 and \u202e another,\r\none\x85'))
    found = read_benchmark(("c.jsonl", passages_jsonl(odd)), ("q.jsonl", jsonl(QA)))
    assert (found.passages, found.problems) == (odd, ())
    passages_jsonl([Passage("p", "half \ud800")]).decode()
