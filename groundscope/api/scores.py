"""Table of scores: as a data frame, as heatmaps in a notebook, or saved to a file."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from groundscope.drawing import report
from groundscope.drawing.html import Html, document
from groundscope.drawing.record import Records, flag_words, records_of
from groundscope.errors import DataError, GroundscopeError
from groundscope.findings.listing import MethodReading, listed
from groundscope.grounding.export import COLUMNS, lines, to_json
from groundscope.grounding.runs import listing
from groundscope.grounding.tables import frame_csv
from groundscope.methods import same_method
from groundscope.runtime import extras
from groundscope.statistics.decision import verdict
from groundscope.types import Case

if TYPE_CHECKING:
    import pandas as pd

By = Literal["sentence", "response"]
REJECTED = "rejected"
"""The status of a row that could not be used."""
_RESPONSE = (
    "row", "status", "support", "flagged", "headline", "method", "case", "verdict", "grounded", "threshold", "sentences",
    "seconds", "calls", "tokens", "cost", "context_seen", "note", "record",
)  # fmt: skip
_FIRST = ("row", "sentence", "support", "flagged", "why", "method", "text")
_COLUMNS = (*_FIRST, *(name for name in COLUMNS if name not in (*_FIRST, "findings", "signature")))
_OF_JUDGEMENT = ("support", "seconds", "calls", "tokens", "cost", "context_seen", "note")


_NUMBERS = {
    **dict.fromkeys(("sentence", "start", "end", "match_passage", "match_start", "match_end"), "Int64"),
    **dict.fromkeys(("threshold", "support", "match_support", "contradiction"), "float64"),
}
"""Columns by sentence that miss a value where a method has no number."""


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """One row of what was given.

    Attributes:
        row: its number, from 1.
        case: what was judged; None where the row could not be used.
        reason: why it could not be used; else empty.
        readings: one a method, in the order of the methods; empty where the row could not be used.
    """

    row: int
    case: Case | None
    reason: str
    readings: tuple[MethodReading, ...]


class ScoreTable(Sequence[ScoredRow]):
    """Judgements of answers by methods: a sequence of `ScoredRow`, with every row that was given."""

    def __init__(self, rows: Sequence[ScoredRow]) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, at: Any) -> Any:
        """Find a row by its place, from 0; a slice gives `ScoreTable`."""
        return ScoreTable(self._rows[at]) if isinstance(at, slice) else self._rows[at]

    @cached_property
    def rejected(self) -> tuple[ScoredRow, ...]:
        """The rows that could not be used."""
        return tuple(one for one in self._rows if one.case is None)

    def frame(self, by: By = "sentence") -> "pd.DataFrame":
        """Make a table.

        Args:
            by: `sentence` = a line a sentence and method; `response` = a line a response and method, and one for each row that
                could not be used, so that no row is lost.

        Returns:
            By sentence `row`, `sentence`, `support`, `flagged`, `why` (all findings of the sentence), then the other columns of
            the CSV export (`groundscope.grounding.export.COLUMNS`) but the signature, which `methods` has; by response a `status`
            for each line: only `scored` has a support, from 0 to 1, higher = more grounded. `headline` is that of the heatmap,
            the same for all methods of a response.

        Raises:
            ValueError: an unknown `by`.
        """
        extras.require("runs")
        import pandas as pd

        if by == "response":
            return pd.DataFrame(list(self._responses()), columns=list(_RESPONSE))
        if by != "sentence":
            raise ValueError(f"by must be sentence or response, got {by!r}")
        return self._by_sentence()[list(_COLUMNS)]

    def _by_sentence(self) -> "pd.DataFrame":
        """The table by sentence with the signatures."""
        extras.require("runs")
        import pandas as pd

        cells = ((one.row, *line) for one in self._rows if one.case for line in lines(one.case, _said(one.readings)))
        table = pd.DataFrame(list(cells), columns=["row", *COLUMNS]).rename(columns={"findings": "why"})
        # A file has an empty cell where there is no number; a mean of texts is none.
        return table.replace({name: {"": None} for name in _NUMBERS}).astype(_NUMBERS)[[*_COLUMNS, "signature"]]

    def methods(self) -> "pd.DataFrame":
        """Make a table of the methods.

        Returns:
            A row a method with its `signature` (equal ones give comparable numbers), its threshold, and how often its flags were
            right on the samples.
        """
        extras.require("runs")
        import pandas as pd

        once = {r.method: r for row in self._rows for r in row.readings}
        columns = ["method", "signature", "threshold", "record"]
        return pd.DataFrame([[getattr(r, name) for name in columns] for r in _said(list(once.values()))], columns=columns)

    def _responses(self) -> Iterator[dict[str, Any]]:
        for row in self._rows:
            if row.case is None:
                yield {"row": row.row, "status": REJECTED, "note": row.reason}
                continue
            readings = _said(row.readings)
            headline = listed(row.case, readings).headline
            for r in readings:
                j, read = r.judgement, verdict(r.judgement, r.threshold)
                of_judgement = {name: getattr(j, name) for name in _OF_JUDGEMENT}
                yield of_judgement | {
                    "row": row.row,
                    "case": row.case.id,
                    "method": r.method,
                    "status": str(j.status),
                    "threshold": r.threshold,
                    "grounded": read.grounded,
                    "verdict": read.words,
                    "flagged": len(read.flagged),
                    "sentences": len(j.sentences),
                    "record": r.record,
                    "headline": headline,
                }

    def show(self, most: int = 10) -> "DrawnScores":
        """Draw rows for a notebook: headline, findings, marked answer and places in the sources, then sentences by methods.

        Args:
            most: rows to draw, the first ones.

        Returns:
            HTML that Jupyter, marimo and VS Code show: self-contained, without scripts; nothing is requested.
        """
        return DrawnScores(
            report.heatmaps([(o.row, o.case, _said(o.readings), o.reason) for o in self._rows[:most]], len(self._rows))
        )

    def _repr_html_(self) -> str:
        return str(self.show().html)

    def __repr__(self) -> str:
        return f"<ScoreTable of {len(self._rows):,} rows, {len(self.rejected):,} of them rejected>"

    def save(self, path: str | Path) -> Path:
        """Write a file.

        Args:
            path: its ending says what: `.html` = the heatmaps of all rows; `.jsonl` = everything, a line a row; `.csv` and
                `.parquet` = the table by sentence, with signatures.

        Returns:
            The path.

        Raises:
            DataError: another ending, or the file cannot be written.
        """
        path = Path(path)
        makers = {
            ".html": self._html,
            ".jsonl": self._jsonl,
            ".csv": lambda: frame_csv(self._by_sentence()),
            ".parquet": self._parquet,
        }
        if path.suffix not in makers:
            raise DataError(f"The ending of a file says what is written: {', '.join(makers)}.")
        data = makers[path.suffix]()
        try:
            path.write_bytes(data)
        except OSError as error:
            raise DataError(f"{path} cannot be written ({error.strerror}).") from None
        return path

    def _html(self) -> bytes:
        if len(self._rows) == 1 and (row := self._rows[0]).case:
            return report.page(row.case, _said(row.readings)).encode()
        return self.show(len(self._rows)).page.encode()

    def _jsonl(self) -> bytes:
        lines = []
        for row in self._rows:
            whole = json.loads(to_json(row.case, _said(row.readings))) if row.case else {"status": REJECTED, "reason": row.reason}
            lines.append(json.dumps({"row": row.row, **whole}, ensure_ascii=False))
        return "".join(f"{line}\n" for line in lines).encode()

    def _parquet(self) -> bytes:
        # Columns of empty texts and numbers hold both, which Parquet does not.
        table = self._by_sentence().replace({"": None})
        return bytes(table.to_parquet(index=False))


@dataclass(frozen=True, slots=True)
class DrawnScores:
    """Drawn heatmaps.

    Attributes:
        html: a piece of a page, with its style.
    """

    html: Html

    @property
    def page(self) -> str:
        """A whole page of it."""
        return document("Groundscope", "", self.html)

    def _repr_html_(self) -> str:
        return str(self.html)


def _said(readings: Sequence[MethodReading]) -> list[MethodReading]:
    """The readings with how often each method was right at its threshold, where the run that comes with the app shows it."""
    records = _records()
    with_record = []
    for r in readings:
        data = next((data for signature, data in records if same_method(signature, r.signature)), None)
        with_record.append(replace(r, record=flag_words(data, r.threshold)))
    return with_record


@lru_cache(maxsize=1)
def _records() -> Records:
    try:
        return [one for entry in listing.samples()[:1] for one in records_of(entry, listing.read(entry))]
    except (GroundscopeError, ValueError):
        return []
