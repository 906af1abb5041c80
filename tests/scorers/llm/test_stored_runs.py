"""Runs in the store with methods that really ask: kept replies, budgets, batches, and what is timed."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from groundscope.chat import replies
from groundscope.chat.budget import NOTHING, Limits
from groundscope.experiments.steps import Tick
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import LANES
from groundscope.grounding.parts import NamedPart
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.reader import read_store
from groundscope.grounding.runs.store import FOLDER, KIND, plan_of
from groundscope.methods import Method
from groundscope.types import Case
from tests.groundscope.grounding.runs.scripted import Steady, done, failed, judge
from tests.llm_server import Fault, Said
from tests.scorers.llm.conftest import Serve, forget
from tests.scorers.llm.scripts import CLAUDE, case, load, passes
from tests.scorers.llm.test_batches import MODEL

CASES = [case(f"Appeal {i} was dismissed.", f"Appeal {i} was dismissed.", name=f"case {i}") for i in range(6)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_STORE", str(tmp_path / "runs"))


def _begun(scorers: dict[str, Method], cases: list[Case] = CASES, *, keeps_replies: bool = True, **limits: float) -> JobFile:
    methods = [planning.method_run(NamedPart(m, m, {"model": CLAUDE}), scorer) for m, scorer in scorers.items()]
    allowed = Limits(**limits)  # type: ignore[arg-type]
    return FOLDER.open(planning.begin("Asked", "f", cases, methods, keeps_replies=keeps_replies, limits=allowed))


def test_replies_are_kept_and_a_second_run_of_them_is_not_timed(serve: Serve) -> None:
    server = serve(passes)
    scorers: dict[str, Method] = {"direct": load("direct", CLAUDE)}
    runs = [_begun(scorers) for _ in range(2)]
    for run in runs:
        assert judge(run, scorers).finished
    assert len(server.asked) == 6
    assert server.busiest <= LANES
    first, second = (read_store(run) for run in runs)
    assert first.methods[0].asks
    assert first.timed.all()
    assert first.calls.sum() == 6
    assert (first.cost > 0).all()
    assert not second.timed.any()
    assert second.calls.sum() == 0
    assert (second.support == first.support).all()
    assert runs[0].spent().calls == 6
    assert runs[1].spent() == NOTHING


def test_where_no_reply_may_be_kept_none_is(serve: Serve) -> None:
    serve(passes)
    scorers: dict[str, Method] = {"direct": load("direct", CLAUDE)}
    run = _begun(scorers, keeps_replies=False)
    assert judge(run, scorers).finished
    assert replies.default().models() == {}


def test_a_server_that_fails_on_one_case_stops_nothing(serve: Serve) -> None:
    serve(passes, Fault("status", status=403, times=1))
    scorers: dict[str, Method] = {"direct": load("direct", CLAUDE)}
    run = _begun(scorers)
    assert judge(run, scorers).finished
    assert failed(run) == (1,)
    assert read_store(run).timed.sum() == 5
    assert run.retry(but=KIND.given(plan_of(run))) == 1
    assert judge(run, scorers).finished
    assert failed(run) == (0,)


def test_a_budget_holds_over_resumptions_and_nothing_is_paid_twice(serve: Serve) -> None:
    server = serve(passes)
    scorers: dict[str, Method] = {"direct": load("direct", CLAUDE)}
    run = _begun(scorers, calls=4)
    for _ in range(2):
        assert "all of its 4 calls are made" in judge(run, scorers).why
        assert (len(server.asked), run.spent().calls, done(run)) == (4, 4, (4,))
    run.allow(Limits(6, None))
    assert judge(run, scorers).finished
    assert (len(server.asked), done(run)) == (6, (6,))


def test_batches_judge_every_case_by_every_method_untimed(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(MODEL)
    monkeypatch.setattr("groundscope.chat.batches._POLL", 0.01)
    scorers: dict[str, Method] = {name: load(name, CLAUDE) for name in ("refchecker", "claims_verify")}
    run = _begun(scorers)
    heard: list[Tick] = []
    assert judge(run, scorers, hear=heard.append, batches=True).finished
    assert server.asked == []
    assert len(server.batches) == 4
    data = read_store(run)
    assert not data.timed.any()
    assert (data.support == 0.0).all()
    assert len([t for t in heard if t.status]) == 12
    # What is sent in batches counts on the budget though a judgement itself makes no call.
    assert data.calls.sum() == 0
    assert run.spent().calls == sum(len(batch) for batch in server.batches.values())


def test_a_run_in_batches_is_stopped_and_collects_later_what_it_sent(serve: Serve) -> None:
    server = serve(MODEL)
    scorers: dict[str, Method] = {"refchecker": load("refchecker", CLAUDE)}
    run, stop = _begun(scorers), threading.Event()
    threading.Timer(0.5, stop.set).start()
    assert not judge(run, scorers, stop=stop, batches=True).finished
    assert len(server.batches) == 1
    forget()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("groundscope.chat.batches._POLL", 0.01)
        # Without a word of batches: what is open is collected, not asked for again.
        assert judge(run, {"refchecker": load("refchecker", CLAUDE)}).finished
    assert server.asked == []
    assert [len(batch) for batch in server.batches.values()] == [6, 12]


def test_a_dead_server_is_left_alone_and_its_rows_are_judged_at_the_next_start(serve: Serve) -> None:
    server = serve(passes, Fault("status", status=403))
    spec = f"server:scripted-1@{server.openai};at_once=1"
    scorers: dict[str, Method] = {"direct": load("direct", spec), "steady": Steady("steady")}
    run = _begun(scorers, [*CASES, *[replace(c, id=f"{c.id} again") for c in CASES]])
    ended = judge(run, scorers)
    assert not ended.finished
    assert ended.why.count("\n") == 0
    assert "Direct prompting failed 5 times in a row and was skipped" in ended.why
    assert ended.why.endswith("Resume to try it again.")
    assert (done(run), failed(run), run.finished()) == ((0, 12), (0, 0), "")
    server.faults = []
    assert judge(run, scorers).finished
    assert (done(run), failed(run)) == ((12, 12), (0, 0))


def test_a_run_in_which_everything_failed_came_to_nothing() -> None:
    def does(case: Case) -> None:
        raise OSError("no weights")

    scorers: dict[str, Method] = {"a": Steady("a", does=does)}
    run = _begun(scorers)
    ended = judge(run, scorers)
    assert (ended.finished, ended.nothing, sum(ended.failed.values())) == (True, True, 6)
    assert set(run.faults()) == {"The method failed on this response (OSError: no weights)."}


def test_a_reply_that_batches_always_lose_is_a_named_failure(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(lambda asked: Said("", stop="errored") if "Appeal 1 " in asked.user else MODEL(asked))
    monkeypatch.setattr("groundscope.chat.batches._POLL", 0.01)
    scorers: dict[str, Method] = {"refchecker": load("refchecker", CLAUDE)}
    run = _begun(scorers, CASES[:3])
    assert judge(run, scorers, batches=True).finished
    assert failed(run) == (1,)
    data = read_store(run)
    assert data.read_notes(0, [1]) == ["The batches repeatedly missed a reply; resume without batches."]
    assert (data.context_seen[0, 1], data.seconds[0, 1]) == (0.0, 0.0)
    assert not data.timed.any()
