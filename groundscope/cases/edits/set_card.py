"""The card of a set of variants, in Markdown: what was chosen, who wrote, error types, what was not taken, and the checks."""

from collections.abc import Mapping, Sequence

from groundscope.cases.edits.whole_set import VariedSet
from groundscope.cases.error_types import TITLES, type_counts
from groundscope.cases.validation import Check
from groundscope.text.humanize import markdown_cell, plural


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


def card(made: VariedSet, title: str, settings: Mapping[str, str], checks: Sequence[Check]) -> str:
    """Write the card of a set of variants, in Markdown."""
    variants = sum(made.writers.values())
    early = (
        [f"Ended early: {made.stopped} {plural(made.left, 'grounded answer')} of the set were not reached."]
        if made.stopped
        else []
    )
    types = [(TITLES[t.type], f"{t.total:,}") for t in type_counts(made.cases)]
    parts: list[tuple[str, tuple[str, str], Sequence[tuple[str, str]]]] = [
        ("Settings", ("setting", "value"), list(settings.items())),
        ("Who wrote", ("writer", "variants"), [(w, f"{n:,}") for w, n in made.writers.items()]),
        ("Error spans by type", ("type", "spans"), types),
        ("Not taken", ("reason", "versions"), [(r, f"{n:,}") for r, n in made.dropped.items()]),
        ("Checks", ("check", "result"), [(c.title, f"{c.outcome.value}: {c.figure}") for c in checks]),
    ]
    lines = [
        f"# Variants of {markdown_cell(title)}",
        "",
        f"{made.answers:,} grounded answers and {variants:,} ungrounded variants of them; {made.bare:,} answers have none.",
        *early,
    ]
    for heading, head, rows in parts:
        if rows:
            lines += ["", f"## {heading}", "", _row(head), "|---|---|", *map(_row, rows)]
    limits = "Each change was found and checked by rules. Whether it is wrong in law is for a person to read."
    return "\n".join([*lines, "", "## Limits", "", limits, ""])


def _row(cells: tuple[str, str]) -> str:
    return f"| {markdown_cell(cells[0])} | {markdown_cell(cells[1])} |"
