"""Shares of a small run by hand, and their intervals by a second computation."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.grounding.runs.arrays import Bytes, RunData
from groundscope.grounding.sensitivity.matrix import RESAMPLES, Matrix, frame, measured, noticed
from groundscope.grounding.sensitivity.pairs import make
from groundscope.statistics.bootstrap import resamples
from groundscope.statistics.significance import clustered_wilson
from groundscope.types import Case, Passage
from tests.groundscope.grounding.runs import made_run

NAN = float("nan")
CASES = [
    Case(f"c{i}", "q", (Passage("p", "Nothing."),), "The tenant must pay. The buyer must ask.", grounded=True) for i in range(4)
]


def run_of(before: list[float], after: list[float], bold: float = 0.5) -> RunData:
    """Eight sentences, each with a variant by `modal` and one by `bold`; one method."""
    made = make(CASES, names=["modal", "bold"])
    run = made_run(made.cases, 1)
    support = []
    for case in made.cases:
        at = (int(case.id[1]) * 2) + int(case.id[3]) - 1
        support.append(before[at] if case.parent is None else after[at] if case.id.endswith("modal") else bold)
    return replace(run, support=np.array([support]))


def said(run: RunData, threshold: float) -> Bytes:
    return np.where(np.isnan(run.support), -1, run.support >= threshold).astype(np.int8)


BEFORE = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, NAN]
AFTER = [0.1, 0.8, 0.9, 0.2, 0.5, 0.1, NAN, 0.1]


def matrix_of(run: RunData, verdicts: Bytes | None = None) -> Matrix:
    found = measured(run, said(run, 0.45) if verdicts is None else verdicts)
    assert found is not None
    return found


def test_shares_by_hand() -> None:
    found = matrix_of(run_of(BEFORE, AFTER))
    assert (found.lines, found.methods) == (("edits", "modal", "controls", "bold"), ("method_0",))
    assert found.cells["edits", "method_0"] == found.cells["modal", "method_0"]
    cell = found.cells["modal", "method_0"]
    # Lower: 0.9 to 0.1, 0.6 to 0.2, 0.4 to 0.1; even: 0.8 and 0.5; higher: 0.7 to 0.9.
    assert (cell.pairs, cell.unscored) == (6, 2)
    assert cell.noticed.value == pytest.approx(3 / 6)
    assert cell.ties == pytest.approx(2 / 6)
    assert cell.drop.value == pytest.approx((0.8 + 0 - 0.2 + 0.4 + 0 + 0.3) / 6)
    # Of the seven variants with a support, 0.1, 0.2, 0.1 and 0.1 lie below 0.45; of the seven sentences, 0.4 and 0.3.
    assert cell.flagged.value == pytest.approx(4 / 7)
    assert cell.false_alarms.value == pytest.approx(2 / 7)


def test_the_interval_of_a_mean_drop_is_that_of_a_plain_bootstrap_over_queries() -> None:
    found = matrix_of(run_of(BEFORE, AFTER))
    drops = np.subtract(BEFORE, AFTER).reshape(4, 2)
    means = []
    for draw in resamples(np.arange(4), RESAMPLES):
        rows = np.repeat(drops, draw, axis=0)
        means.append(np.nanmean(rows) if not np.isnan(rows).all() else NAN)
    interval = found.cells["modal", "method_0"].drop.interval
    assert (interval.low, interval.high) == pytest.approx(tuple(np.nanquantile(means, [0.025, 0.975])))


def test_a_method_without_a_rule_has_no_flags_and_one_that_never_scores_no_shares() -> None:
    run = run_of(BEFORE, AFTER)
    without_rule = matrix_of(run, np.full(run.support.shape, -1, dtype=np.int8))
    assert np.isnan(without_rule.cells["modal", "method_0"].flagged.value)
    cell = matrix_of(replace(run, support=np.full(run.support.shape, NAN))).cells["modal", "method_0"]
    assert (cell.pairs, cell.unscored) == (0, 8)
    assert np.isnan([cell.noticed.value, cell.ties, cell.drop.value, cell.noticed.interval.low]).all()


def test_a_method_that_is_always_certain_notices_nothing_and_a_single_query_has_no_interval() -> None:
    run = run_of([1.0] * 8, [1.0] * 8, bold=1.0)
    for cell in matrix_of(run).cells.values():
        assert (cell.noticed.value, cell.ties, cell.drop.value, cell.flagged.value) == (0, 1, 0, 0)
    alone = measured(run, said(run, 0.5), np.array([i for i, name in enumerate(run.ids) if name.startswith("c0")]))
    assert alone is not None
    assert {name: len(pairs) for name, pairs in alone.pairs.items()} == {"edits": 2, "modal": 2, "controls": 2, "bold": 2}
    assert np.isnan(alone.cells["modal", "method_0"].noticed.interval.low)


def test_how_far_edits_are_told_from_form_has_the_interval_of_their_difference() -> None:
    found = matrix_of(run_of(BEFORE, AFTER))
    # Of the bold words, at 0.5 all, those of 0.9, 0.8, 0.7 and 0.6 are lower, of seven that are scored.
    assert found.apart["method_0"].value == pytest.approx(3 / 6 - 4 / 7)
    by_query = [((1, 2), (2, 2)), ((1, 2), (2, 2)), ((1, 2), (0, 2)), ((0, 0), (0, 1))]
    apart = []
    for draw in resamples(np.repeat(np.arange(4), 4), RESAMPLES):
        sums = np.array(by_query).T @ draw
        (edits, of_edits), (controls, of_controls) = sums[:, 0], sums[:, 1]
        apart.append(edits / of_edits - controls / of_controls if of_edits and of_controls else NAN)
    interval = found.apart["method_0"].interval
    assert (interval.low, interval.high) == pytest.approx(tuple(np.nanquantile(apart, [0.025, 0.975])))


def test_a_run_without_pairs_has_no_matrix() -> None:
    assert measured(made_run(CASES, 2), np.zeros((2, 4), dtype=np.int8)) is None
    run = run_of(BEFORE, AFTER)
    assert measured(run, said(run, 0.45), np.array([0])) is None


def test_the_table_has_a_row_for_each_line_and_method() -> None:
    run = run_of(BEFORE, AFTER)
    found = matrix_of(run)
    table = frame(run, found).set_index("edit")
    assert list(table.index) == ["edits", "modal", "controls", "bold"]
    assert list(table["title"])[::2] == ["All legal edits", "All changes of form"]
    assert list(table["makes_error"]) == [True, True, False, False]
    assert table.loc["modal", "noticed"] == pytest.approx(0.5)
    # Pairs of a query are alike, and the interval of a share knows it.
    interval = found.cells["modal", "method_0"].noticed.interval
    assert interval == clustered_wilson([1, 1, 1], [2, 2, 2])
    assert table.loc["modal", "noticed_low"] == interval.low
    np.testing.assert_allclose(noticed(run, 0, found.pairs["modal"]), np.subtract(BEFORE, AFTER))
