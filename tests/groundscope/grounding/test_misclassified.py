"""Outcomes, the matrix of error types and methods against the paper's table 4, and filters and orders of the cases."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.grounding.misclassified.calls import (
    KINDS,
    OUTCOMES,
    UNTYPED,
    Calls,
    CaseFilter,
    ConfusionCell,
    Order,
    calls,
    disagreement,
    distances,
    mask,
    missed_by_all,
    ordered,
    sentence_to_read,
)
from groundscope.grounding.misclassified.table import (
    GROUNDED,
    OCCURRENCES,
    PART_TITLES,
    PARTS,
    UNGROUNDED,
    error_table,
    frame,
    type_frequencies,
    type_sets,
)
from groundscope.grounding.runs.arrays import TYPES, RunData
from groundscope.grounding.tuning import Rule, starting_rules, verdicts
from groundscope.types import Case, ErrorSpan, ErrorType, Passage
from tests.groundscope.grounding.paper_counts import TABLE_4
from tests.groundscope.grounding.runs import SENTENCES, made_cases, made_run, pending

FACT, CONTEXT, PROCEDURE, REASON, SOURCE, TERM = ErrorType


def case(name: str, grounded: bool | None, *types: ErrorType, area: str = "", split: str = "dev") -> Case:
    errors = tuple(ErrorSpan(i, i + 1, t) for i, t in enumerate(types))
    passages = (Passage("p", "The court heard the case."),)
    return Case(name, "What?", passages, " ".join(SENTENCES), grounded=grounded, errors=errors, area=area, split=split)


def run_of(cases: Sequence[Case], supports: Sequence[Sequence[float]]) -> RunData:
    """A run with these supports; NaN = the answer could not be read."""
    made = made_run(cases, len(supports), invalid=0.0)
    support = np.array(supports)
    return replace(made, support=support, status=np.where(np.isnan(support), 1, 0).astype(np.int8))


def calls_of(run: RunData) -> Calls:
    rules = starting_rules(run)
    return calls(run, rules, verdicts(run, rules), run.rows())


NAN = float("nan")


def small() -> RunData:
    """Thresholds are 0.5: the first method misses b and says nothing on c; the second raises the only false alarm."""
    cases = [
        case("a", True),
        case("b", False, FACT, FACT, REASON),
        case("c", False, REASON),
        case("d", False),
        case("e", True),
        case("f", None, TERM),
    ]
    return run_of(cases, [[0.9, 0.7, NAN, 0.1, NAN, 0.2], [0.4, 0.2, 0.5, 0.6, 0.8, 0.2]])


def test_types_without_a_span_fill_the_table_as_those_with_one_do() -> None:
    run = small()
    bare_cases = [replace(c, errors=(), error_types=c.types) for c in run.read_cases(range(6))]
    found, bare = calls_of(run), calls_of(run_of(bare_cases, run.support.tolist()))
    assert (found.kinds == bare.kinds).all()
    assert (error_table(found).wrong == error_table(bare).wrong).all()
    assert type_sets(found) == type_sets(bare)


def test_outcomes_by_hand() -> None:
    found = calls_of(small())
    assert found.rows.tolist() == [0, 1, 2, 3, 4]
    words = [[OUTCOMES[code] for code in line] for line in found.outcomes]
    assert words[0] == [ConfusionCell.RIGHT, ConfusionCell.MISSED, ConfusionCell.NONE, ConfusionCell.RIGHT, ConfusionCell.NONE]
    assert words[1] == [ConfusionCell.ALARM, ConfusionCell.RIGHT, ConfusionCell.MISSED, ConfusionCell.MISSED, ConfusionCell.RIGHT]
    assert np.isnan(found.margins[0, 2])
    # A support just at the threshold is called grounded: the distance is 0.
    assert found.margins[1, 2] == 0.0
    assert found.kinds.sum(axis=0).tolist() == [1, 0, 0, 2, 0, 0, 1]


def test_the_table_by_hand() -> None:
    table = error_table(calls_of(small()))
    by_part = {
        part: (int(n), w.tolist(), z.tolist())
        for part, n, w, z in zip(PARTS, table.responses, table.wrong, table.none, strict=True)
    }
    assert by_part[FACT] == (1, [1, 0], [0, 0])
    assert by_part[REASON] == (2, [2, 1], [1, 0])
    assert by_part[TERM] == (0, [0, 0], [0, 0])
    assert by_part[UNTYPED] == (1, [0, 1], [0, 0])
    assert by_part[OCCURRENCES] == (3, [3, 1], [1, 0])
    assert by_part[UNGROUNDED] == (3, [2, 2], [1, 0])
    # No verdict is no alarm.
    assert by_part[GROUNDED] == (2, [0, 1], [1, 0])
    assert np.isnan(table.rate[PARTS.index(TERM)]).all()
    assert np.isnan(table.low[PARTS.index(TERM)]).all()


PRINTED = {TERM: 66.7, FACT: 20.3, PROCEDURE: 20.0, REASON: 13.3, CONTEXT: 11.1, SOURCE: 0.0}


def paper_dev() -> RunData:
    """75 ungrounded responses with the paper's 92 occurrences, 13 missed as in its table 3; which have two types is made up."""
    missed = [(FACT, REASON)] * 2 + [(FACT, TERM)] * 2 + [(FACT, CONTEXT)] + [(FACT,)] * 7 + [(PROCEDURE,)]
    caught = (
        [(FACT, REASON)] * 12 + [(FACT,)] * 35 + [(REASON,)] + [(TERM,)] + [(PROCEDURE,)] * 4 + [(CONTEXT,)] * 8 + [(SOURCE,)]
    )
    cases = [case(f"c{i}", False, *types) for i, types in enumerate([*missed, *caught])]
    return run_of(cases, [[0.9] * len(missed) + [0.1] * len(caught)])


