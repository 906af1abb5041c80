"""The form of a new experiment without a browser: what is chosen, what it takes, and what begins."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.rag import new
from components.rag.runner import Experimenter
from evaluation.rag import experiments

ROOT = Path(__file__).resolve().parents[2]
Form = Callable[..., AppTest]


@pytest.fixture(autouse=True)
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Experiments whose work was asked for; none is done here."""
    asked: list[str] = []
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    monkeypatch.delenv("GROUNDSCOPE_CHAT_MODEL", raising=False)
    monkeypatch.setattr(Experimenter, "begin", lambda self, experiment, limits=(): asked.append(experiment))
    return asked


@pytest.fixture
def form() -> Form:
    def open_(**state: object) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
        for key, value in {"rag_turn_page": "New experiment", **state}.items():
            app.session_state[key] = value
        app.switch_page("pages/legal_rag.py").run()
        assert not app.exception, app.exception
        return app

    return open_


def html_of(app: AppTest) -> str:
    return "\n".join(str(block.proto.body) for block in app.get("html"))


def test_offline_another_method_can_say_what_is_correct(form: Form, begun: list[str]) -> None:
    app = form()
    app.selectbox(key="rag_judge").set_value("offline:overlap").run()
    assert app.selectbox(key="rag_judge_correct_overlap").value == ""
    app.selectbox(key="rag_judge_correct_overlap").set_value("quip").run()
    app.button(key="rag_start").click().run()
    assert not app.exception
    (one,) = begun
    judge = experiments.opened(one).plan().judge
    assert judge.id == "offline:overlap+quip"
    assert "grounded by Overlap" in judge.title
    assert "correct by QUIP" in judge.title


def test_what_is_chosen_first_is_judged_by_one_method(form: Form, begun: list[str]) -> None:
    app = form()
    app.button(key="rag_start").click().run()
    (one,) = begun
    assert "+" not in experiments.opened(one).plan().judge.id
