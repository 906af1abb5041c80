"""Figures on parts of the responses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.grounding.comparing.comparisons import FEWEST, MOST, Slice, Slicing, by_area, by_length, slices
from groundscope.grounding.results import judged_cells
from groundscope.grounding.runs.arrays import RunData, Texts
from groundscope.grounding.tuning import starting_rules, verdicts
from groundscope.statistics.metrics import confusion, scores
from tests.groundscope.grounding.runs import made_cases, made_run, pending


def texts(*values: str) -> Texts:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


@pytest.fixture(scope="module")
def run() -> RunData:
    return made_run(made_cases(300), 3)


def sliced(run: RunData, parts: Slicing) -> tuple[Slice, ...]:
    rules = starting_rules(run)
    return slices(judged_cells(run, verdicts(run, rules), rules, run.rows()), run.gold, run.groups, parts)


def test_areas_are_reported_apart_by_law_and_where_there_is_one_by_jurisdiction() -> None:
    assert by_area(texts("Torts · Ohio", "Torts · Utah", "Labour", "")).names == ("Torts", "Labour", "(no area)")
    found = by_area(texts("Torts · Ohio", "Torts · Utah", "Torts · Utah"))
    assert found.names == ("Torts · Utah", "Torts · Ohio")
    assert found.codes.tolist() == [1, 0, 0]
    assert by_area(texts()).names == ()


def test_small_areas_are_joined_where_there_are_many() -> None:
    many = texts(*(f"Area {i}" for i in range(30) for _ in range(30 - i)))
    found = by_area(many)
    assert len(found.names) == MOST + 1
    assert found.names[0] == "Area 0"
    assert found.names[-1] == f"{30 - MOST} other areas"
    assert (found.codes == MOST).sum() == sum(30 - i for i in range(MOST, 30))
    # One small area is not called others.
    assert by_area(texts(*(f"Area {i}" for i in range(MOST + 1)))).names[-1] == f"Area {MOST}"


def test_lengths_are_quartiles_with_their_ends() -> None:
    found = by_length(np.arange(1, 101, dtype=np.int32))
    assert found.names == ("1–25 words", "26–50 words", "51–75 words", "76–100 words")
    assert np.bincount(found.codes).tolist() == [25, 25, 25, 25]
    assert by_length(np.full(5, 7, dtype=np.int32)).names == ("7 words",)
    assert by_length(np.array([], dtype=np.int32)).names == ()


@given(st.lists(st.integers(0, 60), min_size=1, max_size=80))
def test_every_length_lies_between_the_ends_of_its_part(words: list[int]) -> None:
    found = by_length(np.array(words, dtype=np.int32))
    for code, count in zip(found.codes, words, strict=True):
        ends = [int(part) for part in found.names[code].removesuffix(" words").split("–")]
        assert ends[0] <= count <= ends[-1]


def test_each_part_is_measured_as_a_set_of_its_own(run: RunData) -> None:
    said, parts = verdicts(run, starting_rules(run)), by_area(run.areas)
    found = sliced(run, parts)
    assert [s.name for s in found] == list(parts.names)
    assert sum(s.responses for s in found) == 300
    for i, part in enumerate(found):
        inside = parts.codes == i
        assert part.ungrounded == (run.gold[inside] == 0).sum()
        for m in range(3):
            assert part.macro_f1[m] == pytest.approx(scores(confusion(run.gold[inside], said[m, inside])).macro_f1)
            assert part.interval[m, 0] <= part.macro_f1[m] <= part.interval[m, 1]


def test_a_part_with_one_label_has_no_f1_and_one_with_few_queries_no_interval(run: RunData) -> None:
    by_label = Slicing((run.gold == 0).astype(np.int32), ("grounded", "ungrounded"))
    assert all(np.isnan(s.macro_f1).all() for s in sliced(run, by_label))
    small, large = sliced(run, Slicing((run.groups >= FEWEST - 1).astype(np.int32), ("few", "many")))
    assert np.isnan(small.interval).all()
    assert not np.isnan(small.macro_f1).any()
    assert not np.isnan(large.interval).any()


def test_what_is_not_judged_yet_counts_in_no_part(run: RunData) -> None:
    found = sliced(pending(run, 0, run.areas == "Torts"), by_area(run.areas))
    torts = next(s for s in found if s.name == "Torts")
    assert torts.judged.tolist() == [0, torts.responses, torts.responses]
    assert np.isnan(torts.macro_f1[0])
