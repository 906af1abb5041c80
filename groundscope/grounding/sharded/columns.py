"""The columns of all shards in one place, so that a page opens a million cases at once: arrays that are mapped, not read.

Shards are many small files, in the order in which they were judged. `columns/KEY` below the folder of the results has, for the
shards that KEY is a hash of, one array a column, responses in the order of their files. It holds no text of a case, is written
once, after the last chunk or when the folder is first opened, and may be deleted: it is then made again.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate
from os import cpu_count
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from groundscope.errors import DataError
from groundscope.grounding.runs.arrays import PENDING, STATUSES
from groundscope.grounding.sharded.shards import CASES, CASES_FOLDER, SCHEMA, end, read_manifest
from groundscope.paths import data_folder

FOLDER = "columns"
_VERSION = 2
_ABOUT = "about.json"
_KINDS: Mapping[str, Any] = {
    "status": np.int8, "support": np.float64, "lowest": np.float64, "mean": np.float64, "seconds": np.float64, "timed": np.bool_,
    "context_seen": np.float64, "cost": np.float64, "calls": np.int32, "tokens": np.int32, "at": np.int32,
}  # fmt: skip
"""Columns of (m, n) judgements; `at` is the place of a judgement among those of its method's shards, one after the other."""
_NONE: Mapping[str, Any] = {"status": PENDING, "timed": False, "calls": 0, "tokens": 0, "at": -1}
_CODES = {str(status): code for code, status in enumerate(STATUSES)}
_SCANNED = ["key", *(name for name in _KINDS if name != "at")]
_OF_CASES: Mapping[str, Any] = {"gold": np.int8, "words": np.int32, "context_words": np.int32}
_SCANNED_OF_CASES = ["key", "file", "row", "id", "group", "split", "area", "types", *_OF_CASES]


@dataclass(frozen=True, slots=True)
class Shards:
    """Shards as if they were one table."""

    files: tuple[Path, ...]
    ends: tuple[int, ...]

    def read(self, column: str, rows: Sequence[int]) -> list[object]:
        """Read a column of some rows; of each file only the row groups that hold them."""
        by_file: dict[int, list[tuple[int, int]]] = {}
        for at, row in enumerate(rows):
            file = int(np.searchsorted(self.ends, row, side="right"))
            by_file.setdefault(file, []).append((at, row - (self.ends[file - 1] if file else 0)))
        values: list[object] = [None] * len(rows)
        for file, places in by_file.items():
            for (at, _), value in zip(places, _values(self.files[file], column, [row for _, row in places]), strict=True):
                values[at] = value
        return values


def _values(path: Path, column: str, rows: Sequence[int]) -> list[object]:
    try:
        with pq.ParquetFile(path) as file:
            ends = np.cumsum([file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)])
            groups = np.searchsorted(ends, rows, side="right")
            needed = sorted(set(groups.tolist()))
            table = file.read_row_groups(needed, columns=[column], use_threads=False)[column]
            first = {g: sum(file.metadata.row_group(i).num_rows for i in needed[:k]) for k, g in enumerate(needed)}
            starts = [0, *ends[:-1].tolist()]
            return [table[first[int(g)] + row - starts[int(g)]].as_py() for g, row in zip(groups, rows, strict=True)]
    except (OSError, pa.ArrowException, KeyError, IndexError) as error:
        raise DataError(f"{path} cannot be read any more ({type(error).__name__}); open the run again.") from None


def scan(folder: Path, names: Sequence[str], schema: pa.Schema, columns: Sequence[str]) -> tuple[pa.Table, Shards]:
    """Read some columns of all shards of a folder."""
    expected = pa.schema([schema.field(name) for name in columns])

    def read(name: str) -> pa.Table:
        path = folder / name
        try:
            with pq.ParquetFile(path) as file:
                there = file.schema_arrow
                for field in expected:
                    if field.name not in there.names or there.field(field.name).type != field.type:
                        raise DataError(
                            f"{path} has no column {field.name} of type {field.type}: it is not what `run --on ray` writes. "
                            "Delete it, and start the same command again."
                        )
                return file.read(columns=list(columns), use_threads=False).cast(expected)
        except (OSError, pa.ArrowException) as error:
            why = f"{path} cannot be read ({type(error).__name__}); delete it, and start the same command again."
            raise DataError(why) from None

    with ThreadPoolExecutor(cpu_count()) as pool:
        tables = list(pool.map(read, names))
    ends = tuple(accumulate(len(table) for table in tables))
    return pa.concat_tables(tables) if tables else expected.empty_table(), Shards(tuple(folder / name for name in names), ends)


