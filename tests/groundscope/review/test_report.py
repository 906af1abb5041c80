"""The report: everything that was decided, where it rests, what was not checked, and any text as text."""

import io
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader

from groundscope.citations.quotes import ContextPlace
from groundscope.findings import Certainty, Finding, FindingKind, FindingList, findings_of
from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, SourcePlace, StoredDecision
from groundscope.review.report import pin_cite, report_content
from groundscope.review.report_docx import docx_report
from groundscope.review.report_pdf import pdf_report
from groundscope.types import Case, ErrorType, Passage
from tests.loops import each

RESPONSE = "# Answer\n\nNotice is due in 30 days. It must be written. The tenant pays. He left."
CONTEXT = (Passage("p", "It is long. Notice is due within one month.", "Lease"), Passage("q", "Rent is due."))
CASE = Case("c", "When is notice due?", CONTEXT, RESPONSE, grounded=False)
SPAN = RESPONSE.index("30 days"), RESPONSE.index("30 days") + 7
PLACE = SourcePlace(0, CONTEXT[0].text.index("Notice"), len(CONTEXT[0].text))
DECISIONS = (
    ReviewDecision(1, Ruling.CONTRADICTED, ErrorType.FACTUAL_INACCURACY, SPAN, PLACE, "A month has 31 days, too."),
    ReviewDecision(2, Ruling.SUPPORTED),
    ReviewDecision(3, Ruling.CANNOT_SAY, note="Which tenant?"),
    ReviewDecision(WHOLE, Ruling.NOT_SUPPORTED),
)
WORTH = "Right on 1 < 2 of 3 sentences."
FINDINGS = FindingList(
    (
        Finding(
            FindingKind.FIGURE,
            1,
            *SPAN,
            "30 days",
            "“30 days” is not in the sources.",
            ContextPlace(*PLACE),
            check="Check of figures",
            worth=WORTH,
        ),
        Finding(FindingKind.SUPPORT, 3, 0, 1, "", "Overlap finds too little.", None, Certainty.DOUBTFUL, "Overlap", WORTH),
    ),
    (1, 2, 3, 4),
    frozenset((1, 2, 3, 4)),
)
HEADLINE = "1 of 4 sentences does not match the sources: 30 days. 1 more is doubtful. The other 2 were compared, not cleared."


def _stored(*decisions: ReviewDecision, blind: bool = True) -> dict[int, StoredDecision]:
    time = "2026-11-25T18:37:00+00:00"
    return {d.sentence: StoredDecision(i, "k", "Ada", time, blind, d) for i, d in enumerate(decisions)}


def _docx(*of: Any) -> bytes:
    return docx_report(report_content(*of))


def _read(file: bytes) -> Any:
    return Document(io.BytesIO(file))


def _pdf(*of: Any) -> tuple[int, str]:
    """Pages, and the text on one line."""
    found = PdfReader(io.BytesIO(pdf_report(report_content(*of))))
    return len(found.pages), " ".join(" ".join(page.extract_text().split()) for page in found.pages)


def _paragraphs(made: Any, style: str = "") -> list[str]:
    return [p.text for p in made.paragraphs if not style or p.style.name == style]


def test_a_report_says_what_was_decided_where_it_rests_and_what_was_not_checked() -> None:
    made = _read(_docx(CASE, _stored(*DECISIONS), "Ada"))
    assert _paragraphs(made, "Title") == ["Review of an answer"]
    assert _paragraphs(made, "Heading 1") == ["Sentences", "Sources", "What was not checked"]
    assert _paragraphs(made)[1:4] == [
        "Question: When is notice due?",
        "Result: Of 4 sentences: 1 supported, 1 contradicted, 1 cannot say, 1 not decided. The answer as a whole: not supported.",
        "Reviewed by: Ada, 2026-11-25. Decided before the findings, any label or other person's decision was shown.",
    ]
    rows = [[cell.text for cell in row.cells] for row in made.tables[0].rows]
    assert rows == [
        ["Sentence", "Decision", "Rests on, and note"],
        [
            "2. Notice is due in 30 days.",
            "contradicted: factual inaccuracy",
            "“Notice is due within one month.” Lease, sentence 2\nNote: A month has 31 days, too.",
        ],
        ["3. It must be written.", "supported", ""],
        ["4. The tenant pays.", "cannot say", "Note: Which tenant?"],
        ["5. He left.", "not decided", ""],
    ]
    runs = made.tables[0].rows[1].cells[0].paragraphs[0].runs
    assert [r.text for r in runs if r.underline] == ["30 days"]
    assert _paragraphs(made, "List Number") == ["Lease", "Source 2"]
    assert _paragraphs(made, "List Bullet") == [
        "Not decided: sentence 5.",
        "Called supported without naming the passage: 3.",
        "Only the sources listed above were read; whether the law is as they say, and in force, was not.",
    ]
    with zipfile.ZipFile(io.BytesIO(_docx(CASE, _stored(*DECISIONS), "Ada"))) as parts:
        assert "word/footnotes.xml" not in parts.namelist()
    assert (made.core_properties.author, made.core_properties.title) == ("Ada", "Review of an answer")


