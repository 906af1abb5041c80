"""Scores that other tools exported, as methods of their own beside those that run here: Ragas, DeepEval, TruLens and Phoenix.

A score is a support, 0..1, higher = more grounded. A metric in which lower is better (DeepEval's Hallucination and the like) is
turned round, and its name says so. What a tool could not score stays without a number.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import DataError
from groundscope.files.fields import clean
from groundscope.files.rows import Rejected, Row, read_rows
from groundscope.grounding.imported import _deepeval, _faithbench, _phoenix
from groundscope.grounding.imported._entries import ScoredAnswer, Tool, amount, falls, number
from groundscope.grounding.imported._frames import RAGAS, TRULENS
from groundscope.grounding.runs.arrays import MethodRun
from groundscope.types import Case, Judgement, Status

TOOLS = (_faithbench.TOOL, _deepeval.TOOL, _phoenix.TOOL, TRULENS, RAGAS)
"""In the order they are tried."""
MAX_METRICS = 100

_NONE = (
    "No score of Ragas, DeepEval, TruLens or Phoenix was found. Export a table with a question, an answer and a column of scores "
    "from 0 to 1 (Ragas, TruLens, Phoenix), or the JSON of a test run (DeepEval)."
)


@dataclass(frozen=True, slots=True)
class RecordedRow:
    """One answer as a tool scored it.

    Attributes:
        scores: by metric, 0..1, higher = more grounded; None = the tool has no number.
        costs: by metric, US dollars, likewise.
    """

    number: int
    query: str
    response: str
    case_id: str
    scores: dict[str, float | None]
    reasons: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    costs: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was read from one export.

    Attributes:
        rejected: rows, and single scores, that cannot be used, with the reason; row 0 stands for a whole column.
    """

    name: str
    tool: str
    title: str
    metrics: tuple[str, ...]
    inverted: tuple[str, ...]
    rows: tuple[RecordedRow, ...]
    rejected: tuple[Rejected, ...]
    digest: str

    @property
    def method_ids(self) -> dict[str, str]:
        """The method id of each metric, as `recorded:ragas.faithfulness`; metrics that are written alike get a number."""
        seen: Counter[str] = Counter()
        ids = {}
        for metric in self.metrics:
            name = _slug(metric)
            seen[name] += 1
            ids[metric] = f"recorded:{self.tool}.{name}" + (f"_{seen[name]}" if seen[name] > 1 else "")
        return ids


@dataclass(frozen=True, slots=True)
class Matched:
    """Recorded scores beside n cases.

    Attributes:
        supports: by metric (n,), 0..1, higher = more grounded; NaN = no number.
        invalid: by metric (n,), where the tool named the case but has no number.
        seconds: by metric (n,); NaN = the export does not say.
        costs: by metric (n,), US dollars, likewise.
        ambiguous: rows that fit several cases, or disagree with another row on one.
    """

    supports: Mapping[str, NDArray[np.float64]]
    invalid: Mapping[str, NDArray[np.bool_]]
    reasons: Mapping[str, tuple[str, ...]]
    seconds: Mapping[str, NDArray[np.float64]]
    costs: Mapping[str, NDArray[np.float64]]
    matched: int
    unmatched: int
    ambiguous: int


def read_scores(name: str, data: bytes) -> Recorded:
    """Read a tool's export; which tool it is shows in the fields.

    A score outside 0..1 costs itself alone; a missing one (empty, null, NaN) is kept as None, never as 0.
    """
    read = list(read_rows(name, data, whole=lambda values: any(tool.fits(values) for tool in TOOLS)))
    rejected = [row for row in read if isinstance(row, Rejected)]
    rows = [row for row in read if isinstance(row, Row)]
    tool = next((tool for tool in TOOLS if any(tool.fits(row.values) for row in rows)), None)
    if tool is None:
        raise DataError(_NONE)
    read_entries = list(tool.entries(name, rows))
    rejected += [entry for entry in read_entries if isinstance(entry, Rejected)]
    entries = [entry for entry in read_entries if isinstance(entry, ScoredAnswer)]
    return _recorded(name, tool, entries, rejected, hashlib.sha256(data).hexdigest()[:12])