@dataclass(frozen=True, slots=True)
class Columns:
    """All columns of a folder of shards.

    Attributes:
        arrays: (n,) `case_...` and (n, 6) `types` of the cases, (m, n) columns of judgements, by name; mapped from the disk.
    """

    key: str
    manifest: Mapping[str, Any]
    shards: Mapping[str, Shards]
    arrays: Mapping[str, NDArray[Any]]
    texts: pa.Table


def columns(out: Path) -> Columns:
    """Open the columns of a folder of shards; they are made first where they are not there."""
    manifest = read_manifest(out)
    listed = {name: _listed(out / name) for name in (CASES_FOLDER, *manifest["parts"])}
    _all_there(out, manifest, listed)
    key = blake2b(json.dumps([_VERSION, manifest["parts"], listed]).encode(), digest_size=10).hexdigest()
    places = (out / FOLDER / key, data_folder() / "shard-columns" / key)
    for place in places:
        if (place / _ABOUT).exists():
            return _opened(out, place, key, manifest)
    for place in places:
        try:
            _make(out, place, manifest, {name: [one for one, _ in files] for name, files in listed.items()})
        except OSError as error:
            why = error.strerror
            continue
        return _opened(out, place, key, manifest)
    raise DataError(f"The columns of {out} cannot be written ({why}); make room on the disk, or make the folder writable.")


def _listed(folder: Path) -> list[tuple[str, int]]:
    """Names and sizes of shards."""
    try:
        return sorted((path.name, path.stat().st_size) for path in folder.glob("*.parquet") if not path.name.startswith("."))
    except OSError as error:
        raise DataError(f"{folder} cannot be read ({error.strerror}).") from None


def _all_there(out: Path, manifest: Mapping[str, Any], listed: Mapping[str, Sequence[object]]) -> None:
    for name, count in (manifest["finished"] or {}).get("shards", {}).items():
        if len(listed.get(name, ())) < count:
            left = count - len(listed.get(name, ()))
            raise DataError(
                f"{left:,} of {count:,} shards are missing in {out / name}; copy the folder as a whole, or start the same "
                "command again, which judges what is missing."
            )


def _opened(out: Path, place: Path, key: str, manifest: Mapping[str, Any]) -> Columns:
    try:
        about = json.loads((place / _ABOUT).read_text("utf-8"))
        # As plain arrays: a slice of a mapped one would be an object of its own that keeps the file's name and place.
        arrays = {name: np.asarray(np.load(place / f"{name}.npy", mmap_mode="r")) for name in about["arrays"]}
        shards = {n: Shards(tuple(out / n / file for file in s["files"]), tuple(s["ends"])) for n, s in about["shards"].items()}
        return Columns(key, manifest, shards, arrays, pq.read_table(place / "texts.parquet"))
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        raise DataError(f"{place} cannot be read ({type(error).__name__}); delete it, and it is made again.") from None


def _make(out: Path, place: Path, manifest: Mapping[str, Any], files: Mapping[str, Sequence[str]]) -> None:
    """Write the columns into a folder of their own, all or nothing; older ones go."""
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_name(f".{place.name}.{uuid4().hex[:6]}")
    new.mkdir()
    try:
        parts = list(manifest["parts"])
        cases, shards = scan(out / CASES_FOLDER, files[CASES_FOLDER], CASES, _SCANNED_OF_CASES)
        rows = _rows(cases, manifest["files"])
        arrays, shards_of = _write_cases(new, cases, rows), {CASES_FOLDER: shards}
        keys = cases["key"].combine_chunks()
        del cases
        n = int(rows.max(initial=-1)) + 1
        written = {name: _on_disk(new / f"{name}.npy", kind, (len(parts), n)) for name, kind in _KINDS.items()}
        for m, part in enumerate(parts):
            table, shards_of[part] = scan(out / part, files[part], SCHEMA, _SCANNED)
            for name, values in _of_part(out / part, table, keys, rows, n):
                written[name][m] = values
        about = {
            "arrays": [*arrays, *_KINDS],
            "shards": {name: {"files": [p.name for p in s.files], "ends": list(s.ends)} for name, s in shards_of.items()},
        }
        (new / _ABOUT).write_text(json.dumps(about), encoding="utf-8")
        for old in place.parent.iterdir() if place.parent.parent == out else ():
            if old != new:
                shutil.rmtree(old, ignore_errors=True)
        new.rename(place)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _on_disk(path: Path, kind: Any, shape: tuple[int, int]) -> NDArray[Any]:
    """An array that is written to the disk row by row: all methods of a large run need not fit into memory."""
    if 0 in shape:
        np.save(path, np.empty(shape, kind))
        return np.empty(shape, kind)
    return np.lib.format.open_memmap(path, "w+", kind, shape)


