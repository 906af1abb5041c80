"""The findings of the responses of a run, as every view of one of them lists them."""

import json
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from groundscope.findings.listing import FindingList, MethodReading, listed, reader_title
from groundscope.grounding.export import findings_json
from groundscope.grounding.level_results import sentence_threshold
from groundscope.grounding.runs.arrays import PENDING, STATUSES, RunData, SentenceTable
from groundscope.grounding.tuning import Rule, starting_rules
from groundscope.types import Case, Judgement, SentenceScore

_AT_ONCE = 64
"""Cases whose texts are read together."""


def findings_of_run(run: RunData, rows: Sequence[int], rules: Mapping[str, Rule]) -> Iterator[tuple[Case, FindingList]]:
    """List the findings of some responses, in the order of the rows. A run keeps no likeness in meaning.

    `rules` are by id of the methods whose doubts may count; of several the recommended one leads.
    """
    tables = {}
    for m in map(run.method, rules):
        table = run.read_sentences(m)
        order = np.argsort(table.case, kind="stable")
        tables[m] = SentenceTable._make(column[order] for column in table)
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        for row, case in zip(some, run.read_cases(some), strict=True):
            judged = [m for m in tables if run.status[m, row] != PENDING]
            yield case, listed(case, [_reading(run, m, row, tables[m], rules[run.methods[m].id]) for m in judged])


def _reading(run: RunData, m: int, row: int, table: SentenceTable, rule: Rule) -> MethodReading:
    method, support = run.methods[m], float(run.support[m, row])
    first, end = np.searchsorted(table.case, [row, row + 1])
    cells = zip(*(column[first:end].tolist() for column in table[1:]), strict=True)
    scores = tuple(
        SentenceScore(a, b, None if np.isnan(s) else s, contradiction=None if np.isnan(c) else c) for a, b, s, c in cells
    )
    judgement = Judgement(STATUSES[run.status[m, row]], None if np.isnan(support) else support, scores)
    at = sentence_threshold(rule, method.threshold)
    return MethodReading(method.loads, method.signature, judgement, at, title=reader_title(method.loads))


def findings_lines(run: RunData) -> Iterator[str]:
    """Write the findings of each response as a line of JSON, at the thresholds that the methods start with."""
    for case, findings in findings_of_run(run, range(len(run.ids)), starting_rules(run)):
        yield json.dumps({"case": case.id, **findings_json(findings)}, ensure_ascii=False)
