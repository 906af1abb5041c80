"""What a folder of shards says of itself: which methods judged which files, in which format, and whether something is missing."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from groundscope.errors import DataError
from groundscope.experiments.store import now
from groundscope.grounding.runs.arrays import MethodRun
from groundscope.grounding.sharded.shards import CASES_FOLDER, FORMAT, MANIFEST, VERSION, write_manifest


def is_sharded(folder: Path) -> bool:
    """Check whether a folder says that it has the results of `run --on ray`."""
    try:
        return bool(json.loads((folder / MANIFEST).read_text("utf-8"))["format"] == FORMAT)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def checked(out: Path) -> dict[str, Any]:
    """Read the manifest of a folder of shards."""
    try:
        found: dict[str, Any] = json.loads((out / MANIFEST).read_text("utf-8"))
        if found["format"] != FORMAT:
            raise ValueError("format")
        if found["version"] != VERSION:
            raise DataError(
                f"{out} was written by {'an older' if found['version'] < VERSION else 'a newer'} Groundscope, whose shards have "
                "other columns; judge into a new folder with this one to look at the results."
            )
        for part in found["parts"].values():
            MethodRun(**part["about"])
        texts = [found["created"], *found["files"], *found["machine"], *(found["finished"] or {"when": ""})["when"]]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("text")
    except OSError as error:
        raise DataError(f"The manifest in {out} cannot be read ({error.strerror}).") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise DataError(f"The manifest in {out} cannot be read; copy the folder again from where it was written.") from None
    return found


def end(out: Path) -> None:
    """Say that all files are judged by all parts, so that a shard that is missing later is found."""
    content = checked(out)
    shards: Mapping[str, int] = {
        name: sum(1 for _ in (out / name).glob("[!.]*.parquet")) for name in (CASES_FOLDER, *content["parts"])
    }
    try:
        write_manifest(out, {**content, "finished": {"when": now(), "shards": shards}})
    except OSError as error:
        why = f"{out} cannot be written ({error.strerror}); make room, and start the same command again."
        raise DataError(why) from None
