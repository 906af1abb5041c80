"""Filters and orders of the cases, against the same in plain Python."""

from collections.abc import Iterator
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.grounding.misclassified.calls import KINDS, OUTCOMES, Calls, ConfusionCell, calls
from groundscope.grounding.misclassified.cases import (
    CaseFilter,
    Order,
    disagreement,
    distances,
    mask,
    missed_by_all,
    ordered,
    sentence_to_read,
)
from groundscope.grounding.misclassified.table import PARTS, error_table
from groundscope.grounding.tuning import starting_rules, verdicts
from groundscope.types import Case, ErrorSpan, Passage
from tests.groundscope.grounding.runs import SENTENCES, made_cases, made_run, pending
from tests.groundscope.grounding.test_misclassified import FACT, NAN, calls_of, case, run_of, small


def large() -> Calls:
    run = made_run(made_cases(240), 4, seed=5, invalid=0.1)
    rules = starting_rules(run)
    return calls(run, rules, verdicts(run, rules), run.rows())


LARGE = large()


def left(found: Calls, wanted: CaseFilter) -> list[int]:
    return np.flatnonzero(mask(found, wanted)).tolist()


def by_hand(found: Calls, wanted: CaseFilter) -> Iterator[int]:
    """The filter's definition, one response and one call at a time."""
    for i in range(len(found.rows)):
        kinds = {KINDS[b] for b in np.flatnonzero(found.kinds[i])}
        if wanted.kinds and not kinds & set(wanted.kinds):
            continue
        if wanted.areas and found.areas.names[found.areas.codes[i]] not in wanted.areas:
            continue
        if wanted.splits and found.splits.names[found.splits.codes[i]] not in wanted.splits:
            continue
        hits = 0
        for j, name in enumerate(found.ids):
            inside = not wanted.methods or name in wanted.methods
            outcome = not wanted.outcomes or OUTCOMES[found.outcomes[j, i]] in wanted.outcomes
            away = abs(found.margins[j, i])
            near = wanted.distance is None or (wanted.distance[0] <= away <= wanted.distance[1])
            hits += inside and outcome and near
        if (wanted.outcomes or wanted.distance) and not hits:
            continue
        catchers = [name for j, name in enumerate(found.ids) if found.verdicts[j, i] == 0]
        if wanted.caught == "nobody" and (found.grounded[i] or catchers):
            continue
        if wanted.caught == "only" and (found.grounded[i] or catchers != [wanted.catcher]):
            continue
        yield i


