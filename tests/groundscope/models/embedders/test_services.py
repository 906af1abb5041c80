"""Lines that name embedders, what a page lists, and texts that are cut into requests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.models import embedders
from groundscope.models.embedders.vectors import fitted, requests, tokens_of
from tests.groundscope.models.embedders.conftest import Serve


def test_what_a_page_lists() -> None:
    offers = embedders.offered()
    assert [line.partition(":")[0] for line in offers] == ["minilm", "openai", "isaacus", "google"]
    assert [offer.address for offer in offers.values()][:2] == ["", "api.openai.com"]
    assert [bool(offer.unavailable()) for offer in offers.values()] == [False, True, True, True]


def test_the_address_is_where_texts_go(serve: Serve) -> None:
    serve()
    assert {offer.address for offer in embedders.offered().values()} == {"", "127.0.0.1"}
    assert embedders.embedder("openai:nomic@http://localhost:11434/v1").address == "localhost"


def test_one_line_is_one_object() -> None:
    assert embedders.embedder("openai:m") is embedders.embedder("openai:m")
    assert embedders.embedder("openai:m") is not embedders.embedder("openai:m;dimensions=5")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "is written minilm, local:FOLDER or provider:model with one of openai, isaacus, google"),
        ("cohere:embed", "is written minilm"),
        ("local:", "Name a folder or a hub id"),
        ("local:x;precision=int8", "precision must be bf16 or fp32, got 'int8'"),
        ("openai:", "Name the model of OpenAI, like openai:text-embedding-3-large"),
        ("openai:m@http://user:key@host/v1", "hold no spaces, names or passwords"),
        ("openai:m@https://", "must begin with http"),
        ("openai:m;temperature=0", "no setting 'temperature'; there are dimensions, tokens, texts, seconds"),
        ("openai:m;dimensions=0", "dimensions must be a whole number from 1 to 65,536, got '0'"),
        ("openai:m;dimensions=nan", "dimensions must be"),
        ("isaacus:m;texts=129", "texts must be a whole number from 1 to 128, got '129'"),
    ],
)
def test_a_line_that_means_nothing_is_named(line: str, words: str) -> None:
    with pytest.raises(ValueError, match=r"\.$") as raised:
        embedders.embedder(line)
    assert words in str(raised.value)


def test_a_signature_holds_what_makes_the_vectors_and_nothing_of_speed() -> None:
    signature = "google:gemini-embedding-001|fp32|dimensions=all|tokens=2048|RETRIEVAL_DOCUMENT and RETRIEVAL_QUERY|length 1"
    plain = embedders.embedder("google:gemini-embedding-001")
    assert plain.signature == signature
    assert embedders.embedder("google:gemini-embedding-001;texts=7;seconds=9").signature == signature
    others = [
        "google:gemini-embedding-001;dimensions=768",
        "google:gemini-embedding-001;tokens=1000",
        "google:gemini-embedding-002",
        "google:gemini-embedding-001@http://localhost:1",
        "openai:gemini-embedding-001",
    ]
    assert len({embedders.embedder(line).signature for line in others} | {signature}) == len(others) + 1


texts = st.text(st.characters() | st.sampled_from("ab \n法é👩\u202e\x00"), max_size=200)


@given(texts, st.integers(1, 60))
def test_a_cut_text_is_the_longest_beginning_that_fits(text: str, tokens: int) -> None:
    whole = fitted(text, 0)
    cut = fitted(text, tokens)
    assert whole.startswith(cut)
    assert tokens_of(cut) <= tokens
    assert cut == whole or tokens_of(whole[: len(cut) + 1]) > tokens
    assert len(whole) == len(text)


@given(st.lists(texts, unique=True, max_size=12), st.integers(1, 5), st.integers(1, 80))
def test_requests_hold_every_text_once_in_order_and_no_more_than_they_may(found: list[str], most: int, tokens: int) -> None:
    keyed = {str(i).encode(): text for i, text in enumerate(found)}
    parts = list(requests(keyed, most, tokens))
    assert [key for part in parts for key in part] == list(keyed)
    assert all(0 < len(part) <= most for part in parts)
    assert all(len(part) == 1 or sum(map(tokens_of, part.values())) <= tokens for part in parts)


def test_a_megabyte_is_cut_at_once() -> None:
    assert len(fitted("§ 242 BGB " * 100_000, 8_192)) < 8_192 * 3