def test_findings_that_were_seen_stand_beside_the_decisions_with_their_worth_in_small_print() -> None:
    file = _docx(CASE, _stored(*DECISIONS, blind=False), "Ada", FINDINGS)
    assert f"Findings: {HEADLINE}" in _paragraphs(_read(file))
    rows = [[cell.text for cell in row.cells[1:3]] for row in _read(file).tables[0].rows]
    assert rows == [
        ["Findings", "Decision"],
        [
            "Does not match the sources: “30 days” is not in the sources. Compare Lease, sentence 2.",
            "contradicted: factual inaccuracy",
        ],
        ["–", "supported"],
        ["Doubtful: Overlap finds too little.", "cannot say"],
        ["–", "not decided"],
    ]
    with zipfile.ZipFile(io.BytesIO(file)) as parts:
        notes = parts.read("word/footnotes.xml").decode()
        assert "Check of figures: Right on 1 &lt; 2 of 3 sentences. Overlap: Right on" in notes
        assert 'w:footnoteReference w:id="1"' in parts.read("word/document.xml").decode()


def test_a_decision_made_in_view_of_others_is_said_to_be_one() -> None:
    for decisions in (_stored(*DECISIONS, blind=False), {**_stored(*DECISIONS), **_stored(DECISIONS[1], blind=False)}):
        made = _read(_docx(CASE, decisions, "Ada"))
        assert any("At least one decision was made with the findings" in text for text in _paragraphs(made))
    empty = _read(_docx(Case("e", "", (), ""), {}, "Ada"))
    assert "Result: Of 0 sentences: the answer is empty." in _paragraphs(empty)


def test_a_pdf_says_what_the_docx_says() -> None:
    pages, text = _pdf(CASE, _stored(*DECISIONS), "Ada", FINDINGS)
    assert pages == 1
    for words in (
        "1 supported, 1 contradicted, 1 cannot say, 1 not decided. The answer as a whole: not supported.",
        "2. Notice is due in ‹30 days›.",
        "contradicted: factual inaccuracy",
        "“Notice is due within one month.” Lease, sentence 2 Note: A month has 31 days, too.",
        "1. Lease 2. Source 2",
        "• Not decided: sentence 5.",
        f"Findings: {HEADLINE}",
        "Doubtful: Overlap finds too little.",
        f"Check of figures: {WORTH} Overlap: {WORTH}",
    ):
        assert words in text, words
    assert "Letters that" not in text
    assert "Żółć ■■ <b>" in _pdf(Case("c", "Żółć 中文\u200b <b>", (), "He paid."), {}, "Ada")[1]
    assert "Letters that this file's font lacks" in _pdf(Case("c", "中", (), "He paid."), {}, "Ada")[1]


def test_eight_sentences_are_two_pages_and_a_long_report_loses_nothing() -> None:
    sentence = "The tenant shall pay the rent of the month on its first day by transfer to the account that the landlord names. "
    context = (
        Passage("p", sentence * 40, "lease.pdf, 4. Rent", ((0, 3), (2_000, 4))),
        Passage("q", sentence, "lease.pdf, 5. Notice", ((0, 5),)),
    )
    note = "3 of 9 passages of the sources were read. Not read: b.pdf (p. 7)."
    for count, most in ((8, 2), (200, 60)):
        case = Case("c", "Who pays?", context, sentence * count, note=note)
        size = len(sentence) - 1
        decisions = _stored(
            *(ReviewDecision(i, Ruling.SUPPORTED, rests_on=SourcePlace(0, 0, size), note="Fine.") for i in range(count))
        )
        pages, text = _pdf(case, decisions, "Ada", replace(FINDINGS, findings=FINDINGS.findings[1:]))
        assert pages <= most
        assert text.count("lease.pdf, 4. Rent, p. 3") == count
        assert "1. lease.pdf (pp. 3–5)" in text
        assert note in text
        assert text.endswith(WORTH)


