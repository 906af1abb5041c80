"""“Which should I use?”: what fits the machine, and no method that is not shown to be better than chance."""

import pytest

from groundscope.methods import registry
from groundscope.methods.advice import LARGE, SMALL, ReachedAuroc, answer, offered
from groundscope.runtime.machine import Machine
from tests.loops import each

IDS = registry.names()
GOOD = ReachedAuroc("Good", 0.71, 0.63, 0.78, better=True)
BEST = ReachedAuroc("Best", 0.74, 0.66, 0.81, better=True)
CHANCE = ReachedAuroc("Chance", 0.76, 0.49, 0.9, better=False)
PLAIN = Machine(16_000_000_000, graphics=False)


def test_every_judge_that_is_offered_exists() -> None:
    assert {*SMALL, *LARGE} <= set(IDS)


@each(
    ("machine", "expected"),
    [
        (Machine(2_000_000_000, graphics=False), SMALL[:1]),
        (Machine(6_000_000_000, graphics=False), SMALL),
        (Machine(16_000_000_000, graphics=False), (*SMALL, *LARGE)),
        (Machine(16_000_000_000, graphics=True), (*LARGE, *SMALL)),
    ],
)
def test_what_fits_the_machine_is_offered_the_first_guess_first(machine: Machine, expected: tuple[str, ...]) -> None:
    assert offered(machine, IDS) == expected


def test_the_best_that_is_better_than_chance_is_named_with_its_interval() -> None:
    here, now, next_ = answer(PLAIN, "", {"a": GOOD, "b": BEST, "c": CHANCE}, "the samples", "set up X (600 MB)")
    assert here == "Here: 16 GB of memory, no graphics card; no chat model is set up."
    assert now.startswith("Now: Best.")
    assert "AUROC 0.74, 95 % interval 0.66 to 0.81" in now
    assert next_ == "Next: set up X (600 MB), and see what it is worth on labelled cases before you lean on it."


@pytest.mark.parametrize("shown", [{}, {"c": CHANCE}])
def test_without_one_the_checks_are_what_to_use(shown: dict[str, ReachedAuroc]) -> None:
    _, now, _ = answer(Machine(8_000_000_000, graphics=True), "claude-haiku-5-5", shown, "the samples", "x")
    assert now == (
        "Now: the checks and the nearest passages. No method that is ready is shown to be better than chance on the samples."
    )


def test_a_key_and_a_graphics_card_are_named() -> None:
    here, now, _ = answer(Machine(8_000_000_000, graphics=True), "claude-haiku-5-5", None, "the samples", "x")
    assert here == "Here: 8 GB of memory, a graphics card; the chat model claude-haiku-5-5 is set up."
    assert now == "How often the methods are right is being counted."
