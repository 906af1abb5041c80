"""`run`: judge cases by methods, or go on with a run that was stopped."""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from commands import terminal
from commands.new_run import loaded, planned
from commands.stopping import stop_event
from commands.terminal import DONE, REFUSED, STOPPED, say, show
from evaluation import benchmark, run_list
from evaluation.errors import DataError, GroundscopeError
from evaluation.run_data import MethodRun
from evaluation.run_folder import export
from evaluation.store import Store
from evaluation.types import Scorer


def run(given: argparse.Namespace) -> int:
    """Judge what is left of a new run or of the one to resume, and export it when it is finished."""
    if given.retry_failed and not given.resume:
        raise ValueError("--retry-failed goes with --resume RUN")
    store = Store()
    out = _free(Path(given.out)) if given.out else None
    run_id = _resumed(given, store) if given.resume else planned(given, store)
    if not run_id:
        return REFUSED
    ended = _work(given, store, run_id)
    why = ended.why
    if ended.finished:
        try:
            show(str(export(store, run_id, out) if out else run_list.files(store, run_id)))
            return DONE
        except GroundscopeError as error:
            why = str(error)
    say(f"{why}\nTo go on: python -m groundscope run --resume {run_id}")
    return STOPPED


def _resumed(given: argparse.Namespace, store: Store) -> str:
    """The id of a run that was there before, with what is now asked of it.

    Raises:
        StoreError: there is none, or another process works on it.
    """
    plan = store.run(given.resume).plan
    if given.retry_failed:
        store.retry(given.resume)
    if given.calls is not None or given.dollars is not None:
        calls = plan.calls if given.calls is None else given.calls
        store.allow(given.resume, calls, plan.dollars if given.dollars is None else given.dollars)
    return str(given.resume)


def _free(folder: Path) -> Path:
    """Look before hours of work whether the result can be written.

    Raises:
        DataError: it cannot.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise DataError(f"{folder} is not empty, and a run's files are never overwritten; name a new folder.")
        above = next(p for p in folder.resolve().parents if p.exists())
        if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
            raise DataError(f"{folder} cannot be written; name a folder elsewhere.")
    except OSError as error:
        raise DataError(f"{folder} cannot be written ({error.strerror}); name a folder elsewhere.") from None
    return folder


def _work(given: argparse.Namespace, store: Store, run_id: str) -> benchmark.Outcome:
    """Work on the run.

    Raises:
        GroundscopeError: a run that was there before could not be gone on with at all.
    """
    listed = store.run(run_id)
    here = _here(listed.plan.methods)
    left = {m.id: listed.plan.cases - done for m, done in zip(listed.plan.methods, listed.done, strict=True)}
    say(f"Run {run_id}: {listed.plan.name}")
    progress = terminal.Progress(left, quiet=given.quiet)
    stop = stop_event(with_parent=given.with_parent)
    try:
        return benchmark.work(store, run_id, here, hear=progress.hear, stop=stop, batches=given.batches)
    except GroundscopeError as error:
        if given.resume and not progress.judged:
            raise
        return benchmark.Outcome(False, str(error))
    finally:
        progress.end()


def _here(methods: tuple[MethodRun, ...]) -> Mapping[str, Scorer]:
    """The run's methods that are here; why another one is not is said."""
    found = {}
    for method in methods:
        try:
            if not method.recorded:
                found[method.id] = loaded(method.id, method.options)
        except (GroundscopeError, ValueError) as error:
            say(str(error))
    return found
