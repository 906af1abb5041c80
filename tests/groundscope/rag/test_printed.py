"""Tables 3 and 4 as the paper prints them: differences with standard errors and marks, all outcomes side by side, and as data."""

import math

import pytest

from groundscope.rag.effects import CannotTell
from groundscope.rag.effects.printed import (
    UNKNOWN,
    comparison_words,
    effect_lines,
    estimate_words,
    frame,
    joint_cell,
    joint_lines,
)  # fmt: skip
from groundscope.rag.outcomes import Answer, rows
from groundscope.rag.report import OUTCOMES, report
from tests.groundscope.rag.samples import PRINTED, TABLE_4, discordant, published

GROUNDED = list(OUTCOMES).index("grounded")


def test_the_made_answers_have_the_printed_shares() -> None:
    found = {(r.embedder, r.model): r.grounded.count for r in rows(list(discordant()))}
    assert found == {key: grounded for key, (_, grounded, _) in PRINTED.items()}


def test_table_4_has_the_printed_standard_errors() -> None:
    lines = effect_lines(report(list(discordant())))
    differences = next(table for title, table in lines.items() if title.startswith("How much more"))
    shown = {line[0].within: estimate_words(line[GROUNDED].found) for line in lines["Models within one embedder"]}
    assert shown | {comparison_words(line[0]): estimate_words(line[GROUNDED].found) for line in differences} == TABLE_4
    assert {estimate_words(line[0].found) for line in differences} == {UNKNOWN}


def test_table_3_is_one_table_of_all_outcomes() -> None:
    found = report(list(published()))
    lines = joint_lines(found)
    assert [len(cells) for _, cells in lines] == [3, 3, 3]
    embedder = dict(lines)["Does the embedder matter?"]
    joint = found.tests["correct"].embedder
    assert not isinstance(joint, CannotTell)
    assert embedder[0] == joint_cell(joint) == f"{joint.chi_square:.2f} (2), p < 0.001***"


def test_what_cannot_be_estimated_is_said_to_be_unknown() -> None:
    one = report([Answer("x", "y", "q", True, True, True)])
    assert {cell for _, cells in joint_lines(one) for cell in cells} == {UNKNOWN}
    assert effect_lines(one) == {}
    assert estimate_words(CannotTell("Why.")) == UNKNOWN


def test_every_test_is_a_row_of_data_in_points() -> None:
    found = report(list(discordant()))
    data = frame(found)
    tests = found.tests["grounded"]
    assert len(data) == 3 * (3 + 2 + 1 + 3 + 4 + 3)
    switched = data.query("outcome == 'grounded' and test == 'within_embedder' and within == 'Gemini Embedding 001'").iloc[0]
    assert (switched.points, switched.printed, switched.mark) == (pytest.approx(-10), "-10.0 (4.8)*", "*")
    assert round(switched.standard_error, 1) == 4.8
    assert switched.low < switched.points < switched.high
    joint = data.query("outcome == 'grounded' and test == 'interaction'").iloc[0]
    assert not isinstance(tests.interaction, CannotTell)
    assert (joint.chi_square, joint.degrees) == (tests.interaction.chi_square, 2)
    assert math.isnan(joint.points)
    unknown = data.query("outcome == 'correct'")
    assert unknown.points.isna().all()
    assert unknown.cannot_tell.str.len().min() > 0
    assert set(data.baseline_llm) == {"Gemini 3.1 Pro"}
