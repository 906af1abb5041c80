"""Scores that other tools exported, as methods of their own beside those that run here: Ragas, DeepEval, TruLens and Phoenix.

A score is a support, 0..1, higher = more grounded. A metric in which lower is better (DeepEval's Hallucination and the like) is
turned round, and its name says so. What a tool could not score stays without a number.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from groundscope.errors import DataError
from groundscope.experiments.plan import Part
from groundscope.files.fields import clean
from groundscope.files.rows import Rejected, Row, read_rows
from groundscope.grounding.imported import _deepeval, _phoenix
from groundscope.grounding.imported._entries import MetricScore, ScoredAnswer, Tool, amount, falls, number
from groundscope.grounding.imported._frames import RAGAS, TRULENS
from groundscope.types import Case, Judgement, Status

TOOLS = (_deepeval.FAITHBENCH, _deepeval.TOOL, _phoenix.TOOL, TRULENS, RAGAS)
"""In the order they are tried."""
MAX_METRICS = 100

_NONE = (
    "No score of Ragas, DeepEval, TruLens or Phoenix was found. Export a table with a question, an answer and a column of scores "
    "from 0 to 1 (Ragas, TruLens, Phoenix), or the JSON of a test run (DeepEval)."
)


class RecordedScore(NamedTuple):
    """A metric's score of one answer, 0..1, higher = more grounded; None = the tool has no number. Costs are in US dollars."""

    value: float | None
    reason: str = ""
    seconds: float | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was read from one export.

    `rejected`: rows, and single scores, that cannot be used, with the reason; row 0 stands for a whole column.
    """

    name: str
    tool: str
    title: str
    metrics: tuple[str, ...]
    inverted: tuple[str, ...]
    rows: tuple[ScoredAnswer[RecordedScore], ...]
    rejected: tuple[Rejected, ...]
    digest: str

    @property
    def method_ids(self) -> dict[str, str]:
        """The method id of each metric, as `recorded:ragas.faithfulness`; metrics that are written alike get a number."""
        seen: Counter[str] = Counter()
        ids = {}
        for metric in self.metrics:
            name = re.sub(r"[^a-z0-9]+", "_", metric.lower()).strip("_")[:60] or "metric"
            seen[name] += 1
            ids[metric] = f"recorded:{self.tool}.{name}" + (f"_{seen[name]}" if seen[name] > 1 else "")
        return ids


@dataclass(frozen=True, slots=True)
class Matched:
    """What each metric says of n cases; `ambiguous`: rows that fit several cases, or disagree with another row on one."""

    judgements: Mapping[str, list[Judgement]]
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


def _recorded(
    name: str, tool: Tool, entries: Sequence[ScoredAnswer[MetricScore]], rejected: list[Rejected], digest: str
) -> Recorded:
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
        marks: dict[str, RecordedScore] = {}
        if not entry.marks:
            rejected.append(Rejected(name, entry.number, "It has no score."))
        for metric, mark in entry.marks.items():
            try:
                value = number(mark.value)
            except ValueError as error:
                rejected.append(Rejected(name, entry.number, f"'{names[metric][:40]}' {error}"))
                continue
            value = 1 - value if value is not None and metric in falling else value
            marks[names[metric]] = RecordedScore(value, mark.reason, amount(mark.seconds), amount(mark.cost))
        if marks:
            rows.append(ScoredAnswer(entry.number, entry.query, entry.response, entry.case_id, marks))
    scored = [m for m in metrics if any(names[m] in row.marks for row in rows)]
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
            for metric in row.marks:
                marks.setdefault((metric, places[0]), []).append(r)
    judgements = {
        m: [Judgement(Status.FAILED, note="The file has no score for this response.", cost=None)] * len(cases)
        for m in recorded.metrics
    }
    for (metric, i), places_in_file in marks.items():
        same = [recorded.rows[r].marks[metric] for r in places_in_file]
        if len({mark.value for mark in same}) > 1:
            doubtful.update(places_in_file)
        else:
            judgements[metric][i] = _judgement(same[0])
    counted = len(recorded.rows) - unmatched - len(doubtful)
    return Matched(judgements, counted, unmatched, len(doubtful))


def _judgement(mark: RecordedScore) -> Judgement:
    status, note = (
        (Status.INVALID, "The tool gave no number for this response.") if mark.value is None else (Status.SCORED, mark.reason)
    )
    return Judgement(status, support=mark.value, note=note, seconds=mark.seconds or 0.0, cost=mark.cost)


def _places(
    row: ScoredAnswer[RecordedScore],
    cases: Sequence[Case],
    by_id: Mapping[str, int],
    by_text: Mapping[tuple[str, str], list[int]],
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


class ImportedMethod(NamedTuple):
    """A method of another tool, and its judgement of each case."""

    method: Part
    judgements: tuple[Judgement, ...]


def attach(recorded: Recorded, cases: Sequence[Case]) -> tuple[list[ImportedMethod], Matched]:
    """Turn each metric of a file into a method over the cases."""
    matched = match(recorded, cases)
    attached = []
    for metric, method_id in recorded.method_ids.items():
        judgements = tuple(matched.judgements[metric])
        if all(j.status is Status.FAILED for j in judgements):
            continue
        turned = "|1 minus the score" if metric in recorded.inverted else ""
        signature = f"{method_id}|file={recorded.digest}{turned}"
        attached.append(ImportedMethod(Part(method_id, f"{recorded.title}: {metric}", signature), judgements))
    return attached, matched
