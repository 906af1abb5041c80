"""Quotations: every kind of marks, and what ellipses and brackets may do to the words between them."""

from groundscope.citations.quotes import Quote
from groundscope.citations.states import layer
from groundscope.types import Case, Passage
from tests.loops import each

CONTEXT = (
    Passage(
        "p",
        "The landlord shall give written notice to the tenant within thirty days. An apple of the tenants' is no abandonment. "
        "He shall not notice terminated leases.",
    ),
)
WORDS = "shall give written notice"


def _quotes(response: str, context: tuple[Passage, ...] = CONTEXT) -> tuple[Quote, ...]:
    return layer(Case("c", "", context, response)).quotes


def _one(response: str) -> Quote:
    (found,) = _quotes(response)
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
    assert _quotes(response) == ()


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
        ("The landlord shall give oral notice", ["oral"]),
        ("The landlord may give written notice", ["may"]),
        ("written notice to the tenant within sixty days", ["sixty"]),
        ("the landlord . . . within thirty days to the tenant", ["landlord . . . within", "to the tenant"]),
    ],
)
def test_another_word_is_a_difference_in_brackets_too(words: str, wrong: list[str]) -> None:
    response = f"It says “{words}” there."
    found = _one(response)
    assert not found.verbatim
    assert [response[a:b] for a, b in found.wrong] == wrong


def test_neither_half_a_word_nor_a_short_stem_is_a_word_and_one_word_is_no_quotation() -> None:
    assert not _one("It says “shall give writ” there.").verbatim
    assert not _one("It says “is no a[n]” there.").verbatim
    assert _quotes("“notice” and “terminated”") == ()


def test_the_nearest_passage_is_shown_where_there_is_one() -> None:
    nearest = _one("“The landlord shall give oral notice”").nearest
    assert nearest is not None
    assert "landlord shall give" in CONTEXT[0].text[nearest.start : nearest.end]
    like_nothing = _one("“zzz qqq xxx vvv”")
    assert (like_nothing.verbatim, like_nothing.nearest) == (False, None)
