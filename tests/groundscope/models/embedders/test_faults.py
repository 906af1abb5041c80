"""Faults of a provider of vectors: what is asked again, what ends at once, what is said; pauses are tested with chat models."""

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from groundscope.chat.budget import Budget, spending
from groundscope.chat.clients.faults import asked_to_wait
from groundscope.errors import BudgetSpent, Cancelled, ModelUnavailable
from tests.groundscope.chat.clients.scripts import KEY, SERVER_KEY, Leaving
from tests.groundscope.models.embedders.conftest import WAYS, Build, Serve, ignore
from tests.groundscope.models.embedders.server import Pairs, expected, vector
from tests.llm_server import Fault

PRIVATE = "The merger is confidential."
TEXTS = [PRIVATE, *(f"clause {i}" for i in range(9))]

REFUSALS = {
    400: "cut them shorter",
    401: "set {} to a valid one",
    403: "ask for access",
    404: "check both",
    413: "send fewer texts at a time",
    422: "leave dimensions out",
    451: "choose another model",
}


def _refused(embed: Callable[[], object], *, named: bool = True) -> str:
    """What the user reads: one sentence that holds no text and no key."""
    with pytest.raises(ModelUnavailable) as raised:
        embed()
    said = str(raised.value)
    for hidden in (PRIVATE, "merger", KEY, SERVER_KEY):
        assert hidden not in said
    assert len(re.findall(r"\.(?:\s|$)", said)) == 1
    assert not named or "127.0.0.1" in said
    # Nor does a chain of errors hold it, which a traceback would print.
    assert raised.value.__suppress_context__ or raised.value.__context__ is None
    return said


@pytest.mark.parametrize("way", WAYS)
def test_a_refusal_ends_at_once_with_the_fix(way: str, serve: Serve, build: Build) -> None:
    server, embedder = serve(), build(way)
    variable = {"openai": "OPENAI_API_KEY", "isaacus": "ISAACUS_API_KEY", "google": "GEMINI_API_KEY"}[way]
    for status, mend in REFUSALS.items():
        server.faults, server.asked = [Fault("status", status=status)], []
        said = _refused(lambda: embedder.passages(TEXTS, ignore))
        assert f"answered {status}: " in said
        assert mend.format(variable) in said
        assert len(server.asked) == 1
    server.faults = [Fault("status", status=401)]
    private = build(f"{way}:m@{server.address}/v1")
    assert "set GROUNDSCOPE_SERVER_KEY to a valid one" in _refused(lambda: private.passages(TEXTS, ignore))


def test_what_a_provider_says_in_its_own_way_is_understood(serve: Serve, build: Build) -> None:
    server = serve(Fault("status", status=400))
    server.error = {"details": [{"reason": "API_KEY_INVALID"}]}
    assert "set GEMINI_API_KEY to a valid one" in _refused(lambda: build("google").passages(TEXTS, ignore))
    server.faults = [Fault("status", status=429)]
    server.error = {"code": "insufficient_quota"}
    assert "has no credit left" in _refused(lambda: build("openai").passages(TEXTS, ignore))
    assert len(server.asked) == 2


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("kind", "tries"), [("cut", 8), ("junk", 2), ("stall", 8)])
def test_a_broken_answer_is_asked_for_again_and_named_where_it_stays_broken(
    way: str, kind: Any, tries: int, serve: Serve, build: Build
) -> None:
    server, embedder = serve(Fault(kind, times=1, seconds=0.01, body="x")), build(way)
    assert np.array_equal(embedder.passages(TEXTS, ignore), expected(TEXTS))
    assert len(server.asked) == 2
    server.faults, server.asked = [Fault(kind, seconds=0.01, body="x")], []
    said = _refused(lambda: embedder.passages(TEXTS, ignore), named=kind != "junk")
    assert said.endswith(f"it was {'asked twice' if kind == 'junk' else 'tried for a while'}, so try again later.")
    assert len(server.asked) == tries


def test_google_asks_for_a_pause_in_the_body(serve: Serve, build: Build) -> None:
    server = serve(Fault("status", times=1, status=429))
    server.error = {"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.3s"}]}
    started = time.monotonic()
    build("google").passages(TEXTS, ignore)
    assert 0.3 <= time.monotonic() - started < 5
    assert asked_to_wait("{'retryDelay': '27s'}") == 27
    for nonsense in ("", "'retryDelay': 'soon'", "'retryDelay': 'nans'", "'retryDelay': '-3s'", "'retryDelay': 'infs'"):
        assert asked_to_wait(nonsense) is None


@pytest.mark.parametrize("way", WAYS)
def test_a_slow_reply_ends_with_the_requests_time(way: str, serve: Serve, build: Build) -> None:
    server = serve(Fault("drip", times=1, at=1, seconds=0.05))
    started = time.monotonic()
    assert np.array_equal(build(way, seconds=1).passages(TEXTS, ignore), expected(TEXTS))
    assert 0.8 < time.monotonic() - started < 5
    assert len(server.asked) == 2


@pytest.mark.parametrize("way", ["openai", "isaacus"])
def test_vectors_out_of_order_are_put_in_order(way: str, serve: Serve, build: Build) -> None:
    server = serve()
    server.change = lambda pairs: pairs[5:] + pairs[:5][::-1]
    assert np.array_equal(build(way).passages(TEXTS, ignore), expected(TEXTS))


def _with(number: float) -> Callable[[Pairs], Pairs]:
    return lambda pairs: [*pairs[:3], (3, [number, *pairs[3][1][1:]]), *pairs[4:]]


