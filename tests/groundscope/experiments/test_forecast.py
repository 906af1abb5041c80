"""What a job takes, in words."""

import pytest

from groundscope.experiments.forecast import CostEstimate


def test_one_of_a_kind_is_called_so() -> None:
    assert [CostEstimate("", n, unit="text").amount for n in (0, 1, 2_000)] == ["0 texts", "1 text", "2,000 texts"]
    assert CostEstimate("", 1, again=1).amount == "1 to 2 calls"


@pytest.mark.parametrize(("address", "leaves"), [("", ""), ("localhost", ""), ("127.0.0.1", ""), ("a.example", "a.example")])
def test_what_stays_on_this_machine_leaves_nothing(address: str, leaves: str) -> None:
    assert CostEstimate("", 1, address=address).leaves == leaves


@pytest.mark.parametrize(
    ("takes", "limited"),
    [
        (CostEstimate("quip"), False),
        (CostEstimate("direct", 4, 0.1, "api.anthropic.com"), True),
        (CostEstimate("direct", 4, 0.0, "localhost"), True),
        (CostEstimate("minilm", 900, 0.0, unit="text"), False),
        (CostEstimate("kanon", 900, 0.2, "api.isaacus.com", unit="text"), True),
    ],
)
def test_limits_are_for_calls_and_for_texts_that_leave_this_machine(takes: CostEstimate, limited: bool) -> None:
    assert takes.limited is limited
