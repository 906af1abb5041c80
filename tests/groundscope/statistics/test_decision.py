"""Aggregation, verdict words, and tuning against brute force."""

import math
from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.statistics.decision import aggregate, tune, verdict
from groundscope.types import Judgement, SentenceScore, Status
from tests.loops import each

UNITS = st.floats(0, 1)
# Multiples of 1/8: many ties, and midpoints that floats hold exactly.
LABELLED = st.lists(st.tuples(st.integers(0, 8).map(lambda n: n / 8), st.booleans()), min_size=1, max_size=30)


def macro_f1(supports: Sequence[float], grounded: Sequence[bool], threshold: float) -> float:
    """From the definition: the mean of both classes' 2TP / (2TP + FP + FN), 0 where that is 0/0."""
    total = 0.0
    for positive in (True, False):
        pairs = [((s >= threshold) == positive, g == positive) for s, g in zip(supports, grounded, strict=True)]
        hits = sum(p and g for p, g in pairs)
        wrong = sum(p != g for p, g in pairs)
        total += 2 * hits / (2 * hits + wrong) if hits or wrong else 0.0
    return total / 2


def judgement(support: float, *sentences: float | None) -> Judgement:
    scores = tuple(SentenceScore(i, i + 1, s) for i, s in enumerate(sentences))
    return Judgement(Status.SCORED, support=support, sentences=scores)


def test_the_rules_by_hand() -> None:
    supports = [0.5, None, 0.25, 1.0]
    assert aggregate(supports) == 0.25
    # (0.5 + 0.25 + 1) / 3 = 1.75 / 3
    assert aggregate(supports, "mean") == pytest.approx(1.75 / 3)


@each("how", ["min", "mean"])
@each("supports", [[], [None], [None, None]])
def test_nothing_assessed_gives_no_number(supports: list[float | None], how: str) -> None:
    assert aggregate(supports, how) is None  # type: ignore[arg-type]


@given(st.lists(st.one_of(st.none(), UNITS), max_size=20))
def test_every_rule_stays_between_0_and_1(supports: list[float | None]) -> None:
    values = [aggregate(supports), aggregate(supports, "mean")]
    assert all(v is None or 0.0 <= v <= 1.0 for v in values)
    assert len({v is None for v in values}) == 1


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(ValueError, match=r"min, mean.*'median'"):
        aggregate([0.5], "median")  # type: ignore[arg-type]


@each(
    ("judged", "words", "flagged", "grounded"),
    [
        (judgement(0.6, 0.6), "Nothing flagged; read the sentence", (), True),
        (judgement(0.6, 0.6, 0.7, 0.8), "Nothing flagged; read all 3 sentences", (), True),
        (judgement(0.4, 0.6, 0.4, 0.8), "1 of 3 sentences flagged", (1,), False),
        (judgement(0.1, 0.1, None, 0.4), "2 of 2 sentences flagged", (0, 2), False),
        (judgement(0.4, 0.4), "1 of 1 sentence flagged", (0,), False),
        (judgement(0.5, 0.5), "Nothing flagged; read the sentence", (), True),
    ],
)
def test_a_verdict_reads_as_a_sentence(judged: Judgement, words: str, flagged: tuple[int, ...], grounded: bool) -> None:
    found = verdict(judged, 0.5)
    assert (found.words, found.flagged, found.grounded) == (words, flagged, grounded)


def test_without_a_threshold_there_is_no_label() -> None:
    found = verdict(judgement(0.2, 0.2, None), None)
    assert (found.grounded, found.flagged, found.assessed) == (None, (), 1)
    assert "no threshold" in found.words


@each("status", [s for s in Status if s is not Status.SCORED])
def test_a_state_has_words_and_no_label(status: Status) -> None:
    found = verdict(Judgement(status), 0.5)
    assert (found.grounded, found.flagged, found.assessed) == (None, (), 0)
    assert found.words
    assert "supported" not in found.words


def test_a_verdict_on_the_whole_says_so_where_no_sentence_was_assessed() -> None:
    # Lynx names no sentence; QUIP pooled has a support of a response of short sentences while no sentence has one.
    found = verdict(judgement(0.0, None, None), 0.5)
    assert (found.grounded, found.flagged, found.assessed) == (False, (), 0)
    assert found.words == "The answer as a whole is flagged; the method names no sentence"
    found = verdict(judgement(1.0, None, None), 0.5)
    assert found.grounded is True
    assert found.words == "The answer as a whole is not flagged; the method names no sentence"


def test_a_threshold_tuned_by_hand() -> None:
    # Between 0.3 (ungrounded) and 0.7 (grounded) everything is right: the midpoint, macro-F1 1.
    found = tune([0.1, 0.9, 0.3, 0.7], [False, True, False, True])
    assert found.value == pytest.approx(0.5)
    assert found.macro_f1 == 1.0


def test_one_class_only_reaches_half() -> None:
    # All grounded: F1 of grounded is 1 below all supports, F1 of the absent class 0.
    found = tune([0.2, 0.4], [True, True])
    assert found.macro_f1 == 0.5
    assert found.value < 0.2


def test_of_equally_good_neighbours_the_middle_is_taken() -> None:
    # Grounded and ungrounded answers at 0, 1/4, 1/2, 3/4: (0, 1), (2, 1), (3, 3), (2, 0); 7 and 5 in all.
    # Cut at 1/8: F1 of grounded 14/18, of ungrounded 2/6; at 3/8: 10/15 and 4/9; at 5/8: 4/9 and 10/15.
    # All three make 10/18 in the mean; the middle one is 3/8.
    counts = [(0.0, 0, 1), (0.25, 2, 1), (0.5, 3, 3), (0.75, 2, 0)]
    pairs = [(s, label) for s, yes, no in counts for label in [True] * yes + [False] * no]
    found = tune([s for s, _ in pairs], [label for _, label in pairs])
    assert found.value == 0.375
    assert found.macro_f1 == pytest.approx(10 / 18)


def test_of_separate_equally_good_cuts_the_lowest_is_taken() -> None:
    # Cut at 3/8: F1 of grounded 4/5, of ungrounded 2/3; at 7/8 the other way round; at 5/8 both 1/2.
    found = tune([0.25, 0.5, 0.75, 1.0], [False, True, False, True])
    assert found.value == 0.375
    assert found.macro_f1 == pytest.approx((4 / 5 + 2 / 3) / 2)


@given(LABELLED)
def test_no_candidate_cut_beats_the_tuned_threshold(pairs: list[tuple[float, bool]]) -> None:
    supports, grounded = [s for s, _ in pairs], [g for _, g in pairs]
    found = tune(supports, grounded)
    values = sorted(set(supports))
    cuts = [values[0] - 1, values[-1] + 1, *((a + b) / 2 for a, b in pairwise(values))]
    assert math.isclose(found.macro_f1, macro_f1(supports, grounded, found.value))
    assert math.isclose(found.macro_f1, max(macro_f1(supports, grounded, c) for c in cuts))


@given(LABELLED, st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_matter(pairs: list[tuple[float, bool]], random: Random) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)
    in_order, mixed = [([s for s, _ in p], [g for _, g in p]) for p in (pairs, shuffled)]
    assert tune(*in_order) == tune(*mixed)


@pytest.mark.parametrize(("supports", "labels"), [([], []), ([0.5], []), ([0.5], [True, False])])
def test_unequal_or_empty_labels_are_refused(supports: list[float], labels: list[bool]) -> None:
    with pytest.raises(ValueError, match=f"got {len(supports)} and {len(labels)}"):
        tune(supports, labels)
