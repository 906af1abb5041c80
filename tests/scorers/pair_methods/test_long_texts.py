"""Texts longer than a model reads: contexts in windows to their end, claims cut, and 5,000 sentences pruned."""

import numpy as np
import pytest

from groundscope.models.pairs.encoders import TextPair
from scorers import hem_v2
from tests.scorers import tiny
from tests.scorers.conftest import MakeCase
from tests.scorers.pair_methods.published import (
    METHODS,
    PASSAGES,
    RESPONSE,
    TWO_TEXTS,
    Reference,
    letters,
    load,
    matrix_of,
)


@pytest.mark.parametrize("method", TWO_TEXTS)
def test_a_context_longer_than_the_model_reads_counts_with_its_best_window(
    method: str, references: dict[str, Reference], case: MakeCase
) -> None:
    reference = references[method]
    short = method == "grounding_classifier"
    # A claim that leaves room for 100 tokens in the short model and for 400 in the others.
    room, special = 100 if short else 400, 4 if method == "factkb" else 3
    claim = " ".join(letters(reference.published.limit - special - room, seed=1))
    fits, one_more = (room, [(0, room)]), (room + 1, [(0, room), (1, room + 1)])
    far_more = (230, [(0, 100), (50, 150), (100, 200), (130, 230)]) if short else (730, [(0, 400), (200, 600), (330, 730)])
    for count, windows in [fits, one_more, far_more]:
        words = letters(count, seed=2)
        # Inside a text, RoBERTa's words begin with their space.
        pieces = [" " * (start > 0) + " ".join(words[start:end]) for start, end in windows]
        lengths = {len(reference.tokenizer(claim, piece)["input_ids"]) for piece in pieces}
        assert lengths == {reference.published.limit}
        expected = reference.grid([claim], pieces)[0]
        assert np.ptp(expected) > 1e-4 or len(windows) == 1
        judgement = load(method, context_unit="passage").score(case(claim, " ".join(words)))
        assert judgement.support == pytest.approx(expected.max(), abs=1e-5)
        assert judgement.context_seen == 1.0
        assert judgement.note == ""


def _prompt_s_own_tokens(reference: Reference) -> int:
    return len(reference.tokenizer(tiny.PROMPT.format(text1="", text2=""))["input_ids"])


def test_hem_v2_reads_a_long_context_in_windows(references: dict[str, Reference], monkeypatch: pytest.MonkeyPatch) -> None:
    reference = references["hem_v2"]
    claim, words = " ".join(letters(40, seed=1)), ["a"] * 300 + ["c"] * 300
    # Four tokens stay free, because a piece may be cut into more tokens beside the prompt's words than alone.
    monkeypatch.setattr(hem_v2, "LIMIT", _prompt_s_own_tokens(reference) + 40 + 4 + 400)
    pieces = [" ".join(words[start : start + 400]) for start in (0, 200)]
    expected = reference.grid([claim], pieces)[0]
    scores = load("hem_v2").pairs([TextPair(claim, " ".join(words))])
    assert scores.support[0] == pytest.approx(expected.max(), abs=1e-5)
    assert np.ptp(expected) > 1e-3
    assert not scores.cut[0]


def test_hem_v2_s_windows_fill_2048_tokens(references: dict[str, Reference]) -> None:
    encoder = load("hem_v2")._load().encoder
    own = _prompt_s_own_tokens(references["hem_v2"])
    fits, longer = (TextPair("a", " ".join(letters(2048 - own - 1 + more))) for more in (0, 1))
    assert [len(w.ids) for w in encoder.encode([fits])[0].windows] == [2048]
    assert [len(w.ids) for w in encoder.encode([longer])[0].windows] == [2044, 2044]


@pytest.mark.parametrize("method", METHODS)
def test_a_claim_of_10_000_tokens_is_cut_at_its_end(
    method: str, references: dict[str, Reference], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hem_v2, "LIMIT", 512)
    reference, context, words = references[method], " ".join(letters(60, seed=3)), letters(10_000, seed=4)
    pair = TextPair(" ".join(words), context)
    scores = load(method).pairs([pair, TextPair(RESPONSE[0], context)])
    assert scores.cut.tolist() == [True, False]
    limit, own = min(512, reference.published.limit), {"factkb": 4, "hem_v2": _prompt_s_own_tokens(references["hem_v2"])}
    room = limit - own.get(method, 3)
    # What the context leaves is the claim's; in a prompt, half of the room.
    kept = " ".join(words[: room // 2 if method == "hem_v2" else max(room // 2, room - 60)])
    (window,) = load(method)._load().encoder.encode([pair])[0].windows
    if method == "hem_v2":
        assert window.ids.tolist() == reference.tokenizer(tiny.PROMPT.format(text1=context, text2=kept))["input_ids"]
    else:
        texts = (context, kept) if reference.published.context_first else (kept, context)
        assert window.ids.tolist() == reference.tokenizer(*texts)["input_ids"]
        assert len(window.ids) == limit
    expected = [reference.support(kept, context), reference.support(RESPONSE[0], context)]
    assert scores.support.tolist() == pytest.approx(expected, abs=1e-5)


def test_a_sentence_longer_than_the_model_reads_is_named_in_the_note(case: MakeCase) -> None:
    response = f"{' '.join(letters(990))}.\n\n{RESPONSE[1]}"
    judgement = load("hem_v1").score(case(response, *PASSAGES))
    assert len(judgement.sentences) == 2
    assert judgement.note == "1 of 2 response sentences are longer than the model reads; their ends were left out."
    assert load("hem_v1").score(case(RESPONSE[1], *PASSAGES)).note == ""


def test_5000_context_sentences_score_with_pruning(case: MakeCase) -> None:
    # Few of them differ: what is long here is the matrix, not the wait.
    sentences = [f"Clause {i % 50} of the lease was served too late by the tenant." for i in range(5_000)]
    judgement = load("hem_v1", prune=2).score(case(f"{sentences[7]} {sentences[31]}", *("\n".join(sentences),)))
    matrix = matrix_of(judgement)
    assert matrix.shape == (2, 5_000)
    assert np.flatnonzero(~np.isnan(matrix[0])).tolist() == [7, 57]
    assert np.flatnonzero(~np.isnan(matrix[1])).tolist() == [31, 81]
    assert 0.0 < judgement.context_seen < 0.01
