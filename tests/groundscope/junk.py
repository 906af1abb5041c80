"""Values that no field should break on, and the places of a row to put them."""

import copy
from collections.abc import Iterator
from typing import Any

HOSTILE = "<script>alert(1)</script>\ud800\x00=cmd()"

VALUES: list[Any] = [
    *(None, True, 0, -1, 0.5, 2, 3, 1e9, 1e300, "", " ", "x", "0.5", "[", "{", "[]", "{}", '["a"]', '{"score": 1}', HOSTILE),
    *([], {}, [5], [[]], [{}], [None], {"a": 5}, {"score": []}),
]

Place = tuple[Any, ...]


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Every place inside a JSON value."""
    if place:
        yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*place, key))


def at(row: dict[str, Any], place: Place) -> Any:
    """What stands at a place."""
    inner: Any = row
    for key in place:
        inner = inner[key]
    return inner


def changed(row: dict[str, Any], place: Place, value: Any) -> dict[str, Any]:
    """A copy of the row with another value at a place."""
    row = copy.deepcopy(row)
    at(row, place[:-1])[place[-1]] = value
    return row
