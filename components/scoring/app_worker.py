"""The app's worker, which all sessions share in turn: models loaded ahead, embeddings, and stopping a job."""

import gc
import sys
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module

from components import state
from components.scoring import asking
from components.worker.job import Job
from components.worker.process import Worker
from components.worker.scoring_process import processes
from groundscope.methods import defaults, registry
from groundscope.methods.advice import recommended
from groundscope.text.differences import items

_FIRST_PAGE = 4.0
_cold: set[str] = set()
_MORE = 20
"""Modules by which the imported ones must have grown before objects are frozen again: garbage of that moment is frozen too."""
_imported = 0
_STATISTICS = ("sklearn.metrics", "sklearn.isotonic", "scipy.stats")


@lru_cache(maxsize=1)
def worker() -> Worker:
    """The app's worker. Raises GroundscopeError if its size in the environment is no size."""
    return Worker(processes=processes())


def freeze_imports() -> None:
    """Exclude what exists now from garbage collection, if many modules were imported since the last time.

    Streamlit collects all garbage after every run of a page. Going through all classes and functions of a hundred packages takes
    0.15 s each time, in which no other session is served.
    """
    global _imported
    if len(sys.modules) < _imported + _MORE:
        return
    _imported = len(sys.modules)
    # Streamlit has just collected what was garbage.
    gc.freeze()


@lru_cache(maxsize=1)
def warm() -> Job:
    """Start the worker, once a process, and load models there and the citation finder here, in the background.

    The job is that of the quick method, whose row is there at once; the recommended one is loaded last: it takes longest.
    """
    threading.Thread(target=_import_ahead, name="warming", daemon=True).start()
    slow = registry.ready(dict.fromkeys((defaults.EMBEDDER, recommended().method)))
    later = [name for name in slow if name != defaults.QUICK]
    _cold.update(later)
    job = worker().prepare(defaults.QUICK)
    threading.Thread(target=_load_ahead, args=(job, later), name="loading", daemon=True).start()
    return job


def _load_ahead(job: Job, methods: Sequence[str]) -> None:
    job.future.result()
    for name in methods:
        try:
            worker().prepare(name).future.result()
        finally:
            _cold.discard(name)


def cold(method: str) -> bool:
    """Whether a method's model is still being loaded ahead: its scores are asked for later, so that they hold up no others."""
    return method in _cold


def _import_ahead() -> None:
    items("29 U.S.C. § 1")
    # What the pages of runs take seconds to import; the first page comes before it.
    time.sleep(_FIRST_PAGE)
    for module in _STATISTICS:
        import_module(module)


def interval() -> float:
    """Seconds between two looks of a page at its scores: the more wait, the rarer, or looking would take what judging needs."""
    return min(2.0, max(0.3, 0.06 * worker().waiting))


def embed(texts: list[str]) -> Job:
    """Start to embed texts with the bundled model in the worker; the job gives vectors, a failed judgement or None."""
    return worker().embed(defaults.EMBEDDER, texts, session=state.user())


def watching(job: Job) -> None:
    """Mark a job as still awaited; the worker gives up jobs that no page awaits."""
    job.watched = time.monotonic()


def stop(job: Job) -> None:
    """Stop a job of this worker, or of the one that asks models, at its next batch."""
    (asking.worker() if job.remote else worker()).cancel(job)
