"""Experiments: nothing is lost by a stop, a failure or a kill, and what they hold is what was found, written and said."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from threading import Event

import pytest

from evaluation.errors import Cancelled, StoreError
from evaluation.rag import experiments
from evaluation.rag.experiment_file import Part, Plan
from evaluation.rag.outcomes import Outcome, outcome
from evaluation.rag.types import Benchmark, Question
from evaluation.rag.work import Tick, work
from tests.evaluation.rag.parts import BENCHMARK, PASSAGES, QUESTIONS, Copies, Nearest, Numbers, begun, files, parts, plan_of


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("asks", [False, True])
def test_every_combination_answers_every_question(asks: bool) -> None:
    made = parts(asks=asks, copies=Copies(), other=Copies("other"))
    file = begun(made)
    told: list[Tick] = []
    ended = work(file, made, hear=told.append)
    assert (ended.finished, ended.why, dict(ended.failed)) == (True, "", {})
    found = experiments.answers(file)
    assert len(found) == 2 * 2 * 12
    assert {(a.embedder, a.model) for a in found} == {(e, m) for e in ("Near", "Far") for m in ("Copies", "Other")}
    for a in found:
        assert len(a.context) == 3
        assert (a.correct, a.hit) == ((True, True) if a.embedder == "Near" else (False, False))
        assert outcome(a) is (Outcome.SUCCESS if a.embedder == "Near" else Outcome.RETRIEVAL)
        assert a.reasons == "by rule"
    assert (told[-1].done, told[-1].total) == (48, 48)
    assert file.hits(0) is not None
    assert [len(h) for h in file.hits(0) or []] == [10] * 12


def test_what_is_done_is_not_done_again() -> None:
    made = parts()
    file = begun(made)
    work(file, made)
    again = parts()
    assert work(file, again).finished
    assert (again.judge.calls, again.generators["copies"].calls) == (0, [])  # type: ignore[attr-defined]
    assert [r.asked for r in again.retrievers.values()] == [0, 0]  # type: ignore[attr-defined]


def test_a_generator_that_fails_for_a_third_loses_nothing_and_is_asked_again() -> None:
    made = parts({"near": Nearest()}, copies=Copies(broken=True))
    file = begun(made)
    ended = work(file, made)
    assert not ended.finished
    assert ended.why == "4 answers are left; go on to try them again."
    assert dict(ended.failed) == {"The model did not answer; try again later.": 4}
    assert len(experiments.answers(file)) == 8
    mended = parts({"near": Nearest()}, copies=Copies())
    assert work(file, mended).finished
    assert len(mended.generators["copies"].calls) == 4  # type: ignore[attr-defined]
    assert len(experiments.answers(file)) == 12


def test_a_generator_whose_server_is_gone_is_left_alone_and_the_others_go_on() -> None:
    made = parts({"near": Nearest()}, gone=Copies("gone", broken=True, every=1), here=Copies("here"))
    file = begun(made)
    ended = work(file, made)
    assert sum(ended.failed.values()) == 5
    assert len(made.generators["gone"].calls) == 5  # type: ignore[attr-defined]
    assert [a.model for a in experiments.answers(file)] == ["Here"] * 12


def test_a_part_that_breaks_in_its_own_way_stops_nothing_and_quotes_nothing() -> None:
    class Odd(Copies):
        def answer(self, question: str, passages: object) -> object:  # type: ignore[override]
            raise KeyError(question)

    made = parts({"near": Nearest()}, odd=Odd("odd"), here=Copies("here"))  # type: ignore[arg-type]
    file = begun(made)
    ended = work(file, made)
    assert dict(ended.failed) == {"A part failed in a way that is not known (KeyError).": 5}
    assert len(experiments.answers(file)) == 12


def test_a_stop_keeps_what_was_done() -> None:
    made, stop = parts(), Event()
    file = begun(made)

    def hear(tick: Tick) -> None:
        if tick.stage == "answer" and tick.done >= 5:
            stop.set()

    ended = work(file, made, hear=hear, stop=stop)
    assert (ended.finished, ended.why) == (False, "Stopped. What was done is kept; go on whenever you like.")
    assert len(file.verdicts()) == 5
    assert work(file, parts()).finished


def test_an_answer_that_could_not_be_judged_is_not_written_again() -> None:
    class Down(Numbers):
        def judge(self, *_: object) -> object:  # type: ignore[override]
            raise Cancelled("stopped")

    made = parts({"near": Nearest()})
    file = begun(made)
    work(file, made._replace(judge=Down()))  # type: ignore[arg-type]
    assert (len(file.written()), len(file.verdicts())) == (1, 0)
    (unjudged,) = experiments.answers(file)
    assert (unjudged.correct, unjudged.grounded) == (None, None)
    again = parts({"near": Nearest()})
    work(file, again)
    assert len(again.generators["copies"].calls) == 11  # type: ignore[attr-defined]


_KILLED = """
import sys, time
from tests.evaluation.rag.parts import Copies, Nearest, parts
from evaluation.rag import experiments
from evaluation.rag.work import work
class Slow(Copies):
    def answer(self, question, passages):
        time.sleep(0.05)
        return super().answer(question, passages)
