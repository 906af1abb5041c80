"""A run on Ray is a job whose places are judged by processes of a cluster: the process, which judges chunks, and the job."""

import logging
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from contextvars import copy_context
from dataclasses import asdict
from functools import partial
from hashlib import blake2b
from itertools import compress
from pathlib import Path
from queue import SimpleQueue
from shutil import disk_usage
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from groundscope.cases.dataset import Rejected, read_rows_of, to_line, to_row
from groundscope.cases.mapping.saved_mappings import named
from groundscope.cases.splitting import query_of
from groundscope.errors import BudgetSpent, Cancelled, GroundscopeError, ModelUnavailable, StoreError
from groundscope.experiments.ledger import Ask, Ledger, shared_calls
from groundscope.experiments.plan import FAILED, Content, Part, Place, Result
from groundscope.experiments.steps import LANES, Phase, Steps
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import PATIENCE
from groundscope.files.fields import clean, cleaned
from groundscope.grounding.runs.folder import CASES_IN_A_GROUP, cases_table
from groundscope.grounding.runs.store import TIMED, failure, spread
from groundscope.grounding.sharded.chunks import CaseChunk, rows_of
from groundscope.grounding.sharded.jobs import CHUNKS, JUDGED, plan_of
from groundscope.grounding.sharded.shards import (
    CASES,
    CASES_FOLDER,
    REJECTED,
    SCHEMA,
    folder_of,
    scan,
    shards_in,
    write,
)
from groundscope.methods import registry
from groundscope.methods.method import judged
from groundscope.paths import data_folder
from groundscope.runtime import extras
from groundscope.runtime.progress import report
from groundscope.runtime.retention import remembering
from groundscope.statistics.decision import verdict
from groundscope.types import Case, Judgement


class ChunkJudge:
    """Judges chunks; Ray makes one in each process of a pool, so that the method is loaded once a process."""

    def __init__(self, part: Part, address: str, out: str, mapping: str | None) -> None:
        self._part, self._address, self._out = part, address, Path(out)
        self._ask: Ask | None = None
        self._known = scan(shards_in(self._out / folder_of(part)), SCHEMA, ["key"])[0]["key"].combine_chunks()
        self._mapping = named(mapping) if mapping else None
        self._method = registry.find(part.loads, **part.options)

    def _check(self) -> None:
        """See that the method is the one that the start has, and sends texts to the same address."""
        part, method = self._part, self._method
        if missing := method.unavailable():
            raise StoreError(f"{part.id} cannot run on a machine of the cluster: {missing}")
        if method.signature != part.signature:
            raise StoreError(
                f"A machine of the cluster has another {part.id} ({method.signature}) than this one ({part.signature}); "
                "install the same versions and weights everywhere."
            )
        if part.asks and method.address != self._address:
            raise StoreError(
                f"A machine of the cluster would send the texts to {method.address or 'itself'}, and this one to "
                f"{self._address or 'itself'}; set the same address everywhere."
            )

    def judge(self, chunk: dict[str, Any], ask: Ask | None) -> dict[str, int]:
        """Judge a chunk, calls by what the ledger grants; gives how many cases were judged, known, and could not be used."""
        self._ask = ask
        self._check()
        try:
            return self._chunk(CaseChunk(**chunk))
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            why = f"{self._out} cannot be written ({reason}); what is there is complete. Make room, and start again."
            raise StoreError(why) from None

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


_ROOM = 50_000_000
"""Bytes that Ray's temporary folder has at least; its logs alone are 300 kB of a short run."""


def _fault(error: Exception) -> GroundscopeError:
    """What went wrong in another process of the cluster: all but a spent budget and a silent server stops the work."""
    cause = getattr(error, "cause", error)
    if isinstance(cause, BudgetSpent | ModelUnavailable | StoreError):
        return cause
    gone = f"A process of the cluster is gone ({type(cause).__name__}); start again."
    return StoreError(str(cause) if isinstance(cause, GroundscopeError) else gone)


def _ask(actor: Any, method: str, *values: Any) -> Any:
    """Call a method of the ledger, from any process of the cluster, and wait for its result."""
    import ray

    try:
        return ray.get(getattr(actor, method).remote(*values))
    except ray.exceptions.RayError as error:
        raise _fault(error) from None


