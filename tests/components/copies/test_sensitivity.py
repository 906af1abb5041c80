"""What the matrix of edits shows of a run, and the sentence above it."""

from dataclasses import replace

import numpy as np
import pytest

from components.copies.matrix import MatrixCell
from components.copies.sensitivity import Measure, beside, content, lead
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.sensitivity.matrix import Matrix, measured
from groundscope.grounding.tuning import Rule
from groundscope.types import Case, ErrorSpan, ErrorType, Passage
from tests.groundscope.grounding.sensitivity.test_matrix import AFTER, BEFORE, run_of, said

RULES = {"method_0": Rule("own", 0.45)}
HOSTILE = "<img src=x onerror=alert(1)>"


def both(before: list[float] = BEFORE, after: list[float] = AFTER) -> tuple[RunData, Matrix]:
    run = run_of(before, after)
    found = measured(run, said(run, 0.45))
    assert found is not None
    return run, found


def cells(measure: Measure, picked: MatrixCell | None = None) -> dict[str, dict[str, object]]:
    drawn = content(*((run := both())[0], RULES, run[1]), measure, picked)
    return {line["method"]: line["cells"][0] for line in drawn["lines"]}


def test_each_measure_says_its_own_figures() -> None:
    noticed, drop, flagged = (cells(m)["modal"] for m in ("noticed", "drop", "flagged"))  # type: ignore[arg-type]
    assert (noticed["rate"], noticed["count"], noticed["none"], noticed["cases"]) == ("50.0%", "", "2 not scored", 6)
    assert drop["rate"] == "+0.217"
    assert (flagged["rate"], flagged["count"]) == ("57.1%", "28.6% of sound")


def test_lines_name_their_edits_and_totals_and_the_picked_cell_is_pressed() -> None:
    run, found = both()
    drawn = content(run, {}, found, "noticed", MatrixCell("bold", "method_0"))
    assert [(x["title"], x["rule"], x["total"]) for x in drawn["lines"]] == [
        ("All legal edits", "8 pairs", True),
        ("Shall, may, must", "8 pairs", False),
        ("All changes of form", "8 pairs", True),
        ("A word in bold", "8 pairs", False),
    ]
    # A threshold stands only where figures depend on it.
    heads = [content(run, {}, found, m, None)["heads"][0] for m in ("noticed", "flagged")]  # type: ignore[arg-type]
    assert [(h["title"], h["count"]) for h in heads] == [("Method 0", ""), ("Method 0", "no threshold")]
    assert [x["cells"][0]["pressed"] for x in drawn["lines"]] == [False, False, False, True]
    # Noticing an edit is right, noticing a change of form is not: they have two colours.
    assert [x["cells"][0]["tone"] for x in drawn["lines"]] == ["alarm", "alarm", "", ""]


def test_what_was_never_scored_has_a_dash_and_no_button() -> None:
    run = replace(run_of(BEFORE, AFTER), support=np.full((1, 24), np.nan))
    found = measured(run, said(run, 0.5))
    assert found is not None
    cell = content(run, {}, found, "noticed", None)["lines"][0]["cells"][0]
    assert (cell["rate"], cell["interval"], cell["cases"], cell["share"]) == ("–", "", 0, 0.0)
    assert lead(run, found).endswith("one in each copy. The table shows how many of them each method noticed.")


def test_the_lead_names_the_method_that_separates_errors_from_form() -> None:
    done = "8 legal errors were planted in sound sentences, one in each copy."
    run, found = both()
    assert lead(run, found) == f"{done} No method is shown to notice them more often than changes that make no error."
    run, found = both([0.5] * 8, [0.1] * 8)
    first = f"{done} Method 0 noticed 100% of them, and reacted to 0% of 8 changes that make no error"
    assert lead(run, found) == f"{first}."
    # It is said to be the best of two only where its interval leaves out the other one.
    best, second = found.apart["method_0"], run_of([0.5] * 8, [0.1] * 8)
    two = replace(second, methods=(second.methods[0], replace(second.methods[0], id="other")))
    for value, rest in ((0.4, "; no other method here separates the two as well"), (1.0, "")):
        both_apart = {"method_0": best, "other": best._replace(value=value)}
        said = lead(
            two, replace(found, apart=both_apart, cells=found.cells | {(x, "other"): c for (x, _), c in found.cells.items()})
        )
        assert said.endswith(f"make no error{rest}.")


@pytest.mark.parametrize("grounded", [True, False])
def test_a_pair_is_shown_with_what_differs_and_texts_are_escaped(grounded: bool) -> None:
    sentence = Case("a#1", "q", (Passage("p", "x"),), f"The tenant must {HOSTILE} pay.", grounded=True)
    errors = () if grounded else (ErrorSpan(11, 14, ErrorType.REASONING_ERROR, f"Why {HOSTILE}."),)
    variant = replace(sentence, response=f"The tenant may {HOSTILE} pay.", errors=errors, grounded=grounded)
    drawn = beside(sentence, variant)
    assert "<del>must</del>" in drawn
    assert "<ins>may</ins>" in drawn
    assert HOSTILE not in drawn
    assert ("Why &lt;img" in drawn) is not grounded
