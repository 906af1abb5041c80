"""`relevance`: the responses of a run that may be beside the question, by an embedder or a chat model."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from math import isnan
from pathlib import Path
from types import MappingProxyType

import click
import numpy as np

from groundscope.cases.relevance import (
    TASK,
    VALUES,
    QueryRelevance,
    as_row,
    assessable,
    by_likeness,
    by_model,
    least_first,
    prompt,
    with_other_queries,
)
from groundscope.chat.budget import Budget, spending
from groundscope.chat.prompt_files import asked_chat, prompt_named
from groundscope.commands import jobs, options, terminal
from groundscope.commands.case_files import write
from groundscope.commands.terminal import DONE, REFUSED, STOPPED, say, show, stop_event, table
from groundscope.errors import BudgetSpent, Cancelled, DataError
from groundscope.experiments.forecast import CostEstimate, of_each
from groundscope.grounding.runs import listing
from groundscope.methods import registry
from groundscope.runtime.progress import listening
from groundscope.runtime.retention import keeping
from groundscope.text.embedding import Embedder
from groundscope.text.humanize import plural
from groundscope.types import Case

_SHOWN, _WIDTH = 20, 60
_CHANCE = 0.95
_LABELS = MappingProxyType({True: "grounded", False: "ungrounded", None: "-"})
_LIKENESS = (
    "Likeness in meaning of response and query, 0 to 1. It is low where a response is about something else; it can be high where "
    "a response stays with the subject and leaves the question open."
)


@click.command()
@options.RUN
@click.option(
    "--by",
    metavar="ID",
    default="minilm",
    help="an embedder, or chat:SPEC or chat/PROMPT:SPEC: a chat model says yes, partly or no",
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
    if out and out.exists():
        raise DataError(f"{out} already exists; name another file.")
    judged = listing.find(run)
    cases = judged.read_cases(range(len(judged.ids)))
    estimate, signature, measure = _measure(cases, by)
    if (estimate.calls or estimate.missing) and not jobs.offered([estimate], yes=yes):
        return REFUSED
    stop, line = stop_event(with_parent=with_parent), terminal.Line(quiet=quiet)

    def hear(done: int, total: int) -> None:
        if stop.is_set():
            raise Cancelled
        line.show(f"{done:,} of {total:,}")

    try:
        with spending(Budget(calls, dollars)), listening(hear), keeping():
            values, of_others = measure()
            rows = least_first(cases, values)
    except (Cancelled, BudgetSpent) as error:
        why = str(error) if isinstance(error, BudgetSpent) else "Stopped."
        say(f"{why} Received replies are saved; run the same command again to continue.")
        return STOPPED
    show(_text(rows, of_others, judged.name, by))
    if out:
        lines = (json.dumps(as_row(c, r, signature), ensure_ascii=False) + "\n" for c, r in rows)
        say(f"Written: {write(out, ''.join(lines).encode(), '; name another file. Replies are kept', 'xb')}")
    return DONE


Measured = tuple[list[QueryRelevance], list[QueryRelevance]]
"""Of responses with their own queries, and by an embedder of the same responses with other ones."""


def _measure(cases: Sequence[Case], by: str) -> tuple[CostEstimate, str, Callable[[], Measured]]:
    """What measuring takes, what it is by, and how to measure."""
    some = [c for c in cases if assessable(c)]
    if _by_chat(by):
        spec, named = asked_chat(by)
        model, instructions = registry.chat(spec), prompt_named(TASK, named)
        wording = prompt(Case("", "", (), ""), instructions).key("")[:8]
        estimate = of_each(model.identity, model, [prompt(c, instructions) for c in some], again=len(some))
        return estimate, f"relevance|{model.identity}|wording={wording}", lambda: (by_model(cases, model, named), [])
    embedder = registry.embedder(by)
    texts = [t for c in some for t in dict.fromkeys((c.query, c.response))]
    missing = embedder.unavailable()
    price = None if missing else embedder.price(texts)
    estimate = CostEstimate(embedder.title, len(texts) if embedder.address else 0, price, embedder.address, missing, unit="text")
    return estimate, f"relevance|cosine|{embedder.signature}", lambda: _likeness(cases, embedder)


def _by_chat(by: str) -> bool:
    return by.startswith(("chat:", "chat/"))


def _likeness(cases: Sequence[Case], embedder: Embedder) -> Measured:
    # In one call, so that each text is embedded once.
    values = by_likeness([*cases, *with_other_queries(cases)], embedder)
    return values[: len(cases)], values[len(cases) :]


def _text(rows: Sequence[tuple[Case, QueryRelevance]], of_others: Sequence[QueryRelevance], name: str, by: str) -> str:
    if _by_chat(by):
        counts = Counter(r.answers for _, r in rows)
        about = "Answers the question: " + ", ".join(f"{word} {counts[word]:,}" for word in VALUES) + "."
        shown = [(c, r) for c, r in rows if r.answers in ("no", "partly")]
        cells = [(r.answers, _LABELS[c.grounded], c.id, _cut(c.query), _cut(r.reason, 2 * _WIDTH)) for c, r in shown[:_SHOWN]]
        head = ("answers", "label", "case", "query", "reason")
    else:
        about = f"{_LIKENESS}{_chance(rows, of_others)}"
        shown = [(c, r) for c, r in rows if not isnan(r.value)]
        cells = [(f"{r.value:.2f}", _LABELS[c.grounded], c.id, _cut(c.query), _cut(c.response)) for c, r in shown[:_SHOWN]]
        head = ("likeness", "label", "case", "query", "response")
    without = Counter(r.reason for _, r in rows if isnan(r.value))
    return "\n\n".join(
        [
            f"{plural(len(rows), 'response')} of {name}, by {by}; the least relevant first.",
            about,
            *([table(head, cells)] if cells else []),
            *([f"{len(shown) - _SHOWN:,} more; --out writes all."] if len(shown) > _SHOWN else []),
            *(f"{count:,} without a value: {why}" for why, count in without.items()),
        ]
    )


def _chance(rows: Sequence[tuple[Case, QueryRelevance]], of_others: Sequence[QueryRelevance]) -> str:
    """How alike responses are to queries that they do not answer, and how many are no more alike to their own."""
    if not of_others:
        return ""
    line = float(np.quantile([r.value for r in of_others], _CHANCE))
    low = sum(r.value < line for _, r in rows)
    return (
        f" Beside another query of this run, {_CHANCE:.0%} of the responses lie below {line:.2f}; beside their own, "
        f"{low:,} of {sum(not isnan(r.value) for _, r in rows):,} do."
    )


def _cut(text: str, width: int = _WIDTH) -> str:
    words = " ".join(text.split())
    return words if len(words) <= width else f"{words[: width - 1]}…"
