"""A results table as CSV, XLSX, Markdown, LaTeX and HTML. Titles and names may be hostile: each form escapes them its way."""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Literal

from groundscope.grounding.export import guarded
from groundscope.grounding.result_columns import COLUMNS, MISSING, PRINTED
from groundscope.grounding.results import BEYOND, RunResults
from groundscope.statistics.bootstrap import MOST_DRAWN
from groundscope.text.humanize import without_control

if TYPE_CHECKING:
    import pandas as pd

_MARKDOWN = re.compile(r"([\\`*_\[\]<>#!|~$&@])")
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': "''",
        "–": "--",
        "≥": r"$\geq$",
        "·": r"\textperiodcentered{}",
    }
)


def caption(results: RunResults) -> str:
    """Describe the table."""
    beyond = [m.title for m in results.methods if m.rule.endswith(BEYOND)]
    theirs = f" Beyond the paper: the rules of {', '.join(beyond)}." if beyond else ""
    drawn = "bootstrap over queries, Wilson's where no query errs"
    if results.queries > MOST_DRAWN:
        drawn = "normal draws of the sums over queries, which are too many for the bootstrap"
    return (
        f"Run {results.run}, {results.split_words}: {results.responses:,} responses to {results.queries:,} queries, "
        f"{results.grounded:,} labelled grounded and {results.ungrounded:,} ungrounded. Precision, recall and F1 are macro "
        f"averages; a response without a verdict counts as wrong in recall and accuracy. Intervals: 95 %, "
        f"{drawn}{_tuned(results)}. Seconds: mean of the timed responses, the model loaded.{theirs}{_promised(results)}"
    )


def _promised(results: RunResults) -> str:
    """What thresholds promise about misses, methods with equal words together."""
    by_words: dict[str, list[str]] = {}
    for method in results.methods:
        if method.promise:
            by_words.setdefault(method.promise, []).append(method.title)
    return "".join(f" Promise of the threshold of {', '.join(titles)}: {words}." for words, titles in by_words.items())


def _tuned(results: RunResults) -> str:
    with_tuning = [m.tuned_f1 is not None for m in results.methods]
    if not any(with_tuning):
        return ", given the rule"
    some = "" if all(with_tuning) else f" of {sum(with_tuning)} methods (the others' are given the rule)"
    return f"; those of F1{some} also draw the responses that the threshold was tuned on"


def frame(results: RunResults) -> "pd.DataFrame":
    """Write every column as data: a row a method with `run`, `split` and the columns of `COLUMNS`; NaN = no figure."""
    import pandas as pd

    first = {"run": results.run, "split": "all" if results.split is None else results.split}
    rows = [{**first, **{c.key: c.value(m) for c in COLUMNS}} for m in results.methods]
    whole = [{key: _whole(cell) if isinstance(cell, str) else cell for key, cell in row.items()} for row in rows]
    return pd.DataFrame(whole, columns=[*first, *(c.key for c in COLUMNS)])


def _whole(text: str) -> str:
    """Without half characters (lone surrogates), which no file takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def to_csv(results: RunResults) -> bytes:
    """Write every column as CSV; see `frame_csv`."""
    return frame_csv(frame(results))


def frame_csv(table: "pd.DataFrame") -> bytes:
    """Write any table as CSV; a cell or head that a spreadsheet would run gets a leading apostrophe."""
    safe = table.map(lambda cell: guarded(cell) if isinstance(cell, str) else cell)
    safe.columns = [guarded(str(c)) for c in safe.columns]
    text: str = safe.to_csv(index=False, lineterminator="\r\n")
    return text.encode("utf-8")


def to_xlsx(results: RunResults) -> bytes:
    """Write every column on one sheet, what it is of on another."""
    import pandas as pd

    about = [("Run", results.run), ("Split", results.split_words), ("About", caption(results))]
    about += [("Machine", line) for line in results.machine] + [("Note", note) for note in results.notes]
    out = io.BytesIO()
    with pd.ExcelWriter(out, engine="openpyxl") as book:
        _clean(frame(results)).to_excel(book, sheet_name="Results", index=False, freeze_panes=(1, 3))
        _clean(pd.DataFrame([(what, _whole(said)) for what, said in about], columns=["What", "Words"])).to_excel(
            book, sheet_name="About", index=False
        )
        for sheet in book.book.worksheets:
            for row in sheet.iter_rows():
                for cell in row:
                    if cell.data_type == "f":
                        cell.data_type, cell.quotePrefix = "s", True
    return out.getvalue()


def _clean(table: "pd.DataFrame") -> "pd.DataFrame":
    return table.map(lambda cell: without_control(cell) if isinstance(cell, str) else cell)


def printed(results: RunResults) -> list[list[str]]:
    """Write the table for people."""
    return [[head for head, _ in PRINTED], *([write(m) for _, write in PRINTED] for m in results.methods)]


def written(results: RunResults, write: Callable[..., str]) -> str:
    """Write the table for people with its caption and notes, by one of the three below."""
    return write(printed(results), (caption(results), *results.notes))


Mark = Literal["best", "second"]
Marks = Mapping[tuple[int, int], Mark]
"""Cells to be marked, by row (0 = heads) and column."""
_MARKS = {
    "markdown": {"best": "**{}**", "second": "_{}_"},
    "html": {"best": "<strong>{}</strong>", "second": "<u>{}</u>"},
    "latex": {"best": r"\textbf{{{}}}", "second": r"\underline{{{}}}"},
}


def _written(cells: Sequence[Sequence[str]], form: str, marks: Marks | None, write: Callable[[str], str]) -> list[list[str]]:
    return [
        [_MARKS[form].get((marks or {}).get((r, c), ""), "{}").format(write(cell)) for c, cell in enumerate(row)]
        for r, row in enumerate(cells)
    ]


def markdown_table(cells: Sequence[Sequence[str]], notes: Sequence[str], marks: Marks | None = None) -> str:
    """Write any table as a pipe table."""
    heads, *rows = _written(cells, "markdown", marks, markdown_text)
    rule = ["---", *["---:"] * (len(heads) - 1)]
    lines = [f"| {' | '.join(line)} |" for line in (heads, rule, *rows)]
    return "\n".join([*lines, "", *map(markdown_text, notes)]) + "\n"


def markdown_text(text: str) -> str:
    """Write a text into Markdown."""
    return _MARKDOWN.sub(r"\\\1", _line(text)) if text != MISSING else text


def latex_table(cells: Sequence[Sequence[str]], notes: Sequence[str], marks: Marks | None = None) -> str:
    """Write any table for the LaTeX package booktabs."""
    import pandas as pd

    heads, *rows = _written(cells, "latex", marks, _latex)
    styled = pd.DataFrame(rows, columns=heads).style.hide()
    words = _latex(" ".join(notes))
    text: str = styled.to_latex(
        column_format=f"l{'r' * (len(heads) - 1)}", hrules=True, position_float="centering", caption=words
    )
    return text


def _latex(text: str) -> str:
    return _line(text).translate(_LATEX)


def html_table(cells: Sequence[Sequence[str]], notes: Sequence[str], marks: Marks | None = None) -> str:
    """Write any table to be put into a page."""
    heads, *rows = _written(cells, "html", marks, _html)
    head = "".join(f'<th scope="col">{h}</th>' for h in heads)
    body = "".join(f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{c}</td>" for c in row[1:])}</tr>' for row in rows)
    return f"<table><caption>{_html(' '.join(notes))}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html(text: str) -> str:
    return escape(_line(text))


def _line(text: str) -> str:
    return without_control(" ".join(text.split()))
