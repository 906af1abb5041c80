"""What goes to each provider over the wire, and what becomes of its reply."""

import logging
import sys

import numpy as np
import pytest

from groundscope.chat.budget import Budget, spending
from groundscope.errors import ModelUnavailable
from groundscope.models import embedders
from tests.groundscope.chat.clients.scripts import KEY, SERVER_KEY
from tests.groundscope.models.embedders.conftest import WAYS, Build, Serve, ignore
from tests.groundscope.models.embedders.server import expected
from tests.llm_server import Fault

TEXTS = ["The tenant pays.", "Überraschung 法院 👩‍⚖️", "The landlord repairs the roof.", "The tenant pays.", "a\x00b <b>", "مرحبا"]
TASKS = {
    "openai": ("", ""),
    "isaacus": ("retrieval/document", "retrieval/query"),
    "google": ("RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"),
}
PATHS = {
    "openai": "/v1/embeddings",
    "isaacus": "/v1/embeddings",
    "google": "/v1/models/gemini-embedding-001:batchEmbedContents",
}


@pytest.mark.parametrize("way", WAYS)
def test_vectors_come_in_the_texts_order_with_length_one(way: str, serve: Serve, build: Build) -> None:
    server = serve()
    found = build(way).passages(TEXTS, ignore)
    assert found.dtype == np.float32
    assert np.abs(found - expected(TEXTS)).max() < 1e-6
    assert np.abs(np.linalg.norm(found, axis=1) - 1).max() < 1e-6
    # Equal texts are sent once.
    assert server.texts == list(dict.fromkeys(TEXTS))


@pytest.mark.parametrize("way", WAYS)
def test_passages_and_questions_are_reported_apart_in_the_providers_words(way: str, serve: Serve, build: Build) -> None:
    server = serve()
    build(way).passages(["one"], ignore)
    build(way).questions(["one"], ignore)
    assert tuple(asked.task for asked in server.asked) == TASKS[way]
    assert [asked.path for asked in server.asked] == [PATHS[way]] * 2


def test_isaacus_is_reported_to_cut_what_is_too_long(serve: Serve, build: Build) -> None:
    server = serve()
    embedder = build("isaacus")
    embedder.passages(["long " * 50_000], ignore)
    assert server.asked[0].body["overflow_strategy"] == "drop_end"
    assert server.texts == ["long " * 50_000]
    assert (embedder.cut(["long " * 50_000]), embedder.reads()) == (None, None)


@pytest.mark.parametrize("way", WAYS)
def test_dimensions_are_asked_for_where_they_are_set_and_only_there(way: str, serve: Serve, build: Build) -> None:
    server = serve()
    assert build(way, dimensions=5).passages(TEXTS, ignore).shape == (len(TEXTS), 5)
    assert build(way).passages(TEXTS, ignore).shape == (len(TEXTS), 8)
    sent, unset = (asked.body for asked in server.asked)
    assert '"dimensions": 5' in str(sent).replace("'", '"') or '"outputDimensionality": 5' in str(sent).replace("'", '"')
    assert "imension" not in str(unset)


