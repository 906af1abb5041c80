"""A run over copies of cases -> how often each method's verdict changes, with 95 % intervals for cases that share a query.

A verdict is what the method's rule makes of a reading. A reading without one (an invalid reply, a failure) is no verdict and no
change: it is left out and counted, and a case with a single reading left counts in no share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from groundscope.grounding.level_results import sentence_threshold
from groundscope.grounding.result_columns import share
from groundscope.grounding.runs.arrays import STATUSES, Bytes, Floats, Integers, RunData
from groundscope.grounding.sensitivity.matrix import BoundedShare
from groundscope.grounding.stability.copies import KINDS, CaseCopies, Kind, copies_of, places_of
from groundscope.grounding.tuning import Rule
from groundscope.statistics.bootstrap import Draws, Interval, by_group, limits, resampled_sums, resamples
from groundscope.statistics.metrics import Array
from groundscope.statistics.raters import rater_agreement
from groundscope.statistics.significance import clustered_wilson
from groundscope.types import Status

RESAMPLES = 2_000
_INVALID, _FAILED = STATUSES.index(Status.INVALID), STATUSES.index(Status.FAILED)


@dataclass(frozen=True, slots=True)
class StabilityCell:
    """How stable a method is under one kind of copies.

    Attributes:
        flipped: share of the cases whose verdicts are not all the same, 0 to 1; it grows with the number of readings.
        differing: of the pairs of verdicts on one case, the share that differs, 0 to 1, mean over cases; it does not.
        added: that share less the share among plain repeats of the same cases, -1 to 1; NaN for these themselves.
        alpha: Krippendorff's, of the verdicts: 1 = they never change, 0 = they change as by chance; NaN where all are equal.
        deviation: standard deviation of a case's supports, mean over the cases with two or more.
        sentence_flips: share of the sentences whose verdicts are not all the same, 0 to 1.
    """

    cases: int
    readings: int
    invalid: int
    failed: int
    other: int
    flipped: BoundedShare
    differing: BoundedShare
    added: BoundedShare
    alpha: BoundedShare
    deviation: BoundedShare
    sentences: int
    sentence_flips: BoundedShare


@dataclass(frozen=True, slots=True)
class Stability:
    """Kinds of copies by methods."""

    kinds: tuple[Kind, ...]
    methods: tuple[str, ...]
    readings: Mapping[Kind, tuple[CaseCopies, ...]]
    cells: Mapping[tuple[Kind, str], StabilityCell]


def measured(run: RunData, verdicts: Bytes, rules: Mapping[str, Rule], rows: Integers | None = None) -> Stability | None:
    """Measure every kind of copies under every method; None where there are no copies, as `copies.make` makes them.

    `verdicts` are (m, n): 1 called grounded, 0 called ungrounded, -1 no verdict. Sentences are flagged by the thresholds of
    `rules`, or those that methods start with. `rows`: only cases whose first copy is among these, such as those of a split.
    """
    copies = copies_of(map(str, run.ids))
    if rows is not None:
        selected = set(map(int, rows))
        copies = tuple(r for r in copies if r.rows[0] in selected)
    by: dict[Kind, tuple[CaseCopies, ...]] = {k: some for k in KINDS if (some := tuple(r for r in copies if r.kind == k))}
    if not by:
        return None
    places = {kind: sentence_places(run, some) for kind, some in by.items()}
    cells = {}
    for m, method in enumerate(run.methods):
        plain = dict(zip((r.case for r in by.get("repeats", ())), differing_of(verdicts[m], by.get("repeats", ())), strict=True))
        sentences = sentence_verdicts(run, m, rules.get(method.id))
        for kind, some in by.items():
            repeats = np.array([np.nan if kind == "repeats" else plain.get(r.case, np.nan) for r in some])
            flips = sentence_flips_of(some, places[kind], sentences)
            cells[kind, method.id] = _cell(run, m, verdicts[m], some, repeats, *flips)
    return Stability(tuple(by), tuple(m.id for m in run.methods), by, cells)


def _cell(
    run: RunData, method: int, calls: Bytes, readings: Sequence[CaseCopies], repeats: Array, flips: Array, of: Array
) -> StabilityCell:
    rows = square(readings)
    groups = run.groups[rows[:, 0]]
    draws = resamples(groups, RESAMPLES)
    verdicts, status = at(calls, rows, -1), at(run.status[method], rows, -1)
    differing = differing_of(calls, readings)
    comparable = (verdicts >= 0).sum(axis=1) > 1
    flipped = (verdicts == 1).any(axis=1) & (verdicts == 0).any(axis=1)
    silent = (verdicts < 0) & (status >= 0)
    invalid, failed = ((silent & (status == code)).sum() for code in (_INVALID, _FAILED))
    agreed = rater_agreement(verdicts.T, 2, groups, draws)
    return StabilityCell(
        cases=int(comparable.sum()),
        readings=int((status >= 0).sum()),
        invalid=int(invalid),
        failed=int(failed),
        other=int(silent.sum() - invalid - failed),
        flipped=_share(flipped & comparable, comparable, groups),
        differing=_mean(differing, groups, draws),
        added=_mean(differing - repeats, groups, draws),
        alpha=BoundedShare(agreed.alpha, agreed.alpha_interval),
        deviation=_mean(deviations_of(at(run.support[method], rows, np.nan)), groups, draws),
        sentences=int(of.sum()),
        sentence_flips=_share(flips, of, groups),
    )


def _share(part: Array, of: Array, groups: Integers) -> BoundedShare:
    sums = by_group(np.stack([part, of], axis=1).astype(float), groups)
    whole = sums.sum(axis=0)
    value = float(whole[0] / whole[1]) if whole[1] else float("nan")
    return BoundedShare(value, clustered_wilson(sums[:, 0], sums[:, 1]))


def _mean(values: Array, groups: Integers, draws: Draws) -> BoundedShare:
    present = ~np.isnan(values)
    sums = by_group(np.stack([np.where(present, values, 0.0), present], axis=1), groups)
    drawn = np.vstack([sums.sum(axis=0), resampled_sums(draws, sums)])
    with np.errstate(invalid="ignore", divide="ignore"):
        means = drawn[:, 0] / drawn[:, 1]
    return BoundedShare(float(means[0]), Interval.of(limits(means[1:], draws.shape[1])))


def frame(run: RunData, stability: Stability) -> pd.DataFrame:
    """Make a table of the figures: one row a kind and method, with the ends of intervals; NaN where there is none."""
    titles = {m.id: m.title for m in run.methods}
    rows = []
    for kind, method in product(stability.kinds, stability.methods):
        cell = stability.cells[kind, method]
        row = {"kind": kind, "title": KINDS[kind], "method_id": method, "method": titles[method]}
        row |= {name: getattr(cell, name) for name in ("cases", "readings", "invalid", "failed", "other", "sentences")}
        for name in ("flipped", "differing", "added", "alpha", "deviation", "sentence_flips"):
            row |= getattr(cell, name).columns(name)
        rows.append(row)
    return pd.DataFrame(rows)


def printed(run: RunData, stability: Stability) -> list[list[str]]:
    """Write the figures for people, below a row of heads."""
    titles = {m.id: m.title for m in run.methods}
    heads = ["Readings", "Method", "Cases", "Flipped", "95 %", "Pairs differ", "Alpha", "Deviation", "Sentences", "No verdict"]
    rows = [heads]
    for kind, method in product(stability.kinds, stability.methods):
        cell = stability.cells[kind, method]
        shares = (cell.differing.value, cell.alpha.value, cell.deviation.value, cell.sentence_flips.value)
        none = cell.invalid + cell.failed + cell.other
        first = [KINDS[kind], titles[method], f"{cell.cases:,}", *cell.flipped.printed]
        rows.append([*first, *map(share, shares), f"{none:,}"])
    return rows


def sentence_places(run: RunData, readings: Sequence[CaseCopies]) -> Mapping[int, tuple[int, ...]]:
    """For each copy with reordered sentences, their numbers in the first copy."""
    moved = [r for r in readings if r.kind == "sentences"]
    places: dict[int, tuple[int, ...]] = {}
    for copies in moved:
        first, *others = run.read_cases(copies.rows)
        places |= {row: places_of(first.response, c.response) for row, c in zip(copies.rows[1:], others, strict=True)}
    return places


def sentence_verdicts(run: RunData, method: int, rule: Rule | None) -> Mapping[int, list[int]]:
    """By row, of each sentence in the order of the response: 1 not flagged, 0 flagged, -1 not assessed."""
    threshold = sentence_threshold(rule, run.methods[method].threshold)
    if threshold is None:
        return {}
    table = run.read_sentences(method)
    by_row: dict[int, list[int]] = {}
    for row in np.lexsort((table.start, table.case)):
        support = table.support[row]
        by_row.setdefault(int(table.case[row]), []).append(-1 if np.isnan(support) else int(support >= threshold))
    return by_row


def sentence_flips_of(
    readings: Sequence[CaseCopies], places: Mapping[int, tuple[int, ...]], verdicts: Mapping[int, list[int]]
) -> tuple[Array, Array]:
    """(cases,) sentences with two verdicts or more that are not all the same, and all with two or more."""
    flips, of = np.zeros(len(readings)), np.zeros(len(readings))
    for i, copies in enumerate(readings):
        by_sentence: dict[int, list[int]] = {}
        for row in copies.rows:
            row_verdicts = verdicts.get(row, [])
            numbers = places.get(row, range(len(row_verdicts)))
            # A method that splits the response otherwise says nothing of these sentences.
            for number, verdict in zip(numbers, row_verdicts, strict=False) if len(numbers) == len(row_verdicts) else ():
                if number >= 0 and verdict >= 0:
                    by_sentence.setdefault(number, []).append(verdict)
        several = [v for v in by_sentence.values() if len(v) > 1]
        flips[i], of[i] = sum(len(set(v)) > 1 for v in several), len(several)
    return flips, of


class CaseStability(NamedTuple):
    """One case under one method and one kind of copies; NaN with fewer than two verdicts, and with fewer than two supports.

    `differing` is the share of the pairs of verdicts that differ, `deviation` the standard deviation of its supports.
    """

    readings: CaseCopies
    grounded: int
    ungrounded: int
    differing: float
    deviation: float
    grounded_at: int
    ungrounded_at: int


def worst_first(run: RunData, verdicts: Bytes, readings: Sequence[CaseCopies], method: int) -> list[CaseStability]:
    """Sort the cases of a kind: those whose pairs of verdicts differ most often first, then by the deviation of their supports.

    Cases with fewer than two readings come last.
    """
    rows = square(readings)
    calls, differing = at(verdicts[method], rows, -1), differing_of(verdicts[method], readings)
    deviations = deviations_of(at(run.support[method], rows, np.nan))
    stabilities = []
    for i, case_readings in enumerate(readings):
        yes, no = int((calls[i] == 1).sum()), int((calls[i] == 0).sum())
        grounded_at, ungrounded_at = (next(iter(rows[i, calls[i] == verdict].tolist()), -1) for verdict in (1, 0))
        stabilities.append(
            CaseStability(case_readings, yes, no, float(differing[i]), float(deviations[i]), grounded_at, ungrounded_at)
        )
    return sorted(stabilities, key=lambda c: (-np.nan_to_num(c.differing, nan=-1.0), -np.nan_to_num(c.deviation, nan=-1.0)))


def case_frame(run: RunData, verdicts: Bytes, readings: Mapping[Kind, Sequence[CaseCopies]]) -> pd.DataFrame:
    """Make a table of the cases: one row a case, kind and method, the worst of each kind and method first."""
    rows = []
    for kind, some in readings.items():
        for m, method in enumerate(run.methods):
            for case in worst_first(run, verdicts, some, m):
                figures = {name: getattr(case, name) for name in ("grounded", "ungrounded", "differing", "deviation")}
                rows.append({"case": case.readings.case, "kind": kind, "method_id": method.id, "method": method.title, **figures})
    return pd.DataFrame(rows)


def square(readings: Sequence[CaseCopies]) -> Integers:
    """(cases, most readings) rows; -1 where a case has fewer."""
    rows = np.full((len(readings), max((len(r.rows) for r in readings), default=0)), -1, dtype=np.int32)
    for i, case_readings in enumerate(readings):
        rows[i, : len(case_readings.rows)] = case_readings.rows
    return rows


def at(values: NDArray[Any], rows: Integers, none: float) -> Any:
    """The values at rows of `square`; `none` where there is no reading."""
    return np.where(rows >= 0, values[rows], none)


def differing_of(verdicts: Bytes, readings: Sequence[CaseCopies]) -> Floats:
    """(cases,) of the pairs of verdicts, the share that differs; NaN with fewer than two."""
    calls = at(verdicts, square(readings), -1)
    yes, no = (calls == 1).sum(axis=1), (calls == 0).sum(axis=1)
    pairs = (yes + no) * (yes + no - 1) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Floats = np.where(pairs > 0, yes * no / pairs, np.nan)
    return shares


def deviations_of(support: Array) -> Array:
    """(cases,) sample standard deviations of the supports that there are; NaN with fewer than two."""
    scored = ~np.isnan(support)
    number = scored.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(scored, support, 0.0).sum(axis=1) / number
        squares = np.where(scored, support - mean[:, None], 0.0) ** 2
        deviations: Array = np.where(number > 1, np.sqrt(squares.sum(axis=1) / (number - 1)), np.nan)
    return deviations
