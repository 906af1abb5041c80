"""Phoenix (Arize): evaluations of spans with label, score and explanation, in its four forms.

An evaluation alone (`span_id`, `score`), annotations read back (`annotation_name`, `result.score`), spans joined with evaluations
(`eval.NAME.score`), and the data frame of its evaluators (`NAME_score`, an object).
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath

from groundscope.cases.formats import Values
from groundscope.files.literals import parse_json
from groundscope.files.rows import Rejected, Row
from groundscope.grounding.imported._entries import MetricScore, ScoredAnswer, Tool, each, name_of, number, text, words

_SPAN = ("context.span_id", "span_id")
_QUERY = ("attributes.input.value", "input.value", "input")
_RESPONSE = ("attributes.output.value", "output.value", "output")
_JOINED = re.compile(r"eval\.(.+)\.score")
_BAD = {"hallucinated", "unfaithful", "ungrounded", "toxic", "incorrect"}
_GOOD = {"factual", "faithful", "grounded", "non-toxic", "correct"}


def entries(file: str, rows: Sequence[Row]) -> Iterator[ScoredAnswer[MetricScore] | Rejected]:
    """Read an entry a span, or a span and annotation; scores of single retrieved documents are refused.

    The first part of the file's name stands for an evaluation that has no name in the row.
    """

    def read(number: int, values: Values) -> ScoredAnswer[MetricScore]:
        if any(values.get(name) is not None for name in ("document_position", "position")):
            raise ValueError("It scores one retrieved document, not an answer.")
        marks = dict(_marks(values, PurePath(file).name.partition(".")[0]))
        case_id = name_of(values, ("case_id", *_SPAN))
        return ScoredAnswer(number, _optional(values, _QUERY), _optional(values, _RESPONSE), case_id, marks)

    return each(file, ((row.number, row.values) for row in rows), read)


def _optional(values: Values, names: Sequence[str]) -> str:
    return text(values, names) if any(values.get(name) is not None for name in names) else ""


def _marks(values: Values, stem: str) -> Iterator[tuple[str, MetricScore]]:
    for key, value in values.items():
        if column := _JOINED.fullmatch(key):
            name = column[1]
            yield name, _mark(value, values.get(f"eval.{name}.label"), values.get(f"eval.{name}.explanation"))
        elif key.endswith("_score") and (score := _scored(value)) is not None:
            name = words(score.get("name")).strip() or key.removesuffix("_score")
            mark = _mark(score.get("score"), score.get("label"), score.get("explanation"), score.get("direction"))
            yield name, replace(mark, seconds=_seconds(values.get(f"{key.removesuffix('_score')}_execution_details")))
    for prefix in ("", "result."):
        if f"{prefix}score" in values:
            found_here = (values.get(f"{prefix}{field}") for field in ("score", "label", "explanation"))
            yield _metric(values, stem), replace(_mark(*found_here), seconds=values.get("execution_seconds"))


def _metric(values: Values, stem: str) -> str:
    """The evaluation's name; `name` is the span's where a row has the span's own fields too."""
    span = any(key.startswith("attributes.") or key == "span_kind" for key in values)
    named = ("annotation_name", "eval_name") if span else ("annotation_name", "eval_name", "name")
    return name_of(values, named).strip() or stem


def _mark(score: object, label: object, explanation: object, direction: object = None) -> MetricScore:
    told = {"minimize": True, "maximize": False}.get(direction) if isinstance(direction, str) else None
    return MetricScore(score, words(explanation), _by_label(score, label) if told is None else told)


def _by_label(score: object, label: object) -> bool | None:
    """Whether the lower score goes with the better label; its hallucination evaluators have run both ways."""
    label_text = label.strip().lower() if isinstance(label, str) else ""
    try:
        value = number(score)
    except ValueError:
        return None
    if value is None or value == 0.5 or label_text not in _BAD | _GOOD:
        return None
    return (value > 0.5) == (label_text in _BAD)


def _seconds(details: object) -> object:
    """What an evaluator's details say of its time."""
    if isinstance(details, str) and details.lstrip().startswith("{"):
        with suppress(ValueError):
            details = parse_json(details)
    return details.get("execution_seconds") if isinstance(details, dict) else None


def _scored(value: object) -> Values | None:
    """An evaluator's object, or None where the cell is none."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = parse_json(value)
        except ValueError:
            raise ValueError("Its scores are objects that CSV does not keep; export the data frame as JSON.") from None
    return value if isinstance(value, dict) and "score" in value else None


def _fits(values: Values) -> bool:
    if any(name in values for name in _SPAN):
        return True
    return any(_JOINED.fullmatch(key) or (key.endswith("_score") and _object(value)) for key, value in values.items())


def _object(value: object) -> bool:
    return isinstance(value, dict) or (isinstance(value, str) and value.lstrip().startswith("{"))


TOOL = Tool("phoenix", "Phoenix", _fits, entries)
