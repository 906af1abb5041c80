"""What each provider is sent, and what is read from its reply, streamed and not, through the real SDKs."""

import pytest

from groundscope.chat.messages import Usage
from groundscope.chat.prices import price_of
from groundscope.errors import ModelUnavailable
from groundscope.paths import Variable
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import (
    ANSWER,
    CASE,
    CLAUDE,
    KEY,
    SCHEMA,
    SERVER_KEY,
    WAYS,
    ask,
    line,
    load,
    model,
    prompt,
)
from tests.llm_server import Asked, Fault, Said

SAID = Said(ANSWER, thinking="First I think. PASS? FAIL?", input_tokens=900, output_tokens=40, cached=300)


def _says(said: Said) -> object:
    return lambda asked: said


@pytest.mark.parametrize("way", WAYS)
def test_text_tokens_cost_and_model_are_read_from_the_reply(way: str, serve: Serve) -> None:
    server = serve(_says(SAID))
    reply = ask(line(way, server))
    assert reply.text == ANSWER
    assert reply.stop == "end"
    assert reply.usage == Usage(600, 40, 300, 0)
    assert reply.model == {"anthropic": "claude-haiku-5-5", "openai": "gpt-4o", "server": "scripted-1"}[way.partition(";")[0]]
    # Dollars per million tokens, by prices.csv: input, output, read from the cache.
    dollars = {"anthropic": (0.1, 0.5, 0.01), "openai": (2.5, 10, 1.25), "server": (0, 0, 0)}[way.partition(";")[0]]
    assert reply.cost == pytest.approx((600 * dollars[0] + 40 * dollars[1] + 300 * dollars[2]) / 1e6)
    assert 0 < reply.seconds < 30
    assert reply.at
    assert not reply.kept
    assert bool(server.asked[0].body.get("stream")) == ("stream" in way)


@pytest.mark.parametrize("way", ["anthropic", "anthropic;stream=1"])
def test_tokens_written_to_the_providers_cache_are_counted_and_priced(way: str, serve: Serve) -> None:
    server = serve(_says(SAID._replace(written=200)))
    reply = ask(line(way, server))
    assert reply.usage == Usage(400, 40, 300, 200)
    assert reply.cost == pytest.approx((400 * 0.1 + 40 * 0.5 + 300 * 0.01 + 200 * 0.125) / 1e6)


def test_a_long_prompt_has_the_price_of_its_size(serve: Serve) -> None:
    server = serve(_says(SAID._replace(input_tokens=150_000)))
    reply = ask(line("anthropic", server))
    dear = price_of("claude-haiku-5-5", 150_000)
    assert dear is not None
    assert dear.input == 0.5
    assert reply.cost == pytest.approx((149_700 * 0.5 + 40 * 2.5 + 300 * 0.05) / 1e6)


def test_an_unknown_model_has_no_known_price_and_one_outside_the_own_network_neither(serve: Serve) -> None:
    serve(_says(SAID))
    assert ask("anthropic:claude-unheard-of").cost is None
    assert model("server:x@https://models.example.com/v1").price(Usage(1)) is None
    assert model("server:x@http://10.1.2.3:8000/v1").price(Usage(1)) == 0.0
    assert model("server:gpt-4o@http://10.1.2.3:8000/v1").price(Usage(1_000_000)) == 2.5


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("stop", "meant"),
    [("end_turn", "end"), ("max_tokens", "length"), ("refusal", "refusal"), ("tool_use", "other")],
)
def test_why_a_model_stopped(way: str, stop: str, meant: str, serve: Serve) -> None:
    server = serve(_says(SAID._replace(stop=stop)))
    assert ask(line(way, server)).stop == meant


@pytest.mark.parametrize("way", ["anthropic", "anthropic;stream=1"])
def test_what_anthropic_is_sent(way: str, serve: Serve) -> None:
    server = serve(_says(SAID))
    ask(line(way, server), prompt(max_tokens=77))
    asked = server.asked[0]
    assert asked.body["model"] == "claude-haiku-5-5"
    assert asked.body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert not {"temperature", "top_p", "top_k"} & set(asked.body)
    blocks = asked.body["messages"][0]["content"]
    assert [block.get("cache_control") for block in blocks] == [{"type": "ephemeral"}, None, None]
    assert blocks[-1]["text"] == "Give a verdict."
    assert asked.system.startswith("You judge.")
    # With room for thinking, which counts as written.
    assert asked.body["max_tokens"] > 77
    assert asked.headers["authorization"] == f"Bearer {KEY}"


def test_only_the_last_shared_block_is_marked_for_the_cache_and_none_where_none_is_shared(serve: Serve) -> None:
    from groundscope.chat.messages import Block

    server = serve(_says(SAID))
    ask(CLAUDE, prompt(blocks=(Block("a", "1", shared=True), Block("b", "2", shared=True), Block("c", "3"))))
    ask(CLAUDE, prompt(blocks=(Block("a", "1"),)))
    marked = [["cache_control" in block for block in asked.body["messages"][0]["content"]] for asked in server.asked]
    assert marked == [[False, True, False, False], [False, False]]


