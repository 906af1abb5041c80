"""`error-types`: types of the errors of ungrounded responses, by two chat models, written with the cases or beside a run."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from groundscope.cases.dataset import to_jsonl
from groundscope.cases.error_types import TITLES
from groundscope.cases.error_typing import (
    TYPING,
    Typed,
    agreement,
    agreement_words,
    choice_counts,
    chooser,
    prompt,
    typed_in,
    with_types,
)
from groundscope.chat.budget import Limits
from groundscope.commands import jobs, options
from groundscope.commands.case_files import CaseFiles, case_options, check_place, write
from groundscope.commands.terminal import DONE, REFUSED, say, table
from groundscope.errors import DataError
from groundscope.experiments.forecast import of_prompts
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import plan_of
from groundscope.grounding.runs import listing
from groundscope.grounding.runs.added_types import added_by_models, matched, without_types
from groundscope.grounding.runs.arrays import AddedTypes, RunData
from groundscope.text.humanize import plural
from groundscope.types import Case

_SHOWN = 20
"""Cases whose types are not taken; of more, only the number is shown."""


@click.command(cls=options.Verb)
# No splits: types do not depend on them, and a run of the new file makes the same ones.
@case_options(splits=False)
@click.option("--run", metavar="RUN", help="a finished run that gets the types; its own cases are typed")
@click.option("--types", metavar="FILE...", type=options.FILES, help="with --run: files of cases with types; no model is asked")
@click.option("--first", metavar="SPEC", help="a chat model, such as anthropic:NAME; or chat/NAME:SPEC by a prompt")
@click.option("--second", metavar="SPEC", help="another one, which does not see what the first one chose")
@click.option("--out", metavar="FILE", type=options.PATH, help="a new file for all cases with the types: JSONL")
@options.YES
@options.LIMITS
def error_types(
    case_files: CaseFiles, run: str | None, types: Sequence[Path] | None, first: str | None, second: str | None, out: Path | None,
    yes: bool, calls: int | None, dollars: float | None, quiet: bool, with_parent: bool,
) -> int:  # fmt: skip
    """Find the types of errors of ungrounded responses by two chat models.

    Types that both models chose are written as labels of the responses; responses with marked errors keep the types of the
    marks. A run of the new file counts misses by type. Cost, time and where texts go are shown first.

    With --run, responses of a finished run that have no types get them, by two models, or from files with --types. They are kept
    beside the run and exported with it, and change no score, label or threshold.
    """
    if types:
        if not run or case_files.files or first or second or out:
            raise ValueError("--types goes with --run alone: it asks no model, and the run has its own cases.")
        cases, name = replace(case_files, files=types).read()
        return _add_from_files(run, cases, name)
    if not (first and second):
        raise ValueError("Name two chat models with --first and --second, or a run and files of types with --run and --types.")
    if not (out or run):
        raise ValueError("Name a new file for the types with --out, or a finished run with --run.")
    check_place(out)
    if run and case_files.files:
        raise ValueError("--run types the cases of the run; leave out --cases.")
    cases, name = _cases_of(run) if run else case_files.read()
    wrong = [c for c in cases if c.grounded is False and not (run and c.types)]
    if not wrong:
        why = "is ungrounded and without error types" if run else "is labelled ungrounded"
        raise DataError(f"No response of {name} {why}.")
    models = chooser(first), chooser(second)
    if models[0].model.identity == models[1].model.identity:
        raise ValueError("Name two different models.")
    largest = max(wrong, key=lambda case: prompt(case).tokens())
    takes = [of_prompts(m.identity, m, len(wrong), prompt(largest, asked), again=len(wrong)) for m, asked in models]
    if not jobs.offered(takes, yes=yes):
        return REFUSED
    ids = {case.id for case in wrong}
    rows = [row for row, case in enumerate(cases) if case.id in ids]
    job = TYPING.create(
        f"Error types of {name}", {first: first, second: second}, cases, {"run": run or ""}, Limits(calls, dollars),
        rows=rows, out=str(out.absolute()) if out else "", cases=[case.id for case in cases],
    )  # fmt: skip
    file = TYPING.folder.open(job)
    return jobs.go(RUNNER, file, out, quiet=quiet, with_parent=with_parent)


def _write(file: JobFile, out: Path | None) -> str:
    """Write the types of a finished typing where they belong."""
    plan, (cases, typed) = plan_of(file), typed_in(file)
    if all(t.first is None and t.second is None for t in typed):
        raise DataError(agreement_words(agreement(typed)))
    if out:
        check_place(out)
        labelled = with_types(cases, typed)
        new = sum(a != b for a, b in zip(cases, labelled, strict=True))
        say(f"{plural(new, 'response')} got types: {write(out, to_jsonl(labelled).encode())}")
    if run := plan.options["run"]:
        added = added_by_models(now := listing.find(run), typed, " and ".join(part.title for part in plan.parts))
        if added.types:
            _keep(run, now, added)
        else:
            say("The models have no type in common for any response, so that the run stays as it is.")
    return _text(typed)


RUNNER = jobs.task_runner(TYPING, "Errors", _write, check_place)


def _cases_of(named: str) -> tuple[Sequence[Case], str]:
    run = listing.find(named)
    return run.read_cases(range(len(run.ids))), f"the run {run.name}"


def _add_from_files(named: str, cases: Sequence[Case], source: str) -> int:
    """Keep the types of cases beside a run; says what is not taken, and why."""
    run = listing.find(named)
    additions = matched(run, cases, source)
    for problem in additions.problems[:_SHOWN]:
        say(problem)
    if len(additions.problems) > _SHOWN:
        say(f"... and {len(additions.problems) - _SHOWN:,} cases more whose types are not taken.")
    if not additions.types:
        have = plural(additions.already, "response has", "responses have")
        say(f"No response of the run gets a new type; {have} these already.")
        return DONE if additions.already else REFUSED
    return _keep(named, run, additions.named(source))


def _keep(named: str, run: RunData, added: AddedTypes) -> int:
    listing.keep_types(listing.entry_of(named), [*run.added, added])
    without = plural(without_types(run) - len(added.types), "ungrounded one has", "ungrounded ones have")
    say(f"{plural(len(added.types), 'response')} of the run {run.name} got types; {without} none.")
    return DONE


def _text(typed: Sequence[Typed]) -> str:
    rows = [(TITLES[c.type], f"{c.first:,}", f"{c.second:,}", f"{c.both:,}") for c in choice_counts(typed)]
    return "\n\n".join([agreement_words(agreement(typed)), table(("error type", "first", "second", "both"), rows)])
