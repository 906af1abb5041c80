"""Of which case a text says a factor: turns of phrase that models use, each read by hand, and what no text may do."""

from pathlib import Path

import pytest

from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.extraction import exact
from groundscope.arguments.scenarios import make
from groundscope.arguments.scoring import score
from groundscope.arguments.types import Scenario, Test


def said(text: str) -> list[str]:
    return [" ".join(sorted(s, key=lambda k: int(k[1:]))) for s in exact((text,), TRADE_SECRETS).sets]


_TURNS = [
    [cell.strip() for cell in line.replace("⏎", "\n").split("|")]
    for line in Path(__file__).with_name("turns.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("text", "current", "first", "second"), _TURNS)
def test_a_turn_of_phrase_is_read_as_a_person_reads_it(text: str, current: str, first: str, second: str) -> None:
    assert said(text) == [current, first, second]


def test_the_turns_are_there() -> None:
    assert len(_TURNS) > 140


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(TRADE_SECRETS.by_number[n].written for n in numbers)


_ABSTENTIONS = (
    "There is no common factor between the current case ({0}) and TSC1 ({1}) or TSC2 ({2}). No argument can be made.",
    "The current case ({0}) shares no factors with TSC1 ({1}) and TSC2 ({2}).",
    "The current case has {0}, and shares no factor with TSC1, which has {1}, or with TSC2, which has {2}.",
    "Common factors between the current case ({0}), TSC1 ({1}) and TSC2 ({2}): none.",
    "The current case has {0}. TSC1 has {1}. TSC2 has {2}. There is no common factor.",
    "The current case doesn't have any factor in common with TSC1 (won by the plaintiff) ({1}) or TSC2 ({2}); it has {0}.",
)


@pytest.mark.parametrize("told", _ABSTENTIONS)
def test_an_abstention_that_lists_the_factors_invents_none(told: str) -> None:
    for s in make(TRADE_SECRETS, Test.NON_ARGUABLE, 50, 5, 4):
        found = score(s, exact((told.format(*map(_listed, s.cases)),), TRADE_SECRETS))
        assert (found.acc_h, found.rec_u) == (1, 1), (told, s)
        assert not found.abstained


def _sharing(s: Scenario) -> str:
    both = sorted(s.shared("tsc1"))
    return f"The current case and TSC1 share {_listed(tuple(both))}, but the current case has no factor in common with TSC2."


def test_sharing_is_still_read_beside_what_is_not_shared() -> None:
    for s in make(TRADE_SECRETS, Test.ARGUABLE, 50, 5, 4):
        shared = frozenset(f"F{n}" for n in s.shared("tsc1"))
        assert exact((_sharing(s),), TRADE_SECRETS).sets == (shared, shared, frozenset())
