"""The report: everything that was decided, where it rests, what was not checked, and any text as text."""

import io
import json
import re
import shutil
import subprocess
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader

from groundscope.citations.quotes import ContextPlace
from groundscope.files import typesetting
from groundscope.files.typesetting import laid_out
from groundscope.findings import Certainty, Finding, FindingKind, FindingList, findings_of
from groundscope.findings.finding import worth
from groundscope.review.decisions import WHOLE, Correction, ReviewDecision, Ruling, SourcePlace, StoredDecision
from groundscope.review.redline import redline
from groundscope.review.redline_docx import docx_redline
from groundscope.review.report import (
    MissingMethod,
    PageSize,
    ReportContent,
    conclusion,
    page_size_of,
    pdf_report,
    pin_cite,
    report_content,
    template,
    texts_of,
)
from groundscope.review.report_docx import docx_report
from groundscope.review.settling import holding, settlements
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
HEADLINE = "1 of 4 sentences does not match the sources. 1 more is doubtful. The other 2 were compared, not cleared."
SCREENING = f"Screening: {HEADLINE} {worth(FindingKind.FIGURE)} Sentence 4: Overlap finds too little. {WORTH}"


def _stored(*decisions: ReviewDecision, blind: bool = True) -> dict[int, StoredDecision]:
    time = "2026-11-25T18:37:00+00:00"
    return {d.sentence: StoredDecision(i, "k", "Ada", time, blind, d) for i, d in enumerate(decisions)}


def _docx(*of: Any) -> bytes:
    return docx_report(report_content(*of))


def _read(file: bytes) -> Any:
    return Document(io.BytesIO(file))


def _pdf_of(content: ReportContent) -> tuple[int, str]:
    """Pages, and the text on one line."""
    reader = PdfReader(io.BytesIO(pdf_report(content)))
    return len(reader.pages), " ".join(" ".join(page.extract_text().split()) for page in reader.pages)


def _pdf(*of: Any) -> tuple[int, str]:
    return _pdf_of(report_content(*of))


def _paragraphs(made: Any, style: str = "") -> list[str]:
    return [p.text for p in made.paragraphs if not style or p.style.name == style]


def _apart(made: Any) -> list[str]:
    return [p.text for p in made.paragraphs if p.style.name.startswith("Review Apart")]


def test_a_report_says_the_conclusion_first_then_what_was_decided_where_it_rests_and_what_was_not_checked() -> None:
    made = _read(_docx(CASE, _stored(*DECISIONS), "Ada"))
    assert _paragraphs(made)[:8] == [
        "Review of an answer",
        "Question: When is notice due?",
        "Conclusion",
        "Do not rely on sentence 2: the sources contradict it.",
        "The answer as a whole: not supported.",
        "The reviewer could not say whether the sources support sentence 4.",
        "Sentence 5 was not decided.",
        "Sentence 3 was called supported without naming the passage.",
    ]
    assert _paragraphs(made, "Heading 1") == [
        "Conclusion",
        "Contradicted by the sources",
        "Sentences",
        "How it was reviewed",
        "Sources",
        "What was not checked",
    ]
    assert _apart(made) == [
        "2. Notice is due in 30 days. (contradicted: factual inaccuracy)",
        "The source says: “Notice is due within one month.” Lease, sentence 2",
        "Reason: A month has 31 days, too.",
    ]
    assert [[cell.text for cell in row.cells] for row in made.tables[0].rows] == [
        ["Sentence (wrong words underlined)", "Decision", "Rests on, and reason"],
        ["2. Notice is due in 30 days.", "contradicted: factual inaccuracy", "Set out above."],
        ["3. It must be written.", "supported", ""],
        ["4. The tenant pays.", "cannot say", "Reason: Which tenant?"],
        ["5. He left.", "not decided", ""],
    ]
    runs = made.tables[0].rows[1].cells[0].paragraphs[0].runs
    assert [r.text for r in runs if r.style.font.underline] == ["30 days"]
    assert _paragraphs(made, "Review Record") == [
        "Reviewed by: Ada, 2026-11-25. Decided before the findings, any label or other person's decision was shown.",
        "Screening: Left out: the reviewer had not seen what checks and methods say.",
    ]
    assert _paragraphs(made, "List Number") == ["Lease", "Source 2"]
    assert _paragraphs(made, "List Bullet") == [
        "Not decided: sentence 5.",
        "Only the sources listed above were read; whether the law is as they say, and in force, was not.",
    ]
    assert _paragraphs(made, "Review Signature") == ["Name: Ada", "Date:\t\tSignature:\t"]
    assert (made.core_properties.author, made.core_properties.title) == ("Ada", "Review of an answer")


