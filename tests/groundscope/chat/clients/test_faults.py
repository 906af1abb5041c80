"""Every fault of a model server: which calls are made again, which end at once, and what the user reads."""

import gc
import logging
import re
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from groundscope.chat.clients import ceilings
from groundscope.chat.clients.faults import _wait
from groundscope.chat.json_reply import json_of
from groundscope.errors import ModelUnavailable
from tests.groundscope.chat.clients.conftest import Serve, forget
from tests.groundscope.chat.clients.scripts import ANSWER, KEY, SERVER_KEY, TEXT_OF_CASE, WAYS, ask, line, model, prompt, score
from tests.llm_server import Asked, Fault, Kind, Said

REFUSALS = {
    400: "choose another model",
    401: "set a valid one",
    403: "ask for access",
    404: "check both on the Methods page",
    413: "choose a model with a larger window",
    422: "choose another model",
}
BROKEN: tuple[Kind, ...] = ("cut", "half", "junk", "page", "stall")


def _refused(spec: str, *, named: bool = True) -> str:
    """What the user reads; it never holds the prompt's text or a key, and is at most two short sentences."""
    with pytest.raises(ModelUnavailable) as raised:
        ask(spec)
    said = str(raised.value)
    for hidden in (TEXT_OF_CASE, KEY, SERVER_KEY, "verdict"):
        assert hidden not in said
    assert len(re.findall(r"\.(?:\s|$)", said)) <= 2
    assert not named or "127.0.0.1" in said
    # Nor does a chain of errors hold it, which a traceback would print.
    assert raised.value.__suppress_context__ or raised.value.__context__ is None
    return said


@pytest.mark.parametrize("way", WAYS)
def test_a_refusal_ends_at_once(way: str, serve: Serve) -> None:
    server = serve(lambda _: ANSWER)
    for status, mend in REFUSALS.items():
        server.faults, server.asked = [Fault("status", status=status)], []
        said = _refused(line(way, server))
        assert f"answered {status}: " in said
        assert mend in said
        # A server that cannot force a schema says 400 or 422: asked in the other forms it may know, at last in none, streamed.
        forms = [True, True, False] if way.startswith("server") else [True, False]
        forms += [False] * (way in ("server", "openai"))
        assert [asked.forced for asked in server.asked] == (forms if status in (400, 422) else [True])


PASSING = [
    *(Fault("status", status=status) for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)),
    *(Fault(kind, seconds=0.02) for kind in BROKEN),
]


@pytest.mark.parametrize("way", WAYS)
def test_a_passing_fault_is_waited_out_and_a_broken_answer_asked_for_again(way: str, serve: Serve) -> None:
    server = serve(lambda _: ANSWER)
    for fault in PASSING:
        server.faults, server.asked = [replace(fault, times=1)], []
        assert ask(line(way, server), prompt(f"{fault.kind} {fault.status}")).text == ANSWER
        assert len(server.asked) == 2, fault


@pytest.mark.parametrize("way", WAYS)
def test_a_fault_that_stays_ends_after_eight_tries_and_an_unreadable_answer_after_two(way: str, serve: Serve) -> None:
    server = serve(lambda _: ANSWER)
    endings: dict[Kind, tuple[int, str]] = {
        "status": (8, "It was tried for a while; try again later."),
        "junk": (2, "It was asked twice; try again later."),
    }
    for kind, (tries, ending) in endings.items():
        server.faults, server.asked = [Fault(kind, status=500)], []
        said = _refused(line(way, server), named=kind == "status")
        assert said.endswith(ending)
        assert len(server.asked) == tries, kind


@pytest.mark.parametrize("way", ["anthropic", "server"])
@pytest.mark.parametrize(
    "body",
    [
        {"choices": "x"},
        {"choices": [{"message": {"content": [{"type": "text", "text": 7}]}, "finish_reason": "stop"}]},
        {"content": [{"type": "text", "text": "x"}], "usage": "many", "stop_reason": "end_turn"},
        [1, 2],
        None,
    ],
)
def test_json_of_another_form_never_gets_through_nor_crashes(way: str, body: object, serve: Serve) -> None:
    server = serve(lambda _: ANSWER, Fault("junk", times=1, body=body))
    assert ask(line(way, server)).text == ANSWER
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("error", "calls"), [("overloaded_error", 3), ("api_error", 3), ("rate_limit_error", 3), ("authentication_error", 1)]
)
def test_an_error_within_a_stream_means_what_its_type_says(error: str, calls: int, serve: Serve) -> None:
    server = serve(lambda _: ANSWER, Fault("event", times=2, to=error))
    if calls == 1:
        assert "401: the key is not valid" in _refused(line("anthropic;stream=1", server))
    else:
        assert ask(line("anthropic;stream=1", server)).text == ANSWER
    assert len(server.asked) == calls


