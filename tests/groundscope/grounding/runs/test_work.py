"""A run's work: errors of one case, stopping, what counts as latency, methods that changed, and methods that ask a chat model."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from groundscope.chat.budget import Limits, budget
from groundscope.chat.messages import Estimate
from groundscope.errors import BudgetSpent, Cancelled, StoreError
from groundscope.experiments.steps import LANES, Outcome, Tick
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import STOPPED
from groundscope.grounding.runs import work as run_work
from groundscope.grounding.runs.store import JUDGEMENT, judgements, place
from groundscope.grounding.runs.work import ReadAhead
from groundscope.methods import Method
from groundscope.runtime.machine import stamp
from groundscope.runtime.progress import report
from groundscope.runtime.retention import may_keep, may_remember, reused
from groundscope.types import Case, Judgement, SentenceScore, Status
from tests.groundscope.grounding.runs.scripted import (
    HOSTILE,
    Scripted,
    Steady,
    add,
    cases_of,
    done,
    failed,
    finished,
    judge,
    places,
    planned,
    two_methods,
)

CASES = cases_of(12)


def _contents(run: JobFile, method: int) -> list[dict[str, object]]:
    return [{**k.content, "status": k.status} for k in judgements(run, method)]


def test_an_error_in_one_case_is_that_cases_result_and_the_run_goes_on() -> None:
    def does(case: Case) -> None:
        if case.id in ("case-0", "case-5"):
            raise RecursionError(HOSTILE)
        if case.id == "case-6":
            raise MemoryError

    scorers: dict[str, Method] = {"bad": Steady("bad", does=does), "good": Steady("good")}
    run = finished(CASES, scorers)
    bad, good = _contents(run, 0), _contents(run, 1)
    assert [c["status"] for c in bad] == ["failed" if i in (0, 5, 6) else "scored" for i in range(12)]
    assert bad[5]["note"] == f"The method failed on this response (RecursionError: {HOSTILE})."
    assert bad[5]["context_seen"] == 0.0
    assert {c["status"] for c in good} == {"scored"}
    assert failed(run) == (3, 0)
    assert run.finished()
    # What cannot judge its first case has no cold start.
    assert run.starts()[0].cold.keys() == {"good"}


def test_a_method_that_gives_odd_things_stops_nothing() -> None:
    half = np.float32(0.5)
    odd = Judgement(Status.SCORED, half, (SentenceScore(0, 5, half),), seconds=half, calls=np.int64(3))  # type: ignore[arg-type]

    class Careless(Steady):
        def score(self, case: Case) -> Judgement:
            return odd if case.id != "case-1" else None  # type: ignore[return-value]

    run = finished(CASES[:3], {"a": Careless("careless"), "b": Steady("b")})
    found = _contents(run, 0)
    assert [c["status"] for c in found] == ["scored", "failed", "scored"]
    assert "it gave NoneType instead of a judgement" in str(found[1]["note"])
    assert (found[0]["support"], found[0]["calls"], found[0]["sentences"]) == (0.5, 3, [[0, 5, 0.5, [], None]])


def test_a_text_that_cannot_be_cut_into_sentences_is_each_methods_own_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str) -> None:
        raise RecursionError(text)

    monkeypatch.setattr("groundscope.grounding.runs.work.split", broken)
    run = finished(CASES[:3], {"a": Steady("a")})
    assert failed(run) == (0,)


def test_methods_take_turns_and_each_case_begins_with_another_one() -> None:
    order: list[tuple[str, str]] = []

    def noting(name: str) -> Callable[[Case], None]:
        return lambda case: order.append((case.id, name))

    scorers: dict[str, Method] = {name: Steady(name, does=noting(name)) for name in "abc"}
    finished(CASES[:4], scorers)
    warm_up, judged = order[:3], order[3:]
    assert warm_up == [("case-0", "a"), ("case-0", "b"), ("case-0", "c")]
    turns = ["abc", "bca", "cab", "abc"]
    assert judged == [(f"case-{i}", name) for i, turn in enumerate(turns) for name in turn]


def test_the_warm_up_is_measured_apart_and_not_kept(tmp_path: Path) -> None:
    slow = Scripted("slow", 0.05)
    scorers: dict[str, Method] = {"slow": slow, "quick": Steady("quick")}
    steps: list[Tick] = []
    run = planned(CASES, scorers)
    judge(run, scorers, hear=steps.append)
    assert steps[:2] == [Tick(JUDGEMENT, "slow", place(0, 0)), Tick(JUDGEMENT, "quick", place(1, 0))]
    assert slow.seen == ["case-0", *(case.id for case in CASES)]
    (start,) = run.starts()
    assert (start.done, start.machine, start.cold.keys()) == ((), stamp(), {"slow", "quick"})
    assert start.cold["slow"] >= 0.05
    assert sorted((t.part, t.place.row) for t in steps[2:]) == sorted((m, row) for m in scorers for row in range(12))


def test_only_what_was_worked_for_is_timed() -> None:
    made = {
        "scored": Judgement(Status.SCORED, support=0.5, seconds=1.0),
        "kept": Judgement(Status.SCORED, support=0.5, seconds=0.001, cached=0.25),
        "invalid": Judgement(Status.INVALID, seconds=1.0),
        "abstained": Judgement(Status.ABSTAINED, seconds=1.0),
        "not assessable": Judgement(Status.NOT_ASSESSABLE, seconds=0.001),
        "failed": Judgement(Status.FAILED, seconds=9.0),
    }
    cases = [replace(CASES[0], id=name) for name in made]

    class Fixed(Steady):
        def score(self, case: Case) -> Judgement:
            return made[case.id]

    run = finished(cases, {"fixed": Fixed("fixed")})
    timed = {cases[k.place.row].id for k in judgements(run, 0) if k.timed}
    assert timed == {"scored", "invalid", "abstained"}


@pytest.mark.parametrize("row", [0, 7])
def test_a_stop_keeps_nothing_by_halves_and_what_is_left_is_made_later(row: int) -> None:
    stop = threading.Event()

    def does(case: Case) -> None:
        if case.id == f"case-{row}" and not stop.is_set():
            stop.set()
            report(1, 2)
            raise AssertionError("the stop was not heard")

    scorers: dict[str, Method] = {"a": Steady("a", does=does), "b": Steady("b")}
    run = planned(CASES, scorers)
    assert judge(run, scorers, stop=stop) == Outcome(False, STOPPED, paused=True)
    before = done(run)
    assert run.finished() == ""
    assert (0, row) not in places(run)
    assert sum(before) == (2 * row + 1 if row else 0)
    again: dict[str, Method] = {"a": Steady("a"), "b": Steady("b")}
    assert judge(run, again).finished
    assert done(run) == (12, 12)
    # A warm-up, and what was left.
    assert len(again["a"].seen) == 1 + 12 - before[0]  # type: ignore[attr-defined]
    assert [start.done for start in run.starts()] == ([()] if row == 0 else [(), before])


def test_a_method_that_is_gone_or_changed_is_reported_and_nothing_is_lost() -> None:
    run = planned(CASES, two_methods())
    add(run, 0, 3, Judgement(Status.SCORED, support=0.5), timed=True)
    with pytest.raises(StoreError, match="The method second of this job is no longer available"):
        judge(run, {"first": Scripted("first")})
    with pytest.raises(StoreError, match=r"was first\|scripted and is now other\|scripted"):
        judge(run, {"first": Scripted("other"), "second": Scripted("second")})
    assert places(run) == {(0, 3)}
    # One that has judged everything is not needed any more.
    for row in range(12):
        add(run, 0, row, Judgement(Status.SCORED, support=0.5), timed=True)
    assert judge(run, {"second": Scripted("second")}).finished


def test_a_store_that_fails_ends_the_work_with_its_sentence() -> None:
    def does(case: Case) -> None:
        if case.id == "case-4":
            run.close()
            run.path.write_bytes(b"damaged" * 10_000)
            for ending in ("-wal", "-shm"):
                run.path.with_name(run.path.name + ending).unlink(missing_ok=True)

    scorers: dict[str, Method] = {"a": Steady("a", does=does)}
    run = planned(CASES, scorers)
    with pytest.raises(StoreError, match="is damaged or not a file of a job"):
        judge(run, scorers)
    assert not run.busy()


@pytest.mark.parametrize("splits", [("dev", "test", "test"), (None, None, None)])
def test_nothing_is_used_again_where_latency_is_measured(splits: tuple[str | None, ...]) -> None:
    seen: list[tuple[bool, bool]] = []
    cases = [replace(case, split=split) for case, split in zip(CASES, splits, strict=False)]
    finished(cases, {"a": Steady("a", does=lambda case: seen.append((may_remember(), may_keep())))})
    # Without a dev split every response is measured. A local method keeps nothing anywhere: its seconds are its own.
    assert seen[1:] == [(split == "test", False) for split in splits]


@dataclass(frozen=True)
class Reader(Method):
    """Notes what it reads ahead, and whether it finds it when it judges."""

    signature: str = "reader"
    fails: type[BaseException] | None = None
    read: list[list[str]] = field(default_factory=list)
    found: list[bool] = field(default_factory=list)

    def read_ahead(self, cases: Sequence[Case]) -> None:
        self.read.append([case.id for case in cases])
        if self.fails:
            raise self.fails("no")
        held = reused()
        assert held is not None
        held.update({case.id: True for case in cases})

    def score(self, case: Case) -> Judgement:
        self.found.append(case.id in (reused() or {}))
        return Judgement(Status.SCORED, support=0.5)


def test_an_untimed_run_reads_ahead_window_by_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_work, "_CASES", 4)
    reader = Reader()
    run = finished(CASES[:10], {"a": Steady("a"), "b": reader}, timed=False)
    assert not any(k.timed for m in (0, 1) for k in judgements(run, m))
    assert reader.read == [[f"case-{i}" for i in rows] for rows in ((0, 1, 2, 3), (4, 5, 6, 7), (8, 9))]
    # The first judgement warms up, before anything is read ahead.
    assert reader.found == [False, *[True] * 10]
    # A timed run works case by case.
    timed = Reader()
    finished(CASES[:10], {"b": timed})
    assert (timed.read, any(timed.found)) == ([], False)


def test_where_it_fails_each_case_is_judged_by_itself() -> None:
    reader = Reader(fails=MemoryError)
    run = finished(CASES[:10], {"b": reader}, timed=False)
    assert len(reader.read) == 1
    assert {k.status for k in judgements(run, 0)} == {"scored"}


def test_a_pause_goes_through() -> None:
    reader = Reader(fails=Cancelled)
    with pytest.raises(Cancelled), ReadAhead(CASES[:10]).of(place(0, 0), reader):
        pass


def test_what_a_window_held_is_freed_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_work, "_CHARACTERS", 1)
    reader, made = Reader(), ReadAhead(CASES[:10])
    with made.of(place(0, 3), reader):
        assert list(reused() or ()) == ["case-3"]
    with made.of(place(0, 4), reader):
        assert list(reused() or ()) == ["case-4"]
    assert reused() is None


@dataclass
class Asking(Method):
    """Asks a chat model, as far as a run can tell; notes how many cases are under way at a time."""

    asks = True
    name: str = "asking"
    wait: float = 0.02
    spends: int = 0
    now: int = 0
    busiest: int = 0
    seen: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def signature(self) -> str:
        return f"{self.name}|asking"

    def estimate(self, case: Case) -> Estimate:
        return Estimate(1, 10, 10, 0.0, "host")

    def score(self, case: Case) -> Judgement:
        with self.lock:
            self.now += 1
            self.busiest = max(self.busiest, self.now)
            self.seen.append(case.id)
        try:
            threading.Event().wait(self.wait)
            if self.spends:
                with budget().set_aside(0.5, self.spends) as spent:
                    spent.answered(10, 0.5, self.spends)
            return Judgement(Status.SCORED, support=0.5, seconds=self.wait, calls=self.spends, cost=0.5)
        finally:
            with self.lock:
                self.now -= 1


def test_methods_that_ask_run_several_cases_at_a_time_beside_the_local_ones() -> None:
    answered = threading.Event()

    def does(case: Case) -> None:
        if case.id == "case-5":
            assert answered.wait(30)

    def hear(tick: Tick) -> None:
        if tick.part == "asking" and tick.status:
            answered.set()

    asking = Asking("asking", 0.2)
    scorers: dict[str, Method] = {"asking": asking, "local": Steady("local", does=does)}
    run = planned(CASES, scorers)
    assert judge(run, scorers, hear=hear).finished
    assert failed(run) == (0, 0)
    assert asking.busiest == LANES
    assert sorted(asking.seen) == sorted(c.id for c in CASES)
    assert run.starts()[0].cold.keys() == {"local"}
    assert {k.timed for k in judgements(run, 0)} == {True}


def test_a_spent_budget_stops_those_that_ask_and_the_local_ones_finish() -> None:
    local = Steady("local")
    scorers: dict[str, Method] = {"asking": Asking("asking", spends=1), "local": local}
    run = planned(CASES, scorers, calls=5)
    ended = judge(run, scorers)
    assert not ended.finished
    assert ended.why.startswith("Stopped by the budget: all of its 5 calls are made; raise it and resume")
    assert done(run) == (5, 12)
    assert run.spent()[:3] == (5, 50, 2.5)
    # The budget is the run's: going on within it makes no further call.
    again = Asking("asking", spends=1)
    assert not judge(run, {"asking": again, "local": local}).finished
    assert done(run) == (5, 12)
    run.allow(Limits(12, None))
    assert judge(run, {"asking": Asking("asking", spends=1), "local": local}).finished
    assert done(run) == (12, 12)
    assert run.spent()[:3] == (12, 120, 6.0)


def test_a_stop_while_models_are_asked_keeps_what_came_back() -> None:
    stop = threading.Event()
    asking = Asking("asking", 0.05)

    def hear(tick: Tick) -> None:
        if tick.status:
            stop.set()

    run = planned(CASES, {"asking": asking})
    assert judge(run, {"asking": asking}, hear=hear, stop=stop) == Outcome(False, STOPPED, paused=True)
    assert 1 <= len(places(run)) <= LANES
    assert len(asking.seen) <= LANES + 1
    assert judge(run, {"asking": Asking("asking", 0.0)}).finished


def test_a_budget_that_is_spent_in_a_local_method_is_no_failure_of_a_case() -> None:
    def does(case: Case) -> None:
        if case.id == "case-3":
            raise BudgetSpent("Stopped by the budget: enough.")

    scorers: dict[str, Method] = {"a": Steady("a", does=does)}
    run = planned(CASES, scorers)
    assert judge(run, scorers) == Outcome(False, "Stopped by the budget: enough.")
    assert failed(run) == (0,)
    assert (0, 3) not in places(run)


def test_batches_need_kept_replies() -> None:
    scorers: dict[str, Method] = {"asking": Asking("asking")}
    run = planned(CASES, scorers, keeps_replies=False)
    with pytest.raises(StoreError, match=r"saves no replies.*resume without batches"):
        judge(run, scorers, batches=True)
    assert judge(run, scorers).finished
