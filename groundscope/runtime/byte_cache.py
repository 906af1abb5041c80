"""LRU caches limited by bytes: texts may have megabytes, so a number of entries says nothing about memory."""

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

MEGABYTE = 1_048_576


def size(value: object) -> int:
    """Measure the memory of a value and everything in it; what has `nbytes` says by that what all of it takes."""
    total, seen, todo = 0, set[int](), [value]
    while todo:
        item = todo.pop()
        if item is None or id(item) in seen:
            continue
        seen.add(id(item))
        total += sys.getsizeof(item)
        kind: Any = type(item)
        parts = _parts(kind)
        if parts is _ITEMS:
            todo += item  # type: ignore[arg-type]
        elif parts is _ENTRIES:
            todo += [*item.keys(), *item.values()]  # type: ignore[attr-defined]
        elif parts is not _NOTHING:
            nbytes = getattr(item, "nbytes", None)
            todo += [getattr(item, name) for name in parts] if nbytes is None else ()
            total += int(nbytes or 0)
    return total


_NOTHING, _ITEMS, _ENTRIES = ("nothing",), ("items",), ("entries",)


@cache
def _parts(kind: type) -> tuple[str, ...]:
    """What a value of a type holds: the names of its fields, or one of the three signs above."""
    if issubclass(kind, str | int | float | bool | bytes | complex):
        return _NOTHING
    if issubclass(kind, tuple | list | set | frozenset):
        return _ITEMS
    if issubclass(kind, Mapping):
        return _ENTRIES
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


class ByteLRU:
    """The values used last, as many as fit into some bytes; safe to share between threads. One value alone may be larger."""

    def __init__(self, most: int) -> None:
        self._most, self._bytes = most, 0
        self._found: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def bytes(self) -> int:
        """Bytes of all keys and values."""
        return self._bytes

    def get(self, key: Hashable) -> Any | None:
        """Look up a value, which counts as used then."""
        with self._lock:
            if key not in self._found:
                return None
            self._found.move_to_end(key)
            return self._found[key][0]

    def put(self, key: Hashable, value: object) -> None:
        """Keep a value; what was not used for longest is dropped where there is no room."""
        weight = size((key, value))
        with self._lock:
            self._bytes += weight - self._found.pop(key, (None, 0))[1]
            self._found[key] = value, weight
            while self._bytes > self._most and len(self._found) > 1:
                self._bytes -= self._found.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Drop all values."""
        with self._lock:
            self._found.clear()
            self._bytes = 0


def keep(megabytes: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Make a decorator that keeps what a function returned last."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        cache = ByteLRU(megabytes * MEGABYTE)

        @wraps(function)
        def cached(*args: P.args, **kwargs: P.kwargs) -> T:
            key = (args, *sorted(kwargs.items()))
            value = cache.get(key)
            if value is None:
                # Two threads may make one value twice, but none waits for another's.
                value = function(*args, **kwargs)
                cache.put(key, value)
            return cast(T, value)

        cached.kept = cache  # type: ignore[attr-defined]
        return cached

    return decorate
