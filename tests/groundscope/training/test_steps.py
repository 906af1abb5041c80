"""The order of pairs."""

import numpy as np


def order(seed: int, epoch: int = 0) -> list[list[int]]:
    from datasets import Dataset

    from groundscope.training._steps import ByLength

    rows = Dataset.from_dict({"evidence": ["x" * (7 * i % 500) for i in range(1000)], "sentence": ["y"] * 1000})
    sampler = ByLength(rows, batch_size=8, drop_last=False, seed=seed)
    sampler.set_epoch(epoch)
    return list(sampler)


def test_every_pair_comes_once_an_epoch_beside_others_of_its_length() -> None:
    batches = order(1)
    assert sorted(i for b in batches for i in b) == list(range(1000))
    spread = [max(7 * i % 500 for i in b) - min(7 * i % 500 for i in b) for b in batches]
    assert np.mean(spread) < 20
    assert spread != sorted(spread)


def test_the_order_hangs_on_seed_and_epoch_alone() -> None:
    assert order(1) == order(1)
    assert order(1) != order(2)
    assert order(1) != order(1, epoch=1)
