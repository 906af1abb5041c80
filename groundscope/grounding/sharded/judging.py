"""A worker process of a cluster: it loads a method, judges chunk after chunk, and writes their shards."""

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from groundscope.cases.dataset import Rejected, read_rows_of, to_line, to_row
from groundscope.cases.mapping.saved_mappings import named
from groundscope.cases.splitting import query_of
from groundscope.errors import BudgetSpent, Cancelled, GroundscopeError, ModelUnavailable, StoreError
from groundscope.experiments.plan import FAILED
from groundscope.experiments.work import LANES, PATIENCE
from groundscope.files.fields import clean, cleaned
from groundscope.grounding.runs.arrays import case_columns
from groundscope.grounding.runs.store import TIMED, failure, spread
from groundscope.grounding.sharded.chunks import CaseChunk, rows_of
from groundscope.grounding.sharded.ledger import Ask, shared_calls
from groundscope.grounding.sharded.shards import (
    CASES,
    CASES_FOLDER,
    CASES_IN_A_GROUP,
    REJECTED,
    SCHEMA,
    ShardedPart,
    done,
    key_of,
    write,
    write_table,
)
from groundscope.methods import registry
from groundscope.methods.method import judged
from groundscope.runtime.retention import remembering
from groundscope.statistics.decision import verdict
from groundscope.types import Case, Judgement


class ChunkJudge:
    """Judges chunks; Ray makes one in each process of a pool, so that the method is loaded once a process."""

    def __init__(self, part: ShardedPart, out: str, mapping: str | None, ask: Ask | None = None) -> None:
        """Load the method, and see that it is the one that the start has."""
        self._part, self._out, self._ask = part, Path(out), ask
        _, self._known = done(self._out, part)
        self._mapping = named(mapping) if mapping else None
        self._refused = ""
        try:
            self._method = registry.load(part.method, **part.options)
            missing = self._method.unavailable()
        except (GroundscopeError, ValueError) as error:
            self._refused = f"{part.name} cannot run on a machine of the cluster: {error}"
            return
        if missing:
            self._refused = f"{part.name} cannot run on a machine of the cluster: {missing}"
        elif self._method.signature != part.signature:
            self._refused = (
                f"A machine of the cluster has another {part.name} ({self._method.signature}) than this one ({part.signature}); "
                "install the same versions and weights everywhere."
            )
        elif part.asks and self._method.address != part.address:
            self._refused = (
                f"A machine of the cluster would send the texts to {self._method.address or 'itself'}, and this one to "
                f"{part.address or 'itself'}; set the same address everywhere."
            )

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Judge the chunks of a batch, and give a row a chunk: how many were judged, known, and could not be used."""
        chunks = zip(*(batch[name] for name in _FIELDS), strict=True)
        counts = [self._chunk(CaseChunk(str(path), int(start), int(end), int(first))) for path, start, end, first in chunks]
        return {name: np.array(values) for name, values in zip(_COUNTS, zip(*counts, strict=True), strict=True)}

    def _chunk(self, chunk: CaseChunk) -> tuple[int, int, int, str]:
        if self._refused:
            return 0, 0, 0, self._refused
        try:
            unjudged: list[tuple[int, bytes, Case]] = []
            bad, skipped, cases = [], 0, list[tuple[int, Case]]()
            for number, case in read_rows_of(chunk.shown, list(rows_of(chunk)), self._mapping):
                if isinstance(case, Rejected):
                    bad.append({"file": chunk.shown, "row": number, "reason": case.reason})
                    continue
                cases.append((number, case))
                if _holds(self._known, key := key_of(case)):
                    skipped += 1
                else:
                    unjudged.append((number, key, case))
            judgements = (
                self._asked(self._ask, [case for *_, case in unjudged])
                if self._ask
                else map(self._judged, (c for *_, c in unjudged))
            )
            rows = [self._row(chunk.shown, *one, judgement) for one, judgement in zip(unjudged, judgements, strict=True)]
            if bad:
                write(self._out / "rejected" / f"{chunk.name}.parquet", bad, REJECTED)
            write_cases(self._out, chunk.name, chunk.shown, cases)
            # Last, since its name says that the chunk is done. A process may die between writing it and saying so: to the next
            # one all its cases are known, and what is there stays.
            path = self._out / self._part.folder / f"{chunk.name}.parquet"
            if rows or not path.exists():
                write(path, rows, SCHEMA)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            why = f"{self._out} cannot be written ({reason}); what is there is complete. Make room, and start again."
            return 0, 0, 0, why
        except GroundscopeError as error:
            return 0, 0, 0, str(error)
        return len(rows), skipped, len(bad), ""

    def _row(self, file: str, number: int, key: bytes, case: Case, judgement: Judgement) -> dict[str, object]:
        return {
            "key": key,
            "file": file,
            "row": number,
            "case": case.id,
            "method": self._part.name,
            "signature": self._part.signature,
            "status": str(judgement.status),
            "support": judgement.support,
            "threshold": self._part.threshold,
            "grounded": verdict(judgement, self._part.threshold).grounded,
            "sentences": [{"start": s.start, "end": s.end, "support": s.support} for s in judgement.sentences],
            **measures(judgement),
            "note": clean(judgement.note),
        }

    def _asked(self, ask: Ask, cases: Sequence[Case]) -> list[Judgement]:
        """The judgements of a method that waits for a server, several at a time; raises where the server is gone."""
        judgements, failed = [], 0
        with shared_calls(ask), ThreadPoolExecutor(LANES) as pool:
            futures = [pool.submit(copy_context().run, self._judged, case) for case in cases]
            try:
                for future in futures:
                    judgements.append(future.result())
                    failed = failed + 1 if judgements[-1].status == FAILED else 0
                    if failed >= PATIENCE:
                        raise ModelUnavailable(f"{self._part.name} failed {PATIENCE} times in a row: {judgements[-1].note}")
            finally:
                for future in futures:
                    future.cancel()
        return judgements

    def _judged(self, case: Case) -> Judgement:
        """The judgement of a case alone: in a batch with others its last digits would depend on them."""
        started = time.perf_counter()
        try:
            with remembering():
                return judged(self._method, case)
        except (BudgetSpent, Cancelled, StoreError):
            raise
        except Exception as error:
            return failure(error, time.perf_counter() - started)


_FIELDS = ("path", "start", "end", "first")
_COUNTS = ("judged", "known", "rejected", "error")


def as_items(chunks: Sequence[CaseChunk]) -> Iterator[dict[str, object]]:
    """Write chunks as rows of Ray's data."""
    for chunk in chunks:
        yield {name: getattr(chunk, name) for name in _FIELDS}


