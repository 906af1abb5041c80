"""Google's chat_model models through the real SDK over HTTP: what is sent, what is read, and what goes wrong."""

import sys

import pytest

from groundscope.chat.clients.model import chat_model
from groundscope.chat.messages import Usage
from groundscope.errors import ModelUnavailable
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import ANSWER, KEY, SCHEMA, ask, line, model, passes, prompt, score
from tests.llm_server import Fault, Kind, Said

WAYS = ("google", "google;stream=1")
SAID = Said(ANSWER, thinking="First I think. PASS? FAIL?", input_tokens=900, output_tokens=40, cached=300)

both_ways = pytest.mark.parametrize("way", WAYS)


@both_ways
def test_text_tokens_and_model_are_read_without_the_thoughts(way: str, serve: Serve) -> None:
    server = serve(lambda _: SAID)
    reply = ask(line(way, server))
    assert (reply.text, reply.stop, reply.model) == (ANSWER, "end", "gemini-2.5-flash")
    # Thoughts are paid as written.
    assert reply.usage == Usage(600, 45, 300, 0)
    # Dollars per million tokens, by prices.csv: input, output, read from the cache.
    assert reply.cost == pytest.approx((600 * 0.3 + 45 * 2.5 + 300 * 0.03) / 1e6)
    assert ("stream" in server.asked[0].path) == ("stream" in way)


@both_ways
def test_what_is_sent(way: str, serve: Serve) -> None:
    server = serve(lambda _: SAID)
    ask(f"{line(way, server)};temperature=0.3;seed=7;effort=low", prompt(max_tokens=77))
    asked = server.asked[0]
    config = asked.body["generationConfig"]
    assert asked.path.startswith("/v1/models/gemini-2.5-flash:")
    assert (config["temperature"], config["seed"], config["thinkingConfig"]) == (0.3, 7, {"thinking_level": "LOW"})
    assert (config["responseMimeType"], config["responseJsonSchema"]) == ("application/json", SCHEMA)
    # With room for thoughts, which the limit counts.
    assert config["maxOutputTokens"] == 77 + 6_000
    assert asked.system.startswith("You judge.")
    assert asked.data == {"document": prompt().blocks[0].text, "answer": "It is not."}
    assert asked.task == "Give a verdict."
    assert asked.headers["x-goog-api-key"] == KEY
    ask(line(way, server), prompt(task="Another."))
    assert not {"temperature", "seed", "thinkingConfig"} & set(server.asked[1].body["generationConfig"])


@both_ways
@pytest.mark.parametrize(
    ("stop", "meant"),
    [("max_tokens", "length"), ("RECITATION", "refusal"), ("OTHER", "other")],
)
def test_why_it_stopped(way: str, stop: str, meant: str, serve: Serve) -> None:
    server = serve(lambda _: SAID._replace(stop=stop))
    assert ask(line(way, server)).stop == meant
    server.answer = lambda _: Said("", stop="refusal")
    blocked = ask(line(way, server), prompt("blocked"))
    assert (blocked.text, blocked.stop) == ("", "refusal")


@both_ways
def test_a_method_judges_with_it_and_without_a_schema_too(way: str, serve: Serve) -> None:
    server = serve(passes)
    judgement = score("direct", line(way, server))
    assert (judgement.status, judgement.support, judgement.calls) == ("scored", 1.0, 1)
    server.schemas = False
    server.answer = lambda asked: f"<answer-{asked.marker}>\n{passes(asked)}\n</answer-{asked.marker}>"
    assert score("direct", line(way, server), prompt="plain").support == 1.0
    assert not server.asked[-1].forced


@both_ways
@pytest.mark.parametrize("kind", ["junk", "cut", "status"])
def test_a_body_that_is_no_reply_or_breaks_off_is_asked_for_again(way: str, kind: Kind, serve: Serve) -> None:
    server = serve(lambda _: SAID, Fault(kind, 1, at=60, status=503))
    assert ask(line(way, server)).text == ANSWER
    assert len(server.asked) == 2


@both_ways
@pytest.mark.parametrize(("status", "words"), [(401, "the key is not valid"), (403, "may not use"), (404, "no such model")])
def test_refusals_are_said_and_quote_nothing(way: str, status: int, words: str, serve: Serve) -> None:
    server = serve(lambda _: SAID, Fault("status", status=status))
    with pytest.raises(ModelUnavailable, match=words) as raised:
        ask(line(way, server))
    assert "confidential" not in str(raised.value)
    assert KEY not in str(raised.value)
    assert len(server.asked) == 1


def test_a_key_that_google_calls_invalid_with_400_is_said_as_such(serve: Serve) -> None:
    server = serve(lambda _: SAID)
    server.refusal = "API_KEY_INVALID"
    with pytest.raises(ModelUnavailable, match="the key is not valid"):
        ask(line("google", server))


def test_it_goes_to_the_gemini_api_whatever_the_environment_says(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(lambda _: SAID)
    for name, value in {"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "us"}.items():
        monkeypatch.setenv(name, value)
    assert ask(line("google", server)).text == ANSWER
    assert server.asked[0].path.startswith("/v1/models/")


def test_without_its_package_key_or_a_fit_address_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = "google:gemini-2.5-flash"
    assert model(spec).unavailable().startswith("Set GEMINI_API_KEY in the environment")
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://169.254.169.254")
    chat_model.cache_clear()
    assert "link-local or metadata address" in model(spec).unavailable()
    monkeypatch.setitem(sys.modules, "google.genai", None)
    chat_model.cache_clear()
    assert ".venv/bin/python -m pip install -c constraints.txt google-genai" in model(spec).unavailable()
