"""Ungrounded variants of a whole set, by legal edits and by chat models, balanced by error type.

After Trautmann et al. 2024, section 4.2: several subtly wrong versions of each grounded response, by more than one writer, so
that no writer's habits stand for the label. `groundscope.cases.validation` then checks the set.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypedDict

from groundscope.cases.edits.set_writers import Writing, write_all
from groundscope.cases.edits.variants import adapt
from groundscope.chat.messages import ChatModel
from groundscope.errors import DataError
from groundscope.runtime.progress import report
from groundscope.types import Case

EDITS = "Legal edits"
"""The writer of variants that rules make."""


class _Candidate(NamedTuple):
    case: Case
    writer: str


@dataclass(frozen=True, slots=True)
class VariedSet:
    """A set of grounded answers and of variants of them.

    Attributes:
        dropped: number of versions that were not taken, by reason.
        answers: number of grounded answers; `bare` of them have no variant.
        stopped: why the writing ended early, in a sentence; empty = it did not.
        left: number of grounded answers that were not reached then, and are no part of the set.
    """

    cases: tuple[Case, ...]
    writers: Mapping[str, int]
    dropped: Mapping[str, int]
    answers: int
    bare: int
    stopped: str = ""
    left: int = 0


class VaryOptions(TypedDict):
    """How `vary` makes variants; see there."""

    per_answer: int
    seed: int
    names: Sequence[str]
    edits: bool
    versions: int


def sound(cases: Sequence[Case]) -> list[Case]:
    """Choose the answers that variants can be made of: labelled as grounded, with nothing that is labelled as wrong."""
    return [replace(c, group=c.group or c.id) for c in cases if c.grounded and not c.called_wrong]


def vary(
    cases: Sequence[Case],
    *,
    per_answer: int = 2,
    seed: int = 0,
    names: Sequence[str] = (),
    edits: bool = True,
    models: Mapping[str, ChatModel] | None = None,
    versions: int = 4,
) -> VariedSet:
    """Make variants of every grounded answer of a set, and choose among them so that error types and writers are even.

    Raises:
        DataError: no answer is labelled as grounded, nothing writes, or no variant could be made.
        ModelUnavailable, BudgetSpent, Cancelled: it ended before every writer was done with one answer.
    """
    answers = sound(cases)
    if not answers:
        raise DataError("No answer of this set is labelled as grounded, so there is nothing to make variants of.")
    if not (edits or models):
        raise DataError("Nothing writes variants: choose the legal edits, a chat model, or both.")
    there = models or {}
    written: dict[str, list[_Candidate]] = {}
    for case in answers:
        # Rules take a while for a large set, and nothing is sent before they are done.
        report(0, len(answers) * max(1, len(there)))
        written[case.id] = _by_rules(case, seed, names) if edits else []
    writing = write_all(answers, there, versions)
    dropped = _take_in(answers, writing, written, list(there))
    done = [case for case in answers if case.id in writing.done]
    chosen = _even(_distinct(done, written, dropped), per_answer, seed)
    if not any(chosen.values()):
        raise DataError("No variant could be made of these answers; choose other edits, or let a chat model write.")
    writers = Counter(c.writer for found in chosen.values() for c in found)
    made = tuple(made for case in done for made in (case, *(c.case for c in chosen[case.id])))
    bare = sum(not found for found in chosen.values())
    return VariedSet(made, dict(writers), dict(dropped), len(done), bare, writing.stopped, len(answers) - len(done))


def _take_in(
    answers: Sequence[Case], writing: Writing, written: Mapping[str, list[_Candidate]], models: Sequence[str]
) -> Counter[str]:
    """Put what models wrote beside what rules did; gives the versions that cannot be taken, by reason."""
    dropped: Counter[str] = Counter()
    for case in (c for c in answers if c.id in writing.done):
        for number, writer in enumerate(models, 1):
            found = writing.written[case.id, writer]
            if isinstance(found, str):
                dropped[found] += 1
                continue
            dropped.update(skipped.reason for skipped in found.skipped)
            named = [replace(v.case, id=f"{case.id}-writer{number}-{n}") for n, v in enumerate(found.variants, 1)]
            written[case.id] += [_Candidate(variant, writer) for variant in named]
    return dropped


def _by_rules(case: Case, seed: int, names: Sequence[str]) -> list[_Candidate]:
    return [_Candidate(v.case, EDITS) for v in adapt(case, seed=seed, names=names).variants]


def _distinct(
    sound: Sequence[Case], written: Mapping[str, Sequence[_Candidate]], dropped: Counter[str]
) -> dict[str, list[_Candidate]]:
    """Without variants whose words are those of another one, also of another writer."""
    found: dict[str, list[_Candidate]] = {}
    for case in sound:
        seen = {_plain(case.response)}
        found[case.id] = []
        for candidate in written[case.id]:
            if (words := _plain(candidate.case.response)) in seen:
                dropped["It is the same as another version."] += 1
                continue
            seen.add(words)
            found[case.id].append(candidate)
    return found


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _even(written: Mapping[str, Sequence[_Candidate]], most: int, seed: int) -> dict[str, list[_Candidate]]:
    """In each round every answer gets the variant of the type, then of the writer, that is rarest so far."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    left = {answer: list(found) for answer, found in written.items()}
    chosen: dict[str, list[_Candidate]] = {answer: [] for answer in left}
    types: Counter[str] = Counter()
    writers: Counter[str] = Counter()
    for _ in range(most):
        order = list(left)
        draw.shuffle(order)
        for answer in (a for a in order if left[a]):
            ties = {c.case.id: draw.random() for c in left[answer]}
            best = min(left[answer], key=lambda c: (_rarest(c, types), writers[c.writer], ties[c.case.id]))
            left[answer].remove(best)
            chosen[answer].append(best)
            types.update(e.type.value for e in best.case.errors)
            writers[best.writer] += 1
    return chosen


def _rarest(candidate: _Candidate, types: Counter[str]) -> int:
    return max(types[e.type.value] for e in candidate.case.errors)
