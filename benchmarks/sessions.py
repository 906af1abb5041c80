"""Many users at once: `python -m benchmarks.sessions` opens the heatmap of a sample in so many pages of real Chromium."""

import asyncio
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

from benchmarks import app
from benchmarks.machine import SAMPLES, show
from benchmarks.memory import resident
from groundscope.cases.dataset import read
from groundscope.machine import load
from tests import chromium

_SESSIONS = 25
_PATIENCE = 300_000


def figures(count: int = _SESSIONS) -> Iterator[str]:
    """Seconds to the first drawn method and to all of them, when all sessions open a case of their own at once."""
    if chromium.find() is None:
        yield chromium.NONE
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as data:
        server = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "groundscope", "app", "--server.port", str(port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "GROUNDSCOPE_DATA": data},
        )  # fmt: skip
        try:
            app._healthy(port)
            found = asyncio.run(_open_all(f"http://127.0.0.1:{port}", count))
            yield f"load average at the end {load()}; Chromium's {count} pages run on the same processors"
            for name, seconds in zip(("first drawn heatmap", "all methods drawn"), zip(*found, strict=True), strict=True):
                cuts = statistics.quantiles(seconds, n=20, method="inclusive")
                yield f"{name}, {count} sessions at once: p50 {cuts[9]:.1f} s, p95 {cuts[18]:.1f} s, longest {max(seconds):.1f} s"
            yield f"the app's process: {resident(server.pid)[0] / 1_048_576:,.0f} MB"
        finally:
            server.terminate()
            server.wait()


async def _open_all(address: str, count: int) -> list[tuple[float, float]]:
    from playwright.async_api import async_playwright

    cases = read(SAMPLES.name, SAMPLES.read_bytes()).cases
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium.find(), args=app._ARGUMENTS)
        context = await browser.new_context()
        # The first page of all: the server imports what it needs, and the browser keeps the scripts.
        await _opened(await context.new_page(), f"{address}/heatmap?case={cases[0].id}")
        pages = [await context.new_page() for _ in range(count)]
        addresses = [f"{address}/heatmap?case={case.id}" for case in islice(cycle(cases[1:]), count)]
        found = await asyncio.gather(*map(_opened, pages, addresses))
        await browser.close()
    return found


async def _opened(page: Any, address: str) -> tuple[float, float]:
    """Seconds until the first method's cells stand on the page, and until none is under way."""
    started = time.perf_counter()
    await page.goto(address, timeout=_PATIENCE)
    await page.locator(".strip .cell").first.wait_for(timeout=_PATIENCE)
    first = time.perf_counter() - started
    await page.locator(".strip tr.busy").first.wait_for(state="detached", timeout=_PATIENCE)
    return first, time.perf_counter() - started


if __name__ == "__main__":
    show(figures(int(sys.argv[1]) if len(sys.argv) > 1 else _SESSIONS))
