"""`stability`, `stability-report`: how often judges change their minds about the same answer."""

from collections.abc import Sequence
from itertools import product
from math import isnan
from pathlib import Path
from typing import cast

import click

from groundscope.chat.budget import Limits
from groundscope.commands import options
from groundscope.commands.case_files.loading import CaseFiles, case_options
from groundscope.commands.copies.sensitivity import percent
from groundscope.commands.reading import ruled
from groundscope.commands.run import free, judge_copies
from groundscope.commands.terminal import DONE, say, show, table
from groundscope.errors import DataError
from groundscope.grounding.chosen_parts import parts_here
from groundscope.grounding.result_columns import MISSING
from groundscope.grounding.runs import listing
from groundscope.grounding.stability.by_case import case_frame
from groundscope.grounding.stability.figures import StabilityCell, frame, measured
from groundscope.grounding.stability.readings import FEWEST, KINDS, MOST, SOURCE, Kind, make, rewordings_of
from groundscope.grounding.tables import frame_csv
from groundscope.grounding.tuning import verdicts
from groundscope.text.humanize import plural

_FORMS = ("table", "csv", "cases")


@click.command(cls=options.Verb)
@case_options("files of cases; without them the sample set", sample=("--sample", "--most"), drawn=50, draws="of the orders")
@options.METHODS
@click.option("--times", metavar="N", type=click.IntRange(FEWEST, MOST), default=5, help="readings of a case in each kind")
@click.option("--kinds", type=options.NAMES, default=(), help=f"of {', '.join(KINDS)}", show_default="all")
@click.option("--split", metavar="NAME", default="", show_default=False, help="only the cases of this split: train, dev or test")
@options.COPIES
def stability(
    given: CaseFiles, methods: Sequence[str] | None, times: int, kinds: Sequence[str], split: str, settings: Sequence[str],
    model: str | None, yes: bool, name: str | None, out: Path | None, calls: int | None, dollars: float | None, quiet: bool,
    with_parent: bool,
) -> int:  # fmt: skip
    """See how often judges change their minds about the same answer.

    Each case is judged several times: as it is, with its passages in another order, with the sentences of its answer in another
    order, and with other words in the prompts of methods that ask a chat model. Replies that were saved before are not used,
    and none is saved. It is a run, which is saved as it goes: Ctrl-C pauses it, `resume` continues it, and `stability-report`
    shows its table again.
    """
    if out:
        free(out)
    read, source = given.read(split)
    here = parts_here(methods, settings, (), model)
    wordings = rewordings_of(method for _, method in here)
    found = make(read, times, cast(Sequence[Kind], kinds), wordings=wordings, seed=given.seed)
    say(f"{plural(len(found.cases), 'reading')} of {plural(found.of, 'response')} of {source}.")
    for kind, count in found.counts.items():
        if count < found.of:
            say(f"{KINDS[kind]}: {count:,} of {plural(found.of, 'response')}.")
    made, ended = judge_copies(
        name or f"Stability, {Path(source).stem}", f"{SOURCE}{source}", found.cases, here, Limits(calls, dollars), out,
        yes=yes, quiet=quiet, with_parent=with_parent, afresh=True, wordings=found.wordings,
    )  # fmt: skip
    if ended == DONE:
        _report(made, None, "table")
    return ended


@click.command()
@options.RUN
@click.option("--rules", metavar="NAME", help="frozen thresholds", show_default="the thresholds that methods start with")
@click.option(
    "--form", type=click.Choice(_FORMS), default="table",
    help="a table to read, every figure with its interval, or a row for each case with the worst ones first",
)  # fmt: skip
def report(run: str, rules: str | None, form: str) -> int:
    """Show how often each method of a run changed its mind. The run is one that `stability` made."""
    _report(run, rules, form)
    return DONE


def _report(run: str, rules: str | None, form: str) -> None:
    read, frozen, *_ = ruled(listing.find(run), rules, run)
    said = verdicts(read, frozen)
    found = measured(read, said, frozen)
    if found is None:
        raise DataError("This run asks about no case twice; `python -m groundscope stability` makes one that does.")
    if form != "table":
        rows = frame(read, found) if form == "csv" else case_frame(read, said, found.readings)
        show(frame_csv(rows).decode("utf-8"))
        return
    titles = {m.id: m.title for m in read.methods}
    shown = [(KINDS[k], titles[m], *_cells(found.cells[k, m])) for k, m in product(found.kinds, found.methods)]
    head = ("readings", "method", "cases", "flipped", "95 % interval", "pairs differ", "alpha", "deviation", "sentences", "none")
    show(table(head, shown))


def _cells(cell: StabilityCell) -> tuple[str, ...]:
    low, high = cell.flipped.interval.low, cell.flipped.interval.high
    return (
        f"{cell.cases:,}",
        percent(cell.flipped),
        MISSING if isnan(low) else f"{low:.0%} to {high:.0%}",
        percent(cell.differing),
        MISSING if isnan(cell.alpha.value) else f"{cell.alpha.value:.2f}",
        MISSING if isnan(cell.deviation.value) else f"{cell.deviation.value:.3f}",
        percent(cell.sentence_flips),
        f"{cell.invalid + cell.failed + cell.other:,}",
    )
