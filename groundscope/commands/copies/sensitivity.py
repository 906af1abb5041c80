"""`sensitivity`, `sensitivity-report`: which kinds of legal edits each method notices."""

from collections.abc import Sequence
from math import isnan
from pathlib import Path

import click

from groundscope.chat.budget import Limits
from groundscope.commands import options
from groundscope.commands.case_files.loading import CaseFiles, case_options
from groundscope.commands.reading import ruled
from groundscope.commands.run import free, judge_copies
from groundscope.commands.terminal import DONE, say, show, table
from groundscope.errors import DataError
from groundscope.grounding.chosen_parts import parts_here
from groundscope.grounding.result_columns import MISSING
from groundscope.grounding.runs import listing
from groundscope.grounding.sensitivity.matrix import BoundedShare, OperatorCell, frame, measured, title
from groundscope.grounding.sensitivity.pairs import KNOWN, SOURCE, make
from groundscope.grounding.tables import frame_csv
from groundscope.grounding.tuning import verdicts
from groundscope.text.humanize import plural

_FORMS = ("table", "csv")


@click.command(cls=options.Verb)
# No splits: pairs are counted over all answers, and nothing that is made of them reads a split.
@case_options(splits=False, draws="of the places that are edited")
@options.METHODS
@click.option("--edits", type=options.NAMES, default=(), help="kinds of edits, by name", show_default="all")
@click.option("--most", metavar="N", type=options.POSITIVE, default=2_000, help="pairs at most, shared among kinds of edits")
@options.COPIES
def sensitivity(
    given: CaseFiles, methods: Sequence[str] | None, edits: Sequence[str], most: int,
    settings: Sequence[str], model: str | None, yes: bool, name: str | None, out: Path | None, calls: int | None,
    dollars: float | None, quiet: bool, with_parent: bool,
) -> int:  # fmt: skip
    """See which kinds of legal edits each method notices.

    Sound sentences are judged, each beside variants with one legal edit, or with a change of form alone. The pairs are made of
    the cases that are labelled as grounded. They are judged as a run, which is saved as it goes: Ctrl-C pauses it, `resume`
    continues it, and `sensitivity-report` shows its table again.
    """
    if out:
        free(out)
    if wrong := [e for e in edits if e not in KNOWN]:
        raise ValueError(f"there is no edit {wrong[0]!r}; there are {', '.join(KNOWN)}")
    read, source = given.read()
    found = make(read, most, edits, seed=given.seed)
    none = ", ".join(name for name, count in found.counts.items() if not count)
    say(f"{plural(found.pairs, 'pair')} from {plural(found.sound, 'grounded answer')} of {source}.")
    if none:
        say(f"No place for: {none}.")
    here = parts_here(methods, settings, (), model)
    made, ended = judge_copies(
        name or f"Sensitivity, {Path(source).stem}", f"{SOURCE}{source}", found.cases, here, Limits(calls, dollars), out,
        yes=yes, quiet=quiet, with_parent=with_parent,
    )  # fmt: skip
    if ended == DONE:
        _report(made, None, "table")
    return ended


@click.command()
@options.RUN
@click.option("--rules", metavar="NAME", help="frozen thresholds", show_default="the thresholds that methods start with")
@click.option("--form", type=click.Choice(_FORMS), default="table", help="a table to read, or every figure with its interval")
def report(run: str, rules: str | None, form: str) -> int:
    """Show which kinds of edits each method of a run noticed. The run is one that `sensitivity` made."""
    _report(run, rules, form)
    return DONE


def _report(run: str, rules: str | None, form: str) -> None:
    read, frozen, *_ = ruled(listing.find(run), rules, run)
    found = measured(read, verdicts(read, frozen))
    if found is None:
        raise DataError("This run has no pairs; `python -m groundscope sensitivity` makes one that has.")
    if form == "csv":
        show(frame_csv(frame(read, found)).decode("utf-8"))
        return
    titles = {m.id: m.title for m in read.methods}
    rows = [(title(line), titles[m], f"{cell.pairs:,}", *_cells(cell)) for (line, m), cell in found.cells.items()]
    head = ("edit", "method", "pairs", "noticed", "95 % interval", "equal", "mean drop", "flagged", "sound flagged")
    show(table(head, rows))


def _cells(cell: OperatorCell) -> tuple[str, ...]:
    low, high = cell.noticed.interval.low, cell.noticed.interval.high
    return (
        percent(cell.noticed),
        MISSING if isnan(low) else f"{low:.0%} to {high:.0%}",
        MISSING if isnan(cell.ties) else f"{cell.ties:.0%}",
        MISSING if isnan(cell.drop.value) else f"{cell.drop.value:+.3f}",
        percent(cell.flagged),
        percent(cell.false_alarms),
    )


def percent(share: BoundedShare) -> str:
    """A share in percent; the mark of what is missing where there is none."""
    return MISSING if isnan(share.value) else f"{share.value:.1%}"
