"""A run over copies of cases -> how often each method's verdict changes, with 95 % intervals for cases that share a query.

A verdict is what the method's rule makes of a reading. A reading without one (an invalid reply, a failure) is no verdict and no
change: it is left out and counted, and a case with a single reading left counts in no share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from groundscope.grounding.runs.arrays import STATUSES, Bytes, Integers, RunData
from groundscope.grounding.sensitivity.matrix import BoundedShare
from groundscope.grounding.stability.by_case import at, deviations_of, differing_of, square
from groundscope.grounding.stability.readings import KINDS, Kind, Readings, readings_of
from groundscope.grounding.stability.sentence_flips import sentence_flips_of, sentence_places, sentence_verdicts
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
        readings: of all cases of this kind, those that are judged by now.
        invalid: of these, without a verdict because a reply could not be read.
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
    """Kinds of copies by methods.

    Attributes:
        kinds: those that the run has copies of, in the order of `KINDS`.
    """

    kinds: tuple[Kind, ...]
    methods: tuple[str, ...]
    readings: Mapping[Kind, tuple[Readings, ...]]
    cells: Mapping[tuple[Kind, str], StabilityCell]


def measured(run: RunData, verdicts: Bytes, rules: Mapping[str, Rule], rows: Integers | None = None) -> Stability | None:
    """Measure every kind of copies under every method.

    Args:
        run: over copies, as `groundscope.grounding.stability.readings.make` makes them.
        verdicts: (m, n) 1 called grounded, 0 called ungrounded, -1 no verdict.
        rules: by method id; their thresholds flag sentences, or those that methods start with.
        rows: only cases whose first copy is among these, such as those of a split; None = all.

    Returns:
        The figures; None where there are no copies.
    """
    found = readings_of(map(str, run.ids))
    if rows is not None:
        wanted = set(map(int, rows))
        found = tuple(r for r in found if r.rows[0] in wanted)
    by: dict[Kind, tuple[Readings, ...]] = {k: some for k in KINDS if (some := tuple(r for r in found if r.kind == k))}
    if not by:
        return None
    places = {kind: sentence_places(run, some) for kind, some in by.items()}
    cells = {}
    for m, method in enumerate(run.methods):
        plain = dict(zip((r.case for r in by.get("repeats", ())), differing_of(verdicts[m], by.get("repeats", ())), strict=True))
        sentences = sentence_verdicts(run, m, rules.get(method.id))
        for kind, some in by.items():
            judged = _Judged(run, m, verdicts[m], some)
            repeats = np.array([plain.get(r.case, np.nan) for r in some]) if kind != "repeats" else np.full(len(some), np.nan)
            cells[kind, method.id] = judged.cell(repeats, sentence_flips_of(some, places[kind], sentences))
    return Stability(tuple(by), tuple(m.id for m in run.methods), by, cells)


class _Judged:
    """One method's readings of one kind."""

    def __init__(self, run: RunData, method: int, verdicts: Bytes, readings: Sequence[Readings]) -> None:
        self.rows = square(readings)
        self.groups = run.groups[self.rows[:, 0]]
        self.draws = resamples(self.groups, RESAMPLES)
        self.verdicts = at(verdicts, self.rows, -1)
        self.status = at(run.status[method], self.rows, -1)
        self.support = at(run.support[method], self.rows, np.nan)
        self.differing = differing_of(verdicts, readings)

    def cell(self, repeats: Array, sentences: tuple[Array, Array]) -> StabilityCell:
        said = (self.verdicts >= 0).sum(axis=1)
        known = said > 1
        flipped = (self.verdicts == 1).any(axis=1) & (self.verdicts == 0).any(axis=1)
        silent = (self.verdicts < 0) & (self.status >= 0)
        invalid, failed = ((silent & (self.status == code)).sum() for code in (_INVALID, _FAILED))
        agreed = rater_agreement(self.verdicts.T, 2, self.groups, self.draws)
        flips, of = sentences
        return StabilityCell(
            cases=int(known.sum()),
            readings=int((self.status >= 0).sum()),
            invalid=int(invalid),
            failed=int(failed),
            other=int(silent.sum() - invalid - failed),
            flipped=self._share(flipped & known, known),
            differing=self._mean(self.differing),
            added=self._mean(self.differing - repeats),
            alpha=BoundedShare(agreed.alpha, agreed.alpha_interval),
            deviation=self._mean(deviations_of(self.support)),
            sentences=int(of.sum()),
            sentence_flips=self._share(flips, of),
        )

    def _share(self, part: Array, of: Array) -> BoundedShare:
        sums = by_group(np.stack([part, of], axis=1).astype(float), self.groups)
        whole = sums.sum(axis=0)
        value = float(whole[0] / whole[1]) if whole[1] else float("nan")
        return BoundedShare(value, clustered_wilson(sums[:, 0], sums[:, 1]))

    def _mean(self, values: Array) -> BoundedShare:
        return _mean(values, self.groups, self.draws)


def _mean(values: Array, groups: Integers, draws: Draws) -> BoundedShare:
    """The mean of the values that are known, with its interval."""
    known = ~np.isnan(values)
    sums = by_group(np.stack([np.where(known, values, 0.0), known], axis=1), groups)
    drawn = np.vstack([sums.sum(axis=0), resampled_sums(draws, sums)])
    with np.errstate(invalid="ignore", divide="ignore"):
        means = drawn[:, 0] / drawn[:, 1]
    return BoundedShare(float(means[0]), Interval.of(limits(means[1:], draws.shape[1])))


def frame(run: RunData, found: Stability) -> pd.DataFrame:
    """Make a table of the figures: one row a kind and method.

    Args:
        run: that they were measured on.
        found: the figures.

    Returns:
        Columns `kind`, `title`, `method_id`, `method`, `cases`, `readings`, `invalid`, `failed`, `other`, `sentences`; and of
        `flipped`, `differing`, `added`, `alpha`, `deviation` and `sentence_flips` the value and both ends of its interval, NaN
        where there is none.
    """
    titles = {m.id: m.title for m in run.methods}
    rows = []
    for kind, method in product(found.kinds, found.methods):
        cell = found.cells[kind, method]
        row = {"kind": kind, "title": KINDS[kind], "method_id": method, "method": titles[method]}
        row |= {name: getattr(cell, name) for name in ("cases", "readings", "invalid", "failed", "other", "sentences")}
        for name in ("flipped", "differing", "added", "alpha", "deviation", "sentence_flips"):
            row |= getattr(cell, name).columns(name)
        rows.append(row)
    return pd.DataFrame(rows)
