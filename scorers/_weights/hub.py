"""Requests to a model hub: the files of a revision, and a file's bytes from any offset. Refusals become error messages."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundscope.chat.addresses import refused_url
from groundscope.errors import GroundscopeError, ScorerUnavailable
from groundscope.training.finetuning import RECORD
from scorers._weights.files import WEIGHT_FILES, WeightFiles

_TOKENIZER = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt", "vocab.json",
    "merges.txt", "spm.model", "spiece.model", "sentencepiece.bpe.model",
)  # fmt: skip
_TIMEOUT = 30.0


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

    @property
    def partial(self) -> Path:
        """Folder of the files until all of them are complete and verified."""
        target = self.weights.own_folder()
        return target.with_name(f"{target.name}.partial")


def plan_of(weights: WeightFiles) -> DownloadPlan:
    """List the files of a revision on the hub, with size, hash and the commit that it stands for; downloads none.

    Raises:
        ScorerUnavailable: the message says what is wrong and what to do.
    """
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

    Raises:
        Unfinished: the server ended early or had a passing fault.
        huggingface_hub.errors.HfHubHTTPError: the hub refused; `asked` converts it.
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
