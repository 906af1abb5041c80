"""What the code of Legal RAG Bench writes is read as it is: verdicts, contexts, several files, several k, short names."""

from pathlib import Path

import pytest

from groundscope.errors import DataError
from groundscope.rag.outcomes import AnswerOutcome, outcome
from groundscope.rag.records import RagResults, joined, read_results
from groundscope.rag.report import report
from groundscope.types import Passage
from tests.groundscope.rag.bench_files import COMBINATIONS, QUESTIONS, lines, record, results, said

FINE = said(correct=True, grounded=True)


def read(*rows: dict[str, object], name: str = "te3l_gpt52_results.jsonl") -> RagResults:
    return read_results(name, lines(rows))


def test_a_record_of_the_benchmarks_code_is_read_whole() -> None:
    found = read(record("te3l", "gpt52", "q1", said(correct=False, grounded=True)))
    (answer,) = found.answers
    assert (found.rejected, found.notes) == ((), ())
    assert (answer.embedder, answer.model, answer.question_id) == ("Text Embedding 3 Large", "GPT-5.2", "q1")
    assert (answer.correct, answer.grounded, answer.hit) == (False, True, True)
    assert answer.reasons == "Correctness: as it says. Groundedness: as it says."
    assert answer.context == (
        Passage("1.1-c1-s1", "Passage 1.1-c1-s1 is about notice.", "Part 1.1-c1-s1"),
        Passage("9.1-c1-s1", "Passage 9.1-c1-s1 is about notice.", "Part 9.1-c1-s1"),
    )
    assert (answer.relevant, answer.retrieved) == (("1.1-c1-s1",), ("1.1-c1-s1", "9.1-c1-s1"))
    assert answer.reference == "Rule 1 asks for notice."


def test_a_verdict_that_the_code_could_not_read_gives_none_and_its_raw_text() -> None:
    raw = '```json\n{"correct": true, "grounded": true}\n```'
    (answer,) = read(record("te3l", "gpt52", "q1", {"grounded": None, "correct": None, "reasoning": None, "raw": raw})).answers
    assert (answer.correct, answer.grounded) == (None, None)
    assert answer.reasons == f"The verdict cannot be read. It says: {raw}"


def test_a_reply_in_parts_is_the_text_of_its_parts() -> None:
    row = record("te3l", "gemini31pro", "q1", FINE)
    row["rag_answer"] = [{"type": "text", "text": "Notice. ", "extras": {"signature": "x"}}, {"type": "text", "text": "Rule 1."}]
    assert read(row).answers[0].answer == "Notice. Rule 1."


def test_several_k_of_one_file_are_combinations_of_their_own() -> None:
    rows = [record("te3l", "gpt52", q, FINE, k=k) for k in (2, 3) for q in QUESTIONS]
    found = read(*rows)
    assert found.rejected == ()
    assert list(dict.fromkeys(a.embedder for a in found.answers)) == [
        "Text Embedding 3 Large, k = 2",
        "Text Embedding 3 Large, k = 3",
    ]
    assert [len(a.context) for a in found.answers] == [2, 2, 2, 3, 3, 3]
    assert report(found.answers).baseline_embedder == "Text Embedding 3 Large, k = 2"


def test_files_of_all_combinations_are_one_set_with_the_papers_baselines(tmp_path: Path) -> None:
    whole = joined([read_results(path.name, path.read_bytes()) for path in results(tmp_path)])
    assert whole.name == "kanon2_gpt52_results.jsonl and 5 more"
    assert (len(whole.answers), whole.unequal) == (len(COMBINATIONS) * len(QUESTIONS), "")
    found = report(whole.answers)
    # First in the files is another embedder and another model.
    assert (found.baseline_embedder, found.baseline_model) == ("Text Embedding 3 Large", "Gemini 3.1 Pro")
    kinds = {(a.embedder, a.model, a.question_id): outcome(a) for a in whole.answers}
    assert kinds["Text Embedding 3 Large", "GPT-5.2", "q2"] is AnswerOutcome.HALLUCINATION


def test_files_that_answer_the_same_are_no_parts_of_one_and_both_are_named() -> None:
    first, second = (read(record("te3l", "gpt52", "q1", FINE), name=name) for name in ("a.jsonl", "b.jsonl"))
    with pytest.raises(
        DataError, match=r"a\.jsonl and b\.jsonl both have an answer by Text Embedding 3 Large with GPT-5\.2 to q1"
    ):
        joined([first, second])
    assert joined([first]) == first


@pytest.mark.parametrize(
    ("embedder", "model"),
    [
        ("text-embedding-3-large", "gemini-3.1-pro"),
        ("Text Embedding 3 Large", "Gemini 3.1 Pro"),
        ("TE3L", "gemini-3.1-pro-preview"),
    ],
)
def test_the_papers_baselines_are_known_by_their_names(embedder: str, model: str) -> None:
    rows = [record(e, m, q, FINE) for e in ("other", embedder) for m in ("gpt52", model) for q in QUESTIONS]
    found = report(read(*rows).answers)
    assert (found.baseline_embedder, found.baseline_model) == (embedder.replace("TE3L", "Text Embedding 3 Large"), model)
