"""Entailment models: labels in any place and language, rules of support, contradiction apart from silence, and bad models."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from groundscope.methods import registry
from groundscope.runtime.retention import keeping
from groundscope.types import Case, Judgement, Status
from tests.scorers import tiny
from tests.scorers.conftest import MakeCase
from tests.scorers.judges import folders
from tests.scorers.pair_methods.published import CONTEXT, PASSAGES, RESPONSE


def shares(folder: Path, premise: str, hypothesis: str) -> list[float]:
    """Softmax over a model's outputs, in plain torch."""
    import torch
    from transformers import AutoModelForSequenceClassification

    model = AutoModelForSequenceClassification.from_pretrained(str(folder)).eval()
    inputs = tiny.tokenizer_of(folder)(premise, hypothesis, return_tensors="pt")
    with torch.inference_mode():
        logits = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]).logits[0]
    found: list[float] = torch.softmax(logits, dim=0).tolist()
    return found


def judged(case: Case, folder: Path, **parameters: Any) -> Judgement:
    made = registry.load("nli", checkpoint=str(folder), **{"precision": "fp32", "context_unit": "full", **parameters}).score(case)
    assert made.status is Status.SCORED, made.note
    return made


@pytest.mark.parametrize("order", folders.ORDERS)
def test_support_is_the_share_of_the_label_that_means_entailment(order: str, tmp_path: Path, case: MakeCase) -> None:
    labels = folders.ORDERS[order]
    folder = folders.entailment(tmp_path / "model", labels)
    expected = shares(folder, CONTEXT[0], RESPONSE[1])
    (sentence,) = judged(case(RESPONSE[1], CONTEXT[0]), folder).sentences
    at = next(i for i, label in enumerate(labels) if label.lower() in ("entailment", "folgerung"))
    assert sentence.support == pytest.approx(expected[at], abs=1e-5)
    against = [i for i, label in enumerate(labels) if label.lower() in ("contradiction", "widerspruch")]
    assert sentence.contradiction == (pytest.approx(expected[against[0]], abs=1e-5) if against else None)


def test_support_from_entailment_from_no_contradiction_or_both(tmp_path: Path, case: MakeCase) -> None:
    folder = folders.entailment(tmp_path / "model", folders.ORDERS["first"])
    entailed, _, against = shares(folder, CONTEXT[0], RESPONSE[1])
    expected = {"entailment": entailed, "not_contradiction": 1 - against, "both": (entailed + 1 - against) / 2}
    example = case(RESPONSE[1], CONTEXT[0])
    found = {rule: judged(example, folder, supported_by=rule).support for rule in expected}
    assert found == pytest.approx(expected, abs=1e-5)
    assert len({registry.load("nli", checkpoint=str(folder), supported_by=rule).signature for rule in expected}) == 3


def test_single_sentences_count_with_the_highest_and_chunks_are_joined(tmp_path: Path, case: MakeCase) -> None:
    folder = folders.entailment(tmp_path / "model", folders.ORDERS["first"])
    example = case(RESPONSE[1], *PASSAGES)
    grid = np.array([shares(folder, text, RESPONSE[1]) for text in CONTEXT])
    (alone,) = judged(example, folder, context_unit="sentence").sentences
    assert alone.support == pytest.approx(grid[:, 0].max(), abs=1e-5)
    assert alone.contradiction == pytest.approx(grid[:, 2].max(), abs=1e-5)
    chunks = np.array([shares(folder, text, RESPONSE[1]) for text in PASSAGES])
    assert judged(example, folder, context_unit="chunk").support == pytest.approx(chunks[:, 0].max(), abs=1e-5)


def test_numbers_from_the_cache_are_the_same(tmp_path: Path, case: MakeCase) -> None:
    folder = folders.entailment(tmp_path / "model", folders.ORDERS["first"])
    example = case(" ".join(RESPONSE), *PASSAGES)
    with keeping():
        first, second = (judged(example, folder, context_unit="sentence") for _ in range(2))
    assert (first.cached, second.cached) == (0.0, 1.0)
    assert [(s.support, s.contradiction) for s in second.sentences] == [(s.support, s.contradiction) for s in first.sentences]


def test_a_label_can_be_named(tmp_path: Path, case: MakeCase) -> None:
    folder = folders.entailment(tmp_path / "model", ("LABEL_0", "LABEL_1", "LABEL_2"))
    refused = registry.load("nli", checkpoint=str(folder)).score(case(RESPONSE[1], CONTEXT[0]))
    assert refused.status is Status.FAILED
    assert refused.note == (
        "model has no label that means entailment among LABEL_0, LABEL_1, LABEL_2; choose an entailment model, or name the label "
        "in the option `label`."
    )
    expected = shares(folder, CONTEXT[0], RESPONSE[1])[1]
    assert judged(case(RESPONSE[1], CONTEXT[0]), folder, label="LABEL_1").support == pytest.approx(expected, abs=1e-5)


def _with(folder: Path, **changes: Any) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, **changes}), encoding="utf-8")


BAD = {
    "two labels": ({"id2label": {"0": "entailment", "1": "Entails", "2": "neutral"}}, "has 2 labels that mean entailment"),
    "no labels": ({"id2label": None}, "names no labels for its outputs"),
    "a generative model": ({"architectures": ["LlamaForCausalLM"], "model_type": "llama"}, "is no classifier of text pairs"),
    "an encoder-decoder": (
        {"architectures": ["T5ForConditionalGeneration"], "model_type": "t5"},
        "is no classifier of text pairs",
    ),
    "code of its own": ({"auto_map": {"AutoModel": "x.y"}}, "asks to run code from its own folder"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_model_is_refused_in_one_sentence(bad: str, tmp_path: Path, case: MakeCase) -> None:
    changes, words = BAD[bad]
    folder = folders.entailment(tmp_path / "model", folders.ORDERS["first"])
    _with(folder, **changes)
    found = registry.load("nli", checkpoint=str(folder)).score(case(RESPONSE[1], CONTEXT[0]))
    assert found.status is Status.FAILED
    assert words in found.note
    assert found.note.count(". ") == 0


def test_not_contradiction_needs_a_label_that_means_it(tmp_path: Path, case: MakeCase) -> None:
    folder = folders.entailment(tmp_path / "model", folders.ORDERS["binary"])
    found = registry.load("nli", checkpoint=str(folder), supported_by="both").score(case(RESPONSE[1], CONTEXT[0]))
    assert found.note == "model has no label that means contradiction, so set supported_by to entailment for this model."


@pytest.mark.parametrize("line", ["no model", "../escape", "a/b/c", "http://x.org/a", "a/..@b", "/nowhere/at/all"])
def test_a_line_that_names_no_model_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="checkpoint must be a hub id"):
        registry.load("nli", checkpoint=line)


def test_without_a_model_it_says_what_to_do() -> None:
    assert registry.load("nli").unavailable() == (
        "Set the parameter checkpoint to the id of an entailment model, or take nli:deberta-base."
    )
    assert "nli" not in registry.names()
    assert "nli:deberta-base" in registry.names()
