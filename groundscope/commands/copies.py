"""`sensitivity`, `stability` and their reports: which edits methods detect, and how often their judgements vary."""

from collections.abc import Sequence
from itertools import product
from math import isnan
from pathlib import Path
from typing import cast

import click

from groundscope.chat.budget import Limits
from groundscope.commands import jobs, options
from groundscope.commands.case_files import CaseFiles, case_options
from groundscope.commands.reading import ruled
from groundscope.commands.run import free, judge_copies
from groundscope.commands.terminal import DONE, say, show, table
from groundscope.errors import DataError
from groundscope.grounding.parts import parts_here
from groundscope.grounding.result_columns import MISSING
from groundscope.grounding.runs import listing
from groundscope.grounding.sensitivity.leave_one_out import LEAVING_OUT
from groundscope.grounding.sensitivity.matrix import BoundedShare, OperatorCell, title
from groundscope.grounding.sensitivity.matrix import frame as sensitivity_frame
from groundscope.grounding.sensitivity.matrix import measured as sensitivity_figures
from groundscope.grounding.sensitivity.pairs import KNOWN
from groundscope.grounding.sensitivity.pairs import SOURCE as PAIRS_SOURCE
from groundscope.grounding.sensitivity.pairs import make as make_pairs
from groundscope.grounding.stability.copies import FEWEST, KINDS, MOST, Kind, rewordings_of
from groundscope.grounding.stability.copies import SOURCE as READINGS_SOURCE
from groundscope.grounding.stability.copies import make as make_readings
from groundscope.grounding.stability.figures import StabilityCell, case_frame
from groundscope.grounding.stability.figures import frame as stability_frame
from groundscope.grounding.stability.figures import measured as stability_figures
from groundscope.grounding.tables import frame_csv
from groundscope.grounding.tuning import verdicts
from groundscope.text.humanize import plural

RUNNER = jobs.task_runner(LEAVING_OUT, "Heatmap")
_PAIR_FORMS, _READING_FORMS = ("table", "csv"), ("table", "csv", "cases")


