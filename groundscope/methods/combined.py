"""A judgement that several methods need: made once for all who ask."""

from groundscope.methods import Method
from groundscope.runtime.retention import reused
from groundscope.types import Case, Judgement


def judged(method: Method, case: Case) -> Judgement:
    """Let a method judge a case: once for all who ask, in a block of `groundscope.runtime.retention.reusing`."""
    judgements = reused()
    if judgements is None or method.asks:
        return method.score(case)
    try:
        judgement: Judgement | None = judgements.get((method, case))
    except TypeError:  # a parameter that cannot be compared, such as a list
        return method.score(case)
    if judgement is None:
        judgements[method, case] = judgement = method.score(case)
    return judgement
