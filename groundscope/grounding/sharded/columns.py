"""The columns of all shards in one place, so that a page opens a million cases at once: mapped arrays, and texts of single cases.

Shards are many small files, in the order in which they were judged. `columns/KEY` below the folder of the results has, for the
shards that KEY is a hash of, one array a column, responses in the order of their files. It holds no text of a case, and may be
deleted: it is then made again.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from hashlib import blake2b
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
from groundscope.experiments.plan import Part
from groundscope.grounding.runs.arrays import COLUMNS, STATUSES, RunData, SentenceTable
from groundscope.grounding.runs.reader import CASE_COLUMNS, numbers, of_cases
from groundscope.grounding.sharded.shards import CASES, CASES_FOLDER, SCHEMA, Shards, end, read_manifest, scan, shards_in
from groundscope.paths import data_folder
from groundscope.types import Case

FOLDER = "columns"
_VERSION = 3
_SHARDS, _CASES = "shards.json", "cases.parquet"
_ARRAYS: Mapping[str, tuple[type, object]] = {**COLUMNS, "at": (np.int32, -1)}
"""`at` is the place of a judgement among those of its method's shards, one after the other; so is the column `at` of cases."""
MOST_TEXTS = 50_000
"""Cases whose texts are read at once, at most."""


def finish(out: Path) -> None:
    """Say that all files are judged, and make the columns that pages open."""
    end(out)
    _columns(out, read_manifest(out))


def read_shards(out: Path) -> RunData:
    """Read the results of `run --on ray`; columns are mapped, texts stay on disk."""
    manifest = read_manifest(out)
    place = _columns(out, manifest)
    try:
        table = pq.read_table(place / _CASES)
        # As plain arrays: a slice of a mapped one would be an object of its own that keeps the file's name and place.
        arrays: dict[str, Any] = {name: np.asarray(np.load(place / f"{name}.npy", mmap_mode="r")) for name in _ARRAYS}
        listed = json.loads((place / _SHARDS).read_text("utf-8"))
        cases, *parts = [Shards(tuple(out / name / file for file in files), tuple(ends)) for name, files, ends in listed]
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        raise DataError(f"{place} cannot be read ({type(error).__name__}); delete it, and it is made again.") from None
    at, where = arrays.pop("at"), table["at"].to_numpy()
    names = [file.rpartition("/")[2] for file in manifest["files"]]
    return RunData(
        id=out.name,
        name=out.name,
        source=", ".join(names) if len(names) < 4 else f"{', '.join(names[:2])} and {len(names) - 2:,} more files",
        data_hash=table.schema.metadata[b"data_hash"].decode(),
        methods=tuple(Part.read(part["about"]) for part in manifest["parts"].values()),
        **of_cases(table)._asdict(),
        **arrays,
        machine=tuple(manifest["machine"]),
        created=manifest["created"],
        finished=manifest["finished"] is not None and bool((arrays["status"] >= 0).all()),
        read_cases=lambda rows: _cases(cases, where, rows),
        read_sentences=lambda method: _all_sentences(parts[method], at[method]),
        read_notes=lambda method, rows: [str(note or "") for note in _read(parts[method], "note", at[method], rows)],
        version=place.name,
        most_texts=MOST_TEXTS,
        read_row=lambda method, row: _sentences([_read(parts[method], "sentences", at[method], [row])[0] or []], [row]),
    )


def _columns(out: Path, manifest: Mapping[str, Any]) -> Path:
    """Find the columns of a folder of shards; they are made first where they are not there."""
    files = {name: shards_in(out / name) for name in (CASES_FOLDER, *manifest["parts"])}
    for name, count in (manifest["finished"] or {}).get("shards", {}).items():
        if (left := count - len(files.get(name, ()))) > 0:
            raise DataError(
                f"{left:,} of {count:,} shards are missing in {out / name}; copy the folder as a whole, or start the same "
                "command again, which judges what is missing."
            )
    names = {name: [path.name for path in paths] for name, paths in files.items()}
    key = blake2b(json.dumps([_VERSION, manifest["parts"], names]).encode(), digest_size=10).hexdigest()
    places = (out / FOLDER / key, data_folder() / "shard-columns" / key)
    for place in places:
        if (place / _SHARDS).exists():
            return place
    for place in places:
        try:
            _write(place, manifest, files)
        except OSError as error:
            why = error.strerror
            continue
        for old in place.parent.iterdir() if place == places[0] else ():
            if old != place:
                shutil.rmtree(old, ignore_errors=True)
        return place
    raise DataError(f"The columns of {out} cannot be written ({why}); make room on the disk, or make the folder writable.")


