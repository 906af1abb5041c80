"""A Llama that answers after its last token, over sequences packed without padding.

The token rows of all sequences of a batch go through each matrix together, tokens that a sequence has in common with the start of
the one before it only once. Attention alone looks at one sequence at a time.

A sequence's numbers do not depend on those beside it, to the bit: rows of a product do not (of ten rows and more, in fp32), and
attention takes blocks of the same size for every sequence, whose length is rounded up for that.
"""

import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import torch

_BLOCK, _LEAST, _LONG = 64, 192, 768
"""From the second length on, torch's attention on the processor takes 64 queries at a time, from the third on 256."""
_ROWS = 16


class Shape(NamedTuple):
    """What the weights do not say by themselves."""

    heads: int
    groups: int
    width: int
    epsilon: float
    theta: float


def shape_of(config: Any) -> Shape:
    """The shape in a transformers configuration."""
    heads = config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // heads
    return Shape(heads, config.num_key_value_heads, width, config.rms_norm_eps, config.rope_parameters["rope_theta"])


def tensors_of(model: Any, answers: Sequence[int], dtype: "torch.dtype") -> dict[str, "torch.Tensor"]:
    """The weights of a transformers Llama as `packed` takes them, those of all layers stacked; `answers` are token ids."""
    import torch

    layers = model.model.layers

    def stacked(*names: str) -> torch.Tensor:
        return torch.stack([torch.cat([layer.get_parameter(f"{n}.weight").detach().to(dtype) for n in names]) for layer in layers])

    words = model.get_input_embeddings().weight.detach().to(dtype)
    return {
        "words": words.contiguous(),
        "answers": model.get_output_embeddings().weight.detach()[list(answers)].to(dtype),
        "norm": model.model.norm.weight.detach().to(dtype),
        "norm1": stacked("input_layernorm"),
        "norm2": stacked("post_attention_layernorm"),
        "qkv": stacked("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
        "out": stacked("self_attn.o_proj"),
        "gate_up": stacked("mlp.gate_proj", "mlp.up_proj"),
        "down": stacked("mlp.down_proj"),
    }


def checksum(tensors: Mapping[str, "torch.Tensor"]) -> str:
    """A checksum of all numbers."""
    import torch

    value = 0
    for name in sorted(tensors):
        value = zlib.crc32(tensors[name].flatten().view(torch.uint8).numpy(), value)
    return f"{value:08x}"


class _Packing(NamedTuple):
    """Where the tokens of sequences lie.

    Attributes:
        ids: (n_rows,) token ids without those that are shared.
        positions: (n_rows,) their places in their sequences.
        paths: of each sequence the row of each token.
        new: of each sequence how many tokens at its start are rows of the sequence before.
    """

    ids: list[int]
    positions: list[int]
    paths: list[list[int]]
    shared: list[int]


def packing(sequences: Sequence[Sequence[int]]) -> _Packing:
    """Pack sequences; each shares the tokens that it has in common with the start of the one before."""
    ids: list[int] = []
    positions: list[int] = []
    paths: list[list[int]] = []
    shared: list[int] = []
    before: Sequence[int] = ()
    for sequence in sequences:
        common = 0
        if _padded(len(sequence)) < _LONG and _padded(len(before)) < _LONG:
            common = next((i for i, (a, b) in enumerate(zip(sequence, before, strict=False)) if a != b), min(len(sequence), len(before)))
        start = len(ids)
        ids += sequence[common:]
        positions += range(common, len(sequence))
        paths.append([*(paths[-1][:common] if paths else ()), *range(start, len(ids))])
        shared.append(common)
        before = sequence
    return _Packing(ids, positions, paths, shared)


def _padded(length: int) -> int:
    return max(_LEAST, -(-length // _BLOCK) * _BLOCK)


def packed(tensors: Mapping[str, "torch.Tensor"], shape: Shape) -> "torch.nn.Module":
    """A module that takes ids, mask and types (n, longest), padded at the end; logits (n, n_answers)."""
    import torch
    from torch.nn.functional import linear, rms_norm, scaled_dot_product_attention, silu

    heads, groups, width, epsilon, _ = shape
    inner = tensors["down"].shape[-1]
    layers = len(tensors["down"])

    class Packed(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for name, tensor in tensors.items():
                self.register_buffer(name, tensor)

        def forward(self, ids: torch.Tensor, mask: torch.Tensor, _types: torch.Tensor) -> torch.Tensor:
            rows = packing([row[:n] for row, n in zip(ids.tolist(), mask.sum(1).tolist(), strict=True)])
            device = ids.device
            turn, shift = (t.to(self.words.dtype) for t in self._angles(torch.tensor(rows.positions, device=device)))
            paths = [torch.tensor([*p, *[p[-1]] * (_padded(len(p)) - len(p))], device=device) for p in rows.paths]
            ends = [path[-1] for path in rows.paths]
            last = torch.tensor([*ends, *[ends[0]] * (-len(ends) % _ROWS)], device=device)
            hidden = self.words[torch.tensor(rows.ids, device=device)]
            for i in range(layers):
                x = linear(rms_norm(hidden, hidden.shape[1:], self.norm1[i], epsilon), self.qkv[i]).view(len(hidden), -1, width)
                turned = x[:, : heads + groups]
                turned = turned * turn + turned.roll(width // 2, -1) * shift
                seen = self._attention(turned[:, :heads], turned[:, heads:], x[:, heads + groups :], paths, rows)
                if i == layers - 1:
                    hidden, seen = hidden[last], seen[last]
                hidden = hidden + linear(seen, self.out[i])
                x = linear(rms_norm(hidden, hidden.shape[1:], self.norm2[i], epsilon), self.gate_up[i])
                hidden = hidden + linear(silu(x[:, :inner]) * x[:, inner:], self.down[i])
            return linear(rms_norm(hidden, hidden.shape[1:], self.norm, epsilon), self.answers)[: len(ends)]

        def _angles(self, positions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            speed = shape.theta ** -(torch.arange(0, width, 2, device=positions.device).float() / width)
            angles = torch.outer(positions.float(), speed)
            sines = angles.sin()
            return angles.cos().repeat(1, 2)[:, None], torch.cat([-sines, sines], 1)[:, None]

        def _attention(
            self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, paths: Sequence[torch.Tensor], rows: _Packing
        ) -> torch.Tensor:
            seen = []
            for path, whole, common in zip(paths, rows.paths, rows.shared, strict=True):
                if common == len(whole):
                    continue
                some = (t[path].transpose(0, 1)[None] for t in (q, k, v))
                # What follows a sequence's end is not looked at from before it.
                out = scaled_dot_product_attention(*some, is_causal=True, enable_gqa=True)[0, :, common : len(whole)]
                seen.append(out.transpose(0, 1))
            return torch.cat(seen).flatten(1)

    return Packed().eval()
