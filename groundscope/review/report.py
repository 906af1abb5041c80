"""Content of the report of a review, which `report_docx` and `report_pdf` write."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from groundscope.cases.error_types import TITLES
from groundscope.findings import Certainty, Finding, FindingList
from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, SourcePlace, StoredDecision
from groundscope.review.sources import document_name, page_words
from groundscope.text.humanize import page_range, plural, without_control
from groundscope.text.sentences import context_sentences, split
from groundscope.text.shown import Style, shown, shown_words
from groundscope.types import Case

TITLE = "Review of an answer"
_LONGEST_QUOTE = 400
"""Characters of a quotation; the source has the rest."""
_BLIND = "Decided before the findings, any label or other person's decision was shown."
_IN_VIEW = "At least one decision was made with the findings, labels or other people's decisions in view."
_STANDING = {
    Certainty.EXACT: "Does not match the sources: ",
    Certainty.DIFFERS: "Differs from the passage beside it: ",
    Certainty.DOUBTFUL: "Doubtful: ",
    Certainty.REMARK: "",
}


class ReportRow(NamedTuple):
    """A sentence of the report.

    Attributes:
        number: of the sentence, from 1 on.
        text: its pieces as they are shown, each with whether a reviewer named its words as wrong, and whether it is bold.
        quote: the words of the sources that it rests on; empty where none was named.
        findings: of the sentence, each with what it is, the words, why, and the place in the sources.
    """

    number: int
    text: tuple[tuple[str, bool, bool], ...]
    decision: str
    quote: str
    cite: str
    note: str
    findings: tuple[str, ...] = ()

    @property
    def listed(self) -> str:
        """The findings, one a line."""
        return "\n".join(self.findings) or "–"


@dataclass(frozen=True, slots=True)
class ReportContent:
    """The report, before it is a file; every text can be written to XML.

    `worth`: how often such findings were right, a sentence for each check and method; for the footnote. `lists`: whether
    findings may stand in the report: the reviewer has seen them.
    """

    facts: tuple[tuple[str, str], ...]
    rows: tuple[ReportRow, ...]
    sources: tuple[str, ...]
    unchecked: tuple[str, ...]
    worth: tuple[str, ...]
    reviewer: str
    lists: bool = False

    @property
    def heads(self) -> tuple[str, ...]:
        """What stands above the columns of the sentences."""
        return ("Sentence", *(["Findings"] if self.lists else []), "Decision", "Rests on, and note")


def report_content(
    case: Case, decisions: Mapping[int, StoredDecision], reviewer: str, findings: FindingList | None = None
) -> ReportContent:
    """Gather the report; with the findings where the reviewer has seen them."""
    last = max((d.time for d in decisions.values()), default="")
    facts = {
        "Question": case.query or "(none)",
        **({"Findings": findings.headline} if findings else {}),
        "Result": _result(case, decisions),
        "Reviewed by": f"{reviewer}{f', {last[:10]}' if last else ''}. {_in_view(decisions)}".strip(),
    }
    bare = {i: d.decision for i, d in decisions.items()}
    claims = [i for i, s in enumerate(split(case.response)) if not s.heading]
    rows = [_row(case, i, bare.get(i, ReviewDecision(i)), findings.of(i) if findings else ()) for i in claims]
    checks = {f.check: f.worth for f in findings.findings if f.worth} if findings else {}
    return ReportContent(
        tuple((label, without_control(text)) for label, text in facts.items()),
        tuple(rows),
        tuple(map(without_control, _sources(case))),
        tuple(map(without_control, _unchecked(case, decisions))),
        tuple(without_control(f"{check}: {worth}") for check, worth in checks.items()),
        without_control(reviewer),
        findings is not None,
    )


def _row(case: Case, i: int, d: ReviewDecision, findings: Sequence[Finding]) -> ReportRow:
    s = split(case.response)[i]
    low, high = (max(s.start, d.span[0]), min(s.end, d.span[1])) if d.span else (s.end, s.end)
    pieces = ((s.start, low, False), (low, high, True), (high, s.end, False))
    return ReportRow(
        i + 1,
        tuple((without_control(words), wrong, bold) for a, b, wrong in pieces for words, bold in _shown(case.response, a, b)),
        f"{d.ruling or 'not decided'}{f': {TITLES[d.type].lower()}' if d.type else ''}",
        without_control(quoted(case, d.rests_on)) if d.rests_on else "",
        without_control(pin_cite(case, d.rests_on)) if d.rests_on else "",
        without_control(d.note),
        tuple(without_control(_finding(case, f)) for f in findings),
    )


def _finding(case: Case, f: Finding) -> str:
    cite = ""
    if f.place:
        titled = f.place.start == f.place.end
        cite = _title(case, f.place.passage) if titled else pin_cite(case, SourcePlace(*f.place))
    return f"{_STANDING[f.certainty]}{f.why}{f' Compare {cite}.' if cite else ''}"


def _shown(text: str, start: int, end: int) -> Iterator[tuple[str, bool]]:
    """`text[start:end]` as it is shown, with what is bold."""
    for p in shown(text).within(start, end):
        if p.start > start:
            yield text[start : p.start], False
        words = text[max(start, p.start) : min(end, p.end)] if p.words is None else p.words
        start = min(end, p.end)
        if words:
            yield words, Style.BOLD in p.styles
    if start < end:
        yield text[start:end], False


def _sources(case: Case) -> list[str]:
    """The documents, each once, with the pages that were read."""
    documents: dict[str, list[int]] = {}
    for i, p in enumerate(case.context):
        documents.setdefault(document_name(p) if p.source else _title(case, i), []).append(i)
    pages = {name: page_words(case.context[i] for i in places) for name, places in documents.items()}
    return [f"{name} ({words})" if words else name for name, words in pages.items()]


def pin_cite(case: Case, place: SourcePlace) -> str:
    """Name a place of the sources for a reader."""
    passage = case.context[place.passage]
    first, last = passage.page(place.start), passage.page(place.end - 1)
    if first is not None:
        return f"{_title(case, place.passage)}, {page_range(first, last if last is not None else first)}"
    inside = [u.start for u in context_sentences(case.context) if u.passage == place.passage]
    number = sum(start <= place.start for start in inside)
    return f"{_title(case, place.passage)}, sentence {number}"


def quoted(case: Case, place: SourcePlace) -> str:
    """Quote a place of the sources."""
    text = shown_words(case.context[place.passage].text, place.start, place.end, source=True)
    return f"{text[:_LONGEST_QUOTE]} …" if len(text) > _LONGEST_QUOTE else text


def _title(case: Case, i: int) -> str:
    return case.context[i].source or f"Source {i + 1}"


def _result(case: Case, decisions: Mapping[int, StoredDecision]) -> str:
    sentences = sum(not s.heading for s in split(case.response))
    counts = Counter(d.decision.ruling for i, d in decisions.items() if i != WHOLE and d.decision.ruling)
    parts = [f"{counts[r]} {r}" for r in Ruling if counts[r]]
    parts += [f"{rest} not decided"] if (rest := sentences - counts.total()) else []
    whole = decisions[WHOLE].decision.ruling if WHOLE in decisions else None
    of_all = f" The answer as a whole: {whole}." if whole else ""
    return f"Of {plural(sentences, 'sentence')}: {', '.join(parts) or 'the answer is empty'}.{of_all}"


def _unchecked(case: Case, decisions: Mapping[int, StoredDecision]) -> list[str]:
    left = [i + 1 for i, s in enumerate(split(case.response)) if not s.heading and not _decided(decisions, i)]
    lines = [f"Not decided: sentence{'s' if len(left) > 1 else ''} {', '.join(map(str, left))}."] if left else []
    bare = [
        i + 1 for i, d in decisions.items() if i != WHOLE and d.decision.ruling is Ruling.SUPPORTED and not d.decision.rests_on
    ]
    lines += [f"Called supported without naming the passage: {', '.join(map(str, sorted(bare)))}."] if bare else []
    lines += [case.note] if case.note else []
    lines.append("Only the sources listed above were read; whether the law is as they say, and in force, was not.")
    return lines


def _in_view(decisions: Mapping[int, StoredDecision]) -> str:
    """What the reviewer saw when deciding."""
    blind = [d.blind for d in decisions.values() if d.decision.ruling]
    return (_BLIND if all(blind) else _IN_VIEW) if blind else ""


def _decided(decisions: Mapping[int, StoredDecision], i: int) -> bool:
    return i in decisions and decisions[i].decision.ruling is not None
