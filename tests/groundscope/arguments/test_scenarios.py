"""Scenarios: what each test promises, over thousands of seeds, and files of them."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.scenarios import broken, from_row, least_and_most, make, make_all, read_scenarios, to_jsonl, to_row
from groundscope.arguments.types import Catalogue, Factor, Precedent, Scenario, Side, Test
from groundscope.errors import DataError


def _tiny(size: int) -> Catalogue:
    return Catalogue(
        "Tiny", tuple(Factor(n, f"Name-{n}", Side.PLAINTIFF if n % 2 else Side.DEFENDANT) for n in range(1, size + 1))
    )


def _sides(numbers: set[int], side: Side, catalogue: Catalogue) -> set[int]:
    return {n for n in numbers if catalogue.by_number[n].side is side}


@given(st.integers(0, 10**9), st.sampled_from([2, 3, 5, 8, 12]), st.sampled_from(list(Test)))
def test_every_scenario_keeps_what_its_test_promises(seed: int, complexity: int, test: Test) -> None:
    for s in make(TRADE_SECRETS, test, 10, complexity, seed):
        for case in s.cases:
            assert complexity - 1 <= len(case) <= complexity + 1
            assert len(set(case)) == len(case)
            assert set(case) <= set(TRADE_SECRETS.by_number)
            assert list(case) == sorted(case)
        assert s.size == len(s.current) + len(s.tsc1.factors) + len(s.tsc2.factors)
        current = set(s.current)
        if test is Test.NON_ARGUABLE:
            assert not current & (set(s.tsc1.factors) | set(s.tsc2.factors))
            assert (s.tsc1.winner, s.tsc2.winner) == (Side.PLAINTIFF, Side.DEFENDANT)
            continue
        swapped = test is Test.REORDERED
        theirs = (s.tsc2, s.tsc1) if swapped else (s.tsc1, s.tsc2)
        assert [c.winner for c in theirs] == [Side.PLAINTIFF, Side.DEFENDANT]
        for precedent in theirs:
            assert _sides(current & set(precedent.factors), precedent.winner, TRADE_SECRETS)


@pytest.mark.parametrize("test", list(Test))
def test_the_same_seed_gives_the_same_scenarios_and_more_begin_with_fewer(test: Test) -> None:
    assert make(TRADE_SECRETS, test, 20, 5, 3)[:7] == make(TRADE_SECRETS, test, 7, 5, 3)
    assert make(TRADE_SECRETS, test, 20, 5, 3) != make(TRADE_SECRETS, test, 20, 5, 4)


def test_a_draw_is_pinned() -> None:
    (s,) = make(TRADE_SECRETS, Test.ARGUABLE, 1, 5, 0)
    assert (s.current, s.tsc1.factors, s.tsc2.factors) == ((2, 12, 15, 25), (2, 11, 12, 15), (13, 14, 17, 20, 25))
    assert (s.tsc1.winner, s.tsc2.winner) == (Side.PLAINTIFF, Side.DEFENDANT)
    assert s.id == "arguable-k5-s0-001"


def test_a_reordered_scenario_is_the_arguable_one_with_precedents_and_outcomes_swapped() -> None:
    pairs = zip(make(TRADE_SECRETS, Test.ARGUABLE, 50, 5), make(TRADE_SECRETS, Test.REORDERED, 50, 5), strict=True)
    for arguable, reordered in pairs:
        assert (reordered.current, reordered.tsc1, reordered.tsc2) == (arguable.current, arguable.tsc2, arguable.tsc1)
        assert reordered.draw == arguable.draw


def test_sizes_are_uniform_and_precedents_are_not_always_alike() -> None:
    found = make(TRADE_SECRETS, Test.NON_ARGUABLE, 900, 5)
    sizes = Counter(len(case) for s in found for case in s.cases)
    assert set(sizes) == {4, 5, 6}
    # 2,700 draws of three sizes: 900 each, give or take 5 standard deviations.
    assert all(abs(n - 900) < 5 * (2_700 * 2 / 9) ** 0.5 for n in sizes.values())
    shared = Counter(len(s.shared("tsc1")) for s in make(TRADE_SECRETS, Test.ARGUABLE, 300, 5))
    assert len(shared) >= 4


@given(st.integers(0, 10**6), st.sampled_from(list(Test)))
def test_a_small_catalogue_serves_as_well(seed: int, test: Test) -> None:
    small = _tiny(8)
    low, high = least_and_most(small)
    assert (low, high) == (2, 3)
    for k in (low, high):
        assert all(broken(s, small) == "" for s in make(small, test, 5, k, seed))


def test_numbers_out_of_their_range_are_refused() -> None:
    for count, k in ((0, 5), (1_001, 5), (1, 1), (1, 13)):
        with pytest.raises(ValueError, match="must be from"):
            make(TRADE_SECRETS, Test.ARGUABLE, count, k)
    for size, test, needed in ((2, Test.ARGUABLE, 3), (3, Test.NON_ARGUABLE, 6), (5, Test.NON_ARGUABLE, 6)):
        with pytest.raises(DataError, match=f"need at least {needed} factors, and Tiny has {size}; add factors to it"):
            make(_tiny(size), test, 30, 2)
    assert len(make(_tiny(3), Test.ARGUABLE, 30, 2)) == len(make(_tiny(6), Test.NON_ARGUABLE, 30, 2)) == 30
    lopsided = Catalogue("x", tuple(Factor(n, f"Name-{n}", Side.PLAINTIFF) for n in range(1, 27)))
    with pytest.raises(DataError, match="needs more factors on each side"):
        make(lopsided, Test.ARGUABLE, 1, 5)


def test_a_scenario_that_breaks_its_promise_is_reported() -> None:
    p, d = Side.PLAINTIFF, Side.DEFENDANT
    told = {
        "has no factor": Scenario("a", Test.ARGUABLE, (), Precedent((4,), p), Precedent((1,), d)),
        "names a factor twice": Scenario("a", Test.ARGUABLE, (4, 4, 1), Precedent((4,), p), Precedent((1,), d)),
        "not in the catalogue": Scenario("a", Test.ARGUABLE, (4, 1, 9), Precedent((4,), p), Precedent((1,), d)),
        "TSC1 is won by the plaintiff": Scenario("a", Test.ARGUABLE, (4, 1), Precedent((4,), d), Precedent((1,), p)),
        "TSC1 shares no factor": Scenario("a", Test.ARGUABLE, (4, 1), Precedent((1,), p), Precedent((1,), d)),
        "TSC2 shares no factor": Scenario("a", Test.ARGUABLE, (4, 1), Precedent((4,), p), Precedent((4,), d)),
        "is not non-arguable": Scenario("a", Test.NON_ARGUABLE, (4, 1), Precedent((6,), p), Precedent((1,), d)),
    }
    for words, scenario in told.items():
        assert words in broken(scenario, TRADE_SECRETS)


def test_scenarios_come_back_from_their_file() -> None:
    made = make_all(TRADE_SECRETS, list(Test), 20, [2, 5, 12], 7)
    text = to_jsonl(made, TRADE_SECRETS)
    assert read_scenarios("a.jsonl", text.encode(), TRADE_SECRETS).scenarios == tuple(made)
    assert "F4 Agreed-not-to-disclose (P)" in text


def test_numbers_alone_are_read_and_what_does_not_fit_is_rejected_by_row() -> None:
    good = {"id": "a", "test": "arguable", "current": [4, "F1"], "tsc1": {"factors": ["f4"], "winner": "p"}}
    good |= {"tsc2": {"factors": ["F1 disclosure in negotiations (d)"], "winner": "D"}}  # type: ignore[dict-item]
    bad = [
        {**good, "id": "b", "current": [4, 1, 9]},
        {**good, "id": "c", "current": ["F4 Security-measures (P)", 1]},
        {**good, "id": "d", "current": ["F4 Agreed-not-to-disclose (D)", 1]},
        {**good, "id": "e", "test": "hard"},
        {**good, "id": "f", "tsc1": {"factors": [4], "winner": "X"}},
        {**good, "id": "f", "tsc2": {"factors": [1], "winner": "Draw"}},
        {**good, "id": "f", "tsc1": {"factors": [4], "winner": "pending"}},
        {**good, "id": "g", "tsc1": [4]},
        {**good, "id": "h", "current": [True, 1]},
        {**good, "id": "i", "tsc1": {"factors": [6], "winner": "P"}},
        good,
        {k: v for k, v in good.items() if k != "id"},
        {**good, "id": " "},
        {**good, "id": "j", "complexity": 10_001},
    ]
    data = "\n".join(json.dumps(r) for r in [good, *bad]).encode()
    read = read_scenarios("s.jsonl", data, TRADE_SECRETS)
    assert [s.cases for s in read.scenarios] == [((1, 4), (4,), (1,))]
    assert [r.row for r in read.rejected] == list(range(2, 16))
    for words, row in zip(
        ("no factor of the catalogue", "another name or side", "another name or side", "'test' must be", "'winner' of 'tsc1'",
         "'winner' of 'tsc2' must be P or D (plaintiff or defendant).", "'winner' of 'tsc1'",
         "'tsc1' must be an object", "no factor of the catalogue", "TSC1 shares no factor", "an earlier row", "'id' is missing",
         "'id' is missing", "from 0 to 10,000"),
        read.rejected, strict=True,
    ):  # fmt: skip
        assert words in row.reason
    with pytest.raises(DataError, match=r"s.jsonl, row 1: 'test' must be"):
        read_scenarios("s.jsonl", json.dumps({**good, "test": "x"}).encode(), TRADE_SECRETS)


def test_a_row_says_who_won() -> None:
    (s,) = make(TRADE_SECRETS, Test.REORDERED, 1, 5)
    row = to_row(s, TRADE_SECRETS)
    assert (row["tsc1"]["winner"], row["tsc2"]["winner"]) == ("D", "P")
    named = row | {"tsc1": row["tsc1"] | {"winner": " Defendant"}, "tsc2": row["tsc2"] | {"winner": "plaintiff"}}
    assert from_row(named, TRADE_SECRETS) == s


def test_a_complexity_that_is_not_known_is_no_number() -> None:
    (s,) = make(TRADE_SECRETS, Test.ARGUABLE, 1, 5)
    row = to_row(s, TRADE_SECRETS)
    for unknown in (row | {"complexity": None}, {k: v for k, v in row.items() if k != "complexity"}):
        read = from_row(unknown, TRADE_SECRETS)
        assert read.complexity == 0
        assert to_row(read, TRADE_SECRETS)["complexity"] is None
