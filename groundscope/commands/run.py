"""`run`: judge cases by methods."""

import os
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import click

from groundscope.chat.budget import Limits
from groundscope.commands import jobs, options
from groundscope.commands.case_files import CaseFiles, case_options, read_files, tell_rejected
from groundscope.commands.terminal import REFUSED, say
from groundscope.errors import DataError
from groundscope.experiments.plan import Part
from groundscope.experiments.store import JobFile
from groundscope.files.private import users_umask
from groundscope.grounding.imported.scores import ImportedMethod, attach, read_scores, stored_scores
from groundscope.grounding.parts import described, parts_here
from groundscope.grounding.runs import listing, planning
from groundscope.grounding.runs.folder import export
from groundscope.grounding.runs.store import FOLDER, KIND
from groundscope.grounding.runs.work import Judging, methods_here
from groundscope.methods import Method
from groundscope.runtime import extras
from groundscope.types import Case


def free(folder: Path) -> None:
    """Check, before hours of work, that the folder is new or empty and can be written; raises `DataError` where it is not."""
    extras.require("runs")
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise DataError(f"{folder} is not empty, and a run's files are never overwritten; name a new folder.")
        above = next(p for p in folder.resolve().parents if p.exists())
        if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
            raise DataError(f"{folder} cannot be written; name a folder elsewhere.")
    except OSError as error:
        raise DataError(f"{folder} cannot be written ({error.strerror}); name a folder elsewhere.") from None


def _result(file: JobFile, out: Path | None) -> str:
    if out is None:
        if why := extras.missing("runs"):
            say(f"No files are written of this run. {why}")
            return file.id
        return str(listing.run_files(file.id))
    with users_umask():
        return str(export(file, out))


RUNNER = jobs.JobRunner(KIND, lambda file: Judging(file, methods_here(file, say)), _result, free)


def judge_copies(
    name: str, source: str, cases: Sequence[Case], loaded: Sequence[tuple[Part, Method]], limits: Limits, out: Path | None,
    *, yes: bool, quiet: bool, with_parent: bool, size: float = 1.0, afresh: bool = False, wordings: Sequence[int] = (),
) -> tuple[str, int]:  # fmt: skip
    """Offer a run over copies of cases, of which no latency is measured, and work on it; gives its id and the exit code.

    The id is empty where the user does not want it. `size` is as that of `planning.forecast`, `afresh` and
    `wordings` are as those of `planning.begin`.
    """
    costs = planning.forecast(cases, loaded, planning.known_seconds(), wordings, size=size)
    if not jobs.offered(list(costs.values()), yes=yes):
        return "", REFUSED
    parts = [described(part, method, wordings) for part, method in loaded]
    run_id = planning.begin(name, source, cases, parts, timed=False, limits=limits, afresh=afresh, wordings=wordings)
    with closing(FOLDER.open(run_id)) as file:
        return run_id, jobs.go(RUNNER, file, out, quiet=quiet, with_parent=with_parent)


