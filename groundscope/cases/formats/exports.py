"""What other tools export with a question, sources and an answer inside objects: a table of where each of them stands."""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from groundscope.cases.formats._format import Shape, Values
from groundscope.cases.formats._mapped import at
from groundscope.cases.messages import ANSWER, ASSISTANT, QUESTION, USER, parsed, text_of
from groundscope.cases.own_format import LABELLED, exported, own_labels
from groundscope.files import fields
from groundscope.types import Case

_CONTEXT = tuple(name for name in fields.NAMES["context"] if name not in ("source", "text", "references"))
"""What the sources are called in an object that holds more than a case."""
_IDS = ("id", "_id", "id_", "run_id", "trace_id", "traceId", "example_id")


class Export(NamedTuple):
    """A tool's export; a place is a path of names with dots, and an empty place in `sources` is the row itself.

    Attributes:
        marks: the fields that every row has; each holds an object, as it is or as JSON in a text.
        asked: where the question is, an object or a text.
        common: whether its marks are such common names that a row is known only by the sources that it has as well.
    """

    title: str
    marks: tuple[str, ...]
    asked: tuple[str, ...]
    answered: tuple[str, ...]
    sources: tuple[str, ...]
    common: bool = False


_EXPORTS = (
    Export(
        "promptfoo",
        ("vars", "response"),
        ("vars",),
        ("response.output", "response"),
        ("vars", "response.output", "response.metadata", "metadata", "testCase.vars"),
    ),
    Export("LangSmith", ("inputs", "outputs"), ("inputs",), ("outputs",), ("outputs", "inputs", "extra.metadata", "metadata")),
    Export(
        "OpenAI evals",
        ("item", "sample"),
        ("item", "sample.input"),
        ("sample.output_text", "sample.completion", "sample.output", "sample"),
        ("item", "sample"),
    ),
    Export(
        "OpenAI evals",
        ("datasource_item", "sample"),
        ("datasource_item", "sample.input"),
        ("sample.output_text", "sample.output", "sample"),
        ("datasource_item", "sample"),
    ),
    Export("Langfuse", ("input", "output"), ("input",), ("output",), ("metadata", "input", "output"), common=True),
    Export("chat messages", ("messages",), ("messages",), ("messages",), ("metadata", ""), common=True),
)


def _at(values: Values, path: str) -> Any:
    return parsed(at(values, path)) if path else values


def _context(values: Values, export: Export) -> Any:
    objects = (held for path in export.sources if isinstance(held := _at(values, path), dict))
    return next((held[name] for held in objects for name in _CONTEXT if held.get(name)), None)


def _cases(export: Export, values: Values, default_id: str) -> Iterator[Case]:
    query = _text(values, export.asked, QUESTION, USER)
    answer = _text(values, export.answered, ANSWER, ASSISTANT)
    context = _context(values, export)
    for there, places, what in (
        (answer, export.answered, "an answer"),
        (context, export.sources, f"sources, under a name such as {', '.join(_CONTEXT[:3])}"),
    ):
        if not there:
            raise ValueError(f"{export.title}: none of {', '.join(places)} holds {what}.")
    named = next((values[name] for name in _IDS if isinstance(values.get(name), str | int) and values[name] != ""), None)
    yield exported(
        values, default_id, id=None if isinstance(named, bool) else named, query=query, context=context, response=answer
    )


def _text(values: Values, places: tuple[str, ...], inside: tuple[str, ...], by: frozenset[str]) -> str:
    return next(filter(None, (text_of(_at(values, place), inside, by) for place in places)), "")


def _fits(export: Export, values: Values) -> bool:
    held = [parsed(values.get(mark)) for mark in export.marks]
    if not export.common:
        return all(isinstance(value, dict) for value in held)
    return None not in held and _context(values, export) is not None


SHAPES = tuple(
    Shape(export.title, partial(_fits, export), partial(_cases, export), rank=130 + i, labels=own_labels, uses=LABELLED)
    for i, export in enumerate(_EXPORTS)
)
