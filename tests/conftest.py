"""What every test shares: a data folder of its own run, the same examples on every run, and one thread for each worker."""

import gc
import math
import os
import shutil
import sys
import tempfile
import time

import pytest
from hypothesis import settings

# Nothing that a test keeps reaches the user's own data folder, nor does anything there reach a test; each worker has its own.
os.environ["GROUNDSCOPE_DATA"] = tempfile.mkdtemp(prefix="groundscope-tests-")
os.environ.pop("GROUNDSCOPE_MODELS", None)
# Workers are as many as processors, and models are small: threads would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Few examples, the same on every run; `make test-release` draws many and others.
settings.register_profile("groundscope", deadline=None, database=None, derandomize=True, max_examples=40)
settings.register_profile("release", deadline=None, database=None, max_examples=500)
settings.load_profile(os.environ.get("TEST_EXAMPLES", "groundscope"))


def _keep() -> None:
    """Leave what was imported out of later garbage collections; Streamlit makes one after every run of a page."""
    gc.collect()
    gc.freeze()
    _modules.append(len(sys.modules))


_STARTED = time.monotonic()
_modules = [0]
"""How many were imported each time."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seconds", type=float, default=math.inf, help="begin no test later than this after the start (make quick)")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if time.monotonic() - _STARTED > item.config.getoption("--seconds"):
        pytest.skip("left out by make quick, whose time is over; make test runs it")


def pytest_collection_finish() -> None:
    _keep()


def pytest_runtest_logfinish() -> None:
    if len(sys.modules) > _modules[-1] + 500:
        _keep()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print why a test had to be run twice: one that passes then is not whole yet."""
    for report in terminalreporter.stats.get("rerun", ()):
        terminalreporter.section(f"run twice: {report.nodeid}", sep="_")
        terminalreporter.write_line(report.longreprtext[-6_000:])


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    shutil.rmtree(os.environ["GROUNDSCOPE_DATA"], ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Under pytest-xdist, keep together what shares something costly, and begin with what takes longest."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    # Every worker must come to the same order.
    items.sort(key=lambda item: next((i for i, start in enumerate(_LONG) if item.nodeid.startswith(start)), len(_LONG)))


_LONG = (
    "tests/browser/",
    "tests/models/",
    "tests/scorers/",
    "tests/groundscope/models/",
    "tests/groundscope/chat/clients/",
    "tests/components/",
    "tests/groundscope/training/",
    "tests/groundscope/commands/",
    "tests/groundscope/grounding/runs/",
    "tests/pages/",
    "tests/groundscope/cases/",
)


def _group(item: pytest.Item) -> str:
    """The folder, where a fixture of the folder's own serves all of it; else the file."""
    info = getattr(item, "_fixtureinfo", None)
    shared = [d for found in info.name2fixturedefs.values() for d in found if d.scope == "package"] if info else []
    return min((d.baseid for d in shared), key=len, default=item.nodeid.partition("::")[0]).removeprefix("tests/")