def _rows(cases: pa.Table, files: Sequence[str]) -> NDArray[np.int64]:
    """The row in the run of each case of the shards: in the order of the files, each case once, however many shards have it."""
    ranks = {name: i for i, name in enumerate(files)}
    encoded = cases["file"].combine_chunks().dictionary_encode()
    names = encoded.dictionary.to_pylist()
    order_of = np.array([ranks.get(name, len(ranks) + i) for i, name in enumerate(names)], dtype=np.int64)
    file = order_of[encoded.indices.to_numpy()] if names else np.empty(0, dtype=np.int64)
    order = np.lexsort((cases["row"].to_numpy(), file))
    first = cases["key"].combine_chunks().take(pa.array(order)).dictionary_encode().indices.to_numpy()
    run_rows = np.empty(len(order), dtype=np.int64)
    # Codes count from 0 in the order of first appearance, which is the order of the run.
    run_rows[order] = first
    return run_rows


def _write_cases(new: Path, cases: pa.Table, rows: NDArray[np.int64]) -> list[str]:
    """Write the columns of the cases in the order of the run; gives the names of the arrays."""
    _, places = np.unique(rows, return_index=True)
    ordered = cases.take(pa.array(places))
    arrays: dict[str, NDArray[Any]] = {f"case_{n}": ordered[n].to_numpy().astype(kind) for n, kind in _OF_CASES.items()}
    arrays["case_group"] = ordered["group"].combine_chunks().dictionary_encode().indices.to_numpy().astype(np.int32)
    arrays["case_at"] = places.astype(np.int32)
    types = ordered["types"].combine_chunks()
    arrays["types"] = np.asarray(types.flatten()).reshape(len(places), -1).astype(np.int16)
    for name, values in arrays.items():
        np.save(new / f"{name}.npy", values)
    keys = blake2b(b"".join(np.frombuffer(ordered["key"].combine_chunks().buffers()[1], dtype="S16")), digest_size=8)
    texts = ordered.select(["id", "split", "area"]).replace_schema_metadata({"data_hash": keys.hexdigest()})
    pq.write_table(texts, new / "texts.parquet", compression="lz4")
    return list(arrays)


def _of_part(
    folder: Path, table: pa.Table, keys: pa.Array, rows: NDArray[np.int64], n: int
) -> Iterator[tuple[str, NDArray[Any]]]:
    """What a method said, in the order of the run."""
    part_keys = table["key"].combine_chunks()
    if part_keys.equals(keys):
        at = rows
    else:
        places = pc.index_in(part_keys, keys)
        if places.null_count:
            raise DataError(f"{folder} has judgements of cases that are not in {CASES_FOLDER}; copy the folder as a whole.")
        at = rows[places.to_numpy()]
    for name, kind in _KINDS.items():
        values = np.full(n, _NONE.get(name, np.nan), dtype=kind)
        values[at] = np.arange(len(at)) if name == "at" else _codes(folder, table) if name == "status" else table[name].to_numpy()
        yield name, values


def _codes(folder: Path, table: pa.Table) -> NDArray[np.int8]:
    encoded = table["status"].combine_chunks().dictionary_encode()
    names = encoded.dictionary.to_pylist()
    if unknown := set(names) - set(_CODES):
        raise DataError(f"{folder} has judgements of an unknown status ({', '.join(map(str, unknown))}); update Groundscope.")
    codes = np.array([_CODES[name] for name in names], dtype=np.int8)
    statuses: NDArray[np.int8] = codes[encoded.indices.to_numpy()]
    return statuses


def finish(out: Path) -> None:
    """Say that all files are judged, and make the columns that pages open."""
    end(out)
    columns(out)
