"""MiniCheck gives the numbers of its publisher's arithmetic: its chunks, its input, its outputs."""

from pathlib import Path
from typing import Any

import pytest

from groundscope.methods import registry
from groundscope.types import Status
from scorers.minicheck import ANSWERS, MODELS, Base
from tests.scorers import tiny
from tests.scorers.conftest import MakeCase

SENTENCES = [f"The court of appeal dismissed the appeal {i} in 2003 because the notice was served too late." for i in range(60)]
CLAIMS = ["The landlord was awarded costs of 4,500 euros.", "It held that the notice was served too late."]


class Original:
    """The publisher's arithmetic for one claim and one document, in plain torch."""

    def __init__(self, root: Path, base: Base) -> None:
        from transformers import AutoModelForSeq2SeqLM, AutoModelForSequenceClassification

        self.flan = base == "flan-t5"
        folder = root / MODELS[base].weights.name
        self.tokenizer = tiny.tokenizer_of(folder)
        kind = AutoModelForSeq2SeqLM if self.flan else AutoModelForSequenceClassification
        self.model = kind.from_pretrained(str(folder), use_safetensors=(folder / "model.safetensors").is_file()).eval()
        self.most = MODELS[base].chunk

    def chunks(self, sentences: list[str]) -> list[str]:
        made: list[list[str]] = [[]]
        total = 0
        for sentence in sentences:
            plain = self.tokenizer(sentence, add_special_tokens=False)["input_ids"]
            size = len(sentence.split()) if self.flan else len(plain)
            if total + size > self.most:
                made.append([])
                total = 0
            made[-1].append(sentence)
            total += size
        return [" ".join(part) for part in made if part]

    def support(self, chunk: str, claim: str) -> float:
        import torch

        text = f"{'predict: ' if self.flan else ''}{chunk}{self.tokenizer.eos_token}{claim}"
        inputs: dict[str, Any] = {
            k: v for k, v in self.tokenizer(text, return_tensors="pt").items() if k in ("input_ids", "attention_mask")
        }
        with torch.inference_mode():
            if self.flan:
                logits = self.model(**inputs, decoder_input_ids=torch.zeros((1, 1), dtype=torch.long)).logits[:, 0, list(ANSWERS)]
            else:
                logits = self.model(**inputs).logits
        return float(torch.softmax(logits, dim=1)[0, 1])


@pytest.mark.parametrize("base", ["roberta", "deberta", "flan-t5"])
def test_the_best_chunk_of_the_original_counts(base: Base, judges: Path, case: MakeCase) -> None:
    original = Original(judges, base)
    # Random words take more tokens in a tiny vocabulary: chunks have to fit RoBERTa's 512 positions with the claim.
    sentences = SENTENCES if base == "flan-t5" else SENTENCES[:30]
    parts = original.chunks(sentences)
    assert len(parts) > 1
    expected = [max(original.support(part, claim) for part in parts) for claim in CLAIMS]
    found = registry.load(f"minicheck:{base}", precision="fp32").score(case(" ".join(CLAIMS), " ".join(sentences)))
    assert found.status is Status.SCORED, found.note
    assert [s.support for s in found.sentences] == pytest.approx(expected, abs=1e-5)
    assert found.support == pytest.approx(min(expected), abs=1e-5)
    assert abs(expected[0] - expected[1]) > 1e-4


def test_a_chunk_crosses_no_passage(judges: Path, case: MakeCase) -> None:
    original = Original(judges, "roberta")
    found = registry.load("minicheck:roberta", precision="fp32").score(case(CLAIMS[0], SENTENCES[0], SENTENCES[1]))
    expected = max(original.support(text, CLAIMS[0]) for text in SENTENCES[:2])
    assert found.support == pytest.approx(expected, abs=1e-5)
    assert found.support != pytest.approx(original.support(" ".join(SENTENCES[:2]), CLAIMS[0]), abs=1e-5)


def test_a_line_break_between_sentences_stays_one(judges: Path, case: MakeCase) -> None:
    original = Original(judges, "roberta")
    found = registry.load("minicheck:roberta", precision="fp32").score(case(CLAIMS[0], "\n\n".join(SENTENCES[:2])))
    assert found.support == pytest.approx(original.support("\n".join(SENTENCES[:2]), CLAIMS[0]), abs=1e-5)
