"""What callers have -> cases: tables of pandas and polars, data sets of Hugging Face, dicts, files, cases."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from groundscope.cases.dataset import Rejected, read_many, read_rows_of
from groundscope.cases.mapping.field_mapping import FieldMapping
from groundscope.cases.mapping.saved_mappings import named
from groundscope.errors import DataError
from groundscope.files.rows import Row
from groundscope.types import Case

Given = Any
"""A path or several; a table of pandas or polars; a data set of Hugging Face; dicts; cases; any iterable of the last two."""
_WANTED = "Give a table, a data set, dicts, cases, or the path of a file."


def cases_of(given: Given, mapping: str | None = None) -> Iterator[tuple[int, Case | Rejected]]:
    """Read cases one at a time; what is given lazily is read lazily."""
    known = named(mapping) if mapping else None
    if isinstance(given, Case | Mapping):
        given = [given]
    if isinstance(given, str | os.PathLike):
        given = [given]
    if isinstance(given, list | tuple) and given and all(isinstance(one, str | os.PathLike) for one in given):
        yield from _of_files([Path(one) for one in given], known)
        return
    yield from _of_rows(_records(given), known)


def _of_files(paths: Iterable[Path], mapping: FieldMapping | None) -> Iterator[tuple[int, Case | Rejected]]:
    try:
        files = [(path.name, path.read_bytes()) for path in paths]
    except OSError as error:
        raise DataError(f"{error.filename} cannot be read ({error.strerror}).") from None
    number = 0
    for found in read_many(files, mapping):
        for case in found.cases:
            number += 1
            yield number, case
        for row in found.rejected:
            number += 1
            yield number, replace(row, reason=f"{row.file}, row {row.row}: {row.reason}")


def _of_rows(records: Iterable[Any], mapping: FieldMapping | None) -> Iterator[tuple[int, Case | Rejected]]:
    for are_cases, some in groupby(enumerate(records, 1), key=lambda pair: isinstance(pair[1], Case)):
        if are_cases:
            yield from some
        else:
            yield from read_rows_of("", map(_row, some), mapping)


def _row(pair: tuple[int, Any]) -> Row | Rejected:
    number, record = pair
    if not isinstance(record, Mapping):
        return Rejected("", number, f"It is {type(record).__name__} and no dict. {_WANTED}")
    return Row(number, {str(name): plain(value) for name, value in record.items()})


def _records(given: Any) -> Iterable[Any]:
    if hasattr(given, "iter_rows"):
        return given.iter_rows(named=True)  # type: ignore[no-any-return]
    if hasattr(given, "itertuples"):
        names = [str(name) for name in given.columns]
        return (dict(zip(names, values, strict=True)) for values in given.itertuples(index=False, name=None))
    if isinstance(given, Iterable):
        return given
    raise DataError(f"{type(given).__name__} holds no cases. {_WANTED}")


def plain(value: Any) -> Any:
    """Convert a value of a table to what JSON knows.

    Args:
        value: a cell, of any type.

    Returns:
        Texts, numbers, lists and dicts; None for what is missing, NaN and NaT among them; any other object as its text.
    """
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
    same = value == value
    if same is not True and not (isinstance(same, bool) and same):
        return None
    return float(value) if isinstance(value, float) else str(value)
