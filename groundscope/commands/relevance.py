"""`relevance`: the responses of a run that may be beside the question, by likeness in meaning or a chat model."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from math import isnan
from pathlib import Path
from types import MappingProxyType

import click

from groundscope.cases.relevance import (
    TASK,
    VALUES,
    QueryRelevance,
    assessable,
    by_likeness,
    by_model,
    least_first,
    low_likeness,
    prompt,
)
from groundscope.chat.budget import Budget, spending
from groundscope.chat.clients.model import chat_model
from groundscope.chat.prompt_files import asked_chat, prompt_named
from groundscope.commands import jobs, options, terminal
from groundscope.commands.case_files import check_place, write
from groundscope.commands.terminal import DONE, REFUSED, STOPPED, say, show, stop_event, table
from groundscope.errors import BudgetSpent, Cancelled, DataError
from groundscope.experiments.forecast import of_each
from groundscope.grounding.runs import listing
from groundscope.methods import Embeds, registry
from groundscope.methods.defaults import EMBEDDER
from groundscope.runtime.progress import listening
from groundscope.runtime.retention import keeping
from groundscope.text.humanize import one_line, plural
from groundscope.types import Case

_SHOWN, _WIDTH = 20, 60
_LABELS = MappingProxyType({True: "grounded", False: "ungrounded", None: "-"})
_LIKENESS = (
    "Likeness in meaning of response and query, 0 to 1. It is low where a response is about something else; it can be high where "
    "a response stays with the subject and leaves the question open."
)


@click.command()
@options.RUN
@click.option(
    "--by",
    metavar="CHAT",
    default="",
    help="chat:SPEC or chat/PROMPT:SPEC: a chat model says yes, partly or no",
    show_default="likeness in meaning",
)
@click.option("--out", metavar="FILE", type=options.PATH, help="a new file for all responses, the least relevant first: JSONL")
@options.YES
@options.LIMITS
def relevance(
    run: str, by: str, out: Path | None, yes: bool, calls: int | None, dollars: float | None, quiet: bool, with_parent: bool
) -> int:
    """Show which responses of a run may be beside the question.

    A response can stand on its sources and not answer what was asked; no support shows that. The least relevant responses come
    first, with their labels. The sources are not read. Where texts go and what that costs is shown before any leave this machine.
    """
    check_place(out)
    judged = listing.find(run)
    cases = judged.read_cases(range(len(judged.ids)))
    if by and not by.startswith(("chat:", "chat/")):
        raise DataError("--by takes chat:SPEC or chat/PROMPT:SPEC; without it likeness in meaning is measured.")
    measured = _by_chat(cases, by, yes=yes) if by else _by_likeness()
    if measured is None:
        return REFUSED
    signature, measure = measured
    stop, line = stop_event(with_parent=with_parent), terminal.Line(quiet=quiet)

    def hear(done: int, total: int) -> None:
        if stop.is_set():
            raise Cancelled
        line.show(f"{done:,} of {total:,}")

    try:
        with spending(Budget(calls, dollars)), listening(hear), keeping():
            rows = least_first(cases, measure(cases))
    except (Cancelled, BudgetSpent) as error:
        why = str(error) if isinstance(error, BudgetSpent) else "Stopped."
        say(f"{why} Received replies are saved; run the same command again to continue.")
        return STOPPED
    show(_text(rows, judged.name, by))
    if out:
        lines = (json.dumps(_row(c, r) | {"by": signature}, ensure_ascii=False) + "\n" for c, r in rows)
        say(f"Written: {write(out, ''.join(lines).encode(), '; name another file. Replies are kept', 'xb')}")
    return DONE


Measure = Callable[[Sequence[Case]], list[QueryRelevance]]


def _by_likeness() -> tuple[str, Measure]:
    embedder = registry.load(EMBEDDER)
    if not isinstance(embedder, Embeds):
        raise DataError(f"{EMBEDDER} does not embed texts here, so likeness cannot be measured.")
    embed = embedder.embed
    return f"relevance|cosine|{embedder.signature}", lambda cases: by_likeness(cases, embed)


def _by_chat(cases: Sequence[Case], by: str, *, yes: bool) -> tuple[str, Measure] | None:
    """What it is measured by, and how; None where the user does not want it."""
    spec, named = asked_chat(by)
    model, instructions = chat_model(spec), prompt_named(TASK, named)
    some = [prompt(c, instructions) for c in cases if assessable(c)]
    estimate = of_each(model.identity, model, some, again=len(some))
    if (estimate.calls or estimate.missing) and not jobs.offered([estimate], yes=yes):
        return None
    wording = prompt(Case("", "", (), ""), instructions).key("")[:8]
    return f"relevance|{model.identity}|wording={wording}", lambda cases: by_model(cases, model, named)


def _row(case: Case, relevance: QueryRelevance) -> dict[str, object]:
    value = None if isnan(relevance.value) else relevance.value
    texts = {"query": case.query, "response": case.response, "grounded": case.grounded}
    return {"case": case.id, "relevance": value, "answers": relevance.answers, "reason": relevance.reason, **texts}


def _text(rows: Sequence[tuple[Case, QueryRelevance]], name: str, by: str) -> str:
    read = [(c, r) for c, r in rows if not isnan(r.value)]
    if by:
        counts = Counter(r.answers for _, r in read)
        about = "Answers the question: " + ", ".join(f"{word} {counts[word]:,}" for word in VALUES) + "."
        shown = [(c, r.answers, r.reason) for c, r in read if r.answers != "yes"]
        head = ("answers", "label", "case", "query", "reason")
    else:
        low = low_likeness().below
        count = sum(r.value < low for _, r in read)
        about = f"{_LIKENESS} {count:,} of {len(read):,} lie below {low:.2f}, as at most 5 % of the sample answers do."
        shown = [(c, f"{r.value:.2f}", c.response) for c, r in read]
        head = ("likeness", "label", "case", "query", "response")
    cells = [
        (word, _LABELS[c.grounded], c.id, one_line(c.query, _WIDTH), one_line(text, _WIDTH)) for c, word, text in shown[:_SHOWN]
    ]
    without = Counter(r.reason for _, r in rows if isnan(r.value))
    return "\n\n".join(
        [
            f"{plural(len(rows), 'response')} of {name}, by {by or 'likeness in meaning'}; the least relevant first.",
            about,
            *([table(head, cells)] if cells else []),
            *([f"{len(shown) - _SHOWN:,} more; --out writes all."] if len(shown) > _SHOWN else []),
            *(f"{count:,} without a value: {why}" for why, count in without.items()),
        ]
    )
