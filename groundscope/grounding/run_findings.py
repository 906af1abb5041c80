"""The findings of the responses of a run, as every view of one of them lists them."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from groundscope.findings.listing import FindingList, MethodReading, listed, reader_title
from groundscope.grounding.level_results import sentence_threshold
from groundscope.grounding.runs.arrays import PENDING, STATUSES, RunData
from groundscope.grounding.tuning import Rule
from groundscope.types import Case, Judgement, SentenceScore


def findings_of_run(run: RunData, rows: Sequence[int], rules: Mapping[str, Rule]) -> Iterator[tuple[Case, FindingList]]:
    """List the findings of some responses.

    Args:
        run: judged them.
        rows: of the responses.
        rules: by id of the methods of the run whose doubts may count; of several the recommended one leads.

    Yields:
        Each case with its findings, in the order of the rows. A run keeps no stances and no likeness in meaning.
    """
    places = [run.method(m) for m in rules]
    tables = {m: run.read_sentences(m) for m in places}
    for row, case in zip(rows, run.read_cases(rows), strict=True):
        readings = []
        for m in places:
            status, support, method = int(run.status[m, row]), float(run.support[m, row]), run.methods[m]
            if status == PENDING:
                continue
            of_row = tables[m].case == row
            cells = zip(*(column[of_row].tolist() for column in tables[m][1:]), strict=True)
            scores = tuple(SentenceScore(a, b, None if np.isnan(s) else s) for a, b, s in cells)
            judgement = Judgement(STATUSES[status], None if np.isnan(support) else support, scores)
            at = sentence_threshold(rules[method.id], method.threshold)
            readings.append(MethodReading(method.loads, method.signature, judgement, at, title=reader_title(method.loads)))
        yield case, listed(case, readings)