def _recorded(name: str, tool: Tool, entries: Sequence[ScoredAnswer], rejected: list[Rejected], digest: str) -> Recorded:
    metrics = list(dict.fromkeys(metric for entry in entries for metric in entry.marks))
    if not metrics and not rejected:
        raise DataError(_NONE)
    if len(metrics) > MAX_METRICS:
        raise DataError(
            f"The file names {len(metrics):,} metrics; {MAX_METRICS} are read. Remove the columns that are not scores."
        )
    falling = {m for m in metrics if falls(m, (e.marks[m].falling for e in entries if m in e.marks))}
    names = _names(metrics, falling)
    rows = []
    for entry in entries:
        scores: dict[str, float | None] = {}
        reasons: dict[str, str] = {}
        seconds: dict[str, float] = {}
        costs: dict[str, float] = {}
        if not entry.marks:
            rejected.append(Rejected(name, entry.number, "It has no score."))
        for metric, mark in entry.marks.items():
            try:
                value = number(mark.value)
            except ValueError as error:
                rejected.append(Rejected(name, entry.number, f"'{names[metric][:40]}' {error}"))
                continue
            scores[names[metric]] = 1 - value if value is not None and metric in falling else value
            if mark.reason:
                reasons[names[metric]] = mark.reason
            for measured, value in ((seconds, amount(mark.seconds)), (costs, amount(mark.cost))):
                if value is not None:
                    measured[names[metric]] = value
        if scores:
            rows.append(RecordedRow(entry.number, entry.query, entry.response, entry.case_id, scores, reasons, seconds, costs))
    scored = [m for m in metrics if any(names[m] in row.scores for row in rows)]
    return Recorded(
        name,
        tool.name,
        tool.title,
        tuple(names[m] for m in scored),
        tuple(names[m] for m in scored if m in falling),
        tuple(rows),
        tuple(rejected),
        digest,
    )


def _names(metrics: Sequence[str], falling: set[str]) -> dict[str, str]:
    """What each metric is called here; two never share a name."""
    names: dict[str, str] = {}
    for metric in metrics:
        name = clean(metric).strip()[:200] or "score"
        name = f"{name} (inverted)" if metric in falling else name
        while name in names.values():
            name += "'"
        names[metric] = name
    return names


