"""A test that goes through many values reaches each of them."""

from tests.loops import each

seen: list[tuple[str, int]] = []


@each("number", [1, 2])
@each(("name", "letter"), [("a", "x"), ("b", "y")])
def test_every_value_is_reached(tmp_path: object, number: int, name: str, letter: str) -> None:
    assert tmp_path
    seen.append((name + letter, number))
    assert seen == [("ax", 1), ("by", 1), ("ax", 2), ("by", 2)][: len(seen)]
