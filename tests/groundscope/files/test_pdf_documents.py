"""PDFs of other programs: what must be read of each, sentence by sentence, with its pages, notes, headings and rows."""

import io
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from pypdf import PdfWriter, Transformation

from groundscope.files import document_text, pdf_layout, pdf_lines
from groundscope.files.document_text import Document, document
from groundscope.files.pdf_lines import TextLine, Word, lines_of
from groundscope.review.decisions import SourcePlace
from groundscope.review.report import pin_cite
from groundscope.review.sources import passages_of
from groundscope.text.sentences import context_sentences
from groundscope.types import Case
from tests.groundscope.files.document_files import read_here
from tests.groundscope.files.documents.pdf_words import CLAUSES, NOTES, PARAGRAPHS, TABLE, sentences

FOLDER = Path(__file__).parent / "documents"
HEADS = {
    "latex-article.pdf": (),
    "latex-contract.pdf": ("Harbour Warehouse Agreement", "Confidential", "Page 1", "DRAFT"),
    "latex-labels.pdf": ("Preface i", "Deposit 1", "Disputes 2"),
    "latex-pleading.pdf": ("– 1 –", "-- 1 --", "1 Repairs"),
    "libreoffice-lease.pdf": ("second version", "Page 1"),
    "chromium-page.pdf": ("30/11/2026", "handbook.example", "1/3"),
    "tesseract-scan.pdf": ("Letter to the Tribunal", " 11"),
}
"""What stands around the text and belongs in no sentence."""
HOLDS = {
    "latex-article.pdf": PARAGRAPHS,
    "latex-contract.pdf": PARAGRAPHS[:7],
    "latex-labels.pdf": PARAGRAPHS,
    "latex-pleading.pdf": PARAGRAPHS[5:],
    "libreoffice-lease.pdf": PARAGRAPHS[4:],
    "chromium-page.pdf": PARAGRAPHS,
    "tesseract-scan.pdf": PARAGRAPHS[3:],
}
PAGES: dict[str, list[int | str]] = {
    "latex-article.pdf": [1, 2, 3],
    "latex-contract.pdf": [1, 2, 3],
    "latex-labels.pdf": ["i", "ii", 1, 2],
    "latex-pleading.pdf": [1, 2],
    "libreoffice-lease.pdf": [1, 2],
    "chromium-page.pdf": [1, 2, 3],
    "tesseract-scan.pdf": [11, 12],
}
"""As printed on them."""
TITLES = {
    "latex-article.pdf": ["1 Promises", "2 Money", "3 Others"],
    "latex-contract.pdf": ["1 Definitions", "2 Termination", "3 Concessions"],
    "latex-labels.pdf": ["Preface", "1 Of the Deposit", "2 Of Disputes"],
    "latex-pleading.pdf": ["Statement of the Defendant"],
    "libreoffice-lease.pdf": ["Lease of a Warehouse", "Sums"],
    "chromium-page.pdf": ["The tenant's handbook", "Beginning", "Sums", "Ending"],
    "tesseract-scan.pdf": [],
}


@cache
def read(name: str) -> Document:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(document_text, "in_child", read_here)
        return document(name, (FOLDER / name).read_bytes())


def case_of(name: str) -> Case:
    return Case("c", "q", passages_of(name, read(name)), "It is.")


@pytest.mark.parametrize("name", HOLDS)
def test_sentences_are_whole_over_lines_columns_and_pages(name: str) -> None:
    case = case_of(name)
    units = {
        " ".join(case.context[u.passage].text[u.start : u.end].split()).rstrip("¹²") for u in context_sentences(case.context)
    }
    missing = [s for s in sentences(*HOLDS[name]) if s not in units]
    assert missing == []


