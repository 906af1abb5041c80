"""Counts what was tried and what failed, and writes the table of docs/security.md from that."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "security.md"
BEGIN, END = "<!-- written by make attack: begin -->", "<!-- written by make attack: end -->"

ROWS = {
    "controls": "Each detector catches what it is for: a script, a request that leaves, a text on the disk, a traceback",
    "cases": "Hostile texts pasted into the Cases form and drawn by the heatmap",
    "citations": "Hostile texts pasted into the Citations form",
    "arguments": "Hostile texts pasted into the Arguments form",
    "rag": "Hostile documents and questions loaded into Legal RAG",
    "uploads": "Hostile texts uploaded as rows of cases",
    "links": "Hostile texts in the parameters of a link to each page",
    "browser": "Hostile texts drawn by a real Chromium",
    "readers": "Each public reader: 1 MB of its 40 worst pieces, against a quarter of that",
    "names": "Hostile names of runs, models, sets, files and authors",
    "surrogates": "Lone surrogates in every field of a case, of an analysis, of an argument and of a corpus",
    "limits": "Uploads over the limit, without the XSRF token or with a false one, in a real session",
    "kills": "kill -9 of the app during a run: it starts again, the run rests, resumes, and nothing is lost or judged twice",
    "two": "Two apps on one data folder: one run resumed, deleted and paused in both",
    "clock": "The clock jumps back by a day during a run",
    "traces": "A deleted run, experiment, set, model, matter, decision or pasted case leaves no text in data, temp or open files",
    "persuaded": "A chat model that is persuaded and returns the forged verdict: shown as that model's, with the badge",
}
"""What is tested, by the name that tests count it under."""


class Tally:
    """Attempts, and those that failed, by row; faults and rows are those since the last check."""

    def __init__(self) -> None:
        self.tried: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.faults: list[str] = []
        self.rows: set[str] = set()

    @contextmanager
    def __call__(self, row: str, what: object = "") -> Iterator[None]:
        """One attempt. A fault is counted and does not keep the others from being tried; `check` raises it."""
        assert row in ROWS
        self.rows.add(row)
        self.tried[row] += 1
        try:
            yield
        except Exception as fault:
            self.failed[row] += 1
            self.faults.append(f"{row}: {str(what)[:80]!r}: {type(fault).__name__}: {str(fault)[:600]}")

    def ended_early(self) -> None:
        """A test that did not come to its end is a fault of each row that it tried."""
        for row in self.rows:
            with self(row, "the test itself"):
                raise AssertionError("It ended early.")

    def check(self) -> None:
        """Raise what was found since the last check."""
        found, self.faults = self.faults, []
        self.rows.clear()
        assert found == [], "\n".join([f"{len(found)} attempts found a fault", *found])

    def table(self) -> str:
        """The table, as Markdown."""
        counts = {row: f"{self.tried[row]:,} | {self.failed[row]:,}" if self.tried[row] else "not run yet | –" for row in ROWS}
        rows = [f"| {words} | {counts[row]} |" for row, words in ROWS.items()]
        total = f"| **All** | **{self.tried.total():,}** | **{self.failed.total():,}** |"
        return "\n".join(["| what is tried | attempts | failed |", "|---|---:|---:|", *rows, total])

    def write(self, page: Path = PAGE) -> None:
        """Write the table: the rows that were tried, and the others as they stand on the page."""
        text = page.read_text(encoding="utf-8")
        whole = Tally()
        for row, words in ROWS.items():
            stands = re.search(rf"^\| {re.escape(words)} \| ([\d,]+) \| ([\d,]+) \|$", text, re.M)
            before = [int(count.replace(",", "")) for count in stands.groups()] if stands else [0, 0]
            whole.tried[row], whole.failed[row] = (self.tried[row], self.failed[row]) if self.tried[row] else before
        inside = re.compile(f"(?<={re.escape(BEGIN)}\n).*?(?={re.escape(END)})", re.S)
        page.write_text(inside.sub(lambda _: f"{whole.table()}\n", text, count=1), encoding="utf-8")
