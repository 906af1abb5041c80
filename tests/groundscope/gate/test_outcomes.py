"""What becomes of promises: limits, and a baseline by Holm, with figures worked out by hand."""

import numpy as np
import pytest

from groundscope.findings.finding import Finding, FindingKind
from groundscope.gate.forge import GateReport
from groundscope.gate.matching import PairedQuestions
from groundscope.gate.measuring import AnswerFinding, MeasuredShare
from groundscope.gate.outcomes import GateState, SharePromise, cost_outcome, invalid_outcome, latency_outcome, share_outcomes
from groundscope.gate.rules import EffortLimit, ShareLimit

PLACE = AnswerFinding(0, (Finding(FindingKind.FIGURE, 0, 0, 2, "$9", "why"),))


def share(*counts: tuple[int, int], found: tuple[AnswerFinding, ...] = (PLACE,)) -> MeasuredShare:
    return MeasuredShare(np.array(counts, dtype=np.float64).reshape(-1, 2), found)


def pairs(questions: int) -> PairedQuestions:
    return PairedQuestions(np.arange(questions), np.arange(questions), questions)


def test_a_share_above_its_limit_is_broken_and_says_where() -> None:
    (found,) = share_outcomes([SharePromise("Faults", "sentences", ShareLimit(0.25), share((1, 2), (1, 4)))])
    assert (found.measured, found.allowed, found.state) == ("2 of 6 sentences, 33.3 %", "at most 25.0 %", GateState.BROKEN)
    assert found.findings == (PLACE,)


@pytest.mark.parametrize(("wrong", "of", "most"), [(1, 3, 1 / 3), (3, 10, 0.3), (0, 5, 0.0)])
def test_a_share_at_its_limit_is_held(wrong: int, of: int, most: float) -> None:
    (found,) = share_outcomes([SharePromise("Faults", "sentences", ShareLimit(most), share((wrong, of)))])
    assert (found.state, found.findings) == (GateState.HELD, ())


def test_nothing_to_count_is_not_known_unless_nothing_is_fine() -> None:
    given = ("Faults", "citations", ShareLimit(0.0), share((0, 0)))
    (found,) = share_outcomes([SharePromise(*given)])
    assert (found.state, found.measured, found.held) == (GateState.UNKNOWN, "no citations", False)
    (found,) = share_outcomes([SharePromise(*given, empty_holds=True)])
    assert found.held


def test_a_promise_without_a_limit_and_a_baseline_is_none() -> None:
    assert share_outcomes([SharePromise("Faults", "sentences", ShareLimit(), share((1, 2)))]) == []


def test_five_questions_that_all_became_worse_are_worse_and_four_are_too_few() -> None:
    """Of 2^5 swaps one alone makes a difference as large: p = 1/32; with four questions it is 1/16, above 0.05."""

    def outcome(questions: int) -> tuple[GateState, str, str]:
        now, before = share(*[(1, 2)] * questions), share(*[(0, 2)] * questions)
        (found,) = share_outcomes([SharePromise("Faults", "sentences", ShareLimit(), now, before)], pairs(questions))
        return found.state, found.measured, found.why

    assert outcome(5) == (GateState.BROKEN, "50.0 %, before 0.0 %: +50.0 points (95 % +50.0 to +50.0)", "p = 0.031, 5 questions.")
    state, _, why = outcome(4)
    assert (state, why) == (GateState.HELD, "p = 0.062, 4 questions. Too few answers differ to show any difference.")


def test_holm_shares_the_level_among_all_promises() -> None:
    """p = 1/32 twice: the smaller one counts double, 1/16, so that neither is shown; alone it is."""
    worse = [SharePromise(name, "sentences", ShareLimit(), share(*[(1, 2)] * 5), share(*[(0, 2)] * 5)) for name in "ab"]
    assert [o.held for o in share_outcomes(worse[:1], pairs(5))] == [False]
    assert [o.held for o in share_outcomes(worse, pairs(5))] == [True, True]
    assert [o.held for o in share_outcomes(worse, pairs(5), level=0.07)] == [False, False]


def test_a_difference_that_is_allowed_is_held() -> None:
    now, before = share(*[(3, 10)] * 12), share(*[(2, 10)] * 12)

    def state(worse_by: float) -> GateState:
        (found,) = share_outcomes([SharePromise("Faults", "sentences", ShareLimit(None, worse_by), now, before)], pairs(12))
        return found.state

    assert (state(0.0), state(0.05), state(0.1), state(0.2)) == (*[GateState.BROKEN] * 2, *[GateState.HELD] * 2)


def test_several_answers_to_a_question_are_one_question() -> None:
    now = share((1, 1), (0, 1), (1, 1))
    assert now.by_question(np.array([0, 0, -1]), 2).tolist() == [[1, 2], [0, 0]]


def test_lost_rows_are_counted_once_each() -> None:
    lost = [PLACE, PLACE, AnswerFinding(3, PLACE.findings)]
    found = invalid_outcome(lost, [(7, "why")], 10, 0.2)
    assert (found.measured, found.state, found.rejected) == ("3 of 10 rows, 30.0 %", GateState.BROKEN, ((7, "why"),))
    assert invalid_outcome(lost, [(7, "why")], 10, 0.3).held


def test_seconds_are_the_95th_percentile_and_all_of_a_field_must_be_there() -> None:
    seconds = np.arange(1.0, 22.0)
    assert latency_outcome(seconds, EffortLimit(20.0, "s")).held
    found = latency_outcome(seconds, EffortLimit(19.9, "s"))
    assert (found.measured, found.state) == ("20 s over 21 answers", GateState.BROKEN)
    gap = np.append(seconds, np.nan)
    found = latency_outcome(gap, EffortLimit(99.0, "s"))
    assert (found.state, found.why) == (GateState.UNKNOWN, "1 of 22 rows have no number of 0 or more in the field 's'.")
    # Of the methods' own seconds those count that were timed.
    assert latency_outcome(gap, EffortLimit(20.0)).held
    assert latency_outcome(gap[-1:], EffortLimit(20.0)).state is GateState.UNKNOWN


def test_cost_is_a_mean_and_an_unknown_price_is_not_known() -> None:
    assert cost_outcome(np.array([0.01, 0.03]), EffortLimit(0.02)).held
    assert cost_outcome(np.array([0.01, 0.03]), EffortLimit(0.019)).state is GateState.BROKEN
    found = cost_outcome(np.array([0.01, np.nan]), EffortLimit(1.0))
    assert (found.held, found.why) == (False, "The price of a chat model is not known.")


def test_a_report_lists_each_place_once() -> None:
    other = AnswerFinding(1, PLACE.findings)
    promises = [
        SharePromise("a", "sentences", ShareLimit(0.0), share((1, 2))),
        SharePromise("b", "sentences", ShareLimit(0.0), share((1, 2), found=(PLACE, other))),
        SharePromise("c", "sentences", ShareLimit(1.0), share((1, 2))),
    ]
    report = GateReport("f.jsonl", tuple(share_outcomes(promises)), lines=(4, 9))
    assert [(o.title, f) for o, f in report.to_read] == [("a", (PLACE,)), ("b", (other,))]
    assert (report.held, report.words, report.line(1), report.line(2)) == (False, "2 of 3 promises not held.", 9, 0)
