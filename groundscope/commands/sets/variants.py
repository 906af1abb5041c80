"""`make-variants`: ungrounded variants of every grounded answer of a set, with checks and a card."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from groundscope.cases.dataset import to_jsonl
from groundscope.cases.edits.set_card import card, settings
from groundscope.cases.edits.variants import MOST, OPERATORS, model_prompt
from groundscope.cases.edits.whole_set import VariedSet, VaryOptions, sound, vary
from groundscope.cases.validation import Embed, ValidationOutcome, validate
from groundscope.chat.budget import Budget, spending
from groundscope.chat.messages import ChatModel
from groundscope.commands import jobs, options, terminal
from groundscope.commands.case_files import write
from groundscope.commands.case_files.loading import CaseFiles, case_options
from groundscope.commands.stopping import stop_event
from groundscope.commands.terminal import DONE, REFUSED, STOPPED, say, show
from groundscope.errors import BudgetSpent, Cancelled, DataError
from groundscope.experiments.forecast import of_each
from groundscope.methods import Embeds, registry
from groundscope.methods.defaults import EMBEDDER
from groundscope.runtime.progress import listening
from groundscope.runtime.retention import keeping
from groundscope.text.humanize import plural
from groundscope.types import Case

_NAMES = tuple(o.name for o in OPERATORS)
CASES, CARD = "variants.jsonl", "README.md"


@click.command("make-variants", cls=options.Verb)
@case_options(draws="of the places to edit, and of the choice among variants")
@click.option("--edits", type=options.NAMES, help="kinds of legal edits, by name; none: none of them", show_default="all")
@click.option("--model", "models", metavar="SPEC", multiple=True, help="a chat model that writes, too; can be given again")
@click.option(
    "--versions", metavar="N", type=click.IntRange(1, MOST), default=4, help="versions that each model writes, an answer"
)
@click.option("--most", metavar="N", type=options.POSITIVE, default=2, help="variants of an answer that are kept")
@click.option("--out", metavar="DIR", type=options.PATH, required=True, help="a new folder for the set and its card")
@options.YES
@options.LIMITS
def make_variants(
    given: CaseFiles, edits: Sequence[str] | None, models: Sequence[str], versions: int, most: int, out: Path, yes: bool,
    calls: int | None, dollars: float | None, quiet: bool, with_parent: bool,
) -> int:  # fmt: skip
    """Make ungrounded variants of a whole set, with checks and a card.

    Legal edits and chat models write them. Of an answer's variants those are kept whose error types and writers are rarest so
    far. The new folder has the set and a card with its counts and checks: labels and spans, near-copies, and whether wording or
    length alone gives the labels away. Ctrl-C ends the writing; the set then has the answers that were done.
    """
    named = () if edits == ("none",) else edits or ()
    if wrong := [e for e in named if e not in _NAMES]:
        raise ValueError(f"there is no edit {wrong[0]!r}; there are {', '.join(_NAMES)}")
    if out.exists():
        raise DataError(f"{out} is there already; name a new folder.")
    read, source = given.read()
    writers = {line: registry.chat(line) for line in dict.fromkeys(models)}
    prompts = [model_prompt(case, versions) for case in sound(read)] if writers else []
    if not jobs.offered([of_each(line, m, prompts, again=len(prompts)) for line, m in writers.items()], yes=yes):
        return REFUSED
    how = VaryOptions(per_answer=most, seed=given.seed, names=named, edits=edits != ("none",), versions=versions)
    try:
        made = _made(read, how, writers, Budget(calls, dollars), quiet=quiet, with_parent=with_parent)
    except (Cancelled, BudgetSpent) as error:
        why = str(error) if isinstance(error, BudgetSpent) else "Stopped before one answer was done."
        say(f"{why} Replies that arrived are kept; the same command continues from there.")
        return STOPPED
    return _written(made, source, settings(models=tuple(writers), **how), out)


def _made(
    read: Sequence[Case], how: VaryOptions, writers: Mapping[str, ChatModel], budget: Budget, *, quiet: bool,
    with_parent: bool,
) -> VariedSet:  # fmt: skip
    stop, line = stop_event(with_parent=with_parent), terminal.Line(quiet=quiet)

    def hear(done: int, total: int) -> None:
        if stop.is_set():
            raise Cancelled
        line.show(f"{done:,} of {plural(total, 'answer')} written" if done else "Making legal edits")

    with spending(budget), listening(hear), keeping():
        return vary(read, models=writers, **how)


def _written(made: VariedSet, source: str, chosen: Mapping[str, str], out: Path) -> int:
    """Check the set, write it with its card, and say what it is; gives the exit code."""
    checks = validate(made.cases, _embed())
    try:
        out.mkdir()
    except OSError as error:
        raise DataError(f"{out} cannot be written ({error.strerror}); name a folder elsewhere.") from None
    write(out / CASES, to_jsonl(made.cases).encode("utf-8"))
    write(out / CARD, card(made, source, chosen, checks).encode("utf-8"))
    for check in checks:
        mark = "" if check.outcome is ValidationOutcome.PASSED else f" ({check.outcome.value})"
        say(f"{check.title}{mark}: {check.figure}")
    say(f"{sum(made.writers.values()):,} variants of {made.answers - made.bare:,} of {made.answers:,} grounded answers.")
    if made.stopped:
        left = plural(made.left, "grounded answer was", "grounded answers were")
        say(f"{made.stopped} {left} not reached. Replies are kept: the same command with another --out writes the rest, too.")
    show(str(out))
    return STOPPED if made.stopped else DONE


def _embed() -> Embed | None:
    method = registry.find(EMBEDDER)
    return method.embed if isinstance(method, Embeds) and not method.unavailable() else None
