"""A JSON document -> its records: a list, a list inside an object, or a data frame in any orientation that pandas writes."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from groundscope.errors import DataError
from groundscope.files.fields import NAMES, plain
from groundscope.files.literals import AS_JSON

_WRAPPERS = {"data", "rows", "examples", "records", "items", "results", "instances", "samples", "entries", "dataset", "cases"}
_DEEPEST = 4
_LOOKED_AT = 5
"""Items of a list by which it is judged."""
_CUT_OFF = "The viewer of the data set cut its texts off; download the data set itself."
_NO_NAMES = f"The file is a list of lists, without the names of their fields; {AS_JSON}."

Whole = Callable[[dict[str, Any]], bool]


def records(document: Any, whole: Whole | None = None) -> list[Any]:
    """Find the records of a document; a text stands in for one that cannot be used, and is the reason.

    Raises:
        DataError: the records have no names, or it is not clear which list holds them.
    """
    if isinstance(document, list):
        if document and all(isinstance(item, list) for item in document):
            raise DataError(_NO_NAMES)
        return [viewed(item) for item in document]
    if not isinstance(document, dict):
        return [None]
    framed = _frame(document)
    if framed is not None:
        return framed
    if "row_idx" in document or (whole and whole(document)):
        return [viewed(document)]
    return _inside(document)


def viewed(item: Any) -> Any:
    """A row of the viewer of Hugging Face without what stands around it; any other item as it is, a text as no record."""
    if isinstance(item, dict) and "row_idx" in item and isinstance(row := item.get("row"), dict):
        return _CUT_OFF if item.get("truncated_cells") else row
    return None if isinstance(item, str) else item


def _frame(values: dict[str, Any]) -> list[Any] | None:
    """The rows of a data frame that pandas wrote, or of an object of columns; None if it is none."""
    columns, data = values.get("columns"), values.get("data")
    if isinstance(columns, list) and isinstance(data, list) and all(isinstance(row, list) for row in data):
        return [dict(zip(map(str, columns), row, strict=False)) for row in data]
    if values.keys() == {"schema", "data"} and isinstance(values["schema"], dict) and isinstance(data, list):
        key = values["schema"].get("primaryKey")
        index = {"index", "level_0"} & set(key if isinstance(key, list) else ())
        return [{k: v for k, v in row.items() if k not in index} if isinstance(row, dict) else row for row in data]
    inner, columns_named = list(values.values()), texts_of(dict.fromkeys(values)) > 1
    if inner and all(isinstance(v, dict) and v and v.keys() == inner[0].keys() for v in inner):
        if all(key.isdigit() for key in inner[0]) or columns_named:
            return [{name: column[key] for name, column in values.items()} for key in inner[0]]
        return inner if all(key.isdigit() for key in values) or texts_of(inner[0]) > 1 else None
    if not columns_named or not all(isinstance(v, list) and len(v) == len(inner[0]) for v in inner):
        return None
    objects = [name for name, v in values.items() if isinstance(v[0] if v else None, dict)]
    return [dict(zip(values, row, strict=True)) for row in zip(*inner, strict=True)] if all(map(_is_context, objects)) else None


def _inside(document: dict[str, Any]) -> list[Any]:
    """The list of objects of an object, if it holds more of a case than the object itself; else the object."""
    lists = dict(_lists(document))
    if not lists:
        wrapped = [value for name, value in document.items() if isinstance(value, dict) and plain(name) in _WRAPPERS]
        return (_frame(wrapped[0]) if len(wrapped) == 1 else None) or [document]
    held = {path: max(map(texts_of, items[:_LOOKED_AT])) for path, items in lists.items()}
    best = max(held.values())
    paths = [path for path, texts in held.items() if texts == best]
    around = texts_of({name: value for name, value in document.items() if name not in lists and not isinstance(value, dict)})
    if best < 2 and not (around == 0 and (len(document) == 1 or any(plain(p.rpartition(".")[2]) in _WRAPPERS for p in paths))):
        return [document]
    if around >= best > 0:
        return [document]
    if len(paths) > 1:
        paths = [path for path in paths if plain(path.rpartition(".")[2]) in _WRAPPERS] or paths
    if len(paths) > 1:
        named = ", ".join(f"‘{path[:40]}’" for path in paths[:6])
        raise DataError(f"The file holds several lists of rows ({named}), and any may be the cases; save one of them as a file.")
    return [viewed(item) for item in lists[paths[0]]]


def _lists(values: Mapping[str, Any], before: str = "", depth: int = 1) -> Iterator[tuple[str, list[Any]]]:
    """The lists of objects in an object, with where they stand."""
    for name, value in values.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            yield f"{before}{name}", value
        elif isinstance(value, dict) and depth < _DEEPEST:
            yield from _lists(value, f"{before}{name}.", depth + 1)


def texts_of(values: Mapping[str, Any]) -> int:
    """How many of question, context and answer an object seems to hold, by the names of its fields: 0 to 3."""
    names = set(_names(values))
    return sum(any(plain(name) in names for name in called) for called in NAMES.values())


def _names(values: Mapping[str, Any], depth: int = 1) -> Iterator[str]:
    for name, value in values.items():
        yield plain(name)
        if isinstance(value, dict) and depth < _DEEPEST:
            yield from _names(value, depth + 1)


def _is_context(name: str) -> bool:
    return plain(name) in map(plain, NAMES["context"])
