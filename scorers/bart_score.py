"""BARTScore: how likely BART is to write a text from another (Yuan, Neubig and Liu 2021, NeurIPS), by facebook/bart-large-cnn.

The mean over the written text's tokens, `<s>` and `</s>` among them, of the natural log of their probability, given the text that
is read and the tokens before; each text is cut at 1,024 tokens (github.com/neulab/BARTScore). Below 0; higher = more likely.

As a method it is the original's faithfulness: the sentence is written from a context unit, and support is e to that mean, the
geometric mean of the tokens' probabilities. The context unit with the highest counts, and the response's support is the minimum
over sentences. Citation recall compares whole texts by `likelihoods`.

Not in the paper of groundedness. Departs from the original: texts that look like special tokens are ordinary words.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from groundscope.citations.bart_score import TokenLikelihood
from groundscope.errors import ScorerUnavailable
from groundscope.methods import About
from groundscope.runtime.retention import keeping
from scorers._pairs import generation
from scorers._pairs.encoders import TextPair
from scorers._pairs.method import PairMethod
from scorers._pairs.models import LoadedModel
from scorers._pairs.scoring import Supports
from scorers._weights.files import WeightFiles
from scorers._weights.memory import Precision

WEIGHTS = WeightFiles("facebook/bart-large-cnn", "main", megabytes=1_630)
PRINTED = ("This is interesting.", "This is fun.", -2.510652780532837)
"""The original's example: a text, what is written from it, and its score."""
_APART = 0.15


@dataclass(frozen=True)
class BartScore(PairMethod):
    """BARTScore; the parameters are those of `PairMethod`.

    Attributes:
        precision: `fp32` as in the original, or `bf16`.
        context_unit: what the sentence is written from; each is shorter than what the model reads.
    """

    weights: WeightFiles = WEIGHTS
    precision: Precision = "fp32"
    context_unit: Literal["sentence", "window", "chunk", "nearest"] = "sentence"

    input = f"claim written from context|{generation.LIMIT} tokens each"
    cut_words = "{} of {} response sentences, or the sources beside them, are longer than the model reads; ends were left out."

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users."""
        return About(
            title="BARTScore",
            measures="How likely a model that summarises is to write a sentence from its best source sentence, per token.",
            needs=f"the weights of {self.weights.name} ({self.weights.megabytes:,} MB)",
            licence="MIT",
        )

    def likelihoods(self, pairs: Sequence[tuple[str, str]]) -> list[TokenLikelihood]:
        """Score texts as the original does; see `groundscope.citations.bart_score.WritesTexts`."""
        worded = [pair for pair in dict.fromkeys(pairs) if all(text.strip() for text in pair)]
        # A support that is kept beside its mark of a cut text has fewer digits.
        with keeping(False):
            scores = self.pairs([TextPair(claim=written, context=read) for read, written in worded])
        values = np.log(np.maximum(scores.support, np.finfo(np.float32).tiny).astype(np.float64)).tolist()
        by_pair = dict(zip(worded, map(TokenLikelihood, values, scores.cut.tolist()), strict=True))
        return [by_pair.get(pair, TokenLikelihood(math.nan)) for pair in pairs]

    def verify(self) -> None:
        """Load the weights and compare the score of the original's example; `ScorerUnavailable` if it is another model."""
        read, written, printed = PRINTED
        ((value, _),) = self.likelihoods([(read, written)])
        if abs(value - printed) > _APART:
            raise ScorerUnavailable(
                f"The weights of {self.weights.name} do not give the score that BARTScore prints for its example; get them again."
            )

    def _load(self) -> LoadedModel:
        return generation.load(self.weights)

    @staticmethod
    def _read(logits: Supports) -> Supports:
        supports: Supports = np.exp(np.minimum(logits[:, 0], 0.0))
        return supports
