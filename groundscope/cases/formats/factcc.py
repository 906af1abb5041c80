"""FactCC (Kryscinski et al. 2020): a claim about a news text, CORRECT or INCORRECT; its files are named by split (`data-dev`)."""

from collections.abc import Iterator

from groundscope.cases.formats._format import Shape, Values
from groundscope.cases.formats.pairs import claim_case
from groundscope.cases.formats.ragtruth import SUMMARISE
from groundscope.files import fields
from groundscope.types import Case


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    """One claim, without spans: those of the generated part count tokens of a tokenizer of its own."""
    kind = fields.optional(values, "augmentation")
    yield claim_case(values, default_id, "text", "claim", " · ".join(filter(None, ("Summaries", kind))), SUMMARISE)


def _fits(values: Values) -> bool:
    return values.keys() >= {"text", "claim"} and values.get("label") in ("CORRECT", "INCORRECT")


SHAPE = Shape("FactCC", _fits, _cases, rank=95)
