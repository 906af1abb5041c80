"""Report of a check: the outcome of every promise, also as one HTML file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from groundscope.drawing.html import MARKDOWN_STYLE, Html, shown_html
from groundscope.gate.findings import WHOLE, nearest
from groundscope.gate.measuring import AnswerFinding
from groundscope.gate.outcomes import PromiseOutcome
from groundscope.text.humanize import plural
from groundscope.text.sentences import split
from groundscope.types import Case


@dataclass(frozen=True, slots=True)
class GateReport:
    """All promises of a check.

    Attributes:
        baseline: name of the baseline; empty = none.
        run: id of the run that judged the answers; empty = none is kept.
        lines: (n,) line of each answer in the file, from 1; empty where the file has no lines.
        compared: what exact checks looked up, one sentence for each language of the answers.
    """

    file: str
    outcomes: tuple[PromiseOutcome, ...]
    baseline: str = ""
    run: str = ""
    notes: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    compared: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        """Whether every promise is held."""
        return not self.broken

    @property
    def words(self) -> str:
        """The outcome in a sentence."""
        broken = len(self.broken)
        count = len(self.outcomes)
        return (
            f"{broken} of {plural(count, 'promise')} not held."
            if broken
            else f"All {count} promises held."
            if count > 1
            else "Held."
        )

    @property
    def broken(self) -> tuple[PromiseOutcome, ...]:
        """The promises that are not held."""
        return tuple(o for o in self.outcomes if not o.held)

    @property
    def to_read(self) -> tuple[tuple[PromiseOutcome, tuple[AnswerFinding, ...]], ...]:
        """The promises that are not held, each with its findings that no earlier one has."""
        seen: set[AnswerFinding] = set()
        unread = []
        for outcome in self.broken:
            unread.append((outcome, tuple(f for f in outcome.findings if f not in seen)))
            seen.update(outcome.findings)
        return tuple(unread)

    def line(self, row: int) -> int:
        """Find the line of an answer."""
        return self.lines[row] if row < len(self.lines) else 0

    def of_file(self, file: str) -> "GateReport":
        """Name the file in another way."""
        return replace(self, file=file)


_LONGEST_LIST = 2_000
"""Findings; a file with more is slow to open."""


def to_page(report: GateReport, cases: Sequence[Case]) -> str:
    """Write the page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("groundscope.gate", ""), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    by_answer, left_out = _found(report, cases)
    answers = [_answer(i, report.line(row), cases[row], own) for i, (row, own) in enumerate(sorted(by_answer.items()))]
    template = environment.get_template("report.html")
    return template.render(report=report, broken=report.broken, answers=answers, left_out=left_out, markdown=MARKDOWN_STYLE)


def _found(report: GateReport, cases: Sequence[Case]) -> tuple[dict[int, list[tuple[str, AnswerFinding]]], int]:
    """The findings of each answer, each with the title of its promise, and how many are left out."""
    by_answer: dict[int, list[tuple[str, AnswerFinding]]] = {}
    count = 0
    for outcome, findings in report.to_read:
        for finding in findings:
            count += 1
            if count <= _LONGEST_LIST:
                by_answer.setdefault(finding.row, []).append((outcome.title, finding))
    return by_answer, max(0, count - _LONGEST_LIST)


def _answer(number: int, line: int, case: Case, findings: Sequence[tuple[str, AnswerFinding]]) -> dict[str, Any]:
    """What the template needs of one answer."""
    items, spans, marks, sentences = [], dict[tuple[int, int], str](), set[tuple[int, int]](), split(case.response)
    for title, f in sorted(findings, key=lambda one: one[1].sentence):
        item: dict[str, Any] = {"title": title, "why": f.why, "id": "", "nearest": None}
        if f.sentence != WHOLE:
            item |= {"id": f"a{number}s{f.sentence + 1}", "nearest": nearest(case, f.findings)}
            spans[sentences[f.sentence][:2]] = item["id"]
            marks |= {(words.start, words.end) for words in f.findings} - spans.keys()
        items.append(item)
    return {
        "id": case.id,
        "line": line,
        "question": case.query,
        "pieces": list(_pieces(case.response, spans, marks)),
        "items": items,
    }


class _Markup(Html):
    """HTML that the template writes as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def _pieces(text: str, spans: dict[tuple[int, int], str], marks: set[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """The answer cut at every border: is a piece of a flagged sentence, and are its words meant?"""
    borders = sorted({0, len(text), *(at for span in (*spans, *marks) for at in span)})
    for start, end in pairwise(borders):
        inside = next((span for span in spans if span[0] <= start and end <= span[1]), None)
        yield {
            "text": _Markup(shown_html(text, start, end)),
            "flagged": inside is not None,
            "meant": any(a <= start and end <= b for a, b in marks),
            "id": spans[inside] if inside and inside[0] == start else "",
        }