@pytest.mark.parametrize(("way", "most"), [("openai", 256), ("isaacus", 128), ("google", 100)])
def test_no_request_holds_more_texts_than_the_provider_takes(way: str, most: int, serve: Serve, build: Build) -> None:
    server = serve()
    texts = [f"text {i}" for i in range(601)]
    heard: list[tuple[int, int]] = []
    found = build(way).passages(texts, lambda done, total: heard.append((done, total)))
    assert np.abs(found - expected(texts)).max() < 1e-6
    sizes = [len(asked.texts) for asked in server.asked]
    assert sizes == [most] * (601 // most) + [601 % most]
    assert build(way).slice_size == most
    dones = sorted({done for done, _ in heard})
    assert dones == [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    assert {total for _, total in heard} == {601}


def test_no_request_holds_more_tokens_than_openai_takes(serve: Serve, build: Build) -> None:
    server = serve()
    texts = [f"{i} {'word ' * 4_700}" for i in range(60)]
    build("openai").passages(texts, ignore)
    sizes = [len(asked.texts) for asked in server.asked]
    # Each is about 7,835 tokens by the estimate of three characters to a token: 38 of them fit into 300,000.
    assert sizes == [38, 22]


@pytest.mark.parametrize(("way", "tokens"), [("openai", 8_192), ("google", 2_048)])
def test_a_text_that_is_too_long_is_cut_before_it_is_sent_and_counted(way: str, tokens: int, serve: Serve, build: Build) -> None:
    server = serve()
    embedder = build(way)
    short, long, wide = "a" * tokens * 3, "a" * (tokens * 3 + 1), "法" * (tokens + 1)
    embedder.passages([short, long, wide], ignore)
    assert server.texts == [short, wide[: tokens * 2 // 3]]
    assert (embedder.cut([short, long, wide, long]), embedder.reads()) == (3, tokens)


@pytest.mark.parametrize("way", WAYS)
def test_half_characters_are_replaced_and_empty_texts_are_named_before_anything_is_sent(
    way: str, serve: Serve, build: Build
) -> None:
    server = serve()
    build(way).passages(["a \ud800 b"], ignore)
    assert server.texts == ["a ? b"]
    with pytest.raises(ModelUnavailable, match=r"^Text 2 of 3 is empty, so nothing was sent; leave it out\.$"):
        build(way).questions(["one", " \n", "three"], ignore)
    assert len(server.asked) == 1
    assert build(way).passages([], ignore).shape[0] == 0
    assert len(server.asked) == 1


@pytest.mark.parametrize("way", WAYS)
def test_the_key_goes_to_the_provider_and_its_address_alone(
    way: str, serve: Serve, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: header-secret")
    monkeypatch.setenv("ISAACUS_CUSTOM_HEADERS", "X-Secret: header-secret")
    build(way).passages(["one"], ignore)
    base = server.address if way == "google" else f"{server.address}/v1"
    build(f"{way}:some-model@{base}").passages(["one"], ignore)
    monkeypatch.delenv("GROUNDSCOPE_SERVER_KEY")
    build(f"{way}:other-model@{base}").passages(["one"], ignore)
    named, typed, without = (str(asked.headers) for asked in server.asked)
    assert KEY in named
    assert SERVER_KEY in typed
    for headers in (typed, without):
        assert KEY not in headers
        assert "-secret'" not in headers.replace(SERVER_KEY, "")
    assert all(asked.headers["host"] == server.address.removeprefix("http://") for asked in server.asked)


@pytest.mark.parametrize("way", WAYS)
def test_keys_and_texts_reach_no_log_signature_or_title(
    way: str, serve: Serve, build: Build, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("OPENAI_LOG", "ISAACUS_LOG"):
        monkeypatch.setenv(name, "debug")
    for name in ("openai", "isaacus", "google_genai", "httpx", "httpx2", "httpcore", "httpcore2"):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.DEBUG)
    caplog.set_level(logging.DEBUG)
    serve(Fault("status", times=1, status=500))
    embedder = build(way)
    embedder.passages(["The merger is confidential."], ignore)
    for hidden in (KEY, SERVER_KEY, "confidential"):
        assert hidden not in caplog.text + embedder.signature + embedder.title + str(embedder)


def test_google_goes_to_the_gemini_api_whatever_the_environment_says(
    serve: Serve, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "someone's")
    build("google").passages(["one"], ignore)
    # Later models make one vector of a list of texts: each must be a content of its own.
    assert build("google:gemini-embedding-2").passages(["one", "two"], ignore).shape == (2, 8)
    assert [len(asked.body["requests"]) for asked in server.asked] == [1, 2]


@pytest.mark.parametrize("way", WAYS)
def test_a_redirect_is_not_followed(way: str, serve: Serve, build: Build) -> None:
    other = serve()
    server = serve(Fault("redirect", to=f"{other.address}/v1/embeddings"))
    with pytest.raises(ModelUnavailable, match="check the address"):
        build(way).passages(["one"], ignore)
    assert (len(server.asked), len(other.asked)) == (1, 0)


@pytest.mark.parametrize("way", WAYS)
def test_metadata_addresses_are_refused(way: str, serve: Serve, build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    serve()
    with pytest.raises(ValueError, match=r"^The address of the server leads to a link-local or metadata address"):
        build(f"{way}:m@http://169.254.169.254/v1")
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("169.254.169.254", 80))])
    with pytest.raises(ModelUnavailable, match="nothing was sent"):
        build(f"{way}:m@http://models.example").passages(["one"], ignore)


@pytest.mark.parametrize("way", ["isaacus", "google"])
def test_without_its_package_a_provider_says_what_to_install(way: str, monkeypatch: pytest.MonkeyPatch, build: Build) -> None:
    module, package = {"isaacus": ("isaacus", "isaacus"), "google": ("google.genai", "google-genai")}[way]
    monkeypatch.setitem(sys.modules, module, None)
    missing = build(way).unavailable()
    assert f".venv/bin/python -m pip install -c constraints.txt {package}`" in missing
    assert missing in [offer.unavailable() for offer in embedders.offered().values()]
    with pytest.raises(ModelUnavailable, match="is not installed"):
        build(way).passages(["one"], ignore)


@pytest.mark.parametrize("way", WAYS)
def test_without_a_key_a_provider_names_the_variable(way: str, build: Build) -> None:
    variable = {"openai": "OPENAI_API_KEY", "isaacus": "ISAACUS_API_KEY", "google": "GEMINI_API_KEY"}[way]
    assert build(way).unavailable().startswith(f"Set {variable} in the environment")
    assert build(f"{way}:m@http://localhost:9").unavailable() == ""


def test_the_cost_is_known_before_and_goes_on_the_budget(serve: Serve, build: Build) -> None:
    serve()
    texts = ["one two three four five six"] * 2 + ["x" * 2_987]
    kanon = build("isaacus")
    # 9 tokens and 996 tokens by the estimate, 13 more each by the provider; the equal text is sent once; $0.35 a million.
    assert kanon.price(texts) == pytest.approx((9 + 996 + 26) * 0.35e-6)
    for unknown in ("openai", "google"):
        assert build(unknown).price(texts) is None
    assert build("openai:m@http://localhost:11434/v1").price(texts) == 0.0
    assert build("openai:m@https://models.example/v1").price(texts) is None
    budget = Budget(dollars=1.0)
    with spending(budget):
        kanon.passages(texts, ignore)
    # What the server counts: seven words.
    assert (budget.spent.calls, budget.spent.dollars) == (1, pytest.approx(7 * 0.35e-6))
