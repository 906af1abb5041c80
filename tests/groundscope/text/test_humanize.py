"""Titles that are cut stay apart."""

from hypothesis import given
from hypothesis import strategies as st

from groundscope.text.humanize import counted_sources, nearest, one_line, shortened
from groundscope.types import Passage
from tests.loops import each

titles = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), max_size=80)


@each(
    ("title", "most", "short"),
    [
        ("Direct prompting (prompt=lynx)", 30, "Direct prompting (prompt=lynx)"),
        ("Direct prompting (prompt=lynx)", 29, "Direct prompti… (prompt=lynx)"),
        ("Majority of 3, Direct prompting (prompt=standard)", 32, "Majority of 3… (prompt=standard)"),
        ("Grounding classifier MiniLM", 20, "Grounding classifie…"),
        ("Direct (a long name of the user's own)", 20, "Direc…he user's own)"),
        ("(all in brackets, and long)", 12, "(all in bra…"),
    ],
)
def test_the_label_in_brackets_stays_whole_where_there_is_room(title: str, most: int, short: str) -> None:
    assert shortened(title, most) == short


@given(titles, st.integers(10, 60))
def test_no_title_is_longer_than_it_may_be_and_a_short_one_stays(title: str, most: int) -> None:
    short = shortened(title, most)
    assert len(short) <= most
    assert (short == title) is (len(title) <= most)


@given(titles, st.lists(st.text("abcdef=", min_size=1, max_size=12), min_size=2, max_size=4, unique=True))
def test_parts_of_one_method_never_get_one_name(title: str, labels: list[str]) -> None:
    assert len({shortened(f"{title} ({label})", 24) for label in labels}) == len(labels)


def test_a_text_becomes_one_line_of_a_length() -> None:
    assert one_line(" a\n b ", 3) == "a b"
    assert one_line("abcd", 3) == "ab…"


def test_a_misspelt_name_is_known_by_its_letters_in_any_case() -> None:
    names = ("Fully attributable", "Not attributable", "figures")
    assert [nearest(n, names) for n in ("Fully atributable", "FIGURE", "zzz", 3)] == [names[0], names[2], "", ""]


@each(
    ("sources", "words"),
    [
        ((), "0 sources"),
        (("lease.pdf, 1. Rent", "lease.pdf, 2. Notice", "Act.TXT"), "2 sources, 3 passages"),
        (("lease.pdf", "lease.pdf"), "1 source, 2 passages"),
        # Titles that are no files: one of them twice is one document; a passage without a title is a document of its own.
        (("Fed. R. Evid. 803(6)", "Palmer v. Hoffman, 318 U.S. 109 (1943)"), "2 sources"),
        (("Fed. R. Evid. 803(6)", "Fed. R. Evid. 803(6)", ""), "2 sources, 3 passages"),
        (("", ""), "2 sources"),
    ],
)
def test_sources_are_counted_as_documents_and_passages_as_passages(sources: tuple[str, ...], words: str) -> None:
    assert counted_sources([Passage(str(n), "Text.", source) for n, source in enumerate(sources)]) == words
