"""Ungrounded variants of a whole set, by legal edits and by chat models, balanced by error type.

After Trautmann et al. 2024, section 4.2: several subtly wrong versions of each grounded response. Here more than one writer
makes them, so that no writer's habits stand for the label. `groundscope.cases.validation` then checks the set.
"""

import random
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypedDict

from groundscope.cases.edits.by_model import MOST
from groundscope.cases.edits.variants import Adapted, adapt, adapt_by_model, model_prompt
from groundscope.cases.error_types import TITLES, type_counts
from groundscope.cases.validation import Check
from groundscope.chat.conversation import ask_all
from groundscope.chat.messages import ChatModel, need_room
from groundscope.chat.prompt_files import asked_chat
from groundscope.errors import BudgetSpent, Cancelled, DataError, ModelUnavailable
from groundscope.runtime.progress import report
from groundscope.text.humanize import markdown_cell, plural
from groundscope.types import Case

EDITS = "Legal edits"
"""The writer of variants that rules make."""
_PATIENCE = 3
"""Answers in a row of which a model writes nothing, before it counts as gone: the others would wait as long for nothing."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What chat models wrote; `written`: by id of the answer and name of the model: versions, or why there are none."""

    written: Mapping[tuple[str, str], Adapted | str]
    done: frozenset[str]
    stopped: str = ""


@dataclass(slots=True)
class _VariantWriters:
    """Where models leave what they wrote, from several threads."""

    written: dict[tuple[str, str], Adapted | str] = field(default_factory=dict)
    faults: dict[tuple[str, str], str] = field(default_factory=dict)
    silent: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, case: Case, name: str, model: ChatModel, count: int) -> None:
        """Have one model write of one answer; raises what ends all of it."""
        with self.lock:
            gone = self.silent[name] >= _PATIENCE
        if gone:
            raise ModelUnavailable(next(why for (_, who), why in reversed(self.faults.items()) if who == name))
        try:
            need_room(
                model,
                model_prompt(case, count, asked_chat(name).prompt),
                "This answer with its sources",
                "; choose a model with more room.",
            )
        except ModelUnavailable as error:
            self.written[case.id, name] = str(error)
            return
        try:
            self.written[case.id, name] = adapt_by_model(case, model, count=count, prompt=asked_chat(name).prompt)
        except DataError as error:
            self.written[case.id, name] = str(error)
        except ModelUnavailable as error:
            with self.lock:
                self.faults[case.id, name] = str(error)
                self.silent[name] += 1
                if self.silent[name] >= _PATIENCE:
                    raise
            return
        with self.lock:
            self.silent[name] = 0


def write_all(cases: Sequence[Case], models: Mapping[str, ChatModel], count: int) -> Writing:
    """Have every model write variants of every answer, several at a time."""
    if not models:
        return Writing({}, frozenset(c.id for c in cases))
    writers, stopped = _VariantWriters(), ""
    # One answer after the other, not one model: what is there when it ends early has every writer.
    asked = [partial(writers.ask, case, name, model, min(count, MOST)) for case in cases for name, model in models.items()]
    try:
        ask_all(asked)
    except (Cancelled, BudgetSpent, ModelUnavailable) as error:
        stopped = "It was stopped by hand." if isinstance(error, Cancelled) else str(error)
        if not _done(cases, models, writers.written):
            raise
    else:
        writers.written |= writers.faults
        if not any(isinstance(found, Adapted) for found in writers.written.values()) and writers.faults:
            raise ModelUnavailable(next(iter(writers.faults.values())))
    return Writing(writers.written, _done(cases, models, writers.written), stopped)


def _done(
    cases: Sequence[Case], models: Mapping[str, ChatModel], written: Mapping[tuple[str, str], Adapted | str]
) -> frozenset[str]:
    return frozenset(c.id for c in cases if all((c.id, name) in written for name in models))


class _Candidate(NamedTuple):
    case: Case
    writer: str


@dataclass(frozen=True, slots=True)
class VariedSet:
    """A set of grounded answers and of variants of them.

    `left`: number of grounded answers that were not reached then, and are no part of the set.
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

    Chat models write under their names in `models`; one that is `chat/NAME:SPEC` asks by that prompt.
    """
    answers = sound(cases)
    if not answers:
        raise DataError("No answer of this set is labelled as grounded, so there is nothing to make variants of.")
    if not (edits or models):
        raise DataError("No writer of variants is chosen: choose the legal edits, a chat model, or both.")
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
    writers = Counter(c.writer for candidates in chosen.values() for c in candidates)
    everything = tuple(c for case in done for c in (case, *(v.case for v in chosen[case.id])))
    bare = sum(not candidates for candidates in chosen.values())
    return VariedSet(everything, dict(writers), dict(dropped), len(done), bare, writing.stopped, len(answers) - len(done))


