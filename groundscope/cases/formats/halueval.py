"""HaluEval's question answering (Li et al. 2023): each row has a right and a hallucinated answer to one question."""

from collections.abc import Iterator

from groundscope.cases.formats._format import Shape, Values
from groundscope.files import fields
from groundscope.types import Case, Passage

_FIELDS = {"knowledge", "question", "right_answer", "hallucinated_answer"}


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    """Both answers, in one group; the hallucinated one, which has no spans, has the right one as its parent."""
    name = fields.optional(values, "id") or default_id
    question = fields.text(values, "question")
    context = (Passage("knowledge", fields.text(values, "knowledge")),)
    right, wrong = fields.text(values, "right_answer"), fields.text(values, "hallucinated_answer")
    sound = Case(f"{name}-right", question, context, right, grounded=True, split=fields.split_name(values), group=question)
    yield fields.sized(sound)
    yield fields.sized(
        Case(f"{name}-hallucinated", question, context, wrong, False, split=sound.split, group=question, parent=sound.id)
    )


SHAPE = Shape("HaluEval QA", lambda values: values.keys() >= _FIELDS, _cases, rank=50)
