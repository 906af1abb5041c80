"""Scores against scikit-learn on random labels, and at the edges: one class, no verdict, nothing at all."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from groundscope.statistics.metrics import (
    NAMES,
    PENDING,
    Confusion,
    Coverage,
    assessed,
    auroc,
    average_precision,
    cells,
    confusion,
    coverage,
    score_arrays,
    scores,
)
from groundscope.types import Status
from tests.loops import each

LABELLED = st.lists(st.tuples(st.integers(0, 1), st.integers(-1, 1)), min_size=1, max_size=60)
# Multiples of 1/8: many ties.
SUPPORTED = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 8).map(lambda n: n / 8)), min_size=1, max_size=60)


@given(LABELLED)
def test_scikit_learn_says_the_same_with_no_verdict_as_a_third_label(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    gold, said = (list(column) for column in zip(*pairs, strict=True))
    assume(len(set(gold)) == 2)
    found = scores(confusion(gold, said))
    # Only the averages over the two real labels: a third label is never gold, and takes away from recall alone.
    macro = precision_recall_fscore_support(gold, said, average="macro", labels=[0, 1], zero_division=0)
    assert (found.precision, found.recall, found.macro_f1) == pytest.approx(macro[:3])
    assert found.accuracy == pytest.approx(accuracy_score(gold, said))
    errors = precision_recall_fscore_support(gold, said, labels=[0], zero_division=0)
    assert (found.error_precision, found.error_recall) == pytest.approx((errors[0][0], errors[1][0]))
    assert found.coverage == pytest.approx(sum(s >= 0 for s in said) / len(said))


@given(LABELLED)
def test_every_response_lies_in_its_own_cell(pairs: list[tuple[int, int]]) -> None:
    gold, said = (list(column) for column in zip(*pairs, strict=True))
    # From the definition, in the order of the attributes of Confusion.
    order = [(1, 1), (1, 0), (1, -1), (0, 0), (0, 1), (0, -1)]
    table = cells(gold, said)
    assert table.tolist() == [[int(pair == cell) for cell in order] for pair in pairs]
    assert confusion(gold, said) == Confusion(*(pairs.count(cell) for cell in order))


@pytest.mark.parametrize(("label", "error_recall"), [(1, math.nan), (0, 0.5)])
def test_with_one_class_only_what_needs_both_is_no_number(label: int, error_recall: float) -> None:
    found = scores(confusion([label, label], [label, 1 - label]))
    assert all(math.isnan(x) for x in (found.precision, found.recall, found.macro_f1))
    assert (found.accuracy, found.coverage) == (0.5, 1.0)
    assert (found.error_recall, found.error_precision) == pytest.approx((error_recall, 2 * error_recall), nan_ok=True)


def test_a_method_that_never_has_a_verdict_scores_0_and_covers_nothing() -> None:
    found = scores(confusion([1, 0, 0], [-1, -1, -1]))
    assert {getattr(found, name) for name in NAMES} == {0.0}


def test_nothing_at_all_has_no_scores() -> None:
    assert confusion([], []) == Confusion(0, 0, 0, 0, 0, 0)
    assert all(math.isnan(x) for x in score_arrays(np.zeros((1, 6)))[0])


@given(SUPPORTED)
def test_auroc_and_average_precision_are_scikit_learns_of_the_ungrounded_class(pairs: list[tuple[int, float]]) -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    gold, supports = (np.array(column) for column in zip(*pairs, strict=True))
    assume(np.unique(gold).size == 2)
    assert auroc(gold, supports) == pytest.approx(roc_auc_score(1 - gold, 1 - supports))
    # The same area as of the grounded class; its average precision is another.
    assert auroc(gold, supports) == pytest.approx(roc_auc_score(gold, supports))
    assert average_precision(gold, supports) == pytest.approx(average_precision_score(1 - gold, 1 - supports))


def test_responses_without_a_support_are_left_out_of_ranking() -> None:
    gold, supports = [1, 0, 1, 0, 0], [0.9, 0.2, math.nan, math.nan, 0.95]
    assert auroc(gold, supports) == auroc([1, 0, 0], [0.9, 0.2, 0.95]) == 0.5
    # Wrong ones first: the second of two is right at rank 3.
    assert average_precision(gold, supports) == pytest.approx((1 + 2 / 3) / 2)
    assert assessed(gold, supports)[0].tolist() == [1, 0, 0]


@pytest.mark.parametrize(("gold", "supports"), [([], []), ([1, 1], [0.2, 0.3]), ([1, 0], [0.2, math.nan])])
def test_one_class_with_supports_has_no_ranking(gold: list[int], supports: list[float]) -> None:
    assert math.isnan(auroc(gold, supports))
    assert math.isnan(average_precision(gold, supports))


def test_every_state_is_counted_and_truncation_of_scored_responses_alone() -> None:
    order = tuple(Status)
    codes = [PENDING, *(order.index(s) for s in (Status.SCORED, Status.SCORED, Status.INVALID, Status.FAILED, Status.FAILED))]
    codes += [order.index(Status.ABSTAINED), order.index(Status.NOT_ASSESSABLE), order.index(Status.SCORED)]
    seen = [math.nan, 1.0, 0.4, 0.4, 0.0, 0.0, 1.0, 0.0, 0.999]
    assert coverage(codes, seen) == Coverage(
        total=9, scored=3, invalid=1, abstained=1, not_assessable=1, failed=2, truncated=2, pending=1
    )


@each(
    ("measure", "gold", "verdicts", "message"),
    [
        (confusion, [1, 0], [1], "as many verdicts as labels, got 1 and 2"),
        (confusion, [1, -1], [1, 1], "got -1; leave unlabelled responses out"),
        (confusion, [1, 0], [1, -2], "a verdict must be 1 .* got -2"),
        (auroc, [1, 0], [0.5], "as many supports as labels, got 1 and 2"),
        (auroc, [1, -1], [0.5, 0.5], "leave unlabelled responses out"),
        (auroc, [1, 0], [0.5, 1.5], "must lie in 0..1 or be NaN, got 0.5 to 1.5"),
        (auroc, [1, 0], [-0.1, 0.5], "must lie in 0..1 or be NaN, got -0.1 to 0.5"),
    ],
)
def test_what_means_nothing_is_refused(
    measure: Callable[..., object], gold: list[int], verdicts: list[float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        measure(gold, verdicts)
