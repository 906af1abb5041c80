"""Assertion for tests that an answer is grounded in its sources; what it needs is imported when it is called."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groundscope.methods.functions import AnyMethod

DEFAULT_CHECKS = ("figures", "citations")


def assert_grounded(
    answer: str,
    sources: str | Sequence[Any],
    checks: Sequence[str] = DEFAULT_CHECKS,
    method: "AnyMethod | None" = None,
    at_least: float | None = None,
    *,
    question: str = "",
) -> None:
    """Assert that an answer stands on its sources.

    Args:
        answer: of the pipeline under test.
        sources: a text, or a list of texts or of `{text, source}`; passages of Groundscope work, too.
        checks: names of exact checks: figures, names, quotes, sources, citations; empty = none.
        method: a method that must call every sentence supported, too, by name, or an object, a class or a function as in
            `groundscope.score`; "recommended" = the one recommended here; None = none.
        at_least: support that each sentence must have, 0..1; None = the threshold that the method starts with.
        question: for methods that read it.

    Raises:
        AssertionError: something was found, and the message has each sentence, the nearest passage and what differs; or the
            answer holds nothing that can be checked, and the message says why.
        ValueError: a check or a method means nothing, or there is nothing to check by.
        ScorerUnavailable: the method cannot run here; the message says what it needs.
        DataError: the sources are none.
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
