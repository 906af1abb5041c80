"""Results as Parquet shards: one a chunk and method, written as a whole, so that nothing is duplicated or incomplete."""

import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from groundscope.errors import DataError
from groundscope.experiments.plan import Part
from groundscope.grounding.runs.arrays import TYPES
from groundscope.grounding.runs.reader import values_at
from groundscope.paths import replace_text, replacing
from groundscope.storage.sqlite import now

_KEY, _TEXT, _WHOLE, _SMALL, _NUMBER = pa.binary(16), pa.string(), pa.int64(), pa.int32(), pa.float64()
SCHEMA = pa.schema(
    {
        "key": _KEY, "file": _TEXT, "row": _WHOLE, "case": _TEXT, "method": _TEXT, "signature": _TEXT, "status": _TEXT,
        "support": _NUMBER, "threshold": _NUMBER, "grounded": pa.bool_(),
        "sentences": pa.list_(pa.struct({"start": _SMALL, "end": _SMALL, "support": _NUMBER})), "lowest": _NUMBER,
        "mean": _NUMBER, "seconds": _NUMBER, "timed": pa.bool_(), "context_seen": _NUMBER, "cost": _NUMBER, "calls": _SMALL,
        "tokens": _SMALL, "note": _TEXT,
    }
)  # fmt: skip
"""A row a case and method. `key` is a hash of the case with its id; `support` is 0..1, null unless the status is `scored`.

`lowest` and `mean` are of the sentences' supports, null without any; `timed` says whether `seconds` counts for latency.
"""
CASES = pa.schema(
    {
        "key": _KEY, "file": _TEXT, "row": _WHOLE, "id": _TEXT, "group": _KEY, "split": _TEXT, "area": _TEXT, "gold": pa.int8(),
        "types": pa.list_(pa.int16(), len(TYPES)), "words": _SMALL, "context_words": _SMALL, "case": pa.large_string(),
    }
)  # fmt: skip
"""A row a case, in the folder `cases`: the columns that figures need, and the case with its texts as JSON. `group` is a hash."""
CASES_FOLDER = "cases"
REJECTED = pa.schema({"file": _TEXT, "row": _WHOLE, "reason": _TEXT})
"""A row a record that could not be used."""
MANIFEST, FORMAT, VERSION = "manifest.json", "groundscope-shards", 2


def folder_of(part: Part) -> str:
    """Name the folder of a method's shards, below that of the results."""
    plain = "".join(c if c.isalnum() else "-" for c in part.id)
    return f"{plain}-{blake2b(part.signature.encode(), digest_size=6).hexdigest()}"


