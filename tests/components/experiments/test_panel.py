"""The panel of jobs beside what a page shows of them."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest


def _both() -> None:
    from dataclasses import replace

    from components.experiments.panel import Panel
    from groundscope.arguments import loading, runs
    from groundscope.arguments.catalogue import TRADE_SECRETS
    from groundscope.arguments.scenarios import make_all
    from groundscope.arguments.types import Test
    from groundscope.experiments.listing import listed
    from groundscope.methods import registry

    if not listed(runs.KIND)[0]:
        plan = loading.planned("Mine", TRADE_SECRETS, ["built-in:faithful"], ["plain"], "", registry.chat)
        runs.create(plan, make_all(TRADE_SECRETS, list(Test), 1, [5], 0))
    panel = Panel(runs.KIND, "Its arguments")
    panel.under_way()
    (one,), _ = listed(runs.KIND)
    panel.finished(one, "Not yet")
    panel.finished(replace(one, finished="now"), "Delete this run")


def test_a_job_that_finishes_while_the_page_is_drawn_stands_in_both_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    app = AppTest.from_function(_both, default_timeout=60).run()
    assert not app.exception, app.exception
    keys = [str(button.key) for button in app.button if "delete" in str(button.key)]
    assert len(keys) == len(set(keys)) == 2
