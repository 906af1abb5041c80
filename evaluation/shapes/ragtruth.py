"""RAGTruth (Niu et al. 2024): `response.jsonl` with labelled spans, `source_info.jsonl` with what they were made from."""

import json
import re
from collections.abc import Iterator
from typing import Any

from evaluation import _fields as fields
from evaluation.shapes import licences
from evaluation.shapes._shape import Halves, Shape, Values
from evaluation.shapes._spans import merged, placed
from evaluation.types import Case, Passage

SUMMARISE = "Summarise the text."
DESCRIBE = "Describe the business from its data."

_ANSWER, _SOURCE = {"source_id", "response", "labels"}, {"source_id", "source_info"}
_MARK = re.compile(r"^passage \d+:", re.MULTILINE)

Source = tuple[str, tuple[Passage, ...]]


def cases(values: Values, default_id: str) -> Iterator[Case]:
    """An answer joined with its source: without a labelled span it is grounded.

    Answers that the data set marks as cut off or as a mistaken refusal are left out, as in its own evaluation.

    Raises:
        ValueError: the message names the field.
    """
    if fields.optional(values, "quality") not in (None, "good"):
        raise ValueError("Its 'quality' is not good: the data set's own evaluation leaves such answers out.")
    response = fields.text(values, "response")
    query, context = _source(values["source_info"])
    labels = [placed(item, ("start", "end"), "text", response, "labels") for item in fields.items(values, "labels")]
    yield fields.sized(
        Case(
            id=fields.optional(values, "id") or default_id,
            query=query,
            context=context,
            response=response,
            grounded=not labels,
            unsupported=merged(labels),
            split=fields.split_name(values),
            group=fields.optional(values, "source_id"),
            area=fields.optional(values, "task_type") or "",
        )
    )


def _source(info: Any) -> Source:
    if isinstance(info, str) and info.strip():
        return SUMMARISE, (Passage("source", fields.clean(info).strip()),)
    if isinstance(info, dict) and "passages" in info:
        return fields.text(info, "question"), passages(fields.text(info, "passages"))
    if isinstance(info, dict) and info:
        return DESCRIBE, (Passage("source", fields.clean(json.dumps(info, ensure_ascii=False, indent=1))),)
    raise ValueError("'source_info' must be a text, or an object with a question and passages or with data.")


def passages(text: str) -> tuple[Passage, ...]:
    """The passages of one text that marks each with a line `passage 1:`."""
    parts = [part.strip() for part in _MARK.split(text)]
    return tuple(Passage(f"p{i}", part) for i, part in enumerate(filter(None, parts), 1))


def licence(values: Values) -> str:
    """By the task, which tells where the source comes from."""
    task = str(values.get("task_type")).lower()
    return {"qa": licences.RAGTRUTH_QA, "data2txt": licences.RAGTRUTH_DATA}.get(task, "")


SHAPE = Shape("RAGTruth", lambda values: values.keys() >= _ANSWER | _SOURCE, cases, licence)
HALVES = Halves(
    answers=lambda values: values.keys() >= _ANSWER and "source_info" not in values,
    sources=lambda values: values.keys() >= _SOURCE and "response" not in values,
    key="source_id",
    alone="These are RAGTruth's answers without their sources: load response.jsonl and source_info.jsonl together.",
    lone_sources="These are RAGTruth's sources without the answers: load response.jsonl and source_info.jsonl together.",
)
