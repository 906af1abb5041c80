"""Texts -> padded batches of a model.

A number of a text depends, in its last bits, on how far the text is padded, not on the texts beside it. So each text is padded
to a length that follows from its own, and a batch holds texts of one padded length.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

_T = TypeVar("_T")
_LEAST = 8
_STEPS = 4
"""Padded lengths between a power of two and the next: more would fill batches less, fewer would pad more."""


class PaddedBatch(NamedTuple):
    """Texts that a model reads at once."""

    places: list[int]
    length: int


def padded(tokens: int, most: int) -> int:
    """Length that a text is padded to."""
    step = max(_LEAST, (1 << (tokens - 1).bit_length()) // (2 * _STEPS))
    return max(tokens, min(most, -(-tokens // step) * step))


def batches(lengths: Sequence[int] | NDArray[np.int64], budget: int, most: int) -> Iterator[PaddedBatch]:
    """Batch texts, longest first: what cannot be held in memory shows at once."""
    by: dict[int, list[int]] = {}
    for place in np.argsort(-np.asarray(lengths), kind="stable").tolist():
        by.setdefault(padded(int(lengths[place]), most), []).append(place)
    for length, places in by.items():
        size = max(1, budget // length)
        for start in range(0, len(places), size):
            yield PaddedBatch(places[start : start + size], length)


def grouped(items: Iterable[_T], size: Callable[[_T], int], room: int, most: float = inf) -> Iterator[list[_T]]:
    """Group items in their order, at most so many whose sizes sum to at most `room`; a larger one stands alone."""
    group: list[_T] = []
    total = 0
    for item in items:
        length = size(item)
        if group and (len(group) == most or total + length > room):
            yield group
            group, total = [], 0
        group.append(item)
        total += length
    if group:
        yield group


def encodable(text: str) -> str:
    """The text with question marks for half characters (lone surrogates), which have no UTF-8 and would stop tokenizers."""
    return text.encode("utf-8", "replace").decode("utf-8")
