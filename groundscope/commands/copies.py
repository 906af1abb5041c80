"""`sensitivity` and `stability`: which edits methods detect, and how often their judgements vary."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import click

from groundscope.chat.budget import Limits
from groundscope.commands import jobs, options
from groundscope.commands.case_files import CaseFiles, case_options
from groundscope.commands.reading import show_copies
from groundscope.commands.run import free, judge_copies
from groundscope.commands.terminal import DONE, say
from groundscope.grounding.parts import parts_here
from groundscope.grounding.sensitivity.leave_one_out import LEAVING_OUT
from groundscope.grounding.sensitivity.pairs import KNOWN
from groundscope.grounding.sensitivity.pairs import SOURCE as PAIRS_SOURCE
from groundscope.grounding.sensitivity.pairs import make as make_pairs
from groundscope.grounding.stability.copies import FEWEST, KINDS, MOST, Kind, rewordings_of
from groundscope.grounding.stability.copies import SOURCE as READINGS_SOURCE
from groundscope.grounding.stability.copies import make as make_readings
from groundscope.text.humanize import plural

RUNNER = jobs.task_runner(LEAVING_OUT, "Heatmap")


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
    continues it, and `report` shows its table again.
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
        show_copies(run_id)
    return ended


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
    and none is saved. It is a run, which is saved as it goes: Ctrl-C pauses it, `resume` continues it, and `report` shows its
    table again.
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
        show_copies(run_id)
    return ended
