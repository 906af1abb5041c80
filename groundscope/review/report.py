"""One or two pages for a person who was not there: what a reviewer decided of an answer, sentence by sentence, as DOCX."""

import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from groundscope.cases.error_types import TITLES
from groundscope.humanize import plural
from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, SourcePlace, StoredDecision
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case

_LONGEST_QUOTE = 400
"""Characters of a quotation; the source has the rest."""
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML cannot hold."""
_BLIND = "Decided before any method's verdict, label or other person's decision was shown."
_IN_VIEW = "At least one decision was made with verdicts of methods, labels or other people's decisions in view."


def docx_report(case: Case, decisions: Mapping[int, StoredDecision], reviewer: str, notes: Sequence[str] = ()) -> bytes:
    """Write the report.

    Args:
        case: its question, sources and answer; its labels are not read.
        decisions: what counts of the reviewer's decisions, by sentence.
        reviewer: whose decisions they are.
        notes: sentences for the end, such as which methods were run and how often they are right.

    Returns:
        A DOCX file.
    """
    from docx import Document
    from docx.shared import Pt

    made: Any = Document()
    made.styles["Normal"].font.size = Pt(10)
    made.core_properties.title, made.core_properties.author = "Review of an answer", _plain(reviewer)[:255]
    made.add_heading("Review of an answer", 0)
    _labelled(made, "Question", case.query or "(none)")
    _labelled(made, "Result", _result(case, decisions))
    last = max((d.time for d in decisions.values()), default="")
    _labelled(made, "Reviewed by", f"{reviewer}{f', {last[:10]}' if last else ''}")
    made.add_heading("Sentences", 1)
    _sentences(made, case, {i: d.decision for i, d in decisions.items()})
    made.add_heading("Sources", 1)
    for i in range(len(case.context)):
        made.add_paragraph(_plain(_title(case, i)), "List Number")
    made.add_heading("What was not checked", 1)
    for line in (*_unchecked(case, decisions), *notes):
        made.add_paragraph(_plain(line), "List Bullet")
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def pin_cite(case: Case, place: SourcePlace) -> str:
    """Name a place of the sources for a reader.

    Args:
        case: whose sources they are.
        place: of a sentence.

    Returns:
        The source's title with the page, or pages, of the place; where pages are not known, with the number of its sentence.
    """
    passage = case.context[place.passage]
    first, last = passage.page(place.start), passage.page(place.end - 1)
    if first is not None:
        return f"{_title(case, place.passage)}, {f'p. {first}' if first == last else f'pp. {first}–{last}'}"
    inside = [u.start for u in context_sentences(case.context) if u.passage == place.passage]
    number = sum(start <= place.start for start in inside)
    return f"{_title(case, place.passage)}, sentence {number}"


def quoted(case: Case, place: SourcePlace) -> str:
    """Quote a place of the sources.

    Args:
        case: whose sources they are.
        place: of a sentence.

    Returns:
        Its text on one line, cut where it is long.
    """
    text = " ".join(case.context[place.passage].text[place.start : place.end].split())
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


def _sentences(made: Any, case: Case, decisions: Mapping[int, ReviewDecision]) -> None:
    table = made.add_table(1, 3, "Table Grid")
    for cell, head in zip(table.rows[0].cells, ("Sentence", "Decision", "Rests on, and note"), strict=True):
        cell.paragraphs[0].add_run(head).bold = True
    _repeated(table.rows[0])
    for i, s in enumerate(split(case.response)):
        if s.heading:
            continue
        sentence, ruling, why = table.add_row().cells
        d = decisions.get(i, ReviewDecision(i))
        sentence.paragraphs[0].add_run(f"{i + 1}. ")
        _with_wrong_words(sentence.paragraphs[0], case, s.start, s.end, d.span)
        ruling.text = _plain(f"{d.ruling or 'not decided'}{f': {TITLES[d.type].lower()}' if d.type else ''}")
        _why(why, case, d)


def _with_wrong_words(paragraph: Any, case: Case, start: int, end: int, span: tuple[int, int] | None) -> None:
    """The sentence, its wrong words underlined."""
    low, high = (max(start, span[0]), min(end, span[1])) if span else (end, end)
    for a, b, wrong in ((start, low, False), (low, high, True), (high, end, False)):
        if a < b:
            paragraph.add_run(_plain(case.response[a:b])).underline = wrong or None


def _why(cell: Any, case: Case, d: ReviewDecision) -> None:
    place = d.rests_on
    if place:
        cell.paragraphs[0].add_run(_plain(f"“{quoted(case, place)}” "))
        cell.paragraphs[0].add_run(_plain(pin_cite(case, place))).italic = True
    if d.note:
        (cell.add_paragraph() if place else cell.paragraphs[0]).add_run(_plain(f"Note: {d.note}"))


def _unchecked(case: Case, decisions: Mapping[int, StoredDecision]) -> list[str]:
    left = [i + 1 for i, s in enumerate(split(case.response)) if not s.heading and not _decided(decisions, i)]
    lines = [f"Not decided: sentence{'s' if len(left) > 1 else ''} {', '.join(map(str, left))}."] if left else []
    bare = [
        i + 1 for i, d in decisions.items() if i != WHOLE and d.decision.ruling is Ruling.SUPPORTED and not d.decision.rests_on
    ]
    lines += [f"Called supported without naming the passage: {', '.join(map(str, sorted(bare)))}."] if bare else []
    lines += [case.note] if case.note else []
    lines.append("Only the sources listed above were read; whether the law is as they say, and in force, was not.")
    made = [d.blind for d in decisions.values() if d.decision.ruling]
    return [*lines, *([_BLIND if all(made) else _IN_VIEW] if made else [])]


def _decided(decisions: Mapping[int, StoredDecision], i: int) -> bool:
    return i in decisions and decisions[i].decision.ruling is not None


def _labelled(made: Any, label: str, text: str) -> None:
    paragraph = made.add_paragraph()
    paragraph.add_run(f"{label}: ").bold = True
    paragraph.add_run(_plain(text))


def _repeated(row: Any) -> None:
    """Have a table's head stand on each page."""
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def _plain(text: str) -> str:
    return _CONTROL.sub("�", text)