@pytest.mark.parametrize(
    ("rulings", "sentences"),
    [
        ("", ["The answer is empty."]),
        ("s", ["The sentence was supported by the passage named."]),
        ("sss", ["Every sentence was supported by the passage named."]),
        ("--", ["No sentence was decided."]),
        (
            "sns-pccbc",
            [
                "Do not rely on sentences 2, 6, 7 and 9: the sources contradict 6, 7 and 9, and do not support 2.",
                "Rely on sentence 5 only in part: the sources support some of it.",
                "Sentence 4 was not decided.",
                "Sentences 1 and 3 were supported by the passages named.",
                "Sentence 8 was called supported without naming the passage.",
            ],
        ),
        ("nn", ["Do not rely on sentences 1 and 2: the sources do not support them."]),
        ("c", ["Do not rely on sentence 1: the sources contradict it."]),
        (
            "ssssnss",
            [
                "Do not rely on sentence 5: the sources do not support it.",
                "Sentences 1 to 4, 6 and 7 were supported by the passages named.",
            ],
        ),
        (
            "?s",
            [
                "The reviewer could not say whether the sources support sentence 1.",
                "Sentence 2 was supported by the passage named.",
            ],
        ),
    ],
)  # fmt: skip
def test_the_conclusion_says_no_more_than_was_decided(rulings: str, sentences: list[str]) -> None:
    by_letter = {
        "s": Ruling.SUPPORTED,
        "b": Ruling.SUPPORTED,
        "p": Ruling.PARTLY,
        "n": Ruling.NOT_SUPPORTED,
        "c": Ruling.CONTRADICTED,
    }
    by_letter["?"] = Ruling.CANNOT_SAY
    decisions = {
        i: ReviewDecision(i, by_letter[r], rests_on=PLACE if r == "s" else None) for i, r in enumerate(rulings) if r != "-"
    }
    assert list(conclusion(range(len(rulings)), decisions)) == sentences


@pytest.mark.parametrize("ruling", [*Ruling, None])
def test_an_answer_that_fails_as_a_whole_does_not_begin_with_what_is_supported(ruling: Ruling | None) -> None:
    of_sentences = "Every sentence was supported by the passage named."
    decisions = {i: ReviewDecision(i, Ruling.SUPPORTED, rests_on=PLACE) for i in range(2)}
    of_whole = ReviewDecision(
        WHOLE, ruling, ErrorType.REASONING_ERROR if ruling is Ruling.NOT_SUPPORTED else None, note="No remedy."
    )
    lines = [f"The answer as a whole: {ruling or 'not decided'}. Reason: No remedy.", of_sentences]
    lines[0] = lines[0].replace("not supported.", "not supported: reasoning error.")
    fails = ruling in {Ruling.PARTLY, Ruling.NOT_SUPPORTED, Ruling.CONTRADICTED}
    assert list(conclusion(range(2), {**decisions, WHOLE: of_whole})) == (lines if fails else lines[::-1])


def _corrected(correction: Correction, rests_on: SourcePlace | None) -> ReviewDecision:
    return ReviewDecision(1, Ruling.NOT_SUPPORTED, span=SPAN, rests_on=rests_on, note="See it.", correction=correction)


NOTICE = RESPONSE.index("Notice"), RESPONSE.index(" It must")
MONTH = SourcePlace(0, PLACE.end - 10, PLACE.end - 1)


