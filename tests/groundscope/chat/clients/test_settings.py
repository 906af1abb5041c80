"""Temperature, reasoning effort and seed: sent where they are set, refused in words, and never left out silently."""

import pytest

from groundscope.errors import ModelUnavailable
from groundscope.methods import registry
from groundscope.types import Status
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import ANSWER, TEXT_OF_CASE, ask, case, line, load, passes, prompt, score
from tests.llm_server import Fault, Said

SAID = Said(ANSWER)


@pytest.mark.parametrize("way", ["openai", "openai;stream=1", "server"])
def test_the_chat_completions_api_gets_what_is_set(way: str, serve: Serve) -> None:
    server = serve(lambda _: SAID)
    ask(line(way, server, temperature=0.7, effort="high", seed=7), prompt(max_tokens=50))
    body = server.asked[0].body
    assert (body["temperature"], body["reasoning_effort"], body["seed"]) == (0.7, "high", 7)
    limit = body.get("max_tokens") or body["max_completion_tokens"]
    # Who thinks harder needs room for it; a small window gives a quarter at most.
    assert limit == 50 + (2_048 if way == "server" else 24_000)
    ask(line(way, server), prompt(task="Without."))
    sent = {name for name in ("temperature", "reasoning_effort", "seed") if name in server.asked[1].body}
    assert sent == ({"temperature"} if way == "server" else set())


@pytest.mark.parametrize("stream", ["", ";stream=1"])
def test_anthropic_gets_the_effort_and_an_earlier_model_the_temperature(stream: str, serve: Serve) -> None:
    server = serve(lambda _: SAID)
    ask(f"anthropic:claude-haiku-5-5;effort=max{stream}", prompt(max_tokens=50))
    body = server.asked[0].body
    assert body["output_config"]["effort"] == "max"
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert body["max_tokens"] == 50 + 48_000
    ask(f"anthropic:claude-sonnet-4-6;temperature=0.5{stream}")
    assert server.asked[1].body["temperature"] == 0.5
    assert "effort" not in server.asked[1].body["output_config"]
    newer, earlier = (asked.headers["anthropic-version"] for asked in server.asked)
    assert earlier == "2023-06-01" != newer


def test_each_sample_has_a_seed_of_its_own_and_the_same_in_every_run(serve: Serve) -> None:
    server = serve(lambda _: SAID)
    spec = line("server", server, seed=7)
    for number in range(3):
        ask(spec, number=number)
    assert [a.body["seed"] for a in server.asked] == [7, 8, 9]


def test_the_settings_are_in_the_signature_and_no_reply_of_other_settings_is_reused(serve: Serve) -> None:
    server = serve(passes)
    specs = [line("server", server), line("server", server, seed=1), line("server", server, effort="low")]
    assert [score("direct", spec).calls for spec in specs] == [1, 1, 1]
    assert len({load("direct", spec).signature for spec in specs}) == 3
    assert ", effort=low|" in load("direct", specs[2]).signature
    # Zero is what a server is asked with anyhow.
    assert score("direct", line("server", server, temperature=0)).calls == 0


REFUSALS = {
    ("openai:mine", "temperature"): "Unsupported value: 'temperature' does not support 0.5 with this model.",
    ("openai:mine", "effort"): "Unrecognized request argument supplied: reasoning_effort",
    ("openai:mine", "seed"): "Unknown parameter: 'seed'.",
    ("anthropic:mine", "effort"): "output_config.effort: this model does not support it",
    ("anthropic:mine", "temperature"): "temperature: Extra inputs are not permitted",
    ("google:mine", "effort"): "Thinking level is not supported for this model.",
    ("google:mine", "temperature"): "temperature is not supported",
}
VALUES = {"temperature": "0.5", "effort": "low", "seed": "7"}


@pytest.mark.parametrize(("spec", "name"), REFUSALS)
def test_what_a_provider_refuses_is_said_at_once_on_the_judgement(spec: str, name: str, serve: Serve) -> None:
    server = serve(lambda _: SAID)
    server.refusal = REFUSALS[spec, name]
    judgement = score("direct", f"{spec};{name}={VALUES[name]}")
    assert judgement.status == "failed"
    assert f"answered 400: it does not take the {name} that is set; clear it on the Methods page" in judgement.note
    assert len(server.asked) == 1


def test_a_refusal_that_names_no_setting_says_which_went_with_the_call(serve: Serve) -> None:
    server = serve(lambda _: SAID, Fault("status", status=400))
    # The server quotes the prompt, and the prompt holds the word.
    with pytest.raises(ModelUnavailable, match=r"choose another model\. temperature and seed went with it\.") as raised:
        ask("openai:mine;temperature=0.5;seed=7", prompt(text=f"{TEXT_OF_CASE} The temperature was 5."))
    assert "confidential" not in str(raised.value)
    # Without settings nothing is said of them.
    with pytest.raises(ModelUnavailable, match=r"choose another model\.$"):
        ask("openai:mine", prompt(text="x"))
    assert server.answered == []


METHODS = ("direct", "lynx", "refchecker", "claims_verify", "multi_gen")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("named", ["nonsense", "openai:", "server:x", "anthropic:a b", "server:x@http://u:p@h/v1"])
def test_a_name_that_cannot_be_meant_leaves_every_method_listed_and_says_why(
    named: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDSCOPE_MODEL", named)
    scorer = registry.load(method)
    assert "|model=none" in scorer.signature
    missing = scorer.unavailable()  # type: ignore[attr-defined]
    assert "GROUNDSCOPE_MODEL" in missing or "lynx" in missing.lower()
    judgement = scorer.score(case("It was dismissed.", "It was dismissed."))
    assert (judgement.status, judgement.calls) == (Status.FAILED, 0)
    with pytest.raises(ModelUnavailable):
        scorer.estimate(case("It was dismissed.", "It was dismissed."))  # type: ignore[attr-defined]
