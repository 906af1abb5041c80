"""Does the surface of a response tell its label? Habits, and the bag of words."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.cases.validation import BAG_OF_WORDS_LIMIT, ValidationOutcome, bag_of_words, habits
from groundscope.types import Case, Passage
from tests.groundscope.labelled import SOUND, check
from tests.loops import each

HABITS = "Both labels look alike: length, sentences, hedging, figures"
BAG = "The words of a response alone do not give its label away"


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


def test_nineteen_of_one_label_are_too_few_to_tell_a_habit() -> None:
    cases = [shown("It holds.", True, f"g{i}") for i in range(20)] + [shown("It held.", False, f"g{i}") for i in range(19)]
    assert habits(cases) == ()
    assert bag_of_words(cases) is None


def test_a_cue_word_in_every_ungrounded_response_gives_the_label_away() -> None:
    cued = [c if c.grounded else replace(c, response=f"{c.response} Regardless.") for c in SOUND]
    score = bag_of_words(cued)
    assert score is not None
    assert score > 0.95 > BAG_OF_WORDS_LIMIT
    assert check(BAG, cued).outcome is ValidationOutcome.FAILED


def random_words(seed: int) -> list[Case]:
    rng = np.random.default_rng(seed)
    words = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    texts = [" ".join(rng.choice(words, 12)) for _ in range(200)]
    labels = [i < 100 for i in rng.permutation(200).tolist()]
    return [replace(shown(t, label, f"g{i}"), id=str(i)) for i, (t, label) in enumerate(zip(texts, labels, strict=True))]


def test_without_a_cue_the_score_stays_near_chance() -> None:
    scores = [bag_of_words(random_words(seed)) or 0.0 for seed in range(8)]
    # One set of 200 has a standard deviation of about 0.035, the mean of eight one of about 0.0125.
    assert sum(scores) / 8 == pytest.approx(0.5, abs=0.05)


def test_shuffled_labels_take_the_cue_away() -> None:
    cued = [c if c.grounded else replace(c, response=f"{c.response} regardless") for c in random_words(3)]
    assert (bag_of_words(cued) or 0.0) > 0.95
    scores = []
    for seed in range(8):
        labels = [i < 100 for i in np.random.default_rng(seed).permutation(200).tolist()]
        scores.append(bag_of_words([replace(c, grounded=g) for c, g in zip(cued, labels, strict=True)]) or 0.0)
    assert sum(scores) / 8 == pytest.approx(0.5, abs=0.05)


def test_what_is_learned_of_a_query_does_not_help_with_it() -> None:
    # Each group has its own word for the label: only a fold that had seen the group could use it.
    words = [f"{a}{b}x" for a in "bcdfghjklm" for b in "aeiou"]
    labels = np.random.default_rng(5).random(len(words)) < 0.5
    cases = [replace(shown(w, bool(g), w), id=f"{w}{i}") for w, g in zip(words, labels, strict=True) for i in range(2)]
    assert (bag_of_words(cases) or 0.0) < BAG_OF_WORDS_LIMIT


def test_a_label_that_stands_in_one_group_alone_cannot_be_measured() -> None:
    # In the fold of that group the classifier would be trained on one label.
    sound = [shown("The tenant paid.", True, f"g{i}") for i in range(20)]
    wrong = [replace(shown("The owner paid.", False, "g"), id=f"w{i}") for i in range(20)]
    assert bag_of_words(sound + wrong) is None


def test_responses_without_a_word_cannot_be_measured() -> None:
    assert bag_of_words([shown("…", i % 2 == 0, f"g{i}") for i in range(60)]) is None
