"""AlignScore: one model of alignment between texts, trained on seven tasks (Zha et al. 2023, ACL).

RoBERTa with three outputs for (context, claim): three-way (aligned, neutral, contradicting), binary, and a number. The context is
cut into chunks of about 350 words, the answer into sentences; a sentence's support is the highest over chunks, and the response's
the mean over sentences (`nli_sp` of github.com/yuh-zha/AlignScore, the default there). With the three-way output a sentence that
the context contradicts is kept apart from one that it is silent on.

Not in the paper. Departs from the original: a chunk never crosses two passages; sentences are split by this project; what is
longer than 512 tokens, where the original cuts the context, is read in overlapping windows; the number (`reg`) is kept to 0..1;
runs in bf16 where the processor has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from groundscope.methods import EVEN, About, Published
from groundscope.models.pairs.context_units import ContextUnit, TextUnit, even_chunks, units
from groundscope.models.pairs.encoders import TwoTexts
from groundscope.models.pairs.method import PairMethod
from groundscope.models.pairs.models import LoadedModel, pooled, state_of
from groundscope.models.pairs.scoring import Supports, shares_of, softmax
from groundscope.models.weights import checkpoint
from groundscope.models.weights.checkpoint import tensors_of
from groundscope.models.weights.files import WeightFiles, fingerprint
from groundscope.statistics.decision import SentenceRule
from groundscope.text.sentences import Unit
from groundscope.types import Case

Size = Literal["base", "large"]
Head = Literal["nli", "bin", "reg"]
LIMIT, WORDS = 512, 350
_COMMIT = "06cd3881dd3adb495a932c316dbafd69f5561a4e"
ALIGNED, AGAINST, SAME = 0, 2, 1
"""Outputs: aligned and contradicting of the three-way one, aligned of the binary one."""
_LAYERS: dict[Head, tuple[str, int]] = {"nli": ("tri_layer", 3), "bin": ("bin_layer", 2), "reg": ("reg_layer", 1)}


class _Model(NamedTuple):
    weights: WeightFiles
    foundation: WeightFiles


MODELS: dict[Size, _Model] = {
    "base": _Model(
        WeightFiles("yzha/AlignScore", _COMMIT, branch="base", megabytes=1_970, pickled=True, file="AlignScore-base.ckpt"),
        WeightFiles("roberta-base", "e2da8e2f811d1448a5b465c236feacd80ffbac7b", megabytes=3, tokenizer_only=True),
    ),
    "large": _Model(
        WeightFiles("yzha/AlignScore", _COMMIT, branch="large", megabytes=4_900, pickled=True, file="AlignScore-large.ckpt"),
        WeightFiles("roberta-large", "722cf37b1afa9454edce342e7895e588b6ff1d59", megabytes=3, tokenizer_only=True),
    ),
}
PLAIN = False
VARIANTS = {name: {"weights": model.weights, "foundation": model.foundation} for name, model in MODELS.items()}


@dataclass(frozen=True)
class AlignScore(PairMethod):
    """AlignScore; the other parameters are those of `PairMethod`.

    `head` is the output that is the support: `nli`, P(aligned) of three; `bin`, P(aligned) of two; `reg`, the number.
    """

    weights: WeightFiles = MODELS["base"].weights
    context_unit: ContextUnit = "chunk"
    aggregation: SentenceRule = "mean"
    foundation: WeightFiles = MODELS["base"].foundation
    head: Head = "nli"

    input = f"context first|{LIMIT} tokens|chunks of {WORDS}"

    @property
    def pair_signature(self) -> str:
        """See `PairMethod`; with the output."""
        return f"{super().pair_signature}|head={self.head}"

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users."""
        return About(
            title=f"AlignScore {self.weights.branch or 'base'}",
            measures="How well the best chunk of a source is aligned with a sentence, by a model trained on seven tasks.",
            threshold=0.5,
            threshold_source=EVEN,
            needs=f"the weights of {self.weights.name} and RoBERTa's tokenizer (3 MB)",
            licence="MIT",
            aggregation="the mean of the sentences",
            published=Published.aggrefact(70.5) if self.weights == MODELS["large"].weights else None,
        )

    @property
    def needed(self) -> tuple[WeightFiles, ...]:
        """The checkpoint, and the configuration and tokenizer that it is built on."""
        return self.weights, self.foundation

    def _units(self, case: Case, context: Sequence[Unit]) -> list[TextUnit]:
        if self.context_unit == "chunk":
            return even_chunks(case, context, WORDS)
        return units(case, context, self.context_unit, self.window)

    def _load(self) -> LoadedModel:
        folder, foundation = self.weights.folder(), self.foundation.folder()
        config = checkpoint.config(foundation, self.foundation.name)
        checkpoint.check_config(config, checkpoint.ExpectedCheckpoint(self.foundation.name, ("roberta",), labels=0))
        tensors = tensors_of(folder / self.weights.marker, self.weights.name)
        model = _network(tensors, config, self.head, self.weights.name)
        tokenizer = checkpoint.load_tokenizer(foundation, self.foundation.name, model.config.vocab_size)
        encoder = TwoTexts(tokenizer, LIMIT, context_first=True)
        read = _three if self.head == "nli" else partial(softmax, index=SAME) if self.head == "bin" else _number
        return LoadedModel(model, encoder, tokenizer.pad_token_id, fingerprint(folder), read, contradicts=self.head == "nli")


def _network(tensors: dict[str, Any], config: dict[str, Any], head: Head, name: str) -> Any:
    layer, outputs = _LAYERS[head]
    with checkpoint.readable(name):
        from transformers import RobertaConfig, RobertaModel

        network = RobertaModel(RobertaConfig.from_dict(config))
        result = network.load_state_dict(state_of(tensors, "base_model."), strict=False)
        lacking = [f"{layer}.{part}" for part in ("weight", "bias") if f"{layer}.{part}" not in tensors]
    checkpoint.check_keys(name, [*result.missing_keys, *lacking], result.unexpected_keys)
    with checkpoint.readable(name):
        if tensors[f"{layer}.weight"].shape[0] != outputs:
            raise ValueError("another number of outputs")
        return pooled(network.eval(), tensors[f"{layer}.weight"], tensors[f"{layer}.bias"])  # type: ignore[no-untyped-call]


def _three(logits: Supports) -> Supports:
    supports: Supports = shares_of(logits)[:, [ALIGNED, AGAINST]].astype(np.float32)
    return supports


def _number(logits: Supports) -> Supports:
    supports: Supports = np.clip(logits[:, 0], 0.0, 1.0)
    return supports
