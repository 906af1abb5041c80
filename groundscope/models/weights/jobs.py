"""Downloads of the weights of methods, as jobs: they resume inside a file, and go when the weights are here and checked."""

import shutil
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any

from groundscope.chat.clients.ceilings import ended, in_thread
from groundscope.errors import DataError, GroundscopeError
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.listing import Listed, listed
from groundscope.experiments.plan import Content
from groundscope.experiments.task import Task, TaskPart, TaskPlan, plan_of
from groundscope.methods import registry
from groundscope.storage.team import Role


def _part(method: str, _options: Content) -> TaskPart[None]:
    loaded: Any = registry.load(method)
    if not hasattr(loaded, "fetch"):
        raise DataError(f"{method} needs no weights.")

    def do(_item: None) -> Content:
        # A server that falls silent must not hold up a pause: what it has sent is on disk.
        ended(in_thread("download", loaded.fetch)).result()
        return {}

    # No version: what was begun by one Groundscope may be continued by the next, which may need other files.
    return TaskPart("download", do)


class _Downloads(JobDirectory):
    """Deletes with a download what came of it so far."""

    def delete(self, job: str, least: Role = Role.LEAD) -> None:
        """See `JobDirectory.delete`."""
        from filelock import FileLock, Timeout

        needed: Any = ()
        # Of a method that is no longer in the registry, nothing is known of its files.
        with suppress(GroundscopeError, ValueError), closing(self.open(job)) as file:
            needed = getattr(registry.load(method_of(plan_of(file))), "needed", ())
        super().delete(job, least)
        for weights in needed:
            # Another method may be downloading them.
            with suppress(Timeout), FileLock(f"{weights.own_folder()}.lock", timeout=0):
                shutil.rmtree(weights.partial_folder(), ignore_errors=True)


DOWNLOAD: Task[None] = Task(_Downloads("downloads", "download"), "download", "method", lambda _: {}, lambda _: None, _part)


def _far(done: int, total: int) -> str:
    return "all is here, loading and checking it" if done >= total else f"{done / 1e6:,.1f} of {total / 1e6:,.1f} MB"


def method_of(plan: TaskPlan) -> str:
    """Whose weights a job of this plan downloads."""
    return plan.parts[0].id


KIND = replace(DOWNLOAD.kind, about=lambda _, plan: method_of(plan), far=_far)


def begin(method: str) -> str:
    """Make the download of a method's weights, or find the one that is not finished; nothing is asked yet."""
    if job := under_way().get(method):
        return job.id
    title = registry.find(method).about.title
    # Row -1: one step, which reports how far it is.
    return DOWNLOAD.create(f"Weights of {title}", {method: title}, [None], {}, rows=[-1])


def under_way() -> Mapping[str, Listed]:
    """List the downloads that are not finished, at work or not, by method."""
    return {method_of(job.plan): job for job in listed(KIND)[0] if not job.finished}
