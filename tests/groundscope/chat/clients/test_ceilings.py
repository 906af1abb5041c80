"""How many calls are under way, how waits are left, and that one question is one call."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context

import pytest

from groundscope.chat import replies as reply_store
from groundscope.chat.clients import ceilings
from groundscope.chat.clients.ceilings import Gate
from groundscope.chat.messages import Reply
from groundscope.errors import Cancelled
from groundscope.runtime.progress import listening
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import ANSWER, CASE, WAYS, Leaving, ask, line, load, prompt
from tests.llm_server import Asked, Fault


class Held:
    """A model that answers when it is let."""

    def __init__(self) -> None:
        self.let, self.came = threading.Event(), threading.Semaphore(0)

    def __call__(self, asked: Asked) -> str:
        self.came.release()
        assert self.let.wait(10)
        return ANSWER


def _in_background(work: Callable[[], Reply], listener: Leaving) -> Future[Reply]:
    """Ask in a thread that the listener can take away."""
    future: Future[Reply] = Future()

    def run() -> None:
        try:
            with listening(listener):
                future.set_result(work())
        except BaseException as error:  # handed to the test
            future.set_exception(error)

    threading.Thread(target=copy_context().run, args=(run,), daemon=True).start()
    return future


def _until(true: Callable[[], bool]) -> None:
    ends = time.monotonic() + 5
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.005)


@pytest.mark.parametrize("at_once", [1, 3])
def test_no_more_calls_at_once_than_the_ceiling(at_once: int, serve: Serve) -> None:
    def answer(_: Asked) -> str:
        time.sleep(0.02)
        return ANSWER

    server = serve(answer)
    spec = line("server", server, at_once=at_once)
    # The ceiling is the model's, however it is sampled.
    specs = [spec, f"{spec};temperature=0.5"]
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda i: ask(specs[i % 2], prompt(f"case {i}")), range(12)))
    assert server.busiest == at_once
    assert len(server.asked) == 12


def test_no_more_calls_a_minute_than_the_ceiling(monkeypatch: pytest.MonkeyPatch) -> None:
    now, pauses = [100.0], list[float]()

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(ceilings, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    gate = Gate(at_once=9, a_minute=3)
    entered = []
    for _ in range(7):
        gate.enter()
        entered.append(now[0])
        gate.leave()
        now[0] += 5
    # Three at 100, 105, 110; then each a minute after the third before it.
    assert entered == [100, 105, 110, 160, 165, 170, 220]
    assert pauses == [45, 45]


def test_the_ceiling_a_minute_holds_for_real_calls_and_is_left_when_the_user_is(serve: Serve) -> None:
    server = serve(lambda _: ANSWER)
    spec, listener = line("server", server, a_minute=2), Leaving()
    for i in range(2):
        ask(spec, prompt(f"case {i}"))
    waiting = _in_background(lambda: ask(spec, prompt("third")), listener)
    time.sleep(0.1)
    assert not waiting.done()
    listener.gone.set()
    with pytest.raises(Cancelled):
        waiting.result(5)
    assert len(server.asked) == 2


def test_who_leaves_while_waiting_for_a_place_takes_none(serve: Serve) -> None:
    held, listener = Held(), Leaving()
    server = serve(held)
    spec = line("server", server, at_once=1)
    first = _in_background(lambda: ask(spec, prompt("first")), Leaving())
    assert held.came.acquire(timeout=5)
    second = _in_background(lambda: ask(spec, prompt("second")), listener)
    time.sleep(0.05)
    listener.gone.set()
    with pytest.raises(Cancelled):
        second.result(5)
    held.let.set()
    assert first.result(5).text == ANSWER
    assert ask(spec, prompt("third")).text == ANSWER
    assert len(server.asked) == 2


def test_who_leaves_while_a_pause_runs_is_gone_at_once_and_the_place_is_free(serve: Serve) -> None:
    server = serve(lambda _: ANSWER, Fault("status", times=1, status=429, headers={"Retry-After": "300"}))
    spec, listener = line("server", server, at_once=1), Leaving()
    pausing = _in_background(lambda: ask(spec), listener)
    _until(lambda: len(server.asked) == 1)
    # The place is not held while pausing.
    assert ask(spec, prompt("another")).text == ANSWER
    listener.gone.set()
    with pytest.raises(Cancelled):
        pausing.result(5)
    assert ask(spec).text == ANSWER


@pytest.mark.parametrize("way", WAYS)
def test_the_reply_to_a_call_that_its_asker_left_is_kept(way: str, serve: Serve) -> None:
    held, listener = Held(), Leaving()
    server = serve(held)
    spec = line(way, server)
    left = _in_background(lambda: ask(spec), listener)
    assert held.came.acquire(timeout=5)
    listener.gone.set()
    with pytest.raises(Cancelled):
        left.result(5)
    # Who asks meanwhile waits for the same call.
    joined = _in_background(lambda: ask(spec), Leaving())
    time.sleep(0.05)
    held.let.set()
    assert joined.result(5).text == ANSWER
    assert joined.result(5).kept
    assert ask(spec).kept
    assert len(server.asked) == 1


def test_who_joins_a_left_call_that_then_fails_asks_again(serve: Serve) -> None:
    held, listener = Held(), Leaving()
    server = serve(held, Fault("cut", times=1))
    spec = line("server", server)
    left = _in_background(lambda: ask(spec), listener)
    assert held.came.acquire(timeout=5)
    listener.gone.set()
    with pytest.raises(Cancelled):
        left.result(5)
    joined = _in_background(lambda: ask(spec), Leaving())
    time.sleep(0.05)
    held.let.set()
    assert joined.result(5).text == ANSWER
    assert len(server.asked) == 2


def test_many_who_ask_the_same_make_one_call(serve: Serve) -> None:
    held = Held()
    server = serve(held)
    spec = line("anthropic", server)
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(ask, spec) for _ in range(8)]
        assert held.came.acquire(timeout=5)
        time.sleep(0.05)
        held.let.set()
        replies = [future.result(10) for future in futures]
    assert len(server.asked) == 1
    assert [reply.text for reply in replies] == [ANSWER] * 8
    assert sorted(reply.kept for reply in replies) == [False] + [True] * 7


def test_all_who_meet_a_server_without_schemas_at_the_same_time_get_their_replies(serve: Serve) -> None:
    server = serve(lambda asked: f"<answer-{asked.marker}>{ANSWER}</answer-{asked.marker}>")
    server.schemas = False
    spec = line("server", server, at_once=8)
    for round_ in range(3):
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda i: ask(spec, prompt(f"case {i} of {round_}")), range(8)))  # noqa: B023
        assert len(replies) == 8
    # Two forms of a schema, each tried at most once by each of the first eight.
    assert sum(asked.forced for asked in server.asked) <= 16


def test_other_numbers_and_other_samplings_are_other_replies(serve: Serve) -> None:
    server = serve(lambda _: ANSWER)
    spec = line("server", server)
    for number in (0, 1, 2, 1):
        ask(spec, number=number)
    ask(f"{spec};temperature=1")
    # How fast it is asked makes no other reply.
    ask(f"{spec};stream=1;at_once=2;a_minute=9;seconds=20")
    assert len(server.asked) == 4


def test_cancelling_a_judgement_ends_all_its_calls(serve: Serve) -> None:
    held, listener = Held(), Leaving()
    server = serve(held)

    def score() -> Reply:
        load("claims_verify", line("server", server)).score(CASE)
        raise AssertionError("it was cancelled")

    scoring = _in_background(score, listener)
    assert held.came.acquire(timeout=5)
    listener.gone.set()
    with pytest.raises(Cancelled):
        scoring.result(5)
    held.let.set()
    _until(lambda: len(server.answered) == 1)
    assert len(server.asked) == 1
    assert reply_store.default().models() == {}
