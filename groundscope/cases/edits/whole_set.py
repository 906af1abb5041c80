"""Ungrounded variants of a whole set, by legal edits and by chat models, balanced by error type.

After Trautmann et al. 2024, section 4.2: several subtly wrong versions of each grounded response. Here more than one writer
makes them, so that no writer's habits stand for the label. `groundscope.cases.validation` then checks the set.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import NamedTuple, TypedDict

from groundscope.cases.dataset import to_line, to_row
from groundscope.cases.edits.by_model import MOST, Version, versions
from groundscope.cases.edits.variants import Adapted, adapt, check_parent, checked, model_prompt
from groundscope.cases.error_types import TITLES, type_counts
from groundscope.cases.own_format import own_case
from groundscope.cases.validation import Check, normal
from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.chat.clients.model import chat_model
from groundscope.chat.conversation import Asking
from groundscope.chat.json_reply import Unreadable
from groundscope.chat.messages import need_room
from groundscope.chat.prompt_files import asked_chat
from groundscope.errors import DataError, ModelUnavailable
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.plan import Content
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import Task, TaskPart, contents, plan_of
from groundscope.files.fields import cleaned
from groundscope.files.typed import stored
from groundscope.text.humanize import markdown_cell, plural
from groundscope.types import Case

EDITS = "Legal edits"
"""The writer of variants that rules make."""


class VaryOptions(TypedDict):
    """How `vary` makes variants; see there."""

    per_answer: int
    seed: int
    names: Sequence[str]
    edits: bool
    versions: int


def _part(line: str, options: Content) -> TaskPart[Case]:
    spec, name = asked_chat(line)
    model, count = chat_model(spec), min(options["how"]["versions"], MOST)
    wording = model_prompt(Case("", "", (), ""), count, name).key("")[:8]

    def do(case: Case) -> Content:
        asked = model_prompt(case, count, name)
        try:
            need_room(model, asked, "This answer with its sources", "; choose a model with more room.")
        except ModelUnavailable as error:
            return {"why": str(error)}
        try:
            return {"versions": Asking(model, case).json(asked, versions)}
        except Unreadable as error:
            return {"why": f"{error} No variants were made."}

    return TaskPart(f"variants|model={model.identity}|wording={wording}", do)


WRITING: Task[Case] = Task(
    JobDirectory("variants", "set of variants"),
    "answer",
    "grounded answer",
    lambda case: cleaned(to_row(case)),
    lambda row: own_case(row, ""),
    _part,
)
"""Chat models write variants of every grounded answer."""


def begin(
    source: str, cases: Sequence[Case], lines: Sequence[str], how: VaryOptions, limits: Limits = NO_LIMITS, *,
    out: str | None = None, keeps: bool = True,
) -> str:  # fmt: skip
    """Make a job in which chat models write variants of a set's answers; nothing is sent yet."""
    answers, titles = _answers(cases), {line: line for line in lines}
    return WRITING.create(
        f"Variants of {source}", titles, answers, {"how": how, "source": source}, limits,
        out=out, keeps=keeps, cases=[case.id for case in answers],
    )  # fmt: skip


def begin_one(case: Case, line: str, count: int, limits: Limits = NO_LIMITS, *, keeps: bool = True) -> str:
    """Make a job in which a chat model writes versions of one answer."""
    check_parent(case)
    how = VaryOptions(per_answer=count, seed=0, names=(), edits=False, versions=count)
    options = {"how": how, "source": case.id, "case": digest(case)}
    return WRITING.create(f"Variants of {case.id}", {line: line}, [case], options, limits, keeps=keeps, cases=[case.id])


