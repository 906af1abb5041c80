"""Scores that files of cases hold beside their cases: methods of every run of them."""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from groundscope.errors import DataError
from groundscope.grounding.imported.scores import TOOLS, Recorded, read_scores

WITH_CASES = frozenset(tool.title for tool in TOOLS if tool.with_cases)
"""Tools whose files hold the cases too, by title."""


def stored_scores(files: Sequence[tuple[str, bytes]]) -> tuple[Recorded, ...]:
    """Read the scores that files of cases hold beside their cases, as FaithBench has those of eight detectors."""
    by_tool: dict[str, list[Recorded]] = {}
    for name, data in files:
        with suppress(DataError):
            recorded = read_scores(name, data)
            if recorded.metrics and recorded.title in WITH_CASES:
                by_tool.setdefault(recorded.tool, []).append(recorded)
    return tuple(_together(same) for same in by_tool.values())


def _together(same: Sequence[Recorded]) -> Recorded:
    """Several exports of one tool as one."""
    first, *others = same
    if not others:
        return first
    return replace(
        first,
        name=", ".join(one.name for one in same),
        metrics=tuple(dict.fromkeys(metric for one in same for metric in one.metrics)),
        inverted=tuple(dict.fromkeys(metric for one in same for metric in one.inverted)),
        rows=tuple(row for one in same for row in one.rows),
        rejected=tuple(row for one in same for row in one.rejected),
        digest=hashlib.sha256("".join(one.digest for one in same).encode()).hexdigest()[:12],
    )
