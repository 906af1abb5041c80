"""The start of a run on Ray: which chunks are left, a pool of processes a method, and the progress."""

import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from shutil import disk_usage
from threading import Event, Thread
from typing import Any

from groundscope.chat.budget import BUDGET
from groundscope.errors import BudgetSpent, StoreError
from groundscope.experiments.ledger import Ask, Ledger
from groundscope.experiments.plan import Part
from groundscope.grounding.sharded.chunks import CaseChunk
from groundscope.grounding.sharded.judging import ChunkJudge
from groundscope.grounding.sharded.shards import address_of, folder_of, precision_of, shards_in
from groundscope.methods import Method
from groundscope.paths import data_folder
from groundscope.runtime import extras

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
