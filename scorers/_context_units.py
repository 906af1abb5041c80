"""What of a context goes into a cross-encoder at once, and which of it is nearest to a sentence."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.sentences import Unit
from evaluation.types import Case, Matrix
from scorers import _embedding
from scorers._precision import native

ContextUnit = Literal["sentence", "window", "passage", "full", "nearest"]
Grid = NDArray[np.float64]


class TextUnit(NamedTuple):
    """A text of the context that goes into the model at once, and which context sentences it holds."""

    text: str
    sentences: tuple[int, ...]


def units(case: Case, context: Sequence[Unit], kind: ContextUnit, size: int) -> list[TextUnit]:
    """The context in units, in reading order.

    Args:
        case: whose context it is.
        context: its n_context sentences.
        kind: any but `nearest`, whose units differ from sentence to sentence.
        size: sentences of a window.
    """
    by_passage: dict[int, list[int]] = {}
    for j, sentence in enumerate(context):
        by_passage.setdefault(sentence.passage, []).append(j)
    if kind == "full":
        text = "\n\n".join(case.context[p].text.strip() for p in by_passage)
        return [TextUnit(text, tuple(range(len(context))))]
    found = []
    for passage, inside in by_passage.items():
        length = {"sentence": 1, "window": size, "passage": len(inside)}[kind]
        for first in range(max(1, len(inside) - length + 1)):
            held = inside[first : first + length]
            text = case.context[passage].text[context[held[0]].start : context[held[-1]].end]
            found.append(TextUnit(text, tuple(held)))
    return found


def nearest(claims: Sequence[str], texts: Sequence[TextUnit], k: int) -> NDArray[np.bool_]:
    """(n_response, n_units): whether a unit is among the k nearest of a sentence by cosine of embeddings."""
    near = cosines(claims, [u.text for u in texts])
    chosen = np.argsort(-near, axis=1, kind="stable")[:, :k]
    found = np.zeros(near.shape, bool)
    np.put_along_axis(found, chosen, True, axis=1)
    return found


def cosines(claims: Sequence[str], texts: Sequence[str]) -> Grid:
    """(n_claims, n_texts) cosines of embeddings by all-MiniLM-L6-v2."""
    vectors = _embedding.load(_embedding.MINILM, native()).embed([*claims, *texts]).vectors
    return (vectors[: len(claims)] @ vectors[len(claims) :].T).astype(np.float64)


def by_sentence(grid: Grid, texts: Sequence[TextUnit], count: int) -> Grid:
    """(n_response, n_context): a context sentence has the support of the best unit that holds it; NaN where none was read."""
    matrix = np.full((len(grid), count), np.nan)
    for u, unit in enumerate(texts):
        inside = list(unit.sentences)
        matrix[:, inside] = np.fmax(matrix[:, inside], grid[:, [u]])
    return matrix


def seen(matrix: Matrix, context: Sequence[Unit]) -> float:
    """The share of the context's characters that was read for at least one response sentence."""
    lengths = np.array([u.end - u.start for u in context])
    return float(lengths[~np.isnan(matrix).all(axis=0)].sum() / lengths.sum())


def share_read(chosen: NDArray[np.int64], context: Sequence[Unit]) -> float:
    """The share of the context's characters that lies in one of the chosen sentences."""
    lengths = np.array([u.end - u.start for u in context])
    return float(lengths[np.unique(chosen)].sum() / lengths.sum())
