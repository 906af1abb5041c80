"""The start of a run on Ray: which chunks are left, a pool of processes a method, and what came of it."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from groundscope.errors import ScorerUnavailable, StoreError
from groundscope.grounding.sharded.chunks import CaseChunk
from groundscope.grounding.sharded.judging import ChunkJudge, as_items
from groundscope.grounding.sharded.shards import ShardedPart, done

_BLOCKS = 4_000


@dataclass(slots=True)
class ClusterCounts:
    """What came of a start: cases that were judged, cases and chunks that were judged before, and rows that cannot be used."""

    judged: int = 0
    known: int = 0
    rejected: int = 0
    chunks: int = 0
    before: int = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a chunk."""
        self.judged += int(row["judged"])
        self.known += int(row["known"])
        self.rejected += int(row["rejected"])
        self.chunks += 1


def judge_on_ray(
    chunks: Sequence[CaseChunk],
    parts: Sequence[ShardedPart],
    out: Path,
    *,
    address: str | None = None,
    workers: int | None = None,
    mapping: str | None = None,
    stop: Event | None = None,
    hear: Callable[[str, ClusterCounts], None] = lambda part, counts: None,
) -> dict[str, ClusterCounts]:
    """Judge chunks by methods, one pool of processes a method, and write a shard a chunk and method.

    A process that dies is replaced, and its chunk is judged again; a chunk whose shard is there is left alone at the next start.

    Args:
        chunks: of `chunks_of`.
        parts: methods that ask no chat model.
        out: folder that `prepare` has made; all machines see it.
        address: of a cluster; None = Ray on this machine alone.
        workers: processes a method; None = one a processor.
        mapping: which field is what; None = fields are recognised.
        stop: set it to end the work after the chunks that are under way.
        hear: called after each chunk with the part's name.

    Returns:
        By the part's name, what came of it. Where `stop` was set, not all chunks are done.

    Raises:
        ScorerUnavailable: Ray is not installed.
        StoreError: Ray does not start, or a machine has another method than this one or cannot write.
    """
    # Ray reports its use to its makers unless it is asked not to.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray
    except ImportError:
        raise ScorerUnavailable("Ray is not installed. Install it with: pip install 'groundscope[ray]'") from None
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    options: dict[str, Any] = {} if address else {"include_dashboard": False}
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False, **options)
    except (ConnectionError, ValueError, RuntimeError, TimeoutError) as error:
        where = f"at {address}" if address else "on this machine"
        raise StoreError(f"Ray does not start {where} ({error}). See that the cluster runs, with this version of Ray.") from None
    try:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = context.print_on_execution_start = False
        size = max(1, workers or int(ray.cluster_resources().get("CPU", 1)))  # type: ignore[no-untyped-call]
        found: dict[str, ClusterCounts] = {}
        for part in parts:
            counts = found[part.name] = ClusterCounts()
            names, _ = done(out, part)
            left = [chunk for chunk in chunks if chunk.name not in names]
            counts.before = len(chunks) - len(left)
            hear(part.name, counts)
            for row in _results(left, part, out, mapping, size) if left else ():
                if row["error"]:
                    raise StoreError(row["error"])
                counts.add(row)
                hear(part.name, counts)
                if stop and stop.is_set():
                    return found
        return found
    finally:
        ray.shutdown()


def _results(
    chunks: Sequence[CaseChunk], part: ShardedPart, out: Path, mapping: str | None, size: int
) -> Iterator[dict[str, Any]]:
    """A row a chunk, as they are done."""
    import ray

    items = ray.data.from_items(list(as_items(chunks)), override_num_blocks=min(len(chunks), _BLOCKS))
    judged: Iterable[dict[str, Any]] = items.map_batches(
        ChunkJudge,
        fn_constructor_args=(part, str(out), mapping),
        batch_size=1,
        compute=ray.data.ActorPoolStrategy(size=min(size, len(chunks))),
        num_cpus=1,
    ).iter_rows()
    yield from judged
