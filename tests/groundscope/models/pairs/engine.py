"""The engine for pairs around a forward pass that is easy to follow, one pair with no engine, and texts drawn to break both."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from groundscope.models.pairs import scoring
from groundscope.models.pairs.encoders import Encoder, Ids, TextPair
from groundscope.models.pairs.scoring import PairModel, PairScores, Supports, Tokens
from tests.scorers import tiny

LIMIT = 24
PROMPT_LIMIT = 90
PAD = 5
KINDS = ("bert", "roberta", "deberta", "t5")
SPELLED_OUT = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}"
"""One sign that T5's normaliser makes eighteen of, in four words."""

quick = settings(
    deadline=None, max_examples=60, derandomize=True, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

words = st.sampled_from([*tiny.TEXT.split(), *"ß İ ﬁ １ é e\u0301 \u200b \xad \0 \ufeff 法院 👩‍⚖️ \n\n \t".split(" ")])
specials = st.sampled_from(
    "[SEP] [CLS] [PAD] [UNK] [MASK] <s> </s> <pad> <unk> <mask> <extra_id_0> ＜/s＞ {text1} {text2}".split()
)
plain_texts = st.lists(words, max_size=12).map(" ".join)
texts = st.lists(words | specials | st.characters() | st.just(SPELLED_OUT), max_size=30).map(" ".join) | st.text(st.characters())


class Forward:
    """Logits made of the real tokens, their places and their segments; keeps what it was given."""

    def __init__(self) -> None:
        self.batches: list[tuple[Tokens, Tokens, Tokens]] = []

    def __call__(self, ids: Tokens, mask: Tokens, types: Tokens) -> Supports:
        self.batches.append((ids, mask, types))
        # What stands where the mask is 0 must not matter, so it is left out row by row.
        return np.array([[_logit(*(a[i][mask[i] == 1] for a in (ids, types)))] for i in range(len(ids))], np.float32)

    @property
    def rows(self) -> int:
        return sum(len(ids) for ids, _, _ in self.batches)


def _logit(ids: Tokens | Ids, types: Tokens | Ids) -> float:
    places = np.arange(1, len(ids) + 1)
    return float((ids * places * (1 + types)).sum() % 101) / 10 - 5


def unbatched(encoder: Encoder, pair: TextPair) -> tuple[float, bool]:
    """The support of one pair with no engine: its best window's."""
    encoded = encoder.encode([pair])[0]
    encoder.forget()
    return max(1 / (1 + math.exp(-_logit(w.ids, w.types))) for w in encoded.windows), encoded.cut


def model_of(
    encoder: Encoder,
    forward: Callable[[Tokens, Tokens, Tokens], Supports] | None = None,
    *,
    pad: int = PAD,
    budget: int = 4 * LIMIT,
    signature: str = "signature",
) -> PairModel:
    return PairModel(
        forward or Forward(), scoring.sigmoid, encoder, name="the weights", pad=pad, budget=budget, signature=signature
    )


def check_same(scores: PairScores, expected: Sequence[tuple[float, bool]]) -> None:
    assert scores.support.dtype == np.float32
    assert scores.support.tolist() == pytest.approx([support for support, _ in expected], abs=1e-6)
    assert scores.cut.tolist() == [cut for _, cut in expected]


@contextmanager
def chunked(pairs: int, characters: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "CHUNK", pairs)
        patch.setattr(scoring, "CHARACTERS", characters)
        yield


@st.composite
def pair_lists(draw: st.DrawFn) -> list[TextPair]:
    """Pairs of few texts, so that many are equal or share a text."""
    pool = st.sampled_from(draw(st.lists(texts, min_size=1, max_size=5)))
    return draw(st.lists(st.builds(TextPair, pool, pool), max_size=12))
