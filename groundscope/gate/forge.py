"""A check's report as files and for continuous integration: JUnit XML, annotations of GitHub, Markdown, an HTML page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote
from xml.etree import ElementTree

from groundscope.drawing.finding_list import STYLE, marked_answer
from groundscope.drawing.html import MARKDOWN_STYLE, Html, document, listed, region, table, tag, with_small
from groundscope.findings.listing import FindingList
from groundscope.gate.findings import WHOLE, nearest
from groundscope.gate.measuring import AnswerFinding
from groundscope.gate.outcomes import PromiseOutcome
from groundscope.grounding.tables import markdown_text
from groundscope.text.humanize import plural, without_control
from groundscope.text.sentences import split
from groundscope.text.shown import shown_words
from groundscope.types import Case


@dataclass(frozen=True, slots=True)
class GateReport:
    """All promises of a check; an empty `baseline` = none, an empty `run` = no run of the judgements is kept.

    `lines` (n,) has the line of each answer in the file, from 1, empty where it has none; `compared` has a sentence for each
    language of the answers on what exact checks looked up.
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


class ReportedPlace(NamedTuple):
    """A place to look at: its line in the file, from 1 (0 = not known), and the case with the number of the sentence.

    `beside` has the sentence, the nearest place in the sources and what differs.
    """

    line: int
    title: str
    why: str
    beside: tuple[str, ...] = ()


class PlaceList(NamedTuple):
    """The first places of a promise, and how many more there are."""

    places: list[ReportedPlace]
    left: int

    @property
    def rest(self) -> list[str]:
        """A line about those that are left, if any are."""
        return [f"... and {self.left:,} more"] * bool(self.left)


def place_list(
    report: GateReport, outcome: PromiseOutcome, findings: Sequence[AnswerFinding], cases: Sequence[Case], most: int
) -> PlaceList:
    """List the places of a promise, for every form of report alike: rows that cannot be read first, then findings."""
    places = [ReportedPlace(line, "row that cannot be used", reason) for line, reason in outcome.rejected[:most]]
    places += [_place(report, cases[f.row], f) for f in findings[: most - len(places)]]
    return PlaceList(places, len(outcome.rejected) + len(findings) - len(places))


def _place(report: GateReport, case: Case, answer_finding: AnswerFinding) -> ReportedPlace:
    at, line = answer_finding.sentence, report.line(answer_finding.row)
    if at == WHOLE:
        return ReportedPlace(line, case.id, answer_finding.why)
    near = nearest(case, answer_finding.findings)
    beside = [shown_words(case.response, *split(case.response)[at][:2])]
    beside += [f"{near.place}: {near.text}", *near.differs] if near else []
    return ReportedPlace(line, f"{case.id}, sentence {at + 1}", answer_finding.why, tuple(beside))


def address(report: GateReport, line: int, environment: Mapping[str, str]) -> str:
    """Make a link to a line of the file on GitHub."""
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")
    server, repository, commit = (environment.get(name, "") for name in names)
    outside = report.file.startswith(("/", ".."))
    if not (server.startswith("https://") and repository and commit) or outside:
        return ""
    anchor = f"#L{line}" if line else ""
    return f"{server}/{quote(repository)}/blob/{quote(commit)}/{quote(report.file)}{anchor}"


_ANNOTATIONS = 10
"""GitHub shows so many errors of a step, and drops the others."""
_LISTED = 25
"""Places of a promise in a summary, of which GitHub takes a megabyte, or in a JUnit report; the HTML report has all."""


