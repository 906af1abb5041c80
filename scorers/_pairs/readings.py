"""Which pairs of sentence and context text a cross-encoder reads of a case, before any of them is scored."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groundscope.text.sentences import Sentence, Unit, context_sentences, split
from groundscope.types import Case
from scorers._pairs.context_units import Grid, TextUnit, cosines, most, nearest, texts_of
from scorers._pairs.encoders import TextPair

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EveryUnit:
    """Each sentence with each unit, or with the nearest ones.

    Attributes:
        rows: (n_pairs,) the response sentence of each pair.
    """

    response: Sequence[Sentence]
    context: Sequence[Unit]
    shape: tuple[int, int]
    rows: Rows
    columns: Rows
    pairs: list[TextPair]


def every_unit(case: Case, texts: Sequence[TextUnit], pruned: int) -> EveryUnit:
    """Pair the sentences of a case with its units: with the `pruned` nearest ones, 0 = with all. A heading is in no pair."""
    response, context = split(case.response), context_sentences(case.context)
    claims = [case.response[s.start : s.end] for s in response]
    read = nearest(claims, texts, pruned) if pruned else np.ones((len(claims), len(texts)), bool)
    read[[s.heading for s in response]] = False
    rows, columns = np.nonzero(read)
    pairs = [TextPair(claims[i], texts[u].text) for i, u in zip(rows.tolist(), columns.tolist(), strict=True)]
    return EveryUnit(response, context, (len(claims), len(texts)), rows, columns, pairs)


@dataclass(frozen=True, slots=True)
class NearestJoined:
    """Each sentence with the context sentences nearest to it, joined.

    Attributes:
        near: (n_response, n_context) cosines, 0..1.
        chosen: (n_response, n_read) indices of the context sentences that are read, in reading order.
        said: indices of the response sentences that are no headings.
        asked: those of them that are in a pair.
        again: whether the vectors of the context were reused.
    """

    response: Sequence[Sentence]
    context: Sequence[Unit]
    near: Grid
    chosen: Rows
    said: list[int]
    asked: list[int]
    pairs: list[TextPair]
    again: bool


def nearest_joined(case: Case, window: int, copied: Collection[int]) -> NearestJoined:
    """Pair the sentences of a case with the `window` nearest context sentences; a heading and what is `copied` are in no pair."""
    response, context = split(case.response), context_sentences(case.context)
    claims, texts = [case.response[s.start : s.end] for s in response], texts_of(case, context)
    found = cosines(claims, texts)
    near = np.clip(found.grid, 0.0, 1.0)
    chosen = np.sort(most(near, window), axis=1)
    said = [i for i, s in enumerate(response) if not s.heading]
    asked = [i for i in said if i not in copied]
    pairs = [TextPair(claims[i], " ".join(texts[j] for j in chosen[i])) for i in asked]
    return NearestJoined(response, context, near, chosen, said, asked, pairs, found.again)
