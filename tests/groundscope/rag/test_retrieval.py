"""Retrieval of answers, whoever made them: one list a question, none invented, and what is left out is counted."""

import pytest

from groundscope.rag.outcomes import Answer
from groundscope.rag.ranking import rank, rankings
from groundscope.rag.types import Question
from groundscope.types import Passage


def answer(question: str, *retrieved: str, embedder: str = "e", model: str = "m", relevant: tuple[str, ...] = ("a",)) -> Answer:
    return Answer(embedder, model, question, True, True, None, relevant=relevant, retrieved=retrieved)


def test_each_embedder_is_measured_in_the_order_they_come() -> None:
    found = rankings(
        [answer("1", "a", "b", embedder="x"), answer("1", "b", "a", embedder="y"), answer("2", "b", "a", embedder="x")]
    )
    assert [(r.retriever, len(r.questions), r.depth) for r in found] == [("x", 2, 2), ("y", 1, 2)]
    assert [r.figures["mrr"].mean for r in found] == [0.75, 0.5]
    asked = [Question("1", "", relevant=("a",)), Question("2", "", relevant=("a",))]
    assert found[0].row() == rank("x", asked, [["a", "b"], ["b", "a"]], 2).row()


def test_a_question_that_several_models_answered_counts_once_with_the_list_that_one_of_them_has() -> None:
    (found,) = rankings([answer("1", model="m"), answer("1", "b", "a", model="n"), answer("1", "a", model="o")])
    assert (len(found.questions), found.unlisted, found.figures["mrr"].mean) == (1, 0, 0.5)


def test_what_is_left_out_is_counted_by_its_reason() -> None:
    (found,) = rankings([answer("1", "a"), answer("2", "a", relevant=()), answer("3"), answer("4", relevant=())])
    assert (len(found.questions), found.left_out, found.unlisted) == (1, 1, 2)
    assert (found.row()["left_out"], found.row()["unlisted"]) == (1, 2)


def test_the_context_alone_says_nothing_of_what_was_retrieved() -> None:
    texts = Answer("e", "m", "1", True, True, None, context=(Passage("", "one"),), relevant=("p1",))
    assert rankings([texts]) == rankings([answer("1", "a", relevant=())]) == rankings([]) == []


def test_ids_are_compared_as_they_are_asked_to() -> None:
    answers = [answer("1", "s10", "s1", relevant=("s1",))]
    exact, loose = (rankings(answers, matching)[0] for matching in ("exact", "substring"))
    assert (exact.figures["mrr"].mean, loose.figures["mrr"].mean) == (0.5, 1.0)
    assert (exact.matching, loose.matching) == ("exact", "substring")
    with pytest.raises(ValueError, match="matching must be"):
        rankings(answers, "regex")  # type: ignore[arg-type]


def test_figures_beyond_the_longest_list_are_not_known() -> None:
    (found,) = rankings([answer("1", "a", "b", "c"), answer("2", "b")])
    assert {"hit@1", "hit@3"} < set(found.row())
    assert "hit@5" not in found.row()
