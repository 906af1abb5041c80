"""Public data sets: registered automatically and recognised by their fields alone."""

import pkgutil
from importlib import import_module
from typing import TypeVar

from groundscope.cases.formats._format import FILE_NAME, Halves, Shape, Values, stated
from groundscope.cases.formats._mapped import FieldMapping, at, mapped, shape_of
from groundscope.cases.formats.openinference import gathered, is_span

__all__ = [
    "FILE_NAME", "HALVES", "PUBLIC", "FieldMapping", "Halves", "Shape", "Values", "at", "faithbench", "gathered", "is_span",
    "mapped", "shape_of", "stated",
]  # fmt: skip

T = TypeVar("T")

_MODULES = [import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")]


def _all(kind: type[T]) -> list[T]:
    values = (value for module in _MODULES for name, value in vars(module).items() if not name.startswith("_"))
    return [item for value in values for item in (value if isinstance(value, tuple) else (value,)) if isinstance(item, kind)]


PUBLIC = tuple(sorted(_all(Shape), key=lambda shape: shape.rank))
"""In the order they are tried; the app's own format comes after them all."""

HALVES = tuple(_all(Halves))
"""Shapes published as two files."""
