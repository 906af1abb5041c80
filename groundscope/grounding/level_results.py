"""The same methods at the level of sentences and of characters, with intervals by query (see `groundscope.grounding.levels`)."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from groundscope.grounding.levels import UNKNOWN, GoldTable, gold_table, known_supports, span_level, supports_of
from groundscope.grounding.rules.generalization import Retuned
from groundscope.grounding.runs.arrays import PENDING, Floats, Integers, RunData, SentenceTable
from groundscope.grounding.tuning import Rule
from groundscope.statistics import chance
from groundscope.statistics.bootstrap import (
    Draws,
    Interval,
    by_group,
    limits,
    resampled_scores,
    resampled_sums,
    resamples,
    widened,
)
from groundscope.statistics.chance import AurocEstimate
from groundscope.statistics.metrics import CELLS, NAMES, Labels, called, cells, confusion, scores
from groundscope.statistics.tuned import weighted_interval

Level = Literal["response", "sentence", "span", "three"]

PROTOCOLS: Mapping[Level, str] = {
    "three": "Each response is one decision: supported, not stated or contradicted. One that a method does not call grounded is "
    "contradicted where the method holds that for at least as likely as not of a sentence below its threshold, else not stated. "
    "Without an answer it counts as wrong in recall. F1 is the mean of the three answers'.",
    "response": "Each response is one decision: grounded or not (paper, section 6). Without a verdict it counts as wrong in "
    "recall and accuracy.",
    "sentence": "Each sentence that claims something is one decision. It is wrong where a labelled span touches it; sentences "
    "of ungrounded responses without any labelled span are left out. A sentence is flagged below its method's threshold.",
    "span": "Characters of flagged sentences against characters of labelled spans, summed over all responses (the overlap of "
    "RAGTruth, Niu et al. 2024, and LettuceDetect, Kovács and Recski 2025). F1 is that of the wrong characters alone.",
}


@dataclass(frozen=True, slots=True)
class LevelResult:
    """One method at one level; NaN where there is no figure.

    Attributes:
        interval: of the F1, 95 %, by the bootstrap over queries, under the rules that draws of the tuning set choose; `given`
            where tuning cannot be repeated.
        given: of the F1 at this threshold, by the bootstrap over queries.
        ranking: AUROC of sentence supports, with its interval; NaN for spans.
        threshold: below it a sentence is flagged; NaN = none.
    """

    precision: float
    recall: float
    f1: float
    interval: Interval
    given: Interval
    errors_found: float
    ranking: AurocEstimate
    judged: int
    total: int
    wrong: int
    threshold: float
    note: str = ""


def gold_of(run: RunData, rows: Integers) -> GoldTable:
    """Label the sentences of some responses. Reads and cuts texts: slow on large sets."""
    table = gold_table(run.read_cases([int(i) for i in rows]))
    return table._replace(case=np.asarray(rows, dtype=np.int32)[table.case])


def guessed_f1(gold: GoldTable) -> float:
    """Find the highest F1 of wrong characters, a share p of all, that guessing reaches: 2 p / (1 + p), by flagging everything.

    NaN without a labelled character.
    """
    labelled = gold.label != UNKNOWN
    wrong, every = int(gold.wrong_characters[labelled].sum()), int((gold.end - gold.start)[labelled].sum())
    return 2 * wrong / (every + wrong) if every else float("nan")


def sentence_threshold(rule: Rule | None, start: float | None) -> float | None:
    """Choose below what a sentence is flagged: by the rule where it looks at single sentences, else where the method starts."""
    if rule is None:
        return start
    if rule.how == "share_below":
        return rule.sentence_threshold
    return start if rule.how == "mean" else rule.threshold


def level_results(
    run: RunData,
    gold: GoldTable,
    rules: Mapping[str, Rule],
    rows: Integers,
    level: Level,
    again: Mapping[str, Retuned] | None = None,
) -> tuple[LevelResult, ...]:
    """Measure every method on sentences or characters."""
    draws = resamples(run.groups[gold.case])
    per_method = []
    for i, method in enumerate(run.methods):
        threshold = sentence_threshold(rules.get(method.id), method.threshold)
        if threshold is None:
            per_method.append(_nothing("It has no threshold for sentences: tune one on the Thresholds page."))
            continue
        sentences = sentences_of(run, i, rows)
        if np.isnan(sentences.support).all():
            per_method.append(_nothing("It gives no sentence a support: it judges the response as a whole."))
        else:
            measure = _sentences if level == "sentence" else _spans
            tuned_again = (again or {}).get(method.id)
            others = _thresholds(tuned_again, method.threshold) if tuned_again and tuned_again.apart(run, rows) else {}
            per_method.append(measure(*judged(run, i, gold), sentences, threshold, draws, others))
    return tuple(per_method)


def _thresholds(again: Retuned, start: float | None) -> dict[float, int]:
    """The sentence thresholds of the rules that draws of the tuning set choose, and how many do; none where a part has others."""
    if not again.whole:
        return {}
    counts: Counter[float] = Counter()
    for (way, threshold), count in again.chosen.counted().items():
        at = sentence_threshold(replace(again.ways[way], threshold=threshold), start)
        if at is None:
            return {}
        counts[at] += count
    return dict(counts)


def sentences_of(run: RunData, method: int, rows: Integers) -> SentenceTable:
    """Read what a method says of the sentences of some responses."""
    table, inside = run.read_sentences(method), np.zeros(len(run.ids), dtype=np.bool_)
    inside[rows] = True
    selected = inside[table.case]
    return SentenceTable._make(column[selected] for column in table)


def judged(run: RunData, method: int, gold: GoldTable) -> tuple[GoldTable, Integers]:
    """Leave only the labels of responses that a method has judged."""
    waiting = run.status[method, gold.case] == PENDING
    # Unknown ones count nowhere, and all queries stay, so that the resamples fit.
    label = np.where(waiting, UNKNOWN, gold.label).astype(np.int8)
    return gold._replace(label=label), run.groups[gold.case]


class KnownSentences(NamedTuple):
    """The sentences with a known label that a method has judged, or should have; k of them, by response and start.

    `labels`: (k,) 1 = sound, 0 = wrong; `supports`: (k,) 0 to 1; NaN = none.
    """

    labels: Labels
    supports: Floats
    queries: Integers
    cases: Integers


def known_sentences(run: RunData, method: int, gold: GoldTable, rows: Integers) -> KnownSentences:
    """Look up what a method says of the sentences with a known label."""
    judged_gold, queries = judged(run, method, gold)
    labelled = judged_gold.label != UNKNOWN
    labels, supports, _ = known_supports(judged_gold, sentences_of(run, method, rows))
    return KnownSentences(labels, supports, queries[labelled], judged_gold.case[labelled])


def _nothing(note: str) -> LevelResult:
    nan = float("nan")
    return LevelResult(nan, nan, nan, Interval(nan, nan), Interval(nan, nan), nan, chance.UNKNOWN, 0, 0, 0, nan, note)


def _drawn(
    of: Callable[[float], Floats], threshold: float, others: Mapping[float, int], groups: int
) -> tuple[Interval, Interval]:
    """The interval over what draws of the tuning set choose, and that given the threshold; `of` makes the F1 of draws at one."""
    given_threshold = Interval.of(widened(limits(of(threshold), groups), groups))
    if not others or groups < 2:
        return given_threshold, given_threshold
    nested = weighted_interval(np.stack([of(t) for t in others], axis=1), np.array(list(others.values())))
    return Interval.of(widened((nested.low, nested.high), groups)), given_threshold


def _sentences(
    gold: GoldTable, queries: Integers, sentences: SentenceTable, threshold: float, draws: Draws, others: Mapping[float, int]
) -> LevelResult:
    labelled = gold.label != UNKNOWN
    labels, supports, unmatched = known_supports(gold, sentences)
    at_threshold = scores(confusion(labels, called(supports, threshold)))

    def of(at: float) -> Floats:
        table = np.zeros((len(gold.label), CELLS), dtype=np.int8)
        table[labelled] = cells(labels, called(supports, at))
        drawn: Floats = resampled_scores(table[None], queries, draws)[0, :, NAMES.index("macro_f1")]
        return drawn

    interval, given_threshold = _drawn(of, threshold, others, draws.shape[1])
    return LevelResult(
        precision=at_threshold.precision,
        recall=at_threshold.recall,
        f1=at_threshold.macro_f1,
        interval=interval,
        given=given_threshold,
        errors_found=at_threshold.error_recall,
        ranking=chance.auroc_with_interval(labels, supports, queries[labelled]),
        judged=int((~np.isnan(supports)).sum()),
        total=len(labels),
        wrong=int((labels == 0).sum()),
        threshold=threshold,
        note=f"{unmatched:,} of its sentences have other boundaries and are not counted." if unmatched else "",
    )


def _spans(
    gold: GoldTable, queries: Integers, sentences: SentenceTable, threshold: float, draws: Draws, others: Mapping[float, int]
) -> LevelResult:
    precision, recall, f1, flagged_characters, wrong_characters = span_level(gold, sentences, threshold)
    labelled = gold.label != UNKNOWN
    supports = supports_of(gold, sentences)
    wrong = np.where(labelled, gold.wrong_characters, 0)

    def of(at: float) -> Floats:
        flagged = labelled & (supports < at)
        columns = np.stack([np.where(flagged, wrong, 0), np.where(flagged, gold.end - gold.start, 0), wrong], axis=1)
        drawn = resampled_sums(draws, by_group(columns.astype(np.int64), queries))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(drawn[:, 2] > 0, 2 * drawn[:, 0] / (drawn[:, 1] + drawn[:, 2]), np.nan)

    interval, given_threshold = _drawn(of, threshold, others, draws.shape[1])
    return LevelResult(
        precision=precision,
        recall=recall,
        f1=f1,
        interval=interval,
        given=given_threshold,
        errors_found=recall,
        ranking=chance.UNKNOWN,
        judged=flagged_characters,
        total=wrong_characters,
        wrong=wrong_characters,
        threshold=threshold,
        note="" if wrong_characters else "No character of these responses is labelled wrong.",
    )
