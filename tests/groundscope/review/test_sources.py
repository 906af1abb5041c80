"""Sources as people have them: what is read, what is said of it, pages that lead back to the paper, and what is picked."""

import io
import re

import pytest
from docx import Document
from hypothesis import given, settings
from hypothesis import strategies as st

from groundscope.cases.dataset import read, to_jsonl
from groundscope.errors import DataError
from groundscope.files import document_text
from groundscope.rag.retrieving.bm25 import Bm25
from groundscope.review.decisions import SourcePlace
from groundscope.review.report import pin_cite
from groundscope.review.sources import WORDS, page_words, passages_of, pick, read_source, unread_words
from groundscope.types import Case, Page, Passage
from tests.groundscope.files.document_files import docx, pdf
from tests.loops import each

HTML = (
    "<html><head><title>T</title><script>evil()</script></head><body><h1>Lease</h1>"
    "<p>The rent is &pound;913 at the caf\u00e9.</p>"
    "<h2>Costs</h2><p>None.</p><p style='display:none'>unseen</p><img src='https://example.invalid/x.png'></body></html>"
)


def test_passages_of_a_pdf_lead_to_their_pages() -> None:
    found = read_source("files/lease.pdf", pdf("The rent is due in May.", "", "4. Notice. It is in writing."))
    assert found.name == "lease.pdf"
    assert found.notes == ("lease.pdf has 1 of 3 pages without text, such as page 2.",)
    (passage,) = found.passages
    assert passage.source == "lease.pdf"
    case = Case("c", "q", found.passages, "It is.")
    for words, page in (("rent", "p. 1"), ("writing", "cl. 4, p. 3")):
        at = passage.text.index(words)
        assert pin_cite(case, SourcePlace(0, at, at + 4)) == f"lease.pdf, {page}"
    assert pin_cite(case, SourcePlace(0, 0, len(passage.text))) == "lease.pdf, pp. 1–3"
    assert page_words(found.passages) == "pp. 1, 3"
    assert read("a.jsonl", to_jsonl([case]).encode()).cases == (case,)


@settings(deadline=None)
@given(st.lists(st.integers(0, 120), min_size=1, max_size=6))
def test_every_word_of_a_pdf_is_on_its_page(counts: list[int]) -> None:
    pages = [f"ARTICLE {n}\nTitle\n" + f"Word{n} is here. " * count for n, count in enumerate(counts, 1)]
    text = "\n".join(pages)
    starts = tuple((sum(len(p) + 1 for p in pages[:n]), n + 1) for n in range(len(pages)))
    found = passages_of("a.pdf", document_text.Document(text, starts))
    for p in found:
        assert len(p.text.split()) <= WORDS
        assert p.text in text
        for at in range(0, len(p.text), 7):
            word = p.text[at:].split()
            if word and word[0].startswith("Word") and p.text[at - 1 : at] in ("", " ", "\n"):
                assert p.page(at) == int(word[0][4:])
    assert " ".join(p.text for p in found).split() == text.split()


def test_headings_of_word_and_of_web_pages_name_passages() -> None:
    document = Document()
    document.add_heading("Confidentiality", 1)
    document.add_paragraph("Each party keeps it quiet.")
    document.add_heading("Costs", 2)
    document.add_paragraph("None.")
    file = io.BytesIO()
    document.save(file)
    passages = read_source("nda.docx", file.getvalue()).passages
    assert [p.source for p in passages] == ["nda.docx, Confidentiality", "nda.docx, Costs"]
    for data in (HTML.encode(), HTML.replace("<head>", "<head><meta charset='iso-8859-1'>").encode("latin-1")):
        found = read_source("page.html", data).passages
        assert [p.source for p in found] == ["page.html, Lease", "page.html, Costs"]
        assert found[0].text.split("\n")[-1] == "The rent is £913 at the café."
        assert not any(word in p.text for p in found for word in ("evil", "unseen"))
    markdown = read_source("a.md", b"# Lease\nrent is due\n\n## Costs\nNone.").passages
    assert [p.source for p in markdown] == ["a.md, Lease", "a.md, Costs"]
    long = read_source("a.txt", b"4. Rent\n" + b"The tenant shall pay the rent. " * 200).passages
    assert [(p.source, p.id) for p in long] == [("a.txt, 4. Rent", str(n)) for n in range(1, len(long) + 1)]


def test_tracked_changes_and_footnotes_are_said_and_the_accepted_text_is_read() -> None:
    changed = (
        '<w:r><w:t xml:space="preserve">Notice is due within </w:t></w:r>'
        '<w:del w:id="1" w:author="a"><w:r><w:delText>one month</w:delText></w:r></w:del>'
        '<w:ins w:id="2" w:author="a"><w:r><w:t>two months</w:t></w:r></w:ins>'
        '<w:r><w:footnoteReference w:id="2"/></w:r>'
    )
    found = read_source("a.docx", docx(changed))
    assert found.passages[0].text == "Notice is due within two months"
    assert found.notes == (
        "a.docx has footnotes or endnotes, which are not read.",
        "a.docx has tracked changes; it was read as if all of them were accepted.",
    )
    assert read_source("b.docx", docx("Plain.")).notes == ()


