"""Variants of a whole set: balanced by type, distinct, and with a card. Chat models write in `tests/scorers/llm`."""

from collections import Counter
from dataclasses import replace

import pytest

from groundscope.cases.edits.variants import OPERATORS
from groundscope.cases.edits.whole_set import EDITS, card, vary
from groundscope.cases.validation import ValidationOutcome, validate
from groundscope.commands.case_files import read_cases
from groundscope.errors import DataError
from groundscope.types import Case, ErrorType

SAMPLES = read_cases(None)[0]
SOUND = [c for c in SAMPLES if c.grounded][:24]


def test_each_answer_is_followed_by_its_variants_and_every_check_of_labels_passes() -> None:
    made = vary([*SOUND, *(c for c in SAMPLES if c.grounded is False)], per_answer=3, seed=5)
    assert made.answers == len(SOUND)
    parents = [c for c in made.cases if c.parent is None]
    assert [c.id for c in parents] == [c.id for c in SOUND]
    for case in made.cases:
        if case.parent:
            assert case.grounded is False
            assert case.group is not None
    counts = Counter(c.parent for c in made.cases if c.parent)
    assert max(counts.values()) == 3
    assert made.writers == {EDITS: sum(counts.values())}
    assert len({c.response for c in made.cases}) == len(made.cases)
    checks = validate(made.cases)
    assert [c.title for c in checks[:4] if c.outcome is not ValidationOutcome.PASSED] == []
    assert made == vary(SOUND, per_answer=3, seed=5)
    assert made.cases != vary(SOUND, per_answer=3, seed=6).cases


def test_error_types_are_as_even_as_the_answers_allow() -> None:
    types = Counter(e.type for c in vary(SOUND, per_answer=2).cases for e in c.errors)
    assert len(types) == 6
    assert max(types.values()) - min(types.values()) <= 2
    # The first variant that each rule makes would not be.
    alone = {o.name: o.type for o in OPERATORS}
    one = next(name for name, kind in alone.items() if kind)
    assert {e.type for c in vary(SOUND, names=(one,)).cases for e in c.errors} == {alone[one]}


def test_answers_that_are_not_sound_are_left_out_and_nothing_to_do_is_refused() -> None:
    wrong = next(c for c in SAMPLES if c.grounded is False)
    with pytest.raises(DataError, match="No answer of this set is labelled as grounded"):
        vary([wrong, replace(SOUND[0], grounded=None)])
    # An error type without a span says as much as a span.
    typed = replace(SOUND[0], id="typed", error_types=(ErrorType.MISATTRIBUTION,))
    assert "typed" not in {c.id for c in vary([SOUND[1], typed]).cases}
    with pytest.raises(DataError, match="Nothing writes variants"):
        vary(SOUND, edits=False)
    bare = Case("a", "q", SOUND[0].context, "Yes.", grounded=True)
    with pytest.raises(DataError, match="No variant could be made"):
        vary([bare])


def test_the_card_has_counts_settings_and_checks_and_no_markup_of_a_title() -> None:
    made = vary(SOUND, per_answer=1)
    checks = validate(made.cases)
    text = card(made, "a|b <img src=x>\n# c", {"Seed": "7"}, checks)
    assert text.startswith("# Variants of a/b &lt;img src=x> # c\n")
    assert f"{len(SOUND):,} grounded answers and {sum(made.writers.values()):,} ungrounded variants" in text
    assert "| Seed | 7 |" in text
    assert f"| {EDITS} | {made.writers[EDITS]} |" in text
    for check in checks:
        assert f"| {check.title} | {check.outcome.value}: " in text
