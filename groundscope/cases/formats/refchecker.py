"""RefChecker's benchmark (Hu et al. 2024): a model's answers with claims that people labelled, and a file of their references."""

from collections.abc import Iterator

from groundscope.cases.formats import _format as licences
from groundscope.cases.formats._format import Halves, Shape, Values
from groundscope.cases.labels import label as read_label
from groundscope.cases.passages import passages
from groundscope.files import fields
from groundscope.types import Case

_WORST = ("Contradiction", "Neutral", "Entailment")


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    """An answer joined with its reference: one claim that is not entailed makes it ungrounded, whatever labels are missing."""
    question = fields.text(values, "question")
    labels = [label for field in _claims(values) for label in _labels(values, field)]
    worst = min((label for label in labels if label), key=_WORST.index, default=None)
    labelled = worst in ("Contradiction", "Neutral") or (bool(labels) and None not in labels)
    yield fields.sized(
        Case(
            id=fields.optional(values, "id") or default_id,
            query=question,
            context=passages(values["context"]),
            response=fields.text({"response": values["response"]}, "response"),
            grounded=worst == "Entailment" if labelled else None,
            contradicted=read_label(worst).contradicted if worst == "Contradiction" or None not in labels else None,
            split=fields.split_name(values),
            group=question,
            area=f"Claims · {worst if labelled else 'no label'}",
        )
    )


def _claims(values: Values) -> list[str]:
    """The fields of claims: one an extractor, as in `claude2_response_kg`."""
    return [name for name in values if name.endswith("_response_kg")]


def _labels(values: Values, field: str) -> Iterator[str | None]:
    for claim in fields.items(values, field):
        label = claim.get("human_label") if isinstance(claim, dict) else 0
        if label is not None and label not in _WORST:
            raise ValueError(f"'human_label' of each entry of '{field}' must be Entailment, Neutral or Contradiction.")
        yield label


SHAPE = Shape(
    "RefChecker",
    lambda values: bool(_claims(values)) and values.keys() >= {"response", "question", "context"},
    _cases,
    # MS MARCO's rows alone keep which passages its annotators selected.
    lambda values: licences.REFCHECKER_MARCO if "context_is_selected" in values else "",
    rank=90,
)
HALVES = Halves(
    answers=lambda values: bool(_claims(values)) and values.keys() >= {"id", "response"} and "context" not in values,
    sources=lambda values: values.keys() >= {"id", "question", "context"} and "response" not in values,
    key="id",
    alone="These are RefChecker's answers without their references: load them together with the file that has their questions "
    "and contexts (nq.json, msmarco.json or dolly.json).",
)
