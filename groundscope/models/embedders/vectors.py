"""Requests of bounded size to embedding providers, and checks of the vectors that they return."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import ModelUnavailable
from groundscope.models.batches import grouped
from groundscope.types import Matrix

_ASCII, _OTHER, _TOKEN = 2, 3, 6
"""Weights of a byte, and of a token: three ASCII characters or two other bytes. English has more to a token and Chinese about as
many, so that estimates are rather too high. The providers' own tokenizers are not on this machine."""


class EmbeddingReply(NamedTuple):
    """A reply: each vector with the index of its text in the request, as the server states it, and its token count."""

    vectors: Sequence[tuple[Any, Any]]
    tokens: int = 0


def _weights(data: bytes) -> NDArray[np.int64]:
    return np.where(np.frombuffer(data, np.uint8) < 128, _ASCII, _OTHER)


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text: a third of the ASCII characters plus half of the other bytes of UTF-8, rounded up."""
    return -(-int(_weights(text.encode("utf-8", "replace")).sum()) // _TOKEN)


def fitted(text: str, tokens: int) -> str:
    """Prepare a text for sending: no lone surrogates, and its end cut at so many tokens, as `tokens_of` counts; 0 = no limit."""
    data = text.encode("utf-8", "replace")
    if tokens and len(data) * _OTHER > tokens * _TOKEN:
        data = data[: int(np.searchsorted(np.cumsum(_weights(data)), tokens * _TOKEN, side="right"))]
    return data.decode("utf-8", "ignore")


def requests(texts: Mapping[bytes, str], most: int, tokens: int) -> Iterator[dict[bytes, str]]:
    """Group texts, by key, into requests of `most` texts and `tokens` tokens, in order; a text of more goes alone."""
    return map(dict, grouped(texts.items(), lambda entry: tokens_of(entry[1]), tokens, most))


def vectors(answer: EmbeddingReply, texts: int, dimensions: int, who: str) -> Matrix:
    """Bring a reply's vectors into the order of the texts."""
    places = [place for place, _ in answer.vectors]
    if len(places) != texts:
        raise ModelUnavailable(
            f"{who} sent {len(places):,} vectors for {texts:,} texts; send fewer at a time, like ;texts={max(1, texts // 4)}, or "
            "choose another embedder."
        )
    if not all(isinstance(p, int) for p in places) or sorted(places) != list(range(texts)):
        raise ModelUnavailable(f"{who} sent vectors without saying which belongs to which text; choose another embedder.")
    rows = [row for _, row in sorted(answer.vectors, key=lambda pair: int(pair[0]))]
    try:
        matrix = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        matrix = np.zeros(0)
    if matrix.ndim != 2 or not matrix.shape[1]:
        raise ModelUnavailable(f"{who} sent vectors that are not rows of equally many numbers; choose another embedder.")
    if dimensions and matrix.shape[1] != dimensions:
        raise ModelUnavailable(
            f"{who} sent vectors of {matrix.shape[1]:,} numbers instead of {dimensions:,}; set dimensions to what the model "
            "gives, or leave it out."
        )
    return unit(matrix, who)


def unit(matrix: NDArray[Any], who: str) -> Matrix:
    """Scale (n, d) numbers of any type to float32 rows of length 1; `who` is for users."""
    rows = matrix.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    bad = ~(np.isfinite(lengths) & (lengths > 0))
    if bad.any():
        raise ModelUnavailable(
            f"{who} gave {int(bad.sum()):,} of {len(rows):,} vectors that hold NaN, infinity or only zeros; choose another "
            "embedder."
        )
    result: Matrix = (rows / lengths).astype(np.float32)
    return result