def _slug(metric: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", metric.lower()).strip("_")[:60] or "metric"


def match(recorded: Recorded, cases: Sequence[Case]) -> Matched:
    """Find which score belongs to which case: by case id where there is one, else by question and answer but for white space.

    An id counts only where the answer is the case's own too, if the export has it: another answer to the same question is
    another case.
    """
    by_id = {case.id: i for i, case in enumerate(cases)}
    by_text: dict[tuple[str, str], list[int]] = {}
    for i, case in enumerate(cases):
        by_text.setdefault((_plain(case.query), _plain(case.response)), []).append(i)
    marks: dict[tuple[str, int], list[int]] = {}
    unmatched = 0
    doubtful: set[int] = set()
    for r, row in enumerate(recorded.rows):
        places = _places(row, cases, by_id, by_text)
        unmatched += not places
        if len(places) > 1:
            doubtful.add(r)
        elif places:
            for metric in row.scores:
                marks.setdefault((metric, places[0]), []).append(r)
    supports = {m: np.full(len(cases), np.nan) for m in recorded.metrics}
    invalid = {m: np.zeros(len(cases), dtype=np.bool_) for m in recorded.metrics}
    reasons = {m: [""] * len(cases) for m in recorded.metrics}
    seconds, costs = ({m: np.full(len(cases), np.nan) for m in recorded.metrics} for _ in range(2))
    for (metric, i), places_in_file in marks.items():
        values = {recorded.rows[r].scores[metric] for r in places_in_file}
        if len(values) > 1:
            doubtful.update(places_in_file)
            continue
        (value,) = values
        supports[metric][i] = np.nan if value is None else value
        invalid[metric][i] = value is None
        first = recorded.rows[places_in_file[0]]
        reasons[metric][i] = first.reasons.get(metric, "")
        seconds[metric][i], costs[metric][i] = (kept.get(metric, np.nan) for kept in (first.seconds, first.costs))
    counted = len(recorded.rows) - unmatched - len(doubtful)
    whole = {m: tuple(r) for m, r in reasons.items()}
    return Matched(supports, invalid, whole, seconds, costs, counted, unmatched, len(doubtful))


def _places(
    row: RecordedRow, cases: Sequence[Case], by_id: Mapping[str, int], by_text: Mapping[tuple[str, str], list[int]]
) -> list[int]:
    place = by_id.get(row.case_id) if row.case_id else None
    if place is not None and (not row.response or _plain(row.response) == _plain(cases[place].response)):
        return [place]
    return by_text.get((_plain(row.query), _plain(row.response)), []) if row.response else []


def _plain(text: str) -> str:
    return " ".join(clean(text).split())


WITH_CASES = frozenset(tool.title for tool in TOOLS if tool.with_cases)
"""Tools whose files hold the cases too, by title."""


def stored_scores(files: Sequence[tuple[str, bytes]]) -> tuple[Recorded, ...]:
    """Read the scores that files of cases hold beside their cases, as FaithBench has those of eight detectors."""
    by_tool: dict[str, list[Recorded]] = {}
    for name, data in files:
        with suppress(DataError):
            recorded = read_scores(name, data)
            if recorded.metrics and recorded.title in WITH_CASES:
                by_tool.setdefault(recorded.tool, []).append(recorded)
    return tuple(_together(same) for same in by_tool.values())


def _together(same: Sequence[Recorded]) -> Recorded:
    """Several exports of one tool as one."""
    first, *others = same
    if not others:
        return first
    return replace(
        first,
        name=", ".join(one.name for one in same),
        metrics=tuple(dict.fromkeys(metric for one in same for metric in one.metrics)),
        inverted=tuple(dict.fromkeys(metric for one in same for metric in one.inverted)),
        rows=tuple(row for one in same for row in one.rows),
        rejected=tuple(row for one in same for row in one.rejected),
        digest=hashlib.sha256("".join(one.digest for one in same).encode()).hexdigest()[:12],
    )


_NOT_THERE = "The file has no score for this response."
_NO_NUMBER = "The tool gave no number for this response."


class ImportedMethod(NamedTuple):
    """A method of another tool, and its judgement of each case."""

    method: MethodRun
    judgements: tuple[Judgement, ...]


def attach(recorded: Recorded, cases: Sequence[Case]) -> tuple[list[ImportedMethod], Matched]:
    """Turn each metric of a file into a method over the cases."""
    matched = match(recorded, cases)
    attached = []
    for metric, method_id in recorded.method_ids.items():
        judgements = tuple(_judgements(matched, metric, len(cases)))
        if all(j.status is Status.FAILED for j in judgements):
            continue
        turned = "|1 minus the score" if metric in recorded.inverted else ""
        signature = f"{method_id}|file={recorded.digest}{turned}"
        attached.append(ImportedMethod(MethodRun(method_id, signature, f"{recorded.title}: {metric}"), judgements))
    return attached, matched


def _judgements(matched: Matched, metric: str, count: int) -> list[Judgement]:
    supports, invalid, reasons = matched.supports[metric], matched.invalid[metric], matched.reasons[metric]
    judgements = []
    for row in range(count):
        took, cost = float(matched.seconds[metric][row]), float(matched.costs[metric][row])
        measured: dict[str, Any] = {
            "seconds": 0.0 if np.isnan(took) else took,
            "cost": None if np.isnan(cost) else cost,
        }
        if not np.isnan(supports[row]):
            judgements.append(Judgement(Status.SCORED, support=float(supports[row]), note=reasons[row], **measured))
        elif invalid[row]:
            judgements.append(Judgement(Status.INVALID, note=_NO_NUMBER, **measured))
        else:
            judgements.append(Judgement(Status.FAILED, note=_NOT_THERE, cost=None))
    return judgements
