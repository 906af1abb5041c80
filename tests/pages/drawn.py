"""What a page has drawn, and runs for it to draw."""

import pytest
from streamlit.testing.v1 import AppTest

from components.runs import runs
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.listing import RunEntry


def html(app: AppTest) -> str:
    """All HTML of the page, in its order; the page has drawn without an error."""
    assert not app.exception, app.exception
    return "\n".join(str(element.proto.body) for element in app.get("html"))


def show_runs(monkeypatch: pytest.MonkeyPatch, *there: RunData | None, source: str = "") -> None:
    """Let the pages know these runs and no other; None is no run."""
    by_id = {run.id: run for run in there if run}
    runs._verdicts().clear()
    monkeypatch.setattr(runs, "run_list", lambda: runs.RunList({i: RunEntry(i, r.name, source=source) for i, r in by_id.items()}))
    monkeypatch.setattr(runs, "readable", lambda entry: by_id[entry.id])