@pytest.mark.parametrize(
    ("correction", "rests_on", "words"),
    [
        (Correction(*SPAN, MONTH), PLACE, "“30 days” to “one month”"),
        (Correction(*SPAN, MONTH), None, "“30 days” to “one month”, Lease, sentence 2"),
        (Correction(*SPAN, MONTH), SourcePlace(1, 0, 4), "“30 days” to “one month”, Lease, sentence 2"),
        (Correction(*NOTICE, PLACE), PLACE, "to these words of the source"),
        (Correction(*NOTICE, None), PLACE, "struck out"),
        (Correction(*SPAN, None), PLACE, "“30 days” struck out"),
    ],
)
def test_a_correction_stands_with_its_sentence_as_the_redline_has_it(
    correction: Correction, rests_on: SourcePlace | None, words: str
) -> None:
    decision = _corrected(correction, rests_on)
    content = report_content(CASE, _stored(decision), "Ada")
    cell = _read(docx_report(content)).tables[0].rows[1].cells[2]
    assert [p.text for p in cell.paragraphs][-2:] == [f"Corrected: {words}", "Reason: See it."]
    assert f"Corrected: {words} Reason: See it." in _pdf_of(content)[1]
    apart = report_content(CASE, _stored(replace(decision, ruling=Ruling.CONTRADICTED)), "Ada")
    assert f"Corrected: {words}" in _apart(_read(docx_report(apart)))
    # What the reviewer calls supported after all is not corrected.
    kept = report_content(CASE, _stored(replace(decision, ruling=Ruling.SUPPORTED)), "Ada")
    assert "Corrected" not in _pdf_of(kept)[1]


def test_a_pin_cite_counts_sentences_as_a_reader_does() -> None:
    text = "Access\n\nThe landlord enters after a notice of 48 hours. It is in writing.\n\nPets\n\nPets need consent."
    case = Case("c", "", (Passage("p", text, "side-letter.docx, Access"),), "He left.")

    def cited(words: str) -> str:
        return pin_cite(case, SourcePlace(0, text.index(words), text.index(words) + len(words)))

    assert cited("48 hours") == "side-letter.docx, Access, sentence 1"
    assert cited("It is in writing") == "side-letter.docx, Access, sentence 2"
    assert cited("Pets need") == "side-letter.docx, Access, sentence 3"
    assert cited("Pets") == "side-letter.docx, Access"


def test_no_character_of_a_source_turns_the_words_of_a_report_round() -> None:
    case = Case(
        "c", "Is 12 \u202e34 due?", (Passage("p", "Rent is \u202d$10\u202e001.\u202c", "\u202elease"),), "He \u202epays 10."
    )
    decided = _stored(ReviewDecision(0, Ruling.CONTRADICTED, rests_on=SourcePlace(0, 0, 18), note="\u202eno"))
    content = report_content(case, decided, "\u202eAda", matter=("\u202eDoe", "\u202dRoe"))
    assert not {"\u202d", "\u202e"} & set(json.dumps(texts_of(content), ensure_ascii=False))
    assert not {"\u202d", "\u202e"} & set("".join(_paragraphs(_read(docx_redline(redline(case, decided, "Ada"))))))


def test_the_same_review_makes_the_same_docx_at_another_time(monkeypatch: pytest.MonkeyPatch) -> None:
    content = report_content(CASE, _stored(*DECISIONS), "Ada", FINDINGS)
    answer = redline(CASE, _stored(_corrected(Correction(*SPAN, MONTH), PLACE)), "Ada")
    before = docx_report(content), docx_redline(answer)
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    assert (docx_report(content), docx_redline(answer)) == before


def test_findings_that_were_seen_stand_with_their_sentence_and_their_record_in_the_line_of_the_screening() -> None:
    decided = _stored(*DECISIONS, blind=False)
    made = _read(
        _docx(
            CASE, decided, "Ada", FINDINGS, [MissingMethod("Slow <b>", "still at work"), MissingMethod("NLI", "failed: no room")]
        )
    )
    assert [p.text for row in made.tables[0].rows for p in row.cells[0].paragraphs if p.style.name == "Review Finding"] == [
        "Does not match the sources: “30 days” is not in the sources. Compare Lease, sentence 2.",
    ]
    assert _paragraphs(made, "Review Record")[1:] == [SCREENING]
    assert "Without a figure here: Slow <b> (still at work); NLI (failed: no room)." in _paragraphs(made, "List Bullet")


def test_a_decision_made_in_view_of_others_is_said_to_be_one() -> None:
    for decisions in (_stored(*DECISIONS, blind=False), {**_stored(*DECISIONS), **_stored(DECISIONS[1], blind=False)}):
        made = _read(_docx(CASE, decisions, "Ada"))
        assert any("At least one decision was made with the findings" in text for text in _paragraphs(made))
    empty = _read(_docx(Case("e", "", (), ""), {}, "Ada"))
    assert "The answer is empty." in _paragraphs(empty)
    noted = _read(_docx(CASE, _stored(ReviewDecision(1, note="Later.")), "Ada"))
    assert _paragraphs(noted, "Review Record")[0] == "Review: No sentence was decided."


