"""Names of exact checks, as rules and assertions write them."""

import difflib
from collections.abc import Sequence

FACT_KINDS = ("figures", "names", "quotes", "sources")
"""Amounts, dates, numbers and lengths of time; names; quoted words; sources and courts named for what stands in another."""
CITATIONS = "citations"
CHECKS = (*FACT_KINDS, CITATIONS)


def choose(what: str, names: Sequence[object], allowed: tuple[str, ...] = CHECKS) -> tuple[str, ...]:
    """Read names of checks."""
    for name in names:
        if name not in allowed:
            near = difflib.get_close_matches(str(name), allowed, 1)
            instead = f"write {near[0]!r}" if near else f"there are {', '.join(allowed)}"
            raise ValueError(f"{what} has the unknown check {name!r}; {instead}.")
    if not names:
        raise ValueError(f"{what} is empty; name at least one of {', '.join(allowed)}.")
    return tuple(name for name in allowed if name in names)
