"""The engine: what is kept, what is tried again, what is left alone, what is paid, and how work ends."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from threading import Barrier, Event
from types import SimpleNamespace

import pytest

from groundscope.chat.budget import BUDGET, Cost, Limits
from groundscope.errors import StoreError
from groundscope.experiments import work as engine
from groundscope.experiments.listing import seconds_left
from groundscope.experiments.plan import Count, Place, Progress, Result
from groundscope.experiments.steps import LANES, Phase, Tick
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import PATIENCE, STOPPED, work
from groundscope.runtime.progress import report
from tests.groundscope.experiments.toy import LOCAL, PAID, ROWS, Toy, made, unavailable

ROOT = Path(__file__).resolve().parents[3]
WHY = "Its server is gone."


def test_all_places_get_both_stages_and_the_cost_of_each_result_stands_beside_it(tmp_path: Path) -> None:
    file, heard = made(tmp_path), list[Tick]()
    ended = work(file, Toy(file), hear=heard.append)
    assert (ended.finished, ended.why, ended.failed, ended.nothing) == (True, "", Counter(), False)
    assert file.counts("doubled") == file.counts("read") == {0: Count(ROWS, 0), 1: Count(ROWS, 0)}
    assert [s.content for s in file.results("doubled", 0)] == [{"n": 2 * n} for n in range(ROWS)]
    assert {s.cost for s in file.results("doubled", 1)} == {Cost(1, 10, 0.25)}
    assert {s.cost for s in file.results("read")} == {s.cost for s in file.results("doubled", 0)} == {Cost()}
    assert file.spent() == Cost(ROWS, 10 * ROWS, 0.25 * ROWS)
    assert max((t.done, t.total) for t in heard) == (2 * ROWS, 2 * ROWS)
    # Local parts are loaded first, one time each.
    assert [t.part for t in heard if not t.status] == ["Local"]
    (start,) = file.starts()
    assert dict(start.cold) == {"local": 0.5}
    assert file.finished()


def test_nothing_is_done_twice(tmp_path: Path) -> None:
    file = made(tmp_path)
    assert work(file, Toy(file)).finished
    again = Toy(file)
    assert work(file, again).finished
    assert again.did == []
    assert len(file.starts()) == 1


def test_a_fault_is_kept_beside_its_row_with_its_reason_and_retried_when_asked(tmp_path: Path) -> None:
    file = made(tmp_path)
    ended = work(file, Toy(file, at=unavailable(Place(1, 0, 3), Place(1, 0, 7))))
    assert (ended.finished, ended.failed) == (True, Counter({f"Paid: {WHY}": 2}))
    assert file.faults() == Counter({WHY: 2})
    assert [(s.place.row, s.status) for s in file.results("doubled", 1) if s.status == "failed"] == [(3, "failed"), (7, "failed")]
    assert work(file, Toy(file)).finished
    assert file.faults().total() == 2
    assert file.retry(but=[1]) == 0
    assert file.retry() == 2
    again = Toy(file)
    assert work(file, again).finished
    assert sorted(p.row for p in again.did) == [3, 7]
    assert file.faults() == Counter()


def test_a_server_that_fails_five_times_in_a_row_is_left_alone_and_its_rows_count_as_never_tried(tmp_path: Path) -> None:
    file, together = made(tmp_path), Barrier(LANES)

    def gone(place: Place) -> None:
        if place.part == 1:
            # Others are under way when it is given up.
            together.wait(30) if place.row < LANES else None
            unavailable()(place)

    toy = Toy(file, at=gone)
    ended = work(file, toy)
    assert (ended.finished, ended.paused) == (False, False)
    assert ended.why == f"Paid failed {PATIENCE} times in a row and was skipped: {WHY} Resume to try it again."
    assert file.about("ended") == ended.why
    assert file.counts("doubled") == {0: Count(ROWS, 0)}
    assert file.faults() == Counter()
    # No more than those that were under way together were asked.
    assert len([p for p in toy.did if p.part == 1]) <= PATIENCE + LANES - 1 < ROWS
    assert work(file, Toy(file)).finished
    assert file.about("ended", "") == ""


def test_what_stops_the_work_stays_with_the_job_until_it_goes_on(tmp_path: Path) -> None:
    file = made(tmp_path, (LOCAL,))

    def full(place: Place) -> None:
        raise StoreError("The disk is full.")

    with pytest.raises(StoreError):
        work(file, Toy(file, at=full))
    assert file.about("ended") == "The disk is full."
    assert work(file, Toy(file)).finished
    assert file.about("ended", "") == ""


def test_where_places_are_worked_on_elsewhere_a_spent_budget_ends_only_what_asks(tmp_path: Path) -> None:
    class Elsewhere(Toy):
        apart = True

    file = made(tmp_path)
    file.allow(Limits(calls=2))
    ended = work(file, Elsewhere(file))
    assert not ended.finished
    assert file.counts("doubled") == {0: Count(ROWS, 0), 1: Count(2, 0)}


def test_failures_that_are_not_in_a_row_do_not_end_a_part(tmp_path: Path) -> None:
    file = made(tmp_path, (PAID,))
    bad = [Place(0, 0, row) for row in range(0, ROWS, 2)]
    ended = work(file, Toy(file, at=unavailable(*bad[:4])))
    assert ended.finished
    assert file.faults().total() == 4


def test_a_part_without_a_server_may_fail_at_every_row_and_the_job_is_nothing(tmp_path: Path) -> None:
    file = made(tmp_path, (LOCAL,))
    ended = work(file, Toy(file, at=unavailable()))
    assert (ended.finished, ended.nothing) == (True, True)
    assert file.counts("doubled") == {0: Count(ROWS, ROWS)}


def test_a_fault_of_a_first_phase_leaves_its_part_for_the_next_start(tmp_path: Path) -> None:
    file = made(tmp_path)
    ended = work(file, Toy(file, indexes=True, at=lambda p: unavailable()(p) if p == Place(1, -1, -1) else None))
    assert (ended.finished, ended.why) == (False, f"Paid failed: {WHY} Resume to try it again.")
    assert file.counts("doubled") == {0: Count(ROWS, 0)}
    again = Toy(file, indexes=True)
    assert work(file, again).finished
    assert Place(0, -1, -1) not in again.did
    assert file.counts("doubled") == {0: Count(ROWS, 0), 1: Count(ROWS, 0)}
    # Preparing is no pace of what comes after it, and results are never counted against what was prepared.
    assert [start.done for start in file.starts()] == [(), (), (ROWS,), (ROWS,)]
    assert seconds_left(file.counts("doubled"), {1: ROWS + 4}, file.starts()[2])[1] is not None


def test_what_could_not_be_prepared_stops_nothing_of_its_title_in_the_next_phase(tmp_path: Path) -> None:
    class Apart(Toy):
        def phases(self) -> Iterator[Phase]:
            yield Phase("index", [Place(0, -1, -1)], final="doubled")
            yield Phase("doubled", [Place(0, 0, row) for row in range(ROWS)])

    file = made(tmp_path, (LOCAL,))
    assert not work(file, Apart(file, at=unavailable(Place(0, -1, -1)))).finished
    assert file.counts("doubled") == {0: Count(ROWS, 0)}


def test_what_a_long_step_is_at_is_forgotten_when_it_has_ended(tmp_path: Path) -> None:
    file, seen = made(tmp_path, (LOCAL,)), list[Progress | None]()
    assert work(file, Toy(file, indexes=True, at=lambda place: seen.append(file.at_work()))).finished
    assert seen[0] == Progress("index", "Local", 1, 2)
    assert seen[-1] is None


def test_the_time_left_of_a_long_step_goes_by_its_pace_after_the_first_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, ticks, now = made(tmp_path, (LOCAL,)), list[Tick](), 0.0
    monkeypatch.setattr(engine, "time", SimpleNamespace(monotonic=lambda: now))

    def passes(place: Place) -> None:
        nonlocal now
        # What an earlier start did comes at once; another setting of a search begins again.
        for seconds, done in ((0.0, 100), (0.5, 400), (1.5, 402), (2.5, 420), (3.5, 900), (4.5, 5), (5.5, 105)) * (place.row < 0):
            now = seconds
            report(done, 900)

    work(file, Toy(file, indexes=True, at=passes), hear=ticks.append)
    left = {tick.done: tick.left for tick in ticks if tick.total == 900}
    assert left == {100: None, 400: None, 402: None, 420: pytest.approx(48), 900: None, 5: None, 105: pytest.approx(7.95)}


def test_what_another_library_says_is_not_repeated(tmp_path: Path) -> None:
    def quoting(place: Place) -> None:
        raise RuntimeError("a secret of the case")

    file = made(tmp_path, (LOCAL,))
    ended = work(file, Toy(file, at=quoting))
    assert list(ended.failed) == ["Local: A part failed in a way that is not known (RuntimeError)."]


@pytest.mark.parametrize(("limits", "calls"), [(Limits(calls=5), 5), (Limits(dollars=1.5), 5)])
def test_a_limit_is_the_whole_jobs_over_five_starts(tmp_path: Path, limits: Limits, calls: int) -> None:
    file = made(tmp_path, (PAID,), limits)
    for _ in range(5):
        ended = work(file, Toy(file))
        assert not ended.finished
        assert ended.why.startswith(BUDGET)
        assert file.spent().calls == file.counts("doubled")[0].done
    assert file.spent().calls == calls
    file.allow(Limits())
    assert work(file, Toy(file)).finished
    assert file.spent() == Cost(ROWS, 10 * ROWS, 0.25 * ROWS)


def test_a_pause_keeps_everything_and_leaves_no_reason(tmp_path: Path) -> None:
    file, stop = made(tmp_path), Event()
    ended = work(file, Toy(file), hear=lambda tick: stop.set() if tick.done >= 5 else None, stop=stop)
    assert (ended.finished, ended.paused, ended.why) == (False, True, STOPPED)
    assert file.about("ended", "") == ""
    assert not file.finished()
    assert work(file, Toy(file)).finished


@pytest.mark.parametrize(
    ("here", "words"),
    [
        ((PAID,), "Local of this job is no longer available"),
        ((replace(LOCAL, signature="local|2"), PAID), r"its signature was local\|1 and is now local\|2"),
    ],
)
def test_a_part_that_is_gone_or_was_changed_is_named_before_anything_is_done(
    tmp_path: Path, here: tuple[object, ...], words: str
) -> None:
    file = made(tmp_path)
    toy = Toy(file, parts=here)  # type: ignore[arg-type]
    with pytest.raises(StoreError, match=words):
        work(file, toy)
    assert toy.did == []


def test_results_that_exist_already_are_stages_filled_beforehand(tmp_path: Path) -> None:
    file = JobFile(tmp_path / "job.sqlite")
    given = [(Place(0, 0, row), Result("doubled", {"n": 0})) for row in range(ROWS)]
    file.fill({"name": "Toy", "parts": [asdict(LOCAL)]}, {"numbers": [{"n": n} for n in range(ROWS)]}, given)
    toy = Toy(file)
    assert work(file, toy).finished
    assert toy.did == []


_KILLED = """
import sys, time
from pathlib import Path
from groundscope.chat.budget import budget
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import work
from tests.groundscope.experiments.toy import Toy
file = JobFile(Path(sys.argv[1]))
def slow(place):
    if place.part == 1 and place.row >= 4:
        with budget().set_aside(0.5):
            time.sleep(60)
    time.sleep(0.05)
work(file, Toy(file, at=slow))
"""


def test_after_a_kill_in_the_middle_of_calls_nothing_is_lost_and_what_may_be_billed_is_known(tmp_path: Path) -> None:
    file = made(tmp_path)
    child = subprocess.Popen([sys.executable, "-c", _KILLED, str(file.path)], env={**os.environ, "PYTHONPATH": str(ROOT)})
    until = time.monotonic() + 60
    while file.counts("doubled").get(0, Count()).done < ROWS or file.spent().unanswered < 8:
        assert time.monotonic() < until
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.wait(30)
    before = {s.place: s for s in file.results("doubled")}
    assert len(before) == ROWS + 4
    # Eight calls were under way, and may be billed.
    assert file.spent() == Cost(4 + 8, 40, 1.0, 0, 8, 4.0)
    assert not file.busy()
    again = Toy(file)
    assert work(file, again).finished
    assert sorted(p.row for p in again.did) == list(range(4, ROWS))
    assert before.items() <= {s.place: s for s in file.results("doubled")}.items()
    assert file.spent() == Cost(ROWS + 8, 10 * ROWS, 0.25 * ROWS, 0, 8, 4.0)
