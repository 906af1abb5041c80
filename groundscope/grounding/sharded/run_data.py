"""A folder of shards as a run: every page and command opens it as any other. Texts are read for single cases alone."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundscope.cases.own_format import own_case
from groundscope.errors import DataError
from groundscope.grounding.runs.arrays import MethodRun, RunData, SentenceTable, Texts
from groundscope.grounding.sharded.columns import Columns, columns, scan
from groundscope.grounding.sharded.shards import CASES_FOLDER, SCHEMA
from groundscope.runtime.byte_cache import MEGABYTE, ByteLRU
from groundscope.types import Case

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
        read_row=lambda method, row: _own_sentences(table, parts[method], at[method], row),
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
    judged = [i for i, row in enumerate(rows) if at[int(row)] >= 0]
    notes = [""] * len(rows)
    for i, note in zip(judged, table.shards[part].read("note", [int(at[int(rows[i])]) for i in judged]), strict=True):
        notes[i] = str(note or "")
    return notes


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


def _own_sentences(table: Columns, part: str, at: NDArray[Any], row: int) -> SentenceTable:
    place = int(at[row])
    return _table(table.shards[part].read("sentences", [place]) if place >= 0 else [[]], [row])


def _sentences(run_columns: Columns, part: str, at: NDArray[Any]) -> SentenceTable:
    """All sentences of a method, in the order of the run."""
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
