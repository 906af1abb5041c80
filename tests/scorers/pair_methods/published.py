"""The paper's cross-encoders as their publishers use them, in plain torch, one pair at a time."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.methods import registry
from groundscope.models.pairs.method import PairMethod
from groundscope.types import Judgement, Status
from scorers import context_nli, factkb, hem_v1, hem_v2
from tests.scorers import tiny

Grid = NDArray[np.float64]

RESPONSE = [
    "The court of appeal dismissed the appeal in 2003.",
    "The landlord was awarded costs of 4,500 euros.",
    "The notice was served too late.",
]
CONTEXT = [
    "The court of appeal dismissed the appeal in 2003.",
    "It held that the notice was served too late.",
    "Costs of 4,500 euros were awarded to the tenant.",
    "The landlord had acted unreasonably.",
    "The tenant was awarded costs, because the landlord had acted unreasonably.",
]
PASSAGES = (" ".join(CONTEXT[:4]), CONTEXT[4])


class Published(NamedTuple):
    """How a model is used, from its model card: folders, architecture, which text goes first, and which output is support."""

    weights: str
    tokenizer: str
    architecture: str
    context_first: bool
    output: int | None
    limit: int


PUBLISHED = {
    "hem_v1": Published(hem_v1.WEIGHTS.name, hem_v1.WEIGHTS.name, "DebertaV2ForSequenceClassification", True, None, 512),
    "hem_v2": Published(hem_v2.WEIGHTS.name, hem_v2.FOUNDATION.name, "T5ForTokenClassification", True, 1, 2048),
    "factkb": Published(factkb.WEIGHTS.name, factkb.TOKENIZER.name, "RobertaForSequenceClassification", False, 1, 512),
    "context_nli": Published(
        context_nli.WEIGHTS.name, context_nli.WEIGHTS.name, "DebertaV2ForSequenceClassification", False, 0, 512
    ),
    "grounding_classifier": Published(
        "grounding-classifier", "grounding-classifier", "BertForSequenceClassification", True, None, 128
    ),
}
METHODS = tuple(PUBLISHED)
TWO_TEXTS = tuple(method for method in METHODS if method != "hem_v2")


class Reference:
    """A method's model in plain torch, one pair at a time."""

    def __init__(self, models: Path, method: str) -> None:
        import torch
        import transformers
        from safetensors.torch import load_file

        self.published = PUBLISHED[method]
        folder, tokenizer = models / self.published.weights, models / self.published.tokenizer
        architecture = getattr(transformers, self.published.architecture)
        config = architecture.config_class.from_pretrained(tokenizer if method == "hem_v2" else folder)
        if method == "hem_v2":
            config.num_labels = 2
        if (folder / "model.safetensors").is_file():
            state = {name.removeprefix("t5."): tensor for name, tensor in load_file(folder / "model.safetensors").items()}
        else:
            state = torch.load(folder / "pytorch_model.bin", weights_only=True)
        if method == "hem_v2":
            state["transformer.encoder.embed_tokens.weight"] = state["transformer.shared.weight"]
        state.pop("roberta.embeddings.position_ids", None)
        self.model = architecture(config).eval()
        self.model.load_state_dict(state, strict=True)
        self.tokenizer = tiny.tokenizer_of(tokenizer)

    def support(
        self, claim: str, context: str, *, swapped: bool = False, output: int | None = None, prompt: str = tiny.PROMPT
    ) -> float:
        """The published support of a pair; or what the other order of the texts, or another output, would give."""
        import torch

        a, b = (context, claim) if self.published.context_first != swapped else (claim, context)
        with torch.inference_mode():
            if self.published.architecture == "T5ForTokenClassification":
                place, second = prompt.index("{text1}"), prompt.index("{text2}")
                filled = prompt[:place] + a + prompt[place + 7 : second] + b + prompt[second + 7 :]
                inputs = self.tokenizer(filled, return_tensors="pt")
                hidden = self.model.transformer(input_ids=inputs["input_ids"]).last_hidden_state
                logits = self.model.classifier(hidden[0, 0])
            else:
                inputs = self.tokenizer(a, b, truncation=True, max_length=self.published.limit, return_tensors="pt")
                logits = self.model(**inputs).logits[0]
        if self.published.output is None:
            return float(torch.sigmoid(logits[0]))
        return float(torch.softmax(logits, dim=0)[self.published.output if output is None else output])

    def grid(self, claims: Sequence[str], contexts: Sequence[str], **how: Any) -> Grid:
        return np.array([[self.support(claim, context, **how) for context in contexts] for claim in claims])


def load(method: str, **parameters: Any) -> PairMethod:
    """A method as published, also for sentences that stand in the context."""
    scorer = registry.load(method, **{"precision": "fp32", "verbatim": False, **parameters})
    assert isinstance(scorer, PairMethod)
    return scorer


def matrix_of(judgement: Judgement) -> Grid:
    assert judgement.status is Status.SCORED, judgement.note
    assert judgement.matrix is not None
    return judgement.matrix.astype(np.float64)


def letters(count: int, seed: int = 0) -> list[str]:
    """Words that every tiny vocabulary has as one token each, in no order that windows could share."""
    return [str(letter) for letter in np.random.default_rng(seed).choice(["a", "c"], count)]
