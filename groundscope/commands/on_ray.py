"""`run --on ray`: judge case files too large for one process."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from groundscope.cases.dataset import read_rows_of
from groundscope.cases.mapping.saved_mappings import named
from groundscope.chat.budget import Limits
from groundscope.commands import jobs
from groundscope.commands.case_files import CaseFiles
from groundscope.commands.terminal import REFUSED, say
from groundscope.errors import DataError, ScorerUnavailable
from groundscope.experiments.plan import Part
from groundscope.experiments.steps import Steps
from groundscope.experiments.store import JobFile
from groundscope.files.addresses import is_address, shown, whole
from groundscope.grounding.runs.planning import forecast
from groundscope.grounding.sharded.chunks import CaseChunk, chunks_of, rows_of
from groundscope.grounding.sharded.jobs import JUDGED, KIND, RayPlan, begin, plan_of
from groundscope.methods import Method
from groundscope.runtime.machine import stamp
from groundscope.text.humanize import plural
from groundscope.types import Case

_SAMPLE = 200
"""Rows whose calls are counted before the start."""


class ClusterOptions(NamedTuple):
    """How Ray works: where, by how many processes a method, in chunks of how many cases and tokens, and for how much."""

    address: str | None
    workers: int | None
    cases: int
    tokens: int
    limits: Limits
    yes: bool
    quiet: bool
    with_parent: bool


def run_on_ray(
    case_files: CaseFiles, load: Callable[[], list[tuple[Part, Method]]], out: Path | None, how: ClusterOptions
) -> int:
    """Judge files by methods on Ray, as a job, and give the exit code.

    `load` loads the methods, once the files and the folder can be used.
    """
    if not case_files.files:
        raise DataError("Name the files to judge with --cases.")
    if case_files.sample or case_files.splits or case_files.keeps is not None:
        raise ValueError("--on ray reads files as they are; leave --sample, --make-splits and --keep-map out")
    if out is None:
        raise DataError("Name the folder for the results with --out; all machines must see it.")
    if is_address(str(out)):
        raise DataError(f"{shown(str(out))} is an address; name with --out a folder that all machines see, such as one on NFS.")
    files = [whole(path) for path in case_files.files]
    parts = load()
    if not parts:
        raise DataError("There is nothing to judge by: name a method with --methods.")
    for part, method in parts:
        if missing := method.unavailable():
            raise ScorerUnavailable(f"{part.id}: {missing}")
    chunks = chunks_of(files, how.cases, how.tokens)
    asking = [(part, method) for part, method in parts if part.asks]
    if asking and not _agreed(chunks, asking, case_files.mapping, yes=how.yes):
        return REFUSED
    from groundscope.grounding.sharded.shards import prepare

    plan = RayPlan(
        out.name, tuple(part for part, _ in parts), str(out.resolve()), case_files.mapping, how.address or "", how.workers
    )
    file, new = begin(plan, chunks, how.limits)
    prepare(out, plan.parts, [chunk.shown for chunk in chunks], stamp())
    say(f"{plural(len(chunks), 'chunk')} of {plural(len(files), 'file or folder', 'files or folders')}; Ray is starting.")
    with closing(file):
        return jobs.go(RUNNER, file, None, quiet=how.quiet, with_parent=how.with_parent, new=new)


def _steps(file: JobFile) -> Steps:
    from groundscope.grounding.sharded.work import RaySteps

    return RaySteps(file)


def _result(file: JobFile, out: Path | None) -> str:
    from groundscope.grounding.sharded.columns import finish

    plan = plan_of(file)
    for number, part in enumerate(plan.parts):
        counts = sum((Counter(chunk.content) for chunk in file.results(JUDGED, number)), Counter[str]())
        rejected = plural(counts["rejected"], "row")
        say(f"{part.title}: {counts['judged']:,} judged, {counts['known']:,} already judged, {rejected} rejected.")
    if faults := file.faults().total():
        raise DataError(f"{plural(faults, 'chunk')} could not be judged; see above for why, and resume with --retry-failed.")
    say("Every chunk is judged; the columns that pages open are being written.")
    finish(Path(plan.out))
    return plan.out


def _free(out: Path) -> None:
    raise DataError(f"Where shards go was said when the run began: resume it without --out {out}.")


RUNNER = jobs.JobRunner(KIND, _steps, _result, _free)


def _agreed(chunks: Sequence[CaseChunk], parts: Sequence[tuple[Part, Method]], mapping: str | None, *, yes: bool) -> bool:
    """Say what the calls take, from the first rows, and where texts go; whether the user agrees."""
    rows = (one for chunk in chunks for _, one in read_rows_of(chunk.shown, rows_of(chunk), named(mapping) if mapping else None))
    first = list(islice(rows, _SAMPLE))
    cases = [one for one in first if isinstance(one, Case)]
    if not cases:
        raise DataError("None of the first rows can be used; see that the files hold cases.")
    scale = sum(chunk.rows for chunk in chunks) / len(first)
    takes = [t.times(scale) for t in forecast(cases, parts, {}).values()]
    return jobs.offered(takes, yes=yes)
