"""BARTScore of generated texts: which way is precision, what is left out, and how it stands beside ratings."""

from math import isnan

import pytest

from groundscope.citations.bart_score import TokenLikelihood, bart_scores, cut_words, directions
from groundscope.citations.whole_texts import BARTSCORE, RATING, WHOLE_TEXT, WholeTextScore, beside_ratings, with_bart

KNOWN = {
    ("reference", "generated"): TokenLikelihood(-2.0),
    ("generated", "reference"): TokenLikelihood(-5.0, cut=True),
    ("reference", "short"): TokenLikelihood(-1.0),
    ("short", "reference"): TokenLikelihood(-3.0),
}


def test_precision_writes_the_generated_text_from_the_reference_and_f_is_their_mean() -> None:
    found, other, none = bart_scores([("generated", "reference"), ("short", "reference"), ("", "reference")], KNOWN)
    assert found == (-3.5, -2.0, -5.0, True)
    assert other == (-2.0, -1.0, -3.0, False)
    assert all(isnan(v) for v in none[:3])
    assert not none.cut


def test_both_ways_are_scored_once_and_the_longest_first() -> None:
    ways = directions([("a b", "reference"), ("a b", "reference"), (" ", "reference"), ("generated text", "reference")])
    assert ways == [
        ("reference", "generated text"),
        ("generated text", "reference"),
        ("reference", "a b"),
        ("a b", "reference"),
    ]


def test_texts_that_were_cut_are_counted() -> None:
    cut = bart_scores([("generated", "reference")], KNOWN)
    assert cut_words(cut).startswith("1 text or its reference is longer than the 1,024 tokens that BARTScore reads")
    assert cut_words([*cut, *cut]).startswith("2 texts or their references are longer")
    assert cut_words(bart_scores([("short", "reference")], KNOWN)) == ""


def test_it_is_ranked_against_ratings_where_it_was_computed() -> None:
    plain = [WholeTextScore(0.1 * i, 0.5, 0.5) for i in range(4)]
    likely = [{("r", f"g{i}"): TokenLikelihood(-float(i)), (f"g{i}", "r"): TokenLikelihood(float(-2 * i))} for i in range(4)]
    scores = [bart_scores([(f"g{i}", "r")], known)[0] for i, known in enumerate(likely)]
    ratings, ids = [4.0, 3.0, 2.0, 1.0], list("abcd")
    found = beside_ratings({"Recall": [0.0, 0.1, 0.2, 0.3]}, with_bart(plain, scores), ratings, ids)
    assert [(a.first, a.second) for a in found] == [
        (name, RATING) for name in ("Recall", *WHOLE_TEXT.values(), *BARTSCORE.values())
    ]
    assert [a.spearman.value for a in found[-3:]] == [pytest.approx(1.0)] * 3
    without = beside_ratings({"Recall": [0.0, 0.1, 0.2, 0.3]}, plain, ratings, ids)
    assert [a.first for a in without] == ["Recall", *WHOLE_TEXT.values()]
    assert isnan(plain[0].bart_f)
