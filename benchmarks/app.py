"""Speed of the app as a user meets it: start, first heatmap, next case, rerun, choosing a sentence; in real Chromium."""

import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests import chromium

_ROOT = Path(__file__).resolve().parent.parent
_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
_IDLE = """() => { const app = document.querySelector('[data-testid="stApp"]');
  return app && app.dataset.testScriptState === 'notRunning' && !document.querySelector('[data-stale="true"]'); }"""
_ROOT_NODE = """const root = [...document.querySelectorAll('*')].map((n) => n.shadowRoot)
  .find((r) => r && r.querySelector('.strip'));"""
_SCORED = f"""(before) => {{ {_ROOT_NODE}
  return root && root.querySelectorAll('.strip .m').length >= 3 && !root.querySelector('.strip tr.idle')
    && root.querySelector('.pane').textContent !== before; }}"""
_PANE = f"() => {{ {_ROOT_NODE} return root.querySelector('.pane').textContent; }}"
"""The pane tells which case is drawn."""
_CHOOSE = f"""async () => {{ {_ROOT_NODE}
  const taken = [];
  for (const node of root.querySelectorAll('.pane .s[role=option]')) {{
    const started = performance.now();
    node.click();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    taken.push(performance.now() - started);
  }}
  return taken; }}"""


def import_seconds() -> str:
    """Import of everything a page needs, in a fresh interpreter."""
    code = "import components.heatmap.view, components.cases.page, components.heatmap.overview, components.shell"
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], cwd=_ROOT, check=True)  # noqa: S603 - our own code
        taken.append(time.perf_counter() - started)
    return f"import of the app's modules, with the interpreter's start: {statistics.median(taken):.2f} s"


def in_browser(repeats: int = 3) -> Iterator[str]:
    """Figures of several fresh starts of `make app`; the install is already there."""
    if chromium.find() is None:
        yield chromium.NONE
        return
    runs = [_one_start() for _ in range(repeats)]
    for name in runs[0]:
        values = [run[name] for run in runs]
        unit = "ms" if "ms" in name else "s"
        yield f"{name}: {statistics.median(values):.2f} {unit} (each: {', '.join(f'{v:.2f}' for v in values)})"


def _one_start() -> dict[str, float]:
    from playwright.sync_api import sync_playwright

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    started = time.perf_counter()
    server = subprocess.Popen(  # noqa: S603 - our own Makefile
        ["make", "app", f"PORT={port}"],  # noqa: S607 - found on the PATH
        cwd=_ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        _healthy(port)
        seconds = {"make app to healthy": time.perf_counter() - started}
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium.find(), args=_ARGUMENTS)
            seconds |= _visit(browser.new_page(viewport={"width": 1440, "height": 1000}), f"http://127.0.0.1:{port}")
            browser.close()
        return seconds
    finally:
        os.killpg(server.pid, 15)
        server.wait()


def _healthy(port: int) -> None:
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1):
                return
        except OSError:
            time.sleep(0.02)


def _visit(page: Any, address: str) -> dict[str, float]:
    seconds = {}
    started = time.perf_counter()
    page.goto(address)
    page.get_by_role("button", name="Open", exact=True).first.wait_for()
    page.wait_for_function(_IDLE)
    seconds["overview ready, first load"] = time.perf_counter() - started
    page.wait_for_function(_SCORED, arg="", timeout=60_000)
    seconds["overview with its sample scored"] = time.perf_counter() - started
    page.wait_for_function(_IDLE)
    shown = page.evaluate(_PANE)
    started = time.perf_counter()
    # Another one than the overview has scored.
    page.get_by_role("button", name="Open", exact=True).nth(1).click()
    page.wait_for_function(_SCORED, arg=shown, timeout=60_000)
    seconds["first click to a heatmap with all methods"] = time.perf_counter() - started
    page.wait_for_function(_IDLE)
    for button, what in (("Next", "next case, all methods"), ("Previous", "rerun with results in memory")):
        page.wait_for_timeout(1_000)
        shown = page.evaluate(_PANE)
        started = time.perf_counter()
        page.get_by_role("button", name=button, exact=True).click()
        page.wait_for_function(_SCORED, arg=shown, timeout=60_000)
        seconds[what] = time.perf_counter() - started
        page.wait_for_function(_IDLE)
    taken = page.evaluate(_CHOOSE)
    seconds["choosing a sentence, ms, slowest of a sample"] = max(taken)
    return seconds
