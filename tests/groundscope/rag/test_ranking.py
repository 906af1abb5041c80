"""Ranking figures by hand, against scikit-learn, of lists and of answers, and what is left out or not known."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.rag.outcomes import Answer
from groundscope.rag.ranking import KS, NAMES, rank, rankings
from groundscope.rag.types import Question
from groundscope.types import Passage


def question(name: str, *relevant: str) -> Question:
    return Question(name, "text", relevant=relevant)


def one(found: list[str], *relevant: str, depth: int = 10) -> dict[str, float]:
    return {name: figure.mean for name, figure in rank("r", [question("q", *relevant)], [found], depth).figures.items()}


def test_the_figures_worked_out_by_hand() -> None:
    values = one(list("abcdefghij"), "b", "d", "missing")
    assert [values[f"hit@{k}"] for k in KS] == [0, 1, 1, 1]
    assert [values[f"recall@{k}"] for k in KS] == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3])
    gain_b, gain_d, best = 1 / math.log2(3), 1 / math.log2(5), 1 + 1 / math.log2(3) + 0.5
    assert [values[f"ndcg@{k}"] for k in KS] == pytest.approx(
        [0, gain_b / best, (gain_b + gain_d) / best, (gain_b + gain_d) / best]
    )
    assert values["mrr"] == 0.5
    assert tuple(values) == NAMES


def test_the_best_order_has_1_everywhere_and_none_found_0() -> None:
    values = one(["a", "b", "c"], "b", "a")
    assert values["recall@1"] == 0.5
    assert all(value == pytest.approx(1.0) for name, value in values.items() if name != "recall@1")
    assert set(one(["a", "b"], "z").values()) == {0.0}
    assert set(one([], "z").values()) == {0.0}


@given(st.permutations(range(14)), st.sets(st.integers(0, 13), min_size=1))
def test_ndcg_is_that_of_scikit_learn_and_the_rest_is_counted(order: list[int], relevant: set[int]) -> None:
    from sklearn.metrics import ndcg_score

    values = one([str(i) for i in order], *map(str, relevant), depth=14)
    truth = np.array([[float(i in relevant) for i in range(14)]])
    scores = np.array([[-order.index(i) for i in range(14)]], dtype=float)
    for k in KS:
        assert values[f"ndcg@{k}"] == pytest.approx(ndcg_score(truth, scores, k=k))
        inside = relevant & set(order[:k])
        assert values[f"recall@{k}"] == pytest.approx(len(inside) / len(relevant))
        assert values[f"hit@{k}"] == float(bool(inside))
    assert values["mrr"] == pytest.approx(1 / (1 + min(order.index(i) for i in relevant)))


def test_hits_are_exact_unless_substrings_are_asked_for_and_the_first_match_counts() -> None:
    asked, listed = [question("q", "2.5.1-c1-s1")], [["2.5.1-c1-s10", "2.5.1-c1-s1", "2.5.1-c1-s2"]]
    exact, loose = rank("r", asked, listed, 10).figures, rank("r", asked, listed, 10, "substring").figures
    assert exact["mrr"].mean == 0.5
    assert (loose["mrr"].mean, loose["ndcg@5"].mean) == (1.0, 1.0)
    # A passage that matches two relevant ids is both, and no figure is above 1.
    both = rank("r", [question("q", "s1", "s10")], [["s10", "x"]], 10, "substring").figures
    assert both["recall@1"].mean == 1.0
    assert both["ndcg@3"].mean == pytest.approx(1 / (1 + 1 / math.log2(3)))
    # A question that names no passage is left out: an empty id would be part of every other.
    assert rank("r", [question("q", "")], listed, 10, "substring").questions == 0


def test_questions_without_relevant_ids_are_left_out_and_counted() -> None:
    asked = [question("q0", "a"), question("q1"), question("q2", ""), question("q3", "b")]
    found = rank("r", asked, [["a"], ["a"], ["a"], ["a"]], 5)
    assert (found.questions, found.left_out) == (2, 2)
    assert found.figures["hit@1"].mean == 0.5


def test_an_id_named_twice_counts_once() -> None:
    assert one(["b", "a"], "a", "a") == one(["b", "a"], "a")
    assert one(["b", "a", "a"], "a")["ndcg@3"] == one(["b", "a"], "a")["ndcg@3"]


def test_figures_beyond_the_depth_are_not_known() -> None:
    found = rank("r", [question("q", "c"), question("p", "a")], [["a", "b", "c", "d", "e", "f"]] * 2, 5)
    assert {n for n in NAMES if math.isnan(found.figures[n].mean)} == {"hit@10", "recall@10", "ndcg@10"}
    assert math.isnan(found.figures["hit@10"].interval.low)
    assert not any(name.startswith("hit@10") for name in found.row())
    assert found.figures["mrr"].mean == pytest.approx((1 / 3 + 1) / 2)


def test_passages_beyond_the_depth_do_not_count() -> None:
    assert one(["x", "a"], "a", depth=1)["mrr"] == 0.0


def test_intervals_hold_the_mean_and_are_those_of_drawn_questions() -> None:
    draw = np.random.default_rng(0)
    right = draw.random(200) < 0.7
    found = rank("r", [question(str(i), "a") for i in range(200)], [["a"] if r else ["b"] for r in right], 10)
    mean, interval = found.figures["hit@1"]
    assert mean == pytest.approx(right.mean())
    # The normal approximation is close for 200 yes or no answers.
    half = 1.96 * math.sqrt(mean * (1 - mean) / 200)
    assert (interval.low, interval.high) == pytest.approx((mean - half, mean + half), abs=0.012)
    assert (found.row()["hit@1"], found.row()["hit@1 low"], found.row()["hit@1 high"]) == (mean, interval.low, interval.high)
    # They are the same at every draw, and do not depend on the ids of questions.
    again = rank("r", [question("q", "a")] * 200, [["a"] if r else ["b"] for r in right], 10)
    assert again.figures == found.figures


def test_one_question_has_no_interval_and_none_no_mean() -> None:
    single = rank("r", [question("q", "a")], [["a"]], 10).figures["mrr"]
    assert single.mean == 1.0
    assert math.isnan(single.interval.low)
    assert "mrr low" not in rank("r", [question("q", "a")], [["a"]], 10).row()
    nothing = rank("r", [question("q")], [["a"]], 10)
    assert (nothing.questions, nothing.left_out) == (0, 1)
    assert all(math.isnan(figure.mean) for figure in nothing.figures.values())
    assert nothing.row() == {"retriever": "r", "matching": "exact", "questions": 0, "left_out": 1, "unlisted": 0}


def test_hostile_ids_are_only_ids() -> None:
    ids = ["\0", "\ud800", "<b>", "a.*", "\u202e", "x" * 100_000]
    found = rank("r", [question(i, i) for i in ids], [[i] for i in ids], 1)
    assert found.figures["hit@1"].mean == 1.0


def answer(question: str, *retrieved: str, embedder: str = "e", model: str = "m", relevant: tuple[str, ...] = ("a",)) -> Answer:
    return Answer(embedder, model, question, True, True, None, relevant=relevant, retrieved=retrieved)


def test_each_embedder_is_measured_in_the_order_they_come() -> None:
    found = rankings(
        [answer("1", "a", "b", embedder="x"), answer("1", "b", "a", embedder="y"), answer("2", "b", "a", embedder="x")]
    )
    assert [(r.retriever, r.questions, r.depth) for r in found] == [("x", 2, 2), ("y", 1, 2)]
    assert [r.figures["mrr"].mean for r in found] == [0.75, 0.5]
    assert found[0].row() == rank("x", [question("1", "a"), question("2", "a")], [["a", "b"], ["b", "a"]], 2).row()
    loose = rankings([answer("1", "ab", "a")], "substring")
    assert (loose[0].matching, loose[0].figures["mrr"].mean) == ("substring", 1.0)


def test_a_question_that_several_models_answered_counts_once_with_the_list_that_one_of_them_has() -> None:
    (found,) = rankings([answer("1", model="m"), answer("1", "b", "a", model="n"), answer("1", "a", model="o")])
    assert (found.questions, found.unlisted, found.figures["mrr"].mean) == (1, 0, 0.5)


def test_what_is_left_out_is_counted_by_its_reason() -> None:
    (found,) = rankings([answer("1", "a"), answer("2", "a", relevant=()), answer("3"), answer("4", relevant=())])
    assert (found.questions, found.left_out, found.unlisted) == (1, 1, 2)
    assert (found.row()["left_out"], found.row()["unlisted"]) == (1, 2)


def test_the_context_alone_says_nothing_of_what_was_retrieved() -> None:
    texts = Answer("e", "m", "1", True, True, None, context=(Passage("", "one"),), relevant=("p1",))
    assert rankings([texts]) == rankings([answer("1", "a", relevant=())]) == rankings([]) == []
