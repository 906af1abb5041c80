"""Columns of many shards, read side by side without their texts, and single rows of them."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from os import cpu_count
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from groundscope.errors import DataError


@dataclass(frozen=True, slots=True)
class Shards:
    """Shards as if they were one table.

    Attributes:
        ends: of each, how many rows it and those before it have.
    """

    files: tuple[Path, ...]
    ends: tuple[int, ...]

    def places(self, rows: Sequence[int]) -> dict[Path, list[tuple[int, int]]]:
        """Find the shards of some rows."""
        by_file: dict[Path, list[tuple[int, int]]] = {}
        for at, row in enumerate(rows):
            file = int(np.searchsorted(self.ends, row, side="right"))
            by_file.setdefault(self.files[file], []).append((at, row - (self.ends[file - 1] if file else 0)))
        return by_file

    def read(self, column: str, rows: Sequence[int]) -> list[object]:
        """Read a column of some rows; of each file only the row groups that hold them."""
        values: list[object] = [None] * len(rows)
        for path, places in self.places(rows).items():
            for (at, _), value in zip(places, _values(path, column, [inside for _, inside in places]), strict=True):
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