def test_a_place_is_named_by_its_source_and_sentence() -> None:
    assert pin_cite(CASE, PLACE) == "Lease, sentence 2"
    assert pin_cite(CASE, SourcePlace(1, 0, 4)) == "Source 2, sentence 1"


def test_markdown_is_bold_words_in_a_report_and_no_signs() -> None:
    response = "**Notice** is due [at once](https://example.org)."
    case = Case("c", "q", (Passage("p", "Notice is **due**."),), response)
    # "once" is the wrong word.
    span = response.index("once"), response.index("once") + 4
    decided = _stored(ReviewDecision(0, Ruling.PARTLY, None, span, SourcePlace(0, 0, 18)))
    cells = _read(_docx(case, decided, "Ada")).tables[0].rows[1].cells
    assert cells[0].text == "1. Notice is due at once."
    assert [[r.text for r in cells[0].paragraphs[0].runs if look(r)] for look in (lambda r: r.bold, lambda r: r.underline)] == [
        ["Notice"],
        ["once"],
    ]
    assert "“Notice is due.”" in cells[2].text
    assert "1. Notice is due at ‹once›." in _pdf(case, decided, "Ada")[1]


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_any_text_can_be_reported(query: str, name: str, note: str) -> None:
    case = Case("c", query, (Passage("p", f"{note}. It is due.", name),), f"It is {note or 'so'}. He pays.")
    decisions = _stored(ReviewDecision(0, Ruling.SUPPORTED, None, None, SourcePlace(0, 0, 3), note))
    findings = findings_of(case)
    made = _read(_docx(case, decisions, name or "Ada", findings))
    assert len(made.tables[0].rows) >= 2
    assert _pdf(case, decisions, name or "Ada", findings)[0] == 1


@each("hostile", ["<w:t>x</w:t> ]]>", "&amp; <b>", "\x00\x0b\ud800\uffff"])
def test_hostile_texts_are_text_and_the_file_links_to_nothing(hostile: str) -> None:
    case = Case("c", hostile, (Passage("p", f"{hostile} is due.", hostile),), f"{hostile} is due.")
    file = _docx(case, _stored(ReviewDecision(0, Ruling.PARTLY, note=hostile)), "Ada")
    shown = "".join("�" if c in "\x00\x0b\ud800\uffff" else c for c in hostile)
    assert f"Question: {shown}" in _paragraphs(_read(file))
    with zipfile.ZipFile(io.BytesIO(file)) as parts:
        links = [name for name in parts.namelist() if name.endswith(".rels") and b'TargetMode="External"' in parts.read(name)]
    assert links == []


@pytest.mark.office
def test_a_docx_opens_without_a_warning(tmp_path: Path) -> None:
    office = shutil.which("soffice")
    assert office, "install libreoffice-writer"
    content = report_content(CASE, _stored(*DECISIONS), "Ada <b>", FINDINGS)
    (tmp_path / "report.docx").write_bytes(docx_report(content))
    command = [office, "--headless", f"-env:UserInstallation=file://{tmp_path}/office", "--convert-to", "pdf", "report.docx"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    # It says so where it has no Java, which has nothing to do with the file.
    said = [line for line in (ran.stdout + ran.stderr).splitlines() if line and "javaldx" not in line]
    assert len(said) == 1, said
    assert said[0].startswith("convert ")
    pages = PdfReader(tmp_path / "report.pdf").pages
    text = " ".join(pages[0].extract_text().split())
    assert len(pages) == 1
    for words in (
        "Review of an answer",
        HEADLINE,
        "contradicted: factual inaccuracy",
        "Not decided: sentence 5.",
    ):
        assert words in text
