"""One test for many values: what repeats one property is collected and counted once."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

Test = Callable[..., None]


def each(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, but one test goes through all values, and a failure names its own.

    For values that make no difference to fixtures: those are made once for all.
    """
    fields = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    listed = list(values)
    assert listed

    def looping(test: Test) -> Test:
        @wraps(test)
        def loop(**fixtures: object) -> None:
            for value in listed:
                try:
                    test(**fixtures, **dict(zip(fields, value if len(fields) > 1 else [value], strict=True)))
                except BaseException as error:
                    error.add_note(f"With {names} = {value!r:.1000}")
                    raise

        signature = inspect.signature(test)
        rest = [p for p in signature.parameters.values() if p.name not in fields]
        loop.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        return loop

    return looping
