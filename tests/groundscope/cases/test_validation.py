"""Checks of a labelled set: each passes on a sound set and, with one thing planted, names the case at fault."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.cases.validation import BAG_OF_WORDS_LIMIT, ValidationOutcome, bag_of_words, habits, validate
from groundscope.types import Case, Passage
from tests.groundscope.labelled import NAMES, SOUND, apart, check
from tests.loops import each

LABELS = "Labels and error spans agree"
PARENTS = "Variants name a grounded parent"
EDITS = "Variants differ only in and next to their spans"
SOURCES = "Wrong sentences stand in no source"
EVIDENCE = "Every grounded sentence has gold evidence"
SPLITS = "Splits share no query and no sentence"
HABITS = "Both labels look alike: length, sentences, hedging, figures"
BAG = "The words of a response alone do not give its label away"
COPIES = "No query or passage is a near-copy of another query's"
ALL = [LABELS, PARENTS, EDITS, SOURCES, EVIDENCE, SPLITS, HABITS, BAG, COPIES]


OK, BAD = SOUND[0], SOUND[1]
OTHER_OK, OTHER_BAD = SOUND[-2], SOUND[-1]


def planted(*changed: Case) -> list[Case]:
    by_id = {c.id: c for c in changed}
    return [by_id.get(c.id, c) for c in SOUND]


def test_a_sound_set_passes_every_check() -> None:
    found = validate(SOUND, apart)
    assert [c.title for c in found] == ALL
    assert [(c.title, c.findings) for c in found if c.outcome is not ValidationOutcome.PASSED] == []
    assert found[0].figure == "80 labelled cases, none at fault"


FAR = replace(BAD, response=BAD.response.replace("each month", "every month"))
SHARED = "Nobody ever asked for that rent."

PLANTED: list[tuple[str, tuple[Case, ...], str, str]] = [
    (LABELS, (replace(OK, errors=BAD.errors),), OK.id, "grounded but has an error span"),
    (LABELS, (replace(OK, unsupported=((0, 3),)),), OK.id, "grounded but has an error span"),
    (LABELS, (replace(BAD, errors=()),), BAD.id, "no span says where"),
    (LABELS, (replace(BAD, errors=(replace(BAD.errors[0], why=""),)),), BAD.id, "lacks the reason"),
    (PARENTS, (replace(BAD, parent="nobody"),), BAD.id, "not in the set"),
    (PARENTS, (replace(BAD, parent=OTHER_BAD.id),), BAD.id, "parent is labelled ungrounded"),
    (PARENTS, (replace(BAD, query="Who?"),), BAD.id, "query or context"),
    (PARENTS, (replace(BAD, context=OTHER_OK.context),), BAD.id, "query or context"),
    (PARENTS, (replace(BAD, group="none"),), BAD.id, "group or split"),
    (PARENTS, (replace(BAD, split="test"),), BAD.id, "group or split"),
    (EDITS, (FAR,), BAD.id, "elsewhere"),
    (SOURCES, (replace(BAD, context=(Passage("p", BAD.response.upper()),)),), BAD.id, "in the context"),
    (SOURCES, (replace(OK, response=BAD.response),), BAD.id, "in a grounded response"),
    (EVIDENCE, (replace(OK, evidence=OK.evidence[:1]),), OK.id, "1 of its sentences has"),
    (EVIDENCE, (replace(OK, evidence=()),), OK.id, "2 of its sentences have"),
    (SPLITS, (replace(OTHER_OK, group=OK.group),), OTHER_OK.id, "query has cases in another split"),
    (
        SPLITS,
        (replace(OK, response=f"{OK.response} {SHARED}"), replace(OTHER_OK, context=(Passage("p", SHARED.upper()),))),
        OTHER_OK.id,
        "1 of its sentences is in another split",
    ),
]


@each(("title", "changed", "at_fault", "words"), PLANTED)
def test_a_planted_fault_is_found_and_names_its_case(title: str, changed: tuple[Case, ...], at_fault: str, words: str) -> None:
    found = check(title, planted(*changed))
    assert found.outcome is ValidationOutcome.FAILED
    assert {case for case, _ in found.findings} == {at_fault}
    assert any(words in finding for _, finding in found.findings)
    assert ", 1 at fault" in found.figure


@each(
    ("title", "changed"),
    [
        # A short sentence may recur in another split.
        (SPLITS, [replace(c, response=f"{c.response} The answer is no.") for c in (OK, OTHER_OK)]),
        # The span marks the colour alone, the edit took the word after it as well.
        (EDITS, [replace(BAD, response=BAD.response.replace("tenant", "lodger"))]),
    ],
)
def test_what_is_no_fault_passes(title: str, changed: list[Case]) -> None:
    assert check(title, planted(*changed)).outcome is ValidationOutcome.PASSED


def test_no_finding_quotes_the_data() -> None:
    for title, changed, _, _ in PLANTED:
        for case, words in check(title, planted(*changed)).findings:
            assert not any(name in words for name in NAMES if not case.startswith(name))


BARE = [Case(f"c{i}", "q", (Passage("p", "A text."),), "It holds.") for i in range(50)]


@each(
    ("title", "cases", "reason"),
    [
        (LABELS, BARE, "There are no labelled cases."),
        (PARENTS, BARE, "There are no variants."),
        (EDITS, BARE, "There are no variants."),
        (SOURCES, BARE, "There are no cases with error spans."),
        (EVIDENCE, BARE, "There are no grounded cases."),
        (EVIDENCE, [replace(c, evidence=()) for c in SOUND], "The set carries no gold evidence."),
        (SPLITS, BARE, "There are no cases with a split."),
        (HABITS, BARE, "There are too few cases of one label."),
        (BAG, BARE, "There are too few labels, groups or words for five folds."),
        (COPIES, BARE, "Not measured yet: it needs a model, and a little time."),
    ],
)
def test_what_cannot_be_asked_of_a_set_says_why(title: str, cases: list[Case], reason: str) -> None:
    found = check(title, cases, None)
    assert (found.outcome, found.figure, found.findings) == (ValidationOutcome.NOT_APPLICABLE, reason, ())


def shown(response: str, label: bool, group: str) -> Case:
    return Case(f"{group}-{label}", f"q {group}", (Passage("p", "A text."),), response, grounded=label, group=group)


def test_a_habit_is_a_difference_of_means_over_the_pooled_spread() -> None:
    # 10 and 12 characters against 11 and 13: variances 20 * 1 / 19, so d = 1 / sqrt(20 / 19) = 0.9747.
    sound = [shown("a" * (10 + 2 * (i % 2)), True, f"g{i}") for i in range(20)]
    wrong = [shown("a" * (11 + 2 * (i % 2)), False, f"g{i}") for i in range(20)]
    found = {h.name: h for h in habits(sound + wrong)}
    measured = found["characters"]
    assert (measured.grounded, measured.ungrounded, measured.telling) == (11, 12, True)
    assert measured.d == pytest.approx(0.9747, abs=1e-4)
    assert not found["commas a sentence"].telling


@each(
    ("name", "tail"),
    [
        ("characters", " as was agreed by them."),
        ("sentences", ". So it went."),
        ("hedging words", " perhaps."),
        ("absolute words", " always."),
        ("figures and citations", " in 12 F.3d 34."),
        ("commas a sentence", ", so."),
    ],
)
def test_a_habit_of_one_label_is_found(name: str, tail: str) -> None:
    # Every second ungrounded response has it, so that it varies within the label.
    wrong = [c.id for c in SOUND if c.grounded is False][::2]
    cases = [replace(c, response=c.response.removesuffix(".") + tail) if c.id in wrong else c for c in SOUND]
    found = check(HABITS, cases)
    assert found.outcome is ValidationOutcome.FAILED
    assert any(words.startswith(f"{name}: ") for _, words in found.findings)


def test_a_habit_that_splits_the_labels_without_exception_is_telling() -> None:
    sound = [shown("It fell due then.", True, f"g{i}") for i in range(20)]
    wrong = [shown("It fell due then, too.", False, f"g{i}") for i in range(20)]
    telling = {h.name: h.telling for h in habits(sound + wrong)}
    assert (telling["commas a sentence"], telling["characters"], telling["sentences"]) == (True, True, False)


def test_a_cue_word_in_every_ungrounded_response_gives_the_label_away() -> None:
    cued = [c if c.grounded else replace(c, response=f"{c.response} Regardless.") for c in SOUND]
    score = bag_of_words(cued)
    assert score is not None
    assert score > 0.95 > BAG_OF_WORDS_LIMIT
    assert check(BAG, cued).outcome is ValidationOutcome.FAILED


def test_without_a_cue_the_score_stays_near_chance() -> None:
    scores = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        texts = [" ".join(f"word{letter}" for letter in rng.choice(list("abcdefghijklmnopqrstuvwxyz"), 12)) for _ in range(200)]
        labels = [i < 100 for i in rng.permutation(200).tolist()]
        cases = [replace(shown(t, label, f"g{i}"), id=str(i)) for i, (t, label) in enumerate(zip(texts, labels, strict=True))]
        scores.append(bag_of_words(cases) or 0.0)
    # One set of 200 has a standard deviation of about 0.035, the mean of eight one of about 0.0125.
    assert sum(scores) / 8 == pytest.approx(0.5, abs=0.05)


def test_what_is_learned_of_a_query_does_not_help_with_it() -> None:
    # Each group has its own word for the label: only a fold that had seen the group could use it.
    words = [f"{a}{b}x" for a in "bcdfghjklm" for b in "aeiou"]
    labels = np.random.default_rng(5).random(len(words)) < 0.5
    cases = [replace(shown(w, bool(g), w), id=f"{w}{i}") for w, g in zip(words, labels, strict=True) for i in range(2)]
    assert (bag_of_words(cases) or 0.0) < BAG_OF_WORDS_LIMIT


def test_too_few_of_one_label_one_in_a_single_group_and_responses_without_a_word_cannot_be_measured() -> None:
    sound = [shown("The tenant paid.", True, f"g{i}") for i in range(20)]
    few = sound + [shown("The owner paid.", False, f"g{i}") for i in range(19)]
    assert (habits(few), bag_of_words(few)) == ((), None)
    # In the fold of the one group the classifier would be trained on one label.
    assert bag_of_words(sound + [replace(shown("The owner paid.", False, "g"), id=f"w{i}") for i in range(20)]) is None
    assert bag_of_words([shown("…", i % 2 == 0, f"g{i}") for i in range(60)]) is None
