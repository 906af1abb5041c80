"""Entailment by any classifier of the field: how far the sources entail a sentence, and whether they say otherwise.

A sequence classifier reads evidence as premise and the sentence as hypothesis; its labels (`id2label`) say which output is
entailment and which contradiction, in whatever order. A sentence's support is P(entailment), or 1 - P(contradiction), or the mean
of both. The evidence are the context sentences nearest to the sentence, joined; or each context sentence or chunk by itself, of
which the best counts. The response's support is the minimum over sentences. Where the model has a label for contradiction, a
sentence that the sources contradict is kept apart from one that they are silent on.

Not in the paper. As in Laban et al. 2022 (SummaC, zero-shot), which takes single sentences and the highest entailment.
What is longer than the model reads is read in overlapping windows; runs in bf16 where the processor has it.
"""

from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from groundscope.errors import ScorerUnavailable
from groundscope.methods import EVEN, About
from groundscope.models.pairs.context_units import ContextUnit
from groundscope.models.pairs.method import PairMethod
from groundscope.models.pairs.models import LoadedModel, two_texts
from groundscope.models.pairs.scoring import Supports, shares_of
from groundscope.models.weights import checkpoint, entailment
from groundscope.models.weights.files import WeightFiles

LONGEST = 2_048
"""Tokens that are read at once, at most, also by models that could read more: they were trained on far less."""
KINDS = ("bert", "deberta", "deberta-v2", "roberta", "xlm-roberta", "electra", "mpnet", "distilbert", "albert", "modernbert")
UNCHOSEN = WeightFiles("entailment-model", "folder")
_BASE = WeightFiles("cross-encoder/nli-deberta-v3-base", "6c749ce3425cd33b46d187e45b92bbf96ee12ec7", megabytes=740)
_LARGE = WeightFiles(
    "MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli", "b3546ea6b0346eb6f8d5d68b13c7dc6d0376b3d7", megabytes=870
)
_MODERN = WeightFiles("tasksource/ModernBERT-large-nli", "0901781aad856971b8c6861fc222eebec9d1eca5", megabytes=1_580)
PUBLISHED = {
    "deberta-base": (_BASE, "DeBERTa-v3-base", "Apache-2.0"),
    "deberta-large-fever-anli-wanli": (_LARGE, "DeBERTa-v3-large", "MIT"),
    "modernbert": (_MODERN, "ModernBERT-large", "Apache-2.0"),
}
"""Models that are ready as named parts: weights, title, licence."""
PLAIN = False
VARIANTS = {name: {"weights": weights} for name, (weights, *_) in PUBLISHED.items()}

SupportRule = Literal["entailment", "not_contradiction", "both"]


def variants() -> dict[str, dict[str, Any]]:
    """Parameters of `Nli` by the name of each model that the user added."""
    return {name: {"checkpoint": line} for name, line in entailment.added().items()}


def add(line: str, name: str) -> str:
    """Save a model of the user's, and give the name under which it is listed; `ScorerUnavailable` if it is none of entailment."""
    weights = entailment.weights_of(line)
    name = name or entailment.name_for(line)
    if name in PUBLISHED:
        raise ValueError(f"{name} is the name of a model that comes with the app; choose another name")
    if weights.revision == "folder":
        # A hub model is checked when its weights have come.
        Nli(weights=weights).meaning()
    entailment.add(name, line)
    return name


def remove(name: str) -> None:
    """Take a model that was added off the list; `ScorerUnavailable` if that cannot be saved."""
    entailment.remove(name)


@dataclass(frozen=True)
class Nli(PairMethod):
    """An entailment classifier; the other parameters are those of `PairMethod`.

    Attributes:
        checkpoint: a hub id, with `@revision` unless it is main, or a folder; empty = `weights`.
        label: the label that means entailment, where its name does not say so.
        supported_by: `entailment`; `not_contradiction`, 1 - P(contradiction); or `both`, the mean of the two.
    """

    weights: WeightFiles = UNCHOSEN
    context_unit: ContextUnit = "nearest"
    checkpoint: str = ""
    label: str = ""
    supported_by: SupportRule = "entailment"

    examples = MappingProxyType({"checkpoint": "cross-encoder/nli-deberta-v3-base", "label": "entailment"})
    input = f"premise first|at most {LONGEST} tokens"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.checkpoint:
            object.__setattr__(self, "weights", entailment.weights_of(self.checkpoint))

    @property
    def pair_signature(self) -> str:
        """See `PairMethod`; with the labels and the rule of support."""
        return f"{super().pair_signature}|label={self.label or 'found'}|supported_by={self.supported_by}"

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users."""
        _, title, licence = next((row for row in PUBLISHED.values() if row[0] == self.weights), (None, self.weights.model, ""))
        return About(
            title=f"NLI {title}",
            measures="Whether the nearest source sentences entail a sentence, by a model of natural language inference; it "
            "distinguishes “the source says otherwise” from “the source does not say”.",
            threshold=0.5,
            threshold_source=EVEN,
            needs=f"the weights of {self.weights.name}",
            licence=licence or "that of the model: see its card",
        )

    def unavailable(self) -> str:
        """Why this method cannot run here and what to do; empty if it can."""
        if self.weights == UNCHOSEN and not UNCHOSEN.somewhere():
            return f"Set the parameter checkpoint to the id of an entailment model, or take nli:{next(iter(PUBLISHED))}."
        return super().unavailable()

    def _load(self) -> LoadedModel:
        means = self.meaning()
        labels = len(checkpoint.config(self.weights.folder(), self.weights.name)["id2label"])
        read = partial(_values, means=means, rule=self.supported_by)
        loaded = two_texts(self.weights, LONGEST, KINDS, labels, read, context_first=True, reads_less=True)
        return replace(loaded, contradicts=means.contradiction is not None)

    def meaning(self) -> entailment.OutputLabels:
        """Which output of the model is entailment, and which contradiction; `ScorerUnavailable` if it is no entailment model."""
        name = self.weights.name
        config = checkpoint.config(self.weights.folder(), name)
        kinds = [str(a) for a in config.get("architectures") or ()]
        if config.get("model_type") not in KINDS or any(a.endswith(("ForCausalLM", "ForConditionalGeneration")) for a in kinds):
            raise ScorerUnavailable(f"{name} is no classifier of text pairs that this method reads; choose an entailment model.")
        means = entailment.meaning(config, name, self.label)
        if means.contradiction is None and self.supported_by != "entailment":
            raise ScorerUnavailable(
                f"{name} has no label that means contradiction, so set supported_by to entailment for this model."
            )
        return means


def _values(logits: Supports, means: entailment.OutputLabels, rule: SupportRule) -> Supports:
    """Supports and, where the model has the label, contradictions: (n, 1 or 2)."""
    shares = shares_of(logits)
    entailed = shares[:, means.entailment]
    if means.contradiction is None:
        return entailed[:, None].astype(np.float32)
    against = shares[:, means.contradiction]
    supports = {"entailment": entailed, "not_contradiction": 1.0 - against, "both": (entailed + 1.0 - against) / 2}
    return np.column_stack([supports[rule], against]).astype(np.float32)
