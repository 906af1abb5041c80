"""The scoring worker with its real child process: results, progress, cancelling, and what a dying child leaves."""

import io
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from components.worker.child import _Child as _Serving
from components.worker.job import LEFT, Job
from components.worker.process import Worker
from components.worker.scoring_process import Order
from groundscope.grounding.sensitivity.leave_one_out import leave_one_out
from groundscope.methods import Method, registry
from groundscope.types import Case, Judgement, Passage, Status
from scorers.cos_sim import MINILM, CosSim
from tests.components.processes import PATIENCE, ended, scoring_process
from tests.loops import each

CONTEXT = (
    Passage("p1", "The court of appeal dismissed the appeal in 2003. It held that the notice was served too late."),
    Passage("p2", "Costs of 4,500 euros were awarded to the tenant."),
)
CASE = Case("c", "Who won?", CONTEXT, "The court of appeal dismissed the appeal. The landlord got 5,400 euros.")
LONG = Case("l", "q", CONTEXT, " ".join(f"Clause {i} binds the tenant{' and others' * (i % 70)}." for i in range(3000)))


@pytest.fixture(scope="module")
def shared() -> Iterator[Worker]:
    """One worker for the tests that leave it well, so that the model is loaded once."""
    with ended(Worker()) as worker:
        yield worker


@pytest.fixture
def worker() -> Iterator[Worker]:
    with ended(Worker()) as worker:
        yield worker


def _killed(worker: Worker) -> "subprocess.Popen[bytes]":
    process = scoring_process(worker)
    process.kill()
    process.wait(PATIENCE)
    return process


def _equal(judgement: Judgement | None, direct: Judgement) -> bool:
    assert judgement is not None
    same = (judgement.matrix is None) == (direct.matrix is None)
    if judgement.matrix is not None and direct.matrix is not None:
        same = bool((judgement.matrix == direct.matrix).all())
    return same and replace(judgement, seconds=0.0) == replace(direct, seconds=0.0)


@each("method", ["quip", "cos_sim:minilm", "cascade", "direct"])
def test_results_equal_direct_scoring(method: str, shared: Worker) -> None:
    job = shared.submit(method, CASE)
    assert _equal(job.future.result(PATIENCE), registry.load(method).score(CASE))


def test_what_carries_a_sentence_is_found_in_the_child_as_here(shared: Worker) -> None:
    result = shared.leave_one_out("overlap", CASE, ()).future.result(PATIENCE)
    assert result == leave_one_out(registry.load("overlap"), CASE)
    assert result.sources[0].supports != result.full.supports
    running = shared.leave_one_out("cos_sim:minilm", LONG, ())
    shared.cancel(running)
    assert running.future.result(PATIENCE) is None


def test_odd_characters_reach_the_child_unchanged(shared: Worker) -> None:
    text = "The court \ud800 dismissed \x00 the 👩‍⚖️ appeal\r\nand \u202e claim."
    odd = Case("\udfff", "q", (Passage("p", text),), text)
    assert _equal(shared.submit("quip", odd).future.result(PATIENCE), registry.load("quip").score(odd))


def test_progress_ends_at_everything_and_has_words(shared: Worker) -> None:
    job = shared.submit("cos_sim:minilm", CASE)
    assert job.future.result(PATIENCE) is not None
    assert job.started
    assert job.done == job.total == 5
    assert job.words == "Scoring, 100 %"


def test_a_cancelled_job_gives_none_and_the_others_their_results(shared: Worker) -> None:
    running = shared.submit("cos_sim:minilm", LONG, session="first")
    queued = [shared.submit("cos_sim:minilm", replace(LONG, id=str(i)), session="first") for i in range(3)]
    other = shared.submit("quip", CASE, session="other")
    # Of others who use the app nothing is said.
    assert queued[0].words == "Begins soon"
    for job in (*queued, running):
        shared.cancel(job)
    assert [job.future.result(PATIENCE) for job in (running, *queued)] == [None] * 4
    assert not any(job.started for job in queued)
    assert _equal(other.future.result(PATIENCE), registry.load("quip").score(CASE))


