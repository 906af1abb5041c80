"""Variants that a model writes: what changed is found exactly, and what does not check out is dropped with its reason."""

from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.edits.by_model import NamedError, Version, as_case, changes
from groundscope.cases.parents import differs_only_at_spans
from groundscope.cases.validation import ValidationOutcome, validate
from groundscope.types import Case, ErrorType, Passage
from tests.loops import each

SOUND = "The court dismissed the appeal in 2003. Costs of 4,500 euros were awarded to the tenant. The landlord may appeal."
CASE = Case("c", "What happened?", (Passage("p", SOUND),), SOUND, grounded=True, group="c", split="test")


def _named(quote: str, why: str = "The document says otherwise.") -> NamedError:
    return NamedError(quote, ErrorType.FACTUAL_INACCURACY, True, why)


@each(
    ("new", "expected"),
    [
        (SOUND.replace("dismissed", "allowed"), [("allowed", "dismissed")]),
        (SOUND.replace("4,500 euros", "5,400 dollars"), [("5,400 dollars", "4,500 euros")]),
        (SOUND.replace("were awarded", "were not awarded"), [("not", "")]),
        # What is only left out is shown by a word beside the gap.
        (SOUND.replace(" of 4,500 euros", ""), [("Costs", "Costs of 4,500 euros")]),
        (SOUND.replace("dismissed", "allowed").replace("may", "must"), [("allowed", "dismissed"), ("must", "may")]),
    ],
)
def test_what_changed_is_found_in_whole_words(new: str, expected: list[tuple[str, str]]) -> None:
    found = changes(SOUND, new)
    assert [(new[c.start : c.end], SOUND[c.old_start : c.old_end].strip()) for c in found] == expected


@given(st.text("ab c\n.", max_size=60), st.text("ab c\n.", max_size=60))
def test_outside_of_the_changes_two_texts_are_the_same(old: str, new: str) -> None:
    kept, position = [], 0
    for change in changes(old, new):
        assert 0 <= position <= change.start < change.end <= len(new)
        assert 0 <= change.old_start <= change.old_end <= len(old)
        kept.append(new[position : change.start])
        position = change.end
    kept.append(new[position:])
    # Every kept word stands in the old text, in order.
    words, at = old.split(), 0
    for word in " ".join(kept).split():
        at = next((i for i in range(at, len(words)) if word in words[i]), -1)
        assert at >= 0


def test_a_sound_version_becomes_a_case_with_exact_spans() -> None:
    answer = SOUND.replace("dismissed", "allowed").replace("may appeal", "must appeal")
    result = as_case(CASE, Version(answer, [_named("The court allowed"), _named("must")]), 2)
    assert not isinstance(result, str)
    variant, first = result
    assert [answer[e.start : e.end] for e in variant.errors] == ["allowed", "must"]
    assert (variant.id, variant.parent, variant.grounded, variant.group, variant.split) == ("c-model-2", "c", False, "c", "test")
    assert SOUND[first.old_start : first.old_end] == "dismissed"
    assert differs_only_at_spans(variant, SOUND)
    assert [check.outcome for check in validate([CASE, variant])].count(ValidationOutcome.FAILED) == 0


@each(
    ("version", "reason"),
    [
        (Version(SOUND, [_named("The court")]), "unchanged"),
        (Version(SOUND + " " + SOUND, [_named("The court")]), "% as long as the answer"),
        (Version("The tenant left.", [_named("The tenant left.")]), "% as long as the answer"),
        (
            Version(
                SOUND.replace("2003", "2004").replace("4,500", "4,600").replace("may", "can"),
                [_named("2004"), _named("4,600"), _named("can")],
            ),
            "3 of 3 sentences, which is not subtle",
        ),
        (Version(SOUND.replace("2003", "2004").replace("may", "can"), [_named("2004")]), "a place that it does not name"),
        (Version(SOUND.replace("2003", "2004"), []), "a place that it does not name"),
        (Version(SOUND.replace("2003", "2004"), [_named("words that stand nowhere")]), "a place that it does not name"),
        (Version(SOUND.replace("2003", "2004"), [_named("2004", why="")]), "does not say why"),
    ],
)
def test_what_does_not_check_out_is_dropped_with_its_reason(version: Version, reason: str) -> None:
    result = as_case(CASE, version, 1)
    assert isinstance(result, str)
    assert reason in result
