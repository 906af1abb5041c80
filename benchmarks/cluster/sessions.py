"""Many users at once: `python -m benchmarks.cluster.sessions [sessions [from to]]` opens heatmaps of samples in one app.

The clients speak as the page's own script does, so that no browser takes the processors of the app. Each opens a sample in a
WebSocket session, reads it for `from` to `to` seconds, and opens another one.
"""

import asyncio
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks import app
from benchmarks.machine import SAMPLES, show
from benchmarks.memory import Held, family, held
from groundscope.cases.dataset import read
from groundscope.runtime.machine import load
from tests import chromium

_SESSIONS = 25
_SECONDS = 120
_READING = 3.0, 6.0
"""Seconds for which a user reads a heatmap."""
_PATIENCE = 120.0


class Opened(NamedTuple):
    """Seconds until the checks are on the page, until the first method's cells are, and until those of all are."""

    page: float
    first: float
    every: float


def figures(count: int = _SESSIONS, reading: tuple[float, float] = _READING) -> Iterator[str]:
    """Seconds to the checks, the first method and all; memory and processor time; then the same beside a very long case."""
    with _served() as (host, process):
        opened, most, used = asyncio.run(_all_sessions(host, process, count, reading))
        low, high = reading
        yield f"{count} sessions for {_SECONDS} s, each reading for {low:.0f} to {high:.0f} s: {len(opened)} heatmaps opened"
        names = ("checks drawn", "first method drawn", "all methods drawn")
        for name, seconds in zip(names, zip(*opened, strict=True), strict=True):
            cuts = statistics.quantiles(seconds, n=20, method="inclusive")
            yield f"{name}: p50 {cuts[9]:.2f} s, p95 {cuts[18]:.2f} s, longest {max(seconds):.2f} s"
        each = ", ".join(f"{name} {seconds / len(opened):.2f} s" for name, seconds in used.items())
        yield f"processor time for a heatmap: {each}; this is {os.cpu_count()} cores, so that the ceiling is " + (
            f"{(os.cpu_count() or 1) * len(opened) / sum(used.values()):.1f} heatmaps a second"
        )
        yield f"the app with its processes: {most} at most; load average at the end {load()}"
    if chromium.find() is None:
        yield chromium.NONE
        return
    with _served() as (host, _):
        opened = asyncio.run(_beside_a_long_case(host))
        _, firsts, all_drawn = (max(seconds) for seconds in zip(*opened, strict=True))
        yield (
            f"beside a user with a context of 2 MB, 2 sessions opened {len(opened)} heatmaps in {_SECONDS} s: "
            f"longest to the first drawn {firsts:.2f} s, to all {all_drawn:.2f} s"
        )


@contextmanager
def _served() -> Iterator[tuple[str, int]]:
    """An app of its own: its host with the port, and its process id."""
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
            yield f"127.0.0.1:{port}", server.pid
        finally:
            server.terminate()
            server.wait()


async def _beside_a_long_case(host: str) -> list[Opened]:
    """Two sessions open samples while the case of a third, in a real Chromium, is scored."""
    from playwright.async_api import async_playwright

    sentence = "Paragraph {} of the agreement says that party {} must give notice within {} days. "
    passages = ["".join(sentence.format(i, j, i + j) for j in range(125)) for i in range(200)]
    row = {"id": "long", "query": "Long", "context": passages, "response": "Party 5 must give notice within 9 days."}
    cases = [case.id for case in read(SAMPLES.name, SAMPLES.read_bytes()).cases]
    await _open(host, cases[0])
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium.find(), args=app._ARGUMENTS)
        page = await browser.new_page()
        await page.goto(f"http://{host}/cases")
        await page.get_by_role("tab", name="Upload").click()
        file = {"name": "long.jsonl", "mimeType": "application/json", "buffer": json.dumps(row).encode()}
        await page.locator('input[type="file"][accept*=".jsonl"]').set_input_files(file)  # type: ignore[arg-type]
        await page.get_by_role("button", name="Open the first case").click(timeout=60_000)
        ends = time.monotonic() + _SECONDS
        opened = await asyncio.gather(*(_session(host, cases[i::2], ends, random.Random(i), (2.0, 3.0)) for i in (0, 1)))  # noqa: S311
        if not await page.locator(".strip tr.busy").count():
            raise RuntimeError("The long case was done before the sessions were.")
        await browser.close()
    return [one for session in opened for one in session]


