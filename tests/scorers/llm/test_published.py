"""Published judges and Lynx behind a server: their own message and model only, and a parser that trusts no quoted verdict."""

import pytest

from groundscope.chat.json_reply import Unreadable
from groundscope.methods import registry
from groundscope.methods.asking.published import parsed
from groundscope.types import Case, Judgement
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import CASE, CLAUDE, line, load, score
from tests.llm_server import Asked, LLMServer

DOCUMENT = "\n\n".join(p.text for p in CASE.context)
SENTENCES = ["The appeal was dismissed in 2003.", "Costs of 5,400 euros went to the landlord."]
MODELS = {"bespoke-minicheck": "bespoke-minicheck:7b", "granite-guardian": "granite-guardian-3.3-8b"}
SAYS = {"bespoke-minicheck": ("Yes", "No"), "granite-guardian": ("<score> no </score>", "<think>x</think>\n<score> yes </score>")}


def _reply(name: str, asked: Asked) -> str:
    """Yes to the sentence about 2003, no to the other."""
    return SAYS[name]["5,400" in asked.user]


def _judged(name: str, server: LLMServer, judged: Case = CASE) -> Judgement:
    return registry.load(f"direct:{name}", model=f"server:{MODELS[name]}@{server.openai}").score(judged)


@pytest.mark.parametrize("name", MODELS)
def test_every_sentence_is_asked_of_once_and_the_lowest_counts(name: str, serve: Serve) -> None:
    server = serve(lambda asked: _reply(name, asked))
    judgement = _judged(name, server)
    assert (judgement.status, judgement.support, judgement.calls, judgement.note) == ("scored", 0.0, 2, "")
    assert [s.support for s in judgement.sentences] == [1.0, 0.0]
    assert [c.text for c in judgement.claims] == SENTENCES


def test_minicheck_gets_its_published_message(serve: Serve) -> None:
    server = serve(lambda asked: _reply("bespoke-minicheck", asked))
    _judged("bespoke-minicheck", server)
    messages = next(m for asked in server.asked if (m := asked.body["messages"])[1]["content"].endswith(SENTENCES[0]))
    assert [m["role"] for m in messages] == ["system", "user"]
    assert messages[0]["content"].startswith("Determine whether the provided claim is consistent")
    assert messages[1]["content"] == f"Document: {DOCUMENT}\nClaim: {SENTENCES[0]}"


def test_granite_guardian_gets_the_fields_that_its_template_reads(serve: Serve) -> None:
    server = serve(lambda asked: _reply("granite-guardian", asked))
    _judged("granite-guardian", server)
    for asked in server.asked:
        (message,) = asked.body["messages"]
        assert message["role"] == "assistant"
        assert message["content"] in SENTENCES
        assert asked.body["documents"] == [{"doc_id": "0", "text": DOCUMENT}]
        assert asked.body["chat_template_kwargs"] == {"think": True, "guardian_config": {"criteria_id": "groundedness"}}


@pytest.mark.parametrize("reply", ["", "Perhaps.", "<score> yes </score> or <score> no </score>"])
def test_a_reply_with_no_verdict_or_two_is_invalid(reply: str, serve: Serve) -> None:
    server = serve(lambda _: reply)
    judgement = _judged("granite-guardian", server)
    assert judgement.status == "invalid"
    assert judgement.support is None


def test_a_judge_of_no_file_is_refused() -> None:
    with pytest.raises(ValueError, match="message must be one of bespoke-minicheck, granite-guardian"):
        registry.load("direct", message="../../secret")


# Lynx


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
@pytest.mark.parametrize(
    ("method", "words"),
    [("lynx", "under a name that holds `lynx`"), ("direct:bespoke-minicheck", "judges with its own model only")],
)
def test_no_other_model_judges_under_its_name(method: str, words: str, spec: str, serve: Serve) -> None:
    server = serve(lambda _: '{"SCORE": "PASS"}')
    judgement = score(method, spec)
    assert (judgement.status, judgement.note) == ("failed", load(method, spec).unavailable())
    assert words in judgement.note
    assert server.requests == []
