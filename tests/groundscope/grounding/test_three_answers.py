"""Three answers: labels of cases, what methods answer, and figures by hand."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.grounding.runs.arrays import RunData, SentenceTable
from groundscope.grounding.three_answers import (
    NO_ANSWER,
    answers_frame,
    answers_notes,
    as_levels,
    gold_answer,
    method_answers,
    printed_answers,
    three_answers,
)
from groundscope.grounding.tuning import Rule, starting_rules
from groundscope.types import Case, ErrorSpan, ErrorType
from tests.groundscope.grounding.runs import made_cases, made_run

KIND = ErrorType.FACTUAL_INACCURACY


def case(grounded: bool | None = False, contradicted: bool | None = None, *stances: bool | None, **more: object) -> Case:
    spans = tuple(ErrorSpan(i, i + 1, KIND, contradicted=s) for i, s in enumerate(stances))
    return Case("c", "q", (), "response", grounded=grounded, contradicted=contradicted, errors=spans, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("labelled", "answer"),
    [
        (case(True), 0),
        (case(False, True), 2),
        (case(False, False), 1),
        (case(False), NO_ANSWER),
        (case(None, True), NO_ANSWER),
        # One contradicted span suffices, and silence is of all.
        (case(False, None, False, True), 2),
        (case(False, None, False, False), 1),
        (case(False, None, False, None), NO_ANSWER),
        (case(False, None, False, unsupported=((4, 5),)), NO_ANSWER),
        # What is labelled of the whole response counts first.
        (case(False, True, False), 2),
    ],
)
def test_a_label_is_of_the_whole_response_or_of_its_spans(labelled: Case, answer: int) -> None:
    assert gold_answer(labelled) == answer


def run_of(sentences: list[list[tuple[float, float]]], gold: list[int]) -> RunData:
    """A method over responses whose sentences have (support, contradiction); its support of a response is the lowest."""
    kinds = ((True, None), (False, False), (False, True))
    cases = [
        replace(c, errors=(), grounded=kinds[g][0], contradicted=kinds[g][1], split="test")
        for c, g in zip(made_cases(len(gold)), gold, strict=True)
    ]
    run = made_run(cases, 1, invalid=0)
    rows = np.repeat(np.arange(len(gold)), [len(s) for s in sentences]).astype(np.int32)
    values = np.array([pair for s in sentences for pair in s])
    table = SentenceTable(rows, rows, rows + 1, values[:, 0], values[:, 1])
    lowest = np.array([[min(support for support, _ in s) for s in sentences]])
    return replace(run, support=lowest, lowest=lowest, read_sentences=lambda method: table)


def test_the_sentences_below_the_threshold_decide() -> None:
    nan = float("nan")
    run = run_of(
        [
            [(0.9, 0.9)],  # A contradiction counts for nothing where the verdict is grounded.
            [(0.2, 0.1), (0.9, 0.9)],  # Nor one of a sentence that is not flagged.
            [(0.2, 0.5)],
            [(0.2, nan)],
        ],
        [0, 1, 2, 2],
    )
    assert method_answers(run, 0, Rule("own", 0.5)).tolist() == [0, 1, 2, NO_ANSWER]
    # By the mean no sentence need lie below the threshold; then the least supported one decides.
    mean = replace(run, mean=np.array([[0.4, 0.4, 0.4, 0.4]]))
    high = [[(0.9, 0.0), (0.6, 0.8)], [(0.6, 0.1)], [(0.1, 0.9), (0.2, 0.0)], [(0.7, nan)]]
    mean = replace(mean, read_sentences=run_of(high, [0] * 4).read_sentences)
    assert method_answers(mean, 0, Rule("mean", 0.5)).tolist() == [2, 1, 2, NO_ANSWER]


def test_figures_are_those_of_a_table_by_hand() -> None:
    supported, silent, against = [(0.9, 0.0)], [(0.1, 0.2)], [(0.1, 0.8)]
    # Gold: four supported, three not stated, three contradicted.
    replies = [supported, supported, supported, silent, silent, silent, against, against, against, supported]
    run = run_of(replies, [0] * 4 + [1] * 3 + [2] * 3)
    (method,) = three_answers(run, starting_rules(run), run.rows()).methods
    assert method.counts == ((3, 1, 0, 0), (0, 2, 1, 0), (1, 0, 2, 0))
    assert method.recall == pytest.approx((3 / 4, 2 / 3, 2 / 3))
    assert method.precision == pytest.approx((3 / 4, 2 / 3, 2 / 3))
    assert method.f1 == pytest.approx((3 / 4, 2 / 3, 2 / 3))
    assert method.macro_f1 == pytest.approx((3 / 4 + 2 / 3 + 2 / 3) / 3)
    assert method.accuracy == pytest.approx(0.7)
    assert method.interval.low <= method.macro_f1 <= method.interval.high
    assert as_levels(three_answers(run, starting_rules(run), run.rows()))[0].f1 == method.macro_f1


def test_no_answer_is_wrong_in_recall_and_no_prediction() -> None:
    nan = float("nan")
    run = run_of([[(0.9, 0.0)], [(0.1, 0.0)], [(0.1, 0.9)], [(0.1, nan)]], [0, 1, 2, 2])
    (method,) = three_answers(run, starting_rules(run), run.rows()).methods
    assert method.counts[2] == (0, 0, 1, 1)
    assert (method.precision[2], method.recall[2], method.f1[2]) == pytest.approx((1, 1 / 2, 2 / 3))
    assert method.accuracy == pytest.approx(3 / 4)


def test_a_method_with_two_answers_has_none_of_three_and_says_so() -> None:
    run = made_run(made_cases(20), 2)
    answers = three_answers(run, starting_rules(run), run.rows())
    assert all("two answers" in m.note and not m.counts for m in answers.methods)
    # The spans of these cases do not say whether they are contradicted.
    assert answers.unknown == int((run.gold == 0).sum())
    assert any(f"{answers.unknown} responses not counted" in note for note in answers_notes(answers))


def test_tables_have_three_rows_a_method() -> None:
    run = run_of([[(0.9, 0.0)], [(0.1, 0.0)], [(0.1, 0.9)]], [0, 1, 2])
    answers = three_answers(run, starting_rules(run), run.rows())
    heads, *rows = printed_answers(answers)
    assert heads[:6] == ["Method", "Macro-F1", "From", "To", "Labelled", "Responses"]
    assert [row[4:10] for row in rows] == [
        ["Supported", "1", "1", "0", "0", "0"],
        ["Not stated", "1", "0", "1", "0", "0"],
        ["Contradicted", "1", "0", "0", "1", "0"],
    ]
    assert {row[1] for row in rows} == {"1.000"}
    assert len(answers_frame(answers)) == 3
    assert not answers.methods[0].note
    fixed = replace(run, methods=(replace(run.methods[0], tunes="nothing"),))
    moved = three_answers(fixed, {fixed.methods[0].id: Rule("min", 0.9)}, fixed.rows())
    assert "goes beyond the paper" in " ".join(answers_notes(moved))
    assert {*answers_frame(moved)["Note"]} == {"Its rule goes beyond the paper."}, "every row of the data says so"