def test_table_4_of_the_paper() -> None:
    from statsmodels.stats.proportion import proportion_confint

    table = error_table(calls_of(paper_dev()))
    found = {part: (int(w), int(n)) for part, w, n in zip(PARTS, table.wrong[:, 0], table.responses, strict=True)}
    assert {t: found[t.value] for t in ErrorType} == TABLE_4
    rates = dict(zip(PARTS, table.rate[:, 0], strict=True))
    assert {t: round(100 * rates[t.value], 1) for t in ErrorType} == PRINTED
    assert found[OCCURRENCES] == (18, 92)
    assert round(100 * rates[OCCURRENCES], 1) == 19.6
    assert found[UNGROUNDED] == (13, 75)
    assert found[GROUNDED] == (0, 0)
    # Intervals are Wilson's, and there is none for the sum.
    at = PARTS.index(FACT)
    assert (table.low[at, 0], table.high[at, 0]) == pytest.approx(proportion_confint(12, 59, method="wilson"))
    assert np.isnan(table.low[PARTS.index(OCCURRENCES)]).all()


def test_what_a_method_has_not_judged_yet_counts_nowhere_for_it() -> None:
    table = error_table(calls_of(pending(small(), 0, 2)))
    at = PARTS.index(REASON)
    assert table.responses[at] == 2
    assert table.total[at].tolist() == [1, 2]
    assert table.wrong[at].tolist() == [1, 1]
    assert table.none[at].tolist() == [0, 0]


def test_methods_without_a_rule_are_left_out() -> None:
    run = small()
    rules = {"method_1": Rule("own", 0.5)}
    found = calls(run, rules, verdicts(run, rules), run.rows())
    assert found.ids == ("method_1",)
    assert found.outcomes.shape == (1, 5)
    none = calls(run, {}, verdicts(run, {}), run.rows())
    assert error_table(none).rate.shape == (len(PARTS), 0)


def test_without_any_row_the_table_is_empty() -> None:
    run = small()
    rules = starting_rules(run)
    table = error_table(calls(run, rules, verdicts(run, rules), np.array([], dtype=np.int32)))
    assert table.responses.tolist() == [0] * len(PARTS)
    assert np.isnan(table.rate).all()


def test_areas_are_read_without_jurisdiction_unless_all_are_of_one_area() -> None:
    two = [
        case("a", True, area="Evidence · Federal"),
        case("b", True, area="Torts · Ohio"),
        case("c", True, area="Evidence · Ohio"),
    ]
    found = calls_of(run_of(two, [[0.1, 0.2, 0.3]])).areas
    assert found.names == ("Evidence", "Torts")
    assert [found.names[i] for i in found.codes] == ["Evidence", "Torts", "Evidence"]
    one = [replace(c, area=f"Evidence · {i}") for i, c in enumerate(two)]
    assert calls_of(run_of(one, [[0.1, 0.2, 0.3]])).areas.names == ("Evidence · 0", "Evidence · 1", "Evidence · 2")


def test_frequencies_by_response_and_by_distinct_set() -> None:
    cases = [case("a", False, FACT, REASON), case("b", False, REASON, FACT, FACT), case("c", False, FACT), case("d", False)]
    # A grounded response has no error, whatever spans it may carry.
    cases.append(case("e", True, TERM))
    found = calls_of(run_of(cases, [[0.1] * 5]))
    assert dict(zip(TYPES, type_frequencies(found), strict=True)) == {t: {FACT: 3, REASON: 2}.get(t, 0) for t in TYPES}
    assert dict(zip(TYPES, type_frequencies(found, "set"), strict=True)) == {t: {FACT: 2, REASON: 1}.get(t, 0) for t in TYPES}
    assert type_sets(found) == [((FACT, REASON), 2), ((FACT,), 1)]


def test_the_data_of_the_table_names_rule_and_counts() -> None:
    run = small()
    data = frame(run, starting_rules(run), error_table(calls_of(run)))
    assert len(data) == len(PARTS) * 2
    line = data[(data.method == "method_0") & (data.error_type == REASON)].iloc[0]
    assert (line.title, line.support, line.threshold, line.beyond_paper) == ("Method 0", "own", 0.5, False)
    assert (line.misclassified, line.no_verdict, line.total, line.rate) == (2, 1, 2, 1.0)
    assert set(PART_TITLES) == set(PARTS)
    assert set(KINDS) < set(PARTS)


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
            hits += inside and outcome
        if wanted.outcomes and not hits:
            continue
        catchers = [name for j, name in enumerate(found.ids) if found.verdicts[j, i] == 0]
        if wanted.caught == "nobody" and (found.grounded[i] or catchers):
            continue
        if wanted.caught == "only" and (found.grounded[i] or catchers != [wanted.catcher]):
            continue
        yield i


def some(values: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


CATCHERS = st.sampled_from([("any", ""), ("nobody", ""), *(("only", name) for name in LARGE.ids)])


@given(some(KINDS), some(LARGE.ids), some(OUTCOMES), some(LARGE.areas.names), some(LARGE.splits.names), CATCHERS)
def test_every_filter_leaves_what_its_definition_leaves(
    kinds: tuple[str, ...],
    methods: tuple[str, ...],
    outcomes: tuple[ConfusionCell, ...],
    areas: tuple[str, ...],
    splits: tuple[str, ...],
    catcher: tuple[str, str],
) -> None:
    wanted = CaseFilter(kinds, methods, outcomes, areas, splits, *catcher)  # type: ignore[arg-type]
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
