"""Names of sources beside where a sentence's words stand; courts; and what is no finding."""

from dataclasses import replace

from groundscope.text.named_sources import NamedSources
from groundscope.types import Passage
from tests.loops import each

MATSUSHITA = Passage(
    "p1",
    "Some metaphysical doubt about the material facts does not suffice. An opponent whose claim makes no economic sense needs "
    "more persuasive evidence than another.",
    "Matsushita Electric v. Zenith Radio, 475 U.S. 574 (1986)",
)
LIBERTY = Passage(
    "p2",
    "The judge does not weigh the evidence at summary judgment but asks whether a jury could find for the opponent. "
    "The standard of proof at trial counts.",
    "Anderson v. Liberty Lobby, 477 U.S. 242 (1986)",
)
STATUTE = Passage("p3", "A corporation is a citizen of every state that incorporated it.", "28 U.S.C. § 1332(c)(1)")
OTHER = Passage("p4", "The forum defendant rule bars removal.", "28 U.S.C. § 1441(b)")
LEASING = Passage(
    "p5", "The court held that a salesman could bind his employer to the lease.", "Leasing Corp. v. Ampex (5th Cir. 1976)"
)
ELSEWHERE = "According to Liberty Lobby a claim that makes no economic sense needs persuasive evidence."
CONTEXT = (MATSUSHITA, LIBERTY, STATUTE, OTHER, LEASING)


def found(sentence: str, context: tuple[Passage, ...] = CONTEXT) -> list[tuple[str, tuple[int, ...], int]]:
    sources = NamedSources(context)
    return [(sentence[m.start : m.end], m.named, sources.units[m.stands].passage) for m in sources.misplaced(sentence)]


@each(
    ("sentence", "wanted"),
    [
        (ELSEWHERE, [("Liberty Lobby", (1,), 0)]),
        ("According to Matsushita a claim that makes no economic sense needs persuasive evidence.", []),
        ("Zenith's claim, which makes no economic sense, needs more persuasive evidence.", []),
        ("Under § 1441(b) a corporation is a citizen of every state that incorporated it.", [("1441(b)", (3,), 2)]),
        ("Under § 1332(c)(1) a corporation is a citizen of every state that incorporated it.", []),
        ("The Ninth Circuit held in Ampex that a salesman could bind his employer to the lease.", [("Ninth Circuit", (), 4)]),
        ("The Fifth Circuit held in Ampex that a salesman could bind his employer to the lease.", []),
        ("The Kansas Supreme Court held that a salesman could bind an employer.", [("Kansas Supreme Court", (), 4)]),
        ("The Supreme Court held that a salesman could bind his employer to the lease.", []),
        # Nothing is known of where these words stand, or the sentence names nothing.
        ("Liberty Lobby has been followed ever since by everyone.", []),
        ("A claim that makes no economic sense needs persuasive evidence.", []),
        ("", []),
    ],
)
def test_a_name_is_misplaced_where_the_words_stand_in_another_source(
    sentence: str, wanted: list[tuple[str, tuple[int, ...], int]]
) -> None:
    assert found(sentence) == wanted


def test_a_source_that_the_other_passage_names_itself_is_not_misplaced() -> None:
    quoting = replace(MATSUSHITA, text=f"{MATSUSHITA.text} So also Liberty Lobby.")
    assert found(ELSEWHERE, (quoting, LIBERTY, OTHER)) == []


@each("context", [tuple(Passage(p.id, p.text) for p in CONTEXT), (), (Passage("p", ""),)])
def test_sources_without_names_and_empty_contexts_find_nothing(context: tuple[Passage, ...]) -> None:
    assert found(ELSEWHERE, context) == []


def test_the_nearest_sentence_shares_most_rare_words() -> None:
    sources = NamedSources(CONTEXT)
    at = sources.nearest("A salesman of the corporation can bind the employer.")
    assert sources.units[at].passage == CONTEXT.index(LEASING)
    assert sources.nearest("Bananas are yellow.") == sources.nearest("") == -1
