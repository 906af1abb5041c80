"""Pairs of a document and a claim with two or three labels, as TRUE (Honovich et al. 2022), VitaminC and others are published."""

from collections.abc import Iterator

from groundscope.cases.formats._format import Shape, Values, group_of, split_of, stance, verdict
from groundscope.files import fields
from groundscope.types import Case, Passage

_DOCUMENT, _CLAIM = (
    ("grounding", "document", "doc", "premise", "evidence"),
    ("generated_text", "claim", "hypothesis", "statement"),
)


def claim_case(values: Values, default_id: str, document: str, claim: str, area: str = "", query: str = "") -> Case:
    """Make a case of a claim about one document.

    Raises:
        ValueError: a field is missing or of the wrong kind, or the case is too large.
    """
    text = fields.text(values, document)
    return fields.sized(
        Case(
            id=fields.optional(values, "id") or default_id,
            query=query,
            context=(Passage("document", text),),
            response=fields.text(values, claim),
            grounded=verdict(values.get("label")),
            contradicted=stance(values.get("label")),
            split=split_of(values),
            group=group_of(text),
            area=area,
        )
    )


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    document, claim = _fields(values) or ("document", "claim")
    yield claim_case(values, default_id, document, claim, fields.optional(values, "dataset") or "")


def _fields(values: Values) -> tuple[str, str] | None:
    document = next((name for name in _DOCUMENT if isinstance(values.get(name), str)), None)
    claim = next((name for name in _CLAIM if isinstance(values.get(name), str)), None)
    return (document, claim) if document and claim else None


def _fits(values: Values) -> bool:
    """A label that is none of the known words is for the user to explain."""
    if "label" not in values or not _fields(values):
        return False
    try:
        verdict(values["label"])
    except ValueError:
        return False
    return True


SHAPE = Shape("claims about documents", _fits, _cases, rank=110)