@pytest.mark.parametrize("ruling", [Ruling.SUPPORTED, Ruling.NOT_SUPPORTED, None])
def test_the_passage_of_the_whole_answer_stands_in_the_conclusion_and_the_redline(ruling: Ruling | None) -> None:
    decided = _stored(ReviewDecision(WHOLE, ruling, rests_on=PLACE, note="So."))
    cited = "“Notice is due within one month.” Lease, sentence 2"
    content = report_content(CASE, decided, "Ada")
    line = f"The answer as a whole: {ruling or 'not decided'}. The source: {cited}. Reason: So."
    assert line in _paragraphs(_read(docx_report(content)))
    assert line in _pdf_of(content)[1]
    head = redline(CASE, decided, "Ada").head
    assert head
    assert (cited in head.lines) == bool(ruling)


def test_sentences_of_a_script_from_the_right_run_from_the_right_in_a_docx() -> None:
    case = Case("c", "When?", (Passage("p", "יש להודיע מראש.", "Lease"),), "الإيجار مستحق اليوم. The rent is due.")
    decided = _stored(ReviewDecision(0, Ruling.CONTRADICTED, rests_on=SourcePlace(0, 0, 15)))
    made = _read(_docx(case, decided, "Ada"))
    (sentence, *_), (other, *_) = (row.cells for row in made.tables[0].rows[1:])
    bidi = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}bidi"
    paragraphs = sentence.paragraphs[0], other.paragraphs[0]
    assert [p._p.pPr.find(bidi) is not None for p in paragraphs] == [True, False]
    assert [[r.font.rtl for r in p.runs] for p in paragraphs] == [[None, True], [None, None]]
    # An English line stays one, with the words of the source in it their own way.
    apart = next(p for p in made.paragraphs if p.text.startswith("The source says"))
    assert (apart._p.pPr.find(bidi), [r.font.rtl for r in apart.runs]) == (None, [None, True, None])


def test_a_pdf_says_what_the_docx_says() -> None:
    content = report_content(CASE, _stored(*DECISIONS), "Ada", FINDINGS, matter=("Doe v. Roe", "Jane Doe"))
    pages, text = _pdf_of(content)
    assert pages == 1
    for words in (
        "Matter: Doe v. Roe Client: Jane Doe Question: When is notice due?",
        "Do not rely on sentence 2: the sources contradict it. The answer as a whole: not supported. The reviewer could not say",
        "2. Notice is due in 30 days. (contradicted: factual inaccuracy)",
        "The source says: “Notice is due within one month.” Lease, sentence 2 Reason: A month has 31 days, too.",
        "1. Lease 2. Source 2",
        "Not decided: sentence 5.",
        SCREENING,
    ):
        assert words in text, words
    assert re.search(r"Ada\W+Name Date Signature", text)
    assert "Letters that" not in text
    written = _read(docx_report(content))
    said = " ".join([*_paragraphs(written), *(c.text for row in written.tables[0].rows for c in row.cells)])
    lacks = set(re.findall(r"\w+", text)) - set(re.findall(r"\w+", said))
    assert lacks <= {"1"}, lacks


def test_letters_that_the_fonts_lack_are_boxes_and_that_is_said() -> None:
    text = _pdf(Case("c", "Żółć 中文 <b> 😀", (), "He paid."), {}, "Ada")[1]
    assert "Żółć ■■ <b> ■" in text
    assert "Letters that this file's fonts lack are printed as ■" in text
    for shown in ("שלום", "سلام", "Ἀθῆναι", "Привіт", "§ 12 – „a“ → ≥ €"):
        assert "Letters that" not in _pdf(Case("c", shown, (), "He paid."), {}, "Ada")[1], shown


