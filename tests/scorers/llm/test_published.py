"""Published judges behind a server: their own message for every sentence, their own model only, and their own replies."""

import pytest

from groundscope.methods import registry
from groundscope.types import Case, Judgement
from tests.llm_server import Asked, LLMServer
from tests.scorers.llm.conftest import Serve
from tests.scorers.llm.scripts import CASE, CLAUDE

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


@pytest.mark.parametrize("spec", [CLAUDE, "openai:gpt-4o", "server:llama@http://127.0.0.1:9/v1"])
def test_no_other_model_judges_under_its_name(spec: str, serve: Serve) -> None:
    serve(lambda _: "Yes")
    found = registry.load("direct:bespoke-minicheck", model=spec)
    assert "judges with its own model only" in found.unavailable()
    assert found.score(CASE).status == "failed"


def test_a_judge_of_no_file_is_refused() -> None:
    with pytest.raises(ValueError, match="message must be one of bespoke-minicheck, granite-guardian"):
        registry.load("direct", message="../../secret")
