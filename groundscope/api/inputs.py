"""Inputs of the Python interface as cases: tables of pandas and polars, data sets of Hugging Face, dicts, files, cases."""

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from groundscope.cases.dataset import LoadedDataset, Rejected, read_many, read_records, read_rows_of
from groundscope.cases.formats import FieldMapping
from groundscope.cases.mapping.saved_mappings import named
from groundscope.errors import DataError
from groundscope.files.rows import Row
from groundscope.types import Case

CaseData = Any
"""A path or several; a table of pandas or polars; a data set of Hugging Face; dicts; cases; any iterable of the last two."""
_WANTED = "Give a table, a data set, dicts, cases, or the path of a file."


def cases_of(data: CaseData, mapping: str | None = None) -> Iterator[tuple[int, Case | Rejected]]:
    """Read cases one at a time; an iterator is read only as far as its cases are used."""
    fields = named(mapping) if mapping else None
    if isinstance(data, Case | Mapping | str | os.PathLike):
        data = [data]
    if isinstance(data, list | tuple) and data and all(isinstance(one, str | os.PathLike) for one in data):
        yield from _of_files([Path(one) for one in data], fields)
        return
    yield from _of_rows(_records(data), fields, sized=hasattr(data, "__len__"))


def _of_files(paths: Iterable[Path], mapping: FieldMapping | None) -> Iterator[tuple[int, Case | Rejected]]:
    try:
        files = [(path.name, path.read_bytes()) for path in paths]
    except OSError as error:
        raise DataError(f"{error.filename} cannot be read ({error.strerror}).") from None
    number = 0
    for contents in read_many(files, mapping):
        _ask(contents)
        for case in contents.cases:
            number += 1
            yield number, case
        for row in contents.rejected:
            number += 1
            yield number, replace(row, reason=f"{row.file}, row {row.row}: {row.reason}")


def _of_rows(records: Iterable[Any], mapping: FieldMapping | None, *, sized: bool) -> Iterator[tuple[int, Case | Rejected]]:
    """Read records, all together where they are there already."""
    for are_cases, some in groupby(enumerate(records, 1), key=lambda pair: isinstance(pair[1], Case)):
        if are_cases:
            yield from some
        elif sized:
            read = read_records(list(map(_row, some)), mapping)
            _ask(read)
            named: list[tuple[int, Case | Rejected]] = [*zip(read.numbers, read.cases, strict=True)]
            named += [(rejected.row, rejected) for rejected in read.rejected]
            yield from sorted(named, key=itemgetter(0))
        else:
            yield from read_rows_of("", map(_row, some), mapping)


def _ask(read: LoadedDataset) -> None:
    """Warn where a column may hold labels and is not read, or where a mapping is needed."""
    if read.unsure:
        warnings.warn(f"{read.name}{': ' * bool(read.name)}{read.unsure.replace('--map ', 'mapping=')}", stacklevel=2)


def _row(pair: tuple[int, Any]) -> Row | Rejected:
    number, record = pair
    if not isinstance(record, Mapping):
        return Rejected("", number, f"It is {type(record).__name__} and no dict. {_WANTED}")
    return Row(number, {str(name): plain(value) for name, value in record.items()})


def _records(data: Any) -> Iterable[Any]:
    if hasattr(data, "iter_rows"):
        return data.iter_rows(named=True)  # type: ignore[no-any-return]
    if hasattr(data, "itertuples"):
        names = [str(name) for name in data.columns]
        return (dict(zip(names, values, strict=True)) for values in data.itertuples(index=False, name=None))
    if isinstance(data, Iterable):
        return data
    raise DataError(f"{type(data).__name__} holds no cases. {_WANTED}")


def plain(value: Any) -> Any:
    """Convert a cell of a table to what JSON knows: None for what is missing, NaN and NaT too; any other object as its text."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, np.ndarray):
        return [plain(one) for one in value.tolist()]
    if isinstance(value, list | tuple | set):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if hasattr(value, "to_list"):
        return [plain(one) for one in value.to_list()]
    # Only what is missing differs from itself; pandas' NA answers with itself.
    if (value == value) is not True:
        return None
    return float(value) if isinstance(value, float) else str(value)
