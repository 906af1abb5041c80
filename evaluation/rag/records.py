"""Results made elsewhere, in the record of Legal RAG Bench: one row an answer, as JSONL, JSON, CSV or Parquet.

Needed: `embedding_model`, `generative_model`, `question_id`, `correct`, `grounded`. `relevant_passage_in_context` tells retrieval
errors from reasoning errors. Texts are optional: `question`, `answer` (the reference), `rag_answer`, `context`,
`relevant_passage_id`, `reasoning`. A `verdict` may hold `correct`, `grounded` and `reasoning` instead; one that cannot be read
gives no verdict, and its text stands in the reasons. What this project writes beside them is read again: `retrieved_ids` (all
that was retrieved, best first), `missed` (relevant passages that were not), `note` (on the answer) and `judge`.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation._fields import clean, items, kind, label, optional
from evaluation._own_shape import passages
from evaluation._rows import Rejected, parse_json, read_rows
from evaluation.errors import DataError
from evaluation.rag.effects import Cell
from evaluation.rag.judging import RAW
from evaluation.rag.outcomes import Answer
from evaluation.types import Passage

UNREAD = "The verdict cannot be read. It says:"
_VERDICT = ("correct", "grounded", "reasoning")


@dataclass(frozen=True, slots=True)
class Results:
    """What was read.

    Attributes:
        name: of the file.
        answers: the good rows; no combination has a question twice.
        rejected: the others, with the reason.
    """

    name: str
    answers: tuple[Answer, ...]
    rejected: tuple[Rejected, ...]

    @property
    def unequal(self) -> str:
        """Which combinations were asked fewer questions than others, in a sentence; empty where all were asked the same."""
        counts = Counter(a.cell for a in self.answers)
        if not counts or len(set(counts.values())) == 1:
            return ""
        most = max(counts.values())
        fewer = [f"{c.embedder} with {c.model} ({n:,})" for c, n in counts.items() if n < most]
        return f"Not every combination was asked all {most:,} questions: {', '.join(fewer)}."


def read_results(name: str, data: bytes) -> Results:
    """Read a file of results.

    Raises:
        DataError: no row can be used; the first reason is told.
    """
    answers: dict[tuple[Cell, str], Answer] = {}
    rejected: list[Rejected] = []
    for row in read_rows(name, data, nan=True):
        if isinstance(row, Rejected):
            rejected.append(row)
            continue
        try:
            answer = _answer(row.values)
            if (answer.cell, answer.question_id) in answers:
                raise ValueError("This combination answered this question in an earlier row.")
            answers[answer.cell, answer.question_id] = answer
        except ValueError as error:
            rejected.append(Rejected(name, row.number, str(error)))
    if not answers:
        raise DataError(f"{name}, row {rejected[0].row}: {rejected[0].reason}" if rejected else f"{name} holds no row.")
    return Results(name, tuple(answers.values()), tuple(rejected))


def _answer(row: Mapping[str, Any]) -> Answer:
    values = _with_verdict(row)
    missing = [f for f in ("embedding_model", "generative_model", "question_id") if not optional(values, f)]
    missing += [f for f in ("correct", "grounded") if f not in values]
    if missing:
        raise ValueError(f"'{missing[0]}' is missing.")
    relevant, context, missed = _ids(values, "relevant_passage_id"), _passages(values, "context"), _passages(values, "missed")
    hit = label(values.get("relevant_passage_in_context"), "relevant_passage_in_context")
    if hit is None and relevant and context:
        hit = any(p.id in relevant for p in context)
    return Answer(
        str(optional(values, "embedding_model")),
        str(optional(values, "generative_model")),
        str(optional(values, "question_id")),
        label(values["correct"], "correct"),
        label(values["grounded"], "grounded"),
        hit,
        _text(values, "question"),
        _text(values, "answer"),
        _text(values, "rag_answer"),
        context,
        relevant,
        _text(values, "reasoning"),
        _text(values, "note"),
        _ids(values, "retrieved_ids"),
        missed,
        _text(values, "judge"),
    )


def _with_verdict(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with what its verdict says; of a verdict that cannot be read, its text as the reasons."""
    values = dict(row)
    verdict = values.get("verdict")
    if verdict is None or not str(verdict).strip():
        return values
    said: Any = verdict
    if isinstance(verdict, str):
        try:
            said = parse_json(verdict)
        except ValueError:
            said = None
    if isinstance(said, dict) and {"correct", "grounded"} <= {*said, *values}:
        return values | {name: said[name] for name in _VERDICT if name in said}
    raw = verdict if isinstance(verdict, str) else json.dumps(verdict, ensure_ascii=False)
    return {"correct": None, "grounded": None, "reasoning": f"{UNREAD} {raw[:RAW]}"} | values


def _passages(values: Mapping[str, Any], field: str) -> tuple[Passage, ...]:
    return passages(values[field]) if values.get(field) else ()


def _ids(values: dict[str, Any], field: str) -> tuple[str, ...]:
    value = values.get(field)
    if isinstance(value, list) or (isinstance(value, str) and value.lstrip().startswith("[")):
        found = items(values, field)
        if wrong := next((v for v in found if not isinstance(v, str)), None):
            raise ValueError(f"Each entry of '{field}' must be text, one is {kind(wrong)}.")
        return tuple(dict.fromkeys(clean(v) for v in found))
    one = optional(values, field)
    return (one,) if one else ()


def _text(values: Mapping[str, Any], field: str) -> str:
    value = values.get(field)
    return clean(value) if isinstance(value, str) else ""


def to_row(answer: Answer) -> dict[str, Any]:
    """The record of an answer, as other programs read it."""
    return {
        "embedding_model": answer.embedder,
        "generative_model": answer.model,
        "question_id": answer.question_id,
        "question": answer.question,
        "answer": answer.reference,
        "rag_answer": answer.answer,
        "context": _rows(answer.context),
        "relevant_passage_id": answer.relevant[0] if len(answer.relevant) == 1 else list(answer.relevant),
        "relevant_passage_in_context": answer.hit,
        "correct": answer.correct,
        "grounded": answer.grounded,
        "reasoning": answer.reasons,
        "note": answer.note,
        "retrieved_ids": list(answer.retrieved),
        "missed": _rows(answer.missed),
        "judge": answer.judge,
    }


def to_jsonl(answers: Iterable[Answer]) -> str:
    """Every answer, a record a line, question by question: records of one question share their passages, so they pack well."""
    places: dict[str, int] = {}
    ordered = sorted(answers, key=lambda a: places.setdefault(a.question_id, len(places)))
    return "".join(json.dumps(to_row(a), ensure_ascii=False) + "\n" for a in ordered)


def _rows(found: Sequence[Passage]) -> list[dict[str, str]]:
    return [{"id": p.id, "text": p.text} | ({"source": p.source} if p.source else {}) for p in found]
