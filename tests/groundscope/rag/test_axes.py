"""What each setting of retrieval does: matched combinations, shares by hand, and differences by brute force."""

import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundscope.rag.effects import CannotTell, Effect
from groundscope.rag.effects.axes import Axis, axes
from groundscope.rag.effects.printed import axis_table, frame, interval_words
from groundscope.rag.outcomes import Answer, AnswerOutcome, verdicts
from groundscope.rag.report import as_json, report
from groundscope.rag.retrieving.settings import RetrievalSettings
from tests.groundscope.rag.samples import published

QUESTIONS = [f"q{i}" for i in range(12)]


def answered(name: str, correct: str, *, model: str = "m", hit: str = "") -> list[Answer]:
    """An answer a sign: `1` is correct, `0` is not; all are grounded."""
    return [
        Answer(name, model, f"q{i}", c == "1", True, h == "1" if hit else None)
        for i, (c, h) in enumerate(zip(correct, hit or correct, strict=True))
    ]


def by_title(found: tuple[Axis, ...]) -> dict[str, Axis]:
    return {axis.title: axis for axis in found}


def test_a_difference_is_the_mean_over_questions_of_paired_answers() -> None:
    found = axes([*answered("BM25, k = 10", "1111"), *answered("BM25, k = 3", "0101")])
    (k,) = found
    assert (k.title, k.matched, k.left_out) == ("k", 1, 0)
    assert [v.value for v in k.values] == ["k = 3", "k = 10"]
    assert [v.row.correct.value for v in k.values] == [0.5, 1.0]
    effect = k.values[1].differences["correct"]
    assert isinstance(effect, Effect)
    # Differences 1, 0, 1, 0: mean 1/2. Clustered: half a difference is left of each answer, four clusters, eight answers and
    # five parameters: 4/3 * 7/3 * (sum of squared deviations, 1) / 4 ** 2.
    assert effect.value == pytest.approx(0.5)
    assert effect.error == pytest.approx(math.sqrt(4 / 3 * 7 / 3 / 16))
    assert k.values[0].differences == {}


def test_a_retrieval_error_is_a_figure_with_a_difference_too() -> None:
    (k,) = axes([*answered("B, k = 3", "0011", hit="0111"), *answered("B, k = 5", "0011", hit="1111")])
    shares = [v.row.errors[AnswerOutcome.RETRIEVAL].value for v in k.values]
    assert shares == [0.25, 0.0]
    effect = k.values[1].differences[AnswerOutcome.RETRIEVAL.value]
    assert isinstance(effect, Effect)
    assert effect.value == pytest.approx(-0.25)
    assert isinstance(k.values[1].differences["correct"], CannotTell)


def test_only_combinations_that_differ_in_the_axis_alone_are_compared() -> None:
    found = by_title(
        axes(
            [
                *answered("A", "1100"),
                *answered("A, pieces of 64 tokens", "1110"),
                *answered("A", "0000", model="other"),
                *answered("A, relevant passage given", "1111"),
            ]
        )
    )
    assert set(found) == {"Pieces", "Relevant passage"}
    pieces, given_ = found["Pieces"], found["Relevant passage"]
    assert [(v.value, v.row.correct.count) for v in pieces.values] == [("whole passages", 2), ("pieces of 64 tokens", 3)]
    assert (pieces.matched, pieces.left_out) == (1, 2)
    assert [(v.value, v.row.correct.count) for v in given_.values] == [("as retrieved", 2), ("relevant passage given", 4)]
    ((caption, lines),) = axis_table([pieces])[1]
    assert caption == "Pieces: 1 combination with each value; 2 combinations lack a partner"
    assert [words for words, _ in lines] == ["whole passages", "pieces of 64 tokens", "against whole passages"]


def test_where_no_combinations_match_there_are_no_lines_and_it_says_so() -> None:
    found = by_title(axes([*answered("A, pieces of 64 tokens", "10"), *answered("B, reranked by nearest sentences", "11")]))
    assert [axis.values for axis in found.values()] == [()] * 3
    (group,) = axis_table([found["Reranker"]])[1]
    assert group == ("Reranker: no combinations differ in it alone; 2 combinations lack a partner", [])


def test_without_settings_there_are_no_axes() -> None:
    assert axes(list(published())) == ()
    assert report(list(published())).axes == ()
    assert axes([]) == ()


ARMS = [RetrievalSettings("b", k, size, "r" * r).title("B", "R") for k, size, r in product((3, 5), (0, 64), (False, True))]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_differences_are_those_of_least_squares_by_hand_and_shares_those_of_counting(seed: int) -> None:
    draw = np.random.default_rng(seed)
    answers = [
        Answer(arm, model, q, bool(draw.random() < 0.6), bool(draw.random() < 0.8), bool(draw.random() < 0.5))
        for arm, model, q in product(ARMS, ("m", "n"), QUESTIONS)
    ]
    found = by_title(axes(answers))
    assert {title: axis.matched for title, axis in found.items()} == {"Pieces": 8, "Reranker": 8, "k": 8}
    for figure, said in verdicts(answers).items():
        y = np.array([float(v) for v in said if v is not None])
        in_pieces = np.array(["pieces of" in a.embedder for a in answers])
        value = y[in_pieces].mean() - y[~in_pieces].mean()
        effect = found["Pieces"].values[1].differences[figure]
        assert isinstance(effect, CannotTell) if not y.any() else isinstance(effect, Effect)
        if isinstance(effect, Effect):
            assert effect.value == pytest.approx(value)
            assert effect.interval.low < effect.value < effect.interval.high


def test_axes_are_in_json_and_in_the_csv_of_tests() -> None:
    made = report([*answered("BM25, k = 10", "1111"), *answered("BM25, k = 3", "0101")])
    (axis,) = json.loads(json.dumps(as_json(made), allow_nan=False))["axes"]
    assert (axis["axis"], axis["matched"], axis["values"][1]["value"]) == ("k", 1, "k = 10")
    assert axis["values"][1]["differences"]["correct"]["value"] == pytest.approx(0.5)
    assert axis["values"][1]["correct"]["count"] == 4
    rows = frame(made).query("test == 'axis' and outcome == 'correct'").to_dict("records")
    assert [(r["what"], r["against"], round(r["points"])) for r in rows] == [("k = 10", "k = 3", 50)]


def test_a_difference_in_words_has_its_mark_and_interval() -> None:
    effect = axes([*answered("BM25, k = 10", "1111"), *answered("BM25, k = 3", "0101")])[0].values[1].differences["correct"]
    points, interval = interval_words(effect)
    assert (points, interval) == ("+50.0", "-36.4 to +136.4")
    assert interval_words(CannotTell("Because.")) == ("not known", "")