def test_a_long_case_of_one_session_lets_the_others_go_first_and_gives_the_same_result(shared: Worker) -> None:
    long = replace(LONG, response=LONG.response[:100_000])
    finished: list[str] = []

    def note(job: Job, name: str) -> Job:
        job.future.add_done_callback(lambda _: finished.append(name))
        return job

    running = note(shared.submit("cos_sim:minilm", long, session="first"), "long")
    mine = note(shared.submit("quip", replace(CASE, id="mine"), session="first"), "after it")
    # As if a page asked for them all the time.
    running.watched = mine.watched = float("inf")
    while not running.done and not running.future.done():
        time.sleep(0.01)
    methods = ("cos_sim:minilm", "overlap", "quip")
    others = [note(shared.submit(m, CASE, session=f"another {m}", quick=True), m) for m in methods]
    for job, method in zip(others, methods, strict=True):
        assert _equal(job.future.result(PATIENCE), registry.load(method).score(CASE))
    assert _equal(running.future.result(PATIENCE), registry.load("cos_sim:minilm").score(long))
    assert _equal(mine.future.result(PATIENCE), registry.load("quip").score(CASE))
    assert finished == [*methods, "long", "after it"]


def test_who_asks_for_the_same_score_shares_it_and_may_leave_it_to_the_others(shared: Worker) -> None:
    running = shared.submit("cos_sim:minilm", LONG, session="first")
    jobs = [shared.submit("quip", CASE, session=name) for name in ("first", "b")]
    assert jobs[0] is jobs[1]
    assert shared.submit("quip", CASE, keep=True) is not jobs[0], "what may be kept is another matter"
    shared.cancel(jobs[0])
    assert _equal(jobs[1].future.result(PATIENCE), registry.load("quip").score(CASE))
    assert shared.submit("quip", CASE, session="c") is not jobs[0]
    assert not running.future.done(), "the second reader does not wait behind what the first one asked for before"
    shared.cancel(running)
    assert running.future.result(PATIENCE) is None


def test_a_reader_who_left_holds_nobody_up_and_cases_that_wait_for_a_method_are_read_in_one_pass(shared: Worker) -> None:
    method, finished = "cos_sim:minilm", []

    def ask(name: str, response: str, **more: float) -> Job:
        job = shared.submit(method, replace(CASE, id=name, response=response), session=name)
        job.watched += more.get("since", 0.0)
        job.future.add_done_callback(lambda _: finished.append(name))
        return job

    long = LONG.response
    running = ask("left, at work", long, since=-LEFT)
    while not running.done:
        time.sleep(0.01)
    waiting = [ask("left, waits", CASE.response, since=-LEFT), *(ask(f"here {i}", f"Claim {i} was dismissed.") for i in range(3))]
    cancelled = waiting.pop()
    shared.cancel(cancelled)
    assert cancelled.future.result(PATIENCE) is None
    for job in waiting:
        judgement = job.future.result(PATIENCE)
        direct = registry.load(method).score(replace(CASE, response="Claim 0 was dismissed.")) if job is waiting[1] else None
        assert judgement.status is Status.SCORED
        assert direct is None or judgement.support == pytest.approx(direct.support, abs=0.01)
    assert waiting[1].leader or waiting[2].leader, "one read the other's case in its pass"
    assert set(finished[1:3]) == {"here 0", "here 1"}
    assert finished[3] == "left, waits"
    assert not running.future.done()
    running.watched = float("-inf")
    assert running.future.result(PATIENCE) is None, "given up at its next batch"


TEXTS = ["The court of appeal dismissed the appeal.", "Who won?", "", "The tenant paid 4,500 euros 😀.", "word " * 600]


def test_embeddings_equal_those_made_directly_and_say_how_far_they_are(shared: Worker) -> None:
    job = shared.embed("cos_sim:minilm", TEXTS)
    vectors = job.future.result(PATIENCE)
    assert (job.done, job.total, job.words) == (5, 5, "Scoring, 100 %")
    direct = CosSim(weights=MINILM).embed(TEXTS)
    assert vectors.dtype == direct.dtype
    assert vectors.shape == direct.shape == (5, 384)
    assert (vectors == direct).all()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-3)
    assert len(shared.embed("cos_sim:minilm", []).future.result(PATIENCE)) == 0


