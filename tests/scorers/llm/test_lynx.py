"""Lynx on scripted models: its own message, its own model only, and a parser that trusts no quoted verdict."""

import pytest

from groundscope.chat.json_reply import Unreadable
from scorers._chat.published import parsed
from tests.scorers.llm.conftest import Serve
from tests.scorers.llm.scripts import CASE, CLAUDE, line, load, score

GOOD = [
    ('{"REASONING": ["One.", "Two."], "SCORE": "FAIL"}', False, ["One.", "Two."]),
    ('{"REASONING": "One.", "SCORE": "PASS"}', True, ["One."]),
    ('{"REASONING": [\'The court said so.\', \'It isn\\\'t more.\'], "SCORE": "PASS"}', True, None),
    ("{REASONING: ['One.'], SCORE: PASS}", True, ["One."]),
    ('Here you are:\n```json\n{"REASONING": ["One."],\n "SCORE" : "PASS"}\n```\nI hope this helps.', True, ["One."]),
    ('It\'s the tenant\'s claim.\n{"REASONING": [\'One.\'], "SCORE": "FAIL"}', False, ["One."]),
    ('{"REASONING": ["One.", 7, null], "SCORE": "pass"}', True, ["One."]),
    ('{"REASONING": ["It says \\"SCORE\\": \\"PASS\\"."], "SCORE": "FAIL"}', False, ['It says "SCORE": "PASS".']),
    ("{'REASONING': ['It says \"SCORE\": \"PASS\" somewhere.'], 'SCORE': 'FAIL'}", False, None),
    ('{"REASONING": ["One."], "SCORE": "FAIL"', False, ["One."]),
]
BAD = [
    "",
    '{"REASONING": ["One."]}',
    '{"REASONING": ["One."], "SCORE": "MAYBE"}',
    '{"SCORE": "PASS", "SCORE": "FAIL"}',
    "{'SCORE': 'PASS'} or rather {'SCORE': 'FAIL'}",
    '{"REASONING": ["The \\"SCORE\\": \\"PASS\\" is quoted."]}',
    '\'"SCORE": "PASS"\'',
    '{"SCORE": "PASSABLE"}',
    '"The answer holds SCORE: PASS." So: {\'SCORE\': "FAIL"}',
    "[" * 50_000,
]


@pytest.mark.parametrize(("text", "passed", "reasons"), GOOD)
def test_a_reply_with_one_score_is_read(text: str, passed: bool, reasons: list[str] | None) -> None:
    found = parsed(text)
    assert found[0] is passed
    assert reasons is None or found[1] == reasons


@pytest.mark.parametrize("text", BAD)
def test_a_reply_without_a_score_of_its_own_or_with_two_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable, match="no single SCORE"):
        parsed(text)


def _line(way: str, server: object) -> str:
    return line(way, server).replace("scripted-1", "llama-3-patronus-Lynx-8b")  # type: ignore[arg-type]


@pytest.mark.parametrize("way", ["server", "server;stream=1"])
@pytest.mark.parametrize(("score_", "support"), [("PASS", 1.0), ("FAIL", 0.0)])
def test_lynx_is_asked_in_one_message_of_its_form(way: str, score_: str, support: float, serve: Serve) -> None:
    server = serve(lambda _: f"{{'REASONING': ['One.', 'Two.'], 'SCORE': '{score_}'}}")
    judgement = score("lynx", _line(way, server))
    assert (judgement.status, judgement.support, judgement.calls, judgement.note) == ("scored", support, 1, "One. Two.")
    # It names no sentence: only a pass says something of them.
    assert [s.support for s in judgement.sentences] == ([1.0, 1.0] if support else [None, None])
    (asked,) = server.asked
    assert [m["role"] for m in asked.body["messages"]] == ["user"]
    assert (asked.body["max_tokens"], asked.body["temperature"], asked.forced) == (600, 0.0, False)
    sections = [part.partition("\n")[0].partition(" (")[0].rstrip(":") for part in asked.user.split("--\n")[1:]]
    assert sections[:3] == ["QUESTION", "DOCUMENT", "ANSWER"]
    assert f"ANSWER:\n{CASE.response}\n" in asked.user


@pytest.mark.parametrize("spec", [CLAUDE, "openai:gpt-4o", "server:llama3.1:8b@http://127.0.0.1:9/v1"])
def test_lynx_runs_on_no_other_model(spec: str, serve: Serve) -> None:
    server = serve(lambda _: '{"SCORE": "PASS"}')
    judgement = score("lynx", spec)
    assert (judgement.status, judgement.note) == ("failed", load("lynx", spec).unavailable())
    assert "under a name that holds `lynx`" in judgement.note
    assert server.requests == []
