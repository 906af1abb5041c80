"""Metrics of a triple against a brute-force count, and what each built-in arguer's flaw costs."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.arguments.arguers import ARGUERS, arguer
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.extraction import exact, of_sets
from groundscope.arguments.scenarios import make_all
from groundscope.arguments.scoring import Score, Weights, agreement, score
from groundscope.arguments.types import Precedent, Scenario, Side, Test

NUMBERS = [f.number for f in TRADE_SECRETS.factors]
KEYS = [*(f.key for f in TRADE_SECRETS.factors), "F9", "F99", "trade-licence"]


def scenario(*cases: Sequence[int], test: Test = Test.ARGUABLE) -> Scenario:
    current, first, second = (tuple(sorted(c)) for c in cases)
    return Scenario("s", test, current, Precedent(first, Side.PLAINTIFF), Precedent(second, Side.DEFENDANT))


def said(*sets: Sequence[str]) -> Score:
    return score(scenario([1, 4, 6], [4, 12], [1, 16]), of_sets([frozenset(s) for s in sets]))


def test_the_check_example_of_the_paper() -> None:
    # GT {F1, F4, F6} and Ext {F4, F6, F10} in one case: one invented, two used.
    found = said(["F4", "F6", "F10"], [], [])
    assert (found.hallucinated, sum(map(len, found.used)), found.size) == (1, 2, 7)
    assert found.acc_h == pytest.approx(1 - 1 / 7)
    assert found.rec_u == pytest.approx(2 / 7)
    assert found.invented == (frozenset({"F10"}), frozenset(), frozenset())


def test_what_another_case_has_is_reported_apart_from_what_none_has() -> None:
    found = said(["F12", "F9"], ["F6"], [])
    assert found.wrong_case == (frozenset({"F12"}), frozenset({"F6"}), frozenset())
    assert found.invented == (frozenset({"F9"}), frozenset(), frozenset())
    assert found.hallucinated == 3


def test_what_no_one_used_is_what_was_said_of_none_of_its_cases() -> None:
    assert said(["F4"], [], []).unused == {"F1", "F6", "F12", "F16"}


_sets = st.lists(st.frozensets(st.sampled_from(KEYS), max_size=12), min_size=3, max_size=3)
_cases = st.lists(st.frozensets(st.sampled_from(NUMBERS), min_size=1, max_size=10), min_size=3, max_size=3)


@given(_cases, _sets, st.sampled_from(list(Test)))
def test_the_metrics_are_those_of_a_brute_force_count(
    cases: list[frozenset[int]], sets: list[frozenset[str]], test: Test
) -> None:
    found = score(scenario(*[sorted(c) for c in cases], test=test), of_sets(sets))
    total = wrong = used = 0
    for true, extracted in zip(cases, sets, strict=True):
        for n in NUMBERS:
            total += n in true
            used += n in true and f"F{n}" in extracted
        for key in extracted:
            wrong += not any(f"F{n}" == key for n in true)
    assert found.size == total
    assert found.acc_h == 1 - wrong / total
    assert found.rec_u == used / total
    assert found.abstained == (sum(map(len, sets)) == 0)
    assert found.should_abstain == (test is Test.NON_ARGUABLE)
    assert sum(map(len, found.missed)) == total - used
    assert found.weighted_recall(Weights(), TRADE_SECRETS) == pytest.approx(found.rec_u)


def test_weighted_recall_counts_factors_by_side() -> None:
    # True: P F4 F6 | F4 F12; D F1 | F1 F16. Used: F4 of the current case, F1 of TSC2.
    found = said(["F4"], [], ["F1"])
    assert found.weighted_recall(Weights(2, 1), TRADE_SECRETS) == pytest.approx((2 + 1) / (4 * 2 + 3))
    assert found.weighted_recall(Weights(0, 1), TRADE_SECRETS) == pytest.approx(1 / 3)
    assert found.weighted_recall(Weights(0, 0), TRADE_SECRETS) is None


def test_agreement_counts_sets_and_pairs() -> None:
    one = of_sets([frozenset({"F1", "F2"}), frozenset(), frozenset({"F4"})])
    other = of_sets([frozenset({"F2", "F3"}), frozenset(), frozenset({"F4"})])
    assert agreement(one, other) == (2, 3, 2, 1, 1)
    assert agreement(one, other).share == 0.5
    nothing = of_sets([frozenset()] * 3)
    assert agreement(nothing, nothing).share is None


SCENARIOS = make_all(TRADE_SECRETS, list(Test), 30, [2, 3, 5, 8, 12], 0)
"""450 of them: every test and every complexity."""


@pytest.mark.parametrize("name", [a.id for a in ARGUERS])
def test_a_faithful_arguer_is_perfect_and_each_flaw_costs_exactly_what_it_is(name: str) -> None:
    made = arguer(name)
    for s in SCENARIOS:
        found = score(s, exact(made.argue(s, TRADE_SECRETS).plies, TRADE_SECRETS))
        wrong, missed = found.hallucinated, sum(map(len, found.missed))
        assert found.acc_h == 1 - wrong / s.size
        assert found.rec_u == pytest.approx(1 - missed / s.size, abs=1e-12)
        if s.test is Test.NON_ARGUABLE and name != "never-abstains":
            assert (found.abstained, wrong) == (True, 0)
            continue
        unused = len(NUMBERS) - len({n for case in s.cases for n in case})
        differ = int(s.tsc1.factors != s.tsc2.factors)
        expected = {
            "faithful": (0, 0),
            "invents": (min(2, unused), 0),
            "omits": (0, 3),
            "misattributes": (differ, differ),
            "never-abstains": (0, 0),
        }
        assert (wrong, missed) == expected[name], s
        assert found.abstained is (missed == s.size)


def test_there_is_no_other_arguer() -> None:
    with pytest.raises(ValueError, match="there are faithful, invents"):
        arguer("clever")
