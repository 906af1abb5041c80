"""AlignScore gives the numbers of its publisher's arithmetic; its checkpoint is read without building what it names."""

from pathlib import Path

import numpy as np
import pytest

from groundscope.methods import registry
from groundscope.types import Status
from scorers.alignscore import MODELS
from tests.scorers import tiny
from tests.scorers.conftest import MakeCase

SENTENCES = [f"The court of appeal dismissed the appeal {i} in 2003 because the notice was late." for i in range(60)]
CLAIMS = ["The landlord was awarded costs of 4,500 euros.", "It held that the notice was served too late."]
LAYERS = {"nli": "tri_layer", "bin": "bin_layer", "reg": "reg_layer"}


class Original:
    """The publisher's arithmetic, in plain torch."""

    def __init__(self, root: Path) -> None:
        import torch
        from transformers import RobertaConfig, RobertaModel

        base = MODELS["base"]
        self.tokenizer = tiny.tokenizer_of(root / base.foundation.name)
        self.network = RobertaModel(RobertaConfig.from_pretrained(root / base.foundation.name)).eval()
        state = torch.load(root / base.weights.name / base.weights.file, weights_only=False)["state_dict"]
        own = {k.removeprefix("base_model."): v for k, v in state.items() if k.startswith("base_model.")}
        self.network.load_state_dict(own)
        self.state = state

    def chunks(self, sentences: list[str]) -> list[str]:
        count = len(" ".join(sentences).split()) // 350 + 1
        each = max(len(sentences) // count, 1)
        return [" ".join(sentences[i : i + each]) for i in range(0, len(sentences), each)]

    def outputs(self, premise: str, claim: str, head: str) -> list[float]:
        import torch

        inputs = self.tokenizer(premise, claim, truncation="only_first", max_length=512, return_tensors="pt")
        with torch.inference_mode():
            pooled = self.network(inputs["input_ids"], attention_mask=inputs["attention_mask"]).pooler_output
            logits = pooled @ self.state[f"{LAYERS[head]}.weight"].T + self.state[f"{LAYERS[head]}.bias"]
        return (logits if head == "reg" else torch.softmax(logits, dim=1))[0].tolist()


@pytest.mark.parametrize(("head", "output"), [("nli", 0), ("bin", 1), ("reg", 0)])
def test_the_mean_over_sentences_of_the_best_chunk(head: str, output: int, judges: Path, case: MakeCase) -> None:
    original = Original(judges)
    sentences = SENTENCES[:27]
    parts = original.chunks(sentences)
    assert len(parts) > 1
    expected = [max(original.outputs(p, claim, head)[output] for p in parts) for claim in CLAIMS]
    scorer = registry.load("alignscore:base", precision="fp32", head=head)
    found = scorer.score(case(" ".join(CLAIMS), " ".join(sentences)))
    assert found.status is Status.SCORED, found.note
    assert [s.support for s in found.sentences] == pytest.approx(np.clip(expected, 0, 1).tolist(), abs=1e-5)
    assert found.support == pytest.approx(float(np.mean(np.clip(expected, 0, 1))), abs=1e-5)


def test_the_three_way_output_tells_contradiction_from_silence(judges: Path, case: MakeCase) -> None:
    original = Original(judges)
    expected = original.outputs(SENTENCES[0], CLAIMS[0], "nli")[2]
    three = registry.load("alignscore:base", precision="fp32").score(case(CLAIMS[0], SENTENCES[0]))
    two = registry.load("alignscore:base", precision="fp32", head="bin").score(case(CLAIMS[0], SENTENCES[0]))
    assert three.sentences[0].contradiction == pytest.approx(expected, abs=1e-5)
    assert two.sentences[0].contradiction is None


def test_a_checkpoint_that_runs_something_runs_nothing(copied: Path, case: MakeCase, tmp_path: Path) -> None:
    import os
    import pickle

    mark = tmp_path / "was_run"

    class Runs:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(mark),)

    base = MODELS["base"].weights
    (copied / base.name / base.file).write_bytes(pickle.dumps({"state_dict": Runs()}))
    found = registry.load("alignscore:base").score(case(CLAIMS[0], SENTENCES[0]))
    assert found.status is Status.FAILED
    assert "get" in found.note
    assert not mark.exists()


@pytest.mark.parametrize("missing", ["tri_layer.bias", "base_model.embeddings.word_embeddings.weight"])
def test_a_checkpoint_without_a_layer_is_refused(missing: str, copied: Path, case: MakeCase) -> None:
    import torch

    base = MODELS["base"].weights
    file = copied / base.name / base.file
    content = torch.load(file, weights_only=False)
    del content["state_dict"][missing]
    torch.save(content, file)
    found = registry.load("alignscore:base").score(case(CLAIMS[0], SENTENCES[0]))
    assert found.status is Status.FAILED
    assert "lacks 1 layers" in found.note
