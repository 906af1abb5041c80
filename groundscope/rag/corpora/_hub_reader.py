"""A hub's benchmark -> `corpus.jsonl` and `qa.jsonl` in a folder: `python -m groundscope.rag.corpora._hub_reader ID FOLDER`.

JSON goes to standard output: the licence, or `refused`, a sentence that lacks its last clause, on what to do.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

from groundscope.chat.addresses import refused_url
from groundscope.files.child_process import limit
from groundscope.rag.corpora.limits import MAX_BYTES, MAX_PASSAGES

_MEMORY = 6_000_000_000
_SECONDS = 600
"""Address space, of which the libraries reserve far more than they use."""
_TIMEOUT = 15.0
_SPLIT = "test"


class _Refused(Exception):
    pass


class _Repository(NamedTuple):
    """What the hub says of a repository: its newest commit, its files' sizes, the licence that its card states."""

    id: str
    commit: str
    sizes: dict[str, int]
    licence: str

    @property
    def root(self) -> str:
        """What the addresses of its files begin with."""
        return f"hf://datasets/{self.id}@{self.commit}/"


def _repository(hub_id: str) -> _Repository:
    import httpx2
    from huggingface_hub import HfApi, constants, errors

    hub = constants.ENDPOINT
    if why := refused_url(hub):
        raise _Refused(f"The address in HF_ENDPOINT {why}; set that of a hub and start the app again, or")
    try:
        info = HfApi().dataset_info(hub_id, timeout=_TIMEOUT, files_metadata=True)
        sizes = {s.rfilename: int(s.size or 0) for s in info.siblings or ()}
        return _Repository(hub_id, str(info.sha or ""), sizes, _licence(info.card_data))
    except errors.OfflineModeIsEnabled:
        raise _Refused("HF_HUB_OFFLINE is set, so no hub is asked; unset it and start the app again, or") from None
    except errors.GatedRepoError:
        raise _Refused(
            f"The hub hands {hub_id} out to signed-in users who accepted its terms; accept them on its page and set HF_TOKEN, or"
        ) from None
    except errors.RepositoryNotFoundError:
        raise _Refused(f"The hub at {hub} has no data {hub_id}, or shows it to signed-in users only; set HF_TOKEN, or") from None
    except errors.HfHubHTTPError as error:
        code = getattr(error.response, "status_code", "an error")
        raise _Refused(f"The hub at {hub} answered {code} for {hub_id}; try again later, or") from None
    except (httpx2.TooManyRedirects, ValueError, LookupError, TypeError, AttributeError):
        # A hotel's sign-in page, for one.
        raise _Refused(f"What answers at {hub} is no hub; check the network and HF_ENDPOINT, or") from None
    except (httpx2.RequestError, httpx2.InvalidURL):
        raise _Refused(f"The hub at {hub} cannot be reached from this machine; connect it, or") from None


def _licence(card: Any) -> str:
    """Of the data, as its card states it."""
    values = card.to_dict() if card is not None else {}
    stated = values.get("license")
    if stated in ("other", ["other"]):
        stated = [values.get("license_name"), values.get("license_link")]
    return ", ".join(n for n in (stated if isinstance(stated, list) else [stated]) if isinstance(n, str) and n)


def _rows(repository: _Repository, configuration: str) -> Any:
    from datasets import load_dataset_builder

    name = f"The hub's {repository.id}"
    try:
        # Its address: a folder of this name on this machine is not what was asked for. That the rows lie in the repository,
        # whatever its card says, is the library's own check.
        builder = load_dataset_builder(f"hf://datasets/{repository.id}", configuration, revision=repository.commit)
        files = [str(file) for found in (builder.config.data_files or {}).values() for file in found]
        if sum(repository.sizes.get(file.removeprefix(repository.root), 0) for file in files) > MAX_BYTES:
            raise _Refused(f"{name} has files of more than {MAX_BYTES // 1_000_000} MB, the most that are fetched;")
        builder.download_and_prepare()
        return builder.as_dataset(split=_SPLIT)
    except (_Refused, MemoryError):
        raise
    except Exception:  # Whatever a broken connection or other people's data raises in there.
        raise _Refused(f"{name} has no configuration {configuration} with a split {_SPLIT} that can be read;") from None


def _write(repository: _Repository, configuration: str, to: Path) -> None:
    rows = _rows(repository, configuration)
    size = 0
    with to.open("wb") as file:
        for number, row in enumerate(rows, 1):
            line = json.dumps(row, default=str).encode() + b"\n"
            size += len(line)
            if number > MAX_PASSAGES or size > MAX_BYTES:
                most = f"{MAX_PASSAGES:,} rows or {MAX_BYTES // 1_000_000} MB"
                raise _Refused(f"The hub's {repository.id} has more than {most}, the most that are read;")
            file.write(line)


def _main(hub_id: str, folder: str) -> int:
    limit(_MEMORY, _SECONDS)
    try:
        repository = _repository(hub_id)
        _write(repository, "corpus", Path(folder, "corpus.jsonl"))
        _write(repository, "qa", Path(folder, "qa.jsonl"))
        said = {"licence": repository.licence}
    except _Refused as refused:
        said = {"refused": str(refused)}
    sys.stdout.write(json.dumps(said))
    return 0


if __name__ == "__main__":
    code = _main(sys.argv[1], sys.argv[2])
    sys.stdout.flush()
    # Arrow's threads now and then abort a process that ends in the usual way, when all of its work is done.
    os._exit(code)