async def _all_sessions(
    host: str, process: int, count: int, reading: tuple[float, float]
) -> tuple[list[Opened], Held, dict[str, float]]:
    """What was opened, the most memory that was held, and the seconds of processor time that the app and its processes used."""
    cases = [case.id for case in read(SAMPLES.name, SAMPLES.read_bytes()).cases]
    # The first page of all: the server imports what it needs, and models load.
    await _open(host, cases[0])
    before, most = _used(process), held(*family(process))
    ends = time.monotonic() + _SECONDS
    sessions = [
        asyncio.create_task(_session(host, cases[i::count], ends, random.Random(i), reading))  # noqa: S311
        for i in range(count)
    ]
    while not all(session.done() for session in sessions):
        await asyncio.sleep(1.0)
        most = max(most, held(*family(process)))
    used = {name: seconds - before[name] for name, seconds in _used(process).items()}
    return [one for session in sessions for one in session.result()], most, used


def _used(process: int) -> dict[str, float]:
    """Seconds of processor time that the app has used, and those that the processes which judge have."""
    app_, *judges = map(_seconds, family(process))
    return {"pages": app_, "judges": sum(judges)}


def _seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _session(
    host: str, cases: list[str], ends: float, rng: random.Random, reading: tuple[float, float] = _READING
) -> list[Opened]:
    opened: list[Opened] = []
    await asyncio.sleep(rng.uniform(0, reading[1]))
    while time.monotonic() < ends:
        opened.append(await _open(host, cases[len(opened) % len(cases)]))
        await asyncio.sleep(rng.uniform(*reading))
    return opened


async def _open(host: str, case: str) -> Opened:
    """Open the heatmap of a case in a session of its own, and look again as often as the page asks to."""
    started = time.perf_counter()
    page = first = 0.0
    looking: dict[str, asyncio.Task[None]] = {}
    origin: Any = f"http://{host}"
    async with websockets.connect(
        f"ws://{host}/_stcore/stream",
        subprotocols=["streamlit"],
        origin=origin,
        max_size=None,  # type: ignore[list-item]
    ) as socket_:
        await socket_.send(_rerun(case))
        async with asyncio.timeout(_PATIENCE):
            async for raw in socket_:
                message = ForwardMsg.FromString(raw)  # type: ignore[arg-type]
                if message.WhichOneof("type") == "auto_rerun" and message.auto_rerun.fragment_id not in looking:
                    again = _look_again(socket_, case, message.metadata.active_script_hash, message.auto_rerun)
                    looking[message.auto_rerun.fragment_id] = asyncio.create_task(again)
                methods = _methods(message)
                page = page or bool(methods) * (time.perf_counter() - started)
                if not first and any(m["s"] for m in methods):
                    first = time.perf_counter() - started
                if methods and not any(m["busy"] for m in methods):
                    break
        for task in looking.values():
            task.cancel()
    return Opened(page, first, time.perf_counter() - started)


def _rerun(case: str, page: str = "", fragment: str = "") -> bytes:
    message = BackMsg()
    asked = message.rerun_script
    asked.query_string, asked.fragment_id, asked.is_auto_rerun = f"case={case}", fragment, bool(fragment)
    asked.page_script_hash, asked.page_name = page, "" if page else "heatmap"
    return bytes(message.SerializeToString())


async def _look_again(socket_: Any, case: str, page: str, asked: Any) -> None:
    while True:
        await asyncio.sleep(asked.interval)
        await socket_.send(_rerun(case, page, asked.fragment_id))


def _methods(message: ForwardMsg) -> list[dict[str, Any]]:
    """The methods of a heatmap that a message brings; none in another message."""
    component = message.delta.new_element.bidi_component
    text = component.json or component.mixed.json
    methods: list[dict[str, Any]] = json.loads(text).get("methods", []) if text else []
    return methods


if __name__ == "__main__":
    number, *pace = sys.argv[1:] or [str(_SESSIONS)]
    show(figures(int(number), (float(pace[0]), float(pace[1])) if pace else _READING))
