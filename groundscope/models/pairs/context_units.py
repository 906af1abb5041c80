"""Units of a context that a cross-encoder reads at once, and the units nearest to a sentence."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.models.batches import grouped
from groundscope.models.embedders import sentences as _embedding
from groundscope.models.weights.files import MINILM
from groundscope.models.weights.memory import native
from groundscope.text.sentences import Unit
from groundscope.types import Case, Matrix

ContextUnit = Literal["sentence", "window", "chunk", "passage", "full", "nearest"]
CHUNK = 300
"""Words of a chunk, at most, where the method has no size of its own: they fit into 512 tokens with a claim."""
Grid = NDArray[np.float64]


class TextUnit(NamedTuple):
    """A text of the context that the model reads at once, and the context sentences it holds."""

    text: str
    sentences: tuple[int, ...]


def units(case: Case, context: Sequence[Unit], kind: ContextUnit, size: int) -> list[TextUnit]:
    """Units of a context in reading order: within one passage each, except for `full`. Windows of `size` move by a sentence."""
    if kind == "chunk":
        return chunks(case, context, [len(text.split()) for text in texts_of(case, context)], CHUNK)
    by_passage = _by_passage(context)
    if kind == "full":
        text = "\n\n".join(case.context[p].text.strip() for p in by_passage)
        return [TextUnit(text, tuple(range(len(context))))]
    windows = []
    for passage, inside in by_passage.items():
        length = {"sentence": 1, "window": size, "passage": len(inside)}[kind]
        for first in range(max(1, len(inside) - length + 1)):
            held = inside[first : first + length]
            text = case.context[passage].text[context[held[0]].start : context[held[-1]].end]
            windows.append(TextUnit(text, tuple(held)))
    return windows


def _by_passage(context: Sequence[Unit]) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for j, sentence in enumerate(context):
        groups.setdefault(sentence.passage, []).append(j)
    return groups


def chunks(case: Case, context: Sequence[Unit], sizes: Sequence[int], most: int) -> list[TextUnit]:
    """Join consecutive sentences of a passage as long as their sizes sum to at most `most`; a longer sentence stands alone."""
    groups = (held for inside in _by_passage(context).values() for held in grouped(inside, sizes.__getitem__, most))
    return [_joined(case, context, held) for held in groups]


def even_chunks(case: Case, context: Sequence[Unit], words: int) -> list[TextUnit]:
    """Join equally many consecutive sentences of a passage: as many as make chunks of about `words` words, at least one."""
    joined = []
    for passage, inside in _by_passage(context).items():
        each = max(1, len(inside) // (len(case.context[passage].text.split()) // words + 1))
        joined += [_joined(case, context, inside[i : i + each]) for i in range(0, len(inside), each)]
    return joined


def _joined(case: Case, context: Sequence[Unit], held: Sequence[int]) -> TextUnit:
    """Sentences of a passage as one text: a space between two, or a line break where the passage has one."""
    text = case.context[context[held[0]].passage].text
    parts = [_text(case, context[held[0]])]
    for before, j in pairwise(held):
        parts += ["\n" if "\n" in text[context[before].end : context[j].start] else " ", _text(case, context[j])]
    return TextUnit("".join(parts), tuple(held))


def texts_of(case: Case, context: Sequence[Unit]) -> list[str]:
    """The texts of context sentences."""
    return [_text(case, unit) for unit in context]


def _text(case: Case, unit: Unit) -> str:
    return case.context[unit.passage].text[unit.start : unit.end]


def nearest(claims: Sequence[str], texts: Sequence[TextUnit], k: int) -> NDArray[np.bool_]:
    """Select the k units nearest to each sentence by cosine of embeddings: a mask (n_response, n_units)."""
    near = cosines(claims, [u.text for u in texts]).grid
    mask = np.zeros(near.shape, bool)
    np.put_along_axis(mask, most(near, k), True, axis=1)
    return mask


def most(near: Grid, k: int) -> NDArray[np.int64]:
    """Columns of the k highest numbers of each row, highest first; of equal ones the first."""
    return np.argsort(-near, axis=1, kind="stable")[:, :k]


class Cosines(NamedTuple):
    """How near texts are to claims in meaning.

    `again`: whether the vectors of the texts were reused: another method, or the answer before, had the same context.
    """

    grid: Grid
    again: bool


def cosines(claims: Sequence[str], texts: Sequence[str]) -> Cosines:
    """Cosines of embeddings by all-MiniLM-L6-v2; the vectors of the last texts are reused where that is allowed."""
    embedder = _embedding.load(MINILM, native())
    claim_vectors = embedder.embed(claims, after=len(set(texts)))
    unit_vectors, again = embedder.embed_again(texts, before=len(set(claims)))
    return Cosines((claim_vectors.vectors @ unit_vectors.vectors.T).astype(np.float64), again)


def by_sentence(grid: Grid, texts: Sequence[TextUnit], count: int) -> Grid:
    """Map (n_response, n_units) supports to (n_response, n_context): the best unit with a sentence counts; NaN = not read."""
    matrix = np.full((len(grid), count), np.nan)
    for u, unit in enumerate(texts):
        inside = list(unit.sentences)
        matrix[:, inside] = np.fmax(matrix[:, inside], grid[:, [u]])
    return matrix


def seen(matrix: Matrix, context: Sequence[Unit]) -> float:
    """Share of the context's characters that was read for a response sentence: of (n_response, n_context), NaN = not read."""
    return share_read(np.flatnonzero(~np.isnan(matrix).all(axis=0)), context)


def share_read(chosen: NDArray[np.int64] | list[int], context: Sequence[Unit]) -> float:
    """Share of the context's characters that lies in the chosen sentences, given by their indices."""
    lengths = np.array([u.end - u.start for u in context])
    return float(lengths[np.unique(np.asarray(chosen, np.int64))].sum() / lengths.sum())
