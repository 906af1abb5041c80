"""Batches of texts of similar length for fine-tuning."""

from collections.abc import Iterator
from typing import Any

import torch
from sentence_transformers.base.sampler import DefaultBatchSampler

_BATCHES = 50
"""So many are drawn at once and sorted by length: padding all but vanishes, and the order stays random enough."""


class ByLength(DefaultBatchSampler):
    """Batches of pairs of about the same length, in an order that the seed and the epoch decide."""

    def __init__(self, dataset: Any, *args: Any, **named: Any) -> None:
        super().__init__(dataset, *args, **named)
        self._lengths = [len(a) + len(b) for a, b in zip(dataset["evidence"], dataset["sentence"], strict=True)]

    def __iter__(self) -> Iterator[list[int]]:
        draw = torch.Generator().manual_seed(self.seed + self.epoch)
        order = torch.randperm(len(self._lengths), generator=draw).tolist()
        for start in range(0, len(order), _BATCHES * self.batch_size):
            drawn = sorted(order[start : start + _BATCHES * self.batch_size], key=self._lengths.__getitem__)
            batches = [drawn[i : i + self.batch_size] for i in range(0, len(drawn), self.batch_size)]
            for at in torch.randperm(len(batches), generator=draw).tolist():
                yield batches[at]
