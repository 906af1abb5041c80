"""What the matrix of readings shows of a run, and the sentence above it."""

from components.copies.matrix import MatrixCell
from components.copies.stability import MEASURES, Measure, content, lead
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.stability.figures import Stability, measured
from groundscope.grounding.tuning import verdicts
from groundscope.types import Status
from tests.groundscope.grounding.stability.test_figures import NAN, RULES, run_of

FLIPS = [[0.9, 0.9, 0.9], [0.9, 0.1, 0.9], [0.1, 0.9, NAN], [NAN, 0.2, NAN]]
NONE = {(2, 2): Status.INVALID, (3, 0): Status.FAILED, (3, 2): Status.ABSTAINED}


def both(supports: list[list[float]]) -> tuple[RunData, Stability]:
    run = run_of(supports, NONE if supports is FLIPS else {})
    found = measured(run, verdicts(run, RULES), RULES)
    assert found is not None
    return run, found


def cell(measure: Measure, picked: MatrixCell | None = None) -> dict[str, object]:
    run, found = both(FLIPS)
    drawn = content(run, RULES, found, measure, picked)
    assert [(line["title"], line["rule"]) for line in drawn["lines"]] == [("Asked again", "4 answers")]
    found_cell: dict[str, object] = drawn["lines"][0]["cells"][0]
    return found_cell


def test_each_measure_says_its_own_figures() -> None:
    flipped = cell("flipped")
    assert (flipped["rate"], flipped["count"], flipped["tone"]) == ("66.7%", "3 answers, 12 readings", "alarm")
    assert flipped["none"] == "1 not readable, 1 failed, 1 without a verdict"
    assert cell("differing")["rate"] == "55.6%"
    assert cell("added")["rate"] == "–"
    assert cell("deviation")["rate"] == "0.343"
    assert (cell("alpha")["rate"], cell("alpha")["tone"], cell("alpha")["share"]) == ("-0.167", "", 0.0)
    assert set(MEASURES) >= {"sentence_flips"}


def test_the_picked_cell_is_pressed() -> None:
    assert cell("flipped", MatrixCell("repeats", "method_0"))["pressed"]
    assert not cell("flipped", MatrixCell("wording", "method_0"))["pressed"]


def test_the_lead_names_who_changes_its_mind_most() -> None:
    judged = "4 answers were judged up to 3 times in each way:"
    assert lead(*both(FLIPS)) == f"{judged} again as they are, Method 0 changed its verdict on 67% of them."
    assert lead(*both([[1.0] * 3] * 4)) == f"{judged} again as they are, no method changed a verdict."
    assert lead(*both([[NAN] * 3] * 4)) == f"{judged} no verdict yet."
