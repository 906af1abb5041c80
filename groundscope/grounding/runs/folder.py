"""A finished run as files that never change: Parquet with a manifest that holds their hashes.

`cases.parquet` (the texts too), `judgements.parquet` and `sentences.parquet` are the same bytes whenever the same cases are
judged by the same methods with the same results. What time and luck decide (seconds, calls, costs) is in `effort.parquet`, and
when and where it was made in `manifest.json`. Error types that the run got later may lie beside them (`types.json`).
"""

import json
import shutil
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import numpy as np

from groundscope.cases.dataset import to_line
from groundscope.cases.own_format import own_case
from groundscope.errors import DataError, StoreError
from groundscope.experiments.plan import Content, Part, Stored
from groundscope.experiments.store import JobFile
from groundscope.files import typed
from groundscope.files.fields import cleaned
from groundscope.grounding.runs import added_types
from groundscope.grounding.runs.arrays import STATUSES, TYPES, case_columns
from groundscope.grounding.runs.store import judgements, plan_of, rows_of, spread, types_of
from groundscope.runtime import extras
from groundscope.types import Case

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT, VERSION = "groundscope-run", 1
MANIFEST = "manifest.json"
FILES = ("cases.parquet", "judgements.parquet", "sentences.parquet", "effort.parquet")
CASES_IN_A_GROUP = 64
"""Rows of a row group of cases: what is read to show one of them."""


def rows_hash(rows: Iterable[Content]) -> str:
    """Hash all that is in the cases."""
    digest = sha256()
    for row in rows:
        digest.update(to_line(row).encode())
    return digest.hexdigest()[:16]


def export(file: JobFile, folder: Path) -> Path:
    """Write a finished run to a folder of its own, all of it or nothing; its files are read-only, and the umask says for whom."""
    if not file.finished():
        raise StoreError("The run is not finished; resume it first, then export it.")
    extras.require("runs")
    new = None
    try:
        place = folder.resolve()
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise DataError(f"{folder} is not empty, and a run's files are never overwritten; name a new folder.")
        place.parent.mkdir(parents=True, exist_ok=True)
        new = place.with_name(f"{place.name}.{uuid4().hex[:6]}.new")
        new.mkdir()
        _write(new, file)
        if place.exists():
            place.rmdir()
        new.rename(place)
    except OSError as error:
        raise DataError(
            f"{folder} cannot be written ({error.strerror}); name a folder with room. The run itself is kept."
        ) from None
    finally:
        if new is not None:
            shutil.rmtree(new, ignore_errors=True)
    return folder


