"""Pairs of questions of two sets of answers: answers may differ, the questions must be the same."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import DataError
from groundscope.text.humanize import plural
from groundscope.types import Case

_EXAMPLES = 3


class PairedQuestions(NamedTuple):
    """The place of each answer's question among those that both sets have.

    Attributes:
        current: (n,) of the new answers; -1 = the baseline lacks it.
        baseline: (k,) of the baseline's; -1 = it is not among the new ones.
        left_out: why some are left out, in a sentence; empty where none is.
    """

    current: NDArray[np.int64]
    baseline: NDArray[np.int64]
    questions: int
    left_out: str


def pair_questions(cases: Sequence[Case], baseline: Sequence[Case], lost: int = 0) -> PairedQuestions:
    """Pair the questions of new answers with those of a baseline: by their words, or, where these differ, by ids of cases.

    Raises:
        DataError: the questions are not the same; the message says how many are only here, only there, with ids of some.
    """
    tried = []
    for key in (_words, _id):
        ours, theirs = [key(c) for c in cases], [key(c) for c in baseline]
        only_here, only_there = _first(cases, ours, set(theirs)), _first(baseline, theirs, set(ours))
        tried.append((only_here, only_there))
        common = {k: i for i, k in enumerate(dict.fromkeys(k for k in ours if k in set(theirs)))}
        if common and not only_here and len(only_there) <= lost:
            mine, others = (np.array([common.get(k, -1) for k in keys], dtype=np.int64) for keys in (ours, theirs))
            left = f"{plural(len(only_there), 'question')} of the baseline cannot be compared: rows here could not be read."
            return PairedQuestions(mine, others, len(common), left if only_there else "")
    raise DataError(_refusal(*tried[0]))


def _words(case: Case) -> str:
    return " ".join(case.query.split()).casefold() or f"\0{case.id}"


def _id(case: Case) -> str:
    return case.id


def _first(cases: Sequence[Case], keys: Sequence[str], others: set[str]) -> list[str]:
    """The id of the first case of each question that the others lack."""
    ids: dict[str, str] = {}
    for case, key in zip(cases, keys, strict=True):
        if key not in others:
            ids.setdefault(key, case.id)
    return list(ids.values())


def _refusal(only_here: Sequence[str], only_there: Sequence[str]) -> str:
    parts = [
        f"{plural(len(ids), 'question is', 'questions are')} only {where} ({', '.join(ids[:_EXAMPLES])}"
        f"{' and others' if len(ids) > _EXAMPLES else ''})"
        for ids, where in ((only_here, "in the file"), (only_there, "in the baseline"))
        if ids
    ]
    differ = ", ".join(parts)
    return f"The baseline has other questions: {differ}; name a baseline of the same questions, or make a new one with --out."
