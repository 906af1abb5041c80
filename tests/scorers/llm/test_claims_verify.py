"""Claims Verify on scripted models: three calls, what `idk` means, counts of verdicts, long contexts."""

from typing import Any

import pytest

from groundscope.chat.messages import most_in_words
from groundscope.methods.asking.prompted import context_text
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import CASE, CLAUDE, WAYS, by_task, case, line, load, score
from tests.llm_server import Asked

TRUTHS = ["The appeal was dismissed in 2003.", "The tenant got 4,500 euros."]
CLAIMS = [{"sentence": 1, "text": "The appeal was dismissed in 2003."}, {"sentence": 2, "text": "The landlord got costs."}]


def _verdicts(*verdicts: str) -> list[dict[str, Any]]:
    return [{"number": i, "verdict": verdict, "reason": f"Reason {i}."} for i, verdict in enumerate(verdicts, 1)]


def _model(*verdicts: str) -> Any:
    return by_task(truths=TRUTHS, claims=CLAIMS, verdicts=_verdicts(*verdicts))


@pytest.mark.parametrize("way", WAYS[::2])
def test_three_calls_of_which_only_the_first_reads_the_context(way: str, serve: Serve) -> None:
    server = serve(_model("yes", "no"))
    scorer = load("claims_verify", line(way, server))
    estimate, judgement = scorer.estimate(CASE), scorer.score(CASE)
    assert (judgement.status, judgement.support) == ("scored", 0.0)
    assert judgement.calls == len(server.asked) == estimate.calls == 3
    truths, claims, verdicts = server.asked
    assert truths.data == {"document": context_text(CASE.context)}
    assert claims.data["answer"].splitlines() == [
        "[1] The appeal was dismissed in 2003.",
        "[2] Costs of 5,400 euros went to the landlord.",
    ]
    assert verdicts.data["facts"] == "\n\n".join(TRUTHS)
    assert verdicts.data["claims"] == "1. The appeal was dismissed in 2003.\n2. The landlord got costs."
    assert (estimate.dollars or 0) >= (judgement.cost or 0)
    assert judgement.tokens == sum(said.read(asked) + said.output_tokens for asked, said in server.answered)
    assert judgement.tokens <= estimate.input + estimate.output


def test_claims_stand_on_their_sentences_with_the_verdicts_reasons(serve: Serve) -> None:
    serve(_model("yes", "no"))
    judgement = score("claims_verify", CLAUDE)
    assert [(s.support, s.contradiction) for s in judgement.sentences] == [(1.0, 0.0), (0.0, 1.0)]
    assert [(c.text, c.support, c.reason) for c in judgement.claims] == [
        ("The appeal was dismissed in 2003.", 1.0, "Backed: Reason 1."),
        ("The landlord got costs.", 0.0, "Contradicted: Reason 2."),
    ]
    assert [(c.start, c.end) for c in judgement.claims] == [(s.start, s.end) for s in judgement.sentences]


@pytest.mark.parametrize(
    ("verdicts", "grounded", "ungrounded"),
    [
        (("yes", "yes"), 1.0, 1.0),
        (("yes", "idk"), 0.75, 0.25),
        (("idk", "idk"), 0.75, 0.25),
        (("idk", "no"), 0.0, 0.0),
        (("YES ", "Idk"), 0.75, 0.25),
    ],
)
def test_what_idk_means_is_an_option_and_asks_nothing_again(
    verdicts: tuple[str, ...], grounded: float, ungrounded: float, serve: Serve
) -> None:
    server = serve(_model(*verdicts))
    assert score("claims_verify", CLAUDE).support == grounded
    other = score("claims_verify", CLAUDE, idk="ungrounded")
    assert (other.support, other.calls, other.cached) == (ungrounded, 0, 1.0)
    assert len(server.asked) == 3


