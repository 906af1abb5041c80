"""Assertion for tests that an answer is grounded in its sources; what it needs is imported when it is called."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groundscope.methods.functions import AnyMethod


def assert_grounded(
    answer: str,
    sources: str | Sequence[Any],
    checks: Sequence[str] = ("figures", "citations"),
    method: "AnyMethod | None" = None,
    at_least: float | None = None,
    *,
    question: str = "",
) -> None:
    """Assert that an answer stands on its sources: a text, or a list of texts, of `{text, source}` or of passages.

    `checks` names exact checks: figures, names, quotes, sources, citations; empty = none. `method` must call every sentence
    supported, too, as in `groundscope.score`: "recommended" = the one recommended here, None = none. `at_least` is the support
    that each sentence must have, 0..1; None = the threshold that the method starts with.

    An AssertionError has each finding, with its sentence, the nearest passage and what differs, or says why nothing in the answer
    can be checked. Raises ValueError where a check or a method means nothing or there is nothing to check by, ScorerUnavailable
    where the method cannot run here, and DataError where the sources are none.
    """
    __tracebackhide__ = True
    from groundscope.gate.answering import answer_case, found_in, in_words
    from groundscope.text.alignment import nothing_to_assess

    case = answer_case(answer, sources, question)
    findings = found_in(case, checks, method, at_least)
    if nothing := nothing_to_assess(case):
        raise AssertionError(nothing)
    if findings:
        raise AssertionError(in_words(case, findings))
