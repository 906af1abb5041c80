"""Pages without the slow model, over a folder of the test's own, and jobs that are begun and not worked on."""

from pathlib import Path

import pytest

import scorers
from components import case_sets
from components.experiments.jobs import Jobs
from components.scoring import app_worker
from groundscope.cases.browser_name import new_name
from groundscope.cases.pasted_store import PastedCases
from groundscope.methods import defaults
from groundscope.paths import Variable


@pytest.fixture(autouse=True)
def still_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    """The grounding classifier is being loaded for as long as a test takes: it loads for seconds, and no page waits for it."""
    monkeypatch.setattr(app_worker, "_cold", {defaults.CLASSIFIER})
    monkeypatch.setattr(app_worker, "warm", lambda: None)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own."""
    monkeypatch.setenv(Variable.DATA, str(tmp_path))
    return tmp_path


@pytest.fixture
def store(data: Path, monkeypatch: pytest.MonkeyPatch) -> PastedCases:
    """The pasted cases of a browser with a name."""
    pasted = PastedCases(new_name())
    monkeypatch.setattr(case_sets, "pasted_store", lambda: pasted)
    return pasted


@pytest.fixture
def asked(data: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Jobs whose work was asked for; none is done here."""
    jobs: list[str] = []
    monkeypatch.delenv(Variable.MODEL, raising=False)

    def resume(self: Jobs, job: str, last: str = "", *, retry: bool = False) -> None:
        jobs.append(f"{job}, retried" if retry else job)

    monkeypatch.setattr(Jobs, "resume", resume)
    return jobs


@pytest.fixture
def users_scorers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose files are methods too."""
    folders = [*scorers.__path__, str(tmp_path)]
    monkeypatch.setattr(scorers, "__path__", folders)
    monkeypatch.setattr(scorers.__spec__, "submodule_search_locations", folders)
    return tmp_path
