"""Chat models that argue and extract, over real HTTP: what is sent, and what becomes of every kind of reply."""

import json

import pytest

from groundscope.arguments.asking import ChatArguer, ChatExtractor
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.extraction import exact
from groundscope.arguments.parsing import PLIES, Argument
from groundscope.arguments.prompts import TASK, wording
from groundscope.arguments.scoring import score
from groundscope.arguments.types import Scenario, Test
from groundscope.chat.budget import Budget, Cost, spending
from groundscope.chat.clients.model import chat_model
from groundscope.chat.prompt_files import prompts
from groundscope.errors import ModelUnavailable
from tests.groundscope.arguments.scripted import SCENARIOS, argues, spec
from tests.groundscope.chat.clients.conftest import Serve
from tests.llm_server import LLMServer, Said

S = SCENARIOS[0]
VERIFYING = wording("verify-then-answer")
GOOD = json.dumps(dict(zip(PLIES, ("TSC1 had F4.", "b", "c"), strict=True)))


def written(server: LLMServer, scenario: Scenario = S, **settings: object) -> tuple[Argument, Cost]:
    with spending(Budget()) as meter:
        argument = ChatArguer(chat_model(spec(server, **settings))).argue(scenario, TRADE_SECRETS, wording())
    return argument, meter.cost


def test_a_faithful_model_is_read_as_faithful_and_sees_the_triple_alone(serve: Serve) -> None:
    server = serve(argues)
    for s in SCENARIOS:
        argument, cost = written(server, s)
        found = score(s, exact(argument.plies, TRADE_SECRETS))
        assert found.acc_h == 1
        assert found.rec_u == (0 if s.test is Test.NON_ARGUABLE else 1)
        assert found.abstained == (s.test is Test.NON_ARGUABLE)
        assert cost.calls == 1
        assert cost.tokens > 0
    assert len(server.asked) == len(SCENARIOS)
    (first, *_) = server.asked
    assert list(first.data) == ["triple"]
    assert first.forced
    assert wording().text("abstention") in first.task
    assert "arguable" not in first.user


@pytest.mark.parametrize(
    ("replies", "plies", "note", "calls"),
    [
        (["no JSON", GOOD], ("TSC1 had F4.", "b", "c"), "", 2),
        (["no JSON", "TSC1 had F4."], ("TSC1 had F4.",), "so it is read as one text", 2),
        ([Said("I cannot.", "refusal")], ("",), "The model refused to answer.", 1),
        (["no JSON", Said(GOOD[:20], "max_tokens")], ("",), "cut off at its token limit", 2),
    ],
)  # fmt: skip
def test_every_kind_of_reply_becomes_an_argument_or_says_why_there_is_none(
    serve: Serve, replies: list[object], plies: tuple[str, ...], note: str, calls: int
) -> None:
    left = list(replies)
    server = serve(lambda _: left.pop(0) if len(left) > 1 else left[0])  # type: ignore[arg-type, return-value]
    found, cost = written(server)
    assert found.plies == plies
    assert note in found.note
    assert cost.calls == len(server.asked) == calls


def test_a_triple_that_does_not_fit_the_model_is_refused_and_not_cut(serve: Serve) -> None:
    server = serve(argues)
    with pytest.raises(ModelUnavailable, match="the model has room for 500"):
        written(server, window=500)
    assert server.asked == []


def verified(server: LLMServer, scenario: Scenario) -> Argument:
    return ChatArguer(chat_model(spec(server))).argue(scenario, TRADE_SECRETS, VERIFYING)


def test_who_verifies_first_argues_where_it_found_something_and_is_asked_nothing_more_where_not(serve: Serve) -> None:
    server = serve(argues)
    for s in SCENARIOS:
        before = len(server.asked)
        found = verified(server, s)
        made = score(s, exact(found.plies, TRADE_SECRETS))
        none = s.test is Test.NON_ARGUABLE
        assert (made.abstained, len(server.asked) - before) == (none, 1 if none else 2)
        assert ("found no factor in common" in found.note) == none
    first, second = server.asked[:2]
    assert first.data == second.data
    assert VERIFYING.text("abstention") not in first.task
    assert VERIFYING.text("abstention") in second.task


