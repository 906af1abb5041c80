"""Majority of k: what it asks, what it makes of the votes, and what it refuses."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

import pytest

from groundscope.chat import replies
from groundscope.chat.clients import ceilings
from groundscope.chat.prompt_files import save_prompt, shipped
from groundscope.methods import registry
from groundscope.runtime.retention import afresh, keeping
from groundscope.types import Judgement, Status
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import CASE, by_task, line
from tests.llm_server import Asked, Fault

QUOTE = "Costs of 5,400 euros went to the landlord."


def votes(*passed: bool | None) -> Callable[[Asked], str]:
    """A judge with a vote for each reading, in the order in which they begin; None = says nothing that can be read."""
    left, given, lock = iter(passed), dict[str, bool | None](), Lock()

    def answer(asked: Asked) -> str:
        # Readings go on side by side; each has a marker of its own.
        with lock:
            vote = given[asked.marker] if asked.marker in given else given.setdefault(asked.marker, next(left))
        if vote is None:
            return "I would rather not say."
        quotes = [] if vote else [{"quote": QUOTE, "why": "It was 4,500 euros."}]
        return json.dumps({"reasons": ["So it is."], "unsupported": quotes, "verdict": "PASS" if vote else "FAIL"})

    return answer


def judged(serve: Serve, *passed: bool | None, **options: Any) -> Judgement:
    server = serve(votes(*passed))
    return registry.load("majority", model=line("server", server, at_once=1), **options).score(CASE)


@pytest.mark.parametrize(
    ("passed", "share"), [((True, True, True), 1), ((True, False, True), 2 / 3), ((False, True, False), 1 / 3)]
)
def test_support_is_the_share_of_the_votes_for_it(passed: Sequence[bool], share: float, serve: Serve) -> None:
    found = judged(serve, *passed)
    assert found.status is Status.SCORED
    assert found.support == pytest.approx(share)
    assert [s.support for s in found.sentences] == pytest.approx([1.0, share])
    assert (found.calls, found.cached) == (3, 0)
    assert found.note.startswith(f"{sum(passed)} of 3 readings call it grounded. So it is.")
    # What is shown is a reading that voted as most did.
    assert any("4,500" in c.reason for c in found.claims) is (share < 0.5)


def test_five_readings_cost_five_times_as_much(serve: Serve) -> None:
    spec = line("server", serve(votes(True, False, True, False, True)))
    five, one = registry.load("majority", k=5, model=spec), registry.load("direct", model=spec)
    assert five.score(CASE).support == pytest.approx(3 / 5)
    assert five.estimate(CASE).calls == 5 * one.estimate(CASE).calls
    assert five.estimate(CASE).input == 5 * one.estimate(CASE).input
    assert five.address == one.address != ""
    assert five.about.title == "Majority of 5, Direct prompting"


def test_a_reading_without_a_verdict_has_no_vote_and_an_even_vote_is_no_majority(serve: Serve) -> None:
    method = registry.load("majority")
    found = judged(serve, True, None, False)
    assert (found.status, found.support) == (Status.SCORED, 0.5)
    assert (found.support or 0) < (method.about.threshold or 0)
    assert "1 of 2 readings call it grounded. 1 reading has no verdict." in found.note
    assert found.calls == 4
    none = judged(serve, None, None, None)
    assert (none.status, none.support, none.calls) == (Status.INVALID, None, 6)
    assert none.raw == "I would rather not say."


def test_a_server_that_fails_fails_the_whole_vote(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceilings, "TRIES", 1)
    server = serve(votes(True, True, True))
    server.faults = [Fault("status", status=401, times=1)]
    found = registry.load("majority", model=line("server", server)).score(CASE)
    assert (found.status, found.support) == (Status.FAILED, None)


def test_each_reading_has_kept_replies_of_its_own_and_the_first_those_of_the_method_alone(serve: Serve) -> None:
    server = serve(votes(True, False, False))
    spec = line("server", server, at_once=1)
    method = registry.load("majority", model=spec)
    with keeping():
        first, again = method.score(CASE), method.score(CASE)
        alone = registry.load("direct", model=spec).score(CASE)
    assert len(server.asked) == 3
    assert (again.support, again.cached, again.calls) == (first.support, 1.0, 0)
    assert (alone.support, alone.cached) == (1.0, 1.0)


def test_asked_afresh_it_neither_reads_nor_keeps_replies(serve: Serve) -> None:
    server = serve(votes(*[True] * 6, *[False] * 3))
    method = registry.load("majority", model=line("server", server))
    with keeping(), afresh():
        assert [method.score(CASE).cached for _ in range(2)] == [0.0, 0.0]
    assert replies.default().models() == {}
    with keeping():
        assert method.score(CASE).support == 0.0
    assert len(server.asked) == 9


def test_any_method_that_asks_can_be_asked_several_times(serve: Serve) -> None:
    labels = [{"number": i, "label": "Entailment", "reason": "stated"} for i in (1,)]
    triplets = [{"sentence": 2, "subject": "costs", "predicate": "went to", "object": "the landlord"}]
    server = serve(by_task(triplets=triplets, labels=labels))
    found = registry.load("majority", of="refchecker", model=line("server", server)).score(CASE)
    assert (found.status, found.support, found.calls) == (Status.SCORED, 1.0, 6)
    assert [s.support for s in found.sentences] == [None, 1.0]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"k": 4}, "k must be odd, so that a vote cannot end even, got 4; choose 3 or 5"),
        ({"of": "quip"}, "quip asks none and says the same every time"),
        ({"of": "majority"}, "another method than majority itself"),
        ({"of": "nothing"}, "of must be the id of a method that asks a chat model, such as direct, got 'nothing'"),
        ({"prompt": "lynx", "of": "refchecker"}, "prompt must be one of standard, plain, steps, got 'lynx'"),
        ({"prompt": "plain", "of": "direct:bespoke-minicheck"}, "prompt must be left out: .* has a message of its own"),
    ],
)
def test_what_cannot_vote_is_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        registry.load("majority", **options)


def test_its_rewordings_are_those_of_the_method_it_asks(serve: Serve) -> None:
    server = serve(votes(*[True] * 6))
    method = registry.load("majority", model=line("server", server))
    other = method.reworded(1)
    assert other is not None
    assert other.signature != method.signature
    assert replace(other).signature == method.signature  # type: ignore[type-var]
    other.score(CASE)
    method.score(CASE)
    assert [a.task.startswith("Decide whether") for a in server.asked] == [False] * 3 + [True] * 3
    assert registry.load("majority", of="lynx").reworded(1) is None


@pytest.mark.parametrize("prompt", [p.name for p in shipped("direct")])
def test_it_asks_with_the_prompt_that_is_chosen_as_the_method_alone_does(prompt: str, serve: Serve) -> None:
    reply = '{"REASONING": ["So."], "SCORE": "PASS", "reasons": ["So."], "unsupported": [], "verdict": "PASS"}'
    server = serve(lambda _: reply)
    spec = line("server", server, at_once=1)
    method, alone = (registry.load(m, model=spec, prompt=prompt) for m in ("majority", "direct"))
    assert method.score(CASE).support == 1.0
    assert len(server.asked) == 3
    assert len({a.unmarked for a in server.asked}) == 1
    # The first reading's reply is the method's own: the question is the same to the letter.
    assert (alone.score(CASE).support, alone.score(CASE).cached, len(server.asked)) == (1.0, 1.0, 3)
    # The signature has the prompt's name and the hash of its texts, as that of the method has.
    assert method.signature == f"majority|k=3|of direct|{alone.signature}"
    assert method.prompt_used() == alone.prompt_used() == next(p for p in shipped("direct") if p.name == prompt)


def test_a_users_own_prompt_is_one_of_those_of_the_method_that_it_asks(serve: Serve) -> None:
    texts = {**dict(shipped("direct")[0].texts), "task": "Be strict."}
    strict = save_prompt("direct", "strict", texts, registry.load("majority").prompts())
    assert registry.load("majority").prompts() == registry.load("direct").prompts() == (*shipped("direct"), strict)
    server = serve(votes(True, True, True))
    assert registry.load("majority", model=line("server", server), prompt="strict").score(CASE).support == 1.0
    assert {a.task.partition("\n")[0] for a in server.asked} == {"Be strict."}