BAD: dict[str, tuple[Callable[[Pairs], Pairs], str]] = {
    "too few": (lambda pairs: pairs[:-1], "sent 9 vectors for 10 texts"),
    "too many": (lambda pairs: [*pairs, (10, vector("more"))], "sent 11 vectors for 10 texts"),
    "NaN": (_with(float("nan")), "1 of 10 vectors that hold NaN"),
    "too large": (_with(1e200), "1 of 10 vectors that hold NaN"),
    "no rows": (lambda pairs: [(i, row[: 7 + i % 2]) for i, row in pairs], "not rows of equally many numbers"),
    "no numbers": (lambda pairs: [(i, ["x"] * 8) for i, _ in pairs], "not rows of equally many numbers"),
}
PLACES: dict[str, Callable[[Pairs], Pairs]] = {
    "twice the same": lambda pairs: [(0, row) for _, row in pairs],
    "beyond the last": lambda pairs: [(i + 1, row) for i, row in pairs],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", BAD)
def test_a_reply_that_is_not_one_usable_vector_a_text_is_named(way: str, what: str, serve: Serve, build: Build) -> None:
    server = serve()
    server.change, words = BAD[what]
    said = _refused(lambda: build(way).passages(TEXTS, ignore), named=(way, what) != ("google", "no numbers"))
    # What is no number Google's SDK refuses itself, as a broken answer.
    assert words in said or (way, what) == ("google", "no numbers")


@pytest.mark.parametrize("way", ["openai", "isaacus"])
@pytest.mark.parametrize("what", PLACES)
def test_places_that_are_not_one_for_each_text_are_named(way: str, what: str, serve: Serve, build: Build) -> None:
    serve().change = PLACES[what]
    assert "which belongs to which text" in _refused(lambda: build(way).passages(TEXTS, ignore))


@pytest.mark.parametrize("way", WAYS)
def test_vectors_of_another_size_than_was_asked_for_are_named(way: str, serve: Serve, build: Build) -> None:
    server = serve()
    server.change = lambda pairs: [(i, [*row, 1.0]) for i, row in pairs]
    said = _refused(lambda: build(way, dimensions=5).passages(TEXTS, ignore))
    assert "vectors of 6 numbers instead of 5; set dimensions" in said


@pytest.mark.parametrize("way", WAYS)
def test_vectors_that_change_their_size_on_the_way_are_named_and_asked_for_again(way: str, serve: Serve, build: Build) -> None:
    server, embedder = serve(), build(way, texts=4)
    server.change = lambda pairs: [(i, row[:6]) if len(server.asked) > 1 else (i, row) for i, row in pairs]
    assert "numbers; embed all texts again" in _refused(lambda: embedder.passages(TEXTS, ignore))
    server.change = lambda pairs: [(i, row[:6]) for i, row in pairs]
    assert embedder.passages(TEXTS, ignore).shape == (10, 6)


@pytest.mark.parametrize("way", WAYS)
def test_what_came_before_a_fault_is_reported_and_not_sent_again(way: str, serve: Serve, build: Build) -> None:
    server, embedder = serve(), build(way, texts=3)
    server.refuses = {"clause 6": 500, "clause 7": 500}
    said = _refused(lambda: embedder.passages(TEXTS, ignore))
    assert "after 6 of 10 texts, answered 500;" in said
    server.refuses, server.asked = {}, []
    heard: list[tuple[int, int]] = []
    found = embedder.passages(TEXTS, lambda done, total: heard.append((done, total)))
    assert np.array_equal(found, expected(TEXTS))
    assert server.texts == TEXTS[6:]
    assert heard[0] == (6, 10)
    # Once all are there the caller has them, and nothing is held.
    embedder.passages(TEXTS, ignore)
    assert server.texts == TEXTS[6:] + TEXTS


@pytest.mark.parametrize("way", WAYS)
def test_questions_are_not_taken_from_what_came_for_passages(way: str, serve: Serve, build: Build) -> None:
    server, embedder = serve(), build(way, texts=5)
    server.refuses = {TEXTS[-1]: 401}
    _refused(lambda: embedder.passages(TEXTS, ignore))
    server.refuses = {}
    embedder.questions(TEXTS, ignore)
    assert [len(asked.texts) for asked in server.asked] == [5, 5, 5, 5]


@pytest.mark.parametrize("way", WAYS)
def test_who_leaves_while_a_request_is_under_way_is_gone_at_once_and_its_reply_is_kept(
    way: str, serve: Serve, build: Build
) -> None:
    server, embedder, listener = serve(), build(way), Leaving()
    server.let.clear()
    with ThreadPoolExecutor(2) as pool:
        left = pool.submit(embedder.passages, TEXTS, listener)
        assert server.came.acquire(timeout=5)
        listener.gone.set()
        with pytest.raises(Cancelled):
            left.result(2)
        again = pool.submit(embedder.passages, TEXTS, ignore)
        time.sleep(0.05)
        server.let.set()
        assert np.array_equal(again.result(5), expected(TEXTS))
    assert server.texts == TEXTS


def test_a_budget_stops_before_it_is_passed_and_what_came_is_kept(serve: Serve, build: Build) -> None:
    server, embedder = serve(), build("isaacus", texts=4)
    budget = Budget(calls=2)
    with spending(budget), pytest.raises(BudgetSpent):
        embedder.passages(TEXTS, ignore)
    assert (len(server.asked), budget.spent.calls) == (2, 2)
    embedder.passages(TEXTS, ignore)
    assert server.texts == TEXTS
    with spending(Budget(dollars=1.0)), pytest.raises(BudgetSpent, match="price is not known"):
        build("openai").passages(TEXTS, ignore)
    assert server.texts == TEXTS
