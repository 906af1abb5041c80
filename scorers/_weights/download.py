"""Download published weights from the hub to the app's folder.

Files come by plain HTTP into a `.partial` folder beside the final one, resumed where an earlier try stopped, checked against
the hashes that the hub states, and the folder is renamed when all of it is there and right: nothing is ever half-loaded. Only the
address in `HF_ENDPOINT` (the hub, unless set) is asked, and only for files of a fixed list of names. An own download that was
damaged since goes through the same, so that only what is wrong comes again.
"""

import errno
import hashlib
import json
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from groundscope.errors import ScorerUnavailable
from groundscope.runtime.progress import report
from scorers._weights.files import MANIFEST, WeightFiles, manifest
from scorers._weights.hub import DownloadPlan, HubFile, Unfinished, asked, plan_of, receive

_TRIES = 5
"""Attempts without a single new byte before a connection counts as lost."""
_PAUSE = 1.0
_SAID_EVERY = 0.1
"""Seconds between two reports of progress."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def fetch(sets: Sequence[WeightFiles]) -> None:
    """Download weights that are not here yet, or were damaged since. Reports progress in bytes and can be cancelled meanwhile.

    Raises:
        ScorerUnavailable: the message says what to do; what has arrived stays for the next try.
    """
    from filelock import FileLock, Timeout

    locks = [FileLock(f"{w.own_folder()}.lock", timeout=0) for w in sets]
    try:
        for weights, lock in zip(sets, locks, strict=True):
            weights.own_folder().parent.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        _fetch([plan_of(weights) for weights in sets if not _whole(weights)])
    except Timeout:
        raise ScorerUnavailable("These weights are being downloaded by another window or program; wait for it.") from None
    except OSError as error:
        if error.errno in _FULL:
            raise ScorerUnavailable(
                "The disk is full; free some space and get the weights again; the download resumes."
            ) from None
        raise ScorerUnavailable(
            f"The weights cannot be written ({type(error).__name__}: {error.strerror}); check the data folder."
        ) from error
    finally:
        for lock in locks:
            lock.release()


def _whole(weights: WeightFiles) -> bool:
    """Whether an earlier download is complete and undamaged; reads all of it."""
    target = weights.own_folder()
    try:
        files = manifest(target)["files"]
        return all(
            (target / name).stat().st_size == stated["size"]
            and all(
                _hash(target / name, HubFile(name, stated["size"], k, v)) == v for k, v in stated.items() if k != "size" and v
            )
            for name, stated in files.items()
        )
    except (OSError, LookupError, TypeError, AttributeError):
        return False


class _Progress:
    """Bytes of all files together: said some times a second, and never falling, also where a file has to come again."""

    def __init__(self, total: int) -> None:
        self._total, self._most, self._next = total, 0, 0.0

    def __call__(self, done: int) -> None:
        self._most = max(self._most, done)
        if time.monotonic() >= self._next or done >= self._total:
            self._next = time.monotonic() + _SAID_EVERY
            report(self._most, self._total)


def _fetch(plans: Sequence[DownloadPlan]) -> None:
    progress = _Progress(sum(f.size for plan in plans for f in plan.files))
    done = 0
    for plan in plans:
        _begin(plan)
        _check_room(plan)
        for file in plan.files:
            _fetch_file(plan, file, lambda size, before=done: progress(before + size))  # type: ignore[misc]
            done += file.size
        files = {f.name: {"size": f.size, f.algorithm: f.hash} for f in plan.files}
        came = {"model": plan.weights.model, "revision": plan.weights.revision, "commit": plan.commit, "files": files}
        (plan.partial / MANIFEST).write_text(json.dumps(came, indent=1), encoding="utf-8")
    for plan in plans:
        shutil.rmtree(plan.weights.own_folder(), ignore_errors=True)
        plan.partial.rename(plan.weights.own_folder())


def _begin(plan: DownloadPlan) -> None:
    """The partial folder: what an earlier try or a damaged download left, without files that are not wanted (any more)."""
    target = plan.weights.own_folder()
    if target.is_dir() and not plan.partial.exists():
        target.rename(plan.partial)
    plan.partial.mkdir(parents=True, exist_ok=True)
    for path in plan.partial.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name not in {f.name for f in plan.files}:
            path.unlink()


def _check_room(plan: DownloadPlan) -> None:
    there = sum(p.stat().st_size for p in plan.partial.iterdir() if p.is_file())
    needed = sum(f.size for f in plan.files) - there
    free = shutil.disk_usage(plan.partial).free
    if needed > free:
        raise ScorerUnavailable(
            f"{plan.weights.name} needs {needed / 1e6:,.0f} MB and {free / 1e6:,.0f} MB are free; "
            "free some space and get it again."
        )


def _fetch_file(plan: DownloadPlan, file: HubFile, report: Callable[[int], None]) -> None:
    path = plan.partial / file.name
    for _ in range(2):
        _stream(plan, file, path, report)
        if not file.hash or _hash(path, file) == file.hash:
            return
        # What an earlier try left may belong to another revision: once more from the start.
        path.unlink()
    raise ScorerUnavailable(f"{file.name} of {plan.weights.model} arrived damaged twice; get the weights again later.")


def _stream(plan: DownloadPlan, file: HubFile, path: Path, report: Callable[[int], None]) -> None:
    import httpx2

    tries, most = _TRIES, 0
    while tries:
        before = path.stat().st_size if path.exists() else 0
        if before > file.size:
            path.unlink()
            before = 0
        # Not the last try's start: without Range one may go back and forth for ever.
        most = max(most, before)
        report(before)
        if before == file.size and path.exists():
            return
        try:
            asked(plan.weights, lambda start=before: receive(plan, file, path, start, report))  # type: ignore[misc]
        except (httpx2.RequestError, httpx2.InvalidURL, Unfinished):
            arrived = path.stat().st_size if path.exists() else 0
            tries = _TRIES if arrived > most else tries - 1
            if tries:
                time.sleep(_PAUSE)
    raise ScorerUnavailable(
        f"The connection broke while {file.name} of {plan.weights.model} was loading; "
        "get the weights again; the download resumes."
    )


def _hash(path: Path, file: HubFile) -> str:
    with path.open("rb") as opened:
        if file.algorithm == "sha256":
            return hashlib.file_digest(opened, "sha256").hexdigest()
        return hashlib.sha1(b"blob %d\0" % file.size + opened.read(), usedforsecurity=False).hexdigest()
