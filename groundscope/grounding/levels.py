"""How well a method finds the wrong sentences of a response, and the wrong characters.

Gold labels of sentences come from gold spans: a sentence that an error span or an unsupported span touches is wrong; a sentence
of a response labelled grounded is grounded, and so are the other sentences of a response with such spans. Of an ungrounded
response without any span it is not known which sentence is wrong: its sentences are unknown and counted nowhere. Headings claim
nothing and are left out. A sentence is flagged if its support is below the threshold.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.cases.gold import GoldSentence, gold_sentences
from groundscope.grounding.runs.arrays import SentenceTable
from groundscope.statistics.metrics import Array, Labels
from groundscope.text.sentences import split
from groundscope.types import Case

UNKNOWN = -1
"""The gold label of a sentence that may be right or wrong."""


class GoldTable(NamedTuple):
    """The claiming sentences of all responses, a row each, by case and start.

    `label` is 1 = grounded, 0 = wrong, `UNKNOWN`; `wrong_characters` says how many of the sentence's characters lie in a gold
    span, each counted once.
    """

    case: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    label: Labels
    wrong_characters: NDArray[np.int32]


def gold_table(cases: Sequence[Case]) -> GoldTable:
    """Label every claiming sentence; `case` is a place in `cases`, `start` and `end` are half-open, in characters.

    A grounded case without error spans or unsupported spans gives grounded sentences, any other one without them unknown ones.
    """
    rows = [(i, *row) for i, case in enumerate(cases) for row in _gold_rows(case)]
    columns = np.array(rows, dtype=np.int32).reshape(-1, 5).T
    return GoldTable(columns[0], columns[1], columns[2], columns[3].astype(np.int8), columns[4])


def _gold_rows(case: Case) -> list[tuple[int, int, int, int]]:
    # Evidence is not asked for, and finding it would cut the whole context into sentences.
    labelled, units = gold_sentences(replace(case, evidence=())), split(case.response)
    if not labelled:
        label = 1 if case.grounded else UNKNOWN
        return [(u.start, u.end, label, 0) for u in units if not u.heading]
    rows = [(s.start, s.end, int(not s.wrong), _wrong_characters(s)) for s in labelled]
    return [row for row, unit in zip(rows, units, strict=True) if not unit.heading]


def _wrong_characters(sentence: GoldSentence) -> int:
    """Characters of the sentence that lie in its spans, those in several counted once."""
    spans = sorted([*((e.start, e.end) for e in sentence.errors), *sentence.unsupported])
    count, reached = 0, sentence.start
    for start, end in spans:
        start, end = max(start, reached), min(end, sentence.end)
        count += max(0, end - start)
        reached = max(reached, end)
    return count


def supports_of(gold: GoldTable, sentences: SentenceTable) -> Array:
    """Look up the method's support of each of k gold sentences, (k,) 0 to 1; NaN where it has none.

    Sentences are the same if case, start and end are; raises `ValueError` where the method has one twice.
    """
    return _join(gold, sentences)[0]


def known_supports(gold: GoldTable, sentences: SentenceTable) -> tuple[Labels, Array, int]:
    """Find the labels of the sentences with a known one, the method's supports of these, and how many it cut otherwise.

    These have a support and are no sentence of the gold table, and count nowhere. Raises as `supports_of`.
    """
    supports, unmatched = _join(gold, sentences)
    labelled = gold.label != UNKNOWN
    return gold.label[labelled], supports[labelled], unmatched


def _join(gold: GoldTable, sentences: SentenceTable) -> tuple[Array, int]:
    """The supports of the gold sentences, and how many sentences with a support are none of them."""
    keys, method_keys = _keys(gold.case, gold.start), _keys(sentences.case, sentences.start)
    order = None if _rises(method_keys) else np.argsort(method_keys, kind="stable")
    ordered = method_keys if order is None else method_keys[order]
    if not _rises(ordered):
        raise ValueError("the method has a sentence twice: each case's sentences must be there once")
    at = np.minimum(np.searchsorted(ordered, keys), max(0, len(ordered) - 1))
    supports = np.full(len(keys), np.nan)
    if len(ordered):
        rows = at if order is None else order[at]
        same = (method_keys[rows] == keys) & (sentences.end[rows] == gold.end)
        supports[same] = sentences.support[rows[same]]
    matched = np.count_nonzero(~np.isnan(supports))
    return supports, int(np.count_nonzero(~np.isnan(sentences.support)) - matched)


def _keys(case: NDArray[np.int32], start: NDArray[np.int32]) -> NDArray[np.int64]:
    """Case and start in one number, in the order of the pairs."""
    return (case.astype(np.int64) << 32) | start.astype(np.int64)


def _rises(keys: NDArray[np.int64]) -> bool:
    return bool(np.all(keys[1:] > keys[:-1]))


def span_level(gold: GoldTable, sentences: SentenceTable, threshold: float) -> tuple[float, float, float, int, int]:
    """Measure precision, recall and F1 of the wrong characters, and count the flagged and the wrong ones, micro-averaged.

    All three are 0 to 1, NaN where nothing is wrong; precision is 0 where nothing is flagged.

    The protocol is that of RAGTruth (Niu et al. 2024) and LettuceDetect (Kovács and Recski 2025): overlap, predicted and gold
    characters are summed over all responses and divided once. A method predicts every character of the sentences that it flags.
    Departs from it: characters of overlapping gold spans count once; characters outside sentences (spaces between them, list
    markers, headings) count on neither side, because no method judges them; responses that are ungrounded without a located
    span are left out. Raises `ValueError` where the method has a sentence twice.
    """
    supports = supports_of(gold, sentences)
    labelled = gold.label != UNKNOWN
    flagged = labelled & (supports < threshold)
    predicted = int((gold.end - gold.start)[flagged].sum(dtype=np.int64))
    wrong = int(gold.wrong_characters[labelled].sum(dtype=np.int64))
    hits = int(gold.wrong_characters[flagged].sum(dtype=np.int64))
    if not wrong:
        return float("nan"), float("nan"), float("nan"), predicted, wrong
    return hits / predicted if predicted else 0.0, hits / wrong, 2 * hits / (predicted + wrong), predicted, wrong
