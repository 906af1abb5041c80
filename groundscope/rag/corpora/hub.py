"""A published benchmark from a model hub: asked for in a child process, which keeps nothing on this machine.

The hub is the one that `HF_ENDPOINT` names, as for weights. The datasets library counts loads at an address of its own and reads
its settings when it is imported: in the child that is off, whatever the app has imported already.
"""

import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from groundscope.errors import Cancelled, DataError
from groundscope.files.child_process import beside
from groundscope.runtime.progress import listening

_SECONDS = 600
_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
LOCAL = "load the files of its corpus and its questions from this machine instead."
_QUIET = {
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
}


@dataclass(frozen=True, slots=True)
class Published:
    """What a hub has of a benchmark, rows as JSON lines.

    Attributes:
        licence: that the data's card states; empty = none.
    """

    licence: str
    corpus: bytes
    questions: bytes


def published(hub_id: str, stop: Event | None = None) -> Published:
    """Get a benchmark from the hub.

    Raises:
        DataError: one sentence that says to load local files.
    """
    if not _ID.fullmatch(hub_id):
        raise DataError(f"A hub id has an owner and a name, such as isaacus/legal-rag-bench; give one, or {LOCAL}")
    with tempfile.TemporaryDirectory(prefix="groundscope-hub-") as folder:
        caches = {name: str(Path(folder, name)) for name in ("HF_HUB_CACHE", "HF_DATASETS_CACHE", "HF_XET_CACHE")}
        with listening(lambda done, total: _stop_if(stop)):
            ended = beside(
                "groundscope.rag.corpora._hub_reader", hub_id, folder, seconds=_SECONDS, environment={**_QUIET, **caches}
            )
        if ended.code is None:
            raise DataError(f"The hub did not hand out {hub_id} within {_SECONDS // 60} minutes; try again later, or {LOCAL}")
        if ended.code:
            raise DataError(f"{hub_id} could not be read, it may be too large or damaged; {LOCAL}")
        said = json.loads(ended.out)
        if refusal := said.get("refused"):
            raise DataError(f"{refusal} {LOCAL}")
        return Published(said["licence"], Path(folder, "corpus.jsonl").read_bytes(), Path(folder, "qa.jsonl").read_bytes())


def _stop_if(stop: Event | None) -> None:
    if stop is not None and stop.is_set():
        raise Cancelled("Loading was stopped.")
