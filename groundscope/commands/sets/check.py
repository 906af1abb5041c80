"""`check-set`: whether a labelled set is fit to measure on, by the checks of the Cases page."""

import json
from collections.abc import Sequence
from typing import Any

import click

from groundscope.cases.summary import SplitCount, split_counts
from groundscope.cases.validation import Check, Embed, ValidationOutcome, validate
from groundscope.commands import options
from groundscope.commands.case_files.loading import CaseFiles, case_options
from groundscope.commands.terminal import CHANGED, DONE, show, table
from groundscope.methods import registry
from groundscope.methods.defaults import EMBEDDER
from groundscope.text.humanize import plural

_LISTED = 10
_HEAD = ("split", "queries", "responses", "grounded", "ungrounded", "sentences", "error spans")


@click.command(cls=options.Verb)
@case_options()
@click.option("--near-copies", is_flag=True, help="look for near-copies across splits, too, by embeddings: takes longer")
@click.option("--json", "in_json", is_flag=True, help="everything as JSON")
def check_set(given: CaseFiles, near_copies: bool, in_json: bool) -> int:
    """Check whether a labelled set is fit to measure on.

    Are labels, spans, evidence and splits consistent, and does wording alone give the label away? The exit code is 1 where a
    check failed.
    """
    found, name = given.read()
    checks = validate(found, _embed() if near_copies else None)
    counts = split_counts(found)
    show(json.dumps(_as_json(name, counts, checks), indent=1, ensure_ascii=False) if in_json else _text(name, counts, checks))
    return CHANGED if any(c.outcome is ValidationOutcome.FAILED for c in checks) else DONE


def _embed() -> Embed:
    made = registry.embedder(EMBEDDER.partition(":")[2] or "minilm")
    return lambda texts: made.passages(list(texts), lambda *_: None)


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