def _tagged(file: bytes) -> tuple[PdfReader, list[str]]:
    """The kinds of the elements that a PDF's tags name, in reading order."""
    reader = PdfReader(io.BytesIO(file))

    def walk(node: Any) -> Iterator[str]:
        node = node.get_object()
        for child in node if isinstance(node, list) else [node]:
            entry = child.get_object()
            if not isinstance(entry, dict):
                continue
            if "/S" in entry and entry.get("/Type", "/StructElem") == "/StructElem":
                yield str(entry["/S"])
            if "/K" in entry:
                yield from walk(entry["/K"])

    return reader, list(walk(reader.trailer["/Root"]["/StructTreeRoot"]))


def test_a_pdf_is_tagged_as_the_standard_for_accessible_files_asks() -> None:
    reader, kinds = _tagged(pdf_report(report_content(CASE, _stored(*DECISIONS), "Ada <b>", FINDINGS)))
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"] == True  # noqa: E712 - pypdf's own boolean
    assert root["/Lang"] == "en"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"] == True  # noqa: E712
    assert re.search(r"<pdfuaid:part>1</pdfuaid:part>", root["/Metadata"].get_object().get_data().decode())
    assert reader.metadata
    assert (reader.metadata.title, reader.metadata.author) == ("Review of an answer", "Ada <b>")
    counts = Counter(kinds)
    assert (counts["/H1"], counts["/Table"], counts["/TR"], counts["/TH"], counts["/TD"]) == (6, 1, 5, 3, 12)
    assert counts["/L"] == 2
    content = reader.pages[0].get_contents()
    assert content is not None
    depth = shown = 0
    for operands, operator in content.operations:
        depth += (operator in (b"BDC", b"BMC")) - (operator == b"EMC")
        if operator in (b"Tj", b"TJ", b"'", b'"', b"f", b"S"):
            shown += 1
            assert depth > 0, (operands, operator)
    assert shown > 50


def test_the_same_review_makes_the_same_pdf_on_the_page_size_of_the_place() -> None:
    for locale, page_size, size in (
        ("en-US", PageSize.LETTER, (612, 792)),
        ("de-DE", PageSize.A4, (595, 842)),
        (None, PageSize.A4, (595, 842)),
    ):
        assert page_size_of(locale) is page_size
        content = report_content(CASE, _stored(*DECISIONS), "Ada", FINDINGS, page_size=page_size)
        file = pdf_report(content)
        assert file == pdf_report(content)
        box = PdfReader(io.BytesIO(file)).pages[0].mediabox
        assert (round(box.width), round(box.height)) == size
        section = _read(docx_report(content)).sections[0]
        assert (round(section.page_width.pt), round(section.page_height.pt)) == size
    assert [page_size_of(x) for x in ("en", "fr-CA", "es-419", "en_GB", "zh-Hant-TW", "")] == [
        PageSize.A4, PageSize.LETTER, PageSize.A4, PageSize.A4, PageSize.A4, PageSize.A4,
    ]  # fmt: skip


def _six(page_size: PageSize) -> ReportContent:
    """A report of six sentences of a usual length, of each kind, with reasons, findings and a record."""
    sentence = "The tenant shall pay the rent of the month on its first day by transfer to the account that the landlord names. "
    context = (
        Passage("p", sentence * 4, "lease.pdf, 4. Rent", ((0, 3),)),
        Passage("q", sentence, "lease.pdf, 5. Notice", ((0, 4),)),
    )
    case = Case("c", "When and how is the rent of this lease due, and to whom?", context, sentence * 6)
    place, reason = SourcePlace(0, 0, len(sentence) - 1), "The lease says otherwise; see the clause on rent."
    rulings = (Ruling.CONTRADICTED, *[Ruling.SUPPORTED] * 3, Ruling.NOT_SUPPORTED, Ruling.CONTRADICTED)
    decided = [ReviewDecision(i, r, rests_on=place, note="" if r is Ruling.SUPPORTED else reason) for i, r in enumerate(rulings)]
    starts = range(0, len(sentence) * 6, len(sentence))
    decided = [
        d if d.ruling is Ruling.SUPPORTED else replace(d, correction=Correction(start, start + len(sentence) - 1, place))
        for d, start in zip(decided, starts, strict=True)
    ]
    matter = ("Doe v. Roe, lease of 2024", "Jane Doe")
    return report_content(
        case, _stored(*decided), "Ada", FINDINGS, [MissingMethod("Cascade", "still at work")], matter=matter, page_size=page_size
    )


