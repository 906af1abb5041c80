"""One budget, one pace and one store of replies for many processes, and a file that a kill does not shorten."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.cluster.capacity import capacity
from groundscope.cases.dataset import to_jsonl
from groundscope.chat.budget import Cost, Limits
from groundscope.errors import BudgetSpent, Cancelled
from groundscope.experiments import ledger as module
from groundscope.experiments.ledger import Ask, shared_calls
from groundscope.experiments.plan import Part
from groundscope.grounding.parts import described
from groundscope.grounding.sharded.chunks import chunks_of
from groundscope.grounding.sharded.shards import prepare
from groundscope.types import Judgement
from tests.groundscope.chat.clients.conftest import Serve, fresh, serve
from tests.groundscope.chat.clients.scripts import KEY, line, load, model, passes
from tests.groundscope.chat.clients.test_budgets import usage
from tests.groundscope.chat.clients.test_runs import cases
from tests.groundscope.experiments.local_ledger import ledger, ledger_file
from tests.groundscope.grounding.sharded.made_shards import judge_chunks
from tests.llm_server import Asked, Fault, LLMServer

__all__ = ["fresh", "serve"]
"""Models are made again for each test, and closed after it."""


def _judged(asks: list[Ask], spec: str, count: int = 40, threads: int = 8) -> list[Judgement]:
    """The judgements of `direct`, by so many clients of a ledger."""
    scorer = load("direct", spec)
    wanted = cases(count)
    futures = []
    with ExitStack() as blocks, ThreadPoolExecutor(threads) as pool:
        for i, ask in enumerate(asks):
            blocks.enter_context(shared_calls(ask))
            futures += [pool.submit(copy_context().run, scorer.score, case) for case in wanted[i :: len(asks)]]
        return [future.result() for future in futures]


def test_many_clients_keep_to_one_limit_and_the_ledger_is_what_the_server_counts(tmp_path: Path, serve: Serve) -> None:
    def slow(asked: Asked) -> str:
        time.sleep(0.005)
        return passes(asked)

    server = serve(slow, Fault("status", status=429, times=4, headers={"Retry-After-Ms": "20"}))
    spec = line("anthropic", server, at_once=3)
    with ledger(tmp_path) as ask:
        judged = _judged([ask] * 4, spec)
    cost = ledger_file(tmp_path).spent()
    assert [j.support for j in judged] == [1.0] * 40
    assert server.busiest <= 3
    assert len(server.asked) - len(server.answered) == 4
    used = [usage(asked, said) for asked, said in server.answered]
    assert (cost.calls, cost.tokens, cost.unanswered) == (40, sum(u.total for u in used), 0)
    assert cost.dollars == pytest.approx(sum(model(spec).price(u) or 0.0 for u in used), rel=1e-12)
    # Another start, elsewhere: what is paid is not paid again.
    with ledger(tmp_path) as ask:
        again = _judged([ask], spec)
    assert ledger_file(tmp_path).spent() == cost
    assert len(server.answered) == 40
    assert all((j.cached, j.calls) == (1, 0) for j in again)
    # The file holds numbers alone.
    data = (tmp_path / "job.sqlite").read_bytes()
    assert not [text for text in (KEY.encode(), b"Claim", b"dismissed") if text in data]


def test_a_budget_is_that_of_all_clients_and_all_starts(tmp_path: Path, serve: Serve) -> None:
    server = serve(passes)
    spec = line("anthropic", server, at_once=4)
    for limit, made in ((Limits(calls=10), 10), (Limits(), 10), (Limits(calls=25), 25)):
        with ledger(tmp_path, limit) as ask, pytest.raises(BudgetSpent, match="all of its"):
            _judged([ask, ask], spec)
        assert len(server.answered) == made
        assert ledger_file(tmp_path).spent().calls == made


def test_what_was_under_way_at_a_kill_counts_at_its_highest_cost(tmp_path: Path) -> None:
    file = ledger_file(tmp_path)
    with ledger(tmp_path, Limits(dollars=1.0)) as ask:
        assert ask("reserve", "a", 0.25, 1) == ""
        assert ask("reserve", "a", 0.25, 1) == ""
        assert ask("reserve", "b", 0.5, 1) == ""
        assert file.spent() == Cost(2, 0, 0.0, 0, 2, 0.75)
        ask("settle", "b", Cost(1, 90, 0.125))
        ask("settle", "b", Cost(1, 90, 0.125))
        assert file.spent() == Cost(2, 90, 0.125, 0, 1, 0.25)
    # Of another ledger no one knows whether the call was answered; it is not paid for less than it may have cost.
    with ledger(tmp_path) as ask:
        ask("settle", "a", Cost(1, 10, 0.0625))
        assert file.spent() == Cost(2, 90, 0.125, 0, 1, 0.25)
        assert ask("reserve", "c", 0.5, 1) == ""
        assert "may cost 0.5000 dollars" in ask("reserve", "d", 0.5, 1)
        ask("settle", "c", Cost(1, 10, 0.0625))
    assert file.spent() == Cost(3, 100, 0.1875, 0, 1, 0.25)


def test_a_client_that_died_holds_no_place_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEASE", 0.05)
    with ledger(tmp_path) as ask:
        assert ask("enter", "m", 1, 0, "of the dead", "dead")
        came = threading.Event()
        waiting = threading.Thread(target=lambda: (ask("enter", "m", 1, 0, "of the living", "living"), came.set()))
        waiting.start()
        assert not came.wait(0.02)
        until = time.monotonic() + 5
        while not came.is_set() and time.monotonic() < until:
            ask("alive", "living")
            time.sleep(0.01)
        assert came.is_set()
        waiting.join()


def test_places_go_to_those_who_came_first(tmp_path: Path) -> None:
    order: list[int] = []
    with ledger(tmp_path) as ask:
        assert ask("enter", "m", 1, 0, "first", "w")

        def wait(number: int) -> None:
            ask("enter", "m", 1, 0, str(number), "w")
            order.append(number)
            ask("leave", "m", str(number), False, None)

        threads = [threading.Thread(target=wait, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
            time.sleep(0.02)
        ask("leave", "m", "first", False, None)
        for thread in threads:
            thread.join()
    assert order == list(range(6))


@pytest.fixture
def part(tmp_path: Path, serve: Serve) -> tuple[LLMServer, Part, Path]:
    server = serve(passes)
    spec = line("anthropic", server)
    scorer = load("direct", spec)
    path = tmp_path / "cases.jsonl"
    path.write_text(to_jsonl([replace(case, id=f"c{i}") for i, case in enumerate(cases(20))]))
    one = described(Part("direct", options={"model": spec}), scorer)
    prepare(tmp_path / "out", [one])
    return server, one, path


def _error(part: Part, path: Path, ask: Ask, address: str = "127.0.0.1") -> str:
    return str(judge_chunks(path.parent / "out", part, chunks_of([str(path)], 50), ask, address)["error"][0])


def test_a_stopped_run_asks_nothing_more_and_writes_no_half_chunk(part: tuple[LLMServer, Part, Path]) -> None:
    server, one, path = part
    out = path.parent / "out"
    with ledger(out, Limits(calls=5)) as ask:
        assert "all of its 5 calls are made" in _error(one, path, ask)
    with ledger(out, Limits(calls=50)) as ask:
        assert ask("halt") == 0
        assert _error(one, path, ask) == "The run was stopped."
        with pytest.raises(Cancelled), shared_calls(ask):
            load("direct", one.options["model"]).score(cases(30)[29])  # type: ignore[arg-type]
    assert len(server.asked) == 5
    assert not list(out.glob("direct-*/*.parquet"))
    with ledger(out) as ask:
        assert _error(one, path, ask) == ""
    assert len(server.asked) == 20
    assert len(list(out.glob("direct-*/*.parquet"))) == 1
    assert KEY.encode() not in b"".join(p.read_bytes() for p in out.rglob("*") if p.is_file())


def test_a_machine_that_would_send_texts_elsewhere_is_refused_and_a_server_that_is_gone_leaves_the_chunk(
    part: tuple[LLMServer, Part, Path],
) -> None:
    server, one, path = part
    with ledger(path.parent / "out") as ask:
        why = _error(one, path, ask, "api.elsewhere.example")
        assert "would send the texts to 127.0.0.1, and this one to api.elsewhere.example" in why
        assert server.asked == []
        server.refusal = "not today"
        assert "failed 5 times in a row" in _error(one, path, ask)
    assert not list((path.parent / "out").glob("direct-*/*.parquet"))


def test_what_each_process_does_for_itself_grows_with_their_number_and_what_they_share_does_not() -> None:
    own = [capacity(n, judging=10, reading=1_000, writing=1_000) for n in (1, 64)]
    assert [one.rows for one in own] == pytest.approx([1 / (0.1 + 0.002), 64 / (0.1 + 0.002)])
    few, many = (capacity(n, judging=5, reading=1_000, writing=1_000, calls=50, granting=400) for n in (8, 512))
    assert (few.step, many.step, many.rows) == ("model", "chat rate limit", 50)
    assert capacity(512, judging=5, reading=1_000, writing=1_000, calls=5_000, granting=400).step == "ledger"
    assert capacity(512, judging=500, reading=1_000, writing=1_000, disk=10_000)[:2] == (10_000, "shared disk")