def _holds(judged_keys: np.ndarray, key: bytes) -> bool:
    key_array = np.array([key], dtype="S16")
    at = int(np.searchsorted(judged_keys, key_array)[0])
    return at < len(judged_keys) and judged_keys[at] == key_array[0]


def write_cases(out: Path, chunk: str, file: str, cases: Sequence[tuple[int, Case]]) -> None:
    """Write the cases of a chunk, unless another method has done so."""
    path = out / CASES_FOLDER / f"{chunk}.parquet"
    if not path.exists():
        write_table(path, case_table(file, cases), CASES_IN_A_GROUP)


def case_table(file: str, cases: Sequence[tuple[int, Case]]) -> pa.Table:
    """Write cases as a table."""
    plain_cases = [case for _, case in cases]
    rows = [cleaned(to_row(case)) for case in plain_cases]
    columns = case_columns(plain_cases)
    return pa.table(
        {
            "key": [key_of(case) for case in plain_cases],
            "file": [file] * len(plain_cases),
            "row": [number for number, _ in cases],
            "id": [row["id"] for row in rows],
            "group": [blake2b(query_of(case).encode("utf-8", "replace"), digest_size=16).digest() for case in plain_cases],
            "split": cleaned(columns.splits.tolist()),
            "area": cleaned(columns.areas.tolist()),
            "gold": columns.gold.tolist(),
            "types": columns.types.tolist(),
            "words": columns.words.tolist(),
            "context_words": columns.context_words.tolist(),
            "case": [to_line(row) for row in rows],
        },
        schema=CASES,
    )


def measures(judgement: Judgement) -> dict[str, object]:
    """Write the numbers of a judgement that figures need besides its support."""
    lowest, mean = spread(s.support for s in judgement.sentences)
    return {
        "lowest": lowest,
        "mean": mean,
        "seconds": judgement.seconds,
        "timed": judgement.status in TIMED and not judgement.cached,
        "context_seen": judgement.context_seen,
        "cost": judgement.cost,
        "calls": judgement.calls,
        "tokens": judgement.tokens,
    }
