"""A judgement that several methods need: made once for all who ask."""

from groundscope.methods import Method
from groundscope.runtime.retention import reused
from groundscope.types import Case, Judgement


def judged(method: Method, case: Case) -> Judgement:
    """Let a method judge a case: once for all who ask, in a block of `groundscope.runtime.retention.reusing`."""
    known = reused()
    if known is None or method.asks:
        return method.score(case)
    try:
        found: Judgement | None = known.get((method, case))
    except TypeError:  # a parameter that cannot be compared, such as a list
        return method.score(case)
    if found is None:
        known[method, case] = found = method.score(case)
    return found
