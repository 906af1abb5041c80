"""Results as Parquet shards: one a chunk and method, written as a whole, so that nothing is duplicated or incomplete."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from groundscope.cases.dataset import to_line, to_row
from groundscope.errors import DataError
from groundscope.experiments.store import now
from groundscope.grounding.runs.arrays import TYPES, MethodRun
from groundscope.paths import replace_text, replacing
from groundscope.types import Case

SCHEMA = pa.schema(
    [
        ("key", pa.binary(16)),
        ("file", pa.string()),
        ("row", pa.int64()),
        ("case", pa.string()),
        ("method", pa.string()),
        ("signature", pa.string()),
        ("status", pa.string()),
        ("support", pa.float64()),
        ("threshold", pa.float64()),
        ("grounded", pa.bool_()),
        ("sentences", pa.list_(pa.struct([("start", pa.int32()), ("end", pa.int32()), ("support", pa.float64())]))),
        ("lowest", pa.float64()),
        ("mean", pa.float64()),
        ("seconds", pa.float64()),
        ("timed", pa.bool_()),
        ("context_seen", pa.float64()),
        ("cost", pa.float64()),
        ("calls", pa.int32()),
        ("tokens", pa.int32()),
        ("note", pa.string()),
    ]
)
"""A row a case and method. `key` is a hash of the case with its id; `support` is 0..1, null unless the status is `scored`.

`lowest` and `mean` are of the sentences' supports, null without any; `timed` says whether `seconds` counts for latency.
"""
CASES = pa.schema(
    [
        ("key", pa.binary(16)),
        ("file", pa.string()),
        ("row", pa.int64()),
        ("id", pa.string()),
        ("group", pa.binary(16)),
        ("split", pa.string()),
        ("area", pa.string()),
        ("gold", pa.int8()),
        ("types", pa.list_(pa.int16(), len(TYPES))),
        ("words", pa.int32()),
        ("context_words", pa.int32()),
        ("case", pa.large_string()),
    ]
)
"""A row a case, in the folder `cases`: the columns that figures need, and the case with its texts as JSON. `group` is a hash."""
CASES_FOLDER = "cases"
CASES_IN_A_GROUP = 64
"""Rows of a row group of cases: what is read to show one of them."""
REJECTED = pa.schema([("file", pa.string()), ("row", pa.int64()), ("reason", pa.string())])
"""A row a record that could not be used."""
MANIFEST, FORMAT, VERSION = "manifest.json", "groundscope-shards", 2


@dataclass(frozen=True, slots=True)
class ShardedPart:
    """A method as all machines must have it."""

    name: str
    method: str
    options: dict[str, object]
    signature: str
    threshold: float | None
    address: str = ""
    asks: bool = False
    precision: str = ""

    @property
    def folder(self) -> str:
        """Where its shards are, below the folder of the results."""
        plain = "".join(c if c.isalnum() else "-" for c in self.name)
        return f"{plain}-{blake2b(self.signature.encode(), digest_size=6).hexdigest()}"


def key_of(case: Case) -> bytes:
    """Hash a case, its id and labels included."""
    return blake2b(to_line(to_row(case)).encode("utf-8", "replace"), digest_size=16).digest()


def prepare(out: Path, parts: Sequence[ShardedPart], methods: Sequence[MethodRun] = (), facts: Mapping[str, object] = {}) -> None:
    """Create the folder of the results, or check an existing one."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        there: dict[str, Any] = {}
        if (out / MANIFEST).exists():
            there = json.loads((out / MANIFEST).read_text("utf-8"))
            if there.get("format") != FORMAT:
                raise DataError(f"{out} contains something else; name a new folder, or the folder of an earlier start.")
            if there.get("version") != VERSION:
                raise DataError(f"Another version of Groundscope wrote the results in {out}; name a new folder.")
        elif any(out.iterdir()):
            raise DataError(f"{out} is not empty and contains no results of such a run; name a new folder.")
        about = methods or [MethodRun(p.name, p.signature, p.name, p.threshold, p.options, method=p.method) for p in parts]
        entries = {p.folder: {**asdict(p), "about": asdict(m)} for p, m in zip(parts, about, strict=True)}
        files = [*there.get("files", ()), *(f for f in _texts(facts.get("files")) if f not in there.get("files", ()))]
        machine = there.get("machine") or _texts(facts.get("machine"))
        # What is there may be incomplete from here on, until `finish`.
        state = {"created": there.get("created") or now(), "files": files, "machine": machine, "finished": None}
        write_manifest(out, {**state, "parts": {**there.get("parts", {}), **entries}})
        for folder in (*(part.folder for part in parts), CASES_FOLDER, "rejected"):
            (out / folder).mkdir(exist_ok=True)
    except (OSError, ValueError) as error:
        raise DataError(f"{out} cannot be written ({error}); make room, or name a folder elsewhere.") from None


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, Sequence) else []


def write_manifest(out: Path, content: Mapping[str, object]) -> None:
    """Write what the folder says of itself, whole or not at all."""
    replace_text(out / MANIFEST, json.dumps({"format": FORMAT, "version": VERSION, **content}, indent=1) + "\n")


def write(path: Path, rows: Sequence[dict[str, object]], schema: pa.Schema) -> None:
    """Write a shard as a whole: readers see all of it or nothing, also after a kill."""
    write_table(path, pa.Table.from_pylist(list(rows), schema))


def write_table(path: Path, table: pa.Table, rows_in_a_group: int | None = None) -> None:
    """Write a shard as a whole, as `write` does."""
    with replacing(path) as new:
        pq.write_table(table, new, compression="zstd", row_group_size=rows_in_a_group)
        with new.open("rb") as file:
            os.fsync(file.fileno())


def done(out: Path, part: ShardedPart) -> tuple[set[str], np.ndarray]:
    """Find what a part has judged already."""
    names, keys = set(), []
    for path in sorted((out / part.folder).glob("*.parquet")):
        try:
            keys.append(np.array(pq.read_table(path, columns=["key"])["key"].to_pylist(), dtype="S16"))
        except (OSError, ValueError) as error:
            raise DataError(f"{path} cannot be read ({error}); delete it, and its cases are judged again.") from None
        names.add(path.stem)
    return names, np.sort(np.concatenate(keys)) if keys else np.array([], dtype="S16")


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
            raise DataError(
                f"{out} was written by {age} Groundscope, whose shards have other columns; "
                "judge into a new folder with this one to look at the results."
            )
        for part in manifest["parts"].values():
            MethodRun(**part["about"])
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
    shards: Mapping[str, int] = {
        name: sum(1 for _ in (out / name).glob("[!.]*.parquet")) for name in (CASES_FOLDER, *content["parts"])
    }
    try:
        write_manifest(out, {**content, "finished": {"when": now(), "shards": shards}})
    except OSError as error:
        why = f"{out} cannot be written ({error.strerror}); make room, and start the same command again."
        raise DataError(why) from None
