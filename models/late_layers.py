"""Train a second adapter on the last layers of a judge that has one, by the packed forward that the app judges with.

Its layers before them are only run, so that two cores train in an hour what a graphics card trains in minutes. Both adapters are
one in the end: their matrices stand side by side (rank 16 and 16 are rank 32), and peft loads and merges them as it does any.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from groundscope.models.pairs import causal, packed
from groundscope.models.weights.memory import PairPrecision
from models import lora
from models.lora import PackedRow, Training

FIRST = 18
"""The first layer of thirty that is trained."""
SCALE = 2.0
"""What an adapter's product counts, of this one and of the one before: `lora_alpha` over its rank."""
_PARTS = {
    "qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "out": ("self_attn.o_proj",),
    "gate_up": ("mlp.gate_proj", "mlp.up_proj"),
    "down": ("mlp.down_proj",),
}
_WEIGHTS, _CONFIG = "adapter_model.safetensors", "adapter_config.json"
_KEY = "base_model.model.model.layers.{}.{}.lora_{}.weight"


class LateAdapter:
    """A judge whose last layers are trained; what `models.lora.train` asks of a model."""

    def __init__(self, how: Training, before: Path, first: int = FIRST, precision: PairPrecision = "bf16") -> None:
        """Merge the base and the adapter of a folder; put a new one, which changes nothing yet, on the layers from `first` on."""
        torch.manual_seed(how.seed)
        self.tokens = lora.tokenizer()
        weights = causal.merged(before, before.name, self.tokens, precision)
        dtype = weights.tensors["down"].dtype
        self._before, self._rank, self._first = before, how.rank, first
        layers = len(weights.tensors["down"]) - first
        self.model = torch.nn.ParameterDict()
        for name in _PARTS:
            _, outputs, inputs = weights.tensors[name].shape
            down = torch.empty(layers, how.rank, inputs).uniform_(-(inputs**-0.5), inputs**-0.5)
            self.model[f"{name}_A"] = torch.nn.Parameter(down.to(dtype))
            self.model[f"{name}_B"] = torch.nn.Parameter(torch.zeros(layers, outputs, how.rank, dtype=dtype))
        self._judge = packed.module(weights, self._added)

    def _added(self, x: torch.Tensor, name: str, layer: int) -> torch.Tensor | None:
        if layer < self._first:
            return None
        low = torch.nn.functional.linear(x, self.model[f"{name}_A"][layer - self._first])
        return torch.nn.functional.linear(low, SCALE * self.model[f"{name}_B"][layer - self._first])

    def logits(self, batch: Sequence[PackedRow]) -> torch.Tensor:
        """Logits (n_claims, 3) of the answers to all claims of a batch, in order."""
        asked = [torch.tensor(row.evidence + claim) for row in batch for claim in row.claims]
        # Next to those that begin alike and are as long, of which the evidence is read once.
        (order,) = (b.places for b in packed.beginning_alike([a.int().numpy() for a in asked], 10**9))
        lengths = torch.tensor([len(asked[i]) for i in order])
        ids = torch.nn.utils.rnn.pad_sequence([asked[i] for i in order], batch_first=True)
        mask = torch.arange(ids.shape[1])[None] < lengths[:, None]
        logits: torch.Tensor = self._judge(ids, mask, mask)
        return logits[torch.tensor(order).argsort()].float()

    def save(self, folder: Path) -> None:
        """Write both adapters as one, in peft's form."""
        tensors = load_file(self._before / _WEIGHTS)
        config = json.loads((self._before / _CONFIG).read_text(encoding="utf-8"))
        for name, parts in _PARTS.items():
            downs, ups = (self.model[f"{name}_{side}"].detach() for side in "AB")
            for i, (down, up) in enumerate(zip(downs, ups, strict=True), self._first):
                at = 0
                for part in parts:
                    a, b = (_KEY.format(i, part, side) for side in "AB")
                    rows = len(tensors[b])
                    tensors[a] = torch.cat([tensors[a].to(down), down])
                    tensors[b] = torch.cat([tensors[b].to(up), up[at : at + rows]], 1)
                    at += rows
        later = rf"layers\.({'|'.join(str(self._first + i) for i in range(len(downs)))})\..*"
        rank = config["r"] + self._rank
        config |= {"rank_pattern": {later: rank}, "alpha_pattern": {later: int(SCALE * rank)}}
        folder.mkdir(parents=True, exist_ok=True)
        save_file({k: t.contiguous() for k, t in tensors.items()}, folder / _WEIGHTS, metadata={"format": "pt"})
        (folder / _CONFIG).write_text(json.dumps(config, indent=1, sort_keys=True) + "\n", encoding="utf-8")
