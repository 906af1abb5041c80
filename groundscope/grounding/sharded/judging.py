"""A worker process of a cluster: it loads a method, judges chunk after chunk, and writes their shards."""

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from hashlib import blake2b
from itertools import compress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from groundscope.cases.dataset import Rejected, read_rows_of, to_line, to_row
from groundscope.cases.mapping.saved_mappings import named
from groundscope.cases.splitting import query_of
from groundscope.errors import BudgetSpent, Cancelled, GroundscopeError, ModelUnavailable, StoreError
from groundscope.experiments.ledger import Ask, shared_calls
from groundscope.experiments.plan import FAILED, Part
from groundscope.experiments.work import LANES, PATIENCE
from groundscope.files.fields import clean, cleaned
from groundscope.grounding.runs.folder import CASES_IN_A_GROUP, cases_table
from groundscope.grounding.runs.store import TIMED, failure, spread
from groundscope.grounding.sharded.chunks import CaseChunk, rows_of
from groundscope.grounding.sharded.shards import CASES, CASES_FOLDER, REJECTED, SCHEMA, folder_of, scan, shards_in, write
from groundscope.methods import registry
from groundscope.methods.method import judged
from groundscope.runtime.retention import remembering
from groundscope.statistics.decision import verdict
from groundscope.types import Case, Judgement


class ChunkJudge:
    """Judges chunks; Ray makes one in each process of a pool, so that the method is loaded once a process."""

    def __init__(self, part: Part, address: str, out: str, mapping: str | None, ask: Ask | None = None) -> None:
        """Load the method, and see that it is the one that the start has, and sends texts to the same address."""
        self._part, self._address, self._out, self._ask = part, address, Path(out), ask
        self._known = scan(shards_in(self._out / folder_of(part)), SCHEMA, ["key"])[0]["key"].combine_chunks()
        self._mapping = named(mapping) if mapping else None
        try:
            self._method = registry.load(part.loads, **part.options)
            self._refused = self._differs() or ""
        except (GroundscopeError, ValueError) as error:
            self._refused = f"{part.id} cannot run on a machine of the cluster: {error}"

    def _differs(self) -> str | None:
        part, method = self._part, self._method
        if missing := method.unavailable():
            return f"{part.id} cannot run on a machine of the cluster: {missing}"
        if method.signature != part.signature:
            return (
                f"A machine of the cluster has another {part.id} ({method.signature}) than this one ({part.signature}); "
                "install the same versions and weights everywhere."
            )
        if part.asks and method.address != self._address:
            return (
                f"A machine of the cluster would send the texts to {method.address or 'itself'}, and this one to "
                f"{self._address or 'itself'}; set the same address everywhere."
            )
        return None

    def __call__(self, chunk: dict[str, Any]) -> dict[str, Any]:
        """Judge a chunk; gives how many of its cases were judged, known, and could not be used, or what went wrong."""
        counts = {"judged": 0, "known": 0, "rejected": 0, "error": self._refused}
        try:
            return counts if self._refused else counts | self._chunk(CaseChunk(**chunk))
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            why = f"{self._out} cannot be written ({reason}); what is there is complete. Make room, and start again."
            return counts | {"error": why}
        except GroundscopeError as error:
            return counts | {"error": str(error)}

    def _chunk(self, chunk: CaseChunk) -> dict[str, int]:
        read = list(read_rows_of(chunk.shown, list(rows_of(chunk)), self._mapping))
        bad = [{"file": chunk.shown, "row": row, "reason": case.reason} for row, case in read if isinstance(case, Rejected)]
        cases = [(row, case) for row, case in read if isinstance(case, Case)]
        keys = pa.array([key_of(case) for _, case in cases], CASES.field("key").type)
        is_left = pc.invert(pc.is_in(keys, self._known))
        left = list(compress(cases, is_left.to_pylist()))
        judged_now = zip(keys.filter(is_left).to_pylist(), left, self._judgements([case for _, case in left]), strict=True)
        rows = [self._row(key, chunk.shown, row, case, judgement) for key, (row, case), judgement in judged_now]
        shard = f"{chunk.name}.parquet"
        if bad:
            write(self._out / "rejected" / shard, pa.Table.from_pylist(bad, REJECTED))
        # Unless another method has done so.
        if not (self._out / CASES_FOLDER / shard).exists():
            write(self._out / CASES_FOLDER / shard, case_table(chunk.shown, cases), CASES_IN_A_GROUP)
        # Last, since its name says that the chunk is done. A process may die between writing it and saying so: to the next one
        # all its cases are known, and what is there stays.
        path = self._out / folder_of(self._part) / shard
        if rows or not path.exists():
            write(path, pa.Table.from_pylist(rows, SCHEMA))
        return {"judged": len(rows), "known": len(cases) - len(rows), "rejected": len(bad)}

    def _row(self, key: bytes, file: str, row: int, case: Case, judgement: Judgement) -> dict[str, object]:
        part = self._part
        lowest, mean = spread(s.support for s in judgement.sentences)
        same = ("support", "seconds", "context_seen", "cost", "calls", "tokens")
        return {
            "key": key,
            "file": file,
            "row": row,
            "case": case.id,
            "method": part.id,
            "signature": part.signature,
            "status": str(judgement.status),
            "threshold": part.threshold,
            "grounded": verdict(judgement, part.threshold).grounded,
            "sentences": [{"start": s.start, "end": s.end, "support": s.support} for s in judgement.sentences],
            "lowest": lowest,
            "mean": mean,
            "timed": judgement.status in TIMED and not judgement.cached,
            "note": clean(judgement.note),
            **{name: getattr(judgement, name) for name in same},
        }

    def _judgements(self, cases: Sequence[Case]) -> list[Judgement]:
        """Judge cases, several at a time where the method waits for a server; raises where the server is gone."""
        if self._ask is None:
            return [self._judged(case) for case in cases]
        judgements, failed = list[Judgement](), 0
        with shared_calls(self._ask):
            pool, context = ThreadPoolExecutor(LANES), copy_context()
            try:
                for judgement in pool.map(lambda case: context.copy().run(self._judged, case), cases):
                    judgements.append(judgement)
                    failed = failed + 1 if judgement.status == FAILED else 0
                    if failed >= PATIENCE:
                        raise ModelUnavailable(f"{self._part.id} failed {PATIENCE} times in a row: {judgement.note}")
            finally:
                pool.shutdown(cancel_futures=True)
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


def key_of(case: Case) -> bytes:
    """Hash a case, its id and labels included."""
    return blake2b(to_line(to_row(case)).encode("utf-8", "replace"), digest_size=16).digest()


def case_table(file: str, cases: Sequence[tuple[int, Case]]) -> pa.Table:
    """Write the cases of a file, each with its row, as a table."""
    table = cases_table([case for _, case in cases], [cleaned(to_row(case)) for _, case in cases])
    columns = {
        **dict(zip(table.column_names, table.columns, strict=True)),
        "key": [key_of(case) for _, case in cases],
        "file": [file] * len(cases),
        "row": [row for row, _ in cases],
        # Of another shard the same number would be another query.
        "group": [blake2b(query_of(case).encode("utf-8", "replace"), digest_size=16).digest() for _, case in cases],
    }
    return pa.table(columns, CASES)