def digest(case: Case) -> str:
    """Name a case by its content: files of different people use the same ids."""
    return sha256(to_line(to_row(case)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def one_written_in(file: JobFile) -> Adapted | str:
    """Read the variants of one answer, or why there are none."""
    (case,) = WRITING.items(file)
    return _adapted(case, contents(file)[0, 0])


def _adapted(case: Case, content: Content | str) -> Adapted | str:
    if isinstance(content, str) or "why" in content:
        return content if isinstance(content, str) else str(content["why"])
    return checked(case, [stored(Version, row) for row in content["versions"]])


@dataclass(frozen=True, slots=True)
class Writing:
    """What chat models wrote so far; `written`: by id of the answer and name of the model."""

    models: tuple[str, ...] = ()
    written: Mapping[tuple[str, str], Content | str] = field(default_factory=dict)
    stopped: str = ""

    def done(self, case: Case) -> bool:
        """Whether every model is done with an answer."""
        return all((case.id, model) in self.written for model in self.models)


def written_in(file: JobFile) -> tuple[list[Case], Writing]:
    """Read the answers of a job, and what was written of them so far."""
    cases, models = WRITING.items(file), tuple(part.id for part in plan_of(file).parts)
    written = {(cases[row].id, models[part]): content for (row, part), content in contents(file).items()}
    why = "" if file.finished() else " ".join(file.about("ended", "").split()) or "It was stopped by hand."
    return cases, Writing(models, written, why)


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


def sound(cases: Sequence[Case]) -> list[Case]:
    """Choose the answers that variants can be made of: labelled as grounded, with nothing that is labelled as wrong."""
    return [replace(c, group=c.group or c.id) for c in cases if c.grounded and not c.called_wrong]


def _answers(cases: Sequence[Case]) -> list[Case]:
    answers = sound(cases)
    if not answers:
        raise DataError("No answer of this set is labelled as grounded, so there is nothing to make variants of.")
    return answers


def vary(
    cases: Sequence[Case],
    *,
    per_answer: int = 2,
    seed: int = 0,
    names: Sequence[str] = (),
    edits: bool = True,
    versions: int = 4,
    writing: Writing = Writing(),
) -> VariedSet:
    """Make variants of every grounded answer of a set, and choose among them so that error types and writers are even.

    Answers that a chat model is not done with are no part of the set; `versions` is what each was asked for.
    """
    answers = _answers(cases)
    if not (edits or writing.models):
        raise DataError("No writer of variants is chosen: choose the legal edits, a chat model, or both.")
    done = [case for case in answers if writing.done(case)]
    if not done:
        raise DataError(f"{writing.stopped} No answer is done yet; resume the writing.")
    written = {case.id: _by_rules(case, seed, names) if edits else [] for case in done}
    dropped = _take_in(done, writing, written)
    chosen = _even(_distinct(done, written, dropped), per_answer, seed)
    if not any(chosen.values()):
        raise DataError("No variant could be made of these answers; choose other edits, or let a chat model write.")
    writers = Counter(c.writer for candidates in chosen.values() for c in candidates)
    everything = tuple(c for case in done for c in (case, *(v.case for v in chosen[case.id])))
    bare = sum(not candidates for candidates in chosen.values())
    return VariedSet(everything, dict(writers), dict(dropped), len(done), bare, writing.stopped, len(answers) - len(done))


def _take_in(done: Sequence[Case], writing: Writing, written: Mapping[str, list[_Candidate]]) -> Counter[str]:
    """Put what models wrote beside what rules did; gives the versions that cannot be taken, by reason."""
    dropped: Counter[str] = Counter()
    for case in done:
        for number, writer in enumerate(writing.models, 1):
            adapted = _adapted(case, writing.written[case.id, writer])
            if isinstance(adapted, str):
                dropped[adapted] += 1
                continue
            dropped.update(reason for _, reason in adapted.skipped)
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
        seen = {normal(case.response)}
        distinct[case.id] = []
        for candidate in written[case.id]:
            if (words := normal(candidate.case.response)) in seen:
                dropped["It is the same as another version."] += 1
                continue
            seen.add(words)
            distinct[case.id].append(candidate)
    return distinct


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
