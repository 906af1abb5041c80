"""`jobs`, `resume`, `delete`: manage long jobs, and helpers of the commands that start them."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import chain
from itertools import count as numbers
from pathlib import Path
from typing import Any, NamedTuple

import click

from groundscope.chat.budget import Limits, in_words
from groundscope.commands import options, terminal
from groundscope.commands.case_files import check_place
from groundscope.commands.terminal import DONE, NOTHING, STOPPED, say, show, stop_event, table
from groundscope.errors import DataError, GroundscopeError, StoreError
from groundscope.experiments.forecast import UNPRICED, CostEstimate, lacking
from groundscope.experiments.listing import Kind, Listed, listed, one
from groundscope.experiments.steps import Outcome, Steps
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import Task, TaskSteps, plan_of
from groundscope.experiments.work import work
from groundscope.text.humanize import money, plural, spell


class JobRunner(NamedTuple):
    """A kind of job, and what works on it.

    Attributes:
        result: writes what a finished job gives to a place of the user's, or where it usually goes, and says where.
        online: whether it may reach a model hub.
        forget: deletes a job whose result was written or shown, where nothing of it is left to do.
    """

    kind: Kind
    steps: Callable[[JobFile], Steps]
    result: Callable[[JobFile, Path | None], str]
    free: Callable[[Path], None]
    online: bool = False
    forget: Callable[[JobFile, Path | None], None] = lambda file, out: None


def task_runner(
    task: Task[Any],
    page: str,
    how: Callable[[JobFile, Path | None], str] | None = None,
    free: Callable[[Path], None] = check_place,
) -> JobRunner:
    """What works on the jobs of a task; `how` writes the result of one, which is then deleted unless a part failed.

    What a page began it takes over itself, unless the user names a place.
    """

    def result(file: JobFile, out: Path | None) -> str:
        place = plan_of(file).out
        if how is None or (place is None and out is None):
            return f"The {page} page takes the result over."
        if out is None and place:
            # What this job wrote when it ended before stays.
            names = chain([Path(place)], (Path(place).with_stem(f"{Path(place).stem}-{n}") for n in numbers(2)))
            out = next(name for name in names if not name.exists())
        return how(file, out)

    def forget(file: JobFile, out: Path | None) -> None:
        taken = how is not None and not (plan_of(file).out is None and out is None)
        if taken and not file.faults():
            task.folder.delete(file.id)

    def refuse(out: Path) -> None:
        raise DataError(f"The {page} page takes the result over: resume the job without --out {out}.")

    return JobRunner(task.kind, partial(TaskSteps, task), result, free if how else refuse, forget=forget)


KINDS = {
    "grounding": "run",
    "rag": "rag",
    "arguments": "arguments",
    "training": "finetune",
    "typing": "error_types",
    "variants": "sets",
    "recall": "citations",
    "comparing": "citations:COMPARISONS",
    "claims": "citations:SPLITTING",
    "download": "methods",
    "leave-one-out": "copies",
    "on Ray": "on_ray",
}
"""Kind of job -> the module of `groundscope.commands` whose `RUNNER` it is, or another name in it; imported when it is needed."""


def kinds() -> Iterator[tuple[str, JobRunner]]:
    """Every kind of job by name, in the order of `KINDS`; its module is imported when its turn comes."""
    for name, place in KINDS.items():
        module, _, runner = place.partition(":")
        yield name, getattr(import_module(f"groundscope.commands.{module}"), runner or "RUNNER")


def find(job: str) -> tuple[JobRunner, JobFile]:
    """What works on the kind of a job, and the job's file; raises `StoreError` where there is no such job."""
    for _, runner in kinds():
        with suppress(StoreError):
            return runner, runner.kind.folder.open(job)
    raise StoreError(f"There is no job {job!r}; `python -m groundscope jobs` lists them.")


@click.command()
def jobs() -> int:
    """List all long jobs with their progress."""
    rows = []
    for name, runner in kinds():
        entries, problems = listed(runner.kind)
        for problem in problems:
            say(problem)
        rows += [(j.id, name, j.name, _state(j), _far(runner.kind, j), f"{j.failed:,}", _spent(j)) for j in entries]
    if not rows:
        say("No jobs yet; start one with run, rag-run, arguments-run or finetune.")
        return DONE
    show(table(("id", "kind", "name", "state", "done", "failed", "spent"), rows))
    return DONE


def _state(job: Listed) -> str:
    return "finished" if job.finished else "working" if job.busy else "paused" if job.started else "not started"


def _far(kind: Kind, job: Listed) -> str:
    if job.step and not job.done:
        return f"{job.step.part}, {kind.far(job.step.done, job.step.total)}"
    return f"{job.done:,} of {job.wanted:,}"


def _spent(job: Listed) -> str:
    if not job.spent.calls:
        return ""
    return f"{'at least ' if job.spent.unanswered or job.spent.unpriced else ''}{money(job.spent.dollars)}"


