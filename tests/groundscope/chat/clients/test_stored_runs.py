"""Runs in the store with methods that really ask: kept replies, budgets, batches, and what is timed."""

import threading
from pathlib import Path

import pytest

from groundscope.chat import replies
from groundscope.chat.budget import NOTHING, Limits
from groundscope.experiments.plan import Part
from groundscope.experiments.steps import LANES, Tick
from groundscope.experiments.store import JobFile
from groundscope.grounding.parts import described
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.reader import read_store
from groundscope.grounding.runs.store import FOLDER
from groundscope.methods import Method
from groundscope.types import Case
from tests.groundscope.chat.clients.conftest import Serve, forget
from tests.groundscope.chat.clients.scripts import CLAUDE, case, load, passes
from tests.groundscope.chat.clients.test_batches import MODEL
from tests.groundscope.grounding.runs.scripted import failed, judge
from tests.llm_server import Said

CASES = [case(f"Appeal {i} was dismissed.", f"Appeal {i} was dismissed.", name=f"case {i}") for i in range(6)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_STORE", str(tmp_path / "runs"))


def _begun(scorers: dict[str, Method], cases: list[Case] = CASES, *, keeps_replies: bool = True, **limits: float) -> JobFile:
    methods = [described(Part(m, options={"model": CLAUDE}), scorer) for m, scorer in scorers.items()]
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


def test_batches_judge_every_case_by_every_method_untimed(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(MODEL)
    monkeypatch.setattr("groundscope.chat.clients.batches._POLL", 0.01)
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
        patch.setattr("groundscope.chat.clients.batches._POLL", 0.01)
        # Without a word of batches: what is open is collected, not asked for again.
        assert judge(run, {"refchecker": load("refchecker", CLAUDE)}).finished
    assert server.asked == []
    assert [len(batch) for batch in server.batches.values()] == [6, 12]


def test_a_reply_that_batches_always_lose_is_a_named_failure(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(lambda asked: Said("", stop="errored") if "Appeal 1 " in asked.user else MODEL(asked))
    monkeypatch.setattr("groundscope.chat.clients.batches._POLL", 0.01)
    scorers: dict[str, Method] = {"refchecker": load("refchecker", CLAUDE)}
    run = _begun(scorers, CASES[:3])
    assert judge(run, scorers, batches=True).finished
    assert failed(run) == (1,)
    data = read_store(run)
    assert data.read_notes(0, [1]) == ["The batches repeatedly missed a reply; resume without batches."]
    assert (data.context_seen[0, 1], data.seconds[0, 1]) == (0.0, 0.0)
    assert not data.timed.any()
