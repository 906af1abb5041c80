"""Sentences of sound answers, each beside its own one-edit variants."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.dataset import read, to_jsonl
from groundscope.errors import DataError
from groundscope.grounding.sensitivity.pairs import KNOWN, changed, make, operator_of, pairs_of
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage
from tests.groundscope.cases.edits.test_variants import CASE, TEXTS
from tests.loops import each

SHORT = Case(
    "lease",
    "What is owed?",
    (Passage("p", "The tenant has 30 days. Rent is $500."),),
    "# Answer\n\nThe tenant must pay $500.\n\nIt is due in 30 days.",
    grounded=True,
    evidence=(EvidenceSpan(10, 35, 0, 24, 37), EvidenceSpan(37, 58, 0, 0, 23)),
    split="dev",
)


def test_each_sentence_is_a_case_and_each_variant_one_beside_it() -> None:
    made = make([SHORT], names=["modal", "money", "deadline", "bold"])
    texts = {c.id: c.response for c in made.cases}
    assert texts["lease#1"] == "The tenant must pay $500."
    assert texts["lease#2"] == "It is due in 30 days."
    assert (texts["lease#1-modal"], texts["lease#1-bold"]) == ("The tenant may pay $500.", "The **tenant** must pay $500.")
    assert set(texts) == {"lease#1", "lease#1-modal", "lease#1-money", "lease#1-bold", "lease#2", "lease#2-deadline"}
    assert made.counts == {"money": 1, "deadline": 1, "modal": 1, "bold": 1}
    assert (made.pairs, made.sound) == (4, 1)


def test_a_variant_is_labelled_and_a_control_stays_sound() -> None:
    by = {c.id: c for c in make([SHORT]).cases}
    wrong, control = by["lease#1-modal"], by["lease#1-bold"]
    (error,) = wrong.errors
    assert (wrong.grounded, error.type, error.start, error.end) == (False, ErrorType.CONTEXTUAL_MISINTERPRETATION, 11, 14)
    assert "“must”" in error.why
    assert (control.grounded, control.errors) == (True, ())
    assert {(c.group, c.split, c.query) for c in by.values()} == {("lease", "dev", "What is owed?")}
    assert by["lease#2"].evidence == (EvidenceSpan(0, 21, 0, 0, 23),)


def test_pairs_are_found_again_among_the_ids_of_a_run() -> None:
    made = make([SHORT, replace(CASE, id="a-b#3-modal")])
    pairs = pairs_of(c.id for c in made.cases)
    assert len(pairs) == made.pairs
    for pair in pairs:
        sentence, variant = made.cases[pair.sentence], made.cases[pair.variant]
        assert (variant.parent, operator_of(variant)) == (sentence.id, pair.operator)
    assert pairs_of(["lease-modal", "lease", "lease#1-modal", "x#1", "x#1-other"]) == ()


def test_of_many_pairs_each_operator_gives_its_share() -> None:
    cases = [replace(SHORT, id=f"c{i}") for i in range(20)]
    every = make(cases, names=["modal", "money", "deadline"])
    assert every.counts == {"money": 20, "deadline": 20, "modal": 20}
    # Of the one that money applies to all is taken, and the others share what is left.
    rare = [replace(c, response="The tenant must pay in 30 days.", evidence=()) for c in cases]
    some = make([SHORT, *rare], names=["modal", "money", "deadline"], most=12)
    assert some.counts == {"money": 1, "deadline": 5, "modal": 6}
    # A sentence without a variant judges nothing.
    assert {c.parent or c.id for c in some.cases} == {c.parent for c in some.cases if c.parent}


def test_only_sound_answers_are_used_to_which_an_edit_applies() -> None:
    wrong = replace(SHORT, id="w", grounded=False)
    marked = replace(SHORT, id="m", errors=(ErrorSpan(0, 3, ErrorType.MISATTRIBUTION),))
    spanned = replace(SHORT, id="s", unsupported=((0, 3),))
    assert make([wrong, marked, spanned, replace(SHORT, id="u", grounded=None), SHORT]).sound == 1
    with pytest.raises(DataError, match="no case of this set is labelled as one"):
        make([wrong, marked, spanned])

    with pytest.raises(DataError, match="No edit applies"):
        make([replace(SHORT, response="Yes.", evidence=())])


def test_the_same_seed_gives_the_same_pairs_and_another_one_others() -> None:
    assert make([CASE], seed=1) == make([CASE], seed=1)
    assert make([CASE], seed=1).cases != make([CASE], seed=2).cases


def test_pairs_can_be_written_and_read_back() -> None:
    made = make([CASE, SHORT]).cases
    assert read("pairs.jsonl", to_jsonl(made).encode()).cases == made


@given(TEXTS, st.lists(TEXTS, max_size=2), st.integers(0, 2))
def test_whatever_the_text_a_pair_differs_in_one_place(response: str, texts: list[str], seed: int) -> None:
    context = (Passage("p", "A text."), *(Passage(f"p{i}", text) for i, text in enumerate(texts)))
    try:
        made = make([Case("c", "q", context, response, grounded=True)], seed=seed)
    except DataError:
        return
    by = {c.id: c for c in made.cases}
    assert len(by) == len(made.cases)
    whole = [response[s.start : s.end] for s in split(response)]
    for case in made.cases:
        assert [(s.start, s.end) for s in split(case.response)] == [(0, len(case.response))]
        if case.parent is None:
            assert case.response in whole
            continue
        before = by[case.parent].response
        assert case.response != before
        operator = KNOWN[operator_of(case)]
        assert case.grounded is (operator.type is None)
        for error in case.errors:
            tail = len(case.response) - error.end
            assert case.response[: error.start] == before[: error.start]
            assert case.response[error.end :] == before[len(before) - tail :]


@each(
    ("before", "after", "old", "new"),
    [
        ("It ends in 30 days.", "It ends in 300 days.", "30", "300"),
        ("It is due.", "It is not due.", "", "not "),
        ("All of it.", "All of it.", "", ""),
        ("It is.", "So we say.", "It is", "So we say"),
    ],
)
def test_what_changed_is_given_in_whole_words(before: str, after: str, old: str, new: str) -> None:
    start, end, other = changed(before, after)
    assert (before[start:end], after[start:other]) == (old, new)


@given(st.text(max_size=20), st.text(max_size=20))
def test_what_lies_outside_of_a_change_is_equal(before: str, after: str) -> None:
    start, end, other = changed(before, after)
    assert start <= end <= len(before)
    assert start <= other <= len(after)
    assert (before[:start], before[end:]) == (after[:start], after[other:])
