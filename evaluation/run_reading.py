"""Runs -> `RunData`: from a folder of Parquet files, read column by column, or from the store while a run is under way."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from evaluation._own_shape import own_case
from evaluation.errors import DataError
from evaluation.plans import Kept
from evaluation.run_data import PENDING, STATUSES, MethodRun, RunData, SentenceTable, case_columns
from evaluation.run_folder import check
from evaluation.store import Store
from evaluation.types import Case

_NUMBERS = {"support": np.nan, "lowest": np.nan, "mean": np.nan, "context_seen": np.nan}
_EFFORT = {"seconds": np.nan, "cost": np.nan}
_COUNTS = {"calls": np.int32, "tokens": np.int32}


def read_folder(folder: Path) -> RunData:
    """Read an exported run; its texts stay on disk.

    Raises:
        DataError: it is no run, or its files are not what was written; see `run_folder.check`.
    """
    manifest = check(folder)
    try:
        return _of_folder(folder, manifest)
    except (KeyError, TypeError, ValueError, IndexError, pa.ArrowException, OSError) as error:
        raise DataError(f"The run in {folder} does not hold together ({type(error).__name__}); export it again.") from error


def _of_folder(folder: Path, manifest: dict[str, Any]) -> RunData:
    cases = pq.read_table(folder / "cases.parquet", columns=_CASE_COLUMNS)
    methods = tuple(MethodRun(**m) for m in manifest["methods"])
    shape = (len(methods), cases.num_rows)
    arrays = _arrays(shape)
    judged = pq.read_table(folder / "judgements.parquet", columns=["method", "row", "status", *_NUMBERS])
    at = (_numbers(judged, "method", np.int64), _numbers(judged, "row", np.int64))
    for name in ("status", *_NUMBERS):
        arrays[name][at] = _numbers(judged, name, arrays[name].dtype)
    effort = pq.read_table(folder / "effort.parquet", columns=["method", "row", "timed", *_EFFORT, *_COUNTS])
    at = (_numbers(effort, "method", np.int64), _numbers(effort, "row", np.int64))
    for name in ("timed", *_EFFORT, *_COUNTS):
        arrays[name][at] = _numbers(effort, name, arrays[name].dtype)
    types = cases["types"].combine_chunks()
    return RunData(
        id=str(manifest["id"]),
        name=str(manifest["name"]),
        source=str(manifest["source"]),
        data_hash=str(manifest["data_hash"]),
        methods=methods,
        ids=_texts(cases, "id"),
        groups=_numbers(cases, "group", np.int32),
        splits=_texts(cases, "split"),
        areas=_texts(cases, "area"),
        gold=_numbers(cases, "gold", np.int8),
        types=np.asarray(types.flatten()).reshape(shape[1], -1).astype(np.int16),
        words=_numbers(cases, "words", np.int32),
        context_words=_numbers(cases, "context_words", np.int32),
        **arrays,
        machine=tuple(manifest["machines"][0]["machine"]) if manifest["machines"] else (),
        created=str(manifest["created"]),
        finished=True,
        read_cases=_case_reader(folder / "cases.parquet"),
        read_sentences=_sentence_reader(folder / "sentences.parquet"),
        read_notes=_note_reader(folder / "judgements.parquet"),
    )


_CASE_COLUMNS = ["id", "group", "split", "area", "gold", "types", "words", "context_words"]


def _arrays(shape: tuple[int, int]) -> dict[str, Any]:
    found: dict[str, Any] = {name: np.full(shape, value) for name, value in {**_NUMBERS, **_EFFORT}.items()}
    found["status"] = np.full(shape, PENDING, dtype=np.int8)
    found["timed"] = np.zeros(shape, dtype=np.bool_)
    return found | {name: np.zeros(shape, dtype=kind) for name, kind in _COUNTS.items()}


def _numbers(table: pa.Table, name: str, kind: Any) -> Any:
    return table[name].to_numpy().astype(kind)


def _texts(table: pa.Table, name: str) -> Any:
    return np.asarray(table[name].to_pylist(), dtype=object)


def _case_reader(path: Path) -> Callable[[Sequence[int]], list[Case]]:
    def read(rows: Sequence[int]) -> list[Case]:
        with _later(path):
            file = pq.ParquetFile(path)
            size = file.metadata.row_group(0).num_rows if file.metadata.num_row_groups else 1
            groups = sorted({int(row) // size for row in rows})
            if not groups:
                return []
            # Groups have one size but for the last, so a row's place among those read follows from its own.
            texts = file.read_row_groups(groups, columns=["case"])["case"]
            first = {group: i * size for i, group in enumerate(groups)}
            lines = [texts[first[int(row) // size] + int(row) % size].as_py() for row in rows]
            return [own_case(json.loads(line), "") for line in lines]

    return read


def _sentence_reader(path: Path) -> Callable[[int], SentenceTable]:
    def read(method: int) -> SentenceTable:
        with _later(path):
            found = pq.read_table(path, columns=["row", "start", "end", "support"], filters=[("method", "=", method)])
            row, start, end = (_numbers(found, name, np.int32) for name in ("row", "start", "end"))
            return SentenceTable(row, start, end, _numbers(found, "support", np.float64))

    return read


def _note_reader(path: Path) -> Callable[[int, Sequence[int]], list[str]]:
    def read(method: int, rows: Sequence[int]) -> list[str]:
        if not len(rows):
            return []
        wanted = [("method", "=", method), ("row", "in", [int(r) for r in rows])]
        with _later(path):
            found = pq.read_table(path, columns=["row", "note"], filters=wanted)
            notes = dict(zip(found["row"].to_pylist(), found["note"].to_pylist(), strict=True))
        return [str(notes.get(int(row)) or "") for row in rows]

    return read


@contextmanager
def _later(path: Path) -> Iterator[None]:
    """Read a file again after it was checked: it may be gone, or another one, meanwhile.

    Raises:
        DataError: it is.
    """
    try:
        yield
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise DataError(f"{path} cannot be read any more ({type(error).__name__}); export the run again.") from error


def read_store(store: Store, run: str) -> RunData:
    """Read a run of the store, as far as it is.

    Raises:
        StoreError: there is none, or the store cannot be read.
    """
    listed = store.run(run)
    plan = listed.plan
    columns = case_columns(store.cases(run))
    shape = (len(plan.methods), len(columns.ids))
    arrays = _arrays(shape)
    tables = [_fill(arrays, m, store.judgements(run, m)) for m in range(shape[0])]
    starts = store.starts(run)
    cold: dict[str, float] = {}
    for start in starts:
        cold = {**start.cold, **cold}
    return RunData(
        id=listed.id,
        name=plan.name,
        source=plan.source,
        data_hash=plan.data_hash,
        methods=tuple(replace(m, cold_seconds=cold.get(m.id)) for m in plan.methods),
        **columns._asdict(),
        **arrays,
        machine=starts[0].machine if starts else (),
        created=listed.created,
        finished=bool(listed.finished),
        read_cases=lambda rows: store.cases(run, [int(r) for r in rows]),
        read_sentences=lambda method: tables[method][0],
        read_notes=lambda method, rows: [tables[method][1].get(int(r), "") for r in rows],
    )


def _fill(arrays: dict[str, Any], method: int, kept: Iterable[Kept]) -> tuple[SentenceTable, dict[int, str]]:
    rows: list[tuple[int, int, int, float]] = []
    notes: dict[int, str] = {}
    for found in kept:
        _put(arrays, method, found)
        rows += [(found.row, s[0], s[1], np.nan if s[2] is None else s[2]) for s in found.content["sentences"]]
        if found.content["note"]:
            notes[found.row] = found.content["note"]
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    row, start, end = (np.array(c, dtype=np.int32) for c in columns[:3])
    return SentenceTable(row, start, end, np.array(columns[3], dtype=np.float64)), notes


def _put(arrays: dict[str, Any], method: int, found: Kept) -> None:
    at, content = (method, found.row), found.content
    known = [s[2] for s in content["sentences"] if s[2] is not None]
    arrays["status"][at] = STATUSES.index(content["status"])
    arrays["timed"][at] = found.timed
    for name in ("support", "context_seen", "seconds", "cost"):
        arrays[name][at] = np.nan if content[name] is None else content[name]
    for name in _COUNTS:
        arrays[name][at] = content[name]
    if known:
        arrays["lowest"][at], arrays["mean"][at] = min(known), min(1.0, sum(known) / len(known))
