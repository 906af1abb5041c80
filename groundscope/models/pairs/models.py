"""Folder of weights -> `PairModel`: outputs, device, number format (int8 by onnxruntime), one loaded model for all threads.

In int8, weights become 8-bit integers ahead of time, activations while it runs (dynamic quantisation). The quantised file is made
once and stored in the data folder under the fingerprint of the weights it was made from.
"""

import logging
import os
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from groundscope.errors import ScorerUnavailable
from groundscope.models.pairs.encoders import Encoder, TwoTexts
from groundscope.models.pairs.scoring import Forward, PairModel, Supports, Tokens
from groundscope.models.weights import checkpoint, memory
from groundscope.models.weights.files import WeightFiles, fingerprint
from groundscope.models.weights.memory import PairPrecision
from groundscope.paths import data_folder

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
        model: a transformers model in fp32, unless it `packs`.
        first_token: the logits are those of every token, and the first one's count.
        packs: the model takes ids, mask and types, spends nothing on padding and shares what its inputs begin with
            (`groundscope.models.pairs.packed`); its weights have the number format already.
        read: converts logits (n, n_outputs) to supports (n,) in 0..1, or to supports and contradictions (n, 2).
    """

    model: Any
    encoder: Encoder
    pad: int
    fingerprint: str
    read: Callable[[Supports], Supports]
    first_token: bool = False
    contradicts: bool = False
    packs: bool = False


def two_texts(
    weights: WeightFiles,
    limit: int,
    model_types: tuple[str, ...],
    labels: int,
    read: Callable[[Supports], Supports],
    *,
    context_first: bool,
    label_names: tuple[str, ...] = (),
    tokenizer: WeightFiles | None = None,
    reads_less: bool = False,
) -> LoadedModel:
    """Load a classifier that reads both texts around its special tokens, and perhaps fewer tokens than the limit."""
    folder, beside = weights.folder(), tokenizer or weights
    expected = checkpoint.ExpectedCheckpoint(weights.name, model_types, labels, weights.pickled, label_names)
    model = checkpoint.load_classifier(folder, expected)
    text_tokenizer = checkpoint.load_tokenizer(beside.folder(), beside.name, model.config.vocab_size)
    length = readable_length(model, text_tokenizer, limit) if reads_less else limit
    encoder = TwoTexts(text_tokenizer, length, context_first=context_first)
    return LoadedModel(model, encoder, text_tokenizer.pad_token_id, fingerprint(folder), read)


def readable_length(model: Any, tokenizer: Any, most: int) -> int:
    """Tokens that a model reads with its special ones: its positions or what its tokenizer states, at most `most`.

    A model with relative positions may state 512 and read more, which is not tried: it was not trained on it.
    """
    positions = int(getattr(model.config, "max_position_embeddings", most) or most)
    if model.config.model_type in checkpoint.COUNTED_AFTER_PADDING:
        positions -= tokenizer.pad_token_id + 1
    return min(most, positions, int(tokenizer.model_max_length))


def load(signature: str, name: str, precision: PairPrecision, build: Callable[[], LoadedModel]) -> PairModel:
    """Load a model, or give the loaded one, which all callers share; on a CUDA device if there is one, unless `int8`.

    The signature, its key, says everything its supports depend on besides the texts.
    """

    def build_model() -> tuple[PairModel, int]:
        parts = build()
        size = memory.size_of(parts.model)
        forward, budget = _forward(parts, name, precision)
        model = PairModel(
            forward,
            parts.read,
            parts.encoder,
            name=name,
            pad=parts.pad,
            budget=budget,
            signature=signature,
            contradicts=parts.contradicts,
            packs=parts.packs,
        )
        return model, size

    return memory.held(signature, build_model)


def _forward(parts: LoadedModel, name: str, precision: PairPrecision) -> tuple[Forward, int]:
    import torch

    logits = parts.model if parts.packs else _logits(parts)
    if precision == "int8":
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


_INPUTS = ("ids", "mask", "types")
_LAYOUT = 3
"""Raised when the export changes: a file of an older one is not read."""
_SLOWER = ["SkipLayerNormFusion"]
"""Rewrites of onnxruntime that lose here: the fused operator runs on one core."""


def quantised(model: "torch.nn.Module", name: str, fingerprint: str) -> Forward:
    """Quantise a model that takes ids, mask and types, each (n, longest), and returns logits (n, n_outputs)."""
    path = file_of(fingerprint)
    try:
        import onnxruntime

        if not path.is_file():
            _make(model, path)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        # Threads that spin while they wait would starve the pages where cores are few.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.intra_op_num_threads = os.cpu_count() or 1
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"], disabled_optimizers=_SLOWER
        )
    except ImportError:
        raise ScorerUnavailable("int8 needs the packages onnxruntime and onnx; run `make app` again to install them.") from None
    except Exception as error:  # exporters and runtimes fail in many ways of their own
        path.unlink(missing_ok=True)
        raise ScorerUnavailable(f"{name} cannot be made into int8 ({type(error).__name__}); choose bf16 or fp32.") from error
    inputs = [i.name for i in session.get_inputs()]

    def forward(ids: Tokens, mask: Tokens, types: Tokens) -> Supports:
        arrays = dict(zip(_INPUTS, (ids, mask, types), strict=True))
        logits: Supports = session.run(None, {n: arrays[n] for n in inputs})[0].astype(np.float32)
        return logits

    return forward


def file_of(fingerprint: str) -> Path:
    """Where the quantised form of the weights with this fingerprint is kept."""
    return data_folder() / "int8" / f"{fingerprint}.{_LAYOUT}.onnx"


def _make(model: "torch.nn.Module", path: Path) -> None:
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from transformers import PreTrainedModel

    path.parent.mkdir(parents=True, exist_ok=True)
    example = tuple(torch.ones((2, 16), dtype=torch.long) for _ in _INPUTS)
    rows, columns = torch.export.Dim("rows", min=1), torch.export.Dim("columns", min=2)
    shapes = tuple({0: rows, 1: columns} for _ in _INPUTS)
    for part in model.modules():
        if isinstance(part, PreTrainedModel):
            # The exporter spells the fused attention out with guards against rows that see nothing, a tenth of the time.
            part.set_attn_implementation("eager")
    for log in ("torch.onnx", "onnxscript", "onnx_ir"):
        logging.getLogger(log).setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder, warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        plain, small = Path(folder) / "plain.onnx", Path(folder) / "int8.onnx"
        torch.onnx.export(
            model, example, str(plain), dynamo=True, dynamic_shapes=shapes, input_names=list(_INPUTS), verbose=False
        )
        _forget_shapes(plain)
        # Weights of 7 bits: with 8, sums overflow on processors without VNNI, and supports are off by a third.
        quantize_dynamic(str(plain), str(small), weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
        small.replace(path)
    for old in path.parent.glob(f"{path.name.partition('.')[0]}*.onnx"):
        if old != path:
            # What an older version of the app made of the same weights.
            old.unlink(missing_ok=True)


def _forget_shapes(path: Path) -> None:
    """Drop the shapes that the exporter notes for inner values: some contradict what the quantiser infers, and it stops."""
    import onnx

    model = onnx.load(str(path), load_external_data=False)
    del model.graph.value_info[:]
    onnx.save(model, str(path))


def first_answer(model: Any, tokens: Sequence[int]) -> "torch.nn.Module":
    """Make the first of k tokens that an encoder-decoder would write a classifier, with logits (n, k)."""
    import torch
    from transformers.modeling_outputs import SequenceClassifierOutput

    class FirstAnswer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model, self.config = model, model.config
            self.register_buffer("tokens", torch.tensor(list(tokens)), persistent=False)

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> SequenceClassifierOutput:
            start = torch.full_like(input_ids[:, :1], self.config.decoder_start_token_id or 0)
            texts = {"input_ids": input_ids, "attention_mask": attention_mask}
            logits = self.model(**texts, decoder_input_ids=start, use_cache=False).logits
            return SequenceClassifierOutput(logits=logits[:, 0, self.tokens])

    return FirstAnswer().eval()


def pooled(network: Any, weight: "torch.Tensor", bias: "torch.Tensor") -> "torch.nn.Module":
    """Put one linear layer, weight (k, hidden) and bias (k,), on the pooled output of an encoder; its logits are (n, k)."""
    import torch
    from transformers.modeling_outputs import SequenceClassifierOutput

    class Pooled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network, self.config = network, network.config
            self.layer = torch.nn.Linear(weight.shape[1], weight.shape[0])
            self.layer.load_state_dict({"weight": weight, "bias": bias})

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> SequenceClassifierOutput:
            output = self.network(input_ids=input_ids, attention_mask=attention_mask)
            return SequenceClassifierOutput(logits=self.layer(output.pooler_output))

    return Pooled().eval()


def state_of(tensors: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The tensors under a prefix, without it."""
    return {key.removeprefix(prefix): value for key, value in tensors.items() if key.startswith(prefix)}
