"""A test that goes through many values reaches each of them, and names the one at which it fails."""

import pytest

from tests.loops import each

seen: list[tuple[str, int]] = []


@each("number", [1, 2])
@each(("name", "letter"), [("a", "x"), ("b", "y")])
def test_every_value_is_reached(tmp_path: object, number: int, name: str, letter: str) -> None:
    assert tmp_path
    seen.append((name + letter, number))
    assert seen == [("ax", 1), ("by", 1), ("ax", 2), ("by", 2)][: len(seen)]


def test_a_failure_names_its_value() -> None:
    @each("number", [1, 2, 3])
    def fails(number: int) -> None:
        assert number < 2

    with pytest.raises(AssertionError) as raised:
        fails()
    assert raised.value.__notes__ == ["With number = 2"]
