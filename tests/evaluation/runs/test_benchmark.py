"""A run's work: errors of one case, stopping, what counts as latency, and methods that changed meanwhile."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from evaluation import benchmark, planning
from evaluation.benchmark import Outcome, Tick
from evaluation.errors import StoreError
from evaluation.keeping import may_keep, may_remember
from evaluation.machine import stamp
from evaluation.progress import report
from evaluation.recorded_methods import Attached
from evaluation.run_data import MethodRun
from evaluation.run_reading import read_store
from evaluation.store import Store
from evaluation.types import Case, Judgement, Scorer, SentenceScore, Status
from tests.evaluation.runs.scripted import HOSTILE, Scripted, Steady, cases_of, finished, planned, two_methods

CASES = cases_of(12)
STOPPED = Outcome(False, "Stopped. What was judged is kept; resume the run to go on.")


def _contents(store: Store, run: str, method: int) -> list[dict[str, object]]:
    return [k.content for k in store.judgements(run, method)]


def test_an_error_in_one_case_is_that_cases_result_and_the_run_goes_on(store: Store) -> None:
    def does(case: Case) -> None:
        if case.id in ("case-0", "case-5"):
            raise RecursionError(HOSTILE)
        if case.id == "case-6":
            raise MemoryError

    scorers: dict[str, Scorer] = {"bad": Steady("bad", does=does), "good": Steady("good")}
    run = finished(store, CASES, scorers)
    bad, good = _contents(store, run, 0), _contents(store, run, 1)
    assert [c["status"] for c in bad] == ["failed" if i in (0, 5, 6) else "scored" for i in range(12)]
    assert bad[5]["note"] == f"The method failed on this response (RecursionError: {HOSTILE})."
    assert bad[5]["context_seen"] == 0.0
    assert {c["status"] for c in good} == {"scored"}
    assert store.run(run).failed == (3, 0)
    assert store.run(run).finished


@dataclass(frozen=True)
class Careless:
    """Gives what is no judgement, or one with numbers of numpy."""

    signature: str = "careless"

    def score(self, case: Case) -> Judgement:
        if case.id == "case-1":
            return None  # type: ignore[return-value]
        half = np.float32(0.5)
        return Judgement(Status.SCORED, half, (SentenceScore(0, 5, half),), seconds=half, calls=np.int64(3))  # type: ignore[arg-type]


def test_a_method_that_gives_odd_things_stops_nothing(store: Store) -> None:
    run = finished(store, CASES[:3], {"a": Careless(), "b": Steady("b")})
    found = _contents(store, run, 0)
    assert [c["status"] for c in found] == ["scored", "failed", "scored"]
    assert "it gave NoneType instead of a judgement" in str(found[1]["note"])
    assert (found[0]["support"], found[0]["calls"], found[0]["sentences"]) == (0.5, 3, [[0, 5, 0.5, []]])


def test_a_text_that_cannot_be_cut_into_sentences_is_each_methods_own_failure(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(text: str) -> None:
        raise RecursionError(text)

    monkeypatch.setattr(benchmark, "split", broken)
    run = finished(store, CASES[:3], {"a": Steady("a")})
    assert store.run(run).failed == (0,)


def test_methods_take_turns_and_each_case_begins_with_another_one(store: Store) -> None:
    order: list[tuple[str, str]] = []

    def noting(name: str) -> Callable[[Case], None]:
        return lambda case: order.append((case.id, name))

    scorers: dict[str, Scorer] = {name: Steady(name, does=noting(name)) for name in "abc"}
    finished(store, CASES[:4], scorers)
    warm_up, judged = order[:3], order[3:]
    assert warm_up == [("case-0", "a"), ("case-0", "b"), ("case-0", "c")]
    turns = ["abc", "bca", "cab", "abc"]
    assert judged == [(f"case-{i}", name) for i, turn in enumerate(turns) for name in turn]


def test_the_warm_up_is_measured_apart_and_not_kept(store: Store, tmp_path: Path) -> None:
    slow = Scripted("slow", 0.05)
    scorers: dict[str, Scorer] = {"slow": slow, "quick": Steady("quick")}
    steps: list[Tick] = []
    run = planned(store, CASES, scorers)
    benchmark.work(store, run, scorers, hear=steps.append)
    assert steps[:2] == [Tick("slow"), Tick("quick")]
    assert len(slow.seen) == 13
    assert slow.seen[:2] == ["case-0", "case-0"]
    (start,) = store.starts(run)
    assert start.done == (0, 0)
    assert start.machine == stamp()
    assert start.cold["slow"] >= 0.05
    assert set(start.cold) == {"slow", "quick"}
    assert sorted((t.method, t.row) for t in steps[2:]) == sorted((m, row) for m in scorers for row in range(12))


def test_a_method_that_cannot_judge_its_first_case_has_no_cold_start(store: Store) -> None:
    def does(case: Case) -> None:
        if case.id == "case-0":
            raise OSError("no weights")

    run = finished(store, CASES, {"a": Steady("a", does=does)})
    assert store.starts(run)[0].cold == {}


@dataclass(frozen=True)
class Fixed:
    """Gives the judgement that is set for a case."""

    by_case: dict[str, Judgement]
    signature: str = "fixed"

    def score(self, case: Case) -> Judgement:
        return self.by_case[case.id]


def test_only_what_was_worked_for_is_timed(store: Store) -> None:
    made = {
        "scored": Judgement(Status.SCORED, support=0.5, seconds=1.0),
        "kept": Judgement(Status.SCORED, support=0.5, seconds=0.001, cached=0.25),
        "invalid": Judgement(Status.INVALID, seconds=1.0),
        "abstained": Judgement(Status.ABSTAINED, seconds=1.0),
        "not assessable": Judgement(Status.NOT_ASSESSABLE, seconds=0.001),
        "failed": Judgement(Status.FAILED, seconds=9.0),
    }
    cases = [replace(CASES[0], id=name) for name in made]
    run = finished(store, cases, {"fixed": Fixed(made)})
    timed = {cases[k.row].id for k in store.judgements(run, 0) if k.timed}
    assert timed == {"scored", "invalid", "abstained"}


def test_a_local_method_may_keep_nothing_so_that_its_seconds_are_its_own(store: Store) -> None:
    said: list[bool] = []
    finished(store, CASES[:2], {"a": Steady("a", does=lambda case: said.append(may_keep()))})
    assert said == [False] * 3


@pytest.mark.parametrize("at", ["case-0", "case-7"])
def test_a_stop_keeps_nothing_by_halves_and_what_is_left_is_made_later(store: Store, at: str) -> None:
    stop = threading.Event()

    def does(case: Case) -> None:
        if case.id == at and not stop.is_set():
            stop.set()
            report(1, 2)
            raise AssertionError("the stop was not heard")

    scorers: dict[str, Scorer] = {"a": Steady("a", does=does), "b": Steady("b")}
    run = planned(store, CASES, scorers)
    assert benchmark.work(store, run, scorers, stop=stop) == STOPPED
    listed = store.run(run)
    assert listed.finished == ""
    row = CASES.index(next(c for c in CASES if c.id == at))
    assert (0, row) not in store.done(run)
    assert sum(listed.done) == (2 * row + 1 if row else 0)
    again: dict[str, Scorer] = {"a": Steady("a"), "b": Steady("b")}
    assert benchmark.work(store, run, again) == Outcome(True)
    assert store.run(run).done == (12, 12)
    # A warm-up, and what was left.
    assert len(again["a"].seen) == 1 + 12 - listed.done[0]  # type: ignore[attr-defined]
    assert [start.done for start in store.starts(run)] == ([(0, 0)] if row == 0 else [(0, 0), listed.done])


def test_a_stop_before_anything_does_nothing(store: Store) -> None:
    stop = threading.Event()
    stop.set()
    run = planned(store, CASES, two_methods())
    assert benchmark.work(store, run, two_methods(), stop=stop) == STOPPED
    assert store.done(run) == set()
    assert store.starts(run) == []


def test_a_finished_run_is_left_as_it_is(store: Store) -> None:
    run = finished(store, CASES, two_methods())
    before = store.run(run)
    scorers = two_methods()
    assert benchmark.work(store, run, scorers) == Outcome(True)
    assert store.run(run) == before
    assert scorers["first"].seen == []  # type: ignore[attr-defined]
    assert len(store.starts(run)) == 1


def test_a_method_that_is_gone_or_changed_is_told_and_nothing_is_lost(store: Store) -> None:
    run = planned(store, CASES, two_methods())
    store.add(run, 0, 3, Judgement(Status.SCORED, support=0.5), timed=True)
    with pytest.raises(StoreError, match=r"second of this run is not here any more. Its judgements are kept; start a new run"):
        benchmark.work(store, run, {"first": Scripted("first")})
    changed: dict[str, Scorer] = {"first": Scripted("other"), "second": Scripted("second")}
    with pytest.raises(StoreError, match=r"was first\|scripted and is now other\|scripted. Set it back to go on, or start a new"):
        benchmark.work(store, run, changed)
    assert store.done(run) == {(0, 3)}
    assert benchmark.work(store, run, two_methods()) == Outcome(True)


def test_a_method_that_has_judged_everything_is_not_needed_any_more(store: Store) -> None:
    run = planned(store, CASES, two_methods())
    for row in range(12):
        store.add(run, 0, row, Judgement(Status.SCORED, support=0.5), timed=True)
    assert benchmark.work(store, run, {"second": Scripted("second")}) == Outcome(True)


def test_scores_of_another_tool_are_left_as_they_are(store: Store) -> None:
    method = MethodRun("recorded:tool.metric", "recorded:tool.metric|file=1", "Tool: metric")
    scores = tuple(Judgement(Status.SCORED, support=i / 12) for i in range(12))
    plan = planning.plan("Both", "f", CASES, [planning.method_run("first", Scripted("first"), {})])
    run = planning.begin(store, plan, CASES, [Attached(method, scores)])
    assert benchmark.work(store, run, {"first": Scripted("first")}) == Outcome(True)
    data = read_store(store, run)
    assert data.support[1].tolist() == [i / 12 for i in range(12)]
    assert not data.timed[1].any()
    assert data.timed[0].any()


def test_a_store_that_fails_ends_the_work_with_its_sentence(store: Store, path: Path) -> None:
    def does(case: Case) -> None:
        if case.id == "case-4":
            store.close()
            path.write_bytes(b"damaged" * 10_000)
            for ending in ("-wal", "-shm"):
                path.with_name(path.name + ending).unlink(missing_ok=True)

    scorers: dict[str, Scorer] = {"a": Steady("a", does=does)}
    run = planned(store, CASES, scorers)
    with pytest.raises(StoreError, match="is damaged or no store of runs"):
        benchmark.work(store, run, scorers)
    assert not store.busy(run)


@pytest.mark.parametrize("splits", [("dev", "test", "test"), (None, None, None)])
def test_nothing_is_used_again_where_latency_is_measured(store: Store, splits: tuple[str | None, ...]) -> None:
    seen: dict[str, bool] = {}

    def does(case: Case) -> None:
        seen[case.id] = may_remember()

    cases = [replace(case, split=split) for case, split in zip(CASES, splits, strict=False)]
    finished(store, cases, {"a": Steady("a", does=does)})
    # Without a dev split every response is measured.
    assert list(seen.values()) == [split == "test" for split in splits]
