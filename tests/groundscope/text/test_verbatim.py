"""Sentences that stand word for word in the context: found whatever the shape of quotes, and never where a word differs."""

import re
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.text.plain import PlainCase
from groundscope.text.sentences import context_sentences, split
from groundscope.text.verbatim import LEAST, credited, credited_matrix, verbatim, words
from groundscope.types import Case, Match, Passage, SentenceScore
from tests.loops import each

RULE = "The tenant may not assign the lease without the landlord's “prior written consent” – see section 12."


def case(response: str, *passages: str) -> Case:
    return PlainCase.of(Case("c", "q", tuple(Passage(f"p{i}", text) for i, text in enumerate(passages)), response)).case


@each(
    "said",
    [
        RULE,
        'The tenant may not assign the lease without the landlord\'s "prior written consent" - see section 12.',
        "The tenant may not assign\nthe lease  without the landlord’s «prior written consent» — see\u00a0section\t12.",
        "The tenant may not assign the lease without the landlord‘s „prior written consent‟ ― see section 12.",
        "The ten\u00adant may not assign the lease without the landlord's **“prior written consent”** – see sec\u200btion 12.[3]",
    ],
)
def test_what_a_plain_view_makes_alike_may_differ(said: str) -> None:
    assert verbatim(case(said, "Another rule stands here.", f"It is short. {RULE}")) == {0: 2}


@each(
    ("old", "new"),
    [
        ("may not", "may"),
        ("tenant", "Tenant"),
        ("12.", "12!"),
        ("section", "sect\u0456on"),
        ("lease", "lease,"),
        ("– see", "see"),
        ("“prior", "prior"),
    ],
)
def test_nothing_else_may_differ(old: str, new: str) -> None:
    assert old in RULE
    said = RULE.replace(old, new)
    assert verbatim(case(said, RULE)) == {}
    assert verbatim(case(RULE, said)) == {}


def test_signs_that_mean_something_are_no_quotation_marks() -> None:
    for sign, mark in ("′'", "²2"):
        assert verbatim(case(f"The plan shows 5{sign} of wall.", f"The plan shows 5{mark} of wall.")) == {}


def test_of_equal_context_sentences_the_first_counts_and_every_copy_is_found() -> None:
    text = f"A first sentence stands here. {RULE}"
    assert verbatim(case(f"{RULE} It was new. {RULE}", "Another rule stands here.", text, text)) == {0: 2, 2: 2}


def test_a_few_words_may_mean_something_else_elsewhere() -> None:
    text = "Motion denied today. The motion was denied. Costs were – as ever – awarded."
    assert LEAST == 4
    assert verbatim(case(text, text)) == {1: 1, 2: 2}
    # A dash is no word.
    assert verbatim(case("Motion – denied – today.", "Motion – denied – today.")) == {}


def test_a_heading_neither_stands_anywhere_nor_supports_anything() -> None:
    heading = "Duties Of The Landlord Under Section Twelve"
    context = f"# {heading}\n\n{RULE}"
    assert [s.heading for s in split(context)] == [True, False]
    assert verbatim(case(f"# {heading}\n\n{RULE}", context)) == {1: 1}
    assert verbatim(case(heading, context)) == {}
    assert verbatim(case(f"# {heading}\n\nIt was new to all of them.", f"{heading}.")) == {}


_TEXT = st.text(alphabet="aB1 .\n\t\u00a0'’\"“-–#", max_size=120)


@given(_TEXT, st.lists(_TEXT, max_size=3))
def test_what_is_found_is_equal_and_what_is_equal_is_found(response: str, passages: list[str]) -> None:
    example = case(response, *passages)

    def plain(text: str) -> str:
        shapes = re.sub("–", "-", re.sub("’", "'", re.sub("“", '"', text)))
        return re.sub(r"\s+", " ", shapes).strip()

    there = [(t[s.start : s.end], s.heading) for t in passages for s in split(t)]
    assert len(there) == len(context_sentences(example.context))
    expected = {}
    for i, s in enumerate(split(response)):
        said = plain(response[s.start : s.end])
        equal = [j for j, (text, heading) in enumerate(there) if plain(text) == said and not heading]
        if equal and not s.heading and len(re.findall(r"\S*[aB1]\S*", said)) >= LEAST:
            expected[i] = equal[0]
    assert verbatim(example) == expected


@given(
    st.integers(0, 10**6),
    st.sampled_from(["Smith", "The Crown", "Müller AG"]),
    st.integers(0, 200),
    st.sampled_from(string.ascii_letters + string.digits),
)
def test_no_other_letter_or_figure_is_ever_overlooked(amount: int, name: str, place: int, new: str) -> None:
    text = f"On appeal {name} did not owe more than {amount} euros and costs."
    place %= len(text) - 1
    for said in (text[:place] + new + text[place + 1 :], text[:place] + new + text[place:], text[:place] + text[place + 1 :]):
        assert verbatim(case(said, text)) == ({0: 0} if said.split() == text.split() else {})


def test_a_copy_has_full_support_and_what_it_equals_as_its_best_match() -> None:
    example = case(f"It was new. {RULE}", f"A first sentence stands here. {RULE}")
    units, said = context_sentences(example.context), split(example.response)
    other = SentenceScore(said[0].start, said[0].end, 0.25)
    first, second = (Match(u.passage, u.start, u.end, s) for u, s in zip(units, (0.75, 0.5), strict=True))
    low = SentenceScore(said[1].start, said[1].end, 0.1, (first, second))
    found = credited((other, low), verbatim(example), units)
    assert found[0] == other
    start, end = said[1].start, said[1].end
    assert found[1] == SentenceScore(start, end, 1.0, (Match(*units[1], 1.0), first), ((start, end),))
    assert credited((other, low), {}, units) == (other, low)


def test_no_other_pair_of_its_row_has_as_much() -> None:
    matrix = np.array([[1.0, 0.5, np.nan], [1.0, 1.0, 0.25]], dtype=np.float32)
    found = credited_matrix(matrix, {0: 1})
    assert found[0, 1] == 1.0
    assert found[0, 0] == pytest.approx(1.0)
    assert found[0, 0] < 1.0
    assert np.isnan(found[0, 2])
    np.testing.assert_array_equal(found[1], matrix[1])
    assert matrix[0, 1] == 0.5


def test_how_many_there_are_is_reported() -> None:
    assert words({}, 3) == ""
    assert words({1: 0}, 3).startswith("1 of 3 sentences stands")
    assert words({1: 0, 2: 5}, 3).startswith("2 of 3 sentences stand ")
