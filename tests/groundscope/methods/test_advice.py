"""“Which should I use?”: what fits the machine, and the recommendation, word for word."""

from groundscope.methods import registry
from groundscope.methods.advice import LARGE, SMALL, answer, offered
from groundscope.runtime.machine import Machine
from tests.loops import each

IDS = registry.names()


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


def test_the_recommendation_stands_between_the_equipment_and_the_next_step() -> None:
    assert answer(Machine(8_000_000_000, graphics=True), "claude-haiku-5-5", "Best", "Why.", "set up X (600 MB)") == (
        "Here: 8 GB of memory, a graphics card; the chat model claude-haiku-5-5 is set up.",
        "Now: Best. Why.",
        "Next: set up X (600 MB), and see what it is worth on labelled cases before you lean on it.",
    )