def _write(place: Path, manifest: Mapping[str, Any], files: Mapping[str, Sequence[Path]]) -> None:
    """Write the columns into a folder of their own, all or nothing."""
    new = place.with_name(f".{place.name}.{uuid4().hex[:6]}")
    new.mkdir(parents=True)
    try:
        cases, shards = scan(files[CASES_FOLDER], CASES, ["key", "file", "row", *CASE_COLUMNS])
        cases = _in_order(cases, manifest["files"])
        keys = cases["key"].combine_chunks()
        # As numpy has bytes, without zeros at the end: what was frozen with the hash of a run still finds it.
        hashed = {"data_hash": blake2b(b"".join(np.array(keys.to_pylist(), "S16").tolist()), digest_size=8).hexdigest()}
        table = cases.drop_columns(["key", "file", "row"]).replace_schema_metadata(hashed)
        pq.write_table(table, new / _CASES, compression="lz4")
        listed, shape = [(CASES_FOLDER, shards)], (len(manifest["parts"]), len(keys))
        arrays = {name: np.lib.format.open_memmap(new / f"{name}.npy", "w+", kind, shape) for name, (kind, _) in _ARRAYS.items()}
        for m, part in enumerate(manifest["parts"]):
            judgements, shards = scan(files[part], SCHEMA, ["key", *COLUMNS])
            listed.append((part, shards))
            _fill({name: array[m] for name, array in arrays.items()}, judgements, keys, part)
        content = [(name, [path.name for path in shards.files], shards.ends) for name, shards in listed]
        (new / _SHARDS).write_text(json.dumps(content), encoding="utf-8")
        new.rename(place)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _in_order(cases: pa.Table, files: Sequence[str]) -> pa.Table:
    """The cases in the order of the run's files, each once, however many shards have it, with its place among all shards."""
    file = pc.fill_null(pc.index_in(cases["file"], pa.array(files, pa.string())), len(files))
    order = np.lexsort((cases["row"].to_numpy(), file.to_numpy()))
    # Codes count from 0 in the order of first appearance, which is the order of the run.
    codes = cases["key"].combine_chunks().take(pa.array(order)).dictionary_encode().indices
    places = order[np.unique(codes.to_numpy(), return_index=True)[1]]
    ordered = cases.take(pa.array(places)).append_column("at", pa.array(places, pa.int32()))
    groups = ordered["group"].combine_chunks().dictionary_encode().indices
    return ordered.set_column(ordered.schema.get_field_index("group"), "group", groups)


def _fill(columns: Mapping[str, NDArray[Any]], judgements: pa.Table, keys: pa.Array, part: str) -> None:
    rows = pc.index_in(judgements["key"].combine_chunks(), keys)
    if rows.null_count:
        raise DataError(f"{part} has judgements of cases that are not in {CASES_FOLDER}; copy the folder as a whole.")
    codes = pc.index_in(judgements["status"], pa.array(STATUSES, pa.string()))
    if codes.null_count:
        raise DataError(f"{part} has judgements of a status that this Groundscope does not know; update it.")
    values = {**{name: judgements[name] for name in COLUMNS}, "status": codes, "at": np.arange(len(rows))}
    for name, (kind, unjudged) in _ARRAYS.items():
        columns[name][:] = unjudged
        columns[name][rows.to_numpy()] = numbers(values, name, kind)


def _read(shards: Shards, column: str, at: NDArray[Any], rows: Sequence[int]) -> list[Any]:
    """Read a column of the responses in some rows of the run; None for one that is not judged yet."""
    if len(rows) > MOST_TEXTS:
        raise DataError(
            f"That takes the texts of {len(rows):,} responses, and at most {MOST_TEXTS:,} are read at once. Choose fewer: "
            "another split, or filters."
        )
    places = at[np.asarray(rows, dtype=np.int64)]
    values = iter(shards.read(column, places[places >= 0].tolist()))
    return [next(values) if place >= 0 else None for place in places]


def _cases(shards: Shards, at: NDArray[Any], rows: Sequence[int]) -> list[Case]:
    try:
        return [own_case(json.loads(line), "") for line in _read(shards, "case", at, rows)]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"A case in {shards.files[0].parent} cannot be read ({error}).") from None


def _all_sentences(shards: Shards, at: NDArray[Any]) -> SentenceTable:
    judged = np.flatnonzero(at >= 0)
    lists = scan(shards.files, SCHEMA, ["sentences"])[0]["sentences"].combine_chunks()
    return _sentences(lists.take(pa.array(at[judged])), judged)


def _sentences(lists: Any, rows: Sequence[int] | NDArray[Any]) -> SentenceTable:
    """The sentences of the responses in some rows of the run."""
    of_rows = pa.array(lists, SCHEMA.field("sentences").type)
    flat = of_rows.flatten()
    start, end, support = (flat.field(name).to_numpy(zero_copy_only=False) for name in ("start", "end", "support"))
    case = np.repeat(np.asarray(rows, dtype=np.int32), of_rows.value_lengths().to_numpy())
    return SentenceTable(case, start, end, support, np.full(len(support), np.nan))
