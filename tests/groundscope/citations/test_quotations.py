"""Quotations: every kind of marks, and what ellipses and brackets may do to the words between them."""

from groundscope.citations.quotes import Quote, quotes
from groundscope.types import Passage
from tests.loops import each

CONTEXT = (
    Passage(
        "p",
        "The landlord shall give written notice to the tenant within thirty days. An apple of the tenants' is no abandonment. "
        "He shall not notice terminated leases.",
    ),
)
WORDS = "shall give written notice"


def _one(response: str) -> Quote:
    (found,) = quotes(response, CONTEXT)
    return found


@each("marks", ["“{}”", '"{}"', "‘{}’", "'{}'", "``{}''", "„{}“", "«{}»", "« {} »", "»{}«", "‹{}›", "›{}‹", "「{}」", "『{}』"])
@each("words", [WORDS, "shall give\nwritten notice", "shall give oral notice"])
def test_quotations_are_seen_between_all_marks(marks: str, words: str) -> None:
    response = f"It says {marks.format(words)} there."
    found = _one(response)
    assert response[found.start : found.end].strip() == words
    assert found.verbatim is ("oral" not in words)


@each(
    "response",
    [
        "The tenants' and the landlords' notice is due.",
        "It's the tenant's right, isn't it, and the '90s and the '80s were so.",
        "They eat 'n' drink at the landlord's and the tenant's.",
        "It is 5' 6\" high and the tenants' door 6' 7\".",
        "He has a 'notice period' here.",
        'One "notice\n\nand another" ends.',
    ],
)
def test_apostrophes_and_marks_across_paragraphs_are_no_quotations(response: str) -> None:
    assert quotes(response, CONTEXT) == ()


def test_an_apostrophe_inside_straight_marks_does_not_end_them() -> None:
    response = "It says 'the landlord's shall give notice' there."
    found = _one(response)
    assert response[found.start : found.end] == "the landlord's shall give notice"


@each(
    ("words", "note"),
    [
        ("shall give written notice", ""),
        ("[the owner] shall give written notice", "words in brackets are the writer's: [the owner]"),
        ("shall give [clear] notice to [her]", "words in brackets are the writer's: [clear], [her]"),
        ("[t]he landlord", "capitals or punctuation differ"),
        ("shall give written notice [sic] to", "capitals or punctuation differ"),
        ("the tenant[s] within thirty days", ""),
        ("He shall [not] notice", ""),
        ("The landlord shall … notice", "leaves out 2 words"),
        ("… shall give written notice …", ""),
        ("notic[ing] terminated leases", ""),
    ],
)
def test_what_brackets_and_ellipses_did_is_reported(words: str, note: str) -> None:
    found = _one(f"It says “{words}” there.")
    assert (found.verbatim, found.note) == (True, note), words


@each(
    ("words", "wrong"),
    [
        ("shall [not] give written notice", ["not"]),
        ("landlord shall [never again] give written notice", ["never again"]),
        ("[no] landlord shall give written notice", ["no"]),
        ("landlord [won’t] give written notice to the tenant", ["won’t"]),
        ("terminat[ing] notice to the tenant", ["terminat[ing"]),
        ("landlord shall give oral[ly] notice to the tenant", ["oral[ly"]),
    ],
)
def test_a_bracket_that_negates_or_hides_another_word_is_a_difference(words: str, wrong: list[str]) -> None:
    response = f"It says “{words}” there."
    found = _one(response)
    assert not found.verbatim
    assert [response[a:b] for a, b in found.wrong] == wrong


def test_a_short_stem_is_not_any_word_that_begins_like_it() -> None:
    assert not _one("It says “is no a[n]” there.").verbatim
