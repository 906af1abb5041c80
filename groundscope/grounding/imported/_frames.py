"""The ways pandas writes a data frame as one JSON object -> rows."""

from collections.abc import Sequence
from typing import Any

from groundscope.files.rows import MAX_ROWS, Row


def records(rows: Sequence[Row]) -> list[Row]:
    """Turn one object of columns (`to_json()`, `to_dict("list")`) or of rows by index into the rows that it stands for.

    Args:
        rows: of a file; only a single row is looked at.

    Returns:
        Rows numbered from 1, at most `MAX_ROWS`; those given where they are no such object.
    """
    if len(rows) != 1 or not rows[0].values:
        return list(rows)
    values = rows[0].values
    if all(isinstance(v, dict) for v in values.values()):
        return _by_key(values)
    if all(isinstance(v, list) for v in values.values()) and len({len(v) for v in values.values()}) == 1 and len(values) > 1:
        count = min(len(next(iter(values.values()))), MAX_ROWS)
        return [Row(i + 1, {name: column[i] for name, column in values.items()}) for i in range(count)]
    return list(rows)


def _by_key(values: dict[str, dict[str, Any]]) -> list[Row]:
    """Columns by index where every key inside is a number; rows by index otherwise."""
    inner = dict.fromkeys(key for column in values.values() for key in column)
    if inner and all(key.isdigit() for key in inner):
        found = [{name: column[key] for name, column in values.items() if key in column} for key in inner]
    else:
        found = list(values.values())
    return [Row(i, row) for i, row in enumerate(found[:MAX_ROWS], 1)]
