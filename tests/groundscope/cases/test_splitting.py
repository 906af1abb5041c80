"""Splits by query and samples: what stays together, what each part gets, and that a seed decides."""

from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.splitting import SHARES, sampled, tuned_on_dev, with_splits
from groundscope.types import Case, Passage


def case(number: int, group: str, grounded: bool | None = True, split: str | None = None) -> Case:
    return Case(f"c{number}", "", (Passage("p", "x"),), "y", grounded=grounded, split=split, group=group)


SETS = st.lists(st.tuples(st.integers(0, 20), st.sampled_from([True, False, None])), min_size=1, max_size=60).map(
    lambda found: [case(i, f"g{group}", grounded) for i, (group, grounded) in enumerate(found)]
)


@given(SETS, st.integers(0, 5))
def test_a_query_stays_in_one_split_and_a_seed_gives_the_same_again(cases: list[Case], seed: int) -> None:
    found = with_splits(cases, seed=seed)
    assert found == with_splits(cases, seed=seed)
    assert [c.id for c in found] == [c.id for c in cases]
    places = defaultdict(set)
    for one in found:
        places[one.group].add(one.split)
    assert all(len(splits) == 1 for splits in places.values())
    # No split is more than one query away from its share.
    counted = Counter(next(iter(splits)) for splits in places.values())
    assert all(abs(counted[name] - share * len(places)) < 1 + 1e-9 for name, share in SHARES.items())


def test_each_split_has_its_part_of_each_kind_of_query() -> None:
    cases = [case(i, f"g{i}", i % 2 == 0) for i in range(200)]
    found = Counter((c.split, c.grounded) for c in with_splits(cases, seed=3))
    assert found == {
        ("train", True): 70, ("train", False): 70, ("dev", True): 10, ("dev", False): 10, ("test", True): 20, ("test", False): 20,
    }  # fmt: skip


def test_another_seed_divides_otherwise_and_old_splits_do_not_count() -> None:
    cases = [case(i, f"g{i}") for i in range(60)]
    assert with_splits(cases, seed=1) != with_splits(cases, seed=2)
    assert with_splits([case(i, f"g{i}", split="test") for i in range(60)], seed=1) == with_splits(cases, seed=1)


def test_without_a_group_the_question_keeps_answers_together() -> None:
    cases = [Case(f"{q}{i}", q, (Passage("p", "x"),), "y") for q in "abcdefghij" for i in range(3)]
    found = with_splits(cases)
    assert all(len({c.split for c in found if c.query == q}) == 1 for q in "abcdefghij")


@pytest.mark.parametrize("shares", [{}, {"dev": 0.0}, {"dev": -1.0, "test": 2.0}, {"dev": float("nan")}, {"dev": float("inf")}])
def test_shares_that_mean_nothing_are_refused(shares: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="above 0"):
        with_splits([case(0, "g")], shares)


@given(SETS, st.integers(1, 70), st.integers(0, 3))
def test_a_sample_has_its_size_and_each_label_its_share(cases: list[Case], count: int, seed: int) -> None:
    found = sampled(cases, count, seed)
    assert found == sampled(cases, count, seed)
    assert len(found) == min(count, len(cases))
    places = [cases.index(c) for c in found]
    assert places == sorted(set(places))
    for label, size in Counter(c.grounded for c in cases).items():
        share = len(found) * size / len(cases)
        assert abs(sum(c.grounded is label for c in found) - share) < 1 + 1e-9


def test_splits_keep_their_share_and_another_seed_draws_others() -> None:
    cases = [case(i, f"g{i}", split="dev" if i < 50 else "test") for i in range(200)]
    one, other = sampled(cases, 40, 1), sampled(cases, 40, 2)
    assert Counter(c.split for c in one) == {"dev": 10, "test": 30} == Counter(c.split for c in other)
    assert one != other
    with pytest.raises(ValueError, match="at least 1"):
        sampled(cases, 0)


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (["train", "evaluation", "test"], ["train", "dev", "test"]),
        (["eval", None], ["dev", None]),
        (["dev", "evaluation"], ["dev", "evaluation"]),
        (["train", "test"], ["train", "test"]),
    ],
)
def test_evaluation_stands_for_dev_where_there_is_no_dev(there: list[str | None], expected: list[str | None]) -> None:
    assert [c.split for c in tuned_on_dev([case(i, "g", split=s) for i, s in enumerate(there)])] == expected
