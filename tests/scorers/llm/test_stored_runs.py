"""Runs in the store with methods that really ask: kept replies, budgets, batches, and what is timed."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation import benchmark, planning, reply_store
from evaluation.benchmark import Outcome, Tick
from evaluation.errors import ModelUnavailable
from evaluation.run_reading import read_store
from evaluation.store import Store
from evaluation.types import Case, Scorer
from tests.llm_server import Fault
from tests.scorers.llm.conftest import Serve, forget
from tests.scorers.llm.scripts import CLAUDE, case, load, passes
from tests.scorers.llm.test_batches import MODEL

CASES = [case(f"Appeal {i} was dismissed.", f"Appeal {i} was dismissed.", name=f"case {i}") for i in range(6)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    found = Store(tmp_path / "runs.sqlite")
    yield found
    found.close()


def _begun(store: Store, scorers: dict[str, Scorer], cases: list[Case] = CASES, **limits: object) -> str:
    methods = [planning.method_run(m, scorer, {"model": CLAUDE}) for m, scorer in scorers.items()]
    return planning.begin(store, planning.plan("Asked", "f", cases, methods, **limits), cases)  # type: ignore[arg-type]


def test_replies_are_kept_and_a_second_run_of_them_is_not_timed(store: Store, serve: Serve) -> None:
    server = serve(passes)
    scorers: dict[str, Scorer] = {"direct": load("direct", CLAUDE)}
    runs = [_begun(store, scorers) for _ in range(2)]
    for run in runs:
        assert benchmark.work(store, run, scorers) == Outcome(True)
    assert len(server.asked) == 6
    assert server.busiest <= benchmark.LANES
    first, second = (read_store(store, run) for run in runs)
    assert first.methods[0].asks
    assert first.timed.all()
    assert first.calls.sum() == 6
    assert (first.cost > 0).all()
    assert not second.timed.any()
    assert second.calls.sum() == 0
    assert (second.support == first.support).all()
    assert store.spent(runs[0])[0] == 6
    assert store.spent(runs[1]) == (0, 0.0)


def test_where_no_reply_may_be_kept_none_is(store: Store, serve: Serve) -> None:
    serve(passes)
    scorers: dict[str, Scorer] = {"direct": load("direct", CLAUDE)}
    run = _begun(store, scorers, keeps_replies=False)
    assert benchmark.work(store, run, scorers) == Outcome(True)
    assert list(reply_store.default().recorded()) == []


def test_a_server_that_fails_on_one_case_stops_nothing(store: Store, serve: Serve) -> None:
    serve(passes, Fault("status", status=403, times=1))
    scorers: dict[str, Scorer] = {"direct": load("direct", CLAUDE)}
    run = _begun(store, scorers)
    assert benchmark.work(store, run, scorers) == Outcome(True)
    assert store.run(run).failed == (1,)
    assert read_store(store, run).timed.sum() == 5
    assert store.retry(run) == 1
    assert benchmark.work(store, run, scorers) == Outcome(True)
    assert store.run(run).failed == (0,)


def test_a_budget_holds_over_resumptions_and_nothing_is_paid_twice(store: Store, serve: Serve) -> None:
    server = serve(passes)
    scorers: dict[str, Scorer] = {"direct": load("direct", CLAUDE)}
    run = _begun(store, scorers, calls=4)
    for _ in range(2):
        assert "all of its 4 calls are made" in benchmark.work(store, run, scorers).why
        assert (len(server.asked), store.spent(run)[0], store.run(run).done) == (4, 4, (4,))
    store.allow(run, 6, None)
    assert benchmark.work(store, run, scorers) == Outcome(True)
    assert (len(server.asked), store.run(run).done) == (6, (6,))


def test_batches_judge_every_case_by_every_method_untimed(store: Store, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(MODEL)
    monkeypatch.setattr("evaluation.batching._POLL", 0.01)
    scorers: dict[str, Scorer] = {name: load(name, CLAUDE) for name in ("refchecker", "claims_verify")}
    run = _begun(store, scorers)
    heard: list[Tick] = []
    assert benchmark.work(store, run, scorers, hear=heard.append, batches=True) == Outcome(True)
    assert server.asked == []
    assert len(server.batches) == 4
    data = read_store(store, run)
    assert not data.timed.any()
    assert (data.support == 0.0).all()
    assert len([t for t in heard if t.judgement]) == 12
    # What is sent in batches counts on the budget though a judgement itself makes no call.
    assert data.calls.sum() == 0
    assert store.spent(run)[0] == sum(len(batch) for batch in server.batches.values())


def test_a_run_in_batches_is_stopped_and_collects_later_what_it_sent(store: Store, serve: Serve) -> None:
    server = serve(MODEL)
    scorers: dict[str, Scorer] = {"refchecker": load("refchecker", CLAUDE)}
    run, stop = _begun(store, scorers), threading.Event()
    threading.Timer(0.5, stop.set).start()
    assert not benchmark.work(store, run, scorers, stop=stop, batches=True).finished
    assert len(server.batches) == 1
    forget()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evaluation.batching._POLL", 0.01)
        assert benchmark.work(store, run, {"refchecker": load("refchecker", CLAUDE)}, batches=True) == Outcome(True)
    assert [len(batch) for batch in server.batches.values()] == [6, 12]


def test_batches_of_a_model_that_takes_none_are_refused_with_the_mend(store: Store, serve: Serve) -> None:
    server = serve(passes)
    spec = f"server:scripted-1@{server.openai}"
    scorers: dict[str, Scorer] = {"direct": load("direct", spec)}
    run = _begun(store, scorers)
    with pytest.raises(ModelUnavailable, match="run without them here"):
        benchmark.work(store, run, scorers, batches=True)
    assert benchmark.work(store, run, scorers) == Outcome(True)
