"""Public data sets, one module each: registered automatically and recognised by their fields alone."""

import pkgutil
from importlib import import_module
from typing import TypeVar

from groundscope.cases.formats._format import FILE_NAME, Halves, Shape, Values, stated
from groundscope.cases.formats._spans import gathered, is_span

__all__ = ["FILE_NAME", "HALVES", "PUBLIC", "Halves", "Shape", "Values", "gathered", "is_span", "stated"]

T = TypeVar("T")

_MODULES = [import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")]


def _all(kind: type[T]) -> list[T]:
    values = (value for module in _MODULES for value in vars(module).values())
    return [item for value in values for item in (value if isinstance(value, tuple) else (value,)) if isinstance(item, kind)]


PUBLIC = tuple(sorted(_all(Shape), key=lambda shape: shape.rank))
"""In the order they are tried; the app's own format comes after them all."""

HALVES = tuple(_all(Halves))
"""Shapes published as two files."""
