"""Sections: the whole text, cut before headings and nowhere else."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from groundscope.files.document_text import document
from groundscope.files.headings import sections
from tests.loops import each

LINES = st.lists(
    st.sampled_from(["4. Rent", "The tenant pays.", "", "ARTICLE V", "TERMINATION", "# Note", "of the", " x "]), max_size=14
)


def titles(text: str) -> list[str]:
    return [s.title for s in sections(text)]


@given(LINES, st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_sections_are_the_whole_text(lines: list[str], end: str) -> None:
    text = end.join(lines)
    found = sections(text)
    assert "".join(text[s.start : s.end] for s in found).split() == text.split()
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_headings_begin_sections() -> None:
    text = "Lease\n\n4. Rent\nThe tenant pays.\nARTICLE V\nTERMINATION\nEither party may leave."
    text += "\n§ 12a Notice\nIn writing.\n## Costs\nnone"
    assert titles(text) == ["", "4. Rent", "ARTICLE V TERMINATION", "§ 12a Notice", "Costs"]


def test_a_line_of_a_paragraph_is_no_heading() -> None:
    for text in (
        "He paid\n4. The tenant shall pay the\nrent on the first day.",
        "4. The tenant pays.\nThe landlord repairs.",
        "Section 5 of the Act,\nas amended.",
        "It was in NEW YORK\nand not elsewhere.",
        "In\n2024 Annual figures\nrose.",
        "1. " + "The word " * 20 + "\nThe next.",
    ):
        assert titles(text) == [""], text


@each(
    "line",
    [
        "4.2 The tenant shall pay",
        "4.2 The tenant pays on the first",
        "4.2 Tenant must insure the flat",
        "THE TENANT SHALL NOT ASSIGN THIS LEASE",
        "4 May 2024",
        "12. March 2024",
        "4. Rent ........ 12",
        "4. Rent\t12",
        "§ 3 Die Miete ist monatlich fällig",
    ],
)
def test_a_line_that_says_something_is_no_heading(line: str) -> None:
    assert titles(f"Lease\n\n{line}\nThe landlord repairs the roof.") == [""]


def test_a_paragraph_in_capitals_is_no_heading() -> None:
    assert titles("Lease\n\nNO OTHER WARRANTY\nEXPRESS OR IMPLIED, OF ANY KIND.\nThe parties agree.") == [""]


def test_a_clause_that_is_styled_as_a_heading_gives_no_more_than_its_title() -> None:
    clause = "4.2 Deposit. The tenant pays a deposit of 500 crowns, which the landlord keeps until the end of the lease."
    bare = "The tenant pays a deposit of 500 crowns, which the landlord keeps until the end of the lease."
    assert [s.title for s in sections(f"{clause}\n{bare}", (0, len(clause) + 1))] == ["4.2 Deposit"]
    long = "Regulation on the protection of the deposits of tenants of flats and houses and on their return after the end"
    (title,) = (s.title for s in sections(f"{long}\nIt is short.", (0,)))
    assert long.startswith(title.removesuffix(" …"))
    assert len(title) <= 92


def test_a_blank_line_keeps_headings_and_text_apart() -> None:
    read = document("a.txt", b"Flat 4.\n5. Costs\nNone.\n\n6. Keys\n\nTwo.")
    assert read.text == "Flat 4.\n\n5. Costs\n\nNone.\n\n6. Keys\n\nTwo."
    assert [read.text[s.start : s.end].split("\n")[0] for s in sections(read.text)] == ["Flat 4.", "5. Costs", "6. Keys"]


def test_headings_that_a_file_marks_are_headings() -> None:
    text = "Confidentiality\nKeep it quiet.\nCosts\nNone."
    assert [s.title for s in sections(text, (0, 31))] == ["Confidentiality", "Costs"]


def test_the_mark_of_a_note_is_no_part_of_a_title() -> None:
    assert titles("# Tenure[^1]\nOne is protected.") == ["Tenure"]


def test_a_list_of_contents_is_no_heap_of_sections() -> None:
    text = "\n".join(f"{n}. Part {n}" for n in range(1, 10)) + "\nThe parties agree."
    assert titles(text) == [""]
    assert sections("") == sections(" \n ") == []
