"""`error-types`: types of the errors of ungrounded responses, by two chat models, written with the cases."""

from collections.abc import Sequence
from pathlib import Path

import click

from groundscope.cases.dataset import to_jsonl
from groundscope.cases.error_types import TITLES
from groundscope.cases.error_typing import Typed, agreement, agreement_words, choice_counts, choose_all, prompt, with_types
from groundscope.chat.budget import Budget, spending
from groundscope.commands import jobs, options, terminal
from groundscope.commands.case_files import read_cases, write
from groundscope.commands.stopping import stop_event
from groundscope.commands.terminal import DONE, REFUSED, STOPPED, say, show, table
from groundscope.errors import BudgetSpent, Cancelled, DataError
from groundscope.experiments.forecast import of_prompts
from groundscope.humanize import plural
from groundscope.methods import registry
from groundscope.progress import listening
from groundscope.retention import keeping


@click.command(cls=options.Verb)
@options.LABELLED
@click.option("--first", metavar="SPEC", required=True, help="a chat model, such as anthropic:NAME or server:NAME@ADDRESS")
@click.option("--second", metavar="SPEC", required=True, help="another one, which does not see what the first one chose")
@click.option("--out", metavar="FILE", type=options.PATH, required=True, help="a new file for all cases with the types: JSONL")
@options.YES
@options.LIMITS
def error_types(
    cases: Sequence[Path] | None, mapping: str | None, first: str, second: str, out: Path, yes: bool,
    calls: int | None, dollars: float | None, quiet: bool, with_parent: bool,
) -> int:  # fmt: skip
    """Find the types of errors of ungrounded responses by two chat models.

    Types that both models chose are written as labels of the responses; responses with marked errors keep the types of the
    marks. A run of the new file counts misses by type. What it takes is said first.
    """
    if out.exists():
        raise DataError(f"{out} is there already; name another file.")
    found, name = read_cases(cases, mapping)
    wrong = [c for c in found if c.grounded is False]
    if not wrong:
        raise DataError(f"No response of {name} is labelled ungrounded.")
    models = registry.chat(first), registry.chat(second)
    if models[0].identity == models[1].identity:
        raise ValueError("Name two different models.")
    longest = max((prompt(c) for c in wrong), key=lambda p: p.tokens())
    takes = [of_prompts(m.identity, m, len(wrong), longest, again=len(wrong)) for m in models]
    if not jobs.offered(takes, yes=yes):
        return REFUSED
    stop, line = stop_event(with_parent=with_parent), terminal.Line(quiet=quiet)

    def hear(done: int, total: int) -> None:
        if stop.is_set():
            raise Cancelled
        line.show(f"{done:,} of {plural(total, 'reply', 'replies')}")

    try:
        with spending(Budget(calls, dollars)), listening(hear), keeping():
            typed = choose_all(wrong, *models)
    except (Cancelled, BudgetSpent) as error:
        why = str(error) if isinstance(error, BudgetSpent) else "Stopped."
        say(f"{why} Replies that arrived are kept; the same command continues from there.")
        return STOPPED
    labelled = with_types(found, typed)
    new = sum(a != b for a, b in zip(found, labelled, strict=True))
    where = write(out, to_jsonl(labelled).encode(), "; name another file. Replies are kept", "xb")
    show(_text(typed))
    say(f"{plural(new, 'response')} got types: {where}")
    return DONE


def _text(typed: Sequence[Typed]) -> str:
    rows = [(TITLES[c.type], f"{c.first:,}", f"{c.second:,}", f"{c.both:,}") for c in choice_counts(typed)]
    return "\n\n".join([agreement_words(agreement(typed)), table(("error type", "first", "second", "both"), rows)])
