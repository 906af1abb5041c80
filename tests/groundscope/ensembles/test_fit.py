"""The fit of an ensemble: known weights come back, queries stay whole, and too little is refused."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from groundscope.errors import DataError
from groundscope.training.ensemble_features import Table
from groundscope.training.ensembles import STRENGTHS, FittedEnsemble, fit
from tests.groundscope.ensembles.made import NAMES, WEIGHTS, fitted, sentences

VALUES, LABELS = sentences(3_000)


@pytest.fixture(scope="module")
def known() -> FittedEnsemble:
    return fitted(VALUES, LABELS)


def test_known_weights_come_back_with_their_signs(known: FittedEnsemble) -> None:
    # The penalty makes all of them smaller alike.
    assert 1.5 < known.weights[0] < 2.2
    assert known.weights[0] / known.weights[1] == pytest.approx(WEIGHTS[0] / WEIGHTS[1], rel=0.15)
    assert known.weights[2] == pytest.approx(WEIGHTS[2], abs=0.1)
    assert known.means == pytest.approx((0.0, 0.0, 0.0), abs=0.05)
    assert known.scales == pytest.approx((1.0, 1.0, 1.0), abs=0.05)
    assert known.intercept == pytest.approx(0.0, abs=0.1)
    assert (known.methods, known.names, known.threshold) == (("quip",), NAMES, None)


def test_what_it_was_fitted_on_is_reported(known: FittedEnsemble) -> None:
    from sklearn.metrics import roc_auc_score

    assert known.made["sentences"] == 3_000
    assert known.made["unsupported"] == int((~LABELS).sum())
    assert known.made["penalty"] in STRENGTHS
    # Labels are drawn: the best that the true weights can do is no more.
    assert known.made["auroc_folds"] == pytest.approx(roc_auc_score(LABELS, VALUES @ WEIGHTS), abs=0.01)


def test_the_same_data_give_the_same_numbers(known: FittedEnsemble) -> None:
    assert fitted(VALUES.copy(), LABELS.copy()) == known
    other = fitted(*sentences(3_000, seed=1))
    assert other.weights != known.weights


def test_labels_turned_round_turn_the_weights_round(known: FittedEnsemble) -> None:
    turned = fitted(VALUES, ~LABELS)
    assert turned.weights == pytest.approx([-w for w in known.weights], abs=1e-3)


def test_neither_unit_nor_origin_of_a_column_matter(known: FittedEnsemble) -> None:
    other = fitted(VALUES * [100.0, 0.01, 7.0] + [5.0, -3.0, 0.0], LABELS)
    assert other.weights == pytest.approx(known.weights, abs=1e-3)
    supports = other.supports(VALUES[:50] * [100.0, 0.01, 7.0] + [5.0, -3.0, 0.0])
    assert supports == pytest.approx(known.supports(VALUES[:50]), abs=1e-4)


def test_rare_unsupported_sentences_weigh_as_much_as_the_others() -> None:
    rng = np.random.default_rng(2)
    rare = rng.random(4_000) < 0.1
    values = np.where(rare, -0.5, 0.5)[:, None] + rng.normal(size=(4_000, 1))
    made = fitted(values, ~rare, names=("support by quip",))
    assert made.supports(np.array([[0.0]])) == pytest.approx(0.5, abs=0.05)


def _of_queries() -> tuple[np.ndarray, np.ndarray]:
    """Sixty queries with ten sentences each: in a query all supported ones are alike, and so are all others, at random."""
    rng = np.random.default_rng(5)
    values = np.repeat(rng.normal(size=(120, 130)), 5, axis=0)
    return values, np.repeat(np.tile([True, False], 60), 5)


def test_no_query_is_on_both_sides_of_a_fold() -> None:
    values, labels = _of_queries()
    names = tuple(map(str, range(130)))
    # What is learned of one query tells nothing of another: only a query on both sides is told right.
    assert fitted(values, labels, each=10, names=names).made["auroc_folds"] < 0.65
    order = np.random.default_rng(0).permutation(600)
    assert fitted(values[order], labels[order], each=1, names=names).made["auroc_folds"] > 0.99


def test_responses_of_one_query_stay_together() -> None:
    values, labels = _of_queries()
    tables = [Table(tuple(map(str, range(130))), values[i : i + 2], (0, 1)) for i in range(0, 600, 2)]
    gold = [labels[i : i + 2] for i in range(0, 600, 2)]
    assert fit(tables, gold, [f"query {i // 5}" for i in range(300)], ["quip"]).made["auroc_folds"] < 0.65


def test_what_a_method_did_not_assess_counts_as_an_average_sentence(known: FittedEnsemble) -> None:
    holes = VALUES.copy()
    holes[::3, 0] = np.nan
    made = fitted(holes, LABELS)
    assert made.means[0] == pytest.approx(float(np.nanmean(holes[:, 0])))
    assert made.weights[0] > 0.5 > 0 > made.weights[1]
    counted = known.counted(np.array([[np.nan, 1.0, np.nan]]))[0]
    assert counted[[0, 2]].tolist() == [0.0, 0.0]
    assert counted[1] == pytest.approx((1.0 - known.means[1]) / known.scales[1] * known.weights[1])


@pytest.mark.parametrize("column", [np.nan, 0.0, 0.1, 1 / 3, 0.7])
def test_a_column_that_is_the_same_everywhere_counts_for_nothing(column: float) -> None:
    # 0.1 a thousand times has a standard deviation of some 1e-17: rounding, and no scale.
    values = np.column_stack([VALUES[:1_000], np.full(1_000, column)])
    made = fitted(values, LABELS[:1_000], names=(*NAMES, "the same"))
    assert made.scales[3] == 1.0
    other = np.array([[0.5, 0.5, 0.5, 0.9], [0.5, 0.5, 0.5, 0.2]])
    assert made.counted(other)[:, 3] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert np.ptp(made.supports(other)) < 1e-6


NUMBERS = st.floats(-1e6, 1e6)


@given(
    arrays(np.float64, (3,), elements=NUMBERS),
    arrays(np.float64, (3,), elements=st.floats(1e-6, 1e6)),
    arrays(np.float64, (3,), elements=st.floats(-50, 50)),
    st.floats(-50, 50),
    arrays(np.float64, (4, 3), elements=st.one_of(st.floats(-5, 5), st.just(np.nan))),
)
def test_supports_lie_in_0_to_1_and_what_counted_adds_up_to_their_logits(
    means: np.ndarray, scales: np.ndarray, weights: np.ndarray, intercept: float, values: np.ndarray
) -> None:
    made = FittedEnsemble(("quip",), NAMES, tuple(means), tuple(scales), tuple(weights), intercept)
    supports, counted = made.supports(values), made.counted(values)
    assert counted.shape == (4, 3)
    assert ((supports >= 0) & (supports <= 1)).all()
    logits = counted.sum(axis=1) + intercept
    # Nearer to 0 or 1 a support no longer holds its logit's digits.
    for logit, support in zip(logits, supports, strict=True):
        if abs(logit) < 20:
            assert np.log(support / (1 - support)) == pytest.approx(logit, abs=1e-6)
        else:
            assert support == pytest.approx(float(logit > 0), abs=1e-8)


@given(st.floats(-10, 10), st.floats(0, 10))
def test_more_of_what_speaks_for_a_sentence_never_lowers_its_support(value: float, more: float) -> None:
    made = FittedEnsemble(("quip",), ("a", "b"), (0.5, 0.0), (0.2, 1.0), (0.7, -0.4), 0.3)
    low, high = made.supports(np.array([[value, 0.0], [value + more, 0.0]]))
    against, less = made.supports(np.array([[0.0, value + more], [0.0, value]]))
    assert low <= high
    assert against <= less


def test_no_sentence_has_no_support(known: FittedEnsemble) -> None:
    assert known.supports(np.empty((0, 3))).shape == (0,)


def _tables(counts: list[tuple[int, int]]) -> tuple[list[Table], list[np.ndarray]]:
    """A response a query, with so many supported and unsupported sentences."""
    tables = [Table(("a",), np.arange(a + b, dtype=float).reshape(-1, 1), tuple(range(a + b))) for a, b in counts]
    return tables, [np.arange(a + b) < a for a, b in counts]


TOO_LITTLE = {
    "one unsupported sentence short": [(10, 5), (10, 4)],
    "one supported sentence short": [(5, 20), (4, 20)],
    "no unsupported sentence": [(30, 0), (30, 0)],
    "one query": [(50, 50)],
    "all unsupported sentences of one query": [(20, 0), (20, 20), (20, 0)],
    "each query of one kind": [(20, 0), (0, 20)],
    "no sentence": [(0, 0), (0, 0)],
}


@pytest.mark.parametrize("counts", TOO_LITTLE.values(), ids=TOO_LITTLE)
def test_too_little_is_refused_in_one_sentence(counts: list[tuple[int, int]]) -> None:
    with pytest.raises(DataError) as refused:
        fit(*_tables(counts), [f"query {i}" for i in range(len(counts))], ["quip"])
    said = str(refused.value)
    yes, no = (sum(column) for column in zip(*counts, strict=True))
    assert f"there are {yes} and {no} of {len(counts)}" in said
    assert said.endswith("label more.")
    assert not re.search(r"[.!?]\s", said)


def test_just_enough_is_enough() -> None:
    made = fit(*_tables([(10, 5), (10, 5)]), ["one", "two"], ["quip"])
    assert made.made["unsupported"] == 10
    # A query without a kind takes part as far as the others allow.
    assert fit(*_tables([(10, 5), (10, 5), (20, 0), (0, 9)]), ["1", "2", "3", "4"], ["quip"]).made["sentences"] == 59