@pytest.mark.parametrize("page_size", PageSize)
def test_six_sentences_are_one_page(page_size: PageSize) -> None:
    assert _pdf_of(_six(page_size))[0] == 1
    # Two findings on each of two sentences, and the records of two checks.
    record = ("Screening", "2 of 6 sentences do not match the sources. On the samples 4 of 6 with such a finding are wrong. " * 4)
    rows = tuple(
        r._replace(findings=("“30 days” is not in the sources. " * 4,) * (r.number in {2, 5})) for r in _six(page_size).rows
    )
    assert _pdf_of(replace(_six(page_size), about=(_six(page_size).about[0], record), rows=rows))[0] == 1


@pytest.mark.parametrize("page_size", PageSize)
def test_short_sentences_that_all_have_findings_are_one_page_with_the_screening_on_two_lines(page_size: PageSize) -> None:
    sentence = "The tenant shall pay the rent of EUR 950. "
    case = Case("c", "What must the tenant do?", (Passage("p", sentence * 6, "lease.pdf, Terms", ((0, 3),)),), sentence * 6)
    why = "“EUR 950” is not in the sources; the nearest sentence has “EUR 900”."
    record = (
        "On the samples, test split, 0 of its 5 flags at this threshold were right, not shown to be better than chance: as many "
        "sentences marked at random hold 1 wrong ones. It flagged 0 of 68 wrong sentences."
    )
    place, judge, says = ContextPlace(0, 0, 41), "Trained judge", "Trained judge reads the sources as saying otherwise."
    kinds = [FindingKind.FIGURE, FindingKind.NEGATION] * 3
    sure = (Certainty.EXACT, Certainty.DIFFERS) * 3
    exact = [Finding(k, i, 0, 9, "EUR 950", why, place, c) for i, (k, c) in enumerate(zip(kinds, sure, strict=True))]
    doubts = [Finding(FindingKind.SUPPORT, i, 0, 9, "", says, place, Certainty.DOUBTFUL, judge, record) for i in range(6)]
    findings = FindingList((*exact, *doubts), tuple(range(6)), frozenset(range(6)))
    rulings = (Ruling.CONTRADICTED, Ruling.NOT_SUPPORTED, Ruling.CANNOT_SAY) * 2
    decided = _stored(*(ReviewDecision(i, r, rests_on=SourcePlace(*place), note="It is 900.") for i, r in enumerate(rulings)))
    content = report_content(case, decided, "Ada", findings, matter=("Marsh v Lee", ""), page_size=page_size)
    (page,) = PdfReader(io.BytesIO(pdf_report(content))).pages
    lines = page.extract_text().splitlines()
    starts = [next(n for n, line in enumerate(lines) if line.startswith(word)) for word in ("Screening:", "Sources")]
    assert starts[1] - starts[0] <= 2, lines[starts[0] : starts[1]]
    text = " ".join(lines)
    assert [text.count(words) for words in ("Does not match", "Differs from", "Trained judge reads", "Sentences 1 to 6:")] == [
        3,
        3,
        1,
        1,
    ]


def test_what_was_settled_stands_in_the_place_of_the_own_decision_with_both_reasons() -> None:
    ada = _stored(*DECISIONS)
    bo = ada[1]._replace(reviewer="Bo", number=8, decision=ReviewDecision(1, Ruling.SUPPORTED, note="A month is that."))
    held = ReviewDecision(1, Ruling.NOT_SUPPORTED, rests_on=PLACE, note="Not what it says.", correction=Correction(*SPAN, MONTH))
    settled = settlements([*ada.values(), bo, ada[1]._replace(reviewer="Cy", number=9, settles=True, blind=False, decision=held)])
    content = report_content(CASE, ada, "Ada", settled=settled)
    words = "by Cy, 2026-11-25. Ada: contradicted (“A month has 31 days, too.”); Bo: supported (“A month is that.”)."
    assert content.conclusion[0] == "Do not rely on sentence 2: the sources do not support it."
    assert (content.rows[0].decision, content.rows[0].settled) == ("not supported", words)
    assert f"Reason: Not what it says. Settled: {words}" in _pdf_of(content)[1]
    assert f"Settled: {words}" in _read(docx_report(content)).tables[0].rows[1].cells[2].text
    # How the reviewer decided is said of the own decisions.
    assert "Decided before the findings" in content.about[0][1]
    remark = redline(CASE, holding(ada, settled), "Ada").remarks[0]
    assert (remark.lines[0], remark.lines[-1]) == ("Not supported.", "Settled by Cy, 2026-11-25.")
    assert report_content(CASE, ada, "Ada").rows[0].settled == ""


