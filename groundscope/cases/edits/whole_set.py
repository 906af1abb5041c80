"""Ungrounded variants of a whole set, by legal edits and by chat models, balanced by error type, with a card.

After Trautmann et al. 2024, section 4.2: several subtly wrong versions of each grounded response, by more than one writer, so
that no writer's habits stand for the label. `groundscope.cases.validation` then checks the set.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from groundscope.cases.edits.by_model import MOST
from groundscope.cases.edits.variants import Adapted, adapt, adapt_by_model
from groundscope.cases.error_types import TITLES, type_counts
from groundscope.cases.validation import Check
from groundscope.chat.conversation import ask_all
from groundscope.chat.messages import ChatModel
from groundscope.errors import DataError
from groundscope.humanize import markdown_cell
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
        cases: each answer, followed by its variants.
        writers: number of variants by writer.
        dropped: number of versions that were not taken, by reason.
        answers: number of grounded answers; `bare` of them have no variant.
    """

    cases: tuple[Case, ...]
    writers: Mapping[str, int]
    dropped: Mapping[str, int]
    answers: int
    bare: int


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

    Args:
        cases: the set; answers that are not labelled as grounded, or that have error spans, are left out.
        per_answer: variants of one answer that are kept, at most.
        seed: chooses the places that are edited, and among equally rare variants.
        names: of the legal edits to use; none = all.
        edits: whether rules make variants.
        models: chat models that write variants too, by the name that the card shows.
        versions: how many each model is asked for, an answer.

    Returns:
        The answers and the chosen variants; reports progress where models are asked, and can be cancelled.

    Raises:
        DataError: no answer is labelled as grounded, nothing writes, or no variant could be made.
        ModelUnavailable: a model cannot be asked.
        BudgetSpent: the budget does not cover the next call.
        Cancelled: the user stopped it.
    """
    # A group keeps an answer and its variants in one split.
    sound = [replace(c, group=c.group or c.id) for c in cases if c.grounded and not c.errors and not c.unsupported]
    if not sound:
        raise DataError("No answer of this set is labelled as grounded, so there is nothing to make variants of.")
    if not (edits or models):
        raise DataError("Nothing writes variants: choose the legal edits, a chat model, or both.")
    dropped: Counter[str] = Counter()
    written = {case.id: _by_rules(case, seed, names) if edits else [] for case in sound}
    for number, (writer, model) in enumerate((models or {}).items(), 1):
        asked = [partial(_asked, case, model, min(versions, MOST)) for case in sound]
        for case, found in zip(sound, ask_all(asked), strict=True):
            if isinstance(found, str):
                dropped[found] += 1
                continue
            dropped.update(skipped.reason for skipped in found.skipped)
            named = [replace(v.case, id=f"{case.id}-writer{number}-{n}") for n, v in enumerate(found.variants, 1)]
            written[case.id] += [_Candidate(variant, writer) for variant in named]
    chosen = _even(_distinct(sound, written, dropped), per_answer, seed)
    if not any(chosen.values()):
        raise DataError("No variant could be made of these answers; choose other edits, or let a chat model write.")
    writers = Counter(c.writer for found in chosen.values() for c in found)
    made = tuple(made for case in sound for made in (case, *(c.case for c in chosen[case.id])))
    return VariedSet(made, dict(writers), dict(dropped), len(sound), sum(not found for found in chosen.values()))


def _by_rules(case: Case, seed: int, names: Sequence[str]) -> list[_Candidate]:
    return [_Candidate(v.case, EDITS) for v in adapt(case, seed=seed, names=names).variants]


def _asked(case: Case, model: ChatModel, count: int) -> Adapted | str:
    try:
        return adapt_by_model(case, model, count=count)
    except DataError as error:
        return str(error)


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


def card(made: VariedSet, title: str, settings: Mapping[str, str], checks: Sequence[Check]) -> str:
    """Write the card of a set of variants, in Markdown.

    Args:
        made: the set.
        title: name of the set that it was made of.
        settings: what was chosen, by name.
        checks: of the made set, as `groundscope.cases.validation.validate` gives them.

    Returns:
        Text with a heading, tables and the limits.
    """
    variants = sum(made.writers.values())
    types = [(TITLES[t.type], f"{t.total:,}") for t in type_counts(made.cases)]
    parts: list[tuple[str, tuple[str, str], Sequence[tuple[str, str]]]] = [
        ("Settings", ("setting", "value"), list(settings.items())),
        ("Who wrote", ("writer", "variants"), [(w, f"{n:,}") for w, n in made.writers.items()]),
        ("Error spans by type", ("type", "spans"), types),
        ("Not taken", ("reason", "versions"), [(r, f"{n:,}") for r, n in made.dropped.items()]),
        ("Checks", ("check", "result"), [(c.title, f"{c.outcome.value}: {c.figure}") for c in checks]),
    ]
    lines = [
        f"# Variants of {markdown_cell(title)}",
        "",
        f"{made.answers:,} grounded answers and {variants:,} ungrounded variants of them; {made.bare:,} answers have none.",
    ]
    for heading, head, rows in parts:
        if rows:
            lines += ["", f"## {heading}", "", _row(head), "|---|---|", *map(_row, rows)]
    limits = "Each change was found and checked by rules. Whether it is wrong in law is for a person to read."
    return "\n".join([*lines, "", "## Limits", "", limits, ""])


def _row(cells: tuple[str, str]) -> str:
    return f"| {markdown_cell(cells[0])} | {markdown_cell(cells[1])} |"
