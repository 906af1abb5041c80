"""Kappa and alpha against figures of the literature, against other libraries, and against a bootstrap written out by hand."""

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from groundscope.statistics.bootstrap import resamples
from groundscope.statistics.raters import cohen_kappa, krippendorff_alpha, rater_agreement

_ = -1
KRIPPENDORFF_2011 = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
"""Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: nominal alpha 0.743."""


def test_alpha_of_the_papers_example() -> None:
    ratings = np.array([[n - 1 if n > 0 else -1 for n in row] for row in KRIPPENDORFF_2011])
    found = rater_agreement(ratings, 5, [str(i) for i in range(12)], resamples([str(i) for i in range(12)], 200))
    assert round(found.alpha, 3) == 0.743
    assert found.items == 11, "the last item has one rating"
    assert math.isnan(found.kappa), "four raters have no Cohen's kappa"
    assert found.alpha_interval.low < found.alpha < found.alpha_interval.high


def test_kappa_of_cohens_example() -> None:
    """Cohen 1960, table 1 in counts of 200: two clinicians, three diagnoses, kappa 0.492."""
    assert round(float(cohen_kappa([[88, 14, 18], [10, 40, 10], [2, 6, 12]])), 3) == 0.492


def rated(seed: int, raters: int, items: int, values: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, values, items)
    made = np.where(rng.random((raters, items)) < 0.7, truth, rng.integers(0, values, (raters, items)))
    made[rng.random((raters, items)) < 0.15] = -1
    return made


@given(seed=st.integers(0, 10_000), raters=st.integers(2, 4), values=st.integers(2, 6), items=st.integers(2, 60))
def test_figures_are_those_of_other_libraries(seed: int, raters: int, values: int, items: int) -> None:
    ratings = rated(seed, raters, items, values)
    groups = [str(i % 7) for i in range(items)]
    found = rater_agreement(ratings, values, groups, resamples(groups, 5))
    both = ratings[:, (ratings[:2] >= 0).all(axis=0)]
    if raters == 2 and both.shape[1]:
        wanted = cohen_kappa_score(both[0], both[1], labels=range(values)) if len(np.unique(both)) > 1 else math.nan
        assert found.kappa == pytest.approx(wanted, abs=1e-9, nan_ok=True)
        assert found.share == pytest.approx(float((both[0] == both[1]).mean()))
        assert found.items == both.shape[1]
    pairable = np.where(ratings < 0, np.nan, ratings.astype(float))[:, (ratings >= 0).sum(axis=0) > 1]
    if len(np.unique(pairable[~np.isnan(pairable)])) > 1:
        wanted = krippendorff.alpha(pairable, value_domain=list(range(values)), level_of_measurement="nominal")
        assert found.alpha == pytest.approx(float(wanted), abs=1e-9)
    else:
        assert math.isnan(found.alpha)


def test_intervals_are_those_of_a_bootstrap_by_hand() -> None:
    ratings = rated(3, 2, 120, 3)
    groups = np.arange(120) // 6
    draws = resamples(groups, 300, seed=4)
    found = rater_agreement(ratings, 3, groups, draws)
    kappas, alphas, shares = [], [], []
    for draw in draws:
        picked = np.concatenate([np.flatnonzero(groups == g) for g, times in enumerate(draw) for _ in range(times)])
        once = ratings[:, picked]
        once = once[:, (once >= 0).all(axis=0)]
        kappas.append(cohen_kappa_score(once[0], once[1]))
        shares.append((once[0] == once[1]).mean())
        alphas.append(krippendorff_alpha((once[:, :, None] == np.arange(3)).sum(axis=0)))
    for interval, values in ((found.kappa_interval, kappas), (found.alpha_interval, alphas), (found.share_interval, shares)):
        assert [interval.low, interval.high] == pytest.approx(np.quantile(values, [0.025, 0.975]).tolist(), abs=1e-9)


def test_nothing_in_common_has_no_figures() -> None:
    found = rater_agreement([[0, -1], [-1, 1]], 2, ["a", "b"], resamples(["a", "b"], 20))
    assert found.items == 0
    assert all(map(math.isnan, (found.share, found.kappa, found.alpha, found.kappa_interval.low, found.share_interval.high)))


def test_raters_who_always_agree_on_few_queries_are_not_certain_to() -> None:
    ratings = np.array([[0, 1, 0, 1, 0], [0, 1, 0, 1, 0]])
    found = rater_agreement(ratings, 2, list("abcde"), resamples(list("abcde")))
    # Wilson's interval of 5 of 5 begins at 56.6 %; by chance they agree on (0.6² + 0.4²) of the items.
    share = 5 / (5 + 1.959964**2)
    assert (found.share_interval.low, found.share_interval.high) == (pytest.approx(share), 1)
    for interval in (found.kappa_interval, found.alpha_interval):
        assert (interval.low, interval.high) == (pytest.approx(1 - (1 - share) / (1 - 0.52)), 1)


def test_one_value_alone_has_a_share_and_no_kappa() -> None:
    found = rater_agreement([[1, 1, 1], [1, 1, 1]], 2, ["a", "b", "c"], resamples(["a", "b", "c"], 20))
    assert found.share == 1
    assert math.isnan(found.kappa)
    assert math.isnan(found.alpha)


def test_a_value_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match=r"0\.\.1"):
        rater_agreement([[0, 2], [0, 1]], 2, ["a", "b"], resamples(["a", "b"], 5))
