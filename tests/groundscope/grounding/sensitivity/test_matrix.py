"""Sentences of sound answers beside their one-edit variants: the pairs, and shares of a small run by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import DataError
from groundscope.grounding.runs.arrays import Bytes, RunData
from groundscope.grounding.sensitivity.matrix import RESAMPLES, Matrix, frame, measured, noticed
from groundscope.grounding.sensitivity.pairs import KNOWN, changed, make, operator_of, pairs_of
from groundscope.statistics.bootstrap import resamples
from groundscope.statistics.significance import clustered_wilson
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage
from tests.groundscope.cases.edits.test_variants import CASE, TEXTS
from tests.groundscope.grounding.runs import made_run
from tests.loops import each

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
    matrix = measured(run, said(run, 0.45) if verdicts is None else verdicts)
    assert matrix is not None
    return matrix


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


SHORT = Case(
    "lease",
    "What is owed?",
    (Passage("p", "The tenant has 30 days. Rent is $500."),),
    "# Answer\n\nThe tenant must pay $500.\n\nIt is due in 30 days.",
    grounded=True,
    evidence=(EvidenceSpan(10, 35, 0, 24, 37), EvidenceSpan(37, 58, 0, 0, 23)),
    split="dev",
)


def test_each_sentence_is_a_case_and_each_variant_one_beside_it() -> None:
    made = make([SHORT], names=["modal", "money", "deadline", "bold"])
    texts = {c.id: c.response for c in made.cases}
    assert texts["lease#1"] == "The tenant must pay $500."
    assert texts["lease#2"] == "It is due in 30 days."
    assert (texts["lease#1-modal"], texts["lease#1-bold"]) == ("The tenant may pay $500.", "The **tenant** must pay $500.")
    assert set(texts) == {"lease#1", "lease#1-modal", "lease#1-money", "lease#1-bold", "lease#2", "lease#2-deadline"}
    assert made.counts == {"money": 1, "deadline": 1, "modal": 1, "bold": 1}
    assert (made.pairs, made.sound) == (4, 1)


def test_a_variant_is_labelled_and_a_control_stays_sound() -> None:
    by = {c.id: c for c in make([SHORT]).cases}
    wrong, control = by["lease#1-modal"], by["lease#1-bold"]
    (error,) = wrong.errors
    assert (wrong.grounded, error.type, error.start, error.end) == (False, ErrorType.CONTEXTUAL_MISINTERPRETATION, 11, 14)
    assert "“must”" in error.why
    assert (control.grounded, control.errors) == (True, ())
    assert {(c.group, c.split, c.query) for c in by.values()} == {("lease", "dev", "What is owed?")}
    assert by["lease#2"].evidence == (EvidenceSpan(0, 21, 0, 0, 23),)


def test_pairs_are_found_again_among_the_ids_of_a_run() -> None:
    made = make([SHORT, replace(CASE, id="a-b#3-modal")])
    pairs = pairs_of(c.id for c in made.cases)
    assert len(pairs) == made.pairs
    for pair in pairs:
        sentence, variant = made.cases[pair.sentence], made.cases[pair.variant]
        assert (variant.parent, operator_of(variant)) == (sentence.id, pair.operator)
    assert pairs_of(["lease-modal", "lease", "lease#1-modal", "x#1", "x#1-other"]) == ()


def test_of_many_pairs_each_operator_gives_its_share() -> None:
    cases = [replace(SHORT, id=f"c{i}") for i in range(20)]
    every = make(cases, names=["modal", "money", "deadline"])
    assert every.counts == {"money": 20, "deadline": 20, "modal": 20}
    # Of the one that money applies to all is taken, and the others share what is left.
    rare = [replace(c, response="The tenant must pay in 30 days.", evidence=()) for c in cases]
    some = make([SHORT, *rare], names=["modal", "money", "deadline"], most=12)
    assert some.counts == {"money": 1, "deadline": 5, "modal": 6}
    # A sentence without a variant judges nothing.
    assert {c.parent or c.id for c in some.cases} == {c.parent for c in some.cases if c.parent}


def test_only_sound_answers_are_used_to_which_an_edit_applies() -> None:
    wrong = replace(SHORT, id="w", grounded=False)
    marked = replace(SHORT, id="m", errors=(ErrorSpan(0, 3, ErrorType.MISATTRIBUTION),))
    spanned = replace(SHORT, id="s", unsupported=((0, 3),))
    assert make([wrong, marked, spanned, replace(SHORT, id="u", grounded=None), SHORT]).sound == 1
    with pytest.raises(DataError, match="no case of this set is labelled as one"):
        make([wrong, marked, spanned])

    with pytest.raises(DataError, match="No edit applies"):
        make([replace(SHORT, response="Yes.", evidence=())])


def test_the_same_seed_gives_the_same_pairs_and_another_one_others() -> None:
    assert make([CASE], seed=1) == make([CASE], seed=1)
    assert make([CASE], seed=1).cases != make([CASE], seed=2).cases


@given(TEXTS, st.lists(TEXTS, max_size=2), st.integers(0, 2))
def test_whatever_the_text_a_pair_differs_in_one_place(response: str, texts: list[str], seed: int) -> None:
    context = (Passage("p", "A text."), *(Passage(f"p{i}", text) for i, text in enumerate(texts)))
    try:
        made = make([Case("c", "q", context, response, grounded=True)], seed=seed)
    except DataError:
        return
    by = {c.id: c for c in made.cases}
    assert len(by) == len(made.cases)
    whole = [response[s.start : s.end] for s in split(response)]
    for case in made.cases:
        assert [(s.start, s.end) for s in split(case.response)] == [(0, len(case.response))]
        if case.parent is None:
            assert case.response in whole
            continue
        before = by[case.parent].response
        assert case.response != before
        operator = KNOWN[operator_of(case)]
        assert case.grounded is (operator.type is None)
        for error in case.errors:
            tail = len(case.response) - error.end
            assert case.response[: error.start] == before[: error.start]
            assert case.response[error.end :] == before[len(before) - tail :]


@each(
    ("before", "after", "old", "new"),
    [
        ("It ends in 30 days.", "It ends in 300 days.", "30", "300"),
        ("It is due.", "It is not due.", "", "not "),
        ("All of it.", "All of it.", "", ""),
        ("It is.", "So we say.", "It is", "So we say"),
    ],
)
def test_what_changed_is_given_in_whole_words(before: str, after: str, old: str, new: str) -> None:
    start, end, other = changed(before, after)
    assert (before[start:end], after[start:other]) == (old, new)


@given(st.text(max_size=20), st.text(max_size=20))
def test_what_lies_outside_of_a_change_is_equal(before: str, after: str) -> None:
    start, end, other = changed(before, after)
    assert start <= end <= len(before)
    assert start <= other <= len(after)
    assert (before[:start], before[end:]) == (after[:start], after[other:])
