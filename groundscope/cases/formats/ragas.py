"""Ragas' EvaluationDataset (Es et al. 2024): single-turn samples, as JSON lines or as CSV, with lists as Python prints them."""

from collections.abc import Iterator
from dataclasses import replace

from groundscope.cases.formats._format import Shape, Values
from groundscope.cases.own_format import OWN_FIELDS, own_case, own_labels
from groundscope.types import Case

_FIELDS = {"user_input", "retrieved_contexts", "response"}


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    """One answer; labels are read where the user has added those of the app's own format."""
    if isinstance(values["user_input"], list):
        raise ValueError("It is a conversation of several turns; samples of one turn are read.")
    for field in ("retrieved_contexts", "response"):
        if not values[field]:
            raise ValueError(f"'{field}' is missing: there is nothing to compare.")
    case = own_case(values, default_id)
    if not case.context:
        raise ValueError("'retrieved_contexts' is empty: there is nothing to compare the answer with.")
    yield replace(case, group=case.group or case.query or None)


SHAPE = Shape("Ragas", lambda values: values.keys() >= _FIELDS, _cases, rank=120, labels=own_labels, uses=OWN_FIELDS | _FIELDS)
