"""Typed reading by the annotations of a class: what is stored, and what people write, whose faults become plain sentences."""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args, get_type_hints

from groundscope.text.humanize import instead, one_line, plural

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError
    from pydantic_core import ErrorDetails

T = TypeVar("T")
_SHOWN = 60
_RIGHT = {
    "bool": "true or false",
    "dataclass": "a table with names and values below it",
    "dict": "a table of names and values, such as { n = 9 }",
    "float": "a number, such as 0.05",
    "int": "a whole number, such as 3",
    "json": "JSON that is whole and not nested deeply",
    "list": "a list in brackets",
    "string": "text in quotation marks",
    "tuple": "a list in brackets",
}
"""What is right, by the first word of what pydantic calls a fault."""


def stored(kind: type[T], value: Any) -> T:
    """Read JSON that this project wrote: a list may be a tuple, a text an enumeration; `ValueError` where it is not that."""
    return cast("T", _checked(kind, lambda adapter: adapter.validate_python(value, extra="forbid")))


def read(kind: type[T], value: Any) -> T:
    """Read what people write, as TOML or JSON: nothing is taken for something else; `ValueError` says what is wrong."""
    from pydantic_core import to_json

    try:
        text = to_json(value, inf_nan_mode="constants")
    except ValueError:
        raise ValueError("it is nested too deeply, or has text that no file takes.") from None
    return from_json(kind, text)


def from_json(kind: type[T], text: str | bytes) -> T:
    """Read a text of JSON as strictly as `read`."""
    return cast("T", _checked(kind, lambda adapter: adapter.validate_json(text, strict=True, extra="forbid")))


def _checked(kind: Any, validate: Callable[["TypeAdapter[Any]"], Any]) -> Any:
    from pydantic import ValidationError

    try:
        return validate(_adapter(kind))
    except ValidationError as error:
        raise ValueError(_sentence(kind, error)) from None


@lru_cache(maxsize=64)
def _adapter(kind: Any) -> "TypeAdapter[Any]":
    # Imported here: the start of the app and of every verb would wait for it.
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _sentence(kind: Any, error: "ValidationError") -> str:
    """The first fault: where it is, what is right there, and what stands there instead."""
    fault: ErrorDetails = error.errors(include_url=False)[0]
    path, named, context = fault["loc"], fault["type"], fault.get("ctx", {})
    if named == "value_error":
        return " ".join([*_steps(path), str(context["error"])])
    *outside, last = path or ("it",)
    where = " ".join(_steps(outside))
    if named == "missing" and isinstance(last, int):
        return f"{where or 'it'} needs {plural(last + 1, 'entry', 'entries')} or more."
    if named == "missing":
        return f"{where or 'it'} needs {last}; write {last} = and its value there."
    if named == "unexpected_keyword_argument":
        return f"{where or 'it'} has the unknown key {last!r}; {instead(last, _names(kind, outside))}."
    right = f"one of {context['expected']}" if "expected" in context else _RIGHT.get(named.partition("_")[0], fault["msg"])
    what = " ".join(filter(None, (where, *(_steps([last]) if isinstance(last, int) else [last]))))
    return f"{what} must be {right}, it is {one_line(repr(fault['input']), _SHOWN)}."


def _steps(path: Sequence[int | str]) -> list[str]:
    """A place in words: `[unsupported] entry 2`."""
    return [f"entry {step + 1}" if isinstance(step, int) else f"[{step}]" for step in path]


def _names(kind: Any, path: Sequence[int | str]) -> list[str]:
    """The names that a place of a type takes."""
    for step in (None, *path):
        # An entry of a list, or of a mapping, is no field.
        kind = get_type_hints(kind).get(str(step), kind) if is_dataclass(kind) else kind
        while inner := [arg for arg in get_args(kind) if arg not in {NoneType, ...}]:
            kind = inner[-1]
    return [field.name for field in fields(kind)] if is_dataclass(kind) else []
