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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundscope.chat.addresses import refused_url
from groundscope.errors import GroundscopeError, ScorerUnavailable
from groundscope.models.weights.files import MANIFEST, WEIGHT_FILES, WeightFiles, manifest
from groundscope.models.weights.grounding import RECORD
from groundscope.runtime.progress import report

_TOKENIZER = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt", "vocab.json",
    "merges.txt", "spm.model", "spiece.model", "sentencepiece.bpe.model",
)  # fmt: skip
_TIMEOUT = 30.0
_TRIES = 5
"""Attempts without a single new byte before a connection counts as lost."""
_PAUSE = 1.0
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file as the hub states it: `hash` is its sha256, or the id of its git blob, by `algorithm`; empty = not stated."""

    name: str
    size: int
    algorithm: str
    hash: str


@dataclass(frozen=True, slots=True)
class DownloadPlan:
    """The files of one revision of a model that are to be downloaded."""

    weights: WeightFiles
    commit: str
    files: tuple[HubFile, ...]


def fetch(sets: Sequence[WeightFiles]) -> None:
    """Download weights that are not here yet, or were damaged since. Reports progress in bytes and can be cancelled meanwhile."""
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


def _fetch(plans: Sequence[DownloadPlan]) -> None:
    total, done, most = sum(f.size for plan in plans for f in plan.files), 0, 0

    def hear(size: int) -> None:
        """Bytes of all files together, never falling, also where a file has to come again."""
        nonlocal most
        most = max(most, done + size)
        report(most, total)

    for plan in plans:
        _begin(plan)
        _check_room(plan)
        for file in plan.files:
            _fetch_file(plan, file, hear)
            done += file.size
        files = {f.name: {"size": f.size, f.algorithm: f.hash} for f in plan.files}
        came = {"model": plan.weights.model, "revision": plan.weights.revision, "commit": plan.commit, "files": files}
        (plan.weights.partial_folder() / MANIFEST).write_text(json.dumps(came, indent=1), encoding="utf-8")
    for plan in plans:
        shutil.rmtree(plan.weights.own_folder(), ignore_errors=True)
        plan.weights.partial_folder().rename(plan.weights.own_folder())


def _begin(plan: DownloadPlan) -> None:
    """The partial folder: what an earlier try or a damaged download left, without files that are not wanted (any more)."""
    target = plan.weights.own_folder()
    if target.is_dir() and not plan.weights.partial_folder().exists():
        target.rename(plan.weights.partial_folder())
    plan.weights.partial_folder().mkdir(parents=True, exist_ok=True)
    for path in plan.weights.partial_folder().iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name not in {f.name for f in plan.files}:
            path.unlink()


def _check_room(plan: DownloadPlan) -> None:
    there = sum(p.stat().st_size for p in plan.weights.partial_folder().iterdir() if p.is_file())
    needed = sum(f.size for f in plan.files) - there
    free = shutil.disk_usage(plan.weights.partial_folder()).free
    if needed > free:
        raise ScorerUnavailable(
            f"{plan.weights.name} needs {needed / 1e6:,.0f} MB and {free / 1e6:,.0f} MB are free; "
            "free some space and get it again."
        )


def _fetch_file(plan: DownloadPlan, file: HubFile, report: Callable[[int], None]) -> None:
    path = plan.weights.partial_folder() / file.name
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


def plan_of(weights: WeightFiles) -> DownloadPlan:
    """List the files of a revision on the hub, with size, hash and the commit that it stands for; downloads none."""
    import httpx2
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import OfflineModeIsEnabled

    if why := refused_url(constants.ENDPOINT):
        raise ScorerUnavailable(f"The address in HF_ENDPOINT {why}; set that of a hub and start the app again.")
    try:
        info = asked(
            weights, lambda: HfApi().model_info(weights.model, revision=weights.revision, files_metadata=True, timeout=_TIMEOUT)
        )
    except OfflineModeIsEnabled:
        raise ScorerUnavailable(
            "HF_HUB_OFFLINE is set, so nothing is downloaded; unset it and start the app again, or copy a folder of the weights "
            "here by hand and name it below."
        ) from None
    except (httpx2.TooManyRedirects, ValueError, LookupError, TypeError):
        # A hotel's sign-in page, for one.
        raise ScorerUnavailable(
            f"What answers at {constants.ENDPOINT} is no model hub; check the network and HF_ENDPOINT, or copy a folder of the "
            "weights here by hand and name it below."
        ) from None
    except (httpx2.RequestError, httpx2.InvalidURL):
        raise ScorerUnavailable(
            f"The hub at {constants.ENDPOINT} cannot be reached from this machine; connect it, or copy a folder of the "
            "weights here by hand and name it below."
        ) from None
    there = {s.rfilename: s for s in info.siblings or []}
    names = ["config.json", *weights.extra, *_TOKENIZER, "README.md", RECORD]
    if weights.file:
        names = [weights.file, "README.md"]
    elif not weights.tokenizer_only:
        names += [name for name in WEIGHT_FILES[: 2 if weights.pickled else 1] if name in there][:1] or ["model.safetensors"]
    required = {weights.marker, *weights.extra, *(WEIGHT_FILES if not weights.tokenizer_only else ())} & set(names)
    if lacking := sorted(required - there.keys()):
        raise ScorerUnavailable(
            f"The hub's copy of {weights.model} at {weights.revision[:12]} has no {lacking[0]}; nothing was loaded."
        )
    return DownloadPlan(weights, info.sha or weights.revision, tuple(_file(there[n]) for n in names if n in there))


def _file(sibling: Any) -> HubFile:
    if sibling.lfs is not None:
        return HubFile(sibling.rfilename, int(sibling.lfs.size), "sha256", sibling.lfs.sha256)
    return HubFile(sibling.rfilename, int(sibling.size or 0), "git", sibling.blob_id or "")


class Unfinished(Exception):
    """The server ended early or had a passing fault."""


def receive(plan: DownloadPlan, file: HubFile, path: Path, start: int, report: Callable[[int], None]) -> None:
    """Append a file's bytes from an offset; from the beginning if the server does not support ranges.

    `Unfinished` if the server ended early or had a passing fault; where the hub refuses, `asked` converts its error.
    """
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils._headers import build_hf_headers
    from huggingface_hub.utils._http import get_session, hf_raise_for_status

    headers = {**build_hf_headers(), "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    url = hf_hub_url(plan.weights.model, file.name, revision=plan.commit)
    with get_session().stream("GET", url, headers=headers, timeout=_TIMEOUT, follow_redirects=True) as answer:
        if answer.status_code >= 500 or answer.status_code in (408, 429):
            raise Unfinished
        hf_raise_for_status(answer)
        resumed = answer.status_code == 206
        size = start if resumed else 0
        with path.open("ab" if resumed else "wb") as out:
            report(size)
            # As it comes in: of gathered pieces, what a broken connection brought would be lost.
            for chunk in answer.iter_bytes():
                out.write(chunk[: file.size - size])
                size += len(chunk)
                report(min(size, file.size))
                if size >= file.size:
                    return
    raise Unfinished


def asked(weights: WeightFiles, ask: Callable[[], Any]) -> Any:
    """Send a request to the hub and convert its refusals to sentences; the caller handles broken connections and `Unfinished`."""
    from huggingface_hub import constants, errors

    try:
        return ask()
    except (GroundscopeError, Unfinished):
        raise
    except errors.GatedRepoError:
        raise ScorerUnavailable(
            f"The hub hands {weights.model} out to signed-in users who accepted its terms; accept them on its page, "
            "set HF_TOKEN and start the app again."
        ) from None
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.EntryNotFoundError):
        raise ScorerUnavailable(
            f"The hub at {constants.ENDPOINT} has no {weights.model} at {weights.revision[:12]}, or shows it to signed-in users "
            "only; set HF_TOKEN or put a folder of the weights here by hand."
        ) from None
    except errors.HfHubHTTPError as error:
        code = getattr(error.response, "status_code", "an error")
        if code in (401, 403):
            raise ScorerUnavailable(
                f"The hub at {constants.ENDPOINT} does not hand out {weights.model} here (it answered {code}); set a valid "
                "HF_TOKEN and start the app again, or put a folder of the weights here by hand."
            ) from None
        raise ScorerUnavailable(f"The hub answered {code} for {weights.model}; get the weights again later.") from None
