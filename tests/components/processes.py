"""Waiting for processes that the app begins, and ending those that a test leaves."""

import time
from collections.abc import Callable

from components.experiments.jobs import Processes

PATIENCE = 240.0
"""Seconds after which a wait counts as a hang."""


def until(happens: Callable[[], object]) -> None:
    """Wait until it happens."""
    end = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.02)


def end_all(found: Processes) -> None:
    """Kill what still runs, and close what it left open."""
    for name in list(found._processes):
        found._processes[name].kill()
        found.wait(name, PATIENCE)
        found._forget(name)
