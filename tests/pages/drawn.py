"""Opening a page, reading what it has drawn, and runs for it to draw."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.opened import choice, runs
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.listing import RunEntry

ROOT = Path(__file__).resolve().parents[2]


def session(link: Mapping[str, Any] | None = None, /, **state: object) -> AppTest:
    """The app with a link's parameters and a session's state, before it is drawn."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in (link or {}).items():
        app.query_params[name] = value
    for key, value in state.items():
        app.session_state[key] = value
    return app


def opened(page: str, link: Mapping[str, Any] | None = None, /, **state: object) -> AppTest:
    """A page in a session of its own. The pages name each other, so the app's own entry comes first."""
    app = session(link, **state).switch_page(f"pages/{page}.py").run()
    assert not app.exception, app.exception
    return app


def html(app: AppTest) -> str:
    """All HTML of the page, in its order; the page has drawn without an error."""
    assert not app.exception, app.exception
    return "\n".join(str(element.proto.body) for element in app.get("html"))


def press(app: AppTest, label: str) -> AppTest:
    """Press the first button of a label."""
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception, app.exception
    return app


def show_runs(monkeypatch: pytest.MonkeyPatch, *there: RunData | None, source: str = "") -> None:
    """Let the pages know these runs and no other; None is no run."""
    by_id = {run.id: run for run in there if run}
    runs._verdicts().clear()
    monkeypatch.setattr(choice, "copies", lambda: [])
    monkeypatch.setattr(runs, "run_list", lambda: runs.RunList({i: RunEntry(i, r.name, source=source) for i, r in by_id.items()}))
    monkeypatch.setattr(runs, "open_run", lambda entry, left_out=(): by_id[entry.id])
