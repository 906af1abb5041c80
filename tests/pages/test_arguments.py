"""The Arguments page without a browser: what it shows at once, hostile names, filters and options."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.arguments.state import ArgumentFile, Filter
from evaluation.arguments.catalogue import TRADE_SECRETS
from evaluation.arguments.records import pasted
from evaluation.arguments.scenarios import make_all
from evaluation.arguments.types import Test

HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$ [link](javascript:1)"
ROOT = Path(__file__).resolve().parents[2]
Open = Callable[..., AppTest]
SCENARIOS = make_all(TRADE_SECRETS, list(Test), 2, [5], 0)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def opened() -> Open:
    def open_(*texts: str, **state: object) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
        if texts:
            judged = tuple(pasted(s, HOSTILE, t, TRADE_SECRETS) for s, t in zip(SCENARIOS, texts, strict=False))
            app.session_state["arguments_files"] = {
                HOSTILE: ArgumentFile(HOSTILE, TRADE_SECRETS, judged, ("Row 2 was left out.",))
            }
        for key, value in state.items():
            app.session_state[key] = value
        app.switch_page("pages/arguments.py").run()
        assert not app.exception, app.exception
        return app

    return open_


def html_of(app: AppTest) -> str:
    return "\n".join(str(block.proto.body) for block in app.get("html"))


def test_the_example_is_shown_at_once(opened: Open) -> None:
    text = html_of(opened())
    assert "180 arguments about 36 triples" in text
    assert "Invents or mixes up most: Invents factors (Acc_H 8" in text
    assert "Leaves most out: Leaves factors out" in text


def test_names_and_texts_of_others_are_escaped(opened: Open) -> None:
    text = html_of(opened(f"TSC1 had F99. {HOSTILE}", "", "There is no common factor."))
    assert "<img" not in text
    assert "&lt;img src=x" in text
    assert "Row 2 was left out." in text


def test_a_negative_accuracy_is_shown_as_it_is(opened: Open) -> None:
    strangers = ", ".join(f"F{n}" for n in range(100, 180))
    assert "Acc_H −" in html_of(opened(f"TSC1 had {strangers}."))


def test_a_filter_lists_what_goes_wrong_with_a_factor(opened: Open) -> None:
    wanted = Filter("Invents factors", None, "arguable", None, None, "invented")
    assert "12 of 180 arguments" in html_of(opened(arguments_filter=wanted))
    nothing = Filter("Faithful", None, None, None, None, "invented")
    assert "No argument is of this kind." in html_of(opened(arguments_filter=nothing))
