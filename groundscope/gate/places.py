"""What a report says of each broken promise: the places to look at, with links to their lines where the file lies on a forge."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from groundscope.gate.findings import NearestPlace, nearest
from groundscope.gate.measuring import AnswerFinding
from groundscope.gate.report import GateReport
from groundscope.text.sentences import split
from groundscope.types import Case


class ReportedPlace(NamedTuple):
    """A place to look at.

    Attributes:
        line: of the file, from 1; 0 = not known.
        sentence: number from 1; 0 = the answer as a whole.
    """

    case: str
    line: int
    sentence: int
    text: str
    why: str
    nearest: NearestPlace | None

    @property
    def title(self) -> str:
        """The case and the number of the sentence."""
        return f"{self.case}, sentence {self.sentence}" if self.sentence else self.case


def reported(
    report: GateReport, findings: Sequence[AnswerFinding], cases: Sequence[Case], most: int | None = None
) -> list[ReportedPlace]:
    """List the places of findings."""
    return [_place(report, cases[f.row], f) for f in findings[:most]]


def _place(report: GateReport, case: Case, answer_finding: AnswerFinding) -> ReportedPlace:
    finding = answer_finding.finding
    whole = not finding.marks
    number = 0 if whole else sum(s.start <= finding.start for s in split(case.response))
    text = "" if whole else " ".join(case.response[finding.start : finding.end].split())
    return ReportedPlace(
        case.id, report.line(answer_finding.row), number, text, finding.why, None if whole else nearest(case, finding)
    )


def address(report: GateReport, line: int, environment: Mapping[str, str]) -> str:
    """Make a link to a line of the file on GitHub."""
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")
    server, repository, commit = (environment.get(name, "") for name in names)
    outside = report.file.startswith(("/", ".."))
    if not (server.startswith("https://") and repository and commit) or outside:
        return ""
    anchor = f"#L{line}" if line else ""
    return f"{server}/{quote(repository)}/blob/{quote(commit)}/{quote(report.file)}{anchor}"
