"""Texts that break careless code: pairs or none, never an exception, in time that grows as the text does."""

import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

from models.contrast_pairs import LONGEST, contrast_pairs, easy_pairs, reworded
from tests.growth import seconds
from tests.models.pairs.documents import by_label, squares

PLAIN = "The landlord must pay 600 euros to Okafor within 14 days."
ODD = {
    "NUL": "The tenant\x00 must pay 600\x00 euros to Okafor before noon.",
    "control characters": "The tenant\x07 must\x1b[31m pay 600\x1c euros\x85 to Okafor before noon.",
    "line breaks": "If the tenant\nmust pay 600\r\neuros,\u2028 Okafor pays\u2029 before noon.",
    "lone surrogates": "The tenant \ud800 must pay 600 \udfff euros to Okafor before noon.",
    "right to left": "The term \u202e must pay 600\u202c euros \u2067בית המשפט\u2069 before noon.",
    "another script": "رفضت المحكمة الاستئناف في عام ٢٠٠٣ وحكمت بالتكاليف للمدعى عليه ٦٠٠ هنا.",
    "emoji": "👩🏽‍⚖️ The tenant must pay 600 🎉 euros to Okafor 🇫🇷 before noon. 👍",
    "combining": "The te\u0301nant mu\u0308\u0308\u0308st pay 600 euros to Oka\u0301for before noon.",
    "html": "<b>The tenant</b> must <script>alert(600)</script> pay &amp; Okafor before noon.",
    "format strings": "The tenant %s must {0} pay {x!r} $600 \\1 \\g<0> to Okafor before noon.",
    "a number without an end": "The tenant must find " + "9" * 200 + " keys of Okafor.",
    "a number with an end": "The tenant must find " + "9" * 100 + "." + "9" * 100 + " keys.",
    "digits of another script": "The tenant must pay ٦٠٠ euros and ١٩٥٠ to Okafor before noon.",
    "a fraction sign": "The tenant must pay ½ and ² of 600 euros to Okafor before noon.",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_an_odd_text_makes_balanced_pairs_or_none(text: str) -> None:
    for seed in range(12):
        pairs = contrast_pairs([[text, PLAIN], [PLAIN, text, text]], seed=seed)
        for one, two, _, _ in squares(pairs):
            assert one.evidence != two.evidence
            assert one.sentence != two.sentence
        assert all(yes == no for yes, no in by_label((p.sentence, p.label) for p in pairs).values())
        assert all(p.sentence.strip() and p.evidence.strip() for p in [*pairs, *easy_pairs(pairs)])


@pytest.mark.parametrize("letter", ["a", "A", " ", "(", ",", "1", "1,", ", which ", "\x00", '"', "not ", "Aa ", "法"])
def test_one_sentence_of_100_000_characters_is_neither_edited_nor_shown(letter: str) -> None:
    long = (letter * 100_000)[:100_000]
    pairs = contrast_pairs([[long], [long, PLAIN, long]])
    assert pairs
    assert max(len(p.evidence) for p in pairs) < 2 * len(PLAIN)
    assert {p.group for p in pairs} == {"text-1"}


# Time


BOMBS = {
    "conditions": "after " * 33,
    "leading clauses": "In a b c d, " * 16,
    "side remarks": ", which of them" * 13,
    "open brackets": " (" * 100,
    "commas": "a," * 100,
    "numbers": "1,000" * 40,
    "small numbers": "7 or 8, " * 25,
    "names": "Abe Bea Cy and Di " * 11,
    "names that end badly": "Aaaaaaaaaaaaaaa1 " * 11,
    "quotes": '"must" ' * 28,
    "opposites": "all or some must " * 12,
    "synonyms": "such as " * 25,
    "cases": "A. B. & C. v. D. E. " * 10,
    "citations": "12 F.3d 345, § 1109(a) " * 8,
    "one word": "a" * 200,
    "white space": "a" + " " * 198 + "b",
}


def _texts(bomb: str, count: int) -> list[list[str]]:
    """So many different sentences in one text."""
    return [[f"{i} {bomb[:200]} must {i + 1}." for i in range(count)]]


def _calls(work: Callable[[], Any]) -> int:
    """How many functions are called, Python's own among them."""
    count = 0

    def hear(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(hear)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_four_times_the_sentences_take_four_times_the_steps(bomb: str) -> None:
    # What is met for the first time takes more steps; so all of it has been met.
    contrast_pairs(_texts(bomb, 60))
    few, many = (_calls(lambda n=n: contrast_pairs(_texts(bomb, n))) for n in (15, 60))
    # Which sentences are shown beside one is drawn, so that the steps of one are not those of the next.
    assert many < 6 * few


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_no_part_of_it_takes_long_by_itself(bomb: str) -> None:
    # Regular expressions go back and forth within one step: a sentence that is made for that beside a plain one.
    plain = _texts("The landlord owed rent to the tenant of the house, who was not heard before Okafor left. " * 2, 15)
    contrast_pairs(plain), contrast_pairs(_texts(bomb, 15))
    assert seconds(lambda: contrast_pairs(_texts(bomb, 15))) < 12 * seconds(lambda: contrast_pairs(plain))


@pytest.mark.parametrize("bomb", [b.strip() + " " for b in BOMBS.values()], ids=BOMBS)
def test_rewording_a_text_of_100_000_characters_takes_time_as_its_length(bomb: str) -> None:
    def work(size: int) -> None:
        for seed in range(3):
            reworded((bomb * (size // len(bomb) + 1))[:size] + "; b.", random.Random(seed), {"must"})  # noqa: S311 - no secret

    assert len(bomb) < LONGEST
    assert seconds(lambda: work(100_000)) < 10 * max(seconds(lambda: work(25_000)), 1e-3)
