"""`make-variants`: ungrounded variants of every grounded answer of a set, with checks and a card."""

from collections.abc import Sequence
from pathlib import Path

import click

from groundscope.cases.dataset import to_jsonl
from groundscope.cases.edits.variants import MOST, OPERATORS, model_prompt
from groundscope.cases.edits.whole_set import card, vary
from groundscope.cases.validation import Embed, ValidationOutcome, validate
from groundscope.chat.budget import Budget, spending
from groundscope.chat.messages import ChatModel
from groundscope.commands import jobs, options, terminal
from groundscope.commands.case_files import read_cases, write
from groundscope.commands.terminal import DONE, REFUSED, say, show
from groundscope.errors import DataError
from groundscope.experiments.forecast import Takes
from groundscope.methods import Embeds, registry
from groundscope.methods.defaults import EMBEDDER
from groundscope.progress import listening
from groundscope.types import Case

_NAMES = tuple(o.name for o in OPERATORS)
CASES, CARD = "variants.jsonl", "README.md"


@click.command("make-variants", cls=options.Verb)
@options.LABELLED
@click.option("--edits", type=options.NAMES, help="kinds of legal edits, by name; none: none of them", show_default="all")
@click.option("--model", "models", metavar="SPEC", multiple=True, help="a chat model that writes, too; can be given again")
@click.option(
    "--versions", metavar="N", type=click.IntRange(1, MOST), default=4, help="versions that each model writes, an answer"
)
@click.option("--most", metavar="N", type=options.POSITIVE, default=2, help="variants of an answer that are kept")
@click.option("--seed", metavar="N", type=options.FROM_ZERO, default=0, help="chooses places to edit, and among variants")
@click.option("--out", metavar="DIR", type=options.PATH, required=True, help="a new folder for the set and its card")
@options.YES
@options.BUDGET
@options.QUIET
def make_variants(
    cases: Sequence[Path] | None, mapping: str | None, edits: Sequence[str] | None, models: Sequence[str], versions: int,
    most: int, seed: int, out: Path, yes: bool, calls: int | None, dollars: float | None, quiet: bool,
) -> int:  # fmt: skip
    """Make ungrounded variants of a whole set, with checks and a card.

    Legal edits and chat models write them. Of an answer's variants those are kept whose error types and writers are rarest so
    far. The new folder has the set and a card with its counts and checks: labels and spans, near-copies, and whether wording or
    length alone gives the labels away.
    """
    named = () if edits == ("none",) else edits
    if wrong := [e for e in named or () if e not in _NAMES]:
        raise ValueError(f"there is no edit {wrong[0]!r}; there are {', '.join(_NAMES)}")
    if out.exists():
        raise DataError(f"{out} is there already; name a new folder.")
    read, source = read_cases(cases, mapping)
    writers = {line: registry.chat(line) for line in models}
    sound = [c for c in read if c.grounded]
    if not jobs.offered([_takes(line, model, sound, versions) for line, model in writers.items()], yes=yes):
        return REFUSED
    line = terminal.Line(quiet=quiet)
    with spending(Budget(calls, dollars)), listening(lambda done, total: line.show(f"{done:,} of {total:,} answers written")):
        made = vary(
            read,
            per_answer=most,
            seed=seed,
            names=named or (),
            edits=named is None or bool(named),
            models=writers,
            versions=versions,
        )
    checks = validate(made.cases, _embed())
    settings = {
        "Legal edits": "all" if named is None else ", ".join(named) or "none",
        "Chat models": ", ".join(models) or "none",
        "Variants of an answer, at most": str(most),
        "Seed": str(seed),
    }
    try:
        out.mkdir()
    except OSError as error:
        raise DataError(f"{out} cannot be written ({error.strerror}); name a folder elsewhere.") from None
    write(out / CASES, to_jsonl(made.cases).encode("utf-8"))
    write(out / CARD, card(made, source, settings, checks).encode("utf-8"))
    for check in checks:
        mark = "" if check.outcome is ValidationOutcome.PASSED else f" ({check.outcome.value})"
        say(f"{check.title}{mark}: {check.figure}")
    say(f"{sum(made.writers.values()):,} variants of {made.answers - made.bare:,} of {made.answers:,} grounded answers.")
    show(str(out))
    return DONE


def _takes(line: str, model: ChatModel, cases: Sequence[Case], versions: int) -> Takes:
    missing = model.unavailable()
    costs = [None if missing else model.most(model_prompt(case, versions)) for case in cases]
    known = [cost for cost in costs if cost is not None]
    dollars = sum(known) if len(known) == len(costs) else None
    return Takes(line, len(cases), dollars, model.address, missing, again=len(cases))


def _embed() -> Embed | None:
    method = registry.find(EMBEDDER)
    return method.embed if isinstance(method, Embeds) and not method.unavailable() else None
