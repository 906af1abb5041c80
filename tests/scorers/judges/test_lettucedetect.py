"""LettuceDetect gives the numbers of its publisher's arithmetic, and spans in the answer's own characters."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from groundscope.methods import registry
from groundscope.text.sentences import split
from groundscope.types import Status
from scorers import lettucedetect
from tests.scorers import tiny
from tests.scorers.conftest import MakeCase

QUERY = "What did the court decide?"
PASSAGES = ("The court of appeal dismissed the appeal in 2003.", "Costs of 4,500 euros were awarded to the tenant.")
ANSWER = "The court dismissed the appeal. The landlord was awarded costs of 5,400 euros!\n\n# Outcome\n\n- The notice came late."


def original(root: Path, query: str, passages: tuple[str, ...], answer: str) -> list[tuple[int, int, float]]:
    """(start, end, P(unsupported)) of the answer's tokens, in plain torch."""
    import torch
    from transformers import AutoModelForTokenClassification

    folder = root / lettucedetect.VARIANTS["base"]["weights"].name
    tokenizer = tiny.tokenizer_of(folder)
    model = AutoModelForTokenClassification.from_pretrained(str(folder)).eval()
    listed = "\n".join(f"passage {i + 1}: {p}" for i, p in enumerate(passages))
    prompt = (
        f"Briefly answer the following question:\n{query}\nBear in mind that your response should be strictly based on the "
        f"following {len(passages)} passages:\n{listed}\nIn case the passages do not contain the necessary information to answer "
        'the question, please reply with: "Unable to answer based on given passages."\noutput:'
    )
    inputs: Any = tokenizer(
        prompt, answer, truncation="only_first", max_length=4096, return_offsets_mapping=True, return_tensors="pt"
    )
    offsets = inputs.pop("offset_mapping")[0].tolist()
    with torch.inference_mode():
        logits = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]).logits[0]
    shares = torch.softmax(logits, dim=1)[:, 1].tolist()
    count = len(tokenizer(answer, add_special_tokens=False)["input_ids"])
    first = len(shares) - count - 1
    return [(*offsets[i], shares[i]) for i in range(first, len(shares) - 1)]


def test_a_sentence_has_what_its_least_supported_token_leaves(judges: Path, case: MakeCase) -> None:
    tokens = original(judges, QUERY, PASSAGES, ANSWER)
    found = registry.load("lettucedetect:base", precision="fp32").score(case(ANSWER, *PASSAGES, query=QUERY))
    assert found.status is Status.SCORED, found.note
    for sentence, span in zip(found.sentences, split(ANSWER), strict=True):
        inside = [p for start, end, p in tokens if start < span.end and end > span.start]
        expected = None if span.heading else 1 - max(inside)
        assert sentence.support == (pytest.approx(expected, abs=1e-5) if expected is not None else None)
    assert found.support == pytest.approx(min(s.support for s in found.sentences if s.support is not None))
    assert found.context_seen == 1.0
    assert found.matrix is None
    assert [bool(s.matches) for s in found.sentences] == [not s.heading for s in split(ANSWER)]


def test_its_spans_are_the_tokens_above_one_half_joined(judges: Path, case: MakeCase) -> None:
    tokens = original(judges, QUERY, PASSAGES, ANSWER)
    marked = np.zeros(len(ANSWER), bool)
    for start, end, p in tokens:
        marked[start:end] |= p > 0.5
    found = registry.load("lettucedetect:base", precision="fp32").score(case(ANSWER, *PASSAGES, query=QUERY))
    ours = np.zeros(len(ANSWER), bool)
    for sentence in found.sentences:
        for start, end in sentence.unsupported:
            assert sentence.start <= start < end <= sentence.end
            ours[start:end] = True
        drawn = slice(sentence.start, sentence.end)
        if sentence.support is not None:
            assert (ours[drawn] == marked[drawn]).all()
            assert bool(sentence.unsupported) == (sentence.support < 0.5)
    assert 0 < ours.sum() < len(ANSWER)


def test_what_did_not_fit_is_said(case: MakeCase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lettucedetect, "LIMIT", 300)
    found = registry.load("lettucedetect:base", precision="fp32").score(case(ANSWER, *PASSAGES * 20))
    assert found.status is Status.SCORED
    assert 0.0 < found.context_seen < 1.0
    assert found.note == f"It reads 300 tokens: {found.context_seen:.0%} of the question and the sources were read."


def test_an_answer_that_leaves_no_room_is_refused(case: MakeCase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lettucedetect, "LIMIT", 20)
    found = registry.load("lettucedetect:base").score(case(ANSWER, *PASSAGES))
    assert found.status is Status.FAILED
    assert "judge it in parts" in found.note
