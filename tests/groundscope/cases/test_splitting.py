"""Splits by query and samples: shares, strata, the same for the same seed, and no query in two splits."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.error_types import TypeCount, type_counts
from groundscope.cases.splitting import SHARES, SplitCount, sampled, split_counts, tuned_on_dev, with_splits
from groundscope.errors import DataError
from groundscope.types import Case, ErrorSpan, ErrorType, Passage
from tests.loops import each


def case(number: int, group: str, grounded: bool | None = True, split: str | None = None) -> Case:
    return Case(f"c{number}", "", (Passage("p", "x"),), "y", grounded=grounded, split=split, group=group)


SETS = st.lists(st.tuples(st.integers(0, 20), st.sampled_from([True, False, None])), min_size=1, max_size=60).map(
    lambda found: [case(i, f"g{group}", grounded) for i, (group, grounded) in enumerate(found)]
)


def made(queries: int, responses: int = 2, areas: int = 1) -> list[Case]:
    """Queries of several responses each, grounded and ungrounded by turns."""
    return [
        Case(f"q{q}-{r}", f"Question {q}?", (Passage("p", "t"),), f"a {r}", grounded=r % 2 == 0, area=f"area {q % areas}")
        for q in range(queries)
        for r in range(responses)
    ]


def test_the_papers_queries_come_within_one_of_the_papers_splits() -> None:
    # 573 queries: the paper has 400, 58 and 115.
    counts = {s.split: s.queries for s in split_counts(with_splits(made(573, 1)))}
    assert counts == {"train": 401, "dev": 57, "test": 115, "all": 573}


@given(st.integers(3, 60), st.integers(1, 3), st.integers(0, 9), st.sampled_from([(70, 10, 20), (50, 25, 25), (34, 33, 33)]))
def test_every_split_has_its_share_of_the_queries(queries: int, areas: int, seed: int, shares: tuple[int, ...]) -> None:
    cases = made(queries, 2, areas)
    found = with_splits(cases, dict(zip(SHARES, shares, strict=True)), seed)
    assert [replace(c, split=None) for c in found] == cases
    by_query = {(c.query, c.split) for c in found}
    assert len(by_query) == queries
    counts = Counter(split for _, split in by_query)
    for split, share in zip(SHARES, shares, strict=True):
        assert counts[split] >= 1
        # Where a small split was given one query at least, another one may lack two.
        assert abs(counts[split] - queries * share / 100) <= 2
    # Neither the order of the rows nor their old splits decide anything.
    again = with_splits([replace(c, split="test") for c in reversed(cases)], dict(zip(SHARES, shares, strict=True)), seed)
    assert {c.id: c.split for c in again} == {c.id: c.split for c in found}


def test_each_area_and_each_pattern_of_labels_has_its_share() -> None:
    cases = [replace(c, grounded=True) if c.area == "area 0" else c for c in made(200, 2, 2)]
    found = with_splits(cases, seed=4)
    for area in ("area 0", "area 1"):
        counts = Counter(c.split for c in found if c.area == area)
        assert {split: counts[split] // 2 for split in SHARES} == {"train": 70, "dev": 10, "test": 20}


def test_responses_of_a_group_a_parent_or_a_question_stay_together() -> None:
    base = made(30, 1)
    tied = [
        replace(base[0], id="variant", query="Another?", parent=base[0].id),
        replace(base[0], id="grandchild", query="A third?", parent="variant"),
        replace(base[1], id="same question", query=f"  {base[1].query.upper()} "),
        replace(base[2], id="g1", query="One?", group="g"),
        replace(base[2], id="g2", query="Two?", group="g"),
        # Without questions the same sources tie.
        *(replace(base[3], id=f"none {i}", query="") for i in range(20)),
        *(replace(base[3], id=f"other {i}", query="", context=(Passage("p", f"Rule {i}."),)) for i in range(20)),
    ]
    for seed in range(8):
        split = {c.id: c.split for c in with_splits([*base, *tied], seed=seed)}
        assert split["q0-0"] == split["variant"] == split["grandchild"]
        assert split["q1-0"] == split["same question"]
        assert split["g1"] == split["g2"]
        assert len({split[f"none {i}"] for i in range(20)}) == 1
        assert len({split[f"other {i}"] for i in range(20)}) > 1


def test_a_split_can_stay_empty_and_each_other_one_needs_a_query() -> None:
    assert {c.split for c in with_splits(made(9), {"train": 80, "dev": 0, "test": 20})} == {"train", "test"}
    with pytest.raises(DataError, match="There are 2 queries, and each split needs one"):
        with_splits(made(2))


@each("shares", [{}, {"dev": 0.0}, {"dev": -1.0, "test": 2.0}, {"dev": float("nan")}, {"dev": float("inf")}])
def test_shares_that_mean_nothing_are_refused(shares: dict[str, float]) -> None:
    with pytest.raises(DataError, match="above 0"):
        with_splits([case(0, "g")], shares)


@given(SETS, st.integers(1, 70), st.integers(0, 3))
def test_a_sample_is_of_whole_queries_and_about_as_large_as_asked(cases: list[Case], count: int, seed: int) -> None:
    found = sampled(cases, count, seed)
    assert found == sampled(cases, count, seed)
    places = [cases.index(c) for c in found]
    assert places == sorted(set(places))
    assert found
    groups = Counter(c.group for c in cases)
    drawn = Counter(c.group for c in found)
    assert all(drawn[g] == groups[g] or groups[g] > count for g in drawn)
    splits = len({c.split for c in cases})
    assert abs(len(found) - min(count, len(cases))) <= max(groups.values()) * splits


def test_another_seed_gives_other_splits_and_another_sample_of_the_same_shares() -> None:
    assert len({tuple(c.split for c in with_splits(made(50), seed=seed)) for seed in range(5)}) == 5
    cases = [case(i, f"g{i}", split="dev" if i < 50 else "test") for i in range(200)]
    one, other = sampled(cases, 40, 1), sampled(cases, 40, 2)
    assert Counter(c.split for c in one) == {"dev": 10, "test": 30} == Counter(c.split for c in other)
    assert one != other
    with pytest.raises(ValueError, match="at least 1"):
        sampled(cases, 0)


@each(
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


FACT, STEP, TERM = ErrorType.FACTUAL_INACCURACY, ErrorType.PROCEDURAL_ERROR, ErrorType.TERMINOLOGICAL_ERROR


def labelled(split: str | None = None, query: str = "q", response: str = "It is.", **fields: Any) -> Case:
    return Case("c", query, (Passage("p", "A text."),), response, split=split, **fields)


def error(kind: ErrorType, contradicted: bool | None = None) -> ErrorSpan:
    return ErrorSpan(0, 2, kind, contradicted=contradicted)


def test_a_set_is_counted_by_split_and_in_all() -> None:
    cases = [
        labelled("test", grounded=True, group="g1", response="It is. It was."),
        labelled("dev", grounded=True, group="g2"),
        labelled("dev", grounded=False, group="g2", errors=(error(FACT), error(STEP))),
        labelled("dev", group="g3", response="# Rule\n\nIt is. It was."),
    ]
    assert split_counts(cases) == [
        SplitCount("dev", queries=2, responses=3, grounded=1, ungrounded=1, sentences=4, errors=2),
        SplitCount("test", queries=1, responses=1, grounded=1, ungrounded=0, sentences=2, errors=0),
        SplitCount("all", queries=3, responses=4, grounded=2, ungrounded=1, sentences=6, errors=2),
    ]


def test_splits_come_in_their_usual_order_those_without_one_last_and_a_sum_where_there_are_several() -> None:
    cases = [labelled(s) for s in ("test", None, "zeta", "dev", "other", "train")]
    assert [c.split for c in split_counts(cases)] == ["train", "dev", "test", "other", "zeta", "no split", "all"]
    assert [c.split for c in split_counts([labelled("test"), labelled("test")])] == ["test"]
    assert split_counts([]) == []


def test_queries_without_a_group_are_reported_apart_by_their_words() -> None:
    (found,) = split_counts([labelled(query="a"), labelled(query="a"), labelled(query="b"), labelled(query="b", group="g")])
    assert found.queries == 3


def test_errors_are_counted_by_type_and_split() -> None:
    cases = [
        labelled("dev", errors=(error(FACT, True), error(FACT, False), error(STEP))),
        labelled("test", errors=(error(FACT, True),)),
        labelled(errors=(error(TERM, False),)),
        labelled("dev"),
    ]
    found = type_counts(cases)
    assert [c.type for c in found] == list(ErrorType)
    assert [c for c in found if c.total] == [
        TypeCount(FACT, {"dev": 2, "test": 1}, total=3, contradicted=2),
        TypeCount(STEP, {"dev": 1}, total=1, contradicted=0),
        TypeCount(TERM, {"": 1}, total=1, contradicted=0),
    ]
