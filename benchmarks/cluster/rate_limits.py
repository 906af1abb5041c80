"""Sixty-four clients at a rate-limited scripted server, with and without a pace shared by the whole cluster.

    python -m benchmarks.cluster.rate_limits

The server answers 429 with the seconds until its next second begins. The ideal is what its limit alone would take.
"""

import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import copy_context
from pathlib import Path
from threading import Lock

from benchmarks import machine
from groundscope.chat.clients import ceilings
from groundscope.chat.clients.model import chat_model
from groundscope.experiments.ledger import shared_calls
from groundscope.runtime.retention import keeping
from groundscope.types import Status
from tests.groundscope.chat.clients.scripts import load, passes
from tests.groundscope.chat.clients.test_runs import cases
from tests.groundscope.experiments.local_ledger import ledger
from tests.llm_server import Fault, LLMServer

_CLIENTS, _EACH = 64, 10


class _Limited(LLMServer):
    """Lets so many calls a second in."""

    def __init__(self, a_second: int) -> None:
        super().__init__(passes)
        self._a_second, self._second, self._inside, self._counting = a_second, 0, 0, Lock()

    def fault(self, path: str, *, asks: bool) -> Fault | None:
        """Refuse what is too much, and say for how long."""
        if not asks:
            return None
        with self._counting:
            now = time.time()
            if int(now) != self._second:
                self._second, self._inside = int(now), 0
            self._inside += 1
            if self._inside <= self._a_second:
                return None
            wait = int(1000 * (self._second + 1 - now)) + 1
            return Fault("status", status=429, headers={"Retry-After-Ms": str(wait)})


def figures() -> Iterator[str]:
    """A line a limit and a way to keep to it."""
    for a_second in (10, 20, 50):
        for shared in (False, True):
            yield _measured(a_second, shared=shared)


def _measured(a_second: int, *, shared: bool) -> str:
    chat_model.cache_clear()
    ceilings.gate.cache_clear()
    drawn, ends = cases(_CLIENTS * _EACH), [0.0] * _CLIENTS
    with ExitStack() as blocks:
        server = blocks.enter_context(_Limited(a_second))
        folder = Path(blocks.enter_context(tempfile.TemporaryDirectory()))
        scorer = load("direct", f"server:scripted-1@{server.openai};at_once=64")
        blocks.enter_context(keeping(False))
        if shared:
            blocks.enter_context(shared_calls(blocks.enter_context(ledger(folder))))
        began = time.monotonic()

        def client(number: int) -> int:
            statuses = [scorer.score(case).status for case in drawn[number::_CLIENTS]]
            ends[number] = time.monotonic() - began
            return sum(status is Status.SCORED for status in statuses)

        with ThreadPoolExecutor(_CLIENTS) as pool:
            futures = [pool.submit(copy_context().run, client, number) for number in range(_CLIENTS)]
            scored = sum(future.result() for future in futures)
        seconds, ideal = max(ends), len(drawn) / a_second
        refused = len(server.asked) - len(server.answered)
    way = "one pace for all" if shared else "each by itself"
    return (
        f"{a_second} calls a second, {way}: {scored:,} of {len(drawn):,} scored in "
        f"{seconds:.1f} s, ideal {ideal:.1f} s ({seconds / ideal:.2f}); {refused:,} refused; the first client ended after "
        f"{min(ends):.1f} s, the last after {max(ends):.1f} s ({min(ends) / max(ends):.2f})"
    )


if __name__ == "__main__":
    machine.show(figures())