def to_junit(report: GateReport, cases: Sequence[Case]) -> bytes:
    """Write JUnit XML: a test case a promise."""
    failed = len(report.broken)
    counts = {"tests": str(len(report.outcomes)), "failures": str(failed), "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": "groundscope check", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": without_control(report.file), **counts, "skipped": "0"})
    properties = ElementTree.SubElement(suite, "properties")
    named = [("run", report.run), ("baseline", report.baseline), *(("note", words) for words in report.notes)]
    for name, value in (*named, *(("compared", words) for words in report.compared)):
        if value:
            ElementTree.SubElement(properties, "property", {"name": name, "value": without_control(value)})
    for outcome in report.outcomes:
        about = {"classname": "groundscope.check", "name": without_control(outcome.title), "file": without_control(report.file)}
        case = ElementTree.SubElement(suite, "testcase", about)
        if outcome.held:
            ElementTree.SubElement(case, "system-out").text = without_control(_sentence(outcome))
        else:
            failure = ElementTree.SubElement(
                case, "failure", {"message": without_control(_sentence(outcome)), "type": outcome.state.value}
            )
            failure.text = without_control("\n".join(_text_lines(report, outcome, cases)))
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _sentence(outcome: PromiseOutcome) -> str:
    """The figure beside its limit."""
    return f"{outcome.measured}; allowed: {outcome.allowed}.{f' {outcome.why}' if outcome.why else ''}"


def _text_lines(report: GateReport, outcome: PromiseOutcome, cases: Sequence[Case]) -> Iterator[str]:
    yield _sentence(outcome)
    shown = place_list(report, outcome, outcome.findings, cases, _LISTED)
    for place in shown.places:
        yield place_line(report, place)
        yield from (f"    {words}" for words in place.beside)
    yield from shown.rest


def place_line(report: GateReport, place: ReportedPlace) -> str:
    """Name a place and say why, in one line of text."""
    return f"{report.file}{f':{place.line}' if place.line else ''}: {place.title}: {place.why}"


def annotations(report: GateReport, cases: Sequence[Case]) -> Iterator[str]:
    """Write workflow commands for GitHub: an error a place, with file and line, the first ten of them, and one for the whole."""
    commands: list[str] = []
    for outcome, findings in report.to_read:
        places = place_list(report, outcome, findings, cases, _ANNOTATIONS).places
        if not places and not outcome.findings:
            places = [ReportedPlace(0, outcome.title, _sentence(outcome))]
        commands += [_command(report.file, p.line, f"{outcome.title}: {p.title}", "\n".join([p.why, *p.beside])) for p in places]
    # The last of the ten is the sentence about the whole.
    yield from commands[: _ANNOTATIONS - 1]
    if commands:
        whole = "; ".join(f"{o.title}: {_sentence(o)}" for o in report.broken)
        yield _command(report.file, 0, f"groundscope check: {report.words}", whole)


def _command(file: str, line: int, title: str, text: str) -> str:
    at = f",line={line}" if line else ""
    return f"::error file={_property(file)}{at},title={_property(title)}::{_data(text)}"


def _data(text: str) -> str:
    """The text of a command, as GitHub's own toolkit escapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def to_summary(report: GateReport, cases: Sequence[Case], environment: Mapping[str, str]) -> str:
    """Write a summary in Markdown."""
    against = f", against {report.baseline}" if report.baseline else ""
    lines = [f"## {markdown_text(f'{report.file}{against}: {report.words}')}", ""]
    lines += ["| promise | here | allowed | outcome |", "| --- | --- | --- | --- |"]
    for o in report.outcomes:
        cells = (o.title, o.measured, o.allowed, f"{o.state.value}{f': {o.why}' if o.why else ''}")
        lines.append(f"| {' | '.join(map(markdown_text, cells))} |")
    for outcome, findings in report.to_read:
        lines += _places_in_markdown(report, outcome, findings, cases, environment)
    lines += ["", *(markdown_text(note) for note in (*report.notes, *report.compared))]
    return "\n".join(lines).rstrip() + "\n"


def _places_in_markdown(
    report: GateReport, outcome: PromiseOutcome, findings: Sequence[AnswerFinding], cases: Sequence[Case],
    environment: Mapping[str, str],
) -> Iterator[str]:  # fmt: skip
    shown = place_list(report, outcome, findings, cases, _LISTED)
    if not shown.places:
        return
    yield from ("", f"### {markdown_text(outcome.title)}", "")
    for place in shown.places:
        yield f"- {_link(report, place, environment)}: {markdown_text(place.why)}"
        yield from (f"  - {markdown_text(words)}" for words in place.beside)
    yield from (f"- {rest}" for rest in shown.rest)


def _link(report: GateReport, place: ReportedPlace, environment: Mapping[str, str]) -> str:
    if target := address(report, place.line, environment):
        return f"[{markdown_text(place.title)}]({target})"
    return markdown_text(f"{place.title} (line {place.line})" if place.line else place.title)


_STYLE = """
body{font:16px/1.6 Charter,Georgia,"DejaVu Serif",serif;max-width:56rem;margin:2.5rem auto;padding:0 1.2rem}
h1{font-size:1.4rem;line-height:1.3}h2{font-size:1.1rem;margin-top:2.2rem}h3{font-size:1rem;margin:1.6rem 0 .2rem}
table{border-collapse:collapse;font:14px/1.4 system-ui,sans-serif;width:100%}th,td{padding:.35rem .6rem;text-align:left;
border-bottom:1px solid #8886;vertical-align:top}.across{overflow-x:auto}
.text{white-space:pre-wrap;overflow-wrap:anywhere}.soft,small{opacity:.75;font-size:.9rem}
blockquote{margin:.2rem 0 .6rem;padding-left:.9rem;border-left:3px solid #8888}li{margin:.3rem 0;overflow-wrap:anywhere}
""".strip().replace("\n", "")
_DRAWN = 2_000
"""Findings of a page; one with more is slow to open."""


def to_page(report: GateReport, cases: Sequence[Case]) -> bytes:
    """Write an HTML page of its own: the table of promises, then each answer with its findings."""
    rows = [
        (o.title, o.measured, o.allowed, with_small(f"{'✓' if o.held else '✗'} {o.state.value}", o.why)) for o in report.outcomes
    ]
    promises = region("Promises", table(("Promise", "Here", "Allowed", "Outcome"), rows), css="across")
    notes = (f"Baseline: {report.baseline}" * bool(report.baseline), *report.notes, *report.compared)
    body = [tag("h1", f"{report.file}: {report.words}", dir="auto"), promises, *map(_soft, filter(None, notes))]
    if rejected := [f"{f'Line {line}: ' if line else ''}{why}" for o in report.broken for line, why in o.rejected]:
        body += [tag("h2", "Rows that cannot be read"), listed(rejected)]
    findings = [(o.title, f) for o, of_promise in report.to_read for f in of_promise]
    by_row: dict[int, list[tuple[str, AnswerFinding]]] = {}
    for title, f in findings[:_DRAWN]:
        by_row.setdefault(f.row, []).append((title, f))
    body += [tag("h2", "Where to look")] * bool(by_row)
    body += [_answer(report, cases[row], of_row) for row, of_row in sorted(by_row.items())]
    body += [_soft(f"{len(findings) - _DRAWN:,} more findings are not listed.")] * (len(findings) > _DRAWN)
    body.append(_soft("Exact checks compare words and figures; what they do not find is not shown to be supported."))
    page = document(f"{report.file}: {report.words} · Groundscope", f"{_STYLE}{STYLE}{MARKDOWN_STYLE}", *body)
    return page.encode("utf-8", "replace")


def _soft(words: str) -> Html:
    return tag("p", words, class_="soft", dir="auto")


def _answer(report: GateReport, case: Case, findings: Sequence[tuple[str, AnswerFinding]]) -> Html:
    line, items = report.line(findings[0][1].row), list[Html]()
    for title, f in sorted(findings, key=lambda pair: pair[1].sentence):
        place = _place(report, case, f)
        beside = "\n".join(place.beside[1:])
        near = tag("blockquote", beside, class_="text", dir="auto") if beside else ""
        head = "" if f.sentence == WHOLE else f"Sentence {f.sentence + 1}: "
        items.append(tag("li", f"{head}{place.why} ", tag("span", f"({title})", class_="soft"), near, dir="auto"))
    marks = FindingList(tuple(found for _, f in findings for found in f.findings if found.sentence != WHOLE), ())
    head = tag("h3", f"{case.id}{f', line {line}' if line else ''}", dir="auto")
    asked = tag("p", tag("strong", case.query), dir="auto") if case.query else ""
    return tag("section", head, asked, marked_answer(case, marks), tag("ul", *items))
