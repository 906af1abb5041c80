"""Queues of named reviewers: kept beside the decisions, with their texts, and gone without a trace."""

from pathlib import Path

import pytest

from groundscope.errors import DataError
from groundscope.review.decisions import ReviewDecision, Ruling, case_key
from groundscope.review.store import ReviewStore
from groundscope.storage.database import FILE, Database
from groundscope.types import Case, Passage

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