def some(values: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


RANGES = st.none() | st.tuples(st.floats(0, 0.5), st.floats(0, 0.5)).map(lambda r: (min(r), max(r)))
CATCHERS = st.sampled_from([("any", ""), ("nobody", ""), *(("only", name) for name in LARGE.ids)])


@given(some(KINDS), some(LARGE.ids), some(OUTCOMES), some(LARGE.areas.names), some(LARGE.splits.names), RANGES, CATCHERS)
def test_every_filter_leaves_what_its_definition_leaves(
    kinds: tuple[str, ...],
    methods: tuple[str, ...],
    outcomes: tuple[ConfusionCell, ...],
    areas: tuple[str, ...],
    splits: tuple[str, ...],
    distance: tuple[float, float] | None,
    catcher: tuple[str, str],
) -> None:
    wanted = CaseFilter(kinds, methods, outcomes, areas, splits, distance, *catcher)  # type: ignore[arg-type]
    assert left(LARGE, wanted) == list(by_hand(LARGE, wanted))


def test_a_number_of_the_table_is_the_number_of_cases_behind_it() -> None:
    table = error_table(LARGE)
    for kind in KINDS:
        for m, name in enumerate(LARGE.ids):
            wanted = CaseFilter(kinds=(kind,), methods=(name,), outcomes=(ConfusionCell.MISSED, ConfusionCell.NONE))
            assert mask(LARGE, wanted).sum() == table.wrong[PARTS.index(kind), m]
            alarms = CaseFilter(methods=(name,), outcomes=(ConfusionCell.ALARM,))
            assert mask(LARGE, alarms).sum() == table.wrong[-1, m]


def test_what_no_method_has_judged_yet_is_not_missed() -> None:
    run = run_of([case("waiting", False), case("half", False)], [[NAN, NAN], [NAN, 0.9]])
    waiting = pending(pending(run, 0, [0, 1]), 1, 0)
    assert missed_by_all(calls_of(waiting)).tolist() == [False, True]


def test_a_call_without_a_verdict_has_no_distance() -> None:
    found = calls_of(small())
    assert left(found, CaseFilter(methods=("method_0",), distance=(0.0, 1.0))) == [0, 1, 3]
    least, greatest = distances(found, CaseFilter(methods=("method_0",)))
    assert np.isnan(least).tolist() == np.isnan(greatest).tolist() == [False, False, True, False, True]


def test_disagreement_is_the_share_of_the_verdict_that_fewer_give() -> None:
    cases = [case(name, False) for name in "abcd"]
    found = calls_of(run_of(cases, [[0.9, 0.9, 0.9, NAN], [0.9, 0.1, 0.1, NAN], [0.9, 0.9, NAN, NAN]]))
    assert disagreement(found) == pytest.approx([0, 1 / 3, 1 / 2, 0])
    assert ordered(found, CaseFilter()).tolist() == [2, 1, 0, 3]


def test_orders_by_distance_put_what_has_none_last() -> None:
    cases = [case(name, False) for name in "abcd"]
    found = calls_of(run_of(cases, [[0.6, NAN, 0.95, 0.7]]))
    assert ordered(found, CaseFilter(), "nearest").tolist() == [0, 3, 2, 1]
    assert ordered(found, CaseFilter(), "furthest").tolist() == [2, 3, 0, 1]
    assert ordered(found, CaseFilter(), "case").tolist() == [0, 1, 2, 3]


@given(st.sampled_from(get_args(Order)), some(OUTCOMES))
def test_every_order_has_the_same_cases(by: Order, outcomes: tuple[ConfusionCell, ...]) -> None:
    wanted = CaseFilter(outcomes=outcomes)
    assert sorted(ordered(LARGE, wanted, by).tolist()) == left(LARGE, wanted)
    nothing = calls_of(run_of([case("a", None, FACT)], [[0.5]]))
    assert ordered(nothing, wanted, by).tolist() == []


def test_what_means_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="typo"):
        CaseFilter(kinds=("typo",))
    with pytest.raises(ValueError, match="catcher"):
        CaseFilter(caught="only")
    with pytest.raises(ValueError, match="catcher"):
        CaseFilter(catcher="method_0")
    with pytest.raises(ValueError, match="no verdicts of 'method_9'"):
        mask(LARGE, CaseFilter(methods=("method_9",)))
    with pytest.raises(ValueError, match="sideways"):
        ordered(LARGE, CaseFilter(), "sideways")  # type: ignore[arg-type]


def spanned(name: str, grounded: bool, *starts: int) -> Case:
    errors = tuple(ErrorSpan(s, s + 3, FACT) for s in starts)
    return Case(name, "What?", (Passage("p", "The court."),), " ".join(SENTENCES), grounded=grounded, errors=errors)


def test_the_sentence_to_read_is_the_first_that_is_called_wrong() -> None:
    third = len(SENTENCES[0]) + len(SENTENCES[1]) + 2
    wrong = spanned("a", False, third + 20, third)
    run = made_run([wrong], 1, invalid=0.0)
    assert sentence_to_read(run, 0, wrong, "method_0") == 2


def test_of_a_false_alarm_it_is_the_sentence_with_the_least_support() -> None:
    cases = [spanned("a", True), spanned("b", True)]
    run = made_run(cases, 1, seed=4, invalid=0.0)
    table = run.read_sentences(0)
    for row in range(2):
        least = int(np.argmin(table.support[table.case == row]))
        assert sentence_to_read(run, row, cases[row], "method_0") == least
    assert sentence_to_read(made_run(cases, 1, invalid=1.0), 0, cases[0], "method_0") is None