@click.command(cls=options.Verb)
# No splits are made: pairs are counted over all answers that are read.
@case_options(splits=False, draws="of the places that are edited")
@options.METHODS
@click.option("--edits", type=options.NAMES, default=(), help="kinds of edits, by name", show_default="all")
@click.option("--most", metavar="N", type=options.POSITIVE, default=2_000, help="pairs at most, shared among kinds of edits")
@options.SPLIT
@options.COPIES
def sensitivity(
    case_files: CaseFiles, methods: Sequence[str] | None, edits: Sequence[str], most: int, split: str,
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
    read, source = case_files.read(split)
    pairs = make_pairs(read, most, edits, seed=case_files.seed)
    none = ", ".join(name for name, count in pairs.counts.items() if not count)
    say(f"{plural(pairs.pairs, 'pair')} from {plural(pairs.sound, 'grounded answer')} of {source}.")
    if none:
        say(f"No place for: {none}.")
    parts = parts_here(methods, settings, (), model)
    run_id, ended = judge_copies(
        name or f"Sensitivity, {Path(source).stem}", f"{PAIRS_SOURCE}{source}", pairs.cases, parts, Limits(calls, dollars), out,
        yes=yes, quiet=quiet, with_parent=with_parent, size=pairs.size,
    )  # fmt: skip
    if ended == DONE:
        _show_sensitivity(run_id, None, "table")
    return ended


@click.command()
@options.RUN
@options.RULES
@click.option(
    "--form", type=click.Choice(_PAIR_FORMS), default="table", help="a table to read, or every figure with its interval"
)
def sensitivity_report(run: str, rules: str | None, form: str) -> int:
    """Show which kinds of edits each method of a run noticed. The run is one that `sensitivity` made."""
    _show_sensitivity(run, rules, form)
    return DONE


def _show_sensitivity(run: str, rules: str | None, form: str) -> None:
    read, frozen, *_ = ruled(listing.find(run), rules, run)
    matrix = sensitivity_figures(read, verdicts(read, frozen))
    if matrix is None:
        raise DataError("This run has no pairs; `python -m groundscope sensitivity` makes one that has.")
    if form == "csv":
        show(frame_csv(sensitivity_frame(read, matrix)).decode("utf-8"))
        return
    titles = {m.id: m.title for m in read.methods}
    rows = [(title(line), titles[m], f"{cell.pairs:,}", *_pair_cells(cell)) for (line, m), cell in matrix.cells.items()]
    head = ("edit", "method", "pairs", "noticed", "95 % interval", "equal", "mean drop", "flagged", "sound flagged")
    show(table(head, rows))


def _pair_cells(cell: OperatorCell) -> tuple[str, ...]:
    drop = _shown(cell.drop.value, "+.3f")
    return *_bounded(cell.noticed), _shown(cell.ties, ".0%"), drop, _percent(cell.flagged), _percent(cell.false_alarms)


def _shown(value: float, form: str) -> str:
    """A number; the mark of what is missing where there is none."""
    return MISSING if isnan(value) else format(value, form)


def _percent(share: BoundedShare) -> str:
    return _shown(share.value, ".1%")


def _bounded(share: BoundedShare) -> tuple[str, str]:
    ends = share.interval
    return _percent(share), MISSING if isnan(ends.low) else f"{ends.low:.0%} to {ends.high:.0%}"


@click.command(cls=options.Verb)
@case_options("files of cases; without them the sample set", sample=("--sample", "--most"), drawn=50, draws="of the orders")
@options.METHODS
@click.option("--times", metavar="N", type=click.IntRange(FEWEST, MOST), default=5, help="readings of a case in each kind")
@click.option("--kinds", type=options.NAMES, default=(), help=f"of {', '.join(KINDS)}", show_default="all")
@options.SPLIT
@options.COPIES
def stability(
    case_files: CaseFiles, methods: Sequence[str] | None, times: int, kinds: Sequence[str], split: str, settings: Sequence[str],
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
    read, source = case_files.read(split)
    parts = parts_here(methods, settings, (), model)
    wordings = rewordings_of(method for _, method in parts)
    readings = make_readings(read, times, cast(Sequence[Kind], kinds), wordings=wordings, seed=case_files.seed)
    say(f"{plural(len(readings.cases), 'reading')} of {plural(readings.of, 'response')} of {source}.")
    for kind, count in readings.counts.items():
        if count < readings.of:
            say(f"{KINDS[kind]}: {count:,} of {plural(readings.of, 'response')}.")
    run_id, ended = judge_copies(
        name or f"Stability, {Path(source).stem}", f"{READINGS_SOURCE}{source}", readings.cases, parts, Limits(calls, dollars),
        out, yes=yes, quiet=quiet, with_parent=with_parent, afresh=True, wordings=readings.wordings,
    )  # fmt: skip
    if ended == DONE:
        _show_stability(run_id, None, "table")
    return ended


@click.command()
@options.RUN
@options.RULES
@click.option(
    "--form", type=click.Choice(_READING_FORMS), default="table",
    help="a table to read, every figure with its interval, or a row for each case with the worst ones first",
)  # fmt: skip
def stability_report(run: str, rules: str | None, form: str) -> int:
    """Show how often each method of a run changed its mind. The run is one that `stability` made."""
    _show_stability(run, rules, form)
    return DONE


def _show_stability(run: str, rules: str | None, form: str) -> None:
    read, frozen, *_ = ruled(listing.find(run), rules, run)
    judged = verdicts(read, frozen)
    figures = stability_figures(read, judged, frozen)
    if figures is None:
        raise DataError("This run asks about no case twice; `python -m groundscope stability` makes one that does.")
    if form != "table":
        rows = stability_frame(read, figures) if form == "csv" else case_frame(read, judged, figures.readings)
        show(frame_csv(rows).decode("utf-8"))
        return
    titles = {m.id: m.title for m in read.methods}
    shown = [(KINDS[k], titles[m], *_reading_cells(figures.cells[k, m])) for k, m in product(figures.kinds, figures.methods)]
    head = ("readings", "method", "cases", "flipped", "95 % interval", "pairs differ", "alpha", "deviation", "sentences", "none")
    show(table(head, shown))


def _reading_cells(cell: StabilityCell) -> tuple[str, ...]:
    figures = _percent(cell.differing), _shown(cell.alpha.value, ".2f"), _shown(cell.deviation.value, ".3f")
    none = cell.invalid + cell.failed + cell.other
    return f"{cell.cases:,}", *_bounded(cell.flipped), *figures, _percent(cell.sentence_flips), f"{none:,}"
