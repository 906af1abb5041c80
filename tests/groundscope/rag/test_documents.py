"""Documents -> passages: what is read of each kind, where texts are cut, and files that nobody should be hurt by."""

import inspect
import io
import sys
import zipfile
import zlib
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import Cancelled, DataError
from groundscope.files import document_text
from groundscope.files.document_text import Document
from groundscope.rag.corpora import documents
from groundscope.rag.corpora.documents import Documents, cut, pieces, read_documents
from groundscope.runtime.progress import listening
from groundscope.types import Passage
from tests.groundscope.files.document_files import docx, pdf, read_here, with_part
from tests.loops import each

LAW = "The lessee pays rent monthly. Rent is due on the first.\n\nThe lessor keeps the roof tight; the lessee keeps it clean."


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are read in this process; that it is a child's, with limits, is held by the tests of hostile files."""
    monkeypatch.setattr(document_text, "in_child", read_here)


def words(text: str) -> int:
    return len(text.split())


def tokens(text: str) -> int:
    """As a tokenizer of pieces of up to four letters counts: a word may be several tokens."""
    return sum(-(-len(word) // 4) for word in text.split())


def nothing(text: str) -> int:
    """A tokenizer that knows no character at all."""
    return 0


def read(*files: tuple[str, bytes], count: Callable[[str], int] = words, size: int = 512) -> Documents:
    return read_documents(files, count, size)


def texts(*files: tuple[str, bytes]) -> list[str]:
    found = read(*files)
    assert found.problems == ()
    return [p.text for p in found.passages]


TEXTS = st.text(st.one_of(st.sampled_from(" \n\t\r.,;()-/\u00a0\u2003\u200b\u202eabcé“—"), st.characters()), max_size=300)


@given(TEXTS, st.integers(1, 12), st.sampled_from([words, tokens, len, nothing]))
def test_passages_are_pieces_of_the_text_in_order_and_only_white_space_is_lost(
    text: str, size: int, count: Callable[[str], int]
) -> None:
    spans = cut(text, count, size)
    assert all(start < end for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    borders = [0, *(x for span in spans for x in span), len(text)]
    assert not "".join(text[a:b] for a, b in list(pairwise(borders))[::2]).strip()
    for start, end in spans:
        assert text[start:end].strip()
        assert count(text[start:end]) <= size or end - start == 1
        assert end - start <= 64 * size


@given(TEXTS, st.integers(1, 12), st.integers(1, 40))
def test_a_long_text_loses_nothing_where_it_is_cut_in_blocks(text: str, size: int, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "_BLOCK", block)
        spans = cut(text, words, size)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(words(text[a:b]) <= size and b - a <= block for a, b in spans)


def test_a_text_is_cut_at_its_paragraphs_then_its_sentences() -> None:
    first, second = LAW.split("\n\n")
    assert [LAW[a:b] for a, b in cut(LAW, words, 11)] == [first, second]
    assert [LAW[a:b] for a, b in cut(LAW, words, 6)] == [
        "The lessee pays rent monthly.",
        "Rent is due on the first.",
        "The lessor keeps the roof tight;",
        "the lessee keeps it clean.",
    ]
    assert [LAW[a:b] for a, b in cut(LAW, words, 512)] == [LAW]


SECTIONED = (
    "Preamble of the lease.\n\nARTICLE 1 RENT\nRent is due on Mondays. It is paid in full.\n\nArticle 2. Pets\nNo pets are kept."
)


def test_a_document_is_cut_at_its_headings_and_then_by_length() -> None:
    found = pieces(Document(SECTIONED), words, 8)
    assert [(SECTIONED[a:b], title) for a, b, title in found] == [
        ("Preamble of the lease.", ""),
        ("ARTICLE 1 RENT\nRent is due on Mondays.", "ARTICLE 1 RENT"),
        ("It is paid in full.", "ARTICLE 1 RENT"),
        ("Article 2. Pets\nNo pets are kept.", "Article 2. Pets"),
    ]
    # By length alone a passage would hold parts of two sections.
    assert [(SECTIONED[a:b], title) for a, b, title in pieces(Document(SECTIONED), words, 99, headings=False)] == [
        (SECTIONED, "")
    ]


def test_passages_under_headings_name_them() -> None:
    found = read_documents([("lease.txt", SECTIONED.encode())], words, 99, headings=True).passages
    assert [(p.id, p.source) for p in found] == [
        ("lease.txt-s1", "lease.txt"),
        ("lease.txt-s2", "lease.txt, ARTICLE 1 RENT"),
        ("lease.txt-s3", "lease.txt, Article 2. Pets"),
    ]


@given(TEXTS, st.integers(1, 12), st.booleans())
def test_pieces_lose_nothing_but_white_space(text: str, size: int, headings: bool) -> None:
    found = pieces(Document(text), words, size, headings=headings)
    assert all(before.end <= after.start for before, after in pairwise(found))
    assert "".join("".join(text[p.start : p.end].split()) for p in found) == "".join(text.split())
    assert all(words(text[p.start : p.end]) <= size for p in found)


@each("size", [0, -1])
def test_a_size_that_is_none_is_refused_with_its_value(size: int) -> None:
    with pytest.raises(ValueError, match=f"size must be at least 1, got {size}"):
        cut("a", words, size)


def test_the_passages_of_all_files_have_ids_of_their_own() -> None:
    names = ["a.txt", "a.md", "a.txt", "a (2).txt", "folder/a.txt", "c:\\folder\\a.txt", "a-s1.txt"]
    found = read(*((name, b"One. Two.") for name in names), size=1)
    assert [p.id for p in found.passages[:3]] == ["a.txt-s1", "a.txt-s2", "a.md-s1"]
    assert len({p.id for p in found.passages}) == len(found.passages) == 2 * len(names)
    assert [p.source for p in found.passages[::2]] == [
        "a.txt", "a.md", "a (2).txt", "a (2) (2).txt", "a (3).txt", "a (4).txt", "a-s1.txt",
    ]  # fmt: skip


@each("ending", ["txt", "text", "md", "markdown", "TXT"])
def test_text_is_taken_as_it_is_written(ending: str) -> None:
    written = "# Lease\n\n*Rent* is <b>due</b> \u202eabc."
    (passage,) = read((f"lease.{ending}", f"{written}\0".encode())).passages
    assert passage == Passage(f"lease.{ending}-s1", f"{written}\ufffd", f"lease.{ending}")


@each("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_reported_by_its_mark(encoding: str) -> None:
    assert texts(("a.txt", "§ 5 – “Miete”".encode(encoding))) == ["§ 5 – “Miete”"]


def test_an_older_encoding_is_read_and_said() -> None:
    found = read(("a.txt", "§ 5 – “Miete”".encode("cp1252")))
    assert [p.text for p in found.passages] == ["§ 5 – “Miete”"]
    assert found.problems == ("a.txt is not UTF-8 and was read as Windows-1252; look at its accents and quotation marks.",)


OPENS = "open sesame"

UNUSABLE = {
    "empty": ("a.txt", b"", "a.txt holds no text."),
    "blank with a mark": ("a.txt", b"\xef\xbb\xbf \n", "a.txt holds no text."),
    "binary": ("a.txt", bytes(range(256)) * 9, "a.txt is not text in UTF-8, UTF-16"),
    "UTF-16 without a mark": ("a.txt", "Rent is due.".encode("utf-16-le"), "a.txt is not text in UTF-8, UTF-16"),
    "half of UTF-16": ("a.txt", "Rent".encode("utf-16")[:-1], "a.txt is not text in UTF-8, UTF-16"),
    "a PDF named text": ("a.txt", pdf("One."), "a.txt is not text, its content is a PDF; give it the ending of its kind."),
    "a DOCX named text": ("a.md", docx("One."), "a.md is not text, its content is a DOCX file or another archive;"),
    "a DOCX named PDF": ("a.pdf", docx("One."), "a.pdf is damaged, or not what its name says; save it again as PDF"),
    "a PDF named DOCX": ("a.docx", pdf("One."), "a.docx is damaged, or not what its name says; save it again as DOCX"),
    "an old Word file": ("a.doc", b"\xd0\xcf\x11\xe0", "a.doc is not a supported kind of document; use .txt, .md"),
    "a locked DOCX": (
        "a.docx",
        b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"),
        "a.docx needs a password; save it without protection and load that.",
    ),
    "no name": ("", b"One.", "document is not a supported kind of document;"),
    "a locked PDF": ("a.pdf", pdf("One.", password=OPENS), "a.pdf needs a password; save it without protection"),
    "scanned": ("a.pdf", pdf("", ""), "a.pdf holds pictures of pages and no text; have its text recognised (OCR)"),
    "half a PDF": ("a.pdf", pdf("One.")[:150], "a.pdf is damaged, or not what its name says; save it again as PDF"),
    "half a DOCX": ("a.docx", docx("One.")[:3000], "a.docx is damaged, or not what its name says; save it again as DOCX"),
    "a DOCX without text": ("a.docx", docx(), "a.docx holds no text."),
    "a DOCX of broken XML": (
        "a.docx",
        with_part(docx("One."), "word/document.xml", b"<w:document"),
        "a.docx is damaged, or not what its name says;",
    ),
    "a zip bomb": (
        "a.docx",
        with_part(docx("One."), "word/media/image1.png", bytes(100_000_001)),
        "a.docx unpacks to more than this app reads; split it into smaller files.",
    ),
}


@each("why", UNUSABLE)
def test_a_file_that_cannot_be_used_is_named_and_the_others_go_on(why: str) -> None:
    name, data, problem = UNUSABLE[why]
    found = read(("before.txt", b"One."), (name, data), ("after.txt", b"Two."))
    assert [p.text for p in found.passages] == ["One.", "Two."]
    (said,) = found.problems
    assert said.startswith(problem)
    assert said.endswith(".")
    assert OPENS not in said


def test_lengths_of_blanks_without_end_are_refused() -> None:
    text, before = "x".join("\n" * n for n in range(300)), sys.getrecursionlimit()
    # The usual limit takes 1,400 lengths, and ten seconds.
    sys.setrecursionlimit(len(inspect.stack()) + 200)
    try:
        with pytest.raises(DataError, match="its blank lines and spaces come in too many lengths; make them even"):
            cut(text, words, 5)
    finally:
        sys.setrecursionlimit(before)


@pytest.mark.parametrize("most", [20_000, pytest.param(20_000_000, marks=pytest.mark.release)])
def test_a_text_that_is_too_long_is_refused_by_its_bytes_or_its_characters(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_text, "MAX_CHARACTERS", most)
    for data in (b"word " * (most // 2), b"word " * most):
        (problem,) = read(("a.txt", data)).problems
        assert problem == "a.txt holds more than 20 million characters; split it into smaller files."


def test_a_bomb_that_lies_about_its_size_is_stopped() -> None:
    # The central directory says a byte for a part of 3 MB; the checksum no longer fits either.
    file = io.BytesIO()
    bomb = bytes(3_000_000)
    with (
        zipfile.ZipFile(io.BytesIO(docx("One."))) as old,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new,
    ):
        for part in old.infolist():
            new.writestr(part.filename, bomb if part.filename == "word/document.xml" else old.read(part))
    size = len(bomb).to_bytes(4, "little")
    lying = file.getvalue().replace(size, (1).to_bytes(4, "little"))
    assert lying != file.getvalue()
    (problem,) = read(("a.docx", lying)).problems
    assert problem.startswith("a.docx is damaged")


def test_a_docx_is_read_whole_and_in_order() -> None:
    run = "<w:r><w:t>{}</w:t></w:r>"
    box = "<mc:AlternateContent><mc:Choice Requires='wps'>{0}</mc:Choice><mc:Fallback>{0}</mc:Fallback></mc:AlternateContent>"
    cell = "<w:tc><w:p>{}</w:p></w:tc>"
    document = docx(
        "First.",
        "<w:tbl><w:tr>" + cell.format(run.format("Fee")) + cell.format(run.format("$5")) + "</w:tr></w:tbl>",
        "<w:sdt><w:sdtContent><w:p>" + run.format("In a form.") + "</w:p></w:sdtContent></w:sdt>",
        "<w:ins w:id='1'>" + run.format("Put in") + "</w:ins><w:r><w:tab/><w:t>and left.</w:t></w:r>"
        "<w:del w:id='2'><w:r><w:delText>Struck.</w:delText></w:r></w:del>"
        "<w:moveFrom w:id='3'>" + run.format("Moved.") + "</w:moveFrom>",
        "<w:r>" + box.format("<w:txbxContent><w:p>" + run.format("In a box.") + "</w:p></w:txbxContent>") + "</w:r>",
        "Last.",
    )
    found = read(("a.docx", document))
    assert found.problems == ("a.docx has tracked changes; it was read as if all of them were accepted.",)
    (text,) = (p.text for p in found.passages)
    assert text.split("\n\n") == ["First.", "Fee", "$5", "In a form.", "Put in\tand left.", "In a box.", "Last."]


def test_footnotes_that_a_docx_does_not_hold_are_not_read_and_it_is_said() -> None:
    found = read(("a.docx", docx("One.", "<w:r><w:footnoteReference w:id='2'/></w:r>")))
    assert found.passages[0].text.strip() == "One."
    assert found.problems == ("a.docx has footnotes or endnotes, which are not read.",)


def test_entities_of_a_docx_are_not_expanded() -> None:
    xml = (
        '<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document xmlns:w='
        '"http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>One.&a;</w:t></w:r></w:p>'
        "</w:body></w:document>"
    )
    assert texts(("a.docx", with_part(docx(), "word/document.xml", xml.encode()))) == ["One."]


def test_passages_of_a_pdf_name_their_pages() -> None:
    found = read(("a.pdf", pdf("One two.", "Three.", "Four five.")), size=3)
    assert [(p.text, p.source) for p in found.passages] == [
        ("One two.\n\nThree.", "a.pdf, pp. 1–2"),
        ("Four five.", "a.pdf, p. 3"),
    ]
    assert found.problems == ()


def test_a_page_without_text_is_no_passages_page() -> None:
    found = read(("a.pdf", pdf("", "One two three.", "", "Four five six.", "")), size=3)
    assert [(p.text.strip(), p.source) for p in found.passages] == [
        ("One two three.", "a.pdf, p. 2"),
        ("Four five six.", "a.pdf, p. 4"),
    ]
    assert found.problems == ("a.pdf has 3 of 5 pages without text, such as page 1.",)


def test_a_page_that_cannot_be_read_is_not_called_empty() -> None:
    whole = pdf("One.", "Two.", "Three.")
    found = read(("a.pdf", whole.replace(b"6 0 R 8 0 R", b"99 0 R 8 0 R")))
    assert [p.text.split() for p in found.passages] == [["One.", "Three."]]
    assert found.problems == ("a.pdf has 1 of 3 pages that cannot be read, such as page 2.",)
    (problem,) = read(("a.pdf", pdf("One.").replace(b"[ 4 0 R", b"[ 9 0 R"))).problems
    assert problem.startswith("a.pdf is damaged")


def test_a_page_that_unpacks_to_much_is_read_like_any_other() -> None:
    found = read(("a.pdf", pdf("One.", zlib.compress(bytes(80_000_000), 1), "Three.")))
    assert [p.text.split() for p in found.passages] == [["One.", "Three."]]
    assert found.problems == ("a.pdf has 1 of 3 pages without text, such as page 2.",)


def test_a_pdf_that_opens_without_a_password_is_read_and_its_protection_said() -> None:
    found = read(("a.pdf", pdf("One.", password="", owner=OPENS)))
    assert [p.text for p in found.passages] == ["One."]
    assert found.problems == ("a.pdf is protected against changes, but anyone can open it, so it was read.",)


def test_letters_that_fonts_give_no_meaning_to_are_said() -> None:
    lacks = read(("a.pdf", pdf(r"The f\001fth rent is \003 \004 due.")))
    assert lacks.problems[0].startswith("a.pdf has letters that its fonts give no meaning to")
    assert read(("a.pdf", pdf("The fifth rent is due."))).problems == ()


def test_a_corpus_has_at_most_so_many_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_PASSAGES", 3)
    found = read(("a.txt", b"One. Two."), ("b.txt", b"One. Two."), ("c.txt", b"One."), size=1)
    assert [p.id for p in found.passages] == ["a.txt-s1", "a.txt-s2", "b.txt-s1"]
    assert found.problems == ("b.txt and what follows it did not fit in: a corpus has at most 3 passages.",)


@each("character", ["a", "\u200b", "\ufffd", "\u202e", "/", "é "])
def test_a_long_run_of_one_character_is_cut_too(character: str) -> None:
    text = character * 100_000
    spans = cut(text, nothing, 512)
    assert sum(b - a for a, b in spans) >= len(text) - len(spans)
    assert max(b - a for a, b in spans) <= 64 * 512


def test_reading_says_how_far_it_is_and_can_be_stopped() -> None:
    said: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        said.append((done, total))
        if done:
            raise Cancelled

    with listening(stop), pytest.raises(Cancelled):
        read(("a.txt", b"One."), ("b.txt", b"Two."))
    assert said == [(0, 2), (1, 2)]
