"""Folder of weights -> `PairModel`: device, number format, and one loaded model for all threads."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundscope.training.finetuning import COUNTED_AFTER_PADDING
from scorers._pairs.encoders import Encoder, TwoTexts
from scorers._pairs.precision import PairPrecision
from scorers._pairs.scoring import Forward, PairModel, Supports, Tokens
from scorers._weights import checkpoint, memory
from scorers._weights.files import WeightFiles, fingerprint

if TYPE_CHECKING:
    import torch

BUDGET = 2048
"""Tokens of a batch on the processor, padding included (benchmarks/README.md)."""
INT8_BUDGET = 1024
"""The same of onnxruntime's integers: the inner values of a larger batch do not fit the cache of a core."""
CUDA_BUDGET = 65_536


@dataclass(frozen=True)
class LoadedModel:
    """A method's model as it came from disk.

    Attributes:
        model: a transformers model in fp32.
        first_token: the logits are those of every token, and the first one's count.
        read: converts logits (n, n_outputs) to supports (n,), or to supports and contradictions (n, 2), where that depends on
            the model's labels; None = the method's own.
    """

    model: Any
    encoder: Encoder
    pad: int
    fingerprint: str
    first_token: bool = False
    read: Callable[[Supports], Supports] | None = None
    contradicts: bool = False


def two_texts(
    weights: WeightFiles,
    limit: int,
    model_types: tuple[str, ...],
    labels: int,
    *,
    context_first: bool,
    label_names: tuple[str, ...] = (),
    tokenizer: WeightFiles | None = None,
) -> LoadedModel:
    """Load a classifier that reads both texts around its special tokens.

    Raises:
        ScorerUnavailable: the weights are missing or not the expected ones.
    """
    folder, beside = weights.folder(), tokenizer or weights
    expected = checkpoint.ExpectedCheckpoint(weights.name, model_types, labels, weights.pickled, label_names)
    model = checkpoint.load_classifier(folder, expected)
    text_tokenizer = checkpoint.load_tokenizer(beside.folder(), beside.name, model.config.vocab_size)
    return LoadedModel(
        model, TwoTexts(text_tokenizer, limit, context_first=context_first), text_tokenizer.pad_token_id, fingerprint(folder)
    )


def readable_length(model: Any, tokenizer: Any, most: int) -> int:
    """Tokens that a model reads with its special ones: its positions or what its tokenizer states, at most `most`.

    A model with relative positions may state 512 and read more, which is not tried: it was not trained on it.
    """
    positions = int(getattr(model.config, "max_position_embeddings", most) or most)
    if model.config.model_type in COUNTED_AFTER_PADDING:
        positions -= tokenizer.pad_token_id + 1
    return min(most, positions, int(tokenizer.model_max_length))


def load(
    signature: str,
    name: str,
    precision: PairPrecision,
    build: Callable[[], LoadedModel],
    read: Callable[[Supports], Supports],
) -> PairModel:
    """Load a model, or give the loaded one.

    Args:
        signature: everything its supports depend on besides the texts; also its key in the cache.
        name: name of the weights, for messages.
        precision: the number format.
        build: loads the weights.
        read: converts logits (n, n_outputs) to supports (n,), where the model brings no conversion of its own.

    Returns:
        The model, on a CUDA device if there is one and the precision is not `int8`; one object for all callers.

    Raises:
        ScorerUnavailable: the weights are missing or not the expected ones, or int8 is not possible here.
    """

    def build_model() -> tuple[PairModel, int]:
        parts = build()
        size = memory.size_of(parts.model)
        forward, budget = _forward(parts, name, precision)
        model = PairModel(
            forward,
            parts.read or read,
            parts.encoder,
            name=name,
            pad=parts.pad,
            budget=budget,
            signature=signature,
            contradicts=parts.contradicts,
        )
        return model, size

    return memory.held(signature, build_model)


def _forward(parts: LoadedModel, name: str, precision: PairPrecision) -> tuple[Forward, int]:
    import torch

    logits = _logits(parts)
    if precision == "int8":
        from scorers._pairs.int8 import quantised

        return quantised(logits, name, parts.fingerprint), INT8_BUDGET
    device = memory.device()
    computing = memory.placed(logits, bf16=precision == "bf16")

    def forward(ids: Tokens, mask: Tokens, types: Tokens) -> Supports:
        with torch.inference_mode(), computing():
            out = logits(*(torch.from_numpy(a).to(device) for a in (ids, mask, types)))
        values: Supports = out.float().cpu().numpy()
        return values

    return forward, CUDA_BUDGET if device == "cuda" else BUDGET


def _logits(parts: LoadedModel) -> "torch.nn.Module":
    """The model as a function of ids, mask and types alone, as the exporter needs it."""
    import torch

    with_types = (getattr(parts.model.config, "type_vocab_size", 0) or 0) > 1

    class Logits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = parts.model

        def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
            segments = {"token_type_ids": types} if with_types else {}
            values: torch.Tensor = self.model(input_ids=ids, attention_mask=mask, **segments).logits
            return values[:, 0] if parts.first_token else values

    return Logits().eval()
