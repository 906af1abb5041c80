"""The store of decisions: what counts, undo, blind and revealed, real faults of its file, and what a third person settles."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from groundscope.cases.dataset import read, to_jsonl
from groundscope.errors import ChangedMeanwhile, StoreError
from groundscope.paths import ROOT
from groundscope.review.decisions import WHOLE, Correction, ReviewDecision, Ruling, SourcePlace, case_key
from groundscope.review.settling import agreed_decision, gold_cases, gold_decisions, review_differences
from groundscope.review.store import DECISIONS, ReviewStore
from groundscope.storage.database import FILE, Database
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage

SOURCE = Passage("p", "Notice is due within one month.", "Lease")
CASE = Case("c", "When?", (SOURCE,), "It is due in May. It is written. He pays.", group="g")
KEY = case_key(CASE)
RIGHT, WRONG = Ruling.SUPPORTED, Ruling.NOT_SUPPORTED
YES, NO = ReviewDecision(0, RIGHT), ReviewDecision(0, WRONG)


@pytest.fixture
def store(database: Database) -> ReviewStore:
    return ReviewStore(database)


def test_the_last_decision_counts_and_the_others_stay(store: ReviewStore) -> None:
    place = SourcePlace(0, 0, 6)
    correction = Correction(0, 5, SourcePlace(0, 7, 30))
    noted = ReviewDecision(0, Ruling.PARTLY, ErrorType.MISATTRIBUTION, (0, 5), place, "Why “May”? <b>", correction)
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


def test_nothing_of_a_forgotten_case_is_left_in_a_file(tmp_path: Path) -> None:
    store = ReviewStore(Database.at(tmp_path / FILE))
    secret = Case("s", "", (), "Quagmire-7731 is due.")
    store.decide(secret, "Ada", ReviewDecision(0, Ruling.PARTLY, note="Quagmire-7731, I note"))
    files = list(tmp_path.iterdir())
    assert any(b"Quagmire-7731" in f.read_bytes() for f in files)
    store.forget(case_key(secret))
    assert [f.name for f in tmp_path.iterdir() if b"Quagmire-7731" in f.read_bytes()] == []


def test_two_tabs_that_decide_at_once_both_keep_what_they_decided(store: ReviewStore) -> None:
    tabs = [ReviewStore(Database(store.database.url)) for _ in range(4)]
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
from groundscope.storage.database import FILE, Database
from tests.groundscope.review.test_store import CASE, NO, YES
store = ReviewStore(Database(sys.argv[1]))
for i in range(10**6):
    (kept,) = store.decide(CASE, "Ada", (YES, NO)[i % 2])
    print(kept.number, flush=True)
"""


def test_a_kill_loses_nothing_that_was_shown_as_saved(store: ReviewStore) -> None:
    url = store.database.url.render_as_string(hide_password=False)
    with subprocess.Popen([sys.executable, "-c", _WRITER, url], cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        shown = [int(next(writer.stdout)) for _ in range(50)]
        os.kill(writer.pid, signal.SIGKILL)
        shown += [int(line) for line in writer.stdout if line.endswith("\n")]
    numbers = [d.number for d in store.history(KEY, "Ada")]
    assert numbers[: len(shown)] == shown
    assert len(numbers) <= len(shown) + 1
    store.decide(CASE, "Ada", YES)


def test_a_file_that_cannot_be_used_is_named_with_what_to_do(tmp_path: Path) -> None:
    damaged = tmp_path / FILE
    damaged.write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match="is damaged or not a file of decisions and matters; move it away"):
        ReviewStore(Database.at(damaged)).decide(CASE, "Ada", YES)
    assert damaged.read_bytes() == b"no database" * 100
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as db, db:
        db.execute("CREATE TABLE theirs (a)")
    with pytest.raises(StoreError, match="is damaged or not a file of decisions"):
        ReviewStore(Database.at(tmp_path / "other.sqlite")).all()
    (tmp_path / "a file").touch()
    with pytest.raises(StoreError, match="cannot be written; set GROUNDSCOPE_DATA"):
        ReviewStore(Database.at(tmp_path / "a file" / FILE)).decide(CASE, "Ada", YES)


def test_a_decision_that_means_nothing_is_named(store: ReviewStore) -> None:
    store.decide(CASE, "Ada", YES)
    with store.database.writing() as db:
        db.execute(sa.update(DECISIONS).values(content='{"ruling": "maybe"}'))
    with pytest.raises(StoreError, match="is damaged or not a file of decisions"):
        store.all()


def test_what_was_decided_without_seeing_the_newest_is_not_kept(store: ReviewStore) -> None:
    (first,) = store.decide(CASE, "Ada", YES, after=0)
    with pytest.raises(ChangedMeanwhile, match="decided in another window"):
        store.decide(CASE, "Ada", NO, after=0)
    # Another's own decision, another sentence and a settlement are nothing that it could have missed.
    store.decide(CASE, "Bo", NO, after=0)
    store.decide(CASE, "Ada", ReviewDecision(1, Ruling.SUPPORTED), after=0)
    (settled,) = store.settle(CASE, "Bo", NO, after=0)
    store.decide(CASE, "Ada", NO, after=first.number)
    with pytest.raises(ChangedMeanwhile):
        store.settle(CASE, "Cy", YES, after=0)
    store.settle(CASE, "Cy", YES, after=settled.number)
    assert [d.decision.ruling for d in store.history(KEY, "Ada")] == ["supported", "supported", "not supported"]
    assert store.settled()[KEY][0].reviewer == "Cy"
    # What was taken back is as if it had never been.
    store.settle(CASE, "Cy", ReviewDecision(0))
    with pytest.raises(ChangedMeanwhile):
        store.settle(CASE, "Bo", NO, after=settled.number)
    store.settle(CASE, "Bo", NO, after=0)