@pytest.mark.parametrize("way", WAYS)
def test_a_redirect_is_not_followed(way: str, serve: Serve) -> None:
    other = serve(lambda _: ANSWER)
    server = serve(lambda _: ANSWER, Fault("redirect", to=f"{other.openai}/chat/completions"))
    assert "check the address" in _refused(line(way, server))
    assert (len(server.asked), other.requests) == (1, [])


@pytest.mark.parametrize("way", WAYS)
def test_the_pause_that_a_server_asks_for_is_kept(way: str, serve: Serve) -> None:
    headers = {"retry-after-ms": "300"} if "stream" in way else {"Retry-After": "0.3"}
    server = serve(lambda _: ANSWER, Fault("status", times=1, status=429, headers=headers))
    started = time.monotonic()
    assert ask(line(way, server)).text == ANSWER
    assert 0.3 <= time.monotonic() - started < 5
    assert _wait({"retry-after-ms": "300", "retry-after": "9"}) == 0.3


def test_a_pause_may_be_a_date() -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    assert 35 < (_wait({"retry-after": then}) or 0) <= 40
    assert _wait({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    for nonsense in ("soon", "", "nan", "-1", "inf", "Wed, 99 Oct 2015"):
        assert _wait({"retry-after": nonsense}) is None


def test_a_pause_longer_than_anyones_patience_ends_at_once(serve: Serve) -> None:
    server = serve(lambda _: ANSWER, Fault("status", status=429, headers={"Retry-After": "3600"}))
    assert "answered 429" in _refused(line("anthropic", server))
    assert len(server.asked) == 1


def test_a_crowded_server_is_asked_for_longer_and_ever_more_slowly(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(ceilings, "sleep", pauses.append)
    monkeypatch.setattr(ceilings, "_FIRST_PAUSE", 0.5)
    monkeypatch.setattr(ceilings, "_LONGEST_PAUSE", 60.0)
    server = serve(lambda _: ANSWER, Fault("status", times=12, status=429))
    assert ask(line("anthropic", server)).text == ANSWER
    assert len(server.asked) == 13
    assert all(0.25 * 2**i <= pause <= 0.5 * 2**i for i, pause in enumerate(pauses[:7]))
    assert all(30 <= pause <= 60 for pause in pauses[7:])


def test_a_server_that_says_now_is_not_asked_in_a_loop(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceilings, "PATIENCE", 0.3)
    monkeypatch.setattr(ceilings, "_FIRST_PAUSE", 0.1)
    monkeypatch.setattr(ceilings, "_LONGEST_PAUSE", 0.1)
    server = serve(lambda _: ANSWER, Fault("status", status=429, headers={"Retry-After": "0"}))
    _refused(line("anthropic", server))
    assert 2 <= len(server.asked) <= 7


def test_a_reply_that_comes_in_drops_ends_with_the_calls_time(serve: Serve) -> None:
    servers = {way: serve(lambda _: ANSWER, Fault("drip", times=1, at=1, seconds=0.05)) for way in WAYS}
    specs = []
    for way, server in servers.items():
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("ANTHROPIC_BASE_URL", server.anthropic)
            environment.setenv("OPENAI_BASE_URL", server.openai)
            specs.append(f"{line(way, server)};seconds=1")
            assert model(specs[-1]).unavailable() == ""
    started = time.monotonic()
    with ThreadPoolExecutor(len(specs)) as pool:
        assert [reply.text for reply in pool.map(ask, specs)] == [ANSWER] * len(specs)
    assert 0.8 < time.monotonic() - started < 5
    assert [len(server.asked) for server in servers.values()] == [2] * len(specs)


def test_a_server_that_cannot_force_a_schema_is_asked_with_tags_from_then_on(serve: Serve) -> None:
    def answer(asked: Asked) -> str:
        marker = asked.marker
        return f"I quote: <answer-0>{{}}</answer-0>\n<answer-{marker}>\n{ANSWER}\n</answer-{marker}>"

    server = serve(answer)
    server.schemas = False
    replies = [ask(line("server", server), prompt(text)) for text in ("one", "two", "three")]
    assert [json_of(reply)["verdict"] for reply in replies] == ["PASS"] * 3
    assert [asked.forced for asked in server.asked] == [True, True, False, False, False]
    assert all(f"<answer-{asked.marker}>" in asked.task for asked in server.asked[2:])
    assert [reply.forced for reply in replies] == [False] * 3


@pytest.mark.parametrize("status", [400, 500])
def test_a_server_that_knows_the_older_form_alone_is_asked_in_it(status: int, serve: Serve) -> None:
    """As llama-cpp-python's server, which answers 500 to the newer form."""
    server = serve(lambda _: ANSWER)
    server.newer_schemas = status
    replies = [ask(line("server", server), prompt(text)) for text in ("one", "two")]
    assert [json_of(reply)["verdict"] for reply in replies] == ["PASS"] * 2
    assert all(reply.forced for reply in replies)
    formats = [asked.body["response_format"] for asked in server.asked]
    assert [f["type"] for f in formats] == ["json_schema", "json_object", "json_object"]
    assert formats[1]["schema"] == formats[0]["json_schema"]["schema"]


def test_one_refused_prompt_does_not_take_the_schema_from_the_others(serve: Serve) -> None:
    server = serve(lambda _: ANSWER, Fault("status", times=4, status=400))
    _refused(line("server", server))
    ask(line("server", server), prompt("another"))
    assert [asked.forced for asked in server.asked] == [True, True, False, False, True]
    assert not server.asked[-1].body.get("stream")


@pytest.mark.parametrize("way", ["server", "server;stream=1"])
def test_a_server_that_cuts_long_texts_is_refused_and_asked_again_when_it_no_longer_does(way: str, serve: Serve) -> None:
    said = Said(ANSWER, input_tokens=2_048)
    server = serve(lambda _: said)
    long = prompt("word " * 20_000)
    with pytest.raises(ModelUnavailable, match=r"read 2,048 tokens of about 33,\d{3}: it cuts long texts"):
        ask(line(way, server), long)
    said = Said(ANSWER, input_tokens=25_000)
    assert ask(line(way, server), long).text == ANSWER
    assert ask(line(way, server), long).kept
    assert len(server.asked) == 2


def test_half_characters_are_refused_and_not_tried_again_and_again(serve: Serve) -> None:
    server = serve(lambda _: ANSWER)
    started = time.monotonic()
    for way in WAYS:
        with pytest.raises(ModelUnavailable, match="half characters"):
            ask(line(way, server), prompt("a \ud800 b"))
    assert time.monotonic() - started < 3
    assert server.asked == []


def test_a_judgement_with_a_fault_has_a_state_and_no_numbers(serve: Serve) -> None:
    server = serve(lambda _: ANSWER, Fault("status", status=500))
    judgement = score("direct", line("server", server))
    assert (judgement.status, judgement.support, judgement.calls, judgement.cost) == ("failed", None, 0, 0)
    assert "answered 500" in judgement.note
    assert judgement.context_seen == 0.0


@pytest.mark.parametrize("way", WAYS)
def test_texts_and_keys_never_reach_a_log(
    way: str, serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTHROPIC_LOG", "debug")
    monkeypatch.setenv("OPENAI_LOG", "debug")
    for name in ("anthropic", "openai", "httpx2", "httpcore2"):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.DEBUG)
    caplog.set_level(logging.DEBUG)
    server = serve(lambda _: ANSWER, Fault("status", times=1, status=500), Fault("half", times=1))
    ask(line(way, server))
    assert len(server.asked) == 3
    logged = caplog.text + "".join(capfd.readouterr())
    for hidden in (TEXT_OF_CASE, KEY, SERVER_KEY, "it says so"):
        assert hidden not in logged


@pytest.mark.parametrize("way", WAYS)
def test_a_model_that_is_no_longer_used_closes_its_connections(way: str, serve: Serve) -> None:
    server = serve(lambda _: ANSWER)
    assert ask(line(way, server), prompt("once")).text == ANSWER
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        forget()
        gc.collect()
    assert [str(w.message) for w in caught if issubclass(w.category, ResourceWarning)] == []
