"""Measurement of what each promise limits, answer by answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.findings.finding import Finding
from groundscope.gate.findings import CheckedAnswer, about_whole, doubts
from groundscope.gate.rules import CitationsRule, FactsRule
from groundscope.grounding.latency import timed
from groundscope.grounding.level_results import sentence_threshold
from groundscope.grounding.run_findings import findings_of_run
from groundscope.grounding.runs.arrays import STATUSES, Integers, RunData
from groundscope.grounding.tuning import Rule, verdicts
from groundscope.text.alignment import nothing_to_assess
from groundscope.types import Case, Status

Counts = NDArray[np.float64]


class AnswerFinding(NamedTuple):
    """Findings in one sentence of the answer of a row, from 0, or about all of that answer.

    `figure` sets the support by a method beside what it needed, as a sentence; it is empty for what exact checks found.
    """

    row: int
    findings: tuple[Finding, ...]
    figure: str = ""

    @property
    def sentence(self) -> int:
        """Its index in the answer; `groundscope.gate.findings.WHOLE` where all of the answer is meant."""
        return self.findings[0].sentence

    @property
    def why(self) -> str:
        """Why of each finding, and the figure."""
        return " ".join(filter(None, (*(f.why for f in self.findings), self.figure)))


@dataclass(frozen=True, slots=True)
class MeasuredShare:
    """What is wrong of what, in n answers: (n, 2) how many are wrong in an answer, and how many it has.

    `whole` (n,) marks answers that were judged as a whole and count as one sentence; None = none was.
    """

    counts: Counts
    findings: tuple[AnswerFinding, ...] = field(default=(), compare=False)
    whole: NDArray[np.bool_] | None = field(default=None, compare=False)

    def by_question(self, places: NDArray[np.int64], count: int) -> Counts:
        """Sum the answers to each question."""
        there = places >= 0
        return np.column_stack([np.bincount(places[there], self.counts[there, j], count) for j in (0, 1)])


_sentence = attrgetter("sentence")


def facts_share(answers: Sequence[CheckedAnswer], rule: FactsRule) -> MeasuredShare:
    """Count the sentences in which exact checks find something."""
    findings = [
        AnswerFinding(i, tuple(of_sentence))
        for i, a in enumerate(answers)
        for _, of_sentence in groupby(sorted((f for kind, f in a.facts if kind in rule.kinds), key=_sentence), key=_sentence)
    ]
    wrong = np.bincount([f.row for f in findings], minlength=len(answers)).astype(np.float64)
    of = [0 if a.unread(rule.kinds) else a.sentences for a in answers]
    return MeasuredShare(np.column_stack([wrong, of]), tuple(findings))


def citations_share(answers: Sequence[CheckedAnswer], rule: CitationsRule) -> MeasuredShare:
    """Count the citations that the sources do not have."""
    by_answer = [sorted((*a.absent, *(a.different if rule.different else ())), key=lambda f: f.start) for a in answers]
    counts = [(len(own), a.citations) for own, a in zip(by_answer, answers, strict=True)]
    return MeasuredShare(
        np.array(counts, dtype=np.float64).reshape(-1, 2),
        tuple(AnswerFinding(i, (f,)) for i, of_answer in enumerate(by_answer) for f in of_answer),
    )


def unsupported_share(run: RunData, method: int, rule: Rule, title: str, *, named: bool = True) -> MeasuredShare:
    """Count the sentences that a method calls unsupported; an answer of which it names no sentence counts as one.

    Without `named` the findings are left out.
    """
    at, name = sentence_threshold(rule, run.methods[method].threshold), run.methods[method].id
    table, n = run.read_sentences(method), len(run.ids)
    scored = ~np.isnan(table.support)
    below = scored & (table.support < (at if at is not None else -1.0))
    of = np.bincount(table.case[scored], minlength=n).astype(np.float64)
    wrong = np.bincount(table.case[below], minlength=n).astype(np.float64)
    whole_verdicts = verdicts(run, {name: rule})[method]
    whole = (of == 0) & (whole_verdicts >= 0)
    of[whole], wrong[whole] = 1, whole_verdicts[whole] == 0
    flagged = np.flatnonzero(wrong).tolist() if named else []
    findings = list[AnswerFinding]()
    for row, (case, listed) in zip(flagged, findings_of_run(run, flagged, {name: rule}), strict=True):
        in_row = below & (table.case == row)
        supports = dict(zip(table.start[in_row].tolist(), table.support[in_row].tolist(), strict=True))
        findings += [AnswerFinding(row, (f,), figure) for f, figure in doubts(case, listed, title, supports, at)]
    return MeasuredShare(np.column_stack([wrong, of]), tuple(findings), whole)


def lost_answers(run: RunData | None, cases: Sequence[Case]) -> Iterator[AnswerFinding]:
    """Find the answers that hold nothing to assess, or that a method of the run gave no judgement of, for whatever reason."""
    lost = np.zeros((0, len(cases)), dtype=bool) if run is None else run.status != STATUSES.index(Status.SCORED)
    for row, case in enumerate(cases):
        if why := nothing_to_assess(case):
            yield AnswerFinding(row, (about_whole(case, "answer", why),))
        elif run and lost[:, row].any():
            m = int(np.flatnonzero(lost[:, row])[0])
            note = run.read_notes(m, [row])[0]
            why = f"{run.methods[m].title} gave no judgement{f': {note}' if note else ''}"
            yield AnswerFinding(row, (about_whole(case, run.methods[m].title, why),))


def seconds_of(run: RunData) -> NDArray[np.float64]:
    """Sum the seconds of all methods by answer, wall clock; NaN where a method was not timed."""
    rows: Integers = np.arange(len(run.ids), dtype=np.int32)
    seconds: NDArray[np.float64] = np.where(timed(run, rows), run.seconds, np.nan).sum(axis=0)
    return seconds


def dollars_of(run: RunData) -> NDArray[np.float64]:
    """Sum what all methods cost by answer, in US dollars; NaN where a price is not known."""
    dollars: NDArray[np.float64] = run.cost.sum(axis=0)
    return dollars
