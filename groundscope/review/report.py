"""The report of a review: its content, which `report_docx` writes, too, and its PDF, tagged as PDF/UA-1 asks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from groundscope.cases.error_types import TITLES
from groundscope.files.clauses import cited_clause
from groundscope.files.typesetting import GONE, typeset
from groundscope.findings import Certainty, Finding, FindingList
from groundscope.findings.finding import worth
from groundscope.review.decisions import WHOLE, WRONG, ReviewDecision, Ruling, SourcePlace, StoredDecision, claims
from groundscope.review.settling import Settlement, holding
from groundscope.review.sources import document_name, page_words
from groundscope.text.humanize import number_runs, page_range, without_control
from groundscope.text.sentences import Sentence, sentence_number, split
from groundscope.text.shown import Style, shown, shown_words
from groundscope.types import Case

TITLE = "Review of an answer"
SIGNATURE = ("Name", "Date", "Signature")
_LONGEST_QUOTE = 400
"""Characters of a quotation; the source has the rest."""
_BLIND = "Decided before the findings, any label or other person's decision was shown."
_IN_VIEW = "At least one decision was made with the findings, labels or other people's decisions in view."
_NONE_DECIDED = "No sentence was decided."
_UNSEEN = "Left out: the reviewer had not seen what checks and methods say."
_STANDING = {
    Certainty.EXACT: "Does not match the sources: ",
    Certainty.DIFFERS: "Differs from the passage beside it: ",
    Certainty.REMARK: "",
}
_RECORD = re.compile(r"^(On [^,\d]*\w)\D*([\d,]+ of its [\d,]+ flags) .* hold ([\d,]+) wrong ones\..*")
"""What a line of print has room for, of how often a method is right; all of it stands in the pack."""
_LOST = f"Letters that this file's fonts lack are printed as {GONE}; the DOCX of the same report has them."
_LETTER = frozenset("US CA MX CL CO CR GT PA PH PR SV VE".split())
"""Countries and territories whose offices print on Letter."""


class PageSize(StrEnum):
    """Sizes of a page; the values are the names that Typst has for them."""

    A4 = "a4"
    LETTER = "us-letter"

    @property
    def millimetres(self) -> tuple[float, float]:
        """Its width and height."""
        return (210.0, 297.0) if self is PageSize.A4 else (215.9, 279.4)


def page_size_of(locale: str | None) -> PageSize:
    """Choose the size that a place prints on by its locale, such as en-US; A4 where that names no country."""
    parts = (locale or "").replace("_", "-").split("-")
    return PageSize.LETTER if _LETTER & {p.upper() for p in parts[1:]} else PageSize.A4


class MissingMethod(NamedTuple):
    """A method that stood on the page and says nothing in the report and the pack: its name, and why."""

    name: str
    why: str


class ReportRow(NamedTuple):
    """A sentence; `text` are its pieces as shown, each with whether its words are wrong, and bold; `apart`: contradicted."""

    number: int
    text: tuple[tuple[str, bool, bool], ...]
    decision: str
    quote: str
    cite: str
    correction: str
    note: str
    findings: tuple[str, ...] = ()
    apart: bool = False
    settled: str = ""


@dataclass(frozen=True, slots=True)
class ReportContent:
    """The report, before it is a file; every text can be written to XML."""

    facts: tuple[tuple[str, str], ...]
    conclusion: tuple[str, ...]
    rows: tuple[ReportRow, ...]
    about: tuple[tuple[str, str], ...]
    sources: tuple[str, ...]
    unchecked: tuple[str, ...]
    reviewer: str
    left_out: tuple[MissingMethod, ...] = ()
    page_size: PageSize = PageSize.A4

    @property
    def heads(self) -> tuple[str, str, str]:
        """What stands above the columns of the sentences."""
        marked = any(wrong for row in self.rows for _, wrong, _ in row.text)
        return f"Sentence{' (wrong words underlined)' if marked else ''}", "Decision", "Rests on, and reason"

    @property
    def apart(self) -> tuple[ReportRow, ...]:
        """The sentences that the sources contradict."""
        return tuple(row for row in self.rows if row.apart)


def report_content(
    case: Case,
    decisions: Mapping[int, StoredDecision],
    reviewer: str,
    findings: FindingList | None = None,
    left_out: Sequence[MissingMethod] = (),
    *,
    matter: tuple[str, str] = ("", ""),
    page_size: PageSize = PageSize.A4,
    settled: Mapping[int, Settlement] = MappingProxyType({}),
) -> ReportContent:
    """Gather the report; with findings and settlements that the reviewer has seen, and the name and the client of its matter."""
    facts = {"Matter": matter[0], "Client": matter[1], "Question": case.query or "(none)"}
    ruled = [d for d in decisions.values() if d.decision.ruling]
    about = (
        ("Reviewed by", f"{reviewer}, {max(d.time for d in ruled)[:10]}. {_BLIND if all(d.blind for d in ruled) else _IN_VIEW}")
        if ruled
        else ("Review", _NONE_DECIDED),
        *([("The answer as a whole", f"Settled {settled[WHOLE].words}")] if WHOLE in settled else []),
        ("Screening", _screening(findings)),
    )
    bare = {i: d.decision for i, d in holding(decisions, settled).items()}
    judged, of_whole = claims(case.response), bare.get(WHOLE, ReviewDecision(WHOLE)).rests_on
    rows = [_row(case, i, bare.get(i, ReviewDecision(i)), findings.of(i) if findings else (), settled.get(i)) for i in judged]
    return ReportContent(
        tuple((label, without_control(text)) for label, text in facts.items() if text),
        tuple(map(without_control, conclusion(judged, bare, cited(case, of_whole) if of_whole else ""))),
        tuple(rows),
        tuple((label, without_control(text)) for label, text in about),
        tuple(map(without_control, _sources(case))),
        tuple(map(without_control, _unchecked(case, bare, left_out))),
        without_control(reviewer),
        tuple(MissingMethod(*map(without_control, left)) for left in left_out),
        page_size,
    )


def conclusion(judged: Sequence[int], decisions: Mapping[int, ReviewDecision], whole_source: str = "") -> tuple[str, ...]:
    """Say what the decisions mean for a reader of the answer, the gravest first, and no more than was decided."""
    ruled = {i: d.ruling for i, d in decisions.items()}
    by_ruling = {r: [i for i in judged if ruled.get(i) is r] for r in (*Ruling, None)}
    against, lacking = by_ruling[Ruling.CONTRADICTED], by_ruling[Ruling.NOT_SUPPORTED]
    supported, left = by_ruling[Ruling.SUPPORTED], by_ruling[None]
    named = [i for i in supported if decisions[i].rests_on]
    lines = []
    whole = decisions.get(WHOLE, ReviewDecision(WHOLE))
    more = (f"The source: {whole_source}." if whole_source else "", f"Reason: {whole.note}" if whole.note else "")
    of_whole = " ".join(filter(None, (f"The answer as a whole: {_ruled(whole)}.", *more)))
    if against or lacking:
        them = "it" if len(against) + len(lacking) == 1 else "them"
        does = f"the sources contradict {_numbers(against) if lacking else them}" if against else ""
        nots = f"{'' if against else 'the sources '}do not support {_numbers(lacking) if against else them}" if lacking else ""
        why = ", and ".join(filter(None, (does, nots)))
        lines.append(f"Do not rely on {named_sentences(sorted((*against, *lacking)))}: {why}.")
    if whole.ruling in WRONG:
        lines.append(of_whole)
    if partly := by_ruling[Ruling.PARTLY]:
        lines.append(
            f"Rely on {named_sentences(partly)} only in part: the sources support some of {'it' if len(partly) == 1 else 'each'}."
        )
    if unsure := by_ruling[Ruling.CANNOT_SAY]:
        lines.append(f"The reviewer could not say whether the sources support {named_sentences(unsure)}.")
    if left:
        every = _NONE_DECIDED if len(left) > 1 and left == list(judged) else ""
        lines.append(every or _capital(f"{named_sentences(left)} {_was(left)} not decided."))
    if named and named == list(judged):
        lines.append(f"{'Every' if len(named) > 1 else 'The'} sentence was supported by the passage named.")
    elif named:
        each = "the passage" if len(named) == 1 else "the passages"
        lines.append(_capital(f"{named_sentences(named)} {_was(named)} supported by {each} named."))
    if bare := [i for i in supported if i not in named]:
        lines.append(_capital(f"{named_sentences(bare)} {_was(bare)} called supported without naming the passage."))
    if whole.ruling not in WRONG and (whole.ruling or whole.note or whole_source):
        lines.append(of_whole)
    return tuple(lines) or ("The answer is empty.",)


def _ruled(d: ReviewDecision) -> str:
    return f"{d.ruling or 'not decided'}{f': {TITLES[d.type].lower()}' if d.type else ''}"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _was(sentences: Sequence[int]) -> str:
    return "was" if len(sentences) == 1 else "were"


def named_sentences(indices: Sequence[int]) -> str:
    """Name sentences by their numbers, from 1 on."""
    return f"sentence{'' if len(indices) == 1 else 's'} {_numbers(indices)}"


def _numbers(indices: Sequence[int]) -> str:
    return number_runs(i + 1 for i in indices)


def _screening(findings: FindingList | None) -> str:
    """What checks and methods said, and how often each was right before."""
    if findings is None:
        return _UNSEEN
    kinds = dict.fromkeys(f.kind for f in findings.findings if f.certainty in (Certainty.EXACT, Certainty.DIFFERS))
    lines = [findings.counts, *([worth(*kinds)] if kinds else [])]
    doubts = [f for f in findings.findings if f.certainty is Certainty.DOUBTFUL]
    for why in dict.fromkeys(f.why for f in doubts):
        of = sorted({f.sentence for f in doubts if f.why == why})
        lines.append(f"{_capital(named_sentences(of))}: {why}")
    lines += dict.fromkeys(_RECORD.sub(r"\1 \2 were right, by chance \3.", f.worth) for f in doubts if f.worth)
    return " ".join(lines)


def _row(case: Case, i: int, d: ReviewDecision, findings: Sequence[Finding], settled: Settlement | None) -> ReportRow:
    s = split(case.response)[i]
    low, high = (max(s.start, d.span[0]), min(s.end, d.span[1])) if d.span else (s.end, s.end)
    if low >= high:
        low = high = s.end
    pieces = ((s.start, low, False), (low, high, True), (high, s.end, False))
    return ReportRow(
        i + 1,
        tuple((without_control(words), wrong, bold) for a, b, wrong in pieces for words, bold in _shown(case.response, a, b)),
        _ruled(d),
        without_control(quoted(case, d.rests_on)) if d.rests_on else "",
        without_control(pin_cite(case, d.rests_on)) if d.rests_on else "",
        without_control(_correction(case, s, d)),
        without_control(d.note),
        # What a method doubts stands once, in the line of the screening.
        tuple(without_control(_finding(case, f)) for f in findings if f.certainty is not Certainty.DOUBTFUL),
        d.ruling is Ruling.CONTRADICTED,
        without_control(settled.words) if settled else "",
    )


def _correction(case: Case, s: Sentence, d: ReviewDecision) -> str:
    """What becomes of a sentence, or of its words that are named."""
    if d.correction is None or d.ruling not in WRONG:
        return ""
    start, end, place = d.correction
    words = "" if (start, end) == (s.start, s.end) else f"“{shown_words(case.response, start, end)}” "
    if place is None:
        return f"{words}struck out"
    if place == d.rests_on:
        return f"{words}to these words of the source"
    rests = d.rests_on
    inside = rests and rests.passage == place.passage and rests.start <= place.start and place.end <= rests.end
    return f"{words}to “{quoted(case, place)}”{'' if inside else f', {pin_cite(case, place)}'}"


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
    """Name a place of the sources for a reader: its document, its heading or clause, and its page or else its sentence."""
    passage = case.context[place.passage]
    name = document_name(passage) if passage.source else _title(case, place.passage)
    title = passage.source[len(name) :].removeprefix(", ")
    heading, clause = cited_clause(passage.text, title, place.start, place.end)
    where = ", ".join(filter(None, (name, heading, clause)))
    first, last = passage.page(place.start), passage.page(place.end - 1)
    if first is not None:
        return f"{where}, {page_range(first, last if last is not None else first)}"
    if clause:
        return where
    number = sentence_number(passage.text, place.start)
    return f"{where}, sentence {number}" if number else where


def quoted(case: Case, place: SourcePlace) -> str:
    """Quote a place of the sources."""
    text = shown_words(case.context[place.passage].text, place.start, place.end, source=True)
    return f"{text[:_LONGEST_QUOTE]} …" if len(text) > _LONGEST_QUOTE else text


def cited(case: Case, place: SourcePlace) -> str:
    """Quote a place of the sources, and name it."""
    return f"“{quoted(case, place)}” {pin_cite(case, place)}"


def _title(case: Case, i: int) -> str:
    return case.context[i].source or f"Source {i + 1}"


def _unchecked(case: Case, decisions: Mapping[int, ReviewDecision], left_out: Sequence[MissingMethod]) -> list[str]:
    left = [i for i in claims(case.response) if decisions.get(i, ReviewDecision(i)).ruling is None]
    lines = [f"Not decided: {named_sentences(left)}."] if left else []
    lines += [f"Without a figure here: {'; '.join(f'{m.name} ({m.why})' for m in left_out)}."] if left_out else []
    lines += [case.note] if case.note else []
    lines.append("Only the sources listed above were read; whether the law is as they say, and in force, was not.")
    return lines


def pdf_report(content: ReportContent) -> bytes:
    """Write the report; the same content makes the same bytes. Raises `DataError` where its text cannot be laid out."""
    return typeset(template(), texts_of(content))


@cache
def template() -> str:
    """Read the layout."""
    return Path(__file__).with_name("report.typ").read_text(encoding="utf-8")


def texts_of(content: ReportContent) -> dict[str, Any]:
    """Gather what the layout reads."""
    rows = [row._asdict() for row in content.rows]
    texts = {"title": TITLE, "heads": content.heads, "signature": SIGNATURE, "lost_words": _LOST}
    return {**asdict(content), **texts, "rows": rows, "apart": [row for row in rows if row["apart"]]}