def test_of_many_that_saw_the_same_one_is_kept(store: ReviewStore) -> None:
    def settle(name: str) -> bool:
        own = ReviewStore(Database(store.database.url))
        try:
            own.settle(CASE, name, NO, after=0)
        except ChangedMeanwhile:
            return False
        finally:
            own.close()
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(settle, map(str, range(8)))) == 1


def test_what_is_sent_again_is_kept_once(store: ReviewStore) -> None:
    both = YES, ReviewDecision(1, Ruling.PARTLY)
    kept = store.decide(CASE, "Ada", *both, call="a")
    assert store.decide(CASE, "Ada", *both, call="a") == kept
    undone = store.undo(CASE, "Ada", call="b")
    assert store.undo(CASE, "Ada", call="b") == undone
    assert len(store.all()) == 3


OTHER = Case("d", "Who?", (Passage("p", "The tenant pays."),), "The tenant pays.", True)


@pytest.fixture
def reviewed(store: ReviewStore) -> ReviewStore:
    store.decide(
        CASE,
        "Ada",
        ReviewDecision(0, Ruling.CONTRADICTED, ErrorType.FACTUAL_INACCURACY, (13, 16), None, "May?"),
        ReviewDecision(1, RIGHT, rests_on=SourcePlace(0, 0, 31)),
        ReviewDecision(2, WRONG),
    )
    store.decide(
        CASE,
        "Bo",
        ReviewDecision(0, Ruling.CONTRADICTED, None, None, SourcePlace(0, 0, 31), "One month."),
        ReviewDecision(1, WRONG),
        ReviewDecision(2, WRONG, ErrorType.REASONING_ERROR),
    )
    store.decide(OTHER, "Bo", ReviewDecision(0, RIGHT))
    return store


def test_a_third_decision_settles_and_makes_gold_labels(reviewed: ReviewStore) -> None:
    people = {name: reviewed.decided(name) for name in reviewed.reviewers()}
    cases = reviewed.cases([KEY, case_key(OTHER)])
    (found,) = review_differences(people, reviewed.settled())
    assert (found.key, found.sentence, found.settled) == (KEY, 1, None)
    assert {name: d.decision.ruling for name, d in found.decisions.items()} == {"Ada": RIGHT, "Bo": WRONG}
    assert gold_cases(people, reviewed.settled(), cases) == ((), 2)

    (third,) = reviewed.settle(CASE, "Cy", ReviewDecision(1, RIGHT, rests_on=SourcePlace(0, 0, 31)))
    assert reviewed.reviewers() == ("Ada", "Bo"), "who settles has decided nothing of their own"
    assert review_differences(people, reviewed.settled())[0].settled == third
    (gold,), left = gold_cases(people, reviewed.settled(), cases)
    assert left == 1, "one reviewer alone makes no gold label"
    assert (gold.id, gold.group, gold.grounded) == ("c", "g", False)
    assert gold.errors == (
        ErrorSpan(13, 16, ErrorType.FACTUAL_INACCURACY, "May? / One month.", True),
        ErrorSpan(33, 41, ErrorType.REASONING_ERROR, "", False),
    )
    assert EvidenceSpan(18, 32, 0, 0, 31) in gold.evidence
    assert read("gold.jsonl", to_jsonl([gold]).encode()).cases == (gold,)
    reviewed.settle(CASE, "Di", ReviewDecision(1))
    assert review_differences(people, reviewed.settled())[0].settled is None


def test_a_settlement_is_left_out_of_a_persons_own_decisions(reviewed: ReviewStore) -> None:
    reviewed.settle(CASE, "Ada", ReviewDecision(1, WRONG))
    assert reviewed.current(KEY, "Ada")[1].decision.ruling is RIGHT
    assert [d.settles for d in reviewed.history(KEY)] == [False] * 6
    assert reviewed.settled()[KEY][1].settles
    undone = reviewed.undo(CASE, "Ada")
    assert undone, "what is undone is the last decision of one's own"
    assert undone.decision.sentence == 2
    assert reviewed.settled()[KEY][1].decision.ruling is WRONG
    reviewed.forget(KEY)
    assert reviewed.settled() == {}


def test_decisions_made_blind_stand_where_only_these_are_asked_for(reviewed: ReviewStore) -> None:
    reviewed.reveal("Ada", CASE)
    reviewed.decide(CASE, "Ada", ReviewDecision(1, WRONG))
    assert reviewed.decided("Ada")[KEY][1].decision.ruling is WRONG
    assert reviewed.decided("Ada", blind=True)[KEY][1].decision.ruling is RIGHT


def test_agreed_decisions() -> None:
    one, two = ReviewDecision(0, WRONG), ReviewDecision(0, WRONG, ErrorType.MISATTRIBUTION)
    assert agreed_decision([one, two]) == two
    assert agreed_decision([two, ReviewDecision(0, WRONG, ErrorType.REASONING_ERROR)]) is None
    assert agreed_decision([one, ReviewDecision(0, RIGHT)]) is None
    assert agreed_decision([]) is None
    assert gold_decisions({"Ada": {}}, {}) == {}
