"""The search for the smallest set, against all sets of small cases."""

from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.grounding.sensitivity.smallest import Minimality, smallest

Sets = frozenset[frozenset[int]]
_MEMBERS = range(6)
_families = st.frozensets(st.frozensets(st.sampled_from(_MEMBERS)), max_size=8)


def above(family: Sets) -> Callable[[frozenset[int]], bool]:
    return lambda members: any(one <= members for one in family)


@given(_families, st.permutations(_MEMBERS))
def test_with_enough_tests_it_is_one_of_the_smallest(family: Sets, ranked: list[int]) -> None:
    holds = above(family)
    found = smallest(ranked, holds, most=200)
    if not holds(frozenset(_MEMBERS)):
        assert found is None
        return
    assert found
    assert holds(frozenset(found.members))
    assert found.minimality is Minimality.SMALLEST
    assert len(found.members) == min(map(len, family))
    assert [m for m in ranked if m in found.members] == list(found.members)


@given(st.frozensets(st.frozensets(st.sampled_from(_MEMBERS)), min_size=1), st.integers(2, 40))
def test_whatever_the_tests_allow_it_holds_and_is_as_small_as_it_says(chosen: Sets, most: int) -> None:
    # Not monotone: what holds need not hold with more.
    asked: list[frozenset[int]] = []

    def holds(members: frozenset[int]) -> bool:
        asked.append(members)
        return members in chosen or len(members) == len(_MEMBERS)

    found = smallest(_MEMBERS, holds, most=most)
    assert found
    assert len(asked) == len(set(asked)) == found.tests <= most
    members = frozenset(found.members)
    assert holds(members)
    if found.minimality is not Minimality.UNFINISHED:
        assert not any(holds(members - {m}) for m in members)
    if found.minimality is Minimality.SMALLEST:
        assert not any(holds(frozenset(some)) for size in range(len(members)) for some in combinations(_MEMBERS, size))


def test_what_it_says_when_not_all_smaller_sets_can_be_tested() -> None:
    wanted = frozenset({3, 50, 97})
    found = smallest(range(100), lambda some: wanted <= some, most=100)
    assert found
    assert found.members == (3, 50, 97) or found.minimality is Minimality.UNFINISHED
    few = smallest(range(100), lambda some: wanted <= some, most=9)
    assert few
    assert wanted <= set(few.members)
    assert few.minimality is Minimality.UNFINISHED
    many = smallest([3, 50, 97, *range(200, 400)], lambda some: wanted <= some, most=100)
    assert many
    assert many.members == (3, 50, 97)
    assert many.minimality is Minimality.IRREDUCIBLE


def test_one_test_is_too_few() -> None:
    with pytest.raises(ValueError, match="most must be at least 2, got 1"):
        smallest([1], lambda some: True, most=1)
