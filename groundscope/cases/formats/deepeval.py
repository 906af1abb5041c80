"""DeepEval's test cases: those of a test run, of a data set, or one a row; either spelling. They carry no gold label."""

import re
from collections.abc import Iterator
from typing import Any

from groundscope.cases.formats._format import Shape, Values
from groundscope.cases.messages import parsed
from groundscope.cases.own_format import LABELLED, exported, own_labels
from groundscope.files import fields
from groundscope.types import Case

_LISTS = ("testCases", "test_cases", "test_results", "testResults", "goldens")
_ANSWER = ("actualOutput", "actual_output")
_CONTEXT = ("retrievalContext", "retrieval_context", "context")
"""What was retrieved; without it the context that the author of the case wrote."""
_METADATA = ("metadata", "additionalMetadata", "additional_metadata")


def _cases(values: Values, default_id: str) -> Iterator[Case | str]:
    """The test cases of a run, or the one of a row; of a run, the number from 1 is added to the id."""
    test_cases = next((values[name] for name in _LISTS if isinstance(values.get(name), list)), None)
    if test_cases is None:
        yield _case(values, default_id)
        return
    for number, case in enumerate(test_cases, 1):
        try:
            if not isinstance(case, dict):
                raise ValueError("it must be an object with an input and an output.")
            yield _case(case, f"{default_id}-{number}")
        except ValueError as error:
            yield f"Test case {number}: {error}"


def _case(values: Values, default_id: str) -> Case:
    answer = fields.first(values, _ANSWER)
    if answer is None:
        raise ValueError("'actual_output' is missing: the application has not answered it.")
    context = fields.first(values, _CONTEXT)
    if not context:
        raise ValueError("'retrieval_context' is missing: there is nothing to compare the answer with.")
    query, answer = fields.text(values, "input"), fields.text({"actual_output": answer}, "actual_output")
    return exported(values, default_id, id=_named(values), query=query, context=_parted(context), response=answer)


def _parted(context: Any) -> Any:
    """The texts of a context that DeepEval's own export joined by strokes; a stroke beside white space is one of a table."""
    if not isinstance(context, str) or isinstance(parsed(context), list | dict):
        return context
    texts = re.split(r"(?<=\S)\|(?=\S)", context) if context.strip() else []
    marked = (re.fullmatch(r"deepeval_source=(.*?),deepeval_context=(.*)", text, re.S) for text in texts)
    return [{"source": m[1], "text": m[2]} if m else text for m, text in zip(marked, texts, strict=True)]


def _named(values: Values) -> str | None:
    """The id that a user left in the metadata, or the test case's own name, as its scores are matched."""
    metadata: Values = next((values[name] for name in _METADATA if isinstance(values.get(name), dict)), {})
    return fields.optional(metadata, "case_id") or fields.optional(metadata, "id") or fields.optional(values, "name")


def _fits(values: Values) -> bool:
    lists = (values[name] for name in _LISTS if isinstance(values.get(name), list))
    case = next((item for found in lists for item in found if isinstance(item, dict)), values)
    return "input" in case and any(name in case for name in (*_ANSWER, *_CONTEXT[:2]))


SHAPE = Shape("DeepEval", _fits, _cases, rank=105, labels=own_labels, uses=LABELLED)