def prepare(out: Path, parts: Sequence[Part], files: Sequence[str] = (), machine: Sequence[str] = ()) -> None:
    """Create the folder of the results, or check an existing one."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        there: dict[str, Any] = {"created": now(), "files": [], "machine": [], "parts": {}}
        if is_sharded(out):
            there = read_manifest(out)
        elif any(out.iterdir()):
            raise DataError(f"{out} is not empty and contains no results of such a run; name a new folder.")
        # What is there may be incomplete from here on, until `end`.
        state = {
            "created": there["created"],
            "files": list(dict.fromkeys((*there["files"], *files))),
            "machine": there["machine"] or list(machine),
            "finished": None,
            "parts": {**there["parts"], **{folder_of(part): {"about": asdict(part)} for part in parts}},
        }
        _write_manifest(out, state)
        for folder in (*map(folder_of, parts), CASES_FOLDER, "rejected"):
            (out / folder).mkdir(exist_ok=True)
    except OSError as error:
        raise DataError(f"{out} cannot be written ({error}); make room, or name a folder elsewhere.") from None


def _write_manifest(out: Path, content: Mapping[str, object]) -> None:
    replace_text(out / MANIFEST, json.dumps({"format": FORMAT, "version": VERSION, **content}, indent=1) + "\n")


def is_sharded(folder: Path) -> bool:
    """Check whether a folder has the results of `run --on ray`."""
    try:
        return bool(json.loads((folder / MANIFEST).read_text("utf-8"))["format"] == FORMAT)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def read_manifest(out: Path) -> dict[str, Any]:
    """Read the manifest of a folder of shards."""
    try:
        manifest: dict[str, Any] = json.loads((out / MANIFEST).read_text("utf-8"))
        if manifest["format"] != FORMAT:
            raise ValueError("format")
        if manifest["version"] != VERSION:
            age = "an older" if manifest["version"] < VERSION else "a newer"
            why = f"was written by {age} Groundscope, whose shards have other columns; judge into a new folder with this one."
            raise DataError(f"{out} {why}")
        for part in manifest["parts"].values():
            Part.read(part["about"])
        texts = [manifest["created"], *manifest["files"], *manifest["machine"], *(manifest["finished"] or {"when": ""})["when"]]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("text")
    except OSError as error:
        raise DataError(f"The manifest in {out} cannot be read ({error.strerror}).") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise DataError(f"The manifest in {out} cannot be read; copy the folder again from where it was written.") from None
    return manifest


def end(out: Path) -> None:
    """Mark the run as complete, so that a shard missing later is detected."""
    content = read_manifest(out)
    shards = {name: len(shards_in(out / name)) for name in (CASES_FOLDER, *content["parts"])}
    try:
        _write_manifest(out, {**content, "finished": {"when": now(), "shards": shards}})
    except OSError as error:
        why = f"{out} cannot be written ({error.strerror}); make room, and start the same command again."
        raise DataError(why) from None


def write(path: Path, table: pa.Table, rows_in_a_group: int | None = None) -> None:
    """Write a shard as a whole: readers see all of it or nothing, also after a kill."""
    with replacing(path) as new:
        pq.write_table(table, new, compression="zstd", row_group_size=rows_in_a_group)
        with new.open("rb") as file:
            os.fsync(file.fileno())


def shards_in(folder: Path) -> list[Path]:
    """List the shards of a folder."""
    return sorted(path for path in folder.glob("*.parquet") if not path.name.startswith("."))


def scan(files: Sequence[Path], schema: pa.Schema, columns: Sequence[str]) -> tuple[pa.Table, "Shards"]:
    """Read some columns of shards, one after the other."""
    expected = pa.schema([schema.field(name) for name in columns])

    def read(path: Path) -> pa.Table:
        try:
            with pq.ParquetFile(path) as file:
                return file.read(columns=list(columns), use_threads=False).cast(expected)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise DataError(
                f"{path} cannot be read as what `run --on ray` writes ({type(error).__name__}); delete it, and start the same "
                "command again."
            ) from None

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tables = list(pool.map(read, files))
    whole = pa.concat_tables([expected.empty_table(), *tables])
    return whole, Shards(tuple(files), tuple(accumulate(len(table) for table in tables)))


@dataclass(frozen=True, slots=True)
class Shards:
    """Shards as if they were one table; `ends` has the rows up to the end of each."""

    files: tuple[Path, ...]
    ends: tuple[int, ...]

    def read(self, column: str, rows: Sequence[int]) -> list[Any]:
        """Read a column of some rows; of each file only the row groups that hold them."""
        places, starts = np.asarray(rows, dtype=np.int64), (0, *self.ends)
        file_of = np.searchsorted(self.ends, places, side="right")
        values: list[Any] = [None] * len(places)
        for file in np.unique(file_of):
            inside = np.flatnonzero(file_of == file)
            try:
                read = values_at(self.files[file], column, places[inside] - starts[file])
            except (OSError, ValueError, LookupError, pa.ArrowException) as error:
                why = f"{self.files[file]} cannot be read any more ({type(error).__name__}); open the run again."
                raise DataError(why) from None
            for at, value in zip(inside, read, strict=True):
                values[at] = value
        return values
