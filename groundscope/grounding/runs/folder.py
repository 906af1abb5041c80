"""A finished run as files that never change: Parquet with a manifest that holds their hashes.

`cases.parquet` (the texts too), `judgements.parquet` and `sentences.parquet` are the same bytes whenever the same cases are
judged by the same methods with the same results. What time and luck decide (seconds, calls, costs) is in `effort.parquet`, and
when and where it was made in `manifest.json`. Error types that the run got later may lie beside them (`types.json`).
"""

import json
import shutil
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow.parquet as pq

from groundscope.cases.dataset import to_line
from groundscope.errors import DataError, StoreError
from groundscope.experiments.plan import Content
from groundscope.experiments.store import JobFile
from groundscope.grounding.runs import added_types
from groundscope.grounding.runs._tables import cases_table, tables_of
from groundscope.grounding.runs.arrays import MethodRun
from groundscope.grounding.runs.store import judgements, plan_of, rows_of, types_of

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
    """Write a run's files into an empty folder."""
    pq.write_table(cases_table(rows_of(file)), folder / FILES[0], compression="zstd", row_group_size=CASES_IN_A_GROUP)
    with ExitStack() as open_files:
        writers = [
            open_files.enter_context(pq.ParquetWriter(folder / name, table.schema, compression="zstd"))
            for name, table in zip(FILES[1:], tables_of([]), strict=True)
        ]
        # Method by method: a large run does not fit into memory as Python objects.
        for method in range(len(plan_of(file).methods)):
            for writer, table in zip(writers, tables_of(list(judgements(file, method))), strict=True):
                writer.write_table(table)
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
    for method in manifest["methods"]:
        for texts in MethodRun(**method).prompts.values():
            "".join(texts.values())
    for start in manifest["machines"]:
        start["machine"], start["from"]


def check(folder: Path) -> dict[str, Any]:
    """Read the manifest of a run's folder, and see that every file is there and as it was written.

    Raises:
        DataError: it is no run, of a newer version, or a file is missing or was changed; the message says which.
    """
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
