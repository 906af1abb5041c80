"""`context_unit="nearest"`: the context sentences nearest to a sentence as one text, and which of them is shown as its match."""

from typing import Any

import numpy as np
import pytest

from groundscope.methods import registry
from groundscope.models.pairs.method import PairMethod
from groundscope.models.weights.files import WeightFiles
from groundscope.text.evidence import evidence_of, likeness
from groundscope.types import Status
from tests.scorers.conftest import MakeCase
from tests.scorers.pair_methods.published import CONTEXT, PASSAGES, RESPONSE, Grid, Reference, load, matrix_of


def nearest(window: int = 3, **parameters: Any) -> PairMethod:
    folder = WeightFiles("grounding-classifier", "folder")
    return load("grounding_classifier", context_unit="nearest", window=window, weights=folder, **parameters)


def alike(claims: list[str], texts: list[str]) -> Grid:
    """(n_claims, n_texts) likeness by words and by the model that `cos_sim:minilm` runs."""
    embedder: Any = registry.load("cos_sim:minilm")
    vectors = embedder.embed([*claims, *texts]).astype(np.float64)
    return likeness(vectors[: len(claims)] @ vectors[len(claims) :].T, claims, texts)


def joined(row: Grid, window: int) -> str:
    """The evidence out of CONTEXT, which `tests/groundscope/text/test_evidence.py` holds."""
    return " ".join(CONTEXT[j] for j in evidence_of(row, CONTEXT, window))


@pytest.mark.parametrize("window", [1, 2, 3])
def test_a_sentence_has_the_support_of_its_nearest_context_sentences_joined(
    window: int, references: dict[str, Reference], case: MakeCase
) -> None:
    reference = references["grounding_classifier"]
    texts = [joined(row, window) for row in alike(RESPONSE, CONTEXT)]
    expected = [reference.support(claim, text) for claim, text in zip(RESPONSE, texts, strict=True)]
    judgement = nearest(window).score(case(" ".join(RESPONSE), *PASSAGES))
    assert [s.support for s in judgement.sentences] == pytest.approx(expected, abs=1e-5)
    assert judgement.support == pytest.approx(min(expected), abs=1e-5)
    # The texts the other way round would give another number.
    swapped = [reference.support(claim, text, swapped=True) for claim, text in zip(RESPONSE, texts, strict=True)]
    assert np.abs(np.array(swapped) - expected).max() > 1e-4


def test_other_context_sentences_have_less_in_proportion_to_their_likeness(case: MakeCase) -> None:
    judgement = nearest().score(case(" ".join(RESPONSE), *PASSAGES))
    matrix, near = matrix_of(judgement), alike(RESPONSE, CONTEXT)
    supports = np.array([s.support for s in judgement.sentences], dtype=np.float64)
    assert matrix.argmax(axis=1).tolist() == near.argmax(axis=1).tolist()
    shown = [(m.passage, PASSAGES[m.passage][m.start : m.end]) for m in (s.matches[0] for s in judgement.sentences)]
    assert shown == [(int(CONTEXT[i] not in PASSAGES[0]), CONTEXT[i]) for i in near.argmax(axis=1)]
    assert matrix.max(axis=1) == pytest.approx(supports, abs=1e-6)
    # The embedder runs in bf16 where the processor does, and a batch of other texts moves its last digits.
    assert matrix == pytest.approx(supports[:, None] * near / near.max(axis=1, keepdims=True), abs=0.01)


@pytest.mark.parametrize("window", [2, 3, 1_000_000])
def test_fewer_context_sentences_than_the_window_are_all_read(
    window: int, references: dict[str, Reference], case: MakeCase
) -> None:
    both = f"{CONTEXT[0]} {CONTEXT[1]}"
    texts = [CONTEXT[0], CONTEXT[1]]
    read = " ".join(texts[j] for j in evidence_of(alike([RESPONSE[1]], texts)[0], texts, window))
    expected = references["grounding_classifier"].support(RESPONSE[1], read)
    found = nearest(window).score(case(RESPONSE[1], both))
    assert found.support == pytest.approx(expected, abs=1e-5)
    alone = nearest(window).score(case(RESPONSE[1], CONTEXT[0]))
    assert alone.support == pytest.approx(references["grounding_classifier"].support(RESPONSE[1], CONTEXT[0]), abs=1e-5)
    assert len(alone.sentences[0].matches) == 1


def test_the_signature_names_who_finds_the_sentences_and_the_pairs_are_kept_together() -> None:
    assert "|prune=0 nearest by sentence-transformers/all-MiniLM-L6-v2@" in nearest().signature
    assert "all-MiniLM-L6-v2" in load("hem_v1", prune=2).signature
    assert "all-MiniLM-L6-v2" not in load("hem_v1").signature
    folder = WeightFiles("grounding-classifier", "folder")
    assert nearest().pair_signature == load("grounding_classifier", weights=folder).pair_signature


def test_a_sentence_that_is_near_nothing_has_a_support_all_the_same(case: MakeCase) -> None:
    judgement = nearest().score(case("§§ 9 9 9 9 9 9 9.", "法" * 5, "ẞ!"))
    assert judgement.status is Status.SCORED
    assert np.isfinite(matrix_of(judgement)).all()
    assert matrix_of(judgement).max() <= judgement.sentences[0].support  # type: ignore[operator]
