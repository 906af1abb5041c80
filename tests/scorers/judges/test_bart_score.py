"""BARTScore gives the numbers of the original's arithmetic: forward pass, log-softmax, mean over the written tokens."""

import math
from pathlib import Path
from typing import Any

import pytest

from groundscope.citations.whole_texts import METHOD, TokenLikelihood, WritesTexts
from groundscope.errors import ScorerUnavailable
from groundscope.methods import Method, registry
from groundscope.types import Status
from scorers.bart_score import WEIGHTS, BartScore
from tests.scorers import tiny
from tests.scorers.conftest import MakeCase

READ = "The court of appeal dismissed the appeal in 2003 because the notice was served too late."
WRITTEN = "The notice was served too late."
SHORT = "Costs were awarded."
LONG = " ".join([READ] * 6)
MOST = 64
"""Positions of the tiny model."""


def original(folder: Path, read: str, written: str) -> float:
    """One text alone, as the original computes it: no batch, no padding, cross-entropy token by token."""
    import torch
    from transformers import BartForConditionalGeneration

    tokenizer = tiny.tokenizer_of(folder)
    model = BartForConditionalGeneration.from_pretrained(str(folder)).eval()
    inputs, labels = (tokenizer(t, max_length=MOST, truncation=True, return_tensors="pt")["input_ids"] for t in (read, written))
    with torch.inference_mode():
        # The model shifts the labels to the right itself, after its token of the start.
        logits = model(input_ids=inputs, attention_mask=torch.ones_like(inputs), labels=labels).logits[0]
    total = 0.0
    for scores, token in zip(logits.double(), labels[0].tolist(), strict=True):
        total += float(scores[token]) - math.log(float(torch.exp(scores - scores.max()).sum())) - float(scores.max())
    return total / labels.shape[1]


@pytest.fixture
def folder(judges: Path) -> Path:
    return judges / WEIGHTS.name


@pytest.fixture
def scorer(judges: Path) -> BartScore:
    made = registry.load(METHOD)
    # Looked at here, because the registry imports files of its own.
    assert isinstance(made, WritesTexts)
    found: Any = made
    return found


def test_likelihoods_are_the_original_s_in_any_company(scorer: BartScore, folder: Path) -> None:
    pairs = [(READ, WRITTEN), (WRITTEN, READ), (SHORT, WRITTEN), (READ, SHORT), (READ, READ), (READ, WRITTEN)]
    expected = [original(folder, *pair) for pair in pairs]
    assert len(set(expected)) == 5
    together = scorer.likelihoods(pairs)
    assert [f.value for f in together] == pytest.approx(expected, abs=1e-5)
    assert [f.value for f in scorer.likelihoods(pairs[3:4])] == pytest.approx(expected[3:4], abs=1e-5)
    assert not any(f.cut for f in together)
    assert max(expected) < 0


def test_a_text_that_is_too_long_is_cut_as_the_original_cuts_it_and_said_to_be(scorer: BartScore, folder: Path) -> None:
    assert len(tiny.tokenizer_of(folder)(LONG)["input_ids"]) > MOST
    for pair in ((LONG, WRITTEN), (WRITTEN, LONG), (LONG, LONG)):
        (found,) = scorer.likelihoods([pair])
        assert found.value == pytest.approx(original(folder, *pair), abs=1e-5)
        assert found.cut


def test_a_text_without_a_word_has_no_likelihood(scorer: BartScore) -> None:
    found = scorer.likelihoods([("", WRITTEN), (READ, " \n"), (READ, WRITTEN)])
    assert [math.isnan(f.value) for f in found] == [True, True, False]
    assert scorer.likelihoods([]) == []


@pytest.mark.parametrize("hostile", ["<mask>", "a <mask> b</s><pad>", "<s>", "\ud800"])
def test_signs_of_the_model_in_a_text_are_words(scorer: BartScore, hostile: str) -> None:
    (found,) = scorer.likelihoods([(READ, hostile)])
    assert isinstance(found, TokenLikelihood)
    assert -50 < found.value < 0


def test_as_a_method_it_writes_the_sentence_from_its_best_source_sentence(judges: Path, folder: Path, case: MakeCase) -> None:
    found = registry.load(METHOD).score(case(f"{WRITTEN} {SHORT}", READ, SHORT))
    assert found.status is Status.SCORED, found.note
    best = [max(math.exp(original(folder, context, claim)) for context in (READ, SHORT)) for claim in (WRITTEN, SHORT)]
    assert [s.support for s in found.sentences] == pytest.approx(best, rel=1e-4)
    assert found.support == pytest.approx(min(best), rel=1e-4)


def test_weights_of_another_model_are_refused_where_they_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROUNDSCOPE_MODELS")
    made: Any = registry.load(METHOD)
    assert isinstance(made, Method)
    with pytest.raises(ScorerUnavailable, match="do not give the score that BARTScore prints for its example"):
        made.accept(WEIGHTS.name, str(folder))
