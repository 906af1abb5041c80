"""RAGTruth (Niu et al. 2024): `response.jsonl` with labelled spans, `source_info.jsonl` with what they were made from."""

import json
import re
from collections.abc import Iterator
from typing import Any

from groundscope.cases.formats import _format as licences
from groundscope.cases.formats._format import Halves, Shape, Values, merged, placed
from groundscope.files import fields
from groundscope.types import Case, Passage

SUMMARISE = "Summarise the text."
DESCRIBE = "Describe the business from its data."

_ANSWER, _SOURCE = {"source_id", "response", "labels"}, {"source_id", "source_info"}
_MARK = re.compile(r"^passage \d+:", re.MULTILINE)

Source = tuple[str, tuple[Passage, ...]]


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    """An answer joined with its source, but for those cut off or refused by mistake, as in the data set's own evaluation."""
    if fields.optional(values, "quality") not in (None, "good"):
        raise ValueError("Its 'quality' is not good: the data set's own evaluation leaves such answers out.")
    group, area = fields.optional(values, "source_id"), fields.optional(values, "task_type") or ""
    yield labelled(values, default_id, _source(values["source_info"]), fields.text(values, "response"), group, area)


def labelled(values: Values, default_id: str, source: Source, response: str, group: str | None, area: str) -> Case:
    """Make a case of an answer with its labelled spans: without one it is grounded."""
    query, context = source
    labels = [placed(item, ("start", "end"), "text", response, "labels") for item in fields.items(values, "labels")]
    return fields.sized(
        Case(
            id=fields.optional(values, "id") or default_id,
            query=query,
            context=context,
            response=response,
            grounded=not labels,
            contradicted=_contradicted(values) if labels else None,
            unsupported=merged(labels),
            split=fields.split_name(values),
            group=group,
            area=area,
        )
    )


def _contradicted(values: Values) -> bool | None:
    """Whether a span conflicts with the source; False where all are baseless: the source does not say it."""
    kinds = [str(item.get("label_type", "")) for item in values["labels"]]
    if any("Conflict" in kind for kind in kinds):
        return True
    return False if all("Baseless" in kind for kind in kinds) else None


def _source(info: Any) -> Source:
    if isinstance(info, str) and info.strip():
        return SUMMARISE, (Passage("source", fields.clean(info).strip()),)
    if isinstance(info, dict) and "passages" in info:
        return fields.text(info, "question"), passages(fields.text(info, "passages"))
    if isinstance(info, dict) and info:
        return DESCRIBE, (Passage("source", fields.clean(json.dumps(info, ensure_ascii=False, indent=1))),)
    raise ValueError("'source_info' must be a text, or an object with a question and passages or with data.")


def passages(text: str) -> tuple[Passage, ...]:
    """Cut a text at the lines that begin with a mark such as `passage 1:`."""
    parts = [part.strip() for part in _MARK.split(text)]
    return tuple(Passage(f"p{i}", part) for i, part in enumerate(filter(None, parts), 1))


def licence(values: Values) -> str:
    """Give the licence note by task, which identifies the origin of the source."""
    task = str(values.get("task_type")).lower()
    return {"qa": licences.RAGTRUTH_QA, "data2txt": licences.RAGTRUTH_DATA}.get(task, "")


SHAPE = Shape("RAGTruth", lambda values: values.keys() >= _ANSWER | _SOURCE, _cases, licence, rank=30)
HALVES = Halves(
    answers=lambda values: values.keys() >= _ANSWER and "source_info" not in values,
    sources=lambda values: values.keys() >= _SOURCE and "response" not in values,
    key="source_id",
    alone="These are RAGTruth's answers without their sources: load response.jsonl and source_info.jsonl together.",
    lone_sources="These are RAGTruth's sources without the answers: load response.jsonl and source_info.jsonl together.",
)
