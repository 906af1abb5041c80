"""Queues: the same on every machine, fair to every area, and a pace that pauses do not change."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, StoredDecision
from groundscope.review.queues import OPEN_ORDERS, QueueOrder, pace, queue, sentences_left
from groundscope.types import Case

AREAS = st.lists(st.sampled_from(["tax", "labour", "", "crime"]), max_size=40)


def _cases(areas: list[str]) -> list[Case]:
    return [Case(str(i), "", (), "It is.", area=area) for i, area in enumerate(areas)]


@given(AREAS, st.sampled_from(QueueOrder), st.integers(0, 9), st.integers(0, 50))
def test_a_queue_has_each_case_at_most_once_and_a_longer_one_begins_with_a_shorter(
    areas: list[str], order: QueueOrder, seed: int, most: int
) -> None:
    cases, doubt = _cases(areas), [math.nan if area == "tax" else len(area) / 9 for area in areas]
    found, whole = queue(cases, order, seed, most, doubt), queue(cases, order, seed, doubt=doubt)
    assert found == whole[: most or None]
    assert sorted(whole) == list(range(len(cases)))
    assert queue(cases, order, seed, most, doubt) == found
    if order in OPEN_ORDERS:
        known = [doubt[i] for i in whole if not math.isnan(doubt[i])]
        assert known == sorted(known, reverse=True)
        assert all(math.isnan(doubt[i]) for i in whole[len(known) :])
    if order is QueueOrder.SET:
        assert whole == tuple(range(len(cases)))


@given(AREAS, st.integers(0, 9), st.integers(1, 50))
def test_areas_are_taken_in_turn(areas: list[str], seed: int, most: int) -> None:
    cases = _cases(areas)
    taken = Counter(cases[i].area for i in queue(cases, QueueOrder.BY_AREA, seed, most))
    whole = Counter(areas)
    # An area has fewer than another only where all of its cases are taken.
    assert all(taken[a] >= taken[b] - 1 for a in whole for b in whole if taken[a] < whole[a])


def test_a_seed_gives_the_queue_that_it_always_gave() -> None:
    cases = _cases(["tax", "labour"] * 4)
    assert queue(cases, QueueOrder.RANDOM, 7) == (6, 7, 2, 4, 0, 3, 1, 5)
    assert queue(cases, QueueOrder.RANDOM, 8) != queue(cases, QueueOrder.RANDOM, 7)
    with pytest.raises(ValueError, match="a doubt for every case"):
        queue(cases, QueueOrder.WEAKEST)
    with pytest.raises(ValueError, match="0 cases or more"):
        queue(cases, QueueOrder.RANDOM, most=-1)


def _decided(seconds: int, sentence: int, ruling: Ruling | None = Ruling.SUPPORTED, undoes: int | None = None) -> StoredDecision:
    time = f"2026-11-25T10:{seconds // 60:02}:{seconds % 60:02}+00:00"
    return StoredDecision(1, "a", "Ada", time, True, ReviewDecision(sentence, ruling), undoes)


def test_a_pace_is_the_median_between_sentences_without_pauses() -> None:
    # Gaps of 10, 10, 30, 20, 20 seconds, and a pause of ten minutes.
    seconds = [0, 10, 20, 50, 70, 90, 690]
    decisions = [_decided(s, i) for i, s in enumerate(seconds)]
    assert pace(decisions) == 20.0
    # A change of mind, a note without a ruling and an undo are no new sentence.
    more = [_decided(700, 0, Ruling.PARTLY), _decided(701, 9, None), _decided(702, 10, Ruling.PARTLY, undoes=3)]
    assert pace([*decisions, *more]) == 20.0
    assert pace(decisions[:5]) is None
    assert pace([]) is None


def test_what_is_left_of_a_case_are_its_undecided_sentences() -> None:
    case = Case("c", "", (), "# Answer\n\nIt is. He pays. She stays.")
    assert sentences_left(case, {}) == 3
    current = {WHOLE: _decided(0, WHOLE), 1: _decided(1, 1), 2: _decided(2, 2, None)}
    assert sentences_left(case, current) == 2
