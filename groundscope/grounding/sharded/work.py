"""A run on Ray: the worker process, which judges chunks, and the start, with the chunks left and a pool of processes a method."""

import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from contextvars import copy_context
from dataclasses import asdict
from functools import partial
from hashlib import blake2b
from itertools import compress
from pathlib import Path
from shutil import disk_usage
from threading import Event, Thread
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from groundscope.cases.dataset import Rejected, read_rows_of, to_line, to_row
from groundscope.cases.mapping.saved_mappings import named
from groundscope.cases.splitting import query_of
from groundscope.chat.budget import BUDGET
from groundscope.errors import BudgetSpent, Cancelled, GroundscopeError, ModelUnavailable, StoreError
from groundscope.experiments.ledger import Ask, Ledger, shared_calls
from groundscope.experiments.plan import FAILED, Part
from groundscope.experiments.work import LANES, PATIENCE
from groundscope.files.fields import clean, cleaned
from groundscope.grounding.runs.folder import CASES_IN_A_GROUP, cases_table
from groundscope.grounding.runs.store import TIMED, failure, spread
from groundscope.grounding.sharded.chunks import CaseChunk, rows_of
from groundscope.grounding.sharded.shards import (
    CASES,
    CASES_FOLDER,
    REJECTED,
    SCHEMA,
    address_of,
    folder_of,
    precision_of,
    scan,
    shards_in,
    write,
)
from groundscope.methods import Method, registry
from groundscope.methods.method import judged
from groundscope.paths import data_folder
from groundscope.runtime import extras
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


_BLOCKS = 4_000
_ROOM = 50_000_000
"""Bytes that Ray's temporary folder has at least; its logs alone are 300 kB of a short run."""
_AT_ONCE = 1_000
"""Callers that wait at the ledger."""
_QUIET = 60.0
"""Seconds to wait for the calls that are under way when a run is stopped."""


def _ask(actor: Any, method: str, *values: Any) -> Any:
    """Call a method of the ledger, from any process of the cluster, and wait for its result."""
    import ray

    try:
        return ray.get(getattr(actor, method).remote(*values))
    except ray.exceptions.RayError as error:
        cause = getattr(error, "cause", error)
        why = f"The process that grants calls is gone ({type(cause).__name__}); start again."
        raise StoreError(str(cause) if isinstance(cause, StoreError) else why) from None


@contextmanager
def _ray_ledger(out: Path, stop: Event) -> Iterator[Ask]:
    """Start the ledger of a run."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    ended = Event()
    this_node = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    actor: Any = (
        ray.remote(Ledger)
        .options(
            num_cpus=0, max_restarts=-1, max_task_retries=-1, max_concurrency=_AT_ONCE, scheduling_strategy=this_node
        )
        .remote(str(out), str(data_folder() / "replies.sqlite"))
    )  # fmt: skip
    ask = partial(_ask, actor)

    def watch() -> None:
        while not ended.wait(0.2):
            if stop.is_set():
                actor.halt.remote()
                return

    try:
        Thread(target=watch, daemon=True).start()
        yield ask
    finally:
        ended.set()
        until = time.monotonic() + _QUIET
        while ask("halt") and time.monotonic() < until:
            time.sleep(0.05)


def judge_on_ray(
    chunks: Sequence[CaseChunk],
    parts: Sequence[tuple[Part, Method]],
    out: Path,
    *,
    address: str | None = None,
    workers: int | None = None,
    mapping: str | None = None,
    stop: Event,
    on_progress: Callable[[str, Counter[str]], None],
) -> dict[str, Counter[str]]:
    """Judge chunks by methods, one pool of processes a method, and write a shard a chunk and method.

    A process that dies is replaced, and its chunk is judged again; a chunk whose shard is there is left alone at the next start.
    Counts, by part, the `chunks` that are done over all starts, and the cases of this one that were `judged`, were `known` from
    other chunks, or were `rejected`.
    """
    left = {}
    for part, _ in parts:
        done = {path.stem for path in shards_in(out / folder_of(part))}
        left[part.id] = [chunk for chunk in chunks if chunk.name not in done]
    counts = {name: Counter(chunks=len(chunks) - len(undone)) for name, undone in left.items()}
    if not any(left.values()):
        return counts
    with _ray(address), _ray_ledger(out, stop) if any(part.asks for part, _ in parts) else nullcontext() as ask:
        for part, method in parts:
            on_progress(part.id, counts[part.id])
            for judged in _results(left[part.id], part, method, out, mapping, workers, ask) if left[part.id] else ():
                if stop.is_set():
                    return counts
                if error := judged.pop("error"):
                    raise BudgetSpent(error) if error.startswith(BUDGET) else StoreError(error)
                counts[part.id].update(judged, chunks=1)
                on_progress(part.id, counts[part.id])
    return counts


@contextmanager
def _ray(address: str | None) -> Iterator[None]:
    """Connect to Ray as a driver; raises as `judge_on_ray`."""
    # Ray reports its use to its makers unless it is asked not to.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if not address:
        # The head is one of the driver's own processes: one that died does not come back.
        os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", "10")
    extras.require("ray")
    import ray

    if not address:
        _room()
    options: dict[str, Any] = {} if address else {"include_dashboard": False}
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False, **options)
    except Exception as error:  # of a head that starts too slowly Ray says so by an exception of no kind
        where = f"at {address}" if address else "on this machine"
        raise StoreError(f"Ray does not start {where} ({error}). See that the cluster runs, with this version of Ray.") from None
    try:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = context.print_on_execution_start = False
        # What it warns of stays in the log files of its session.
        for handler in logging.getLogger("ray.data").handlers:
            if isinstance(handler, logging.StreamHandler):
                handler.setLevel(logging.ERROR)
        yield
    finally:
        ray.shutdown()


def _room() -> None:
    """Raise `StoreError` where Ray's temporary folder is full: Ray itself waits there without a word, or without an end."""
    place = Path(os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 - where Ray looks, too
    with suppress(OSError):
        if (left := disk_usage(place).free) < _ROOM:
            raise StoreError(
                f"Ray keeps its logs and what does not fit into memory in {place}, which has {left // 1_000_000} MB left. Make "
                f"room for {_ROOM // 1_000_000} MB at least, or name another folder in RAY_TMPDIR; nothing was started."
            )


def gpus_a_process(precision: str, gpus: float, processes: int) -> float:
    """Share the GPUs of a cluster among the processes of a pool."""
    if not gpus or precision in {"", "int8"}:
        return 0.0
    return 1.0 if gpus >= processes else max(0.01, int(100 * gpus / processes) / 100)


def _results(
    chunks: Sequence[CaseChunk],
    part: Part,
    method: Method,
    out: Path,
    mapping: str | None,
    workers: int | None,
    ask: Ask | None,
) -> Iterator[dict[str, Any]]:
    import ray

    there = ray.cluster_resources()  # type: ignore[no-untyped-call]
    size = min(max(1, workers or int(there.get("CPU", 1))), len(chunks))
    items = ray.data.from_items([asdict(chunk) for chunk in chunks], override_num_blocks=min(len(chunks), _BLOCKS))
    judged: Iterable[dict[str, Any]] = items.map(
        ChunkJudge,  # type: ignore[arg-type]  # Ray makes one in each process, and calls it
        fn_constructor_args=(part, address_of(method), str(out), mapping, ask if part.asks else None),
        compute=ray.data.ActorPoolStrategy(size=size),
        num_cpus=1,
        num_gpus=gpus_a_process(precision_of(method), there.get("GPU", 0.0), size) or None,
    ).iter_rows()
    yield from judged
