"""Every row of the table of faults in the guide to chat models: what a server does wrong, how often it is asked, what is read."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from groundscope.chat.clients import ceilings, openai_api
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import formed, line, score
from tests.groundscope.chat.clients.test_other_servers import EVENTS, FAIL, JSON, PASS, Raw, completion, refused, stream
from tests.llm_server import Asked, Fault, LLMServer

GUIDE = Path(__file__).resolve().parents[4] / "docs" / "how-to" / "ask-a-chat-model.md"
PAGE = "<!doctype html><title>Blocked</title>"
READ, TRIED, TWICE = "", "It was tried for a while; try again later.", "It was asked twice; try again later."


class Row(NamedTuple):
    """What one kind of server does, the calls that are made of it, and words of the note; no words = the verdict is read."""

    server: Raw | Fault
    calls: int
    words: str = READ
    status: str = "failed"


def only(refusal: tuple[int, str, str], when: Callable[[Asked], object]) -> Raw:
    """Refuse some calls, and answer the others as they were asked."""
    return lambda asked: refusal if when(asked) else completion(formed(asked, FAIL))


def forced(asked: Asked) -> bool:
    return asked.forced


def error(code: object, **more: Any) -> tuple[int, str, str]:
    return 200, json.dumps({"error": {"message": "no", "code": code}, **more}), JSON


NO_FORM = refused(400, "response_format is not supported")
NO_MODEL = refused(404, "The model `m` does not exist")
BLUNT = FAIL.replace('["The costs are wrong."]', '"The costs are wrong."')
LONE = json.dumps({"message": {"content": FAIL}, "done": True})
CUT_OFF, REFUSED = completion(FAIL[:20], finish="length"), completion("", finish="content_filter")
EMPTY, UNSURE = completion(None), completion("It may pass or fail.")

ROWS: dict[str, list[Row]] = {
    "refuses `response_format`": [
        Row(only(NO_FORM, forced), 3),
        Row(only(refused(422, "response_format"), forced), 3),
        Row(only(refused(500, "response_format.type"), forced), 3),
    ],
    "answers 404 to a form": [Row(only(refused(404, "No endpoints found that support this output."), forced), 3)],
    "only streams": [
        Row(lambda asked: stream(FAIL) if asked.body.get("stream") else refused(400, "only stream=true is supported"), 2)
    ],
    "streams unasked": [Row(lambda _: stream(FAIL), 1), Row(lambda _: (200, stream(FAIL)[1], JSON), 1)],
    "gives reasons as text": [Row(lambda _: completion(BLUNT), 1)],
    "reasons before the answer": [
        Row(lambda _: completion(f"<think>Perhaps {PASS}</think>{FAIL}"), 1),
        Row(lambda _: completion(f"Perhaps {PASS}, no.</think>{FAIL}"), 1),
        Row(lambda _: completion(FAIL, reasoning_content=PASS), 1),
    ],
    "reasons and answers nothing": [
        Row(lambda _: completion(f"<think>Perhaps {PASS}"), 2, "reasoning", "invalid"),
        Row(lambda _: completion(None, reasoning=PASS), 2, "reasoning", "invalid"),
    ],
    "sends content as parts": [Row(lambda _: completion([{"type": "text", "text": t} for t in (FAIL[:9], FAIL[9:])]), 1)],
    "gives no reason to end": [Row(lambda _: completion(FAIL, finish=None), 1), Row(lambda _: stream(FAIL, finish=None), 1)],
    "states no tokens": [Row(lambda _: completion(FAIL, usage=None), 1)],
    "sends a wrong content type": [
        Row(lambda _: (200, completion(FAIL)[1], "text/html"), 1),
        Row(lambda _: (200, completion(FAIL)[1], "application/json; charset=latin-1"), 1),
    ],
    "puts an error into a 200": [
        Row(lambda _: error("invalid_api_key"), 1, "sent an error instead of an answer (401): the key is not valid"),
        Row(lambda _: error(502), 8, f"sent an error instead of an answer (502). {TRIED}"),
        Row(lambda _: stream(FAIL[:30], {"error": {"type": "server_error"}}, done=False), 8, "an error instead of an answer"),
    ],
    "has no such model": [
        Row(lambda _: NO_MODEL, 1, "there is no such model or address; check both on the Methods page"),
    ],
    "refuses the key": [
        Row(lambda _: refused(401, "no"), 1, "the key is not valid; set a valid one"),
        Row(lambda _: refused(403, "no"), 1, "the key may not use this model"),
    ],
    "wants to be paid": [
        Row(lambda _: refused(402, "Insufficient Balance"), 1, "the account has no credit left"),
        Row(lambda _: refused(429, "insufficient_quota"), 1, "the account has no credit left"),
        Row(lambda _: refused(400, "Your credit balance is too low"), 1, "the account has no credit left"),
    ],
    "is crowded and says how long": [
        Row(Fault("status", status=429, times=2, headers={"Retry-After": "0.01"}), 3),
        Row(Fault("status", status=429, headers={"Retry-After": "3600"}), 1, f"answered 429 and asks to wait 1 h 0 min. {TRIED}"),
    ],
    "is crowded and does not": [
        Row(Fault("status", status=429, times=12), 13),
        Row(Fault("status", status=529, times=12), 13),
    ],
    "fails": [Row(Fault("status", status=500), 8, f"answered 500. {TRIED}"), Row(Fault("status", status=502, times=3), 4)],
    "cuts the connection": [
        Row(Fault("cut"), 8, "The connection to scripted-1 at 127.0.0.1 broke"),
        Row(lambda _: stream(FAIL[:30], finish=None, done=False), 2, f"The server's answer broke off. {TWICE}"),
        Row(Fault("cut", times=1), 2),
    ],
    "answers in drops or not at all": [
        Row(Fault("drip", at=1, seconds=0.05, times=1), 2),
        Row(Fault("stall", seconds=0.02), 8, "The connection to scripted-1 at 127.0.0.1 broke"),
    ],
    "sends a web page": [
        Row(lambda _: (200, PAGE, "text/html"), 2, "The server's answer is a web page and no chat completion"),
        Row(lambda _: (403, PAGE, "text/html"), 1, "answered 403 with a web page, as a proxy or another program does"),
        Row(lambda _: (502, PAGE, "text/html"), 8, f"answered 502. {TRIED}"),
    ],
    "sends JSON of another form": [
        Row(lambda _: (200, LONE, JSON), 2, "The server's answer is no chat completion."),
        Row(lambda _: (200, "", JSON), 2, "The server's answer is no chat completion."),
        Row(lambda _: (200, stream(FAIL)[1].replace("data: ", ""), EVENTS), 2, "The server's answer is no chat completion."),
    ],
    "sends too much": [Row(lambda _: completion("x" * 20_000), 2, "The server's answer is larger than")],
    "redirects": [
        Row(Fault("redirect", to="http://127.0.0.1:9/v1"), 1, "sends on to another address, where nothing was sent"),
    ],
    "says nothing, or gives no verdict": [
        Row(lambda _: EMPTY, 2, "The model's reply was empty.", "invalid"),
        Row(lambda _: UNSURE, 2, "The model", "invalid"),
    ],
    "stops at its token limit": [Row(lambda _: CUT_OFF, 2, "The model's reply was cut off at its token limit.", "invalid")],
    "refuses to answer": [Row(lambda _: REFUSED, 1, "The model refused to answer.", "invalid")],
}  # fmt: skip


@pytest.mark.parametrize(("kind", "number"), [(kind, n) for kind, rows in ROWS.items() for n in range(len(rows))])
def test_a_server_at_fault_is_asked_as_often_as_is_said_and_its_user_reads_why(
    kind: str, number: int, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = ROWS[kind][number]
    monkeypatch.setattr(openai_api, "_LARGEST", 10_000)
    server: LLMServer = serve(lambda asked: formed(asked, FAIL), *([row.server] if isinstance(row.server, Fault) else []))
    if not isinstance(row.server, Fault):
        server.raw = row.server
    slow = isinstance(row.server, Fault) and row.server.kind == "drip"
    judgement = score("direct", line("server", server, **({"seconds": 1} if slow else {})))
    assert (judgement.status, len(server.asked)) == ("scored" if row.words == READ else row.status, row.calls), judgement.note
    assert judgement.support == (0.0 if row.words == READ else None)
    assert (row.words or "The costs are wrong.") in judgement.note
    assert "Perhaps" not in judgement.note


def test_the_table_of_the_guide_has_these_rows_and_quotes_these_words() -> None:
    (table,) = re.findall(r"\| the server \|.*?(?=\n\n)", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    rows = {cells[0].strip(): cells for line in table.splitlines()[2:] if (cells := line.strip("|").split("|"))}
    assert list(rows) == list(ROWS)
    for kind, (_, _, seen) in rows.items():
        for quoted in re.findall("“([^”]+)”", seen):
            assert any(quoted.strip(".") in row.words for row in ROWS[kind]), (kind, quoted)
        states = {"verdict" if row.words == READ else row.status for row in ROWS[kind]}
        assert all(state in seen for state in states), (kind, states)


def test_the_figures_of_the_guide_are_those_of_the_program() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert f"{ceilings.TRIES} times" in text
    assert f"{ceilings.PATIENCE / 60:.0f} minutes" in text
    assert f"{openai_api._LARGEST // openai_api.MEGABYTE} MB" in text
