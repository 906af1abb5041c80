"""Results as Parquet shards: one a chunk and method, written as a whole, so that nothing is there twice or by half."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from groundscope.cases.dataset import to_line, to_row
from groundscope.errors import DataError
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
        ("seconds", pa.float64()),
        ("note", pa.string()),
    ]
)
"""A row a case and method. `key` is a hash of the case with its id; `support` is 0..1, null unless the status is `scored`."""
REJECTED = pa.schema([("file", pa.string()), ("row", pa.int64()), ("reason", pa.string())])
"""A row a record that could not be used."""
_MANIFEST, _FORMAT = "manifest.json", "groundscope-shards"


@dataclass(frozen=True, slots=True)
class ShardedPart:
    """A method as all machines must have it.

    Attributes:
        name: of the part, such as `quip:n=9`.
        method: id in the registry.
        options: its parameters.
        signature: of the method with its settings and weights.
        threshold: below it an answer is ungrounded; None = not set.
        address: the host that texts go to; empty = they stay where they are.
        asks: whether it asks a chat model.
        precision: of its weights; empty = it has none.
    """

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


def prepare(out: Path, parts: Sequence[ShardedPart]) -> None:
    """Make the folder of the results, or see that it is one.

    Args:
        out: a new or empty folder, or one that an earlier start wrote.
        parts: of this start; those of earlier ones stay.

    Raises:
        DataError: it holds something else, or cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        manifest = out / _MANIFEST
        there: dict[str, object] = {}
        if manifest.exists():
            there = json.loads(manifest.read_text("utf-8"))
            if there.get("format") != _FORMAT:
                raise DataError(f"{out} holds something else; name a new folder, or the one of an earlier start.")
        elif any(out.iterdir()):
            raise DataError(f"{out} is not empty and holds no results of such a run; name a new folder.")
        known = there.get("parts")
        kept = {part.folder: asdict(part) for part in parts} | (known if isinstance(known, dict) else {})
        new = manifest.with_suffix(f".{uuid4().hex[:6]}.new")
        new.write_text(json.dumps({"format": _FORMAT, "version": 1, "parts": kept}, indent=1) + "\n", encoding="utf-8")
        new.replace(manifest)
        for part in parts:
            (out / part.folder).mkdir(exist_ok=True)
        (out / "rejected").mkdir(exist_ok=True)
    except (OSError, ValueError) as error:
        raise DataError(f"{out} cannot be written ({error}); name a folder elsewhere.") from None


def write(path: Path, rows: Sequence[dict[str, object]], schema: pa.Schema) -> None:
    """Write a shard as a whole: readers see all of it or nothing, also after a kill.

    Args:
        path: of the shard; one that is there stays the same bytes or is replaced by the same results.
        rows: by the names of the schema.
        schema: `SCHEMA` or `REJECTED`.

    Raises:
        OSError: the disk is full, or the folder cannot be written.
    """
    new = path.with_name(f".{path.name}.{uuid4().hex[:8]}")
    try:
        pq.write_table(pa.Table.from_pylist(list(rows), schema), new, compression="zstd")
        with new.open("rb") as file:
            os.fsync(file.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def done(out: Path, part: ShardedPart) -> tuple[set[str], np.ndarray]:
    """Find what a part has judged already.

    Args:
        out: folder of the results.
        part: with the signature that it has here.

    Returns:
        Names of the chunks that are done, and the sorted keys of all cases that are judged, 16 bytes each.

    Raises:
        DataError: a shard cannot be read; the message names it.
    """
    names, keys = set(), []
    for path in sorted((out / part.folder).glob("*.parquet")):
        try:
            keys.append(np.array(pq.read_table(path, columns=["key"])["key"].to_pylist(), dtype="S16"))
        except (OSError, ValueError) as error:
            raise DataError(f"{path} cannot be read ({error}); delete it, and its cases are judged again.") from None
        names.add(path.stem)
    return names, np.sort(np.concatenate(keys)) if keys else np.array([], dtype="S16")
