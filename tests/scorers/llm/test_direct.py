"""Direct prompting on scripted models: verdicts, quotes that are found and not, what a judgement says."""

import json

import pytest

from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import CASE, CLAUDE, WAYS, case, line, load, passes, score
from tests.llm_server import Asked

SENTENCES = ["The appeal was dismissed in 2003.", "Costs of 5,400 euros went to the landlord."]


def _fails(*quotes: str) -> object:
    unsupported = [{"quote": quote, "why": f"reason {i}"} for i, quote in enumerate(quotes, 1)]
    return lambda _: json.dumps({"reasons": ["One.", "Two."], "unsupported": unsupported, "verdict": "FAIL"})


@pytest.mark.parametrize("way", WAYS[::2])
def test_a_pass_supports_every_sentence(way: str, serve: Serve) -> None:
    server = serve(passes)
    judgement = score("direct", line(way, server))
    assert (judgement.status, judgement.support, judgement.claims) == ("scored", 1.0, ())
    assert [CASE.response[s.start : s.end] for s in judgement.sentences] == SENTENCES
    assert [s.support for s in judgement.sentences] == [1.0, 1.0]
    assert judgement.note == "All of it is there."
    assert (judgement.calls, judgement.cached, judgement.raw, judgement.context_seen) == (1, 0.0, "", 1.0)
    asked, said = server.answered[0]
    assert judgement.tokens == said.read(asked) + said.output_tokens
    assert asked.data["question"] == CASE.query
    assert asked.data["answer"] == CASE.response
    assert all(p.text in asked.data["document"] for p in CASE.context)
    dollars = {"anthropic": (0.1, 0.5), "openai": (2.5, 10), "server": (0, 0)}[way.partition(";")[0]]
    assert judgement.cost == pytest.approx((said.read(asked) * dollars[0] + 7 * dollars[1]) / 1e6)


@pytest.mark.parametrize("quote", ["5,400 euros went to the landlord", "“costs  of 5,400 EUROS”", "Costs of 5,400 euros…"])
def test_a_fail_with_a_quote_marks_its_sentence_and_gives_the_reason(quote: str, serve: Serve) -> None:
    server = serve(_fails(quote))
    judgement = score("direct", line("server", server))
    assert judgement.support == 0.0
    assert [s.support for s in judgement.sentences] == [1.0, 0.0]
    (claim,) = judgement.claims
    assert "5,400 euros" in CASE.response[claim.start : claim.end]
    assert (claim.text, claim.support, claim.reason) == (CASE.response[claim.start : claim.end], 0.0, "reason 1")
    start, end = judgement.sentences[1].start, judgement.sentences[1].end
    assert start <= claim.start < claim.end <= end
    # The context sentence to read beside it.
    best = judgement.sentences[1].matches[0]
    assert CASE.context[best.passage].text[best.start : best.end].startswith("Costs of 4,500")


def test_the_prompt_of_three_answers_says_of_each_quote_whether_the_document_contradicts_it(serve: Serve) -> None:
    def answer(asked: Asked) -> str:
        assert "contradicted" in asked.user
        quotes = [
            {"quote": SENTENCES[0], "why": "It is silent.", "contradicted": False},
            {"quote": SENTENCES[1], "why": "It says 4,500.", "contradicted": True},
        ]
        return json.dumps({"reasons": [], "unsupported": quotes, "verdict": "FAIL"})

    server = serve(answer)
    judgement = score("direct", line("server", server), prompt="three")
    assert [(s.support, s.contradiction) for s in judgement.sentences] == [(0.0, 0.0), (0.0, 1.0)]
    standard = load("direct", line("server", server))
    assert standard.signature != load("direct", line("server", server), prompt="three").signature
    # What it does not quote it does not call contradicted, also where it passes all.
    assert {s.contradiction for s in score("direct", line("server", serve(passes)), prompt="three").sentences} == {0.0}
    # Asked by any other prompt it distinguishes nothing.
    assert {s.contradiction for s in score("direct", line("server", serve(_fails(SENTENCES[0])))).sentences} == {None}


NOWHERE = "The King abdicated in 1936, as everyone knows."


@pytest.mark.parametrize(
    ("quotes", "supports", "reasons"),
    [
        # It marks no sentence, and the response fails all the same.
        ((NOWHERE,), [None, None], []),
        ((NOWHERE, "dismissed in 2003"), [0.0, 1.0], ["reason 2"]),
        (("dismissed in 2003. Costs of 5,400 euros",), [0.0, 0.0], ["reason 1"]),
    ],
)
def test_quotes_mark_the_sentences_that_they_stand_in(
    quotes: tuple[str, ...], supports: list[float | None], reasons: list[str], serve: Serve
) -> None:
    judgement = score("direct", line("server", serve(_fails(*quotes))))
    assert (judgement.status, judgement.support) == ("scored", 0.0)
    assert [s.support for s in judgement.sentences] == supports
    assert [claim.reason for claim in judgement.claims] == reasons


def test_quotes_beside_a_pass_count_for_nothing(serve: Serve) -> None:
    def answer(_: Asked) -> str:
        unsupported = [{"quote": SENTENCES[0], "why": "a slip"}]
        return json.dumps({"reasons": [], "unsupported": unsupported, "verdict": "pass"})

    server = serve(answer)
    judgement = score("direct", line("server", server))
    assert (judgement.support, judgement.claims) == (1.0, ())
    assert [s.support for s in judgement.sentences] == [1.0, 1.0]


def test_what_is_sent_is_reported_before(serve: Serve) -> None:
    server = serve(passes)
    scorer = load("direct", CLAUDE)
    estimate = scorer.estimate(CASE)
    assert server.requests == []
    judgement = scorer.score(CASE)
    asked, said = server.answered[0]
    assert (estimate.calls, estimate.address, estimate.at_most) == (1, "127.0.0.1", False)
    assert said.read(asked) <= estimate.input < 3 * said.read(asked)
    assert (estimate.dollars or 0) >= (judgement.cost or 0) > 0
    assert load("direct", "anthropic:claude-unheard-of").estimate(CASE).dollars is None
    assert load("direct", line("server", server)).estimate(CASE).dollars == 0.0
    assert scorer.estimate(case("", "Something.")).calls == 0


def test_a_case_that_does_not_fit_is_not_sent_and_the_share_is_said(serve: Serve) -> None:
    server = serve(passes)
    long = case("It was dismissed.", "The appeal was dismissed. " * 1_000)
    # 26,000 characters are about 8,700 tokens; of 8,192 some 2,700 are for the reply and the rest of the prompt.
    judgement = score("direct", line("server", server), long)
    assert (judgement.status, judgement.context_seen) == ("failed", 0.0)
    assert "only about 6" in judgement.note
    assert "Choose a model with a larger window." in judgement.note
    assert server.requests == []
    assert score("direct", f"{line('server', server)};window=20000", long).support == 1.0


def test_the_environment_names_the_model_where_the_method_does_not(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(passes)
    assert "GROUNDSCOPE_MODEL" in load("direct", "").score(CASE).note
    monkeypatch.setenv("GROUNDSCOPE_MODEL", line("server", server))
    assert load("direct", "").score(CASE).support == 1.0
    assert load("direct", "").signature == load("direct", line("server", server)).signature
    assert "server:scripted-1@" in load("direct", "").signature
    assert "temperature=0" in load("direct", "").signature
