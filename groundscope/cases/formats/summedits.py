"""SummEdits (Laban et al. 2023): a document and an edited summary, consistent (1) or not (0)."""

import re
from collections.abc import Iterator

from groundscope.cases.formats import _format as licences
from groundscope.cases.formats._format import FILE_NAME, Shape, Values, group_of
from groundscope.cases.formats.ragtruth import SUMMARISE
from groundscope.cases.labels import label, word_of
from groundscope.files import fields
from groundscope.types import Case, Passage

_FIELDS = {"doc", "summary", "label"}
_DOMAIN = re.compile(r"([a-z_]+?)_\d+_")


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    """One summary, without spans; all summaries of a document are one group."""
    document = fields.text(values, "doc")
    yield fields.sized(
        Case(
            id=fields.optional(values, "id") or default_id,
            query=SUMMARISE,
            context=(Passage("doc", document),),
            response=fields.text(values, "summary"),
            grounded=label(values["label"]).grounded,
            split=fields.split_name(values),
            group=group_of(document),
            area=_domain(values),
        )
    )


def _domain(values: Values) -> str:
    """The domain, which some files have in the id alone (`sales_email_1_og`), and others as their own name."""
    in_id = _DOMAIN.match(fields.optional(values, "id") or "")
    file = fields.clean(str(values.get(FILE_NAME, ""))).removeprefix("summedits").strip("_-")
    return fields.optional(values, "domain") or (in_id[1] if in_id else file)


def _licence(values: Values) -> str:
    return licences.SUMMEDITS_SAMSUM if _domain(values).lower().startswith("samsum") else ""


SHAPE = Shape(
    "SummEdits",
    lambda values: values.keys() >= _FIELDS,
    _cases,
    _licence,
    70,
    lambda values: [(word_of(values["label"]), label(values["label"]))],
)
