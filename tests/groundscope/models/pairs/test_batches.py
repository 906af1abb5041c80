"""The engine for pairs gives what each pair gives alone, in full batches, within time and memory."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.models.batches import padded
from groundscope.models.pairs import scoring
from groundscope.models.pairs.encoders import Encoder, TextPair
from groundscope.runtime.progress import listening
from tests.groundscope.models.pairs.engine import LIMIT, Forward, check_same, chunked, model_of, pair_lists, quick, unbatched

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize("kind", ["two texts", "prompt"])
@quick
@given(pairs=pair_lists(), chunk=st.integers(1, 5), characters=st.integers(1, 200), budget=st.integers(1, 200))
def test_any_pairs_in_any_order_give_what_each_gives_alone(
    encoders: dict[str, Encoder], kind: str, pairs: list[TextPair], chunk: int, characters: int, budget: int
) -> None:
    with chunked(chunk, characters):
        scores = model_of(encoders[kind], budget=budget).score(pairs)
    check_same(scores, [unbatched(encoders[kind], pair) for pair in pairs])
    assert scores.cached == 0


@quick
@given(pairs=pair_lists(), budget=st.integers(1, 200))
def test_equal_pairs_are_computed_once_within_the_budget(
    encoders: dict[str, Encoder], pairs: list[TextPair], budget: int
) -> None:
    encoder, forward = encoders["two texts"], Forward()
    model_of(encoder, forward, budget=budget).score(pairs)
    assert forward.rows == sum(len(encoded.windows) for encoded in encoder.encode(list(set(pairs))))
    for ids, mask, types in forward.batches:
        assert ids.shape == mask.shape == types.shape
        assert ids.size <= budget or len(ids) == 1
        assert ids.shape[1] <= LIMIT
        lengths = mask.sum(axis=1)
        assert {padded(int(length), LIMIT) for length in lengths} == {ids.shape[1]}
        assert mask.tolist() == (np.arange(ids.shape[1]) < lengths[:, None]).tolist()


@quick
@given(tokens=st.integers(1, 2_000), most=st.integers(1, 1_024))
def test_a_padded_length_follows_from_the_text_alone_and_wastes_little(tokens: int, most: int) -> None:
    found = padded(tokens, most)
    assert found >= tokens
    assert found <= max(tokens, most)
    assert found - tokens < max(8, tokens / 4)
    assert padded(found, most) == found


@pytest.mark.parametrize("kind", ["two texts", "prompt"])
@quick
@given(pairs=pair_lists(), chunk=st.integers(1, 5))
def test_progress_goes_from_nothing_to_all_and_never_back(
    encoders: dict[str, Encoder], kind: str, pairs: list[TextPair], chunk: int
) -> None:
    heard: list[tuple[int, int]] = []
    with chunked(chunk, 10_000), listening(lambda done, total: heard.append((done, total))):
        model_of(encoders[kind], budget=1).score(pairs)
    total = sum(len(text) for pair in set(pairs) for text in pair)
    assert {t for _, t in heard} == {total}
    done = [d for d, _ in heard]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, total)
    assert all(type(d) is int for d in done)


def test_progress_of_a_long_text_moves_window_by_window(encoders: dict[str, Encoder]) -> None:
    heard: list[int] = []
    with listening(lambda done, _: heard.append(done)):
        model_of(encoders["two texts"], budget=1).score([TextPair("a b", "c d e f " * 100)])
    assert len(heard) > 30
    assert max(np.diff(heard)) <= heard[-1] / 20


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=2, max_size=2))
def test_logits_become_the_textbooks_supports(logits: list[float]) -> None:
    found = np.array([logits], np.float32)
    a, b = (min(max(x, -600.0), 600.0) for x in (logits[0], logits[1] - logits[0]))
    assert scoring.sigmoid(found[:, :1])[0] == pytest.approx(1 / (1 + math.exp(-a)), abs=1e-6)
    assert scoring.softmax(found, 1)[0] == pytest.approx(1 / (1 + math.exp(-b)), abs=1e-6)
    assert scoring.softmax(found, 0)[0] + scoring.softmax(found, 1)[0] == pytest.approx(1.0)


MANY = """
import random, resource, sys
import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast
from groundscope.runtime.retention import keeping
from groundscope.models.pairs.encoders import TextPair, PairPrompt
from groundscope.models.pairs.scoring import PairModel, sigmoid

words = {word: i for i, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(f"w{i}" for i in range(500))])}
fast = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
fast.pre_tokenizer = pre_tokenizers.Whitespace()
fast.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
)
special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
tokenizer = PreTrainedTokenizerFast(tokenizer_object=fast, **special)
source = random.Random(1)
texts = [" ".join(f"w{source.randrange(500)}" for _ in range(source.randint(3, 30))) + f" {i}" for i in range(300)]

def forward(ids, mask, types):
    return (ids * mask).sum(axis=1, keepdims=True).astype(np.float32) % 7 - 3

encoder = PairPrompt(tokenizer, "w1 {text1} w2 {text2}", 512)
model = PairModel(forward, sigmoid, encoder, name="n", pad=0, budget=2048, signature="s")
unit = 1 if sys.platform == "darwin" else 1024
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with keeping():
    scores = model.score([TextPair(claim, context) for claim in texts[:150] for context in texts[150:]])
print(len(scores.support), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit)
"""


def test_twenty_thousand_pairs_need_little_memory(tmp_path: Path) -> None:
    environment = {**os.environ, "GROUNDSCOPE_DATA": str(tmp_path), "PYTHONPATH": str(ROOT)}
    out = subprocess.run(
        [sys.executable, "-c", MANY], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    pairs, memory = map(int, out.stdout.split())
    assert pairs == 22_500
    # Tokenised all at once they take 220 MB.
    assert memory < 100_000_000
