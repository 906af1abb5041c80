"""What a job takes, in words, and how long the rest of it takes."""

from datetime import UTC, datetime, timedelta

import pytest

from groundscope.experiments.forecast import CostEstimate
from groundscope.experiments.listing import seconds_left
from groundscope.experiments.plan import Count, Start


def test_one_of_a_kind_is_called_so() -> None:
    assert [CostEstimate("", n, unit="text").amount for n in (0, 1, 2_000)] == ["0 texts", "1 text", "2,000 texts"]
    assert CostEstimate("", 1, again=1).amount == "1 to 2 calls"


@pytest.mark.parametrize(
    ("takes", "leaves", "limited"),
    [
        (CostEstimate("quip"), "", False),
        (CostEstimate("direct", 4, 0.1, "api.anthropic.com"), "api.anthropic.com", True),
        (CostEstimate("direct", 4, 0.0, "127.0.0.1"), "", True),
        (CostEstimate("minilm", 900, 0.0, unit="text"), "", False),
        (CostEstimate("kanon", 900, 0.2, "api.isaacus.com", unit="text"), "api.isaacus.com", True),
    ],
)
def test_limits_are_for_calls_and_for_texts_that_leave_this_machine(takes: CostEstimate, leaves: str, limited: bool) -> None:
    assert (takes.leaves, takes.limited) == (leaves, limited)


def test_what_is_left_is_expected_at_the_pace_since_work_began() -> None:
    began = datetime.now(UTC) - timedelta(seconds=80)
    counts = {0: Count(60), 1: Count(20), 2: Count(100), 3: Count(2)}
    wanted = dict.fromkeys(range(5), 100)
    found = seconds_left(counts, wanted, Start(began.isoformat(), (), {}, (20, 10, 90)))
    assert found == {0: pytest.approx(80, rel=0.05), 1: pytest.approx(640, rel=0.05), 2: 0.0, 3: None, 4: None}
    later = Start((began + timedelta(seconds=20)).isoformat())
    assert seconds_left(counts, wanted, later)[0] == pytest.approx(40, rel=0.05)


def test_nothing_is_said_of_what_is_left_where_the_clock_was_set_back() -> None:
    later = Start((datetime.now(UTC) + timedelta(days=1)).isoformat())
    assert seconds_left({0: Count(60), 1: Count(100)}, {0: 100, 1: 100}, later) == {0: None, 1: 0.0}
