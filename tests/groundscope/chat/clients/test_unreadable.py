"""Replies that cannot be read: one more try, then a state with what the model said; and those that end at once."""

import json
import math

import pytest

from groundscope.types import Judgement
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import CASE, CLAUDE, WAYS, case, line, passes, score
from tests.llm_server import Asked, Said

METHODS = ("direct", "refchecker", "claims_verify")
UNREADABLE = [
    "",
    "[]",
    '{"verdict": "MAYBE", "reasons": [], "unsupported": []}',
    '{"verdict": "PASS or FAIL", "reasons": [], "unsupported": []}',
    '{"verdict": null, "reasons": ["It passes."], "unsupported": []}',
    '{"triplets": 3, "truths": {}, "claims": null}',
    '{"triplets": [{"subject": "s"}], "truths": [1], "claims": [{}]}',
    "[" * 100_000,
]
"""Of each kind one; what JSON is read is tested in `tests/groundscope/chat/test_json_reply.py`."""


def _has_no_number(judgement: Judgement) -> bool:
    assert judgement.cost is not None
    assert math.isfinite(judgement.cost)
    return judgement.support is None and not judgement.sentences and not judgement.claims and judgement.matrix is None


@pytest.mark.parametrize("method", METHODS)
def test_an_unreadable_reply_is_asked_for_once_more_and_then_invalid(method: str, serve: Serve) -> None:
    reply = ""
    server = serve(lambda _: reply)
    for i, reply in enumerate(UNREADABLE):
        server.asked = []
        judgement = score(method, CLAUDE, case(f"The appeal of {1900 + i} was dismissed.", f"It was, in {1900 + i}."))
        assert judgement.status == "invalid", reply[:40]
        assert _has_no_number(judgement)
        assert judgement.raw == reply
        assert judgement.note.startswith("The model")
        # Claims Verify asks two things that do not hang on one another.
        assert len(server.asked) == judgement.calls == (4 if method == "claims_verify" else 2)
        # Where forcing gave JSON of another shape it is forced again, else asked for between tags.
        assert {asked.forced for asked in server.asked} == ({True} if reply.startswith("{") else {True, False})
        assert "A first reply could not be used: The model" in server.asked[-1].task


@pytest.mark.parametrize("way", WAYS[::2])
def test_the_second_try_has_more_room_asks_between_tags_and_counts(way: str, serve: Serve) -> None:
    def answer(asked: Asked) -> str | Said:
        if asked.forced:
            return "I would say it passes."
        return f"Well.\n<answer-{asked.marker}>\n{passes(asked)}\n</answer-{asked.marker}>"

    server = serve(answer)
    judgement = score("direct", line(way, server))
    assert (judgement.status, judgement.support, judgement.calls) == ("scored", 1.0, 2)
    assert judgement.raw == "I would say it passes."
    first, second = server.asked
    limits = [asked.body.get("max_tokens") or asked.body["max_completion_tokens"] for asked in (first, second)]
    assert limits[1] - limits[0] == 2_000
    assert f"<answer-{second.marker}>" in second.task
    assert first.marker == second.marker
    assert judgement.tokens == sum(said.read(asked) + said.output_tokens for asked, said in server.answered)


@pytest.mark.parametrize("way", WAYS[::2])
def test_a_reply_that_was_cut_off_is_forced_again_with_more_room(way: str, serve: Serve) -> None:
    replies = iter([Said('{"reasons": [', stop="max_tokens"), passes])

    def answer(asked: Asked) -> str | Said:
        reply = next(replies)
        return reply if isinstance(reply, Said) else reply(asked)

    server = serve(answer)
    judgement = score("direct", line(way, server))
    assert (judgement.status, judgement.support, judgement.calls) == ("scored", 1.0, 2)
    assert [asked.forced for asked in server.asked] == [True, True]
    assert "was cut off at its token limit" in server.asked[1].task


def test_the_second_try_asks_for_no_more_room_than_the_model_has(serve: Serve) -> None:
    server = serve(lambda _: "no JSON")
    judgement = score("direct", line("server", server, window=3_400))
    assert judgement.status == "invalid"
    limits = [asked.body["max_tokens"] for asked in server.asked]
    assert limits[0] == 2_000
    assert 2_000 <= limits[1] < 3_000


@pytest.mark.parametrize("way", WAYS[::2])
@pytest.mark.parametrize("text", ["I cannot help with that.", ""])
def test_a_refusal_is_not_asked_again(way: str, text: str, serve: Serve) -> None:
    server = serve(lambda _: Said(text, stop="refusal"))
    for method in ("direct", "refchecker"):
        server.asked = []
        judgement = score(method, line(way, server))
        assert (judgement.status, judgement.note, judgement.raw) == ("invalid", "The model refused to answer.", text)
        assert _has_no_number(judgement)
        assert len(server.asked) == judgement.calls == 1


@pytest.mark.parametrize("way", ["anthropic", "anthropic;stream=1"])
@pytest.mark.parametrize(
    ("said", "why"),
    [
        (Said("", thinking="PASS, I think."), "The model's reply was empty."),
        (Said(""), "The model's reply was empty."),
        (Said("", stop="max_tokens", thinking="Let me see"), "The model's reply was cut off at its token limit."),
        (Said(json.dumps({"verdict": "PASS"}), stop="max_tokens"), "The model's reply was cut off at its token limit."),
        (Said("{}", stop="model_context_window_exceeded"), "The texts and the reply did not fit the model's window."),
        (Said("{}", stop="tool_use"), "The model stopped for another reason than being done."),
    ],
)
def test_what_holds_no_whole_answer_is_named(way: str, said: Said, why: str, serve: Serve) -> None:
    server = serve(lambda _: said)
    judgement = score("direct", line(way, server))
    assert (judgement.status, judgement.note, judgement.raw, judgement.calls) == ("invalid", why, said.text, 2)
    assert judgement.cost
    assert _has_no_number(judgement)


def test_an_invalid_judgement_is_not_paid_for_again(serve: Serve) -> None:
    server = serve(lambda _: "nothing")
    first, again = score("direct", CLAUDE), score("direct", CLAUDE)
    assert (first.status, again.status, again.raw) == ("invalid", "invalid", "nothing")
    assert (first.calls, again.calls, again.cached) == (2, 0, 1.0)
    assert len(server.asked) == 2


def test_what_cannot_be_assessed_is_not_sent(serve: Serve) -> None:
    server = serve(passes)
    for empty in (case("", "Something."), case("Something was decided."), case("  \n", "Something.")):
        for method in METHODS:
            judgement = score(method, CLAUDE, empty)
            assert (judgement.status, judgement.calls) == ("not_assessable", 0)
    assert server.requests == []
    assert score("direct", CLAUDE, CASE).status == "scored"
