"""A made-up run of `run --on ray`'s format, as large as wanted: `python -m benchmarks.cluster.big_run write FOLDER`."""

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from groundscope.cases.dataset import to_line, to_row
from groundscope.cases.own_format import own_case
from groundscope.experiments.plan import Part
from groundscope.files.fields import cleaned
from groundscope.grounding.runs.arrays import TYPES
from groundscope.grounding.runs.folder import CASES_IN_A_GROUP
from groundscope.grounding.sharded.chunks import CaseChunk
from groundscope.grounding.sharded.columns import finish
from groundscope.grounding.sharded.shards import CASES, CASES_FOLDER, SCHEMA, folder_of, prepare

RESPONSES, METHODS, ROWS, A_QUERY = 1_000_000, 15, 1_000, 4
"""A chunk has as many rows as `run --on ray` gives it; a query has four responses, one of them grounded."""
_FILE = "/made-up/cases.jsonl"
_SENTENCES = (
    "The court heard the case in May.",
    "It found for the tenant.",
    "The landlord owed ten dollars.",
    "No appeal was made.",
)
_RESPONSE = " ".join(_SENTENCES)
_STARTS = np.cumsum([0, *(len(s) + 1 for s in _SENTENCES)])
_AREAS = ("Labour", "Privacy", "Torts", "Contracts", "Tax", "Family", "Housing", "Patents")


def parts(methods: int) -> list[Part]:
    """Made-up methods of local models, each better than the one before."""
    names = [f"method_{m}" for m in range(methods)]
    return [Part(name, f"Method {m}", f"{name}|made-up", threshold=0.5) for m, name in enumerate(names)]


def chunks(responses: int) -> list[CaseChunk]:
    """The chunks of a file of so many lines, of 900 bytes each."""
    return [CaseChunk(_FILE, i * 900, (i + ROWS) * 900, i + 1) for i in range(0, responses, ROWS)]


def _row(number: int, kind: int) -> dict[str, object]:
    """A case as a line has it; `kind` is an error type's place, or below 0 = grounded."""
    query = number // A_QUERY
    context = [{"id": "p1", "text": f"{_RESPONSE} The docket is {query}.", "title": f"Report {query}"}]
    error = [{"start": 0, "end": len(_SENTENCES[0]), "type": TYPES[kind].value, "why": "It is otherwise."}] if kind >= 0 else []
    return {
        "id": f"case-{number}",
        "query": f"What did the court find in case {query}?",
        "context": context,
        "response": _RESPONSE,
        "grounded": kind < 0,
        "errors": error,
        "split": "dev" if query % 5 == 0 else "test",
        "group": f"query-{query}",
        "area": _AREAS[query % len(_AREAS)],
    }


def _kinds(chunk: CaseChunk) -> np.ndarray:
    numbers = np.arange(chunk.first, chunk.first + ROWS)
    drawn = np.random.default_rng(chunk.first).integers(0, len(TYPES), ROWS)
    return np.where(numbers % A_QUERY == 0, -1, drawn)


