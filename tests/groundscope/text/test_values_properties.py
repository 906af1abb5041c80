"""Properties of values: an equal form is equal, a changed one is missing, and any text is read in order without overlap."""

import itertools
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from groundscope.text.values.grammar import read_values
from groundscope.text.values.lookup import ContextValues
from groundscope.text.values.numbers import ONES, TENS
from groundscope.text.values.types import Standing

AMOUNTS = st.integers(min_value=11, max_value=9_999_999_999)
MONEY = ("${:,}", "USD {:,}", "{:,} dollars", "US${}", "{} U.S. dollars")
COUNTS = ("{:,} shares", "{} shares", "{:,} voting shares", "the {} shares")
ROMAN = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX".split()


def standings(source: str, answer: str) -> list[Standing]:
    context = ContextValues.of([source])
    return [context.look_up(value, answer).standing for value in read_values(answer)]


def in_words(number: int) -> str:
    """English words, written out by place."""
    for scale, name in ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= scale:
            head, rest = divmod(number, scale)
            return f"{in_words(head)} {name}" + (f" {in_words(rest)}" if rest else "")
    if number < 20:
        return ONES[number]
    return TENS[number // 10 - 2] + (f"-{ONES[number % 10]}" if number % 10 else "")


def roman(number: int) -> str:
    return ROMAN[number - 1]


@given(AMOUNTS, st.sampled_from(MONEY), st.sampled_from(MONEY), st.integers(min_value=1, max_value=10**6))
def test_money_is_equal_in_any_form_and_missing_when_changed(amount: int, form: str, other: str, more: int) -> None:
    source = f"The buyer paid {form.format(amount)} at once."
    assert standings(source, f"He paid {other.format(amount)} at once.") == [Standing.EQUAL]
    assert standings(source, f"He paid {other.format(amount + more)} at once.") == [Standing.MISSING]


@given(AMOUNTS, st.sampled_from(COUNTS), st.sampled_from(COUNTS), st.integers(min_value=1, max_value=10**6))
def test_counts_are_equal_in_digits_and_words_and_missing_when_changed(amount: int, form: str, other: str, more: int) -> None:
    source = f"It holds {form.format(amount)}."
    assert standings(source, f"It has {other.format(amount)}.") == [Standing.EQUAL]
    assert standings(source, f"It has {in_words(amount)} shares.") == [Standing.EQUAL]
    assert standings(f"It holds {in_words(amount)} shares.", f"It has {other.format(amount)}.") == [Standing.EQUAL]
    assert standings(source, f"It has {other.format(amount + more)}.") == [Standing.MISSING]
    assert standings(source, f"It has {in_words(amount + more)} shares.") == [Standing.MISSING]


@given(st.integers(min_value=1, max_value=99_999), st.integers(min_value=1, max_value=50_000))
def test_percentages_are_equal_to_basis_points(points: int, more: int) -> None:
    source = f"The rate is {Decimal(points) / 100}% a year."
    assert standings(source, f"a rate of {points} basis points") == [Standing.EQUAL]
    assert standings(source, f"a rate of {Decimal(points) / 100} percent") == [Standing.EQUAL]
    assert standings(source, f"a rate of {points + more} basis points") == [Standing.MISSING]


@given(
    st.integers(min_value=1, max_value=20),
    st.integers(min_value=1, max_value=20),
    st.sampled_from(["Article", "Chapter", "Title", "Part", "Amendment"]),
)
def test_provisions_are_equal_in_roman_numerals(number: int, other: int, label: str) -> None:
    source = f"So says {label} {roman(number)} in full."
    expected = Standing.EQUAL if number == other else Standing.MISSING
    assert standings(source, f"See {label} {other}, which says so.") == [expected]


@given(st.text(alphabet="0123456789.,'-/()$€%§ \nabcm一万円年½IVX", max_size=120))
def test_any_text_is_read_in_order_without_overlap(text: str) -> None:
    values = read_values(text)
    assert all(0 <= v.start < v.end <= len(text) for v in values)
    assert all(a.end <= b.start for a, b in itertools.pairwise(values))
    # What a text says of itself stands in it.
    context = ContextValues.of([text])
    assert all(context.look_up(v, text).standing is not Standing.MISSING for v in values)
