"""LLM-AggreFact (Tang et al. 2024): claims of eleven data sets about documents, supported (1) or not (0); a file a split."""

from collections.abc import Iterator

from groundscope.cases.formats import _format as licences
from groundscope.cases.formats._format import Shape, Values
from groundscope.cases.formats.pairs import claim_case
from groundscope.files import fields
from groundscope.types import Case

_FIELDS = {"dataset", "doc", "claim", "label"}


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    yield claim_case(values, default_id, "doc", "claim", fields.optional(values, "dataset") or "")


SHAPE = Shape("LLM-AggreFact", lambda values: values.keys() >= _FIELDS, _cases, lambda _: licences.AGGREFACT, rank=96)