def test_a_long_report_loses_nothing() -> None:
    sentence = "The tenant shall pay the rent of the month on its first day by transfer to the account that the landlord names. "
    context = (
        Passage("p", sentence * 40, "lease.pdf, 4. Rent", ((0, 3), (2_000, 4))),
        Passage("q", sentence, "lease.pdf, 5. Notice", ((0, 5),)),
    )
    note = "3 of 9 passages of the sources were read. Not read: b.pdf (p. 7)."
    case = Case("c", "Who pays?", context, sentence * 200, note=note)
    decisions = _stored(
        *(ReviewDecision(i, Ruling.SUPPORTED, rests_on=SourcePlace(0, 0, len(sentence) - 1), note="Fine.") for i in range(200))
    )
    pages, text = _pdf(case, decisions, "Ada", FINDINGS)
    assert pages <= 40
    assert text.count("names.” lease.pdf, 4. Rent, p. 3") == 200
    assert text.count("Decision Rests on, and reason") >= pages - 1
    assert "1. lease.pdf (pp. 3–5)" in text
    assert note in text


def test_no_font_and_no_size_stands_outside_of_the_styles_of_a_docx() -> None:
    with zipfile.ZipFile(io.BytesIO(docx_report(_six(PageSize.A4)))) as parts:
        written = parts.read("word/document.xml").decode()
    assert re.findall(r"<w:(rFonts|sz|szCs|color|b|i|u|spacing|ind|jc)\b", written) == []
    assert written.count("<w:tblHeader/>") == 1
    with_a_style = set(re.findall(r'<w:[pr]Style w:val="([^"]+)"', written))
    assert {"ReviewConclusion", "ReviewApart", "ReviewCell", "ReviewFinding", "ReviewCite", "ReviewLabel"} <= with_a_style


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
    looks = (lambda r: r.style.font.bold, lambda r: r.style.font.underline)
    assert [[r.text for r in cells[0].paragraphs[0].runs if look(r)] for look in looks] == [
        ["Notice"],
        ["once"],
    ]
    assert "“Notice is due.”" in cells[2].text
    assert "1. Notice is due at once." in _pdf(case, decided, "Ada")[1]


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_any_text_can_be_reported(query: str, name: str, note: str) -> None:
    case = Case("c", query, (Passage("p", f"{note}. It is due.", name),), f"It is {note or 'so'}. He pays.")
    decisions = _stored(ReviewDecision(0, Ruling.SUPPORTED, None, None, SourcePlace(0, 0, 3), note))
    findings = findings_of(case)
    made = _read(_docx(case, decisions, name or "Ada", findings))
    assert len(made.tables[0].rows) >= 2
    # In this process: a child for each takes half a second.
    content = report_content(case, decisions, name or "Ada", findings)
    assert len(PdfReader(io.BytesIO(laid_out(template(), json.dumps(texts_of(content))))).pages) == 1


def test_odd_letters_are_laid_out_in_a_process_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def watch(most: int, function: Any, *arguments: str) -> Any:
        asked.append(most == 0)
        return function(*arguments)

    monkeypatch.setattr(typesetting, "sandboxed", watch)
    for text in ("Żółć, § 12 – “a” …", "Is it due?", "中", "\u202eabc", "a\ufeffb"):
        assert _pdf(Case("c", text, (), "He paid."), {}, "Ada")[0] == 1
    assert asked == [False, False, True, True, True]


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
@pytest.mark.parametrize("page_size", PageSize)
def test_a_docx_of_six_sentences_opens_without_a_warning_as_one_page(tmp_path: Path, page_size: PageSize) -> None:
    office = shutil.which("soffice")
    assert office, "install libreoffice-writer"
    (tmp_path / "report.docx").write_bytes(docx_report(_six(page_size)))
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
        "Do not rely on sentences 1, 5 and 6: the sources contradict 1 and 6, and do not support 5.",
        "Without a figure here: Cascade (still at work).",
        "Signature:",
    ):
        assert words in text
