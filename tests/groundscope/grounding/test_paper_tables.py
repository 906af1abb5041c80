"""The paper's own figures: every row comes out to its printed digits, the LYNX row with unread answers only."""

import numpy as np
import pytest

from groundscope.grounding.paper_tables import TABLE_3, PaperRow, Printed, paper_order
from groundscope.grounding.runs.arrays import MethodRun
from groundscope.methods import registry
from groundscope.statistics.metrics import Confusion, scores
from groundscope.types import ErrorType
from scorers._weights.files import WeightFiles
from tests.groundscope.grounding.paper_counts import (
    DEV_CLASS,
    DEV_RIGHT,
    LYNX_DEV,
    LYNX_TEST,
    OTHER_SIZES_DEV,
    OTHER_SIZES_TEST,
    TABLE_1,
    TABLE_4,
    TEST_CLASS,
    TEST_RIGHT,
    Right,
)
from tests.loops import each

BY_NAME = {row.name: row for row in TABLE_3}
OTHER_SIZES = {"dev": OTHER_SIZES_DEV, "test": OTHER_SIZES_TEST}
RECOVERED = [(name, "dev", right) for name, rights in DEV_RIGHT.items() for right in rights]
RECOVERED += [(name, "test", right) for name, rights in TEST_RIGHT.items() for right in rights]


def printed(row: PaperRow, split: str) -> tuple[Printed, int, tuple[Right, ...]]:
    if split == "dev":
        return row.dev, DEV_CLASS, DEV_RIGHT.get(row.name, ())
    return row.test, TEST_CLASS, TEST_RIGHT.get(row.name, ())


def rounded(table: Confusion) -> Printed:
    found = scores(table)
    return Printed(*(round(x, 3) for x in (found.precision, found.recall, found.macro_f1, found.accuracy)))


@each(("name", "split", "right"), RECOVERED)
def test_a_row_comes_out_to_its_printed_digits(name: str, split: str, right: Right) -> None:
    figures, size, _ = printed(BY_NAME[name], split)
    # Which class is which does not matter to macro averages.
    for a, b in (right, reversed(right)):
        assert rounded(Confusion(a, size - a, 0, b, size - b, 0)) == figures


@each(("name", "split"), [(name, split) for split, rows in OTHER_SIZES.items() for name in rows])
def test_a_row_that_fits_another_number_of_responses_comes_out_to_its_printed_digits(name: str, split: str) -> None:
    table, (figures, size, _) = OTHER_SIZES[split][name], printed(BY_NAME[name], split)
    assert rounded(table) == figures
    assert scores(table).coverage == 1.0
    classes = np.reshape(table, (2, 3)).sum(axis=1)
    assert classes.tolist() != [size, size]
    assert abs(classes - size).max() <= 5


@pytest.mark.parametrize(("table", "split"), [(LYNX_DEV, "dev"), (LYNX_TEST, "test")])
def test_the_lynx_row_comes_out_with_answers_that_could_not_be_read(table: Confusion, split: str) -> None:
    figures, size, _ = printed(BY_NAME["LYNX v1.1"], split)
    assert rounded(table) == figures
    assert scores(table).coverage < 0.7
    assert np.reshape(table, (2, 3)).sum(axis=1).tolist() == [size, size]
    # Its recall and accuracy are the same because the classes are, and the paper prints them so.
    assert figures.recall == figures.accuracy


def test_table_4_adds_up_to_the_papers_18_of_92() -> None:
    assert set(TABLE_4) == set(ErrorType)
    missed, total = (sum(column) for column in zip(*TABLE_4.values(), strict=True))
    assert (missed, total) == (18, 92)
    assert round(100 * missed / total, 1) == 19.6
    percent = {kind: round(100 * row.missed / row.total, 1) for kind, row in TABLE_4.items()}
    assert percent == {
        ErrorType.TERMINOLOGICAL_ERROR: 66.7,
        ErrorType.FACTUAL_INACCURACY: 20.3,
        ErrorType.PROCEDURAL_ERROR: 20.0,
        ErrorType.REASONING_ERROR: 13.3,
        ErrorType.CONTEXTUAL_MISINTERPRETATION: 11.1,
        ErrorType.MISATTRIBUTION: 0.0,
    }


def test_table_1_adds_up_to_the_papers_corpus() -> None:
    assert [sum(column) for column in zip(*TABLE_1.values(), strict=True)] == [573, 1558, 7984]


def test_every_method_here_that_is_in_the_paper_prints_the_same_figures() -> None:
    # The weights that come with the project are none of the paper's; those that the user fine-tunes by its recipe may be.
    own = {"grounding_classifier": {"weights": WeightFiles("grounding-classifier", "folder")}}
    papers = {name: paper for name in registry.names() if (paper := registry.load(name, **own.get(name, {})).about.paper)}
    for method, paper in papers.items():
        # A method that stands for two rows names the other one, with its figures, in brackets.
        first, others = paper.row, [row for row in TABLE_3 if row.method == method]
        row = next(r for r in others if first == r.name or first.startswith((f"{r.name} (", f"{r.name[:-1]};")))
        assert (row.dev.macro_f1, row.test.macro_f1) == (paper.dev_f1, paper.test_f1), method
        for other in others:
            if other is not row:
                assert f"{other.dev.macro_f1:.3f}, {other.test.macro_f1:.3f})" in first
    assert {row.method for row in TABLE_3} == set(papers)


def test_a_run_of_the_papers_methods_has_the_rows_of_its_table_3() -> None:
    names = [row.method for row in TABLE_3]
    parts = [MethodRun("overlap", "s", "Overlap")]
    parts += [MethodRun(f"{name}:{i}" if names.count(name) > 1 else name, "s", name, method=name) for i, name in enumerate(names)]
    order = paper_order(parts[::-1])
    assert [parts[::-1][i].loads for i in order] == [*names, "overlap"]
    assert len({parts[::-1][i].id for i in order}) == len(names) + 1 == 15
