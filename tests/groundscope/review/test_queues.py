"""Queues: the same everywhere, fair to every area, kept for their reviewers and gone without a trace; a pace without pauses."""

import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import DataError
from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, StoredDecision, case_key
from groundscope.review.queues import OPEN_ORDERS, QueueOrder, pace, queue, sentences_left
from groundscope.review.store import ReviewStore
from groundscope.storage.database import FILE, Database
from groundscope.types import Case, Passage

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


CASES = [Case(f"c{i}", "Who?", (Passage("p", f"Secret source {i}."),), "The tenant pays.", True) for i in range(3)]


def test_a_queue_is_there_for_its_reviewers_and_in_another_process(database: Database) -> None:
    store = ReviewStore(database)
    before = store.stamp()
    made = store.queues.assign("  Pilot\nround ", [" Ada ", "Bo", "Ada"], [*CASES, CASES[0]])
    assert (made.title, made.reviewers) == ("Pilot round", ("Ada", "Bo"))
    assert store.stamp() != before
    later = ReviewStore(Database(store.database.url))
    assert later.queues.all() == (made,)
    assert list(later.cases(made.keys).values()) == CASES
    second = later.queues.assign("", ["Cy"], CASES[:1])
    assert second.title == "1 cases"
    assert [one.number for one in store.queues.all()] == [2, 1]
    for each in (store, later):
        each.close()


def test_a_queue_that_is_withdrawn_leaves_no_text(tmp_path: Path) -> None:
    store = ReviewStore(Database.at(tmp_path / FILE))
    first, second = (store.queues.assign("", ["Ada"], cases) for cases in (CASES, CASES[2:]))
    store.decide(CASES[1], "Ada", ReviewDecision(0, Ruling.SUPPORTED))
    store.queues.withdraw(first.number)
    # What was decided, and what is in another queue, stays.
    assert set(store.cases([case_key(c) for c in CASES])) == {case_key(c) for c in CASES[1:]}
    store.close()
    kept = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    assert b"Secret source 0" not in kept
    assert b"Secret source 2" in kept
    assert second.keys == (case_key(CASES[2]),)


@pytest.mark.parametrize(
    ("names", "count", "message"),
    [([], 1, "1 to 10"), (["x"] * 3, 0, "no case"), ([f"n{i}" for i in range(11)], 1, "1 to 10"), (["a" * 81], 1, "at most 80")],
)
def test_what_is_no_queue_is_refused(tmp_path: Path, names: list[str], count: int, message: str) -> None:
    store = ReviewStore(Database.at(tmp_path / FILE))
    with pytest.raises(DataError, match=message):
        store.queues.assign("", names, CASES[:count])
    assert store.queues.all() == ()
    store.close()
