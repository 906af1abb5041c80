"""The ledger as an actor of Ray: one for the whole cluster, on the machine where the run was started."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any
from uuid import uuid4

from groundscope.chat.budget import Cost, Limits
from groundscope.errors import StoreError
from groundscope.grounding.sharded.ledger import Ledger
from groundscope.paths import data_folder

_AT_ONCE = 1_000
"""Callers that wait at the ledger."""
_QUIET = 60.0
"""Seconds to wait for the calls that are under way when a run is stopped."""


@dataclass(frozen=True)
class RayAsk:
    """Reaches the ledger from any process of the cluster; see `groundscope.grounding.sharded.ledger.Ask`."""

    actor: Any

    def __call__(self, method: str, *values: Any) -> Any:
        """Call a method and wait for its result; raises `StoreError` where the ledger is gone or cannot write."""
        import ray

        try:
            return ray.get(getattr(self.actor, method).remote(*values))
        except ray.exceptions.RayTaskError as error:
            cause = getattr(error, "cause", None)
            raise StoreError(
                str(cause) if isinstance(cause, StoreError) else f"What the run cost cannot be kept ({cause})."
            ) from None
        except ray.exceptions.RayError as error:
            raise StoreError(f"The process that grants calls is gone ({type(error).__name__}); start again.") from None


@contextmanager
def ray_ledger(out: Path, limits: Limits, stop: Event) -> Iterator[RayAsk]:
    """Start the ledger of a run."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    start, ended = uuid4().hex, Event()
    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    actor: Any = (
        ray.remote(Ledger)
        .options(
            name=f"groundscope-ledger-{start}", num_cpus=0, max_restarts=-1, max_task_retries=-1, max_concurrency=_AT_ONCE,
            scheduling_strategy=here,
        )
        .remote(str(out), str(data_folder() / "replies.sqlite"), limits, start)
    )  # fmt: skip
    ask = RayAsk(actor)

    def watch() -> None:
        while not ended.wait(0.2):
            if stop.is_set():
                actor.halt.remote()
                return

    try:
        ask("cost")
        Thread(target=watch, daemon=True).start()
        yield ask
    finally:
        ended.set()
        until = time.monotonic() + _QUIET
        while ask("halt") and time.monotonic() < until:
            time.sleep(0.05)


def spent(ask: RayAsk) -> Cost:
    """What the run cost so far, calls under way at their highest cost."""
    return Cost(*ask("cost"))
