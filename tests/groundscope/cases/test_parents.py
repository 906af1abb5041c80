"""A variant against its parent: the words that were replaced, and whether anything else was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.parents import AROUND, differs_only_at_spans, replaced_words
from groundscope.types import Case, ErrorSpan, ErrorType, Passage
from tests.loops import each

PARENT = "The tenant must pay the rent within 30 days of the first notice."


def variant(response: str, *wrong: str | tuple[int, int]) -> Case:
    """A response with error spans, given as words of it or as offsets."""
    spans = [(response.index(w), response.index(w) + len(w)) if isinstance(w, str) else w for w in wrong]
    errors = tuple(ErrorSpan(start, end, ErrorType.FACTUAL_INACCURACY) for start, end in spans)
    return Case("c", "q", (Passage("p", "A text."),), response, errors=errors)


@each(
    ("case", "expected"),
    [
        (variant(PARENT.replace("must", "may"), "may"), ("must",)),
        (variant(PARENT.replace("The tenant", "Nobody"), "Nobody"), ("The tenant",)),
        # In reading order, whatever the order of the spans.
        (variant(PARENT.replace("must", "may").replace("30", "60"), "60", "may"), ("must", "30")),
        # A span that only adds stands for nothing.
        (variant(PARENT.replace("pay", "never pay").replace("30", "60"), "never ", "60"), ("", "30")),
        # Words left out leave a span over what stands in their place.
        (variant(PARENT.replace("within 30 days of", "after"), "after"), ("within 30 days of",)),
    ],
)
def test_the_replaced_words_are_the_parents_words(case: Case, expected: tuple[str, ...]) -> None:
    assert replaced_words(case, PARENT) == expected


@each(
    "case",
    [
        variant(PARENT.replace("must", "may").replace("30", "60"), "may"),
        variant(PARENT.replace("must", "may") + " So it is.", "may"),
        variant(PARENT),
        variant(PARENT.replace("30", "60")),
    ],
)
def test_where_anything_else_differs_no_words_are_named(case: Case) -> None:
    assert replaced_words(case, PARENT) == ()


LONG = "A lease binds the tenant of a house. " * 4


@each(
    ("response", "wrong", "only"),
    [
        (PARENT, (), True),
        (PARENT.replace("30", "60"), (), False),
        # The word after the span changed too, 1 character from it.
        (f"{LONG}It must pay. {LONG}".replace("must pay", "may owe"), ("may",), True),
        # The change lies farther than 40 characters from any span.
        (f"{LONG}It must pay. {LONG}".replace("must", "may").replace("A lease", "No lease", 1), ("may",), False),
        (f"{LONG}It may pay. {LONG}So it is.", ("may",), False),
    ],
)
def test_a_variant_may_differ_in_and_next_to_its_spans(response: str, wrong: tuple[str, ...], only: bool) -> None:
    parent = PARENT if "rent" in response else f"{LONG}It must pay. {LONG}"
    assert differs_only_at_spans(variant(response, *wrong), parent) is only


@pytest.mark.parametrize(("distance", "only"), [(AROUND, True), (AROUND + 1, False)])
def test_next_to_a_span_is_forty_characters(distance: int, only: bool) -> None:
    # "x" is the error; the character that many places after it changed as well.
    parent = "a" * 50 + "y" + "b" * 100
    tail = "b" * (distance - 1) + "c" + "b" * (100 - distance)
    assert differs_only_at_spans(variant("a" * 50 + "x" + tail, "x"), parent) is only


PIECES = st.text(alphabet="abc .", max_size=12)


@given(st.lists(st.tuples(PIECES, PIECES, PIECES.filter(bool)), min_size=1, max_size=4), PIECES)
def test_pieces_that_were_replaced_are_found_to_be_all_that_differs(parts: list[tuple[str, str, str]], tail: str) -> None:
    parent, response, spans = "", "", []
    for kept, old, new in parts:
        parent, response = parent + kept + old, response + kept
        spans.append((len(response), len(response) + len(new)))
        response += new
    case = variant(response + tail, *spans)
    words = replaced_words(case, parent + tail)
    assert differs_only_at_spans(case, parent + tail)
    assert len(words) == len(parts)
    # Whatever words are named, with them in the place of the spans the parent stands there.
    restored, position = "", 0
    for (start, end), word in zip(spans, words, strict=True):
        restored += response[position:start] + word
        position = end
    assert restored + (response + tail)[position:] == parent + tail


@given(PIECES, PIECES.filter(bool), PIECES, PIECES)
def test_the_words_of_a_single_span_are_exact(before: str, new: str, old: str, after: str) -> None:
    case = variant(before + new + after, (len(before), len(before) + len(new)))
    assert replaced_words(case, before + old + after) == (old,)
