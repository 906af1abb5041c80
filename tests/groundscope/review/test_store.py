"""The store of decisions: what counts, what is kept, undo, blind and revealed, and real faults of its file."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from groundscope.errors import StoreError
from groundscope.paths import ROOT
from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, SourcePlace, case_key
from groundscope.review.store import ReviewStore
from groundscope.types import Case, ErrorType, Passage

CASE = Case(
    "c", "When?", (Passage("p", "Notice is due within one month.", "Lease"),), "It is due in May. It is written. He pays."
)
KEY = case_key(CASE)
YES, NO = (ReviewDecision(0, ruling) for ruling in (Ruling.SUPPORTED, Ruling.NOT_SUPPORTED))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReviewStore]:
    store = ReviewStore(tmp_path / "reviews.sqlite")
    yield store
    store.close()


def test_the_last_decision_counts_and_the_others_stay(store: ReviewStore) -> None:
    noted = ReviewDecision(0, Ruling.PARTLY, ErrorType.MISATTRIBUTION, (0, 5), SourcePlace(0, 0, 6), "Why “May”? <b>")
    whole = ReviewDecision(WHOLE, Ruling.CANNOT_SAY)
    kept = [*store.decide(CASE, "Ada", YES), *store.decide(CASE, "Ada", noted, whole)]
    store.decide(CASE, "Bo", NO)
    store.close()
    assert {i: d.decision for i, d in store.current(KEY, "Ada").items()} == {WHOLE: whole, 0: noted}
    assert {i: d.decision for i, d in store.current(KEY, "Bo").items()} == {0: NO}
    assert store.history(KEY, "Ada") == tuple(kept)
    assert [d.number for d in store.history(KEY)] == [1, 2, 3, 4]
    assert [d.reviewer for d in store.all()] == ["Ada", "Ada", "Ada", "Bo"]
    assert store.cases([KEY, "none"]) == {KEY: CASE}
    assert store.current("none", "Ada") == {}


def test_undo_goes_back_step_by_step_and_is_kept_itself(store: ReviewStore) -> None:
    other = ReviewDecision(1, Ruling.SUPPORTED)
    for decision in (YES, NO, YES, other):
        store.decide(CASE, "Ada", decision)
    store.decide(CASE, "Bo", NO)
    states = []
    while store.undo(CASE, "Ada"):
        states.append({i: d.decision for i, d in store.current(KEY, "Ada").items()})
    assert states == [{0: YES}, {0: NO}, {0: YES}, {}]
    assert len(store.history(KEY, "Ada")) == 8
    assert {i: d.decision for i, d in store.current(KEY, "Bo").items()} == {0: NO}
    # A decision after an undo starts from there.
    store.decide(CASE, "Ada", NO)
    assert store.undo(CASE, "Ada")
    assert store.current(KEY, "Ada") == {}
    assert store.undo(CASE, "Ada") is None


def test_what_was_visible_is_kept_with_each_decision(store: ReviewStore) -> None:
    store.decide(CASE, "Ada", YES)
    store.reveal("Ada", CASE)
    store.reveal("Ada", CASE)
    store.decide(CASE, "Ada", NO)
    store.decide(CASE, "Bo", YES)
    assert [d.blind for d in store.history(KEY)] == [True, False, True]
    assert list(store.revealed("Ada")) == [KEY]
    assert store.revealed("Bo") == {}


def test_a_decision_that_does_not_fit_keeps_none_of_those_beside_it(store: ReviewStore) -> None:
    with pytest.raises(ValueError, match="must be of a sentence"):
        store.decide(CASE, "Ada", YES, ReviewDecision(3, Ruling.SUPPORTED))
    assert store.all() == ()


def test_forgetting_a_case_deletes_all_of_it(store: ReviewStore) -> None:
    other = Case("d", "Who?", (), "It is due.")
    for case in (CASE, other):
        store.decide(case, "Ada", YES)
        store.reveal("Ada", case)
    store.forget(KEY)
    assert [d.case for d in store.all()] == [case_key(other)]
    assert list(store.revealed("Ada")) == [case_key(other)]
    assert list(store.cases([KEY, case_key(other)])) == [case_key(other)]


def test_nothing_of_a_forgotten_case_is_left_in_a_file(store: ReviewStore) -> None:
    secret = Case("s", "", (), "Quagmire-7731 is due.")
    store.decide(secret, "Ada", ReviewDecision(0, Ruling.PARTLY, note="Quagmire-7731, I note"))
    files = list(store.path.parent.iterdir())
    assert any(b"Quagmire-7731" in f.read_bytes() for f in files)
    store.forget(case_key(secret))
    assert [f.name for f in store.path.parent.iterdir() if b"Quagmire-7731" in f.read_bytes()] == []


def test_two_tabs_that_decide_at_once_both_keep_what_they_decided(store: ReviewStore) -> None:
    tabs = [ReviewStore(store.path) for _ in range(4)]
    work = [threading.Thread(target=lambda t=t: [t.decide(CASE, "Ada", d) for d in (YES, NO) * 10]) for t in tabs]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    for tab in tabs:
        tab.close()
    history = store.history(KEY, "Ada")
    assert [d.number for d in history] == list(range(1, 81))
    assert store.current(KEY, "Ada")[0] == history[-1]


_WRITER = """
import sys
from pathlib import Path
from groundscope.review.store import ReviewStore
from tests.groundscope.review.test_store import CASE, NO, YES
store = ReviewStore(Path(sys.argv[1]))
for i in range(10**6):
    (kept,) = store.decide(CASE, "Ada", (YES, NO)[i % 2])
    print(kept.number, flush=True)
