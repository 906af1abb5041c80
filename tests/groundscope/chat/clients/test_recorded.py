"""Saved replies alone: replayed without a key or a network, and said to be so."""

import dataclasses

import pytest

from groundscope.chat.messages import Deferred, deferring
from groundscope.errors import ModelUnavailable
from groundscope.runtime.retention import keeping
from groundscope.types import Judgement
from tests.groundscope.chat.clients.conftest import Serve, forget
from tests.groundscope.chat.clients.scripts import (
    ANSWER,
    CASE,
    CLAUDE,
    WAYS,
    ask,
    by_task,
    case,
    line,
    load,
    model,
    passes,
    prompt,
    score,
)
from tests.llm_server import LLMServer

MODEL = by_task(
    truths=["The appeal was dismissed."],
    claims=[{"sentence": 1, "text": "The appeal was dismissed."}],
    verdicts=[{"number": 1, "verdict": "yes", "reason": "It says so."}],
    reasons=passes,
)


def _recorded(method: str, spec: str) -> Judgement:
    with keeping():
        return score(method, spec)


def _offline(server: LLMServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.close()
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GROUNDSCOPE_SERVER_KEY"):
        monkeypatch.delenv(name)
    forget()


@pytest.mark.parametrize(("method", "way"), [*(("direct", way) for way in WAYS[::2]), ("claims_verify", WAYS[1])])
def test_a_recording_replays_without_a_key_or_a_network(
    method: str, way: str, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(MODEL)
    spec = line(way, server)
    live = _recorded(method, spec)
    assert live.status == "scored"
    _offline(server, monkeypatch)
    scorer = load(method, f"recorded:{spec}")
    assert scorer.unavailable() == ""
    assert scorer.address == ""
    assert scorer.recorded
    replayed = scorer.score(CASE)
    assert (replayed.calls, replayed.tokens, replayed.cost, replayed.cached) == (0, 0, 0, 1)
    assert replayed.note.startswith("Recorded: the replies were replayed, nothing was sent.")
    assert replayed.note.endswith(live.note)
    same = {name: getattr(live, name) for name in ("calls", "tokens", "cost", "cached", "note", "seconds")}
    assert dataclasses.replace(replayed, **same) == live
    assert scorer.estimate(CASE).dollars == 0


def test_a_recording_is_marked_in_the_signature(serve: Serve) -> None:
    server = serve(MODEL)
    for method in ("direct", "refchecker", "claims_verify"):
        signatures = [load(method, f"{head}{line('server', server)}").signature for head in ("", "recorded:")]
        assert signatures[1] == signatures[0].replace("|wording", " (recorded)|wording")
        assert signatures[0] != signatures[1]


def test_what_is_not_recorded_is_a_named_failure(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(MODEL)
    spec = line("anthropic", server)
    _recorded("direct", spec)
    _offline(server, monkeypatch)
    missing = score("direct", f"recorded:{spec}", case("Another answer.", "Another context."))
    assert (missing.status, missing.support) == ("failed", None)
    assert "no recorded reply for this case" in missing.note
    with pytest.raises(ModelUnavailable, match="choose the model itself"):
        ask(f"recorded:{spec}", prompt("something else"))


def test_without_a_recording_of_its_model_a_method_is_not_ready(serve: Serve) -> None:
    server = serve(passes)
    _recorded("direct", CLAUDE)
    assert load("direct", f"recorded:{CLAUDE}").unavailable() == ""
    other = load("direct", f"recorded:{line('server', server)}")
    assert "There are no saved replies of this model here" in other.unavailable()
    assert model(f"recorded:{CLAUDE}").address == ""


def test_a_recording_is_never_put_on_a_list_for_a_batch(serve: Serve) -> None:
    server = serve(lambda _: ANSWER)
    with deferring() as pending, pytest.raises(ModelUnavailable, match="no recorded reply"):
        ask(f"recorded:{CLAUDE}")
    assert pending == {}
    with deferring() as pending, pytest.raises(Deferred):
        ask(CLAUDE)
    assert len(pending) == 1
    assert server.requests == []