@click.command(cls=options.Verb)
@case_options("files of cases; without them the sample set")
@options.METHODS
@click.option(
    "--scores", type=options.FILES, default=(), help="scores exported by Ragas, DeepEval, TruLens or Phoenix, as further methods"
)
@options.SPLIT
@click.option("--limit", metavar="N", type=options.POSITIVE, help="judge only the first N cases")
@options.SET
@click.option(
    "--sweep",
    "sweeps",
    metavar="PART.NAME=V,V",
    multiple=True,
    help="a part for each value of a parameter, such as quip.n=5..40 or cascade:first=quip.low=0.1,0.2; tuning chooses on dev",
)
@click.option(
    "--model", metavar="SPEC", help="the chat model for methods that ask one, such as anthropic:NAME or server:NAME@ADDRESS"
)
@click.option("--batches", is_flag=True, help="ask through the provider's batches: half the price, within a day, no latency")
@click.option("--no-keep", is_flag=True, help="neither read nor save the replies of chat models on disk")
@options.YES
@click.option("--name", help="what the run is called")
@click.option(
    "--out", metavar="DIR", type=options.PATH, help="a new folder for the finished run's files", show_default="beside the run"
)
@click.option("--on", type=click.Choice(["ray"]), help="judge on Ray, here or on a cluster, and write shards to --out")
@click.option("--address", metavar="HOST:PORT", help="of a Ray cluster", show_default="Ray on this machine")
@click.option("--workers", metavar="N", type=options.POSITIVE, help="Ray's processes a method", show_default="one a processor")
@click.option("--chunk", metavar="N", type=options.POSITIVE, default=1_000, help="most cases of a shard, with --on")
@click.option(
    "--chunk-tokens", metavar="N", type=options.POSITIVE, default=2_000_000, help="most tokens of a shard, about, with --on"
)
@options.LIMITS
def run(
    case_files: CaseFiles, methods: Sequence[str] | None, scores: Sequence[Path], split: str, limit: int | None,
    settings: Sequence[str], sweeps: Sequence[str], model: str | None, batches: bool, no_keep: bool, yes: bool, name: str | None,
    on: str | None, address: str | None, workers: int | None, chunk: int, chunk_tokens: int, out: Path | None, calls: int | None,
    dollars: float | None, quiet: bool, with_parent: bool,
) -> int:  # fmt: skip
    """Judge cases by methods.

    One method may stand in a run many times: direct:gpt-4o and direct:haiku are two parts of direct, quip:n=9 is quip with n = 9.
    Before anything starts it says what calls, money and time the run takes. Every judgement is saved as it comes: Ctrl-C pauses
    the run, and `resume` continues it. Progress goes to standard error; standard output gets the folder of the finished run's
    files.

    With --on ray the cases are not read into memory: every process takes a chunk of the files (JSONL or Parquet, also of s3://
    and gs://) and writes a shard of results. The same command resumes where it was stopped; no chunk is judged twice. Methods
    that ask a chat model keep to one rate limit and one budget for the whole cluster and all its starts; the key comes from the
    environment of each machine.
    """
    load = partial(parts_here, methods, settings, sweeps, model)
    if on:
        refused = {"scores": scores, "split": split, "limit": limit, "batches": batches, "no-keep": no_keep, "name": name}
        if wrong := [f"--{option}" for option, value in refused.items() if value]:
            raise ValueError(f"--on ray does not take {', '.join(wrong)}; leave it out, or leave --on out")
        from groundscope.commands.on_ray import ClusterOptions, run_on_ray

        limits = Limits(calls, dollars)
        how = ClusterOptions(address, workers, chunk, chunk_tokens, limits, yes=yes, quiet=quiet, with_parent=with_parent)
        return run_on_ray(case_files, load, out, how)
    if out:
        free(out)
    if batches and no_keep:
        raise ValueError("--batches reads replies from saved ones, and --no-keep saves none; leave one of the two out")
    read, source = case_files.read(split)
    chosen = planning.chosen(read, limit=limit)
    loaded = load()
    recorded = attached(scores, chosen, case_files.files or ())
    if not loaded and not recorded:
        raise ValueError("there is nothing to judge by: name a method with --methods, or a tool's scores with --scores")
    if loaded:
        say(f"{len(chosen):,} responses of {source}.")
        if not jobs.offered(list(planning.forecast(chosen, loaded, planning.known_seconds()).values()), yes=yes):
            return REFUSED
    name = name or Path(source).stem + (f", {split}" if split else "")
    parts = [part for part, _ in loaded]
    run_id = planning.begin(
        name, source, chosen, parts, recorded, keeps_replies=not no_keep, limits=Limits(calls, dollars), afresh=no_keep
    )
    with closing(FOLDER.open(run_id)) as file:
        return jobs.go(RUNNER, file, out, quiet=quiet, with_parent=with_parent, batches=batches)


def attached(paths: Sequence[Path], cases: Sequence[Case], beside: Sequence[Path] = ()) -> list[ImportedMethod]:
    """The scores in files of other tools as further methods, and those that the files of cases themselves hold (`beside`).

    Raises `DataError` where two files hold the same metric.
    """
    further: list[ImportedMethod] = []
    files = [read_scores(name, data) for name, data in read_files(paths)]
    tools = {recorded.tool for recorded in files}
    # A pipe cannot be read twice.
    stored = stored_scores(read_files([path for path in beside if path.is_file()]))
    for recorded in (*files, *(one for one in stored if one.tool not in tools)):
        tell_rejected(recorded.rejected)
        methods, matched = attach(recorded, cases)
        counted = f"{matched.matched:,} of {len(recorded.rows):,} rows match a case, {matched.ambiguous:,} fit several"
        say(f"{recorded.name}, {recorded.title}: {counted}.")
        further += methods
    if len({a.method.id for a in further}) < len(further):
        raise DataError("Two files hold the same metric of the same tool; give one of them.")
    return further
