"""A classifier in int8: exported to ONNX, its matrices quantised, run by onnxruntime.

Weights become 8-bit integers ahead of time, activations while it runs (dynamic quantisation). The quantised file is made once
and kept in the data folder under the fingerprint of the weights it was made from.
"""

import logging
import os
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from groundscope.errors import ScorerUnavailable
from groundscope.paths import data_folder
from scorers._pairs.scoring import Forward, Supports, Tokens

if TYPE_CHECKING:
    import torch

_INPUTS = ("ids", "mask", "types")
_LAYOUT = 2
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
        raise ScorerUnavailable("int8 needs onnxruntime and onnx; run `make app` again, or install them with pip.") from None
    except Exception as error:  # exporters and runtimes fail in many ways of their own
        path.unlink(missing_ok=True)
        raise ScorerUnavailable(f"{name} cannot be made into int8 ({type(error).__name__}); choose bf16 or fp32.") from error
    wanted = [i.name for i in session.get_inputs()]

    def forward(ids: Tokens, mask: Tokens, types: Tokens) -> Supports:
        given = dict(zip(_INPUTS, (ids, mask, types), strict=True))
        logits: Supports = session.run(None, {n: given[n] for n in wanted})[0].astype(np.float32)
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
        quantize_dynamic(str(plain), str(small), weight_type=QuantType.QInt8, per_channel=True)
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
