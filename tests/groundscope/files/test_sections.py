"""Sections: the whole text, cut before headings and nowhere else."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from groundscope.files.headings import sections

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


def test_headings_that_a_file_marks_are_headings() -> None:
    text = "Confidentiality\nKeep it quiet.\nCosts\nNone."
    assert [s.title for s in sections(text, (0, 31))] == ["Confidentiality", "Costs"]


def test_a_list_of_contents_is_no_heap_of_sections() -> None:
    text = "\n".join(f"{n}. Part {n}" for n in range(1, 10)) + "\nThe parties agree."
    assert titles(text) == [""]
    assert sections("") == sections(" \n ") == []
