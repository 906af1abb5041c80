"""Agreement against scikit-learn, and hard cases."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.grounding.agreement import agreement, hardness
from groundscope.grounding.runs.arrays import Bytes

verdicts = st.lists(st.tuples(*[st.integers(-1, 1)] * 3), min_size=1, max_size=40)


def as_array(rows: list[tuple[int, ...]]) -> Bytes:
    return np.array(rows, dtype=np.int8).T


@given(verdicts)
def test_share_and_kappa_are_scikit_learns_over_what_both_judged(rows: list[tuple[int, ...]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    said = as_array(rows)
    found = agreement(said)
    for i in range(3):
        for j in range(3):
            both = (said[i] >= 0) & (said[j] >= 0)
            first, second = said[i, both], said[j, both]
            assert found.shared[i, j] == both.sum()
            if not both.any():
                assert np.isnan(found.share[i, j])
                continue
            assert found.share[i, j] == pytest.approx((first == second).mean())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = cohen_kappa_score(first, second, labels=[0, 1])
            assert found.kappa[i, j] == pytest.approx(wanted, nan_ok=True)


def test_the_hardest_come_first_and_no_verdict_is_not_wrong() -> None:
    #                 right: 0 of 3     1 of 3     0 of 1       all        none judged
    said = as_array([(0, 0, 0), (1, 0, 0), (-1, 0, -1), (1, 1, 1), (-1, -1, -1)])
    found = hardness(said, np.array([1, 1, 1, 1, 1], dtype=np.int8))
    assert found.methods == 3
    assert found.at_most().tolist() == [0, 2]
    assert found.at_most(1).tolist() == [0, 2, 1]
    assert (found.everybody(), found.unjudged()) == (1, 1)


def test_a_method_without_any_verdict_does_not_keep_the_others_from_all_being_right() -> None:
    found = hardness(as_array([(1, -1), (0, -1)]), np.array([1, 1], dtype=np.int8))
    assert found.methods == 1
    assert found.everybody() == 1
    none = hardness(as_array([(-1, -1)]), np.array([1], dtype=np.int8))
    assert (none.methods, none.everybody(), none.at_most().size) == (0, 0, 0)
