"""A Llama that answers after its last token, over sequences packed without padding, and its weights in a file of their own.

The token rows of all sequences of a batch go through each matrix together, those of a beginning that a sequence shares with the
one before only once. Attention alone looks at one sequence at a time.

A sequence's numbers do not depend on those beside it, to the bit: rows of a product do not (in fp32 from ten rows on), and
attention works on lengths that are rounded up, of which only equal ones share anything.
"""

import json
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from groundscope.models.batches import PaddedBatch, grouped
from groundscope.models.pairs.encoders import Ids

if TYPE_CHECKING:
    import torch

LAYOUT = 1
"""Raised when the tensors change: a file of an older layout is not read."""
_UNUSED = 30 * 86_400
"""Seconds after which a file that no start has read goes, when another one is written."""
_BLOCK = 64
"""What lengths are rounded up to for attention."""
_ROWS = 16


class LlamaShape(NamedTuple):
    """What the weights do not say by themselves; `groups` is the number of key and value heads."""

    heads: int
    groups: int
    width: int
    epsilon: float
    theta: float


class LlamaWeights(NamedTuple):
    """The tensors by name, those of all layers stacked."""

    tensors: Mapping[str, "torch.Tensor"]
    shape: LlamaShape


def weights_of(
    named: "Mapping[str, torch.Tensor]", shape: LlamaShape, answers: Sequence[int], dtype: "torch.dtype"
) -> LlamaWeights:
    """The weights of a Llama that answers by its tokens' vectors, in a format; only the outputs of the ids `answers` are kept."""
    import torch

    layers = range(sum(name.endswith("input_layernorm.weight") for name in named))

    def stacked(*names: str) -> torch.Tensor:
        parts = ([named[f"model.layers.{i}.{n}.weight"].to(dtype) for n in names] for i in layers)
        return torch.stack([torch.cat(part) for part in parts])

    tokens = named["model.embed_tokens.weight"].to(dtype).contiguous()
    tensors = {
        "tokens": tokens,
        "answers": tokens[list(answers)],
        "norm": named["model.norm.weight"].to(dtype),
        "attention_norm": stacked("input_layernorm"),
        "qkv": stacked("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
        "out": stacked("self_attn.o_proj"),
        "mlp_norm": stacked("post_attention_layernorm"),
        "gate_up": stacked("mlp.gate_proj", "mlp.up_proj"),
        "down": stacked("mlp.down_proj"),
    }
    return LlamaWeights(tensors, shape)


def store(path: Path, weights: LlamaWeights) -> bool:
    """Write weights as a whole, so that no reader sees half of them; False where the disk does not take them."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    stated = {"shape": json.dumps(weights.shape), "checksum": _checksum(weights.tensors)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_file(dict(weights.tensors), new, metadata=stated)
        with new.open("rb+") as file:
            os.fsync(file.fileno())
        new.replace(path)
    except (OSError, SafetensorError):
        with suppress(OSError):
            new.unlink(missing_ok=True)
        return False
    for other in path.parent.iterdir():
        with suppress(OSError):
            if other.stat().st_mtime < time.time() - _UNUSED:
                other.unlink()
    return True


def stored(path: Path) -> LlamaWeights | None:
    """The weights that `store` wrote, mapped into memory where the system can; None if there are none or they are damaged."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None
    try:
        with safe_open(path, "pt") as file:
            stated, tensors = file.metadata() or {}, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        weights = LlamaWeights(tensors, LlamaShape(*json.loads(stated["shape"])))
        if _checksum(tensors) != stated["checksum"]:
            return None
    except (OSError, SafetensorError, LookupError, TypeError, ValueError):
        return None
    with suppress(OSError):
        os.utime(path)
    return weights


def _checksum(tensors: Mapping[str, "torch.Tensor"]) -> str:
    import torch

    value = 0
    for name in sorted(tensors):
        value = zlib.crc32(tensors[name].flatten().view(torch.uint8).numpy().data, value)
    return f"{value:08x}"


class Packing(NamedTuple):
    """Where the tokens of sequences lie: (n_rows,) ids, shared ones once, and their places in their sequences.

    For each sequence `paths` has the row of each token, and `shared` how many rows at its start are those of the one before.
    """

    ids: list[int]
    positions: list[int]
    paths: list[list[int]]
    shared: list[int]


def packing(sequences: Sequence[Sequence[int]]) -> Packing:
    """Pack sequences; each shares the tokens in which it begins like the one before."""
    rows = Packing([], [], [], [])
    before: Sequence[int] = ()
    for sequence in sequences:
        common = 0
        # At another length the last bits of attention may be others.
        if _padded(len(sequence)) == _padded(len(before)):
            both = zip(sequence, before, strict=False)
            common = next((i for i, (a, b) in enumerate(both) if a != b), min(len(sequence), len(before)))
        new = range(len(rows.ids), len(rows.ids) + len(sequence) - common)
        rows.paths.append([*(rows.paths[-1][:common] if common else ()), *new])
        rows.ids.extend(sequence[common:])
        rows.positions.extend(range(common, len(sequence)))
        rows.shared.append(common)
        before = sequence
    return rows


def _padded(length: int) -> int:
    return -(-length // _BLOCK) * _BLOCK


def beginning_alike(texts: Sequence[Ids], budget: int) -> Iterator[PaddedBatch]:
    """Batch texts so that those that may share their beginning are neighbours; the budget counts no padding."""
    places = sorted(range(len(texts)), key=lambda i: (-_padded(len(texts[i])), texts[i].tolist()))
    for batch in grouped(places, lambda i: len(texts[i]), budget):
        yield PaddedBatch(batch, max(len(texts[i]) for i in batch))


def module(weights: LlamaWeights, added: "Callable[[torch.Tensor, str, int], torch.Tensor | None] | None" = None) -> Any:
    """A torch module that takes ids, mask and types (n, longest), padded at the end, and gives logits (n, n_answers).

    `added` gives what a training adds to a product of rows, from the rows, the matrix's name and its layer.
    """
    import torch
    from torch.nn.functional import linear, rms_norm, silu

    heads, groups, width, epsilon, theta = weights.shape
    layers, _, inner = weights.tensors["down"].shape

    class Packed(torch.nn.Module):
        tokens: torch.Tensor
        answers: torch.Tensor
        norm: torch.Tensor
        attention_norm: torch.Tensor
        qkv: torch.Tensor
        out: torch.Tensor
        mlp_norm: torch.Tensor
        gate_up: torch.Tensor
        down: torch.Tensor

        def __init__(self) -> None:
            super().__init__()
            for name, tensor in weights.tensors.items():
                self.register_buffer(name, tensor)

        def forward(self, ids: torch.Tensor, mask: torch.Tensor, _types: torch.Tensor) -> torch.Tensor:
            rows = packing([row[:n] for row, n in zip(ids.tolist(), mask.sum(1).tolist(), strict=True)])

            def at(places: Sequence[int]) -> torch.Tensor:
                return torch.tensor(places, device=ids.device)

            paths = [at([*p, *[p[-1]] * (_padded(len(p)) - len(p))]) for p in rows.paths]
            ends = [path[-1] for path in rows.paths]
            last = at([*ends, *ends[:1] * (-len(ends) % _ROWS)])
            cosines, sines = self._turns(at(rows.positions))
            hidden = self.tokens[at(rows.ids)]
            later = {n: self._later(n, hidden) for n in {len(path) for path in paths}}
            for i in range(layers):
                x = self.product(self._normed(hidden, self.attention_norm[i]), "qkv", i).view(len(hidden), -1, width)
                qk, v = x[:, : heads + groups], x[:, heads + groups :]
                qk = qk * cosines + qk.roll(width // 2, -1) * sines
                seen = self._attention(qk[:, :heads], qk[:, heads:], v, paths, rows, later)
                if i == layers - 1:
                    hidden, seen = hidden[last], seen[last]
                hidden = hidden + self.product(seen, "out", i)
                x = self.product(self._normed(hidden, self.mlp_norm[i]), "gate_up", i)
                hidden = hidden + self.product(silu(x[:, :inner]) * x[:, inner:], "down", i)
            return linear(self._normed(hidden, self.norm), self.answers)[: len(ends)]

        def product(self, x: torch.Tensor, name: str, layer: int) -> torch.Tensor:
            """Rows times a matrix of a layer; a training adds to it."""
            plain = linear(x, getattr(self, name)[layer])
            more = added(x, name, layer) if added else None
            return plain if more is None else plain + more

        def _normed(self, hidden: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            return rms_norm(hidden, weight.shape, weight, epsilon)

        def _turns(self, positions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            speeds = theta ** -(torch.arange(0, width, 2, device=positions.device).float() / width)
            angles = torch.outer(positions.float(), speeds)
            sines = angles.sin()
            both = angles.cos().repeat(1, 2), torch.cat([-sines, sines], 1)
            return both[0][:, None].to(self.tokens.dtype), both[1][:, None].to(self.tokens.dtype)

        def _later(self, length: int, like: torch.Tensor) -> torch.Tensor:
            """Added to what a token makes of those after it, those that fill up its sequence among them."""
            out_of_sight = torch.full((length, length), float("-inf"), dtype=like.dtype, device=like.device)
            return out_of_sight.triu(1).repeat(heads // groups, 1)

        def _attention(
            self,
            q: torch.Tensor,
            k: torch.Tensor,
            v: torch.Tensor,
            paths: Sequence[torch.Tensor],
            rows: Packing,
            later: Mapping[int, torch.Tensor],
        ) -> torch.Tensor:
            lengths, seen, places = [len(path) for path in paths], [], torch.cat(list(paths))
            of_each = zip(*(t.index_select(0, places).split_with_sizes(lengths) for t in (q, k, v)), strict=True)
            for qkv, whole, shared in zip(of_each, rows.paths, rows.shared, strict=True):
                if shared < len(whole):
                    # Quicker by half than torch's own attention on the processor.
                    q1, k1, v1 = (t.transpose(0, 1) for t in qkv)
                    asked = q1.reshape(groups, -1, width)
                    shares = torch.baddbmm(later[len(k1[0])], asked, k1.transpose(1, 2), alpha=width**-0.5).softmax(-1)
                    out = (shares @ v1).view(heads, -1, width)
                    seen.append(out[:, shared : len(whole)].transpose(0, 1))
            return torch.cat(seen).flatten(1)

    return Packed().eval()