@pytest.mark.parametrize("way", [way for way in WAYS if "anthropic" not in way])
def test_what_the_chat_completions_api_is_sent(way: str, serve: Serve) -> None:
    server = serve(_says(SAID))
    ask(line(way, server), prompt(max_tokens=77))
    body = server.asked[0].body
    form = {"name": "reply", "strict": True, "schema": SCHEMA}
    assert body["response_format"] == {"type": "json_schema", "json_schema": form}
    assert [m["role"] for m in body["messages"]] == ["system", "user"]
    assert server.asked[0].data == {"document": prompt().blocks[0].text, "answer": "It is not."}
    own = way.startswith("server")
    assert (body.get("max_tokens"), body.get("max_completion_tokens")) == ((77, None) if own else (None, 77))
    assert body.get("temperature") == (0.0 if own else None)
    if "stream" in way:
        assert body["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("way", ["server", "server;stream=1"])
def test_nothing_that_is_openais_goes_to_an_address_that_somebody_typed(
    way: str, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, f"openai-secret-{name}")
    server = serve(_says(SAID))
    monkeypatch.setenv("OPENAI_API_KEY", "openai-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer openai-secret\nX-Gateway: openai-secret")
    ask(line(way, server))
    model(line(way, server)).provider.models()
    assert len(server.requests) == 2
    for _, _, headers in server.requests:
        assert headers["authorization"] == f"Bearer {SERVER_KEY}"
        assert "openai-secret" not in str(headers)
        assert not {"openai-organization", "openai-project", "x-gateway"} & set(headers)


def test_a_server_without_a_key_gets_none_of_another_provider(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(_says(SAID))
    monkeypatch.delenv(Variable.SERVER_KEY)
    ask(line("server", server))
    assert server.asked[0].headers["authorization"] == "Bearer none"


@pytest.mark.parametrize("way", ["anthropic", "openai", "google", "server"])
def test_the_models_that_can_be_asked(way: str, serve: Serve) -> None:
    server = serve(_says(SAID))
    server.models = ["one", "two"]
    assert model(line(way, server)).provider.models() == ["one", "two"]
    assert server.asked == []
    server.faults.append(Fault("status", status=401, only="models"))
    with pytest.raises(ModelUnavailable, match="401: the key is not valid"):
        model(line(way, server)).provider.models()


@pytest.mark.parametrize(
    ("spec", "variable"),
    [(CLAUDE, "ANTHROPIC_API_KEY"), ("openai:gpt-4o", "OPENAI_API_KEY"), ("azure:deployment", "AZURE_OPENAI_API_KEY")],
)
def test_a_missing_key_is_said_with_the_fix_and_nothing_is_sent(
    spec: str, variable: str, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(_says(SAID))
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, " ")
    mend = f"Set {variable} in the environment or in Streamlit's secrets, and start the app again."
    direct = load("direct", spec)
    assert direct.unavailable() == mend
    assert direct.score(CASE).note == mend
    assert direct.score(CASE).status == "failed"
    with pytest.raises(ModelUnavailable, match=variable):
        ask(spec)
    assert server.requests == []


def test_azure_without_an_endpoint_says_which_variables_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    assert "AZURE_OPENAI_ENDPOINT" in load("direct", "azure:deployment").unavailable()


def test_azure_is_asked_at_its_deployment(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(_says(SAID))
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.anthropic)
    monkeypatch.setenv("OPENAI_API_VERSION", "2026-01-01")
    assert ask("azure:gpt-4o;temperature=0.2;effort=low;seed=3").text == ANSWER
    (asked,) = server.asked
    assert asked.path == "/openai/deployments/gpt-4o/chat/completions"
    assert asked.headers["api-key"] == KEY
    assert (asked.body["temperature"], asked.body["reasoning_effort"], asked.body["seed"]) == (0.2, "low", 3)


@pytest.mark.parametrize("spec", ["bedrock:anthropic.claude-haiku-5-5", "vertex:claude-haiku-5-5"])
def test_the_clouds_say_what_to_install_and_set(spec: str) -> None:
    why = load("direct", spec).unavailable()
    assert "cannot be used here" in why
    assert f"install anthropic[{spec.partition(':')[0]}]" in why


def test_the_marker_of_a_call_frames_its_data_and_is_no_part_of_the_key(serve: Serve) -> None:
    markers: list[str] = []

    def answer(asked: Asked) -> str:
        markers.append(asked.marker)
        return ANSWER

    server = serve(answer)
    first, again = ask(line("server", server)), ask(line("server", server))
    assert len(markers) == 1
    assert first.marker == again.marker == markers[0]
    assert (first.kept, again.kept) == (False, True)
