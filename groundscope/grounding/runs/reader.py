"""Runs -> `RunData`: from a folder of Parquet files, read column by column, or from a run's own file while it is under way."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from groundscope.cases.own_format import own_case
from groundscope.errors import DataError
from groundscope.experiments.plan import Part
from groundscope.experiments.store import JobFile
from groundscope.grounding.runs import added_types
from groundscope.grounding.runs.arrays import COLUMNS, CaseColumns, RunData, SentenceTable, case_columns
from groundscope.grounding.runs.folder import Tables, check, cold_starts, tables_of
from groundscope.grounding.runs.store import cases_of, judgements, plan_of, types_of
from groundscope.runtime import extras
from groundscope.types import Case

_JUDGED, _TAKEN = ("status", "support", "lowest", "mean", "context_seen"), ("timed", "seconds", "cost", "calls", "tokens")
CASE_COLUMNS = ["id", "group", "split", "area", "gold", "types", "words", "context_words"]


def read_folder(folder: Path) -> RunData:
    """Read an exported run; its texts stay on disk."""
    extras.require("runs")
    import pyarrow as pa

    manifest = check(folder)
    try:
        run = _of_folder(folder, manifest)
    except (KeyError, TypeError, ValueError, IndexError, pa.ArrowException, OSError) as error:
        raise DataError(f"The run in {folder} is not consistent ({type(error).__name__}); export it again.") from error
    return added_types.with_added(run, added_types.read(folder, run.data_hash))


def _of_folder(folder: Path, manifest: dict[str, Any]) -> RunData:
    import pyarrow.parquet as pq

    cases = pq.read_table(folder / "cases.parquet", columns=CASE_COLUMNS)
    methods = tuple(Part.read(m) for m in manifest["methods"])
    shape = (len(methods), cases.num_rows)
    arrays = _arrays(shape)
    for name, columns in (("judgements", _JUDGED), ("effort", _TAKEN)):
        _put(arrays, pq.read_table(folder / f"{name}.parquet", columns=["method", "row", *columns]), columns)
    return RunData(
        id=str(manifest["id"]),
        name=str(manifest["name"]),
        source=str(manifest["source"]),
        data_hash=str(manifest["data_hash"]),
        methods=methods,
        **of_cases(cases)._asdict(),
        **arrays,
        machine=tuple(manifest["machines"][0]["machine"]) if manifest["machines"] else (),
        created=str(manifest["created"]),
        finished=True,
        read_cases=partial(_read_cases, folder / "cases.parquet"),
        read_sentences=partial(_read_sentences, folder / "sentences.parquet"),
        read_notes=partial(_read_notes, folder / "judgements.parquet"),
    )


def _arrays(shape: tuple[int, int]) -> dict[str, Any]:
    return {name: np.full(shape, unjudged, kind) for name, (kind, unjudged) in COLUMNS.items()}


def _put(arrays: dict[str, Any], table: Any, columns: Sequence[str]) -> None:
    at = (numbers(table, "method", np.int64), numbers(table, "row", np.int64))
    for name in columns:
        arrays[name][at] = numbers(table, name, arrays[name].dtype)


def of_cases(table: Any) -> CaseColumns:
    """Read the columns of cases from a table that has them."""
    types = table["types"].combine_chunks()
    return CaseColumns(
        ids=np.asarray(table["id"]),
        groups=numbers(table, "group", np.int32),
        splits=_texts(table, "split"),
        areas=_texts(table, "area"),
        gold=numbers(table, "gold", np.int8),
        types=np.asarray(types.flatten()).reshape(len(table), -1).astype(np.int16),
        words=numbers(table, "words", np.int32),
        context_words=numbers(table, "context_words", np.int32),
    )


def numbers(table: Any, name: str, kind: Any) -> Any:
    """Read a column as an array of a kind; what is missing is NaN."""
    return np.asarray(table[name]).astype(kind)


def _texts(table: Any, name: str) -> Any:
    """A column of texts, of which a million cases have few: equal ones are one object."""
    encoded = table[name].combine_chunks().dictionary_encode()
    return np.array([*encoded.dictionary.to_pylist(), None], dtype=object)[encoded.indices.to_numpy()]


def _read_cases(path: Path, rows: Sequence[int]) -> list[Case]:
    with _later(path):
        return [own_case(json.loads(line), "") for line in values_at(path, "case", rows)]


def values_at(path: Path, column: str, rows: Sequence[int]) -> list[Any]:
    """Read a column of some rows of a Parquet file, of which only the row groups that hold them are read."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        size = file.metadata.row_group(0).num_rows if file.metadata.num_row_groups else 1
        groups = sorted({int(row) // size for row in rows})
        if not groups:
            return []
        # Groups have one size but for the last, so a row's place among those read follows from its own.
        values = file.read_row_groups(groups, columns=[column], use_threads=False)[column]
        first = {group: i * size for i, group in enumerate(groups)}
        return [values[first[int(row) // size] + int(row) % size].as_py() for row in rows]


def _read_sentences(path: Path, method: int) -> SentenceTable:
    import pyarrow.parquet as pq

    with _later(path):
        there = pq.read_schema(path).names
        columns = [c for c in ("row", "start", "end", "support", "contradiction") if c in there]
        return _sentences(pq.read_table(path, columns=columns, filters=[("method", "=", method)]))


def _sentences(table: Any) -> SentenceTable:
    row, start, end = (numbers(table, name, np.int32) for name in ("row", "start", "end"))
    names = table.column_names if hasattr(table, "column_names") else table
    against = numbers(table, "contradiction", np.float64) if "contradiction" in names else np.full(len(row), np.nan)
    return SentenceTable(row, start, end, numbers(table, "support", np.float64), against)


def _read_notes(path: Path, method: int, rows: Sequence[int]) -> list[str]:
    import pyarrow.parquet as pq

    if not len(rows):
        return []
    filters = [("method", "=", method), ("row", "in", [int(r) for r in rows])]
    with _later(path):
        table = pq.read_table(path, columns=["row", "note"], filters=filters).to_pydict()
    notes = dict(zip(table["row"], table["note"], strict=True))
    return [str(notes.get(int(row)) or "") for row in rows]


@contextmanager
def _later(path: Path) -> Iterator[None]:
    """Read a file again after it was checked: it may be gone, or another one, meanwhile."""
    import pyarrow as pa

    try:
        yield
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise DataError(f"{path} cannot be read any more ({type(error).__name__}); export the run again.") from error


def read_store(file: JobFile) -> RunData:
    """Read a run from its own file, as far as it is."""
    plan = plan_of(file)
    columns = case_columns(cases_of(file))
    shape = (len(plan.methods), len(columns.ids))
    arrays = _arrays(shape)
    tables = [_kept(arrays, tables_of(list(judgements(file, m)))) for m in range(shape[0])]
    starts, cold = file.starts(), cold_starts(file)

    def read_cases(rows: Sequence[int]) -> list[Case]:
        with closing(file):
            return cases_of(file, [int(r) for r in rows])

    def read_notes(method: int, rows: Sequence[int]) -> list[str]:
        return [tables[method][1].get(int(row), "") for row in rows]

    run = RunData(
        id=file.id,
        name=plan.name,
        source=plan.source,
        data_hash=plan.data_hash,
        methods=tuple(replace(m, cold_seconds=cold.get(m.id)) for m in plan.methods),
        **columns._asdict(),
        **arrays,
        machine=starts[0].machine if starts else (),
        created=file.created(),
        finished=bool(file.finished()),
        read_cases=read_cases,
        read_sentences=lambda method: tables[method][0],
        read_notes=read_notes,
    )
    return added_types.with_added(run, types_of(file))


def _kept(arrays: dict[str, Any], tables: Tables) -> tuple[SentenceTable, dict[int, str]]:
    """Put a method's judgements into the arrays; gives what is read of them later: the sentences, and the notes by row."""
    _put(arrays, tables.judgements, _JUDGED)
    _put(arrays, tables.effort, _TAKEN)
    notes = zip(tables.judgements["row"], tables.judgements["note"], strict=True)
    return _sentences(tables.sentences), {row: note for row, note in notes if note}
