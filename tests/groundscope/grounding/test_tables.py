"""The results table in every form: figures as the paper prints them, and hostile names that stay text; the paper's own rows."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import openpyxl
import pytest

from groundscope.experiments.plan import Part
from groundscope.grounding.paper_tables import TABLE_3, paper_order
from groundscope.grounding.result_columns import COLUMNS, coverage_words, interval, money, seconds, share
from groundscope.grounding.results import RunResults, results
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tables import (
    PRINTED,
    caption,
    frame,
    frame_csv,
    html_table,
    latex_table,
    markdown_table,
    printed,
    to_csv,
    to_xlsx,
    written,
)
from groundscope.grounding.tuning import Rule, starting_rules, verdicts
from groundscope.statistics.bootstrap import MOST_DRAWN, Interval
from groundscope.statistics.metrics import Confusion, scores
from groundscope.types import Case
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
from tests.groundscope.grounding.runs import made_cases, made_run
from tests.loops import each

HOSTILE = (
    '=HYPERLINK("http://192.0.2.1","x")|`<script>alert(1)</script>` $x_1$ **b** \\input{/etc/passwd} & % # ~ ^ {}\n\x07 [a](b)'
)


@pytest.fixture(scope="module")
def run() -> RunData:
    found = made_run(made_cases(90), 2)
    hostile = replace(found.methods[0], title=HOSTILE, signature=f"+{HOSTILE}")
    return replace(found, methods=(hostile, found.methods[1]), name=f"@{HOSTILE}", machine=(f"-{HOSTILE}",))


@pytest.fixture(scope="module")
def table(run: RunData) -> RunResults:
    rules = starting_rules(run)
    return results(run, verdicts(run, rules), rules, run.rows("test"), "test")


def of_counts(right: Sequence[Confusion], names: Sequence[str]) -> RunResults:
    """The results of methods with these confusion tables, which are over equally many responses of each class."""
    grounded = right[0].grounded_right + right[0].grounded_wrong + right[0].grounded_none
    count = 2 * grounded
    cases = [Case(f"c{i}", "q", (), "An answer.", grounded=i < grounded, group=f"q{i}") for i in range(count)]
    run = made_run(cases, len(right))
    supports = np.full((len(right), count), np.nan)
    for row, c in zip(supports, right, strict=True):
        row[: c.grounded_right] = 0.9
        row[c.grounded_right : c.grounded_right + c.grounded_wrong] = 0.1
        row[grounded : grounded + c.ungrounded_right] = 0.1
        row[grounded + c.ungrounded_right : grounded + c.ungrounded_right + c.ungrounded_wrong] = 0.9
    status = np.where(np.isnan(supports), 1, 0).astype(np.int8)
    methods = tuple(Part(f"m{i}", name, f"m{i}|", threshold=0.5) for i, name in enumerate(names))
    run = replace(run, methods=methods, support=supports, status=status)
    rules = {m.id: Rule("own", 0.5) for m in methods}
    return results(run, verdicts(run, rules), rules, run.rows())


@pytest.mark.parametrize(("split", "size", "lynx"), [("dev", DEV_CLASS, LYNX_DEV), ("test", TEST_CLASS, LYNX_TEST)])
def test_the_papers_table_3_is_printed_digit_by_digit(split: str, size: int, lynx: Confusion) -> None:
    rights = DEV_RIGHT if split == "dev" else TEST_RIGHT
    rows = [row for row in TABLE_3 if row.name in rights or row.name.startswith("LYNX")]
    assert len(rows) >= 10
    tables = [table_of(rights[row.name][0], size) if row.name in rights else lynx for row in rows]
    found = of_counts(tables, [row.name for row in rows])
    wanted = [[row.name, *(f"{value:.3f}" for value in getattr(row, split))] for row in rows]
    assert [cells[:5] for cells in printed(found)[1:]] == wanted
    assert printed(found)[0][:5] == ["Method", "Precision", "Recall", "F1", "Accuracy"]
    lines = written(found, latex_table).splitlines()
    for cells in wanted:
        start = " & ".join([cells[0].replace("_", r"\_"), *cells[1:]])
        assert any(line.startswith(f"{start} & ") for line in lines)
        assert f"| {' | '.join([cells[0].replace('_', chr(92) + '_'), *cells[1:]])} |" in written(found, markdown_table)


def test_csv_has_every_column_and_no_formula(table: RunResults) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(table).decode("utf-8"))))
    assert list(rows[0]) == ["run", "split", *(c.key for c in COLUMNS)]
    assert rows[0]["method"] == f"'{HOSTILE}"
    assert all(not cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    assert float(rows[1]["macro_f1"]) == table.methods[1].scores.macro_f1
    assert rows[1]["scored"] == str(table.methods[1].coverage.scored)


def test_any_table_is_guarded_heads_too() -> None:
    import pandas as pd

    written = frame_csv(pd.DataFrame({"=1+1": ["=2", "a"], "n": [float("nan"), -1.5]})).decode()
    assert written.splitlines() == ["'=1+1,n", "'=2,", "a,-1.5"]


def test_half_characters_stop_no_form(table: RunResults) -> None:
    first = table.methods[0]
    half = replace(table, run="a\ud800", methods=(replace(first, part=replace(first.part, title="b\udfff")),))
    assert b"a?,test,b?," in to_csv(half)
    assert openpyxl.load_workbook(io.BytesIO(to_xlsx(half)))["Results"]["C2"].value == "b?"
    for text in (written(half, write) for write in (markdown_table, latex_table, html_table)):
        assert text.encode("utf-8")


def test_no_figure_is_an_empty_cell(table: RunResults) -> None:
    bare = replace(table, methods=(replace(table.methods[0], auroc=float("nan"), cost=float("nan")),))
    row = next(csv.DictReader(io.StringIO(to_csv(bare).decode())))
    assert (row["auroc"], row["cost"]) == ("", "")
    assert printed(bare)[1][[head for head, _ in PRINTED].index("AUROC")] == "–"


def test_xlsx_keeps_text_as_text_and_figures_as_figures(table: RunResults) -> None:
    book = openpyxl.load_workbook(io.BytesIO(to_xlsx(table)))
    assert book.sheetnames == ["Results", "About"]
    kinds = {cell.data_type for sheet in book.worksheets for row in sheet.iter_rows() for cell in row}
    assert "f" not in kinds
    heads = [cell.value for cell in book["Results"][1]]
    first = dict(zip(heads, (cell.value for cell in book["Results"][2]), strict=True))
    assert first["method"].startswith("=HYPERLINK(")
    assert first["macro_f1"] == pytest.approx(table.methods[0].scores.macro_f1)
    about = {row[0].value: row[1].value for row in book["About"].iter_rows(min_row=2)}
    assert about["Split"] == "test"
    assert about["Machine"].startswith("-=HYPERLINK(")
    assert about["About"].startswith("Run @=HYPERLINK(")


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_one_table_of_text(table: RunResults) -> None:
    found = Tags()
    found.feed(written(table, html_table))
    assert found.tags == {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert "<script>alert(1)</script>" in found.text


def test_markdown_keeps_its_columns_and_its_signs(table: RunResults) -> None:
    lines = written(table, markdown_table).splitlines()
    rows = lines[:4]
    for line in rows:
        assert line.replace("\\|", "").count("|") == len(PRINTED) + 1
    assert "\\<script\\>" in rows[2]
    assert "\\*\\*b\\*\\*" in rows[2]
    assert "\\[a\\](b)" in rows[2]


def test_latex_has_no_command_of_a_name(table: RunResults) -> None:
    text = written(table, latex_table)
    assert "\\input" not in text
    assert r"\textbackslash{}input\{/etc/passwd\}" in text
    assert r"\& \% \# \textasciitilde{} \textasciicircum{} \{\}" in text
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")].splitlines()[1:]
    assert [line.replace(r"\&", "").count("&") for line in body] == [len(PRINTED) - 1] * len(body)


def test_the_caption_says_what_the_figures_are_of(table: RunResults) -> None:
    words = caption(table)
    assert f"{table.responses} responses to {table.queries} queries" in words
    assert f"{table.grounded} labelled grounded" in words
    assert "bootstrap over queries" in words
    assert len(frame(table)) == 2
    # Of too many queries the sums are drawn.
    words = caption(replace(table, queries=MOST_DRAWN + 1))
    assert "normal draws of the sums over queries" in words
    assert "bootstrap over queries" not in words


def test_figures_are_written_for_people() -> None:
    nan = float("nan")
    assert [share(v) for v in (0.12345, 1.0, nan)] == ["0.123", "1.000", "–"]
    durations = [seconds(v) for v in (0.00001, 0.0123, 2.2, 99.96, 1234.5, nan)]
    assert durations == ["<0.0001", "0.0123", "2.20", "100.0", "1,234", "–"]
    assert [money(v) for v in (0.0, 0.00001, 0.002, 0.5, 12.0, nan)] == ["$0.00", "<$0.0001", "$0.0020", "$0.50", "$12.00", "–"]
    assert interval(Interval(0.1, 0.2)) == "0.100–0.200"
    assert interval(Interval(nan, nan)) == "–"


def test_coverage_is_said_without_what_did_not_happen(table: RunResults) -> None:
    found = replace(table.methods[0].coverage, total=60, scored=57, invalid=2, abstained=0, failed=1, truncated=3, pending=0)
    assert coverage_words(found) == "57 scored, 2 invalid, 1 failed of 60; of 3 the context was not read whole"
    assert coverage_words(replace(found, total=2, scored=0, invalid=0, failed=0, truncated=0, not_assessable=2)) == (
        "0 scored, 2 not assessable of 2"
    )


BY_NAME = {row.name: row for row in TABLE_3}
ROWS = [("dev", name, table_of(right, DEV_CLASS)) for name, rights in DEV_RIGHT.items() for right in rights]
ROWS += [("test", name, table_of(right, TEST_CLASS)) for name, rights in TEST_RIGHT.items() for right in rights]
ROWS += [("dev", name, table) for name, table in {**OTHER_SIZES_DEV, "LYNX v1.1": LYNX_DEV}.items()]
ROWS += [("test", name, table) for name, table in {**OTHER_SIZES_TEST, "LYNX v1.1": LYNX_TEST}.items()]


@each(("split", "name", "table"), ROWS)
def test_a_row_comes_out_to_its_printed_digits(split: str, name: str, table: Confusion) -> None:
    # Which class is which does not matter to macro averages.
    for counts in (table, Confusion(*table[3:], *table[:3])):
        figures = scores(counts)
        row = (figures.precision, figures.recall, figures.macro_f1, figures.accuracy)
        assert tuple(round(x, 3) for x in row) == getattr(BY_NAME[name], split)
        assert figures.coverage == 1.0 or name == "LYNX v1.1"


def test_a_run_of_the_papers_methods_has_the_rows_of_its_table_3() -> None:
    names = [row.method for row in TABLE_3]
    parts = [Part("overlap", "Overlap", "s")]
    parts += [Part(f"{name}:{i}" if names.count(name) > 1 else name, name, "s", method=name) for i, name in enumerate(names)]
    order = paper_order(parts[::-1])
    assert [parts[::-1][i].loads for i in order] == [*names, "overlap"]
    assert len({parts[::-1][i].id for i in order}) == len(names) + 1 == 15


def test_rules_that_are_not_as_a_paper_has_them_are_named_under_every_form() -> None:
    run = made_run(made_cases(60), 2, seed=1)
    fixed = replace(run, methods=tuple(replace(m, tunes="nothing") for m in run.methods))
    rules = {**starting_rules(fixed), "method_1": Rule("mean", 0.4)}
    found = results(fixed, verdicts(fixed, rules), rules, fixed.rows("test"), "test")
    for write in (markdown_table, html_table, latex_table):
        assert "Beyond the paper: the rules of Method 1." in written(found, write).replace("\\_", "_")
    assert "Beyond the paper" not in caption(
        results(fixed, verdicts(fixed, starting_rules(fixed)), starting_rules(fixed), fixed.rows("test"))
    )
