"""`check-set`, `split`, `make-variants`: checks of sets of cases, and sets made of them."""

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from groundscope.cases.dataset import to_jsonl
from groundscope.cases.edits.variants import MOST, OPERATORS, model_prompt
from groundscope.cases.edits.whole_set import (
    WRITING,
    VariedSet,
    VaryOptions,
    begin,
    card,
    settings,
    sound,
    vary,
    written_in,
)
from groundscope.cases.splitting import SplitCount, split_counts, with_splits
from groundscope.cases.validation import Check, Embed, ValidationOutcome, validate
from groundscope.chat.budget import Limits
from groundscope.chat.clients.model import chat_model
from groundscope.chat.prompt_files import asked_chat
from groundscope.commands import jobs, options
from groundscope.commands.case_files import CaseFiles, case_options, write
from groundscope.commands.terminal import CHANGED, DONE, REFUSED, STOPPED, say, show, table
from groundscope.errors import DataError
from groundscope.experiments.forecast import of_each
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import plan_of
from groundscope.methods import Embeds, registry
from groundscope.methods.defaults import EMBEDDER
from groundscope.models import embedders
from groundscope.text.humanize import plural

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
    length alone gives the labels away. Ctrl-C pauses the writing: the set then has the answers that were done, and `resume`
    with the job's id writes the rest, too.
    """
    named = () if edits == ("none",) else edits or ()
    if wrong := [e for e in named if e not in _NAMES]:
        raise ValueError(f"there is no edit {wrong[0]!r}; there are {', '.join(_NAMES)}")
    _free(out)
    read, source = case_files.read()
    how = VaryOptions(per_answer=most, seed=case_files.seed, names=named, edits=edits != ("none",), versions=versions)
    if not models:
        _write_set(vary(read, **how), source, settings(**how), out)
        show(str(out))
        return DONE
    lines, answers, takes = tuple(dict.fromkeys(models)), sound(read), []
    for line in lines:
        spec, prompt = asked_chat(line)
        takes.append(of_each(line, chat_model(spec), [model_prompt(a, versions, prompt) for a in answers], again=len(answers)))
    if not jobs.offered(takes, yes=yes):
        return REFUSED
    job = begin(source, read, lines, how, Limits(calls, dollars), out=str(out.absolute()))
    with closing(WRITING.folder.open(job)) as file:
        code = jobs.go(RUNNER, file, out, quiet=quiet, with_parent=with_parent)
        if code == STOPPED and not file.finished():
            answers, writing = written_in(file)
            if any(map(writing.done, answers)):
                show(_write_so_far(file, out))
    return code


def _write_so_far(file: JobFile, out: Path | None) -> str:
    """Write the set of the answers that every model is done with."""
    plan, (answers, writing) = plan_of(file), written_in(file)
    how, place = plan.options["how"], out or Path(plan.out or "")
    varied = vary(answers, **how, writing=writing)
    _write_set(varied, plan.options["source"], settings(models=writing.models, **how), place)
    if varied.stopped:
        left = plural(varied.left, "grounded answer was", "grounded answers were")
        say(f"{varied.stopped} {left} not reached. To write the rest, too: python -m groundscope resume {file.id} --out DIR")
    return str(place)


def _free(out: Path) -> None:
    if out.exists():
        raise DataError(f"{out} already exists; name a new folder.")


RUNNER = jobs.task_runner(WRITING, "Cases", _write_so_far, _free)


def _write_set(varied: VariedSet, source: str, chosen: Mapping[str, str], out: Path) -> None:
    """Check the set, write it with its card, and say what it is."""
    checks = validate(varied.cases, _embed_for_card())
    _free(out)
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


def _embed_for_card() -> Embed | None:
    method = registry.find(EMBEDDER)
    return method.embed if isinstance(method, Embeds) and not method.unavailable() else None