def _write(folder: Path, file: JobFile) -> None:
    import pyarrow.parquet as pq

    rows = rows_of(file)
    table = cases_table([own_case(row, "") for row in rows], rows)
    pq.write_table(table, folder / FILES[0], compression="zstd", row_group_size=CASES_IN_A_GROUP)
    with ExitStack() as open_files:
        writers = [
            open_files.enter_context(pq.ParquetWriter(folder / name, _arrow(*table).schema, compression="zstd"))
            for name, table in zip(FILES[1:], zip(tables_of([]), _TYPES, strict=True), strict=True)
        ]
        # Method by method: a large run does not fit into memory as Python objects.
        for method in range(len(plan_of(file).methods)):
            for writer, *table in zip(writers, tables_of(list(judgements(file, method))), _TYPES, strict=True):
                writer.write_table(_arrow(*table))
    files = {}
    for name in FILES:
        path = folder / name
        files[name] = {"sha256": _hash(path), "rows": pq.read_metadata(path).num_rows}
        _freeze(path)
    manifest = json.dumps(_manifest(file, files), indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_text(f"{manifest}\n", encoding="utf-8")
    _freeze(folder / MANIFEST)
    added_types.write(folder, plan_of(file).data_hash, types_of(file))


def _freeze(path: Path) -> None:
    """Take away the right to write; the umask decided who may read."""
    path.chmod(path.stat().st_mode & 0o444)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _manifest(file: JobFile, files: dict[str, Any]) -> dict[str, Any]:
    plan, starts, cold = plan_of(file), file.starts(), cold_starts(file)
    methods = [asdict(m) | {"cold_seconds": cold.get(m.id)} for m in plan.methods]
    return {
        "format": FORMAT,
        "version": VERSION,
        "id": file.id,
        "name": plan.name,
        "source": plan.source,
        "data_hash": plan.data_hash,
        "cases": plan.cases,
        "methods": methods,
        "created": file.created(),
        "finished": file.finished(),
        "machines": [{"from": s.started, "machine": list(s.machine)} for s in starts],
        "files": files,
    }


def cold_starts(file: JobFile) -> dict[str, float]:
    """Find how long the first cold start of each method took."""
    cold: dict[str, float] = {}
    for start in file.starts():
        cold = {**start.cold, **cold}
    return cold


def _complete(manifest: dict[str, Any]) -> None:
    """Refuse a manifest that was edited into something else; what is missing raises KeyError or TypeError."""
    for name in ("id", "name", "source", "data_hash", "created", "finished"):
        if not isinstance(manifest[name], str):
            raise TypeError(name)
    if not isinstance(manifest["cases"], int):
        raise TypeError("cases")
    typed.stored(list[Part], manifest["methods"])
    for start in manifest["machines"]:
        start["machine"], start["from"]


def check(folder: Path) -> dict[str, Any]:
    """Read the manifest of a run's folder, and check that every file is present and unchanged."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
        if manifest["format"] != FORMAT:
            raise ValueError("format")
        if int(manifest["version"]) > VERSION:
            raise DataError(f"A newer Groundscope wrote the run in {folder}; install the newer one to read it.")
        _complete(manifest)
        hashes = {name: manifest["files"].get(name, {}).get("sha256") for name in FILES}
    except OSError:
        raise DataError(f"{folder} contains no run: there is no {MANIFEST}; name the folder of an exported run.") from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise DataError(f"The manifest in {folder} cannot be read; export the run again.") from None
    for name in FILES:
        try:
            current = _hash(folder / name)
        except OSError:
            raise DataError(f"{name} is missing in {folder}; export the run again, or copy the folder as a whole.") from None
        if current != hashes[name]:
            raise DataError(f"{name} in {folder} is not what was written (its hash differs); export the run again.")
    return manifest


_CODES = {str(status): code for code, status in enumerate(STATUSES)}
Columns = dict[str, Any]
"""A table: values by column."""


class Tables(NamedTuple):
    """What one or more methods said, as tables."""

    judgements: Columns
    sentences: Columns
    effort: Columns


_PLACE = {"method": "int16", "row": "int32"}
_TYPES = Tables(
    {
        **_PLACE, "status": "int8", **dict.fromkeys(("support", "lowest", "mean", "context_seen"), "float64"), "note": "string",
        "raw": "large_string", "claims": "large_string",
    },
    {
        **dict.fromkeys(("method", "row", "start", "end"), "int32"), "support": "float64",
        **dict.fromkeys(("match_passage", "match_start", "match_end"), "int32"), "match_support": "float64",
        "contradiction": "float64",
    },
    {
        **_PLACE, "seconds": "float64", "timed": "bool", "cached": "float64", **dict.fromkeys(("calls", "tokens"), "int32"),
        "cost": "float64",
    },
)  # fmt: skip
"""Arrow's types of the columns that are written."""


def _arrow(columns: Columns, types: Columns) -> "pa.Table":
    import pyarrow as pa

    return pa.table({name: pa.array(columns[name], pa.type_for_alias(kind)) for name, kind in types.items()})


def tables_of(stored: Sequence[Stored]) -> Tables:
    """Stored judgements as tables, in their order, also without any: what is exported, and what figures read."""
    took = {name: [k.content[name] for k in stored] for name in ("seconds", "cached", "calls", "tokens", "cost")}
    return Tables(_judgements(stored), _sentences(stored), {**_places(stored), **took, "timed": [k.timed for k in stored]})


def cases_table(cases: Sequence[Case], rows: Sequence[Content]) -> "pa.Table":
    """Cases as a table: the columns that figures need, and the case itself as JSON; `rows`: the cases as `to_row` makes them."""
    import pyarrow as pa

    types = pa.list_(pa.int16(), len(TYPES))
    kinds = ("string", "int32", "string", "string", "int8", types, "int32", "int32")
    names = ("id", "group", "split", "area", "gold", "types", "words", "context_words")
    columns = zip(names, kinds, case_columns(cases), strict=True)
    table = {name: pa.array(cleaned(np.asarray(column).tolist()), kind) for name, kind, column in columns}
    return pa.table({**table, "case": pa.array([to_line(row) for row in rows], pa.large_string())})


def _judgements(stored: Sequence[Stored]) -> Columns:
    lows = [spread(s[2] for s in k.content["sentences"]) for k in stored]
    texts = {name: [k.content[name] for k in stored] for name in ("support", "context_seen", "note", "raw", "claims")}
    return {
        **_places(stored), **texts, "status": [_CODES[k.status] for k in stored], "lowest": [low for low, _ in lows],
        "mean": [mean for _, mean in lows], "claims": [json.dumps(claims, ensure_ascii=False) for claims in texts["claims"]],
    }  # fmt: skip


def _places(stored: Sequence[Stored]) -> Columns:
    return {"method": [k.place.part for k in stored], "row": [k.place.row for k in stored]}


def _sentences(stored: Sequence[Stored]) -> Columns:
    """The supports of the responses' sentences, each with its best match."""
    sentences = [s for k in stored for s in k.content["sentences"]]
    counts = [len(k.content["sentences"]) for k in stored]
    # Of whole columns: a run has many more sentences than judgements.
    places = (np.repeat(np.array([k.place[i] for k in stored], dtype=np.int32), counts) for i in (0, 2))
    matches = [s[3][0] if s[3] else (None,) * 4 for s in sentences]
    return {
        **dict(zip(("method", "row"), places, strict=True)),
        "start": [s[0] for s in sentences],
        "end": [s[1] for s in sentences],
        "support": [s[2] for s in sentences],
        "match_passage": [m[0] for m in matches],
        "match_start": [m[1] for m in matches],
        "match_end": [m[2] for m in matches],
        "match_support": [m[3] for m in matches],
        # Runs of before do not have it.
        "contradiction": [s[4] if len(s) > 4 else None for s in sentences],
    }