def test_a_deleted_end_of_a_paragraph_joins_the_next_and_hidden_text_is_not_read() -> None:
    run = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'
    ended = f'<w:pPr><w:rPr><w:del w:id="1" w:author="a"/></w:rPr></w:pPr>{run.format("The buyer may ")}'
    hidden = f"<w:r><w:rPr><w:vanish/></w:rPr><w:t>draft</w:t></w:r>{run.format('It is due.')}"
    found = read_source("a.docx", docx(ended, run.format("withhold payment."), hidden))
    assert "a.docx has hidden text or a list of contents, which is not read." in found.notes
    assert found.passages[0].text == "The buyer may withhold payment.\n\nIt is due."


@each(
    ("name", "data", "message"),
    [
        ("locked.pdf", pdf("Secret.", password="pw"), "needs a password"),  # noqa: S106
        ("broken.pdf", b"%PDF-1.7 no more", "is damaged"),
        ("scan.pdf", pdf("", ""), r"holds pictures of pages and no text; have its text recognised \(OCR\)"),
        ("a.xlsx", b"PK\x03\x04", r"use \.txt, \.md, \.docx, \.pdf or \.html"),
        ("empty.html", b"<html><script>x</script></html>", "holds no text"),
        ("zeros.html", b"\x00" * 50, "is not text"),
        ("old.docx", b"\xd0\xcf\x11\xe0" + b"EncryptedPackage".decode().encode("utf-16-le"), "needs a password"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_to_do(name: str, data: bytes, message: str) -> None:
    with pytest.raises(DataError, match=rf"^{re.escape(name)} .*({message})"):
        read_source(name, data)


def test_pages_are_named_in_runs() -> None:
    def on(*numbers: Page) -> Passage:
        return Passage("p", "x", "", tuple((0, n) for n in numbers))

    assert page_words([on(12)]) == "p. 12"
    assert page_words([on(3), on(5, 6), on(6), on(7)]) == "pp. 3, 5–7"
    assert page_words([on()]) == ""
    assert page_words([on("ii", "3, n. 2", 4, "i", "[9]", "v")]) == "pp. i–ii, v, 3–4, [9]"


def test_a_pin_cite_names_pages_as_printed_and_the_note() -> None:
    pages = ((0, "xii"), (10, 1), (20, "1, n. 2"), (30, 1), (40, 2))
    case = Case("c", "q", (Passage("1", "x" * 50, "act.pdf", pages),), "It is.")
    cites = {
        (0, 5): "p. xii",
        (0, 15): "pp. xii–1",
        (22, 29): "p. 1, n. 2",
        (12, 25): "p. 1",
        (12, 35): "p. 1",
        (25, 45): "pp. 1–2",
    }
    for (start, end), words in cites.items():
        assert pin_cite(case, SourcePlace(0, start, end)) == f"act.pdf, {words}"
    assert read("a.jsonl", to_jsonl([case]).encode()).cases == (case,)


LEASE = [
    Passage(str(n), f"Clause {n} on {topic}. " + f"The {topic} is settled here. " * 20, f"lease.pdf, {n}. {topic}", ((0, n),))
    for n, topic in enumerate(["rent", "deposit", "notice", "repairs", "garden", "pets", "noise", "keys"], 1)
]


def test_sources_that_fit_are_all_read() -> None:
    picked, unread = pick(LEASE, "q", "A.", [])
    assert [p.text for p in picked] == [p.text for p in LEASE]
    assert [p.id for p in picked] == [f"p{n}" for n in range(1, 9)]
    assert unread_words(unread, len(LEASE)) == ""


def test_each_sentence_gets_its_passage_and_the_rest_is_named() -> None:
    response = "Costs\n\nThe pets need consent. The keys are returned. The notice is in writing."
    picked, unread = pick(LEASE, "What of the deposit?", response, [Bm25()], most=2_600)
    assert [p.source for p in picked] == [
        "lease.pdf, 2. deposit",
        "lease.pdf, 3. notice",
        "lease.pdf, 6. pets",
        "lease.pdf, 8. keys",
    ]
    words = unread_words(unread, len(LEASE))
    assert words.startswith("4 of 8 passages of the sources were read")
    assert words.endswith("Not read: lease.pdf (pp. 1, 4–5, 7).")


@given(st.lists(st.integers(1, 400), min_size=1, max_size=20), st.integers(1, 2_000))
def test_a_choice_fits_and_loses_nothing(lengths: list[int], most: int) -> None:
    passages = [Passage(str(n), f"{n} {'word ' * size}"[: size + 3], f"{n % 3}.txt") for n, size in enumerate(lengths)]
    picked, unread = pick(passages, "word", "A word. Another word.", [Bm25()], most)
    assert len(picked) + len(unread) == len(passages)
    assert sum(len(p.text) for p in picked) <= max(most, len(passages[0].text))
    assert picked
    texts = [p.text for p in picked]
    assert texts == [p.text for p in passages if p.text in texts]


@pytest.mark.parametrize("count", [1, 30])
def test_documents_that_were_not_read_are_named_up_to_a_number(count: int) -> None:
    words = unread_words([Passage("1", "x", f"file{n}, old.txt, 1. A") for n in range(count)], count + 1)
    assert ("and 18 more" in words) == (count == 30)
    assert "file0, old.txt" in words
    assert "1. A" not in words
