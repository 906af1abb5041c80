"""Sentences of the Legal RAG page: counts of the same answers as its figures, whatever is missing."""

from components.rag.messages import counted, errors_alt, headline
from components.rag.questions import uncounted
from groundscope.rag.outcomes import Answer, rows
from groundscope.rag.ranking import rankings
from groundscope.rag.report import report


def answers(count: int, correct: bool | None, grounded: bool | None, hit: bool | None) -> list[Answer]:
    return [Answer("e", "m", f"{correct}{grounded}{hit}{i}", correct, grounded, hit) for i in range(count)]


def lead(found: list[Answer]) -> str:
    return headline(found, report(found))[0]


def test_the_headline_is_rag_accuracy_where_no_relevant_passage_is_known() -> None:
    said = lead([*answers(50, True, True, None), *answers(10, True, False, None), *answers(40, False, True, None)])
    assert said.startswith("50 of 100 answers (50%) are correct and grounded. What goes wrong most: answers that are not correct")
    assert "(40% of answers)" in said
    assert "verdict" not in said


def test_the_headline_says_what_it_does_not_count() -> None:
    good = answers(3, True, True, True)
    assert "1 more lacks a verdict that this needs and is not counted." in lead([*good, *answers(1, None, True, True)])
    assert "2 more lack a verdict that this needs and are not counted." in lead([*good, *answers(2, None, False, True)])


def test_without_reference_answers_the_headline_says_what_is_grounded() -> None:
    said = lead([*answers(90, None, True, True), *answers(10, None, False, True)])
    assert said == ("90 of 100 answers (90%) are grounded. Whether they are correct is not known, so there is no RAG accuracy.")
    assert lead(answers(1, None, None, None)) == "No answer has a verdict yet, so there is nothing to show."


def test_bars_without_a_verdict_are_read_as_such() -> None:
    said = errors_alt(rows([Answer("e", "m", "1", True, True, True), Answer("e", "n", "1", None, None, True)]))
    assert "e with m: hallucination 0 %, retrieval error 0 %, reasoning error 0 %; e with n: no verdict." in said


def test_hallucinations_that_accuracy_leaves_out_are_said() -> None:
    assert uncounted([*answers(2, True, False, True), *answers(3, None, True, True)]) == ""
    assert uncounted(answers(1, None, False, True)).startswith(" 1 hallucination has no verdict on correctness")
    assert uncounted(answers(2, None, False, None)).endswith("so RAG accuracy does not count them.")


def test_what_retrieval_leaves_out_is_said_by_its_reason() -> None:
    def asked(question: str, *retrieved: str, relevant: tuple[str, ...] = ("a",)) -> Answer:
        return Answer("e", "m", question, True, True, None, relevant=relevant, retrieved=retrieved)

    assert counted(rankings([asked("1", "a")])) == "At most 1 passage of each question is known; MRR looks no further."
    said = counted(rankings([asked("1", "a", "b"), asked("2", "a", relevant=()), asked("3"), asked("4")]))
    assert said == (
        "At most 2 passages of each question are known; MRR looks no further. 1 question does not say which passages are "
        "relevant and counts in no figure here. It is not known what was retrieved for 2 questions; they count in no figure here."
    )
