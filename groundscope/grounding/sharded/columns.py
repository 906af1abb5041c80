"""The columns of all shards in one place, so that a page opens a million cases at once: mapped arrays, and texts of single cases.

Shards are many small files, in the order in which they were judged. `columns/KEY` below the folder of the results has, for the
shards that KEY is a hash of, one array a column, responses in the order of their files. It holds no text of a case, and may be
deleted: it is then made again.
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

from groundscope.cases.own_format import own_case
from groundscope.errors import DataError
from groundscope.grounding.runs.arrays import PENDING, STATUSES, MethodRun, RunData, SentenceTable, Texts
from groundscope.grounding.sharded.shards import CASES, CASES_FOLDER, SCHEMA, end, read_manifest
from groundscope.paths import data_folder
from groundscope.runtime.byte_cache import MEGABYTE, ByteLRU
from groundscope.types import Case

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

    `arrays`: (n,) `case_...` and (n, 6) `types` of the cases, (m, n) columns of judgements, by name; mapped from the disk.
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


MOST_TEXTS = 50_000
"""Cases whose texts are read at once, at most."""
_SHOWN = ByteLRU(24 * MEGABYTE)
"""The cases that pages showed last, as JSON: each redraw shows them again."""


def read_shards(out: Path) -> RunData:
    """Read the results of `run --on ray`; columns are mapped, texts stay on disk."""
    table = columns(out)
    manifest, parts = table.manifest, list(table.manifest["parts"])
    arrays: dict[str, Any] = dict(table.arrays)
    at = arrays.pop("at")
    finished = manifest["finished"] is not None and bool((arrays["status"] >= 0).all())
    where = arrays.pop("case_at")
    of_cases: dict[str, Any] = {name: arrays.pop(f"case_{name}") for name in ("gold", "words", "context_words")}
    return RunData(
        id=out.name,
        name=out.name,
        source=_source(manifest["files"]),
        data_hash=table.texts.schema.metadata[b"data_hash"].decode(),
        methods=tuple(MethodRun(**part["about"]) for part in manifest["parts"].values()),
        ids=_texts(table, "id"),
        groups=arrays.pop("case_group"),
        splits=_texts(table, "split"),
        areas=_texts(table, "area"),
        **of_cases,
        **arrays,
        machine=tuple(manifest["machine"]),
        created=manifest["created"],
        finished=finished,
        read_cases=lambda rows: _cases(table, where, rows),
        read_sentences=lambda method: _sentences(table, parts[method], at[method]),
        read_notes=lambda method, rows: _notes(table, parts[method], at[method], rows),
        version=table.key,
        most_texts=MOST_TEXTS,
        read_row=lambda method, row: _table(
            table.shards[parts[method]].read("sentences", [int(at[method][row])]) if at[method][row] >= 0 else [[]], [row]
        ),
    )


def facts_of_shards(out: Path) -> Mapping[str, Any]:
    """Say what a list of runs shows of a folder of shards."""
    table = columns(out)
    manifest = table.manifest
    return {
        "name": out.name,
        "source": _source(manifest["files"]),
        "cases": len(table.texts),
        "methods": [part["about"] for part in manifest["parts"].values()],
        "created": manifest["created"],
        "machines": [{"from": manifest["created"], "machine": manifest["machine"]}] if manifest["machine"] else [],
    }


def _source(files: Sequence[str]) -> str:
    names = [file.rpartition("/")[2] for file in files]
    return ", ".join(names) if len(names) < 4 else f"{', '.join(names[:2])} and {len(names) - 2:,} more files"


def _texts(table: Columns, name: str) -> Texts:
    """A column of texts; equal ones are one object where they are few."""
    column = table.texts[name].combine_chunks()
    if name == "id":
        ids: Texts = column.to_numpy(zero_copy_only=False)
        return ids
    encoded = column.dictionary_encode()
    names = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)[:-1]
    chosen: Texts = names[encoded.indices.to_numpy()]
    return chosen


def _few(rows: Sequence[int]) -> None:
    if len(rows) > MOST_TEXTS:
        raise DataError(
            f"That takes the texts of {len(rows):,} responses, and at most {MOST_TEXTS:,} are read at once. Choose fewer: "
            "another split, or filters."
        )


def _cases(table: Columns, where: NDArray[Any], rows: Sequence[int]) -> list[Case]:
    _few(rows)
    lines: list[object] = [_SHOWN.get((table.key, int(row))) for row in rows]
    missing = [i for i, line in enumerate(lines) if line is None]
    read = table.shards[CASES_FOLDER].read("case", [int(where[int(rows[i])]) for i in missing])
    for i, line in zip(missing, read, strict=True):
        lines[i] = line
        _SHOWN.put((table.key, int(rows[i])), line)
    try:
        return [own_case(json.loads(str(line)), "") for line in lines]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"A case in {table.shards[CASES_FOLDER].files[0].parent} cannot be read ({error}).") from None


def _notes(table: Columns, part: str, at: NDArray[Any], rows: Sequence[int]) -> list[str]:
    _few(rows)
    places = [int(at[int(row)]) for row in rows]
    notes = iter(table.shards[part].read("note", [place for place in places if place >= 0]))
    return [str(next(notes) or "") if place >= 0 else "" for place in places]


def _table(lists: Sequence[Any], rows: Sequence[int]) -> SentenceTable:
    counts = [len(one) for one in lists]
    flat = [s for one in lists for s in one]
    return SentenceTable(
        np.repeat(np.array(rows, dtype=np.int32), counts),
        np.array([s["start"] for s in flat], dtype=np.int32),
        np.array([s["end"] for s in flat], dtype=np.int32),
        np.array([np.nan if s["support"] is None else s["support"] for s in flat], dtype=np.float64),
        np.full(len(flat), np.nan),
    )


def _sentences(run_columns: Columns, part: str, at: NDArray[Any]) -> SentenceTable:
    shards = run_columns.shards[part]
    folder = shards.files[0].parent if shards.files else Path(part)
    table, _ = scan(folder, [path.name for path in shards.files], SCHEMA, ["sentences"])
    lists = table["sentences"].combine_chunks()
    ends = lists.offsets.to_numpy().astype(np.int64)
    flat = lists.values
    judged = np.flatnonzero(at >= 0)
    starts, counts = ends[at[judged]], np.diff(ends)[at[judged]]
    # Of every response its sentences' places: the first one's, and one more for each.
    total = np.concatenate([[0], np.cumsum(counts)])
    places = np.arange(total[-1]) - np.repeat(total[:-1], counts) + np.repeat(starts, counts)
    start, end, support = (flat.field(name).to_numpy(zero_copy_only=False)[places] for name in ("start", "end", "support"))
    return SentenceTable(np.repeat(judged, counts).astype(np.int32), start, end, support, np.full(len(support), np.nan))
