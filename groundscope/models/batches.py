"""Texts -> padded batches of a model.

A number of a text depends, in its last bits, on how far the text is padded, not on the texts beside it. So each text is padded
to a length that follows from its own, and a batch holds texts of one padded length.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


def encodable(text: str) -> str:
    """The text with question marks for half characters (lone surrogates), which have no UTF-8 and would stop tokenizers."""
    return text.encode("utf-8", "replace").decode("utf-8")
