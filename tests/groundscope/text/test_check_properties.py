"""Exact checks stand on values and words, not on how they are written: properties over drawn values, marks and letters."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import NamedTuple, TypeVar

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchmarks.checks import Reading, reading, touched, with_marks
from benchmarks.rewriting import (
    INLINE,
    LAYOUTS,
    MARKINGS,
    count_forms,
    cut_at_line_ends,
    cut_figures,
    date_forms,
    decomposed,
    in_place,
    money_forms,
    ordinal_forms,
    percent_forms,
    period_forms,
    scaled_figures,
    section_forms,
    soft_hyphens,
    zero_width,
)
from groundscope.findings.exact import exact_findings
from groundscope.methods import registry
from groundscope.text.sentences import split
from groundscope.types import Case, Passage

T = TypeVar("T")


class DrawnValue(NamedTuple):
    """A value and another of its kind, each in all its forms, and a source sentence and an answer that hold it."""

    source: str
    answer: str
    forms: Sequence[str]
    others: Sequence[str]


def drawn(
    source: str, answer: str, values: st.SearchStrategy[T], forms: Callable[[T], Sequence[str]]
) -> st.SearchStrategy[DrawnValue]:
    """Two different values of a kind."""
    pairs = st.tuples(values, values).map(lambda pair: (forms(pair[0]), forms(pair[1])))
    unequal = pairs.filter(lambda pair: not set(pair[0]) & set(pair[1]))
    return unequal.map(lambda pair: DrawnValue(source, answer, *pair))


def days_of(day: date) -> Sequence[str]:
    """Numeric dates may be read in either order; days up to the twelfth keep to one."""
    return [form for form in date_forms(day) if day.day > 12 or ("/" not in form and form.count(".") < 2)]


dollars = st.integers(2, 4_000).map(lambda n: Decimal(n) * 2_500) | st.integers(101, 99_999).map(lambda n: Decimal(n) / 100)
rates = st.integers(2, 200).map(lambda n: Decimal(n) / 4)
days = st.dates(date(1950, 1, 1), date(2030, 12, 31))
VALUES = st.one_of(
    drawn("The buyer shall pay {} into escrow.", "Into escrow goes {}.", dollars, money_forms),
    drawn("The note bears interest at {} a year.", "Interest runs at {} a year.", rates, percent_forms),
    drawn("The lease was signed on {} by both.", "Both signed the lease on {}.", days, days_of),
    drawn("The tenant has {} to vacate.", "To vacate, the tenant has {}.", st.integers(2, 90), partial(period_forms, unit="day")),
    drawn("The patent lasts {}.", "From filing, the patent lasts {}.", st.integers(2, 30), partial(period_forms, unit="year")),
    drawn("The duty stands in {} of the act.", "Of the act, {} names the duty.", st.integers(2, 999), section_forms),
    drawn("Rent is due on the {} day.", "The rent falls due on the {} day.", st.integers(3, 28), ordinal_forms),
    drawn("The seller sent {} crates of fruit.", "The buyer got {} crates of fruit.", st.integers(13, 9_999), count_forms),
)


def case_of(source: str, answer: str) -> Case:
    return Case("c", "", (Passage("p1", source),), answer)


@given(VALUES, st.data())
def test_a_value_in_an_equal_form_raises_no_alarm(value: DrawnValue, data: st.DataObject) -> None:
    source, form = (data.draw(st.sampled_from(value.forms)) for _ in range(2))
    assert [f for f in exact_findings([value.source.format(source)], value.answer.format(form)) if f.alarm] == []


@given(VALUES, st.data())
def test_another_value_always_raises_an_alarm(value: DrawnValue, data: st.DataObject) -> None:
    source, other = data.draw(st.sampled_from(value.forms)), data.draw(st.sampled_from(value.others))
    start = value.answer.index("{")
    assert touched(case_of(value.source.format(source), value.answer.format(other)), start, start + len(other))


@given(VALUES, st.data())
def test_a_figure_that_is_cut_or_scaled_always_raises_an_alarm(value: DrawnValue, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(value.forms))
    answer = value.answer.format(form)
    changes = [*cut_figures(answer), *scaled_figures(answer)]
    assume(changes)
    change = data.draw(st.sampled_from(changes))
    assert touched(case_of(value.source.format(form), change.of(answer)), change.start, change.start + len(change.new))


SOURCES = (
    "The tenant shall pay a deposit of €2,400 before the keys are handed over.",
    "A landlord who keeps the deposit without cause owes three times its amount under section 12.",
    "The Ninth Circuit affirmed the judgment of the trial court on May 4, 2016.",
    "José Muñoz, the lessee, gave written notice of sixty days to Société Béranger.",
    "Nothing in this chapter limits the remedies of a subtenant.",
)
ANSWERS = (
    ("Before the keys are handed over, the tenant shall pay a deposit of €2,400.", 1),
    ("Before the keys are handed over, the tenant shall pay a deposit of €400.", 1),
    ("Under section 12, a landlord who keeps the deposit without cause owes three times its amount.", 2),
    ("The trial court's judgment was affirmed by the Ninth Circuit in May 2016.", 3),
    ("The trial court's judgment was affirmed by the Sixth Circuit in May 2016.", 3),
    ("Written notice of sixty days was given to Société Béranger by the lessee, José Muñoz.", 4),
    ("Written notice of ninety days was given to Société Béranger by the lessee, José Muñoz.", 4),
    ("The remedies of a subtenant are not limited by this chapter.", 5),
)
CONTEXT = tuple(Passage(f"p{i}", text, f"Note {i}") for i, text in enumerate(SOURCES, 1))
METHODS = ("overlap", "quip")
answers = st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=4, unique=True)


def supports(case: Case) -> list[float | None]:
    """Support of the response and of its sentences by the methods that no model is needed for."""
    judged = [registry.load(name).score(case) for name in METHODS]
    return [support for j in judged for support in (j.support, *(s.support for s in j.sentences))]


def of_claims(case: Case) -> list[float | None]:
    """Support of the sentences alone that are no heading."""
    headings = {s.start for s in split(case.response) if s.heading}
    judged = [registry.load(name).score(case) for name in METHODS]
    return [s.support for j in judged for s in j.sentences if s.start not in headings]


def same(before: Case, after: Case, numbers: Callable[[Case], list[float | None]] = supports) -> None:
    assert reading(after) == reading(before)
    assert numbers(after) == pytest.approx(numbers(before))


def written(sentences: Sequence[tuple[str, int]]) -> Case:
    return Case("c", "", CONTEXT, " ".join(text for text, _ in sentences))


def spans_of(case: Case) -> list[tuple[int, int]]:
    return [(s.start, s.end) for s in split(case.response)]


@given(answers, st.sampled_from(sorted(MARKINGS)))
def test_marks_of_sources_change_no_sentence_alarm_or_score(sentences: list[tuple[str, int]], marking: str) -> None:
    case, numbers = written(sentences), [number for _, number in sentences]
    same(case, replace(case, response=with_marks(case, spans_of(case), numbers, MARKINGS[marking])))


@given(answers, st.sampled_from(sorted(INLINE)))
@settings(max_examples=15)
def test_markdown_of_words_changes_no_sentence_alarm_or_score(sentences: list[tuple[str, int]], form: str) -> None:
    case = written(sentences)
    same(case, replace(case, response=in_place(case.response, spans_of(case), INLINE[form])))


@given(answers, st.sampled_from(sorted(LAYOUTS)))
@settings(max_examples=25)
def test_markdown_of_an_answer_changes_no_sentence_alarm_or_score_of_one(sentences: list[tuple[str, int]], form: str) -> None:
    case = written(sentences)
    same(case, replace(case, response=LAYOUTS[form]([text for text, _ in sentences])), of_claims)


LETTERS = (decomposed, soft_hyphens, zero_width)


@given(answers, st.sampled_from([(a, b) for a in (str, *LETTERS) for b in (*LETTERS, cut_at_line_ends)]))
@settings(max_examples=25)
def test_forms_of_letters_change_no_sentence_alarm_or_score(
    sentences: list[tuple[str, int]], forms: tuple[Callable[[str], str], Callable[[str], str]]
) -> None:
    case, (answer, source) = written(sentences), forms
    context = tuple(replace(p, text=source(p.text)) for p in CONTEXT)
    same(case, replace(case, response=answer(case.response), context=context))


@given(answers, st.permutations(CONTEXT))
@settings(max_examples=15)
def test_the_order_of_the_sources_changes_no_alarm_or_score(sentences: list[tuple[str, int]], context: list[Passage]) -> None:
    same(written(sentences), replace(written(sentences), context=tuple(context)))


def test_the_answers_of_these_properties_are_right_and_wrong() -> None:
    assert reading(written(ANSWERS)) == Reading(
        reading(written(ANSWERS)).sentences, tuple("€400" in t or "Sixth" in t or "ninety" in t for t, _ in ANSWERS)
    )