work(experiments.opened(sys.argv[1]), parts({"near": Nearest(), "far": Nearest(1)}, copies=Slow()))
"""


def test_a_killed_run_goes_on_where_it_was() -> None:
    made = parts()
    file = begun(made)
    name = file.path.stem
    child = subprocess.Popen([sys.executable, "-c", _KILLED, name], env={**os.environ, "PYTHONPATH": str(Path.cwd())})
    until = time.monotonic() + 60
    while file.counts()[2] < 3:
        assert time.monotonic() < until
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(signal.SIGSTOP)
    with pytest.raises(StoreError, match="Another process works on this run"):
        work(experiments.opened(name), made)
    child.kill()
    child.wait(30)
    before = file.counts()[2]
    assert 3 <= before < 24
    assert work(file, made).finished
    assert made.judge.calls == 24 - before  # type: ignore[attr-defined]


def test_a_part_that_is_gone_or_changed_is_named() -> None:
    made = parts()
    file = begun(made)
    with pytest.raises(StoreError, match=r"Far of this experiment is not here any more"):
        work(file, made._replace(retrievers={"near": Nearest()}))
    with pytest.raises(StoreError, match=r"Near is not what this experiment began with"):
        work(file, made._replace(retrievers={"near": Nearest(7), "far": Nearest(1)}))


def test_what_makes_no_experiment_is_refused() -> None:
    part, judge = Part("a", "A", "s"), Part("j", "J", "j")
    for chosen, words in (
        (((), (part,), judge, 5), "at least one embedder"),
        (((part, part), (part,), judge, 5), "Each embedder can be chosen once"),
        (((part,), (part,), judge, 0), "k must be a whole number"),
    ):
        with pytest.raises(ValueError, match=words):
            Plan("x", *chosen)  # type: ignore[arg-type]
    for empty in (Benchmark("b", (), QUESTIONS), Benchmark("b", PASSAGES, ())):
        with pytest.raises(ValueError, match="needs passages and questions"):
            experiments.create(plan_of(parts()), empty)


def test_experiments_are_listed_and_deleted_with_everything(data: Path) -> None:
    made = parts()
    file = begun(made)
    work(file, made)
    (one,), troubles = experiments.listed()
    assert (one.plan, one.questions, one.judged, one.wanted, one.finished, one.busy) == (plan_of(made), 12, 24, 24, True, False)
    assert troubles == []
    experiments.delete(one.id)
    assert experiments.listed() == ([], [])
    assert files(data) == []
    experiments.delete(one.id)


def test_a_file_that_is_none_is_named_and_the_others_stay(data: Path) -> None:
    begun(parts())
    (data / "rag" / "20990101-000000-aaaaaa.sqlite").write_bytes(b"no database at all, but long enough to look at" * 9)
    found, troubles = experiments.listed()
    assert len(found) == 1
    assert len(troubles) == 1
    assert "is damaged or no file of an experiment" in troubles[0]


@pytest.mark.parametrize("name", ["../../etc/passwd", "gone", "", "a/b"])
def test_only_experiments_are_opened(name: str) -> None:
    with pytest.raises(StoreError, match="There is no such experiment any more"):
        experiments.opened(name)


def test_hostile_texts_come_back_as_they_were() -> None:
    odd = "<script>alert(1)</script> \u202e right to left; DROP TABLE passages; ' \" \x00 end 3"
    benchmark = Benchmark("b", PASSAGES, (Question("q", f"{odd}?", odd, ("p3",)),))
    file = begun(parts({"near": Nearest()}), benchmark)
    (question,) = file.questions()
    assert question == benchmark.questions[0]
    assert file.passages() == list(BENCHMARK.passages)


def test_a_file_of_another_version_says_which_to_use() -> None:
    file = begun(parts())
    file.close()
    with sqlite3.connect(file.path) as db:
        db.execute("PRAGMA user_version = 9")
    db.close()
    with pytest.raises(StoreError, match="A newer Groundscope wrote"):
        experiments.opened(file.path.stem).plan()


def test_an_experiment_from_before_there_were_notes_is_read() -> None:
    file = begun(parts())
    file.close()
    with sqlite3.connect(file.path) as db:
        ((text,),) = db.execute("SELECT value FROM about WHERE name = 'plan'").fetchall()
        plan = json.loads(text)
        assert plan.pop("notes") == []
        db.execute("UPDATE about SET value = ? WHERE name = 'plan'", (json.dumps(plan),))
    db.close()
    assert experiments.opened(file.path.stem).plan() == plan_of(parts())


def test_one_answer_that_is_left_is_one() -> None:
    made = parts({"near": Nearest()}, copies=Copies(broken=True, every=11))
    benchmark = Benchmark("b", PASSAGES, QUESTIONS[1:])
    ended = work(begun(made, benchmark), made)
    assert ended.why == "1 answer is left; go on to try it again."
