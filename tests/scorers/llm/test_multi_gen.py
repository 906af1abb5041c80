"""Multi-Gen on scripted generators and a tiny NLI model: N fresh answers, the mean over them, the worst sentence."""

from pathlib import Path

import pytest

from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import CASE, CLAUDE, WAYS, line, load, model, score
from tests.llm_server import Asked, Said
from tests.scorers.pair_methods.published import Reference

FRESH = [
    "The court of appeal dismissed the appeal.",
    "The landlord was awarded costs of 4,500 euros.",
    "The notice was served too late.",
]
SENTENCES = ["The appeal was dismissed in 2003.", "Costs of 5,400 euros went to the landlord."]


@pytest.fixture
def weights(cross_encoders: Path, monkeypatch: pytest.MonkeyPatch, no_models_loaded: None) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(cross_encoders))
    return cross_encoders


class Generator:
    """Gives another answer at each call."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, _: Asked) -> str:
        self.calls += 1
        return f" {FRESH[(self.calls - 1) % 3]}\n"


@pytest.mark.parametrize("way", ["anthropic", "server;stream=1"])
def test_the_mean_over_answers_and_the_worst_sentence(way: str, weights: Path, serve: Serve) -> None:
    server = serve(Generator())
    judgement = score("multi_gen", line(way, server, at_once=1), samples=3, precision="fp32")
    reference = Reference(weights, "context_nli")
    by_hand = [sum(reference.support(sentence, answer) for answer in FRESH) / 3 for sentence in SENTENCES]
    assert judgement.status == "scored"
    assert [s.support for s in judgement.sentences] == pytest.approx(by_hand, abs=1e-5)
    assert len({round(support, 3) for support in by_hand}) == 2
    assert judgement.support == pytest.approx(min(by_hand), abs=1e-5)
    counts = [sum(reference.support(sentence, answer) < 0.5 for answer in FRESH) for sentence in SENTENCES]
    assert [c.reason for c in judgement.claims] == [f"Contradicted by {n} of 3 fresh answers" for n in counts]
    assert judgement.calls == len(server.asked) == 3
    assert judgement.tokens == sum(said.read(asked) + said.output_tokens for asked, said in server.answered)


@pytest.mark.parametrize("way", WAYS[::2])
def test_samples_are_different_calls_to_the_same_prompt(way: str, weights: Path, serve: Serve) -> None:
    server = serve(Generator())
    scorer = load("multi_gen", line(way, server), samples=4)
    assert scorer.estimate(CASE).calls == 4
    judgement = scorer.score(CASE)
    assert (judgement.calls, judgement.cached) == (4, 0.0)
    assert len(server.asked) == 4
    assert len({asked.unmarked for asked in server.asked}) == 1
    assert set(server.asked[0].data) == {"document", "question"}
    assert not any(asked.forced or CASE.response in asked.user for asked in server.asked)
    # A temperature where the model takes one; where it does not, the judgement says so.
    warm = not way.startswith("anthropic")
    assert {asked.body.get("temperature") for asked in server.asked} == {1.0 if warm else None}
    assert ("No temperature was sent" in judgement.note) == (not warm)
    # More samples are only the new ones; the same again are none.
    assert load("multi_gen", line(way, server), samples=6).score(CASE).calls == 2
    again = scorer.score(CASE)
    assert (again.calls, again.cached, again.support) == (0, 1.0, judgement.support)


def test_the_temperature_is_in_the_signature_as_it_is_sent(weights: Path, serve: Serve) -> None:
    server = serve(Generator())
    spec = line("server", server)
    scorer = load("multi_gen", spec, samples=1, temperature=0.4)
    scorer.score(CASE)
    assert server.asked[0].body["temperature"] == 0.4
    assert f"model={model(f'{spec};temperature=0.4').identity}|" in scorer.signature
    assert "temperature=0," not in scorer.signature
    assert scorer.signature != load("multi_gen", spec, samples=1).signature
    assert "potsawee/deberta-v3-large-mnli" in scorer.signature
    assert "sampling=the provider's" in load("multi_gen", CLAUDE).signature


def test_without_weights_nothing_is_paid_and_the_fix_is_said(
    tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch, no_models_loaded: None
) -> None:
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(tmp_path))
    server = serve(Generator())
    scorer = load("multi_gen", CLAUDE)
    judgement = scorer.score(CASE)
    assert (judgement.status, judgement.support, judgement.calls, judgement.context_seen) == ("failed", None, 0, 0.0)
    assert judgement.note == scorer.unavailable() != ""
    assert "deberta-v3-large-mnli" in judgement.note
    assert server.requests == []


@pytest.mark.parametrize(
    "said", [Said("", stop="end_turn"), Said("Half an ans", stop="max_tokens"), Said("I will not.", stop="refusal")]
)
def test_an_answer_that_is_none_makes_the_judgement_invalid_and_no_number(said: Said, weights: Path, serve: Serve) -> None:
    fresh = iter([Said(FRESH[0]), said, Said(FRESH[1])])
    server = serve(lambda _: next(fresh))
    judgement = score("multi_gen", line("anthropic", server, at_once=1), samples=3)
    assert (judgement.status, judgement.support, judgement.calls) == ("invalid", None, 3)
    assert judgement.cost