def test_a_verdict_that_is_none_is_asked_once_more_then_claim_by_claim_and_then_invalid(serve: Serve) -> None:
    server = serve(_model("yes", "perhaps"))
    judgement = score("claims_verify", CLAUDE)
    assert (judgement.status, judgement.support, judgement.claims) == ("invalid", None, ())
    # Truths, claims, both tries of the two claims together, and those of the first by itself, which gets two verdicts, too.
    assert judgement.calls == len(server.asked) == 6
    assert '"verdicts"' in judgement.raw
    assert "verdict" in judgement.note


def test_a_model_that_gives_fewer_verdicts_than_claims_is_asked_about_each(serve: Serve) -> None:
    serve(_model("no"))
    estimate, judgement = load("claims_verify", CLAUDE).estimate(CASE), score("claims_verify", CLAUDE)
    # Three claims for each of two sentences; a second try of all is what every reply may take.
    assert most_in_words(estimate).startswith("3 to 9 calls, ")
    assert judgement.calls - 1 <= 9
    assert (estimate.dollars or 0) > (judgement.cost or 0)
    assert (judgement.status, judgement.support, judgement.calls) == ("scored", 0.0, 6)
    assert [c.reason for c in judgement.claims] == ["Contradicted: Reason 1."] * 2


@pytest.mark.parametrize("claims", [[], [{"sentence": 1, "text": "  "}]])
def test_an_answer_without_claims_is_not_assessable(claims: list[dict[str, Any]], serve: Serve) -> None:
    server = serve(by_task(truths=TRUTHS, claims=claims))
    judgement = score("claims_verify", CLAUDE)
    assert (judgement.status, judgement.support, judgement.calls) == ("not_assessable", None, 2)
    assert "no claim" in judgement.note
    assert judgement.cost
    assert len(server.asked) == 2


def test_a_context_without_claims_is_compared_all_the_same(serve: Serve) -> None:
    serve(by_task(truths=[], claims=CLAIMS, verdicts=_verdicts("idk", "idk")))
    assert score("claims_verify", CLAUDE, idk="ungrounded").support == 0.25


def test_a_sentence_that_the_model_does_not_name_rightly_is_found_by_its_words(serve: Serve) -> None:
    claims = [{"sentence": 0, "text": "Costs went to the landlord."}, {"sentence": 12, "text": "The appeal was dismissed."}]
    serve(by_task(truths=TRUTHS, claims=claims, verdicts=_verdicts("no", "yes")))
    judgement = score("claims_verify", CLAUDE)
    assert [s.support for s in judgement.sentences] == [1.0, 0.0]


def test_a_long_context_is_read_in_groups_and_all_its_claims_are_compared(serve: Serve) -> None:
    passages = [f"Passage {name}. " + "The court said a word. " * 120 for name in ("alpha", "beta", "gamma")]
    long = case("The appeal was dismissed.", *passages)

    def truths(asked: Asked) -> list[str]:
        return [f"Truth {name}." for name in ("alpha", "beta", "gamma") if f"Passage {name}" in asked.data["document"]]

    server = serve(by_task(truths=truths, claims=CLAIMS[:1], verdicts=_verdicts("yes")))
    scorer = load("claims_verify", line("server", server, window=4_096))
    estimate, judgement = scorer.estimate(long), scorer.score(long)
    assert judgement.support == 1.0
    assert judgement.calls == estimate.calls == 5
    assert server.asked[-1].data["facts"] == "Truth alpha.\n\nTruth beta.\n\nTruth gamma."
    assert all(len(asked.user) / 3 + asked.body["max_tokens"] <= 4_096 for asked in server.asked)


def test_a_reply_with_much_room_is_asked_for_without_streaming(serve: Serve) -> None:
    # The SDK refuses calls that might take over ten minutes, unless told how long they may.
    server = serve(_model("yes", "yes"))
    judgement = score("claims_verify", CLAUDE, case("It was dismissed. So it was.", "The court said a word. " * 4_000))
    assert judgement.support == 1.0
    assert server.asked[0].body["max_tokens"] == 22_000
    assert not server.asked[0].body.get("stream")
