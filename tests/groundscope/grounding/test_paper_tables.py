"""The paper's own figures: every row comes out to its printed digits, the LYNX row with unread answers only."""

from groundscope.grounding.paper_tables import TABLE_3, paper_order
from groundscope.grounding.runs.arrays import MethodRun
from groundscope.methods import registry
from groundscope.statistics.metrics import Confusion, scores
from scorers._weights.files import WeightFiles
from tests.groundscope.grounding.paper_counts import (
    DEV_CLASS,
    DEV_RIGHT,
    LYNX_DEV,
    LYNX_TEST,
    OTHER_SIZES_DEV,
    OTHER_SIZES_TEST,
    TEST_CLASS,
    TEST_RIGHT,
    table_of,
)
from tests.loops import each

BY_NAME = {row.name: row for row in TABLE_3}
ROWS = [("dev", name, table_of(right, DEV_CLASS)) for name, rights in DEV_RIGHT.items() for right in rights]
ROWS += [("test", name, table_of(right, TEST_CLASS)) for name, rights in TEST_RIGHT.items() for right in rights]
ROWS += [("dev", name, table) for name, table in {**OTHER_SIZES_DEV, "LYNX v1.1": LYNX_DEV}.items()]
ROWS += [("test", name, table) for name, table in {**OTHER_SIZES_TEST, "LYNX v1.1": LYNX_TEST}.items()]


@each(("split", "name", "table"), ROWS)
def test_a_row_comes_out_to_its_printed_digits(split: str, name: str, table: Confusion) -> None:
    # Which class is which does not matter to macro averages.
    for counts in (table, Confusion(*table[3:], *table[:3])):
        found = scores(counts)
        figures = (found.precision, found.recall, found.macro_f1, found.accuracy)
        assert tuple(round(x, 3) for x in figures) == getattr(BY_NAME[name], split)
        assert found.coverage == 1.0 or name == "LYNX v1.1"


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
