"""Every method reads a verdict whose explanations are missing or of another shape, and none that is open to doubt."""

import json
from typing import Any

import pytest

from groundscope.arguments.asking import ChatExtractor
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.parsing import Argument
from groundscope.cases.edits.by_model import versions
from groundscope.cases.error_typing import choose, chooser
from groundscope.chat.clients.model import chat_model
from groundscope.chat.json_reply import Unreadable
from groundscope.citations.decomposing import Decomposer, decomposed
from groundscope.citations.similarity import Asked as AskedSimilarity
from groundscope.methods import registry
from groundscope.types import ErrorType
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import CASE, by_task, line, score
from tests.llm_server import Asked

TRIPLET = {"sentence": 1, "subject": "court", "predicate": "dismissed", "object": "appeal"}


@pytest.mark.parametrize(
    ("reply", "note", "claims"),
    [
        ('{"reasons":"The fax is not in it.","unsupported":[],"verdict":"FAIL"}', "The fax is not in it.", []),
        ('{"reasons":["x"],"unsupported":[],"verdict":"FAIL."}', "x", []),
        ('{"reasons":null,"unsupported":null,"verdict":"**FAIL**",}', "", []),
        ("{'reasons': null, 'unsupported': None, 'verdict': 'Fail - because of the costs'}", "", []),
        ('{"verdict":"fail"}', "", []),
        ('{"reasons":["x"],"unsupported":["Costs of 5,400 euros"],"verdict":"FAIL"}', "x", ["Costs of 5,400 euros"]),
        ('{"unsupported":{"quote":"Costs of 5,400 euros","why":null},"verdict":"FAIL"}', "", ["Costs of 5,400 euros"]),
    ],
)
def test_direct_needs_its_verdict_alone(reply: str, note: str, claims: list[str], serve: Serve) -> None:
    server = serve(lambda _: reply)
    judgement = score("direct", line("server", server))
    assert (judgement.status, judgement.support, judgement.calls) == ("scored", 0.0, 1)
    assert judgement.note == note
    assert [c.text for c in judgement.claims] == claims


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        ('{"REASONING": ["One."], "SCORE": "FAIL."}', "One."),
        ('{"REASONING": null, "SCORE": "**FAIL**",}', ""),
        ("{'REASONING': 'One.', 'SCORE': 'Fail - it adds'}", "One."),
        ('Here: {"REASONING": ["One."], "SCORE": "**FAIL**"}.', "One."),
        ('SCORE: PASS at first.</think>{"REASONING": ["One."], "SCORE": "FAIL"}', "One."),
    ],
)
def test_lynx_needs_its_score_alone(reply: str, note: str, serve: Serve) -> None:
    server = serve(lambda _: reply)
    judgement = score("lynx", f"server:lynx@{server.openai}")
    assert (judgement.status, judgement.support, judgement.note, judgement.calls) == ("scored", 0.0, note, 1)


@pytest.mark.parametrize("value", ["PASS or FAIL", "PASS?", None, ["PASS", "FAIL"]])
def test_a_score_that_is_open_to_doubt_is_none(value: Any, serve: Serve) -> None:
    server = serve(lambda _: json.dumps({"SCORE": value}))
    assert score("lynx", f"server:lynx@{server.openai}").status == "invalid"


@pytest.mark.parametrize("verdict", ["No.", "**no**", "No - it says 4,500"])
@pytest.mark.parametrize("claims", [["a claim"], [{"text": "a claim"}], {"sentence": "1", "text": "a claim"}])
def test_claims_verify_needs_claims_and_verdicts_alone(verdict: str, claims: Any, serve: Serve) -> None:
    rows = [{"number": "1", "verdict": verdict, "reason": None}]
    server = serve(by_task(truths='{"truths": "one fact"}', claims=claims, verdicts=rows))
    judgement = score("claims_verify", line("server", server))
    assert (judgement.status, judgement.support, judgement.calls) == ("scored", 0.0, 3)
    assert [c.text for c in judgement.claims]


@pytest.mark.parametrize("triplets", [[TRIPLET], TRIPLET, [["court", "dismissed", "appeal"]], [TRIPLET | {"sentence": "1"}]])
@pytest.mark.parametrize("label", ["Contradiction.", "**contradiction**", "Contradiction: 2003 is not 2004"])
def test_refchecker_needs_triplets_and_labels_alone(triplets: Any, label: str, serve: Serve) -> None:
    server = serve(by_task(triplets=triplets, labels={"label": label, "reason": ["a", "b"]}))
    judgement = score("refchecker", line("server", server))
    assert (judgement.status, judgement.support, judgement.calls) == ("scored", 0.0, 2)