@pytest.mark.parametrize("name", HEADS)
def test_what_stands_around_the_text_is_in_no_sentence(name: str) -> None:
    text = read(name).text
    assert [head for head in HEADS[name] if head in text] == []


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_named_as_they_are_printed(name: str) -> None:
    file = read(name)
    assert list(dict.fromkeys(page for _, page in file.pages if ", n. " not in str(page))) == PAGES[name]
    numbered = any("its own page numbers" in note for note in file.notes)
    assert numbered == (PAGES[name] != list(range(1, len(PAGES[name]) + 1)))


@pytest.mark.parametrize("name", TITLES)
def test_titles_come_from_the_layout(name: str) -> None:
    file = read(name)
    titles = [file.text[at:].split("\n")[0] for at in file.headings]
    assert [t for t in titles if t in TITLES[name]] == TITLES[name]
    assert not any(sentence in title for title in titles for sentence in sentences(*PARAGRAPHS))


@pytest.mark.parametrize(("name", "notes"), [("latex-article.pdf", (0, 1)), ("libreoffice-lease.pdf", (0, 1))])
def test_footnotes_are_cited_by_page_and_number(name: str, notes: tuple[int, ...]) -> None:
    case = case_of(name)
    for n in notes:
        passage, start = next((i, at) for i, p in enumerate(case.context) if (at := p.text.find(NOTES[n])) >= 0)
        cite = pin_cite(case, SourcePlace(passage, start, start + len(NOTES[n])))
        assert cite.endswith(f", p. 1, n. {n + 1}")


def test_a_sentence_over_two_pages_is_cited_by_both() -> None:
    case = case_of("latex-labels.pdf")
    words = "If the custodian becomes insolvent"
    passage, start = next((i, at) for i, p in enumerate(case.context) if (at := p.text.find(words)) >= 0)
    assert pin_cite(case, SourcePlace(passage, start, start + len(words))).endswith(", p. ii")
    first = case.context[0]
    assert first.page(0) == "i"
    assert pin_cite(case, SourcePlace(0, 0, len(first.text))).endswith(", pp. i–ii")


@pytest.mark.parametrize("name", ["latex-article.pdf", "libreoffice-lease.pdf", "chromium-page.pdf"])
def test_rows_of_a_table_are_whole_and_repeat_their_head(name: str) -> None:
    paragraphs = read(name).text.split("\n")
    for row in TABLE[1:]:
        assert "; ".join(f"{head}: {cell}" for head, cell in zip(TABLE[0], row, strict=True)) in paragraphs


def test_clauses_stand_on_lines_of_their_own() -> None:
    lines = read("latex-contract.pdf").text.split("\n")
    assert [f"{number} {text or title}" for number, title, text in CLAUSES if f"{number} {text or title}" not in lines] == []


def test_titles_lead_to_sections() -> None:
    sources = {p.source for p in passages_of("lease.pdf", read("latex-labels.pdf"))}
    assert sources == {"lease.pdf, Preface", "lease.pdf, 1 Of the Deposit", "lease.pdf, 2 Of Disputes"}


def test_words_are_put_into_lines_once_for_the_page_and_once_for_each_column(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def counted(words: Iterable[Word]) -> list[TextLine]:
        calls.append(1)
        return lines_of(words)

    for module in (pdf_lines, pdf_layout):
        monkeypatch.setattr(module, "lines_of", counted)
    monkeypatch.setattr(document_text, "in_child", read_here)
    document("article.pdf", (FOLDER / "latex-article.pdf").read_bytes())
    assert len(calls) <= 3 * 3


def test_a_page_whose_text_runs_upwards_is_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = PdfWriter(clone_from=FOLDER / "latex-contract.pdf")
    for page in writer.pages:
        width, height = page.mediabox.width, page.mediabox.height
        page.add_transformation(Transformation().rotate(90).translate(height, 0))
        page.mediabox.upper_right = page.cropbox.upper_right = (height, width)
    file = io.BytesIO()
    writer.write(file)
    monkeypatch.setattr(document_text, "in_child", read_here)
    assert document("turned.pdf", file.getvalue()).text == read("latex-contract.pdf").text
