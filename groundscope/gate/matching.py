"""Pairs of questions of two sets of answers: answers may differ, the questions must be the same."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import DataError
from groundscope.text.humanize import plural
from groundscope.types import Case

MOST_REWORDED = 0.1
"""Share of questions that may have other words than in the baseline under the same id: more are other questions."""
_EXAMPLES = 3


class PairedQuestions(NamedTuple):
    """The place of each answer's question among those that both sets have: (n,) of the new ones, (k,) of the baseline's.

    -1 = the other set lacks it. `notes` are sentences on what is left out, and on questions whose words differ.
    """

    current: NDArray[np.int64]
    baseline: NDArray[np.int64]
    questions: int
    notes: tuple[str, ...] = ()


def pair_questions(cases: Sequence[Case], baseline: Sequence[Case], lost: int = 0) -> PairedQuestions:
    """Pair the questions of new answers with those of a baseline: by their words, or, where these differ, by ids of the files.

    Raises DataError, with how many and ids of some, if the questions are not the same or too many have other words under one id.
    """
    both = (*cases, *baseline)
    # Where one question stands for all, as that for a summary does, the sources distinguish rows.
    alone = len(both) > 2 and len({_question(c) for c in both}) == 1
    if alone:
        with suppress(DataError):
            return _paired(cases, baseline, _task, lost)
    return _paired(cases, baseline, lambda case: _question(case) or _task(case), lost)


def _paired(cases: Sequence[Case], baseline: Sequence[Case], key: Callable[[Case], str], lost: int) -> PairedQuestions:
    ours, theirs = [key(c) for c in cases], [key(c) for c in baseline]
    new, there = set(ours), set(theirs)
    by_id = {c.id: (k, c) for c, k in zip(baseline, theirs, strict=True) if k not in new and not c.numbered}
    reworded = dict[str, str]()
    for i, case in enumerate(cases):
        if ours[i] not in there and not case.numbered and case.id in by_id:
            ours[i], same = by_id[case.id]
            if _question(case) != _question(same):
                reworded.setdefault(ours[i], case.id)
    only_here, only_there = _first(cases, ours, there), _first(baseline, theirs, set(ours))
    common = {k: i for i, k in enumerate(dict.fromkeys(k for k in ours if k in there))}
    if not common or only_here or len(only_there) > lost:
        unnamed = any(c.numbered for c in (*cases, *baseline))
        why = " Rows without an id pair by the words of their questions alone." if unnamed else ""
        raise DataError(f"{_refusal(only_here, only_there)}{why}")
    notes = []
    if only_there:
        notes.append(f"{plural(len(only_there), 'question')} of the baseline cannot be compared: rows here could not be read.")
    if reworded:
        which = f"{len(reworded):,} of {plural(len(common), 'question')}"
        notes.append(f"Other words than in the baseline under the same id: {which} ({_some(list(reworded.values()))}).")
        if len(reworded) > MOST_REWORDED * len(common):
            raise DataError(f"{notes[-1]} At most {100 * MOST_REWORDED:g} % may differ; {_REMEDY}")
    mine, others = (np.array([common.get(k, -1) for k in keys], dtype=np.int64) for keys in (ours, theirs))
    return PairedQuestions(mine, others, len(common), tuple(notes))


_REMEDY = "name a baseline of the same questions, or make a new one with --out."


def _question(case: Case) -> str:
    return " ".join(case.query.split()).casefold()


def _task(case: Case) -> str:
    """What a row is an answer to where its question does not show it: its id, if it has no question, or its sources."""
    if not case.numbered and not _question(case):
        return f"\0{case.id}"
    return f"\0{case.group or ' '.join(p.text for p in case.context)}"


def _first(cases: Sequence[Case], keys: Sequence[str], others: set[str]) -> list[str]:
    """The id of the first case of each question that the others lack."""
    ids: dict[str, str] = {}
    for case, key in zip(cases, keys, strict=True):
        if key not in others:
            ids.setdefault(key, case.id)
    return list(ids.values())


def _refusal(only_here: Sequence[str], only_there: Sequence[str]) -> str:
    parts = [
        f"{plural(len(ids), 'question is', 'questions are')} only {where} ({_some(ids)})"
        for ids, where in ((only_here, "in the file"), (only_there, "in the baseline"))
        if ids
    ]
    return f"The baseline has other questions: {', '.join(parts)}; {_REMEDY}"


def _some(ids: Sequence[str]) -> str:
    return f"{', '.join(ids[:_EXAMPLES])}{' and others' if len(ids) > _EXAMPLES else ''}"
