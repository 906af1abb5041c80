"""A model in a line of text: read, written and read again, and nothing else is taken for one."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.chat.model_spec import ModelSpec, parse
from groundscope.chat.providers import EFFORTS, PROVIDERS, takes_temperature
from tests.loops import each

LOCAL = "http://localhost:11434/v1"
LINES = {
    "anthropic:claude-haiku-5-5": ModelSpec("anthropic", "claude-haiku-5-5"),
    f"server:llama3.1:8b@{LOCAL};window=8192": ModelSpec("server", "llama3.1:8b", LOCAL, window=8192),
    "recorded:anthropic:claude-haiku-5-5": ModelSpec("anthropic", "claude-haiku-5-5", recorded=True),
    "vertex:claude-opus-4-5@20251101": ModelSpec("vertex", "claude-opus-4-5@20251101"),
    "server:a@b@https://[::1]:8000/v1": ModelSpec("server", "a@b", "https://[::1]:8000/v1"),
    "openai:gpt-4o;temperature=0.7;stream=1;at_once=2;a_minute=60;seconds=30": ModelSpec(
        "openai", "gpt-4o", temperature=0.7, stream=True, at_once=2, a_minute=60, seconds=30
    ),
    "server:m@http://h;temperature=1e-05": ModelSpec("server", "m", "http://h", temperature=1e-5),
    "  openai:gpt-4o \n": ModelSpec("openai", "gpt-4o"),
    "azure:mine;temperature=0;effort=none;seed=0": ModelSpec("azure", "mine", temperature=0.0, effort="none", seed=0),
    "bedrock:anthropic.claude-haiku-5-5;effort=max": ModelSpec("bedrock", "anthropic.claude-haiku-5-5", effort="max"),
}


@each("line", LINES)
def test_a_line_is_read(line: str) -> None:
    assert parse(line) == LINES[line]
    assert str(parse(line)) == line.strip()


@each(
    "line",
    [
        "", "gpt-4o", ":", "anthropic", "anthropic:", "openai: ", "OPENAI:gpt-4o", "recorded:",
        "recorded:recorded:openai:gpt-4o", "openai:gpt 4o", "openai:gpt\n4o", "openai:a|b", "openai:" + "x" * 201,
        "openai:\ud800", "openai:a\u200bb", "openai:a\x00b", "server:m", "server:@http://h", "server:m@h:1",
        "server:m@ftp://h", "openai:gpt-4o@http://h", "server:m@http", "server:m@http://", "server:m@httpx://h",
        "server:m@http://user:secret@h/v1", "server:m@http://h /v1", "server:m@http://h\u200b", "server:m@http://h|x",
        "server:m@http://\ud800", "openai:m;", "openai:m;window", "openai:m;window=", "openai:m;window=-1",
        "openai:m;window=1.5", "openai:m;window=nan", "openai:m;window=inf", "openai:m;window=1e999",
        "openai:m;window=99999999999", "openai:m;temperature=2.1", "openai:m;temperature=-0.1", "openai:m;temperature=hot",
        "openai:m;stream=2", "openai:m;stream=yes", "openai:m;at_once=0", "openai:m;at_once=65", "openai:m;seconds=0",
        "openai:m;a_minute=-1", "openai:m;color=red", "openai:m;model=x", "openai:m;address=http://h", "openai:m;recorded=1",
        "openai:m;key=sk-1", "openai:m;seed=-1", "openai:m;seed=1.5", "openai:m;effort=", "openai:m;effort=0", "openai:m;effort",
        "anthropic:m;seed=1", "anthropic:m;effort=minimal", "google:m;effort=max", "bedrock:m;temperature=0",
        "anthropic:claude-haiku-5-5;temperature=0", "openai:gpt-5.5;temperature=1", "openai:o3;temperature=0",
    ],
)  # fmt: skip
def test_anything_else_is_refused_with_a_sentence(line: str) -> None:
    with pytest.raises(ValueError, match=r"\.$") as raised:
        parse(line)
    assert "secret" not in str(raised.value)


names = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp", "Cf", "Cn", "Co"], exclude_characters=";|"),
    min_size=1,
    max_size=30,
)
hosts = st.from_regex(r"https?://[a-z][a-z0-9]{0,9}(\.[a-z]{1,9})?(:[1-9][0-9]{0,3})?(/[a-z0-9/_~=&,+]{0,20})?", fullmatch=True)
settings_ = st.fixed_dictionaries(
    {},
    optional={
        "window": st.integers(0, 20_000_000),
        "temperature": st.floats(0, 2),
        "seed": st.integers(0, 2_147_000_000),
        "effort": st.sampled_from(EFFORTS),
        "stream": st.booleans(),
        "at_once": st.integers(1, 64),
        "a_minute": st.integers(0, 100_000),
        "seconds": st.integers(1, 3_600),
    },
)


@given(st.sampled_from(sorted(PROVIDERS)), names.filter(lambda n: "@http" not in n), hosts, st.booleans(), settings_)
def test_what_is_written_reads_the_same(provider: str, model: str, host: str, recorded: bool, chosen: dict[str, Any]) -> None:
    kind = PROVIDERS[provider]
    dropped = {name for name in ("temperature", "effort", "seed") if name not in kind.settings}
    dropped |= {"temperature"} if takes_temperature(provider, model) is False else set()
    dropped |= {"effort"} if chosen.get("effort") not in kind.efforts else set()
    chosen = {name: value for name, value in chosen.items() if name not in dropped}
    spec = ModelSpec(provider, model, host if provider == "server" else "", recorded, **chosen)
    line = str(spec)
    assert parse(line) == spec
    assert str(parse(line)) == line
    assert line.startswith("recorded:") == recorded


@given(
    st.text(st.characters())
    | st.lists(
        st.sampled_from(
            ["recorded:", "server:", "openai:", "m", "@http", "://h", ";", "window=", "1", "temperature=", "0.5", "-0", " "]
        ),
        max_size=9,
    ).map("".join)
)
def test_any_line_is_a_spec_that_reads_again_or_refused(line: str) -> None:
    try:
        spec = parse(line)
    except ValueError:
        return
    assert parse(str(spec)) == spec
    assert spec.model.isprintable()
    assert spec.identity.isprintable()


@given(st.floats(0, 2), st.floats(0, 2))
def test_two_temperatures_are_two_identities(one: float, two: float) -> None:
    identities = [parse(f"server:m@http://h;temperature={t!r}").identity for t in (one, two)]
    assert (identities[0] == identities[1]) == (one == two)


def test_minus_nothing_is_nothing() -> None:
    assert parse("server:m@http://h;temperature=-0").identity == parse("server:m@http://h").identity


def test_the_identity_holds_what_makes_replies_what_they_are() -> None:
    plain = parse("server:m@http://h")
    assert plain.identity == "server:m@http://h, temperature=0"
    for same in ("recorded:server:m@http://h", "server:m@http://h;stream=1;at_once=9;a_minute=5;seconds=9;window=99"):
        assert parse(same).identity == plain.identity
    for other in ("server:n@http://h", "server:m@http://i", "server:m@http://h;temperature=0.1", "openai:m"):
        assert parse(other).identity != plain.identity
    assert parse("openai:m").identity == "openai:m, sampling=the provider's"
    assert parse("openai:m;temperature=0").identity == "openai:m, temperature=0"
    assert parse("openai:m;effort=low;seed=7").identity == "openai:m, sampling=the provider's, effort=low, seed=7"


def test_what_a_provider_does_not_take_is_said_and_not_left_out() -> None:
    for line, words in {
        "anthropic:m;seed=1": "Anthropic takes no seed; leave that setting out.",
        "anthropic:claude-opus-5;temperature=1": "claude-opus-5 does not accept a temperature; leave that setting out, or choose",
        "google:m;effort=max": "The effort of Google is one of minimal, low, medium, high, xhigh; got 'max'.",
    }.items():
        with pytest.raises(ValueError, match=re.escape(words)):
            parse(line)


def test_the_window_is_the_providers_where_none_is_stated() -> None:
    assert parse("anthropic:m").tokens == PROVIDERS["anthropic"].window
    assert parse("anthropic:m;window=5").tokens == 5