def test_a_score_goes_in_between_two_slices_of_an_embedding_which_stops_at_its_next_batch(shared: Worker) -> None:
    texts = [f"Clause {i} binds the tenant{' and others' * (i % 70)}." for i in range(3000)]
    running, waiting = shared.embed("cos_sim:minilm", texts), shared.embed("cos_sim:minilm", TEXTS)
    score = shared.submit("quip", CASE, session="another")
    assert _equal(score.future.result(PATIENCE), registry.load("quip").score(CASE))
    assert not running.future.done()
    shared.cancel(waiting)
    while not running.done and not running.future.done():
        time.sleep(0.01)
    shared.cancel(running)
    assert running.future.result(PATIENCE) is None
    assert 0 < running.done < running.total
    assert waiting.future.result(PATIENCE) is None
    assert not waiting.started


def test_a_method_that_is_unknown_or_embeds_nothing_fails_in_words_and_alone(shared: Worker) -> None:
    refused = shared.submit("no_such_method", CASE), shared.embed("overlap", TEXTS)
    known = shared.embed("cos_sim:minilm", TEXTS[:1])
    for job in refused:
        judgement = job.future.result(PATIENCE)
        assert isinstance(judgement, Judgement)
        assert (judgement.status, judgement.support) == (Status.FAILED, None)
        assert judgement.note
    assert known.future.result(PATIENCE).shape == (1, 384)


def test_a_dead_child_fails_what_ran_and_paused_and_the_next_one_does_what_waited(worker: Worker) -> None:
    running, paused = (worker.submit("cos_sim:minilm", replace(LONG, id=name), session=name) for name in "ab")
    waiting = worker.submit("quip", CASE, session="a")
    while not (running.done and paused.done):
        assert not waiting.started
        time.sleep(0.01)
    first = _killed(worker)
    assert _equal(waiting.future.result(PATIENCE), registry.load("quip").score(CASE))
    assert scoring_process(worker) is not first
    # A dead one fails an embedding too; one that died idle is started again.
    embedding = worker.embed("cos_sim:minilm", TEXTS)
    _killed(worker)
    for job in (running, paused, embedding):
        judgement = job.future.result(PATIENCE)
        assert isinstance(judgement, Judgement)
        assert judgement.status is Status.FAILED
        assert "ended" in judgement.note
        assert "starts again" in judgement.note
    assert _equal(worker.submit("quip", CASE).future.result(PATIENCE), registry.load("quip").score(CASE))
    process = scoring_process(worker)
    assert process.stdin is not None
    # Without anyone who asks, it ends.
    process.stdin.close()
    assert process.wait(PATIENCE) == 0


def test_a_job_of_a_dead_child_ends_although_a_new_child_was_started_first(worker: Worker) -> None:
    """The next page may ask for a score before the reader has noticed the death."""
    lost = worker.submit("cos_sim:minilm", LONG)
    with ThreadPoolExecutor() as threads:
        with worker._lock:
            asking = threads.submit(worker.submit, "quip", CASE)
            _killed(worker)
        assert asking.result(PATIENCE).future.result(PATIENCE).status is Status.SCORED
    assert lost.future.result(30).status is Status.FAILED


@each("method", ["cos_sim:minilm", "cos_sim", "no_such_method"])
def test_preparing_a_method_does_not_harm_the_jobs_after_it(method: str, shared: Worker) -> None:
    shared.prepare(method)
    job = shared.submit("quip", CASE)
    assert _equal(job.future.result(PATIENCE), registry.load("quip").score(CASE))


class _Boom(Method):
    signature = "boom"

    def score(self, case: Case) -> Judgement:
        raise RuntimeError(case.response + case.query + case.context[0].text)


def test_an_exception_in_a_scorer_shows_no_case_text(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry, "load", lambda name: _Boom())
    secret = Case("c", "zyxquery", (Passage("p", "zyxpassage is here."),), "zyxresponse is here.")
    answers = io.BytesIO()
    serving = _Serving(io.BytesIO(), answers)
    serving._do(Order("score", "boom", secret, number=1))
    answer = answers.getvalue()
    assert b"The method stopped with RuntimeError" in answer
    assert "scoring stopped with RuntimeError" in caplog.text
    assert "test_process.py" in caplog.text
    shown = capfd.readouterr()
    assert "zyx" not in caplog.text + shown.out + shown.err
    assert b"zyx" not in answer
