"""Texts into requests of bounded size, and replies into vectors: what does not fit is cut, what is no vector is named."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import ModelUnavailable
from evaluation.types import Matrix

_ASCII, _OTHER, _TOKEN = 2, 3, 6
"""Weights of a byte, and of a token: three ASCII characters or two other bytes. English has more to a token and Chinese about as
many, so that estimates err to the dear side. The providers' own tokenizers are not on this machine."""


class Answer(NamedTuple):
    """A reply: each vector with the place of its text in the request, as the server gave them, and the tokens that it counted."""

    vectors: Sequence[tuple[Any, Any]]
    tokens: int = 0


def _weights(data: bytes) -> NDArray[np.int64]:
    return np.where(np.frombuffer(data, np.uint8) < 128, _ASCII, _OTHER)


def tokens_of(text: str) -> int:
    """How many tokens a text has, rather too many than too few."""
    return -(-int(_weights(text.encode("utf-8", "replace")).sum()) // _TOKEN)


def fitted(text: str, tokens: int) -> str:
    """A text as it is sent: without half characters, and no longer than `tokens`; 0 = as long as it is."""
    data = text.encode("utf-8", "replace")
    if tokens and len(data) * _OTHER > tokens * _TOKEN:
        data = data[: int(np.searchsorted(np.cumsum(_weights(data)), tokens * _TOKEN, side="right"))]
    return data.decode("utf-8", "ignore")


def requests(texts: Mapping[bytes, str], most: int, tokens: int) -> Iterator[dict[bytes, str]]:
    """Texts in their order, at most so many and so many tokens at a time; one that is longer goes alone."""
    part: dict[bytes, str] = {}
    held = 0
    for key, text in texts.items():
        size = tokens_of(text)
        if part and (len(part) == most or held + size > tokens):
            yield part
            part, held = {}, 0
        part[key] = text
        held += size
    if part:
        yield part


def vectors(answer: Answer, texts: int, dimensions: int, who: str) -> Matrix:
    """A reply's vectors in the texts' order, (texts, d), each of length 1.

    Args:
        answer: the reply.
        texts: how many texts were sent.
        dimensions: how many numbers each vector must have; 0 = as many as the others.
        who: the model and its address, for people.

    Raises:
        ModelUnavailable: it is not one usable vector for each text, with what is wrong and the mend.
    """
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
        found = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        found = np.zeros(0)
    if found.ndim != 2 or not found.shape[1]:
        raise ModelUnavailable(f"{who} sent vectors that are not rows of equally many numbers; choose another embedder.")
    if dimensions and found.shape[1] != dimensions:
        raise ModelUnavailable(
            f"{who} sent vectors of {found.shape[1]:,} numbers instead of {dimensions:,}; set dimensions to what the model "
            "gives, or leave it out."
        )
    return unit(found, who)


def unit(found: NDArray[Any], who: str) -> Matrix:
    """Rows of length 1, float32.

    Raises:
        ModelUnavailable: a row holds NaN or infinity, or nothing but zeros.
    """
    rows = found.astype(np.float64)
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