def test_a_model_that_finds_nothing_where_there_is_something_abstains_falsely(serve: Serve) -> None:
    server = serve(lambda asked: json.dumps({"tsc1": [" "], "tsc2": []}) if "two lists" in asked.task else argues(asked))
    found = verified(server, S)
    assert score(S, exact(found.plies, TRADE_SECRETS)).abstained
    assert len(server.asked) == 1


def test_a_list_that_cannot_be_read_is_no_abstention(serve: Serve) -> None:
    server = serve(lambda asked: "no lists" if "two lists" in asked.task else argues(asked))
    found = verified(server, S)
    assert not score(S, exact(found.plies, TRADE_SECRETS)).abstained
    assert found.note.startswith("What it found in common could not be read, so it argued without: ")
    assert len(server.asked) == 3


def extracted(server: LLMServer, *plies: str) -> tuple[list[list[str]], str]:
    found, why = ChatExtractor(chat_model(spec(server))).extract(Argument(plies), TRADE_SECRETS)
    assert found is not None
    assert (found.mentions, why) == ((), "")
    return [sorted(s) for s in found.sets], found.note


def test_the_extractor_gets_the_argument_alone_and_its_lists_become_factors(serve: Serve) -> None:
    server = serve(argues)
    assert extracted(server, "TSC1 had F4.", "The current case had F6 Security-measures (P).", "") == ([["F6"], ["F4"], []], "")
    (asked,) = server.asked
    assert asked.data == {"argument": "TSC1 had F4.\n\nThe current case had F6 Security-measures (P)."}
    assert "F27" not in asked.user
    assert asked.forced


def test_an_extractor_that_returns_unknown_factors_makes_them_inventions(serve: Serve) -> None:
    lists = {"current_case": ["F9", "Trade-licence (P)", "f4", "agreed not to disclose"], "tsc1": [], "tsc2": ["", "F4 and F6"]}
    sets, note = extracted(serve(lambda _: json.dumps(lists)), "x")
    assert sets == [["F4", "F9", "trade-licence"], [], ["F4", "F6"]]
    assert note == "2 of what it lists is no factor of the catalogue."


def test_an_extractor_that_thinks_aloud_is_read_at_once(serve: Serve) -> None:
    server = serve(lambda _: "F9 it is.</think>\n" + json.dumps({"current_case": [], "tsc1": ["F4"], "tsc2": []}))
    assert extracted(server, "TSC1 had F4.") == ([[], ["F4"], []], "")
    assert len(server.asked) == 1


@pytest.mark.parametrize("reply", ["nothing", json.dumps({"tsc1": []})])
def test_an_extractor_that_cannot_be_read_twice_is_reported(serve: Serve, reply: str) -> None:
    server = serve(lambda _: reply)
    found, why = ChatExtractor(chat_model(spec(server))).extract(Argument(("x",)), TRADE_SECRETS)
    assert found is None
    assert why
    assert len(server.asked) == 2


def test_no_one_is_asked_about_an_argument_that_says_nothing(serve: Serve) -> None:
    server = serve(argues)
    assert extracted(server, "", " ")[1] == "There is no argument, so no model was asked."
    assert server.asked == []


def test_signatures_name_the_model_and_differ_by_what_is_sent(serve: Serve) -> None:
    server = serve(argues)
    model = chat_model(spec(server))
    warm = chat_model(spec(server, temperature=1))
    assert len({ChatArguer(model).signature, ChatArguer(warm).signature, ChatArguer(model, 99).signature}) == 3
    assert "scripted-1" in ChatExtractor(model).signature
    # Eight figures of each wording's hash: a change of one word of one of them is not missed.
    told = ChatArguer(model).signature.partition("wording=")[2].partition("|")[0]
    assert len(told) == 8 * len(prompts(TASK))