"""


def test_a_kill_loses_nothing_that_was_shown_as_saved(store: ReviewStore) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(store.path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout
        shown = [int(next(writer.stdout)) for _ in range(50)]
        os.kill(writer.pid, signal.SIGKILL)
        shown += [int(line) for line in writer.stdout if line.endswith("\n")]
    numbers = [d.number for d in store.history(KEY, "Ada")]
    assert numbers[: len(shown)] == shown
    assert len(numbers) <= len(shown) + 1
    store.decide(CASE, "Ada", YES)


def test_ten_thousand_decisions_are_all_there(store: ReviewStore) -> None:
    cases = [Case(str(i), "", (), f"Sentence {i} stands here. It is so.") for i in range(100)]
    for case in cases:
        store.decide(case, "Ada", *[ReviewDecision(j % 2, list(Ruling)[j % 5]) for j in range(100)])
    assert len(store.all()) == 10_000
    last = {0: ReviewDecision(0, Ruling.CONTRADICTED), 1: ReviewDecision(1, Ruling.CANNOT_SAY)}
    assert all({i: d.decision for i, d in store.current(case_key(case), "Ada").items()} == last for case in cases)


def test_a_file_that_cannot_be_used_is_named_with_what_to_do(tmp_path: Path) -> None:
    damaged = tmp_path / "reviews.sqlite"
    damaged.write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match="is damaged or no file of decisions; move it away"):
        ReviewStore(damaged).decide(CASE, "Ada", YES)
    assert damaged.read_bytes() == b"no database" * 100
    strange = ReviewStore(tmp_path / "strange.sqlite")
    strange.decide(CASE, "Ada", YES)
    with closing(sqlite3.connect(strange.path)) as db, db:
        db.execute('UPDATE decisions SET content = \'{"ruling": "maybe"}\'')
    with pytest.raises(StoreError, match="is damaged or no file of decisions"):
        strange.all()
    (tmp_path / "a file").touch()
    with pytest.raises(StoreError, match="cannot be written; set GROUNDSCOPE_DATA"):
        ReviewStore(tmp_path / "a file" / "reviews.sqlite").decide(CASE, "Ada", YES)
