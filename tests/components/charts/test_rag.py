"""The figures of the Legal RAG page, without a page."""

import numpy as np
import pytest

from components.charts.rag import TITLES, errors, impact
from groundscope.rag.outcomes import ERRORS, Answer, rows
from groundscope.rag.report import impacts
from tests.groundscope.rag.samples import published

HOSTILE = '<img src=x onerror="alert(1)">'
FOUND = rows(list(published()))


def test_every_combination_has_a_bar_of_all_three_errors_that_names_them() -> None:
    figure = errors(FOUND)
    assert [bar.name for bar in figure.data] == [TITLES[e] for e in ERRORS[:3]]
    for bar, error in zip(figure.data, ERRORS[:3], strict=True):
        assert [tuple(c) for c in bar.customdata] == [(i, error.value) for i in range(len(FOUND))]
        assert list(bar.x) == pytest.approx([100 * r.errors[error].value for r in FOUND])
    assert figure.layout.barmode == "stack"
    assert sum(bar.x[0] for bar in figure.data) == pytest.approx(100 * (1 - FOUND[0].accuracy.value))


def test_an_impact_stands_on_its_side_of_the_mean() -> None:
    figure = impact(impacts(FOUND, of_embedders=True), impacts(FOUND, of_embedders=False))
    embedders, models = figure.data
    assert np.sign(embedders.x).tolist() == [1, -1, -1]
    assert sum(models.x) == pytest.approx(0.0)
    assert embedders.text[0].strip() == f"{embedders.x[0]:+.1f} %"


def test_combinations_without_figures_are_left_out_or_empty() -> None:
    found = rows([Answer("e", "m", "q", None, None, None)])
    assert [list(bar.x) for bar in errors(found).data] == [[0.0]] * 3
    assert "no figure" in impact(impacts(found, of_embedders=True), ()).data[0].text[0]


def test_errors_without_a_cause_have_a_part_of_their_own_where_there_are_some() -> None:
    found = rows([Answer("e", "m", "1", False, True, None), Answer("e", "m", "2", True, True, None)])
    figure = errors(found)
    assert (figure.data[-1].name, list(figure.data[-1].x)) == ("Not correct, cause not known", [50.0])
    assert len({bar.marker.pattern.shape for bar in figure.data}) == 4


def test_a_combination_without_verdicts_says_so_and_does_not_look_perfect() -> None:
    none, half = [Answer("e", "none", "q", None, None, True)], [Answer("e", "half", "q", None, False, True)]
    good = [Answer("e", "good", "q", True, True, True)]
    notes = {note.y: (note.x, note.text) for note in errors(rows([*good, *none, *half])).layout.annotations}
    assert notes == {1: (0.0, "no verdict"), 2: (100.0, "correctness not known")}
    assert errors(FOUND).layout.annotations == ()


def test_names_are_no_markup_and_do_not_share_a_line() -> None:
    answers = [Answer(HOSTILE * 3 + str(i), HOSTILE, "q", False, True, False) for i in range(2)]
    found = rows(answers)
    for figure in (errors(found), impact(impacts(found, of_embedders=True), ())):
        text = figure.to_json()
        assert "<img" not in text
        assert "\\u003cimg" not in text
        assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert len(set(errors(found).data[0].y)) == 2
