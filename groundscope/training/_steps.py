"""The steps of a fine-tuning: batches of texts of like length, weights in bf16 beside an fp32 copy, a loss on words."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch
from sentence_transformers.base.sampler import DefaultBatchSampler
from torch.optim import AdamW, Optimizer

_BATCHES = 50
"""So many are drawn at once and sorted by length: padding all but vanishes, and the order stays random enough."""

_MULTIPLE = 16
"""Lengths are rounded up to it: kernels are compiled for every length."""
_SUPPORTED = 1.0
_RARE = 4.0
"""How much more a wrong word counts than another: there are few."""


class ByLength(DefaultBatchSampler):
    """Batches of pairs of about the same length, in an order that the seed and the epoch decide."""

    def __init__(self, dataset: Any, *args: Any, **named: Any) -> None:
        """Measure the pairs."""
        super().__init__(dataset, *args, **named)
        self._lengths = [len(a) + len(b) for a, b in zip(dataset["evidence"], dataset["sentence"], strict=True)]

    def __iter__(self) -> Iterator[list[int]]:
        """Give the rows of each batch."""
        draw = torch.Generator().manual_seed(self.seed + self.epoch)
        order = torch.randperm(len(self._lengths), generator=draw).tolist()
        for start in range(0, len(order), _BATCHES * self.batch_size):
            drawn = sorted(order[start : start + _BATCHES * self.batch_size], key=self._lengths.__getitem__)
            batches = [drawn[i : i + self.batch_size] for i in range(0, len(drawn), self.batch_size)]
            for at in torch.randperm(len(batches), generator=draw).tolist():
                yield batches[at]


class MasterAdamW(Optimizer):
    """AdamW on an fp32 copy of weights that the model holds in bf16: Micikevicius et al. 2018, *Mixed Precision Training*, 3.1.

    Small changes would be lost in bf16's eight bits; the copy keeps them.
    """

    def __init__(self, weights: Iterable[torch.nn.Parameter], rate: float, decay: float) -> None:
        """Copy the weights of model and loss that are trained, those with `requires_grad`; biases and norms do not decay."""
        live = [p for p in weights if p.requires_grad]
        super().__init__(
            [
                {"params": [p for p in live if p.ndim > 1], "weight_decay": decay},
                {"params": [p for p in live if p.ndim < 2], "weight_decay": 0.0},
            ],
            {"lr": rate},
        )
        self._masters = [[p.detach().float().clone() for p in group["params"]] for group in self.param_groups]
        self._adam = AdamW(
            [{**g, "params": m} for g, m in zip(self.param_groups, self._masters, strict=True)], lr=rate, fused=True
        )

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Change the copy by the gradients, clear them, and round the copy into the model; `closure` is not used."""
        for ours, inner, masters in zip(self.param_groups, self._adam.param_groups, self._masters, strict=True):
            inner["lr"] = ours["lr"]
            for weight, master in zip(ours["params"], masters, strict=True):
                # The trainer clears the gradients of its model alone.
                master.grad, weight.grad = None if weight.grad is None else weight.grad.float(), None
        self._adam.step()
        self._round()

    def _round(self) -> None:
        for ours, masters in zip(self.param_groups, self._masters, strict=True):
            for weight, master in zip(ours["params"], masters, strict=True):
                weight.copy_(master)

    def state_dict(self) -> dict[str, Any]:
        """Give everything that a resume needs: the inner optimiser's state, the fp32 copy, and the learning rate, by group."""
        return {"adam": self._adam.state_dict(), "masters": self._masters, "rates": [g["lr"] for g in self.param_groups]}

    @torch.no_grad()
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore copy, optimiser and learning rates for the same weights, and round the copy into the model."""
        self._adam.load_state_dict(state_dict["adam"])
        for group, rate in zip(self.param_groups, state_dict["rates"], strict=True):
            group["lr"] = rate
        for ours, theirs in zip(self._masters, state_dict["masters"], strict=True):
            for master, kept in zip(ours, theirs, strict=True):
                master.copy_(kept)
        self._round()


class OnWords(torch.nn.Module):
    """Binary cross-entropy on the pair's label, and on every word of the sentence: whether it is what is not supported.

    The second says where to look, and is known for edited sentences only: of a supported pair no word is wrong, of an
    unsupported one those within `wrong`; pairs without this label count in the first alone. Its output layer is not part of the
    model. LettuceDetect (Kovacs and Recski 2025) learns by such an output alone.
    """

    def __init__(self, model: Any, weight: float, longest: int) -> None:
        """Make the second output, in the model's number format."""
        super().__init__()
        self.model = model
        inner = model.model
        self.words = torch.nn.Linear(inner.config.hidden_size, 1, dtype=inner.dtype, device=inner.device)
        self._weight, self._longest = weight, longest

    def forward(self, inputs: Sequence[Sequence[Any]], labels: torch.Tensor, **_: Any) -> torch.Tensor:
        """Compute the loss of b pairs, a scalar in fp32: on the pairs, plus the weighted one on the words that are known.

        Args:
            inputs: columns of evidence, sentence, and where what is wrong starts and ends: half-open offsets in characters of the
                sentence, -1 where they are not known.
            labels: (b,) wanted supports, 0 to 1.
            **_: not used; the trainer passes more.
        """
        from torch.nn.functional import binary_cross_entropy_with_logits as loss

        evidence, sentence, starts, ends = inputs
        read = self.model.tokenizer(
            list(evidence), list(sentence), truncation=True, max_length=self._longest, padding=True,
            pad_to_multiple_of=_MULTIPLE, return_offsets_mapping=True, return_tensors="pt",
        )  # fmt: skip
        offsets, device = read.pop("offset_mapping"), self.model.device
        out = self.model.model(**read.to(device), output_hidden_states=True)
        found = loss(out.logits[:, 0].float(), labels.float().to(device))
        told = torch.tensor([y >= _SUPPORTED or s >= 0 for y, s in zip(labels.tolist(), starts, strict=True)])
        of_sentence = torch.tensor([[part == 1 for part in read.sequence_ids(i)] for i in range(len(sentence))])
        counted = of_sentence & told[:, None]
        if not counted.any():
            return found
        wrong = _overlap(offsets, torch.tensor(starts), torch.tensor(ends)) & of_sentence
        said = self.words(out.hidden_states[-1])[..., 0].float()
        heavier = torch.tensor(_RARE, device=device)
        return found + self._weight * loss(said[counted], wrong[counted].float().to(device), pos_weight=heavier)


def _overlap(offsets: torch.Tensor, starts: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    """(n, tokens) of whether a token lies in the span; words that were left out count for the ones around the gap."""
    first, last = starts[:, None], torch.maximum(ends, starts)[:, None]
    gap = (ends <= starts)[:, None]
    inside = (offsets[..., 0] < last) & (offsets[..., 1] > first)
    beside = (offsets[..., 0] <= last + 1) & (offsets[..., 1] >= first - 1)
    known = (starts >= 0)[:, None] & (offsets[..., 1] > offsets[..., 0])
    return known & torch.where(gap, beside, inside)
