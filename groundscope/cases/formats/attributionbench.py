"""AttributionBench (Li et al. 2024): a claim of an answer and the references that it cites, attributable or not."""

from collections.abc import Iterator

from groundscope.cases.formats._format import Shape, Values, split_of, stance, verdict
from groundscope.cases.passages import passages
from groundscope.files import fields
from groundscope.types import Case

_FIELDS = {"claim", "references", "attribution_label"}


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    """One claim against what annotators took from the cited pages; all claims of answers to a question are one group."""
    question = fields.optional(values, "question") or ""
    context = passages(values["references"])
    if not any(passage.text.strip() for passage in context):
        raise ValueError("'references' holds no text to compare the claim with.")
    yield fields.sized(
        Case(
            id=fields.optional(values, "id") or default_id,
            query=question,
            context=context,
            response=fields.text(values, "claim"),
            grounded=verdict(values["attribution_label"], "attribution_label"),
            contradicted=stance(values["attribution_label"]),
            split=split_of(values),
            group=question or None,
            area=fields.optional(values, "src_dataset") or "",
        )
    )


SHAPE = Shape("AttributionBench", lambda values: values.keys() >= _FIELDS, _cases, rank=15)
