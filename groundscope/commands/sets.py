"""`check-set`, `split`, `make-variants`: checks of sets of cases, and sets made of them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from groundscope.cases.dataset import to_jsonl
from groundscope.cases.edits.variants import MOST, OPERATORS, model_prompt
from groundscope.cases.edits.whole_set import VariedSet, VaryOptions, card, settings, sound, vary
from groundscope.cases.splitting import SplitCount, split_counts, with_splits
from groundscope.cases.validation import Check, Embed, ValidationOutcome, validate
from groundscope.chat.budget import Budget, spending
from groundscope.chat.clients.model import chat_model
from groundscope.chat.messages import ChatModel
from groundscope.chat.prompt_files import asked_chat
from groundscope.commands import jobs, options, terminal
from groundscope.commands.case_files import CaseFiles, case_options, write
from groundscope.commands.terminal import CHANGED, DONE, REFUSED, STOPPED, say, show, stop_event, table
from groundscope.errors import BudgetSpent, Cancelled, DataError
from groundscope.experiments.forecast import of_each
from groundscope.methods import Embeds, registry
from groundscope.methods.defaults import EMBEDDER
from groundscope.models import embedders
from groundscope.runtime.progress import listening
from groundscope.runtime.retention import keeping
from groundscope.text.humanize import plural
from groundscope.types import Case

_LISTED = 10
_HEAD = ("split", "queries", "responses", "grounded", "ungrounded", "sentences", "error spans")


@click.command(cls=options.Verb)
@case_options()
@click.option("--near-copies", is_flag=True, help="look for near-copies across splits, too, by embeddings: takes longer")
@click.option("--json", "in_json", is_flag=True, help="everything as JSON")
def check_set(case_files: CaseFiles, near_copies: bool, in_json: bool) -> int:
    """Check whether a labelled set is fit to measure on.

    Are labels, spans, evidence and splits consistent, and does wording alone give the label away? The exit code is 1 where a
    check failed.
    """
    cases, name = case_files.read()
    checks = validate(cases, _embed() if near_copies else None)
    counts = split_counts(cases)
    show(json.dumps(_as_json(name, counts, checks), indent=1, ensure_ascii=False) if in_json else _text(name, counts, checks))
    return CHANGED if any(c.outcome is ValidationOutcome.FAILED for c in checks) else DONE


def _embed() -> Embed:
    embedder = embedders.embedder(EMBEDDER.partition(":")[2] or "minilm")
    return lambda texts: embedder.passages(list(texts), lambda *_: None)


def _text(name: str, counts: Sequence[SplitCount], checks: Sequence[Check]) -> str:
    failed = sum(c.outcome is ValidationOutcome.FAILED for c in checks)
    findings = [
        "\n".join(
            [f"{c.title}: {plural(len(c.findings), 'case')}", *(f"  {case}: {words}" for case, words in c.findings[:_LISTED])]
        )
        + (f"\n  ... and {len(c.findings) - _LISTED:,} more" if len(c.findings) > _LISTED else "")
        for c in checks
        if c.findings
    ]
    parts = [
        f"{name}: {f'{failed} of {len(checks)} checks failed' if failed else 'no check failed'}.",
        table(_HEAD, [(c.split, *(f"{n:,}" for n in _numbers(c))) for c in counts]),
        table(("outcome", "check", "measured"), [(c.outcome.value, c.title, c.figure) for c in checks]),
        *findings,
    ]
    return "\n\n".join(parts)


def _numbers(count: SplitCount) -> tuple[int, ...]:
    return count.queries, count.responses, count.grounded, count.ungrounded, count.sentences, count.errors


def _as_json(name: str, counts: Sequence[SplitCount], checks: Sequence[Check]) -> dict[str, Any]:
    return {
        "set": name,
        "splits": [dict(zip(_HEAD, (c.split, *_numbers(c)), strict=True)) for c in counts],
        "checks": [
            {
                "check": c.title,
                "outcome": c.outcome.value,
                "measured": c.figure,
                "findings": [{"case": case, "finding": words} for case, words in c.findings],
            }
            for c in checks
        ],
    }


@click.command(cls=options.Verb)
# Its own --shares are what --make-splits is elsewhere.
@case_options("files of cases", required=True, splits=False, draws="of the splits")
@click.option(
    "--shares", metavar="A/B/C", type=options.Shares(), default="70/10/20", help="of the queries in train, dev and test"
)
@click.option("--replace", "anyway", is_flag=True, help="make new splits of a set that has some")
@click.option("--out", metavar="FILE", type=options.PATH, required=True, help="a new file for the cases with their splits")
def split(case_files: CaseFiles, shares: Mapping[str, float], anyway: bool, out: Path) -> int:
    """Split a set by query into train, dev and test.

    All responses of a query go into one split. Queries are drawn by area of law and by the labels of their responses, so that
    each split gets its share of each. The same seed gives the same splits.
    """
    read, source = case_files.read()
    if not anyway and (there := sorted({c.split for c in read if c.split})):
        raise DataError(f"{source} has splits already: {', '.join(there)}; add --replace to make new ones.")
    divided = with_splits(read, shares, case_files.seed)
    try:
        path = write(out, to_jsonl(divided).encode("utf-8"), "; name a file elsewhere", "xb")
    except FileExistsError:
        raise DataError(f"{out} already exists; name a new file.") from None
    rows = [
        (s.split, *(f"{n:,}" for n in (s.queries, s.responses, s.grounded, s.ungrounded, s.sentences)))
        for s in split_counts(divided)
    ]
    say(table(("split", "queries", "responses", "grounded", "ungrounded", "sentences"), rows))
    show(path)
    return DONE


_NAMES = tuple(o.name for o in OPERATORS)
CASES, CARD = "variants.jsonl", "README.md"


@click.command("make-variants", cls=options.Verb)
@case_options(draws="of the places to edit, and of the choice among variants")
@click.option("--edits", type=options.NAMES, help="kinds of legal edits, by name; none: none of them", show_default="all")
@click.option(
    "--model",
    "models",
    metavar="SPEC",
    multiple=True,
    help="a chat model that writes, too, or chat/NAME:SPEC by a prompt; can be given again",
)
@click.option(
    "--versions", metavar="N", type=click.IntRange(1, MOST), default=4, help="versions that each model writes, an answer"
)
@click.option("--most", metavar="N", type=options.POSITIVE, default=2, help="variants of an answer that are kept")
@click.option("--out", metavar="DIR", type=options.PATH, required=True, help="a new folder for the set and its card")
@options.YES
@options.LIMITS
def make_variants(
    case_files: CaseFiles, edits: Sequence[str] | None, models: Sequence[str], versions: int, most: int, out: Path, yes: bool,
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
        raise DataError(f"{out} already exists; name a new folder.")
    read, source = case_files.read()
    writers = {line: chat_model(asked_chat(line).spec) for line in dict.fromkeys(models)}
    sent = {line: [model_prompt(case, versions, asked_chat(line).prompt) for case in sound(read)] for line in writers}
    if not jobs.offered([of_each(line, m, sent[line], again=len(sent[line])) for line, m in writers.items()], yes=yes):
        return REFUSED
    how = VaryOptions(per_answer=most, seed=case_files.seed, names=named, edits=edits != ("none",), versions=versions)
    try:
        varied = _made(read, how, writers, Budget(calls, dollars), quiet=quiet, with_parent=with_parent)
    except (Cancelled, BudgetSpent) as error:
        why = str(error) if isinstance(error, BudgetSpent) else "Stopped before one answer was done."
        say(f"{why} Received replies are saved; run the same command again to continue.")
        return STOPPED
    return _written(varied, source, settings(models=tuple(writers), **how), out)


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


def _written(varied: VariedSet, source: str, chosen: Mapping[str, str], out: Path) -> int:
    """Check the set, write it with its card, and say what it is; gives the exit code."""
    checks = validate(varied.cases, _embed_for_card())
    try:
        out.mkdir()
    except OSError as error:
        raise DataError(f"{out} cannot be written ({error.strerror}); name a folder elsewhere.") from None
    write(out / CASES, to_jsonl(varied.cases).encode("utf-8"))
    write(out / CARD, card(varied, source, chosen, checks).encode("utf-8"))
    for check in checks:
        mark = "" if check.outcome is ValidationOutcome.PASSED else f" ({check.outcome.value})"
        say(f"{check.title}{mark}: {check.figure}")
    say(f"{sum(varied.writers.values()):,} variants of {varied.answers - varied.bare:,} of {varied.answers:,} grounded answers.")
    if varied.stopped:
        left = plural(varied.left, "grounded answer was", "grounded answers were")
        say(f"{varied.stopped} {left} not reached. Replies are kept: the same command with another --out writes the rest, too.")
    show(str(out))
    return STOPPED if varied.stopped else DONE


def _embed_for_card() -> Embed | None:
    method = registry.find(EMBEDDER)
    return method.embed if isinstance(method, Embeds) and not method.unavailable() else None