def _take_in(
    answers: Sequence[Case], writing: Writing, written: Mapping[str, list[_Candidate]], models: Sequence[str]
) -> Counter[str]:
    """Put what models wrote beside what rules did; gives the versions that cannot be taken, by reason."""
    dropped: Counter[str] = Counter()
    for case in (c for c in answers if c.id in writing.done):
        for number, writer in enumerate(models, 1):
            adapted = writing.written[case.id, writer]
            if isinstance(adapted, str):
                dropped[adapted] += 1
                continue
            dropped.update(skipped.reason for skipped in adapted.skipped)
            named = [replace(v.case, id=f"{case.id}-writer{number}-{n}") for n, v in enumerate(adapted.variants, 1)]
            written[case.id] += [_Candidate(variant, writer) for variant in named]
    return dropped


def _by_rules(case: Case, seed: int, names: Sequence[str]) -> list[_Candidate]:
    return [_Candidate(v.case, EDITS) for v in adapt(case, seed=seed, names=names).variants]


def _distinct(
    sound: Sequence[Case], written: Mapping[str, Sequence[_Candidate]], dropped: Counter[str]
) -> dict[str, list[_Candidate]]:
    """Without variants whose words are those of another one, also of another writer."""
    distinct: dict[str, list[_Candidate]] = {}
    for case in sound:
        seen = {_plain(case.response)}
        distinct[case.id] = []
        for candidate in written[case.id]:
            if (words := _plain(candidate.case.response)) in seen:
                dropped["It is the same as another version."] += 1
                continue
            seen.add(words)
            distinct[case.id].append(candidate)
    return distinct


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


def settings(
    *,
    per_answer: int,
    seed: int,
    names: Sequence[str] = (),
    edits: bool = True,
    models: Sequence[str] = (),
    versions: int = 4,
) -> dict[str, str]:
    """Describe how a set was made; the arguments are those of `groundscope.cases.edits.whole_set.vary`."""
    asked = {"Versions of a chat model, an answer": str(versions)} if models else {}
    return {
        "Legal edits": (", ".join(names) or "all") if edits else "none",
        "Chat models": ", ".join(models) or "none",
        **asked,
        "Variants of an answer, at most": str(per_answer),
        "Seed": str(seed),
    }


def card(varied: VariedSet, title: str, settings: Mapping[str, str], checks: Sequence[Check]) -> str:
    """Write the card of a set of variants, in Markdown."""
    variants = sum(varied.writers.values())
    early = (
        [f"Ended early: {varied.stopped} {plural(varied.left, 'grounded answer')} of the set were not reached."]
        if varied.stopped
        else []
    )
    types = [(TITLES[t.type], f"{t.total:,}") for t in type_counts(varied.cases)]
    parts: list[tuple[str, tuple[str, str], Sequence[tuple[str, str]]]] = [
        ("Settings", ("setting", "value"), list(settings.items())),
        ("Who wrote", ("writer", "variants"), [(w, f"{n:,}") for w, n in varied.writers.items()]),
        ("Error spans by type", ("type", "spans"), types),
        ("Not taken", ("reason", "versions"), [(r, f"{n:,}") for r, n in varied.dropped.items()]),
        ("Checks", ("check", "result"), [(c.title, f"{c.outcome.value}: {c.figure}") for c in checks]),
    ]
    lines = [
        f"# Variants of {markdown_cell(title)}",
        "",
        f"{varied.answers:,} grounded answers and {variants:,} ungrounded variants of them; {varied.bare:,} answers have none.",
        *early,
    ]
    for heading, head, rows in parts:
        if rows:
            lines += ["", f"## {heading}", "", _row(head), "|---|---|", *map(_row, rows)]
    limits = "Each change was found and checked by rules. Whether it is wrong in law is for a person to read."
    return "\n".join([*lines, "", "## Limits", "", limits, ""])


def _row(cells: tuple[str, str]) -> str:
    return f"| {markdown_cell(cells[0])} | {markdown_cell(cells[1])} |"
