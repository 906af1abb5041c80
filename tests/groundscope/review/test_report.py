"""The report: everything that was decided, where it rests, what was not checked, and any text as text."""

import io
import zipfile
from typing import Any

import pytest
from docx import Document
from hypothesis import given
from hypothesis import strategies as st

from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, SourcePlace, StoredDecision
from groundscope.review.report import docx_report, pin_cite
from groundscope.types import Case, ErrorType, Passage

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


def _stored(*decisions: ReviewDecision, blind: bool = True) -> dict[int, StoredDecision]:
    time = "2026-11-25T18:37:00+00:00"
    return {d.sentence: StoredDecision(i, "k", "Ada", time, blind, d) for i, d in enumerate(decisions)}


def _read(file: bytes) -> Any:
    return Document(io.BytesIO(file))


def _paragraphs(made: Any, style: str = "") -> list[str]:
    return [p.text for p in made.paragraphs if not style or p.style.name == style]


def test_a_report_says_what_was_decided_where_it_rests_and_what_was_not_checked() -> None:
    made = _read(docx_report(CASE, _stored(*DECISIONS), "Ada", ("Overlap flags 1 sentence.",)))
    assert _paragraphs(made, "Title") == ["Review of an answer"]
    assert _paragraphs(made, "Heading 1") == ["Sentences", "Sources", "What was not checked"]
    assert _paragraphs(made)[1:4] == [
        "Question: When is notice due?",
        "Result: Of 4 sentences: 1 supported, 1 contradicted, 1 cannot say, 1 not decided. The answer as a whole: not supported.",
        "Reviewed by: Ada, 2026-11-25",
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
        "Decided before any method's verdict, label or other person's decision was shown.",
        "Overlap flags 1 sentence.",
    ]
    assert (made.core_properties.author, made.core_properties.title) == ("Ada", "Review of an answer")


def test_a_decision_made_in_view_of_others_is_said_to_be_one() -> None:
    for decisions in (_stored(*DECISIONS, blind=False), {**_stored(*DECISIONS), **_stored(DECISIONS[1], blind=False)}):
        made = _read(docx_report(CASE, decisions, "Ada"))
        assert any("At least one decision was made with verdicts" in text for text in _paragraphs(made, "List Bullet"))
    empty = _read(docx_report(Case("e", "", (), ""), {}, "Ada"))
    assert "Result: Of 0 sentences: the answer is empty." in _paragraphs(empty)


def test_a_place_is_named_by_its_source_and_sentence() -> None:
    assert pin_cite(CASE, PLACE) == "Lease, sentence 2"
    assert pin_cite(CASE, SourcePlace(1, 0, 4)) == "Source 2, sentence 1"


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_any_text_can_be_reported(query: str, name: str, note: str) -> None:
    case = Case("c", query, (Passage("p", f"{note}. It is due.", name),), f"It is {note or 'so'}. He pays.")
    decisions = _stored(ReviewDecision(0, Ruling.SUPPORTED, None, None, SourcePlace(0, 0, 3), note))
    made = _read(docx_report(case, decisions, name or "Ada"))
    assert len(made.tables[0].rows) >= 2


@pytest.mark.parametrize("hostile", ["<w:t>x</w:t>", "]]>", "&amp; <b>", "\x00\x0b\ud800\uffff", "=cmd|' /C calc'!A0"])
def test_hostile_texts_are_text_and_the_file_links_to_nothing(hostile: str) -> None:
    case = Case("c", hostile, (Passage("p", f"{hostile} is due.", hostile),), f"{hostile} is due.")
    file = docx_report(case, _stored(ReviewDecision(0, Ruling.PARTLY, note=hostile)), "Ada")
    shown = "".join("�" if c in "\x00\x0b\ud800\uffff" else c for c in hostile)
    assert f"Question: {shown}" in _paragraphs(_read(file))
    with zipfile.ZipFile(io.BytesIO(file)) as parts:
        links = [name for name in parts.namelist() if name.endswith(".rels") and b'TargetMode="External"' in parts.read(name)]
    assert links == []
