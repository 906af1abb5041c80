"""Check the values of a method's parameters against the annotations of its fields, before anything is computed.

The metadata of a field may state `least` and `most` of a number, and a `grid`: the values that its paper tunes it over.
`Method.examples` has values to show where a default is none.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from reprlib import Repr
from typing import Any, Literal, get_args, get_origin, get_type_hints

_LARGEST = 999_999_999
"""Largest whole number that a parameter takes if its field states none."""
_LONGEST = 4_000
"""Most signs of a text or a path."""
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60


def check_parameters(cls: type, values: Mapping[str, Any]) -> None:
    """Refuse a value that is not of the type of its field."""
    hints, stated = _declared(cls)
    for name, value in values.items():
        if name not in stated or name not in hints:
            continue
        if expected := _problem(hints[name], value, stated[name].metadata):
            example = getattr(cls, "examples", {}).get(name, stated[name].default)
            raise ValueError(f"{name} must be {expected}{_example(hints[name], example)}, got {_shown(value)}")


@lru_cache(maxsize=128)
def _declared(cls: type) -> tuple[dict[str, Any], dict[str, Field[Any]]]:
    """Annotations and fields by name; none where an annotation cannot be resolved, as in a package's file."""
    try:
        return get_type_hints(cls), {f.name: f for f in fields(cls)} if is_dataclass(cls) else {}
    except Exception:  # the annotations are other people's code
        return {}, {}


def _problem(hint: Any, value: object, stated: Mapping[str, Any]) -> str:
    """What a parameter takes, if the value is not that; else empty."""
    if get_origin(hint) is Literal:
        # By type, too: 1 equals True.
        fits = any(type(value) is type(choice) and value == choice for choice in get_args(hint))
        return "" if fits else f"one of {', '.join(map(str, get_args(hint)))}"
    if hint is bool:
        return "" if type(value) is bool else "true or false"
    if hint in {int, float}:
        return _number(hint, value, stated)
    if hint in {str, Path}:
        kinds, words = ((str, Path), "a path") if hint is Path else ((str,), "text")
        return "" if isinstance(value, kinds) and _plain(str(value)) else f"{words} of one line, at most {_LONGEST:,} signs"
    if isinstance(hint, type) and not isinstance(value, hint):
        return f"left out: only code can give its {hint.__name__}, and the methods page says what can be chosen there"
    return ""


def _number(hint: type, value: object, stated: Mapping[str, Any]) -> str:
    low, high = stated.get("least", -_LARGEST), stated.get("most", _LARGEST)
    if type(value) in {int, hint} and low <= value <= high:
        return ""
    words = "a whole number" if hint is int else "a number"
    if "most" in stated:
        return f"{words} from {low} to {high}"
    return f"{words} of at least {low}" if "least" in stated else words


def _plain(text: str) -> bool:
    """Whether file systems, addresses and messages take it: no NUL, no line break, no lone surrogate."""
    return len(text) <= _LONGEST and not any(unicodedata.category(sign) in {"Cc", "Cs"} for sign in text)


def _example(hint: Any, example: object) -> str:
    """A value that it takes; empty where the words alone say it."""
    if hint not in {bool, int, float, str, Path} or example is MISSING or example == "":
        return ""
    return f", such as {str(example).lower() if hint is bool else example}"


def _shown(value: object) -> str:
    try:
        return _SHORT.repr(value)
    except ValueError:  # Python does not write whole numbers of thousands of digits
        return "a number of thousands of digits"
