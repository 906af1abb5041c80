"""Measures of whole texts, worked out by hand, and how they rank texts beside ratings."""

from collections.abc import Sequence
from math import isnan, nan

import pytest

from groundscope.citations.claims import document
from groundscope.citations.whole_texts import (
    BARTSCORE,
    RATING,
    WHOLE_TEXT,
    Pair,
    TokenLikelihood,
    WholeTextScore,
    beside_ratings,
    cut_words,
    whole_texts,
    with_bart,
)

REFERENCE = document("Cats may roam. 28 U.S.C. § 1331. Birds sing. Roe v. Wade, 410 U.S. 113, 93 S. Ct. 705. Fish swim. Id.")
GENERATED = document("Dogs bark. 93 S. Ct. 705. Owls see well. Doe v. Roe, 1 F.3d 2 (1993). Rats hide. Poe v. Roe, 3 F.3d 4.")


def test_authorities_count_once_whatever_they_are_cited_for() -> None:
    (found,) = whole_texts([(GENERATED, REFERENCE)])
    # The reference cites two authorities, one of them twice; the generated text three, one of them of the reference.
    assert (found.citation_recall, found.citation_precision) == (1 / 2, pytest.approx(1 / 3))


def test_a_side_that_cites_nothing_has_no_share() -> None:
    none = document("Nothing is cited here.")
    silent, unasked = whole_texts([(none, REFERENCE), (GENERATED, none)])
    assert (silent.citation_recall, unasked.citation_precision) == (0.0, 0.0)
    assert isnan(silent.citation_precision)
    assert isnan(unasked.citation_recall)


def test_rouge_is_of_the_whole_texts() -> None:
    same = document("Cats may roam. 28 U.S.C. § 1331.")
    part = document("Cats may roam.")
    equal, shorter = whole_texts([(same, same), (part, same)])
    # Seven words, "28 u s c 1331" among them without the sign: three of three and three of eight.
    assert equal.rouge_l == 1.0
    assert shorter.rouge_l == pytest.approx(2 * 3 / (3 + 8))


def test_each_measure_is_ranked_against_the_ratings_of_the_texts_that_have_one() -> None:
    plain = [WholeTextScore(r, c, 0.5) for r, c in ((0.1, 0.9), (0.2, 0.6), (0.3, 0.3), (0.9, 0.9))]
    recall, ratings, ids = {"Recall": [0.0, 0.5, 1.0, 0.0]}, [1.0, 2.0, 3.0, None], ["a", "b", "c", "d"]
    found = beside_ratings(recall, plain, ratings, ids)
    assert [(a.first, a.second, a.of) for a in found] == [(name, RATING, 3) for name in ("Recall", *WHOLE_TEXT.values())]
    assert [a.spearman.value for a in found[:3]] == [pytest.approx(1.0), pytest.approx(1.0), pytest.approx(-1.0)]
    assert isnan(found[3].spearman.value)
    assert beside_ratings({"Recall": [0.0]}, [], [None], ["a"]) == []
    # BARTScore is, where it was computed.
    likely = [score._replace(bart_f=i, bart_precision=i, bart_recall=i) for i, score in enumerate(plain)]
    found = beside_ratings(recall, likely, ratings, ids)
    assert [a.first for a in found] == ["Recall", *WHOLE_TEXT.values(), *BARTSCORE.values()]
    assert [a.spearman.value for a in found[-3:]] == [pytest.approx(1.0)] * 3


class _Known:
    """Says of texts how likely each is to be written from the other."""

    def likelihoods(self, pairs: Sequence[Pair]) -> list[TokenLikelihood]:
        known = {
            ("reference", "generated"): TokenLikelihood(-2.0),
            ("generated", "reference"): TokenLikelihood(-5.0, cut=True),
            ("reference", "short"): TokenLikelihood(-1.0),
            ("short", "reference"): TokenLikelihood(-3.0),
        }
        return [known.get(pair, TokenLikelihood(nan)) for pair in pairs]


PLAIN = WholeTextScore(0.1, 0.2, 0.3)


@pytest.mark.parametrize(("text", "bart", "cut"), [("generated", (-3.5, -2.0, -5.0), True), ("short", (-2.0, -1.0, -3.0), False)])
def test_precision_writes_the_generated_text_from_the_reference_and_f_is_their_mean(
    text: str, bart: tuple[float, ...], cut: bool
) -> None:
    assert with_bart(PLAIN, (text, "reference"), _Known()) == ((0.1, 0.2, 0.3, *bart), cut)


def test_a_text_without_a_word_has_no_bartscore() -> None:
    found, cut = with_bart(PLAIN, ("", "reference"), _Known())
    assert all(isnan(v) for v in found[3:])
    assert not cut


def test_texts_that_were_cut_are_counted() -> None:
    assert cut_words(1).startswith("1 text or its reference is longer than the 1,024 tokens that BARTScore reads")
    assert cut_words(2).startswith("2 texts or their references are longer")
    assert cut_words(0) == ""
