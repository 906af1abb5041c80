"""FactKB: RoBERTa trained on facts of knowledge bases, on (sentence, context unit) (paper, section 5.2; Feng et al. 2023).

Softmax over two outputs; support is the second, P(factual). The sentence goes first, as in the original
(github.com/BunsenFeng/FactKB). A sentence's support is the maximum over context units, the response's the minimum over
sentences.

Departs from the paper: how sentences are joined is not stated (`aggregation`); the original cuts at 512 tokens, here a
longer context unit is read in overlapping windows; runs in bf16 where the processor has it.
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from groundscope.methods import EVEN, About
from groundscope.models.pairs.method import PairMethod
from groundscope.models.pairs.models import LoadedModel, two_texts
from groundscope.models.pairs.scoring import softmax
from groundscope.models.weights.files import WeightFiles

WEIGHTS = WeightFiles("bunsenfeng/FactKB", "d56496a37c37331ed7c76df8af9a0a510ea7b28b", megabytes=500, pickled=True)
TOKENIZER = WeightFiles("roberta-base", "e2da8e2f811d1448a5b465c236feacd80ffbac7b", megabytes=3, tokenizer_only=True)
LIMIT = 512
FACTUAL = 1


@dataclass(frozen=True)
class FactKB(PairMethod):
    """FactKB; the parameters are those of `PairMethod`."""

    weights: WeightFiles = WEIGHTS
    tokenizer: WeightFiles = TOKENIZER

    input = f"claim first|{LIMIT} tokens"

    about: ClassVar[About] = About(
        title="FactKB",
        measures="How factual a sentence is beside its best source sentence, by a model trained on knowledge bases.",
        threshold=0.5,
        threshold_source=EVEN,
        needs="the weights of FactKB (500 MB) and roberta-base's tokenizer (3 MB)",
        licence="CC BY 4.0; roberta-base: MIT",
        paper="5.2",
    )

    @property
    def needed(self) -> tuple[WeightFiles, ...]:
        """The model, and the tokenizer that it was trained with."""
        return self.weights, self.tokenizer

    def _load(self) -> LoadedModel:
        read = partial(softmax, index=FACTUAL)
        return two_texts(self.weights, LIMIT, ("roberta",), 2, read, context_first=False, tokenizer=self.tokenizer)
