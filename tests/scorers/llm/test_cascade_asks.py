"""Cascades whose second method asks a scripted model: how often it is asked, what it is told, and what becomes of its faults."""

import json
import re

import pytest

from groundscope.methods import registry
from groundscope.types import Judgement, Status
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import case, line
from tests.llm_server import Asked

CASE = case(
    "The court of appeal dismissed the appeal in 2003. The tenant got some costs. The notice was read by the bishop.",
    "The court of appeal dismissed the appeal in 2003.",
    "Costs of 4,500 euros were awarded to the tenant.",
)
SENTENCES = (
    "The court of appeal dismissed the appeal in 2003.",
    "The tenant got some costs.",
    "The notice was read by the bishop.",
)


def _fails(quote: str) -> object:
    return lambda _: json.dumps({"reasons": ["One."], "unsupported": [{"quote": quote, "why": "no bishop"}], "verdict": "FAIL"})


def _judged(spec: str, low: float, high: float, reads: str = "answer") -> Judgement:
    return registry.load("cascade", second="direct", model=spec, low=low, high=high, reads=reads).score(CASE)


def test_where_nothing_is_doubtful_nobody_is_asked(serve: Serve) -> None:
    server = serve(_fails("bishop"))
    judgement = _judged(line("openai", server), 0.4, 0.6)
    assert server.requests == []
    assert (judgement.status, judgement.calls, judgement.tokens, judgement.cost) == (Status.SCORED, 0, 0, 0.0)


@pytest.mark.parametrize("reads", ["answer", "sentences"])
def test_all_doubtful_sentences_are_asked_about_in_one_question(reads: str, serve: Serve) -> None:
    server = serve(_fails("read by the bishop"))
    judgement = _judged(line("openai", server), 0.0, 0.5, reads)
    assert len(server.answered) == 1
    read = server.answered[0][0].data["answer"]
    assert read.strip() == (CASE.response if reads == "answer" else " ".join(SENTENCES[1:]))
    assert [CASE.response[s.start : s.end] for s in judgement.sentences] == list(SENTENCES)
    assert [s.support for s in judgement.sentences] == [1.0, 1.0, 0.0]
    assert (judgement.support, judgement.calls) == (0.0, 1)
    assert (judgement.cost or 0) > 0
    by = [re.split("[,:]", claim.reason)[0] for claim in judgement.claims if claim.reason.startswith("Decided")]
    assert by == ["Decided by Overlap", "Decided by Direct prompting", "Decided by Direct prompting"]
    (reason,) = [claim for claim in judgement.claims if claim.reason == "no bishop"]
    assert CASE.response[reason.start : reason.end] == "read by the bishop"


def test_a_verdict_on_the_whole_counts_for_all_doubtful_sentences(serve: Serve) -> None:
    server = serve(_fails("what the answer does not hold"))
    judgement = _judged(line("server", server), 0.0, 0.5)
    assert [s.support for s in judgement.sentences] == [1.0, 0.0, 0.0]
    assert "whose support of all that it read is 0.00" in judgement.claims[-1].reason


def _garbled(_: Asked) -> str:
    return "I would rather not say."


def test_a_reply_that_cannot_be_read_is_no_support_of_the_first_method(serve: Serve) -> None:
    server = serve(_garbled)
    judgement = _judged(line("server", server), 0.0, 0.5)
    assert (judgement.status, judgement.support, judgement.calls) == (Status.INVALID, None, 2)
    assert [s.support for s in judgement.sentences] == [1.0, None, None]
    assert "It gave no support to 2 of them, and Overlap did not decide in its place." in judgement.note
    assert judgement.raw == "I would rather not say."


def test_it_is_a_method_that_asks_and_estimates_at_most_what_the_second_takes(serve: Serve) -> None:
    server = serve(_garbled)
    scorer = registry.load("cascade", second="direct", model=line("openai", server))
    estimate = scorer.estimate(CASE)
    assert scorer.asks
    assert scorer.chat().identity in scorer.signature  # type: ignore[attr-defined]
    assert scorer.address == estimate.address
    assert (estimate.calls, estimate.at_most) == (1, True)
    assert "|model=" in scorer.signature
    assert (estimate.dollars or 0) > 0
    assert server.requests == []
