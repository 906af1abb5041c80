"""What every shape of a public data set is: how its rows are known, what they become, and what its licence forbids."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from groundscope.types import Case

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape.

    Attributes:
        title: for people.
        fits: whether a row has the shape, by its fields alone; raises nothing whatever they hold.
        cases: the row's cases, made with the id to use where it has none; a reason stands in for one that cannot be used.
            Raises ValueError where the whole row cannot be.
        licence: what the row's source must not be used for, in a sentence that names it; empty = nothing to say.
    """

    title: str
    fits: Callable[[Values], bool]
    cases: Callable[[Values, str], Iterator[Case | str]]
    licence: Callable[[Values], str] = lambda _: ""


@dataclass(frozen=True, slots=True)
class Halves:
    """A shape that is published as two files: answers, and the sources they were made from.

    Attributes:
        answers: whether a row is an answer without its source.
        sources: whether a row is a source without its answers.
        key: the field that joins them.
        alone: what to say of answers that came without their sources.
        lone_sources: what to say of sources that came without answers; empty where their fields fit too much else to say it.
    """

    answers: Callable[[Values], bool]
    sources: Callable[[Values], bool]
    key: str
    alone: str
    lone_sources: str = ""