@click.command()
@click.argument("job", metavar="JOB", help="a job's id; `jobs` lists them")
@click.option("--retry-failed", is_flag=True, help="also what failed")
@click.option("--batches", is_flag=True, help="ask through the provider's batches: half the price, within a day")
@click.option("--out", metavar="PATH", type=options.PATH, help="where a finished job writes its results")
@options.LIMITS
def resume(
    job: str, retry_failed: bool, batches: bool, out: Path | None, calls: int | None, dollars: float | None, quiet: bool,
    with_parent: bool,
) -> int:  # fmt: skip
    """Resume a job.

    Its parts and inputs stay as they were. Limits are those of the whole job, however often it is resumed;
    those given here replace the ones it has.
    """
    runner, file = find(job)
    if not runner.online:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    if out:
        runner.free(out)
    limits = file.limits()
    new_limits = Limits(limits.calls if calls is None else calls, limits.dollars if dollars is None else dollars)
    if new_limits != limits:
        file.allow(new_limits)
    if retry_failed:
        gone = file.retry(but=runner.kind.given(runner.kind.read(file)))
        say(f"{plural(gone, 'failed result')} {'is' if gone == 1 else 'are'} made again.")
    return go(runner, file, out, quiet=quiet, with_parent=with_parent, batches=batches, new=False)


@click.command()
@click.argument("job", metavar="JOB", help="a job's id; `jobs` lists them")
def delete(job: str) -> int:
    """Delete a job and all of its results."""
    runner, file = find(job)
    file.close()
    runner.kind.folder.delete(job)
    say(f"{job} is deleted.")
    return DONE


def offered(takes: Sequence[CostEstimate], *, yes: bool) -> bool:
    """Say on standard error what a job takes, and ask whether it may start.

    `yes`: the user agreed beforehand that texts are sent; it is asked only if some leave this machine. False if a part cannot be
    used here, or the user did not agree.
    """
    if missing := lacking(takes):
        say("\n".join(missing))
        return False
    timed = any(t.seconds is not None for t in takes)
    head = ("part", *(["time"] if timed else []), "takes", "texts go to", "at most")
    rows = []
    for t in takes:
        cost = "price not known" if t.dollars is None else money(t.dollars)
        time = [] if not timed else ["not known" if t.seconds is None else spell(t.seconds)]
        rows.append((t.title, *time, t.amount if t.calls else "no call", t.leaves or "this machine", cost))
    if rows:
        say(table(head, rows))
    if any(t.calls and t.unit == "call" for t in takes):
        say("A reply that cannot be read is asked for once more, which may cost as much again.")
    for note in filter(None, (UNPRICED if any(t.unpriced for t in takes) else "", *(t.note for t in takes))):
        say(note)
    if any(t.leaves for t in takes) and not (yes or terminal.agreed()):
        say("Nothing was sent. Add --yes to send it.")
        return False
    return True


def go(
    runner: JobRunner, file: JobFile, out: Path | None, *, quiet: bool, with_parent: bool, batches: bool = False,
    new: bool = True, words: Callable[[str], None] = show, stays: bool = True,
) -> int:  # fmt: skip
    """Work on a job until it is finished or stopped, say how that ended, and give the exit code.

    `stays`: it can be resumed when it is finished, to retry what failed.
    """
    stop, now = stop_event(with_parent=with_parent), one(runner.kind, file)
    say(f"Job {file.id}: {now.name}")
    left = {part.title: part.wanted - part.done for part in now.parts if part.wanted > part.done}
    progress = terminal.ProgressLine(left, runner.kind.unit, runner.kind.final(now.plan), quiet=quiet, far=runner.kind.far)
    try:
        ended = work(file, runner.steps(file), hear=progress.hear, stop=stop, batches=batches)
    except GroundscopeError as error:
        if not (new or progress.done):
            raise
        say(f"{error}\nTo resume: python -m groundscope resume {file.id}")
        return STOPPED
    finally:
        progress.end()
    return _ended_with(runner, file, ended, out, words, stays=stays)


def _ended_with(
    runner: JobRunner, file: JobFile, ended: Outcome, out: Path | None, words: Callable[[str], None], *, stays: bool
) -> int:
    """Say how work ended, and write the results of a finished job; gives the exit code as `go` does."""
    for why, count in (ended.failed or file.faults() if ended.nothing else ended.failed).most_common():
        say(f"{plural(count, 'time')}: {why}")
    if file.spent().calls:
        say(f"So far {in_words(file.spent())}.")
    if not ended.finished:
        say(f"{ended.why}\nTo resume: python -m groundscope resume {file.id}")
        return STOPPED
    if stays and (failed := one(runner.kind, file).retriable):
        say(f"{plural(failed, runner.kind.unit)} failed. To retry: python -m groundscope resume {file.id} --retry-failed")
    try:
        words(runner.result(file, out))
        runner.forget(file, out)
    except GroundscopeError as error:
        say(f"{error}\nEvery result is saved. To try again: python -m groundscope resume {file.id}")
        return NOTHING if ended.nothing else STOPPED
    return NOTHING if ended.nothing else DONE