def _write_cases(out: Path, chunk: CaseChunk) -> list[bytes]:
    kinds = _kinds(chunk)
    numbers = range(chunk.first, chunk.first + ROWS)
    lines = [to_line(cleaned(to_row(own_case(_row(i, int(k)), "")))) for i, k in zip(numbers, kinds, strict=True)]
    keys = [blake2b(line.encode(), digest_size=16).digest() for line in lines]
    queries = [i // A_QUERY for i in numbers]
    types = np.zeros((ROWS, len(TYPES)), dtype=np.int16)
    types[np.flatnonzero(kinds >= 0), kinds[kinds >= 0]] = 1
    table = pa.table(
        {
            "key": keys,
            "file": [_FILE] * ROWS,
            "row": list(numbers),
            "id": [f"case-{i}" for i in numbers],
            "group": [blake2b(b"query-%d" % q, digest_size=16).digest() for q in queries],
            "split": ["dev" if q % 5 == 0 else "test" for q in queries],
            "area": [_AREAS[q % len(_AREAS)] for q in queries],
            "gold": (kinds < 0).astype(np.int8),
            "types": pa.FixedSizeListArray.from_arrays(types.ravel(), len(TYPES)),
            "words": np.random.default_rng(chunk.first + 1).integers(20, 400, ROWS, dtype=np.int32),
            "context_words": np.random.default_rng(chunk.first + 2).integers(200, 4_000, ROWS, dtype=np.int32),
            "case": lines,
        },
        schema=CASES,
    )
    path = out / CASES_FOLDER / f"{chunk.name}.parquet"
    pq.write_table(table, path, compression="zstd", row_group_size=CASES_IN_A_GROUP)
    return keys


def _write_part(out: Path, part: Part, method: int, methods: int, chunk: CaseChunk, keys: list[bytes]) -> None:
    rng = np.random.default_rng((method, chunk.first))
    kinds, k = _kinds(chunk), len(_SENTENCES)
    wrong = np.zeros((ROWS, k), dtype=bool)
    wrong[:, 0] = kinds >= 0
    supports = np.clip(rng.normal(0.7 - (0.1 + 0.5 * method / methods) * wrong, 0.2), 0, 1)
    scored = rng.random(ROWS) > 0.02
    lowest, mean = supports.min(axis=1), supports.mean(axis=1)
    counts = np.where(scored, k, 0)
    inside = np.repeat(scored, k)
    sentence = pa.StructArray.from_arrays(
        [
            pa.array(np.tile(_STARTS[:k], ROWS)[inside].astype(np.int32)),
            pa.array(np.tile(_STARTS[1:] - 1, ROWS)[inside].astype(np.int32)),
            pa.array(supports.ravel()[inside]),
        ],
        ["start", "end", "support"],
    )
    table = pa.table(
        {
            "key": keys,
            "file": [_FILE] * ROWS,
            "row": list(range(chunk.first, chunk.first + ROWS)),
            "case": [f"case-{i}" for i in range(chunk.first, chunk.first + ROWS)],
            "method": [part.id] * ROWS,
            "signature": [part.signature] * ROWS,
            "status": np.where(scored, "scored", "invalid").tolist(),
            "support": pa.array(lowest, mask=~scored),
            "threshold": np.full(ROWS, part.threshold),
            "grounded": pa.array(lowest >= 0.5, mask=~scored),
            "sentences": pa.ListArray.from_arrays(pa.array(np.cumsum([0, *counts]), pa.int32()), sentence),
            "lowest": pa.array(lowest, mask=~scored),
            "mean": pa.array(mean, mask=~scored),
            "seconds": rng.lognormal(0, 0.3, ROWS) * 10 ** (-2 + 3 * method / methods),
            "timed": np.ones(ROWS, dtype=bool),
            "context_seen": np.ones(ROWS),
            "cost": np.zeros(ROWS),
            "calls": np.zeros(ROWS, dtype=np.int32),
            "tokens": np.zeros(ROWS, dtype=np.int32),
            "note": ["" if ok else "The answer could not be read." for ok in scored.tolist()],
        },
        schema=SCHEMA,
    )
    pq.write_table(table, out / folder_of(part) / f"{chunk.name}.parquet", compression="zstd")


def _write_chunk(out: Path, methods: int, chunk: CaseChunk) -> None:
    keys = _write_cases(out, chunk)
    for method, part in enumerate(parts(methods)):
        _write_part(out, part, method, methods, chunk, keys)


def write(out: Path, responses: int = RESPONSES, methods: int = METHODS) -> None:
    """Write the shards of such a run, and what `run --on ray` does when the last chunk is done."""
    prepare(out, parts(methods), [_FILE], ["a made-up machine"])
    started = time.perf_counter()
    with ProcessPoolExecutor() as pool:
        list(pool.map(partial(_write_chunk, out, methods), chunks(responses), chunksize=8))
    print(f"{responses:,} x {methods}: shards written in {time.perf_counter() - started:.0f} s", flush=True)
    started = time.perf_counter()
    finish(out)
    print(f"columns made in {time.perf_counter() - started:.1f} s", flush=True)


if __name__ == "__main__":
    write(Path(sys.argv[2]), *map(int, sys.argv[3:]))
