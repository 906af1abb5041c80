"""Marks the attack, counts it, and lends it the browser tests' server and watch."""

import os
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.attack.detectors import live_page
from tests.attack.tally import Tally
from tests.browser.conftest import browser_type_launch_args, context, profile, server, the_site

__all__ = ["browser_type_launch_args", "context", "profile", "server", "the_site"]

HERE, ROOT = Path(__file__).parent, Path(__file__).resolve().parents[2]
_TALLY = Tally()
_PASSED = pytest.StashKey[bool]()
Open = Callable[..., AppTest]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.attack)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[_PASSED] = report.passed
    return report


@pytest.fixture
def tried(request: pytest.FixtureRequest) -> Iterator[Tally]:
    """Counts attempts; what they found is written and raised when the test ends."""
    yield _TALLY
    if not request.node.stash.get(_PASSED, False):
        _TALLY.ended_early()
    # A worker of pytest-xdist sees a share of the attempts alone.
    if "PYTEST_XDIST_WORKER" not in os.environ:
        _TALLY.write()
    _TALLY.check()


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder and a temp folder of the test's own, also for the processes that it starts."""
    (tmp_path / "temp").mkdir()
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path / "data"


@pytest.fixture
def opened(data: Path) -> Open:
    """Opens a page without a browser, one quick method chosen."""

    def open_(page: str, query: dict[str, str] | None = None, **state: object) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
        for key, value in {"methods": ["overlap"], **state}.items():
            app.session_state[key] = value
        for key, value in (query or {}).items():
            app.query_params[key] = value
        return app.switch_page(f"pages/{page}.py").run()

    return open_


def sound(app: AppTest) -> None:
    """The page was drawn to its end, and nothing on it is live."""
    assert not app.exception, app.exception[0].message
    assert live_page(app) == []
