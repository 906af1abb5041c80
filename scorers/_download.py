"""Published weights from the hub into a folder of the app's own.

Files come by plain HTTP into a `.partial` folder beside the final one, resumed where an earlier try stopped, checked against
the hashes that the hub states, and the folder is renamed when all of it is there and right: nothing is ever half-loaded. Only the
address in `HF_ENDPOINT` (the hub, unless set) is asked, and only for files of a fixed list of names.
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

from evaluation.errors import GroundscopeError, ScorerUnavailable
from evaluation.progress import report
from scorers._weights import MANIFEST, WEIGHT_FILES, Weights

_TOKENIZER = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt", "vocab.json",
    "merges.txt", "spm.model", "spiece.model",
)  # fmt: skip
_CHUNK = 1 << 20
_TRIES = 5
"""Attempts without a single new byte before a connection counts as lost."""
_PAUSE = 1.0
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    size: int
    algorithm: str
    hash: str


@dataclass(frozen=True, slots=True)
class _Plan:
    weights: Weights
    commit: str
    files: tuple[_File, ...]

    @property
    def partial(self) -> Path:
        own = self.weights.own_folder()
        return own.with_name(f"{own.name}.partial")


def fetch(wanted: Sequence[Weights]) -> None:
    """Download weights that are not here yet. Reports progress in bytes and can be cancelled at every megabyte.

    Raises:
        ScorerUnavailable: one sentence with the mend; what has arrived stays for the next try.
        Cancelled: the user stopped it; likewise.
    """
    from filelock import FileLock, Timeout

    for weights in wanted:
        weights.own_folder().parent.mkdir(parents=True, exist_ok=True)
    locks = [FileLock(f"{w.own_folder()}.lock", timeout=0) for w in wanted]
    try:
        for lock in locks:
            lock.acquire()
        _fetch([_plan(weights) for weights in wanted])
    except Timeout:
        raise ScorerUnavailable("These weights are being downloaded by another window or program; wait for it.") from None
    except OSError as error:
        if error.errno in _FULL:
            raise ScorerUnavailable(
                "The disk is full; free some space and get the weights again, they go on where they stopped."
            ) from None
        raise ScorerUnavailable(
            f"The weights cannot be written ({type(error).__name__}: {error.strerror}); check the data folder."
        ) from error
    finally:
        for lock in locks:
            lock.release()


def _plan(weights: Weights) -> _Plan:
    import httpx2
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import OfflineModeIsEnabled

    try:
        info = _asked(
            weights, lambda: HfApi().model_info(weights.model, revision=weights.revision, files_metadata=True, timeout=30)
        )
    except (httpx2.TransportError, OfflineModeIsEnabled):
        raise ScorerUnavailable(
            f"The hub at {constants.ENDPOINT} cannot be reached from this machine; connect it, or copy a folder of the "
            "weights here by hand and name it below."
        ) from None
    there = {s.rfilename: s for s in info.siblings or []}
    names = ["config.json", *weights.extra, *_TOKENIZER, "README.md"]
    if not weights.tokenizer_only:
        names += [name for name in WEIGHT_FILES[: 2 if weights.pickled else 1] if name in there][:1] or ["model.safetensors"]
    required = {"config.json", *weights.extra, *(WEIGHT_FILES if not weights.tokenizer_only else ())} & set(names)
    if lacking := sorted(required - there.keys()):
        raise ScorerUnavailable(
            f"The hub's copy of {weights.model} at {weights.revision[:12]} has no {lacking[0]}; nothing was loaded."
        )
    return _Plan(weights, info.sha or weights.revision, tuple(_file(there[n]) for n in names if n in there))


def _file(sibling: Any) -> _File:
    if sibling.lfs is not None:
        return _File(sibling.rfilename, int(sibling.lfs.size), "sha256", sibling.lfs.sha256)
    return _File(sibling.rfilename, int(sibling.size or 0), "git", sibling.blob_id or "")


def _fetch(plans: Sequence[_Plan]) -> None:
    total = sum(f.size for plan in plans for f in plan.files)
    done = 0
    for plan in plans:
        plan.partial.mkdir(parents=True, exist_ok=True)
        _check_room(plan)
        for file in plan.files:
            _fetch_file(plan, file, lambda size, before=done: report(before + size, total))  # type: ignore[misc]
            done += file.size
        files = {f.name: {"size": f.size, f.algorithm: f.hash} for f in plan.files}
        manifest = {"model": plan.weights.model, "revision": plan.weights.revision, "commit": plan.commit, "files": files}
        (plan.partial / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    for plan in plans:
        shutil.rmtree(plan.weights.own_folder(), ignore_errors=True)
        plan.partial.rename(plan.weights.own_folder())


def _check_room(plan: _Plan) -> None:
    there = sum(p.stat().st_size for p in plan.partial.iterdir() if p.is_file())
    needed = sum(f.size for f in plan.files) - there
    free = shutil.disk_usage(plan.partial).free
    if needed > free:
        raise ScorerUnavailable(
            f"{plan.weights.name} needs {needed / 1e6:,.0f} MB and {free / 1e6:,.0f} MB are free; "
            "free some space and get it again."
        )


def _fetch_file(plan: _Plan, file: _File, said: Callable[[int], None]) -> None:
    path = plan.partial / file.name
    for _ in range(2):
        _stream(plan, file, path, said)
        if not file.hash or _hash(path, file) == file.hash:
            return
        # What an earlier try left may belong to another revision: once more from the start.
        path.unlink()
    raise ScorerUnavailable(f"{file.name} of {plan.weights.model} arrived damaged twice; get the weights again later.")


def _stream(plan: _Plan, file: _File, path: Path, said: Callable[[int], None]) -> None:
    import httpx2

    tries = _TRIES
    while tries:
        before = path.stat().st_size if path.exists() else 0
        if before > file.size:
            path.unlink()
            before = 0
        if before == file.size and path.exists():
            said(file.size)
            return
        try:
            _asked(plan.weights, lambda start=before: _receive(plan, file, path, start, said))  # type: ignore[misc]
        except (httpx2.TransportError, _Unfinished):
            arrived = path.stat().st_size if path.exists() else 0
            tries = _TRIES if arrived > before else tries - 1
            if tries:
                time.sleep(_PAUSE)
    raise ScorerUnavailable(
        f"The connection broke while {file.name} of {plan.weights.model} was loading; "
        "get the weights again, they go on where they stopped."
    )


class _Unfinished(Exception):
    """The server ended early or had a passing fault."""


def _receive(plan: _Plan, file: _File, path: Path, start: int, said: Callable[[int], None]) -> None:
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils._headers import build_hf_headers
    from huggingface_hub.utils._http import get_session, hf_raise_for_status

    headers = {**build_hf_headers(), "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    url = hf_hub_url(plan.weights.model, file.name, revision=plan.commit)
    with get_session().stream("GET", url, headers=headers, timeout=30, follow_redirects=True) as answer:
        if answer.status_code >= 500 or answer.status_code in (408, 429):
            raise _Unfinished
        hf_raise_for_status(answer)
        resumed = answer.status_code == 206
        size = start if resumed else 0
        with path.open("ab" if resumed else "wb") as out:
            said(size)
            for chunk in answer.iter_bytes(_CHUNK):
                out.write(chunk[: file.size - size])
                size += len(chunk)
                said(min(size, file.size))
                if size >= file.size:
                    return
    raise _Unfinished


def _hash(path: Path, file: _File) -> str:
    with path.open("rb") as opened:
        if file.algorithm == "sha256":
            return hashlib.file_digest(opened, "sha256").hexdigest()
        return hashlib.sha1(b"blob %d\0" % file.size + opened.read(), usedforsecurity=False).hexdigest()


def _asked(weights: Weights, ask: Callable[[], Any]) -> Any:
    """Ask the hub; its refusals become sentences. A broken connection is for the caller."""
    from huggingface_hub import constants, errors

    try:
        return ask()
    except (GroundscopeError, _Unfinished):
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
        raise ScorerUnavailable(f"The hub answered {code} for {weights.model}; get the weights again later.") from None