@contextmanager
def _ray_ledger(job: Path) -> Iterator[Ask]:
    """Start the ledger of a job, in its file."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    this_node = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    actor: Any = (
        ray.remote(Ledger)
        .options(
            num_cpus=0, max_restarts=-1, max_task_retries=-1, max_concurrency=1_000, scheduling_strategy=this_node
        )
        .remote(str(job), str(data_folder() / "replies.sqlite"))
    )  # fmt: skip
    ask = partial(_ask, actor)
    try:
        yield ask
    finally:
        # Calls that are under way are paid for.
        until = time.monotonic() + 60
        while ask("halt") and time.monotonic() < until:
            time.sleep(0.05)


class RaySteps(Steps):
    """What a run on Ray gives the engine; see `groundscope.experiments.steps.Steps`.

    A process that dies is replaced, and its chunk is judged again; a chunk whose shard is there is left alone.
    """

    apart = True

    def __init__(self, file: JobFile) -> None:
        self._file, self._plan = file, plan_of(file)
        self._chunks = [CaseChunk(**row) for row in file.inputs(CHUNKS)]
        self._methods = [registry.find(part.loads, **part.options) for part in self._plan.parts]
        self._ask: Ask | None = None
        self._idle: SimpleQueue[Any] = SimpleQueue()

    def planned(self) -> Iterable[tuple[Part, str | None]]:
        """Every part."""
        return zip(self._plan.parts, (method.signature for method in self._methods), strict=True)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Hold the connection to Ray, and the ledger where a model is asked."""
        asks = any(part.asks for part in self._plan.parts)
        with _ray(self._plan.address), _ray_ledger(self._file.path) if asks else nullcontext() as self._ask:
            yield

    def phases(self) -> Iterator[Phase]:
        """One part after another, each with a pool of processes of its own, which ends when the next one takes its place."""
        import ray

        there, done = ray.cluster_resources(), Counter(place.part for place in self._file.done(JUDGED))  # type: ignore[no-untyped-call]
        for p, (part, method) in enumerate(zip(self._plan.parts, self._methods, strict=True)):
            left = len(self._chunks) - done[p]
            self.lanes, self._idle = min(max(1, self._plan.workers or int(there.get("CPU", 1))), max(1, left)), SimpleQueue()
            precision = str(method.parameters.get("precision", "")) if method.requirements() else ""
            gpus = gpus_a_process(precision, there.get("GPU", 0.0), self.lanes) or None
            judge: Any = ray.remote(ChunkJudge).options(num_cpus=1, num_gpus=gpus, max_restarts=-1, max_task_retries=-1)
            for _ in range(self.lanes if left else 0):
                self._idle.put(judge.remote(part, method.address, self._plan.out, self._plan.mapping))
            yield Phase(JUDGED, [Place(p, 0, row) for row in range(len(self._chunks))])

    def title(self, place: Place) -> str:
        """The part."""
        return self._plan.parts[place.part].title

    def asks(self, place: Place) -> bool:
        """Whether the part asks a chat model."""
        return self._plan.parts[place.part].asks

    def do(self, place: Place, earlier: Mapping[str, Content]) -> Iterator[Result]:
        """Have a process judge a chunk, which writes its shard."""
        part, chunk = self._plan.parts[place.part], self._chunks[place.row]
        if (Path(self._plan.out) / folder_of(part) / f"{chunk.name}.parquet").exists():
            yield Result(JUDGED, {"known": chunk.rows})
            return
        import ray

        process = self._idle.get()
        try:
            judging = process.judge.remote(asdict(chunk), self._ask if part.asks else None)
            while not ray.wait([judging], timeout=0.2)[0]:
                # A stop is heard here; Ray ends what is under way.
                report(0, 0)
            yield Result(JUDGED, ray.get(judging))
        except ray.exceptions.RayError as error:
            raise _fault(error) from None
        finally:
            self._idle.put(process)


@contextmanager
def _ray(address: str) -> Iterator[None]:
    """Connect to Ray as a driver."""
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
        ray.init(address=address or None, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False, **options)
    except Exception as error:  # of a head that starts too slowly Ray says so by an exception of no kind
        where = f"at {address}" if address else "on this machine"
        raise StoreError(f"Ray does not start {where} ({error}). See that the cluster runs, with this version of Ray.") from None
    try:
        # What Ray says belongs beside progress, not into the result.
        with redirect_stdout(sys.stderr):
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