@pytest.mark.parametrize(
    ("method", "replies"),
    [
        ("claims_verify", {"truths": ["t"], "claims": ["c"], "verdicts": [{"number": 1, "verdict": "yes or no"}]}),
        ("claims_verify", {"truths": ["t"], "claims": [None], "verdicts": []}),
        ("claims_verify", {"truths": ["t"], "claims": ["c", "d"], "verdicts": [{"verdict": "yes"}, {"verdict": "no"}]}),
        ("refchecker", {"triplets": [TRIPLET], "labels": [{"number": 1, "label": "Neutral/Contradiction"}]}),
        ("refchecker", {"triplets": [["court", "dismissed"]], "labels": []}),
        ("refchecker", {"triplets": [TRIPLET | {"object": None}], "labels": []}),
    ],
)
def test_what_decides_is_not_guessed(method: str, replies: dict[str, Any], serve: Serve) -> None:
    judgement = score(method, line("server", serve(by_task(**replies))))
    assert (judgement.status, judgement.support) == ("invalid", None)


def test_fresh_answers_are_compared_without_the_reasoning_before_them(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    from groundscope.chat.conversation import Asking
    from groundscope.chat.messages import Prompt

    server = serve(lambda _: "<think>It may be 2004.</think>\nIt was dismissed in 2003.")
    asking = Asking(chat_model(line("server", server)), CASE)
    assert asking.answer(Prompt("When?"), 0) == "It was dismissed in 2003."
    server.answer = lambda _: "<think>It may be 2004."
    with pytest.raises(Unreadable, match="reasoning"):
        asking.answer(Prompt("When was it?"), 0)


@pytest.mark.parametrize("types", ["factual_inaccuracy", ["Factual inaccuracy."], ["**factual_inaccuracy**: 2003"]])
def test_error_types_are_read_in_any_dress(types: Any, serve: Serve) -> None:
    server = serve(lambda _: json.dumps({"types": types}))
    assert choose(CASE, chooser(line("server", server))) == {ErrorType.FACTUAL_INACCURACY}
    assert len(server.asked) == 1


@pytest.mark.parametrize(("same", "value"), [("True.", 1.0), ("false - it is weaker", 0.0), ("**true**", 1.0)])
def test_a_similarity_that_is_asked_for_is_read_as_a_word(same: str, value: float, serve: Serve) -> None:
    server = serve(lambda _: f'{{"same": "{same}", "why": null,}}')
    assert AskedSimilarity(chat_model(line("server", server))).of([("One.", "Two.")]) == [value]
    assert len(server.asked) == 1


@pytest.mark.parametrize("citations", [[1], "1", 1, "[[1]]", ["[1]"]])
def test_a_claims_citations_are_read_as_numbers_in_any_dress(citations: Any, serve: Serve) -> None:
    text = "Notice is due within ten days. Smith v. Jones, 2 U.S. 3 (1895)."
    server = serve(lambda _: json.dumps({"claims": {"claim": "Notice is due within ten days.", "citations": citations}}))
    document = decomposed(text, Decomposer(chat_model(line("server", server))).ask(text)).document
    assert document is not None
    assert len(document.pairs) == len(server.asked) == 1


def test_an_extractor_reads_one_factor_for_a_list(serve: Serve) -> None:
    server = serve(lambda _: json.dumps({"current_case": "F4 Agreed-not-to-disclose (P)", "tsc1": [], "tsc2": []}))
    found, _ = ChatExtractor(chat_model(line("server", server))).extract(Argument(("It has F4.",)), TRADE_SECRETS)
    assert found is not None
    assert [sorted(s) for s in found.sets] == [["F4"], [], []]


def test_a_version_whose_errors_cannot_be_read_takes_no_other_with_it() -> None:
    error = {"quote": "2004", "type": "Factual inaccuracy", "contradicted": True, "why": None}
    sound, broken = {"answer": "It was in 2004.", "errors": error}, {"answer": "It was in 2005.", "errors": None}
    read = versions({"versions": [sound, broken]})
    assert [[e.quote for e in v.errors] for v in read] == [["2004"], []]
    assert read[0].errors[0].why == ""
    with pytest.raises(Unreadable, match="no list of errors"):
        versions({"versions": [broken]})


def test_a_published_judge_is_read_after_its_reasoning(serve: Serve) -> None:
    def answer(asked: Asked) -> str:
        return "Let me see: <score> no </score>?</think>\n<score> yes </score>"

    server = serve(answer)
    judge = f"server:granite-guardian-3.3-8b@{server.openai}"
    judgement = registry.load("direct:granite-guardian", model=judge).score(CASE)
    assert (judgement.status, judgement.support) == ("scored", 0.0)
