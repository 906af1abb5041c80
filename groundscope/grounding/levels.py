"""How well a method finds the wrong sentences of a response, and the wrong characters.

Gold labels of sentences come from gold spans: a sentence that an error span or an unsupported span touches is wrong; a sentence
of a response labelled grounded is grounded, and so are the other sentences of a response with such spans. Of an ungrounded
response without any span it is not known which sentence is wrong: its sentences are unknown and counted nowhere. Headings claim
nothing and are left out. A sentence is flagged if its support is below the threshold.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.cases.gold import GoldSentence, gold_sentences
from groundscope.grounding.runs.arrays import SentenceTable
from groundscope.statistics.metrics import Array, Labels, Scores, called, confusion, scores
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


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """A method's calls of sentences; `scores` is read as for responses, a sentence without a support having no verdict.

    Attributes:
        scores: macro precision, recall and F1 over sentences; `error_recall` is the share of wrong sentences that are flagged.
        without_support: of the sentences with a known label.
        unmatched: the method's sentences with a support that are no sentence of the gold table: cut otherwise, or of other
            cases. They are not counted.
    """

    scores: Scores
    sentences: int
    wrong: int
    without_support: int
    unmatched: int


@dataclass(frozen=True, slots=True)
class SpanScores:
    """Overlap in characters, 0..1 each, all NaN where nothing is wrong; see `span_level`.

    `precision` is the share of the flagged characters that are wrong, 0 where nothing is flagged; `recall` is the share of the
    wrong characters that are flagged.
    """

    precision: float
    recall: float
    f1: float
    predicted_characters: int
    gold_characters: int


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


def sentence_level(gold: GoldTable, sentences: SentenceTable, threshold: float) -> SentenceScores:
    """Score a method's calls of sentences with a known label, all responses together; one below the threshold is flagged.

    Raises `ValueError` where the method has a sentence twice.
    """
    joined, unmatched = _join(gold, sentences)
    labelled = gold.label != UNKNOWN
    labels, supports = gold.label[labelled], joined[labelled]
    return SentenceScores(
        scores(confusion(labels, called(supports, threshold))),
        sentences=int(labels.size),
        wrong=int((labels == 0).sum()),
        without_support=int(np.isnan(supports).sum()),
        unmatched=unmatched,
    )


def span_level(gold: GoldTable, sentences: SentenceTable, threshold: float) -> SpanScores:
    """Measure precision, recall and F1 of the wrong characters: character-level overlap, micro-averaged.

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
        return SpanScores(float("nan"), float("nan"), float("nan"), predicted, wrong)
    return SpanScores(hits / predicted if predicted else 0.0, hits / wrong, 2 * hits / (predicted + wrong), predicted, wrong)
