"""Error types for a finished run on the Errors page: what it says, takes, refuses, keeps and gives back."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.case_sets import CaseSet
from components.compare import data
from components.errors import adding, page
from components.runs import runs
from groundscope.grounding.runs import listing
from groundscope.types import ErrorType
from tests.components.labelled_set import cases, judged_run

ROOT = Path(__file__).resolve().parents[2]
FACT = ErrorType.FACTUAL_INACCURACY
TYPED = tuple(replace(c, error_types=(FACT,), reasons=((FACT, "60, not 30."),)) if not c.grounded else c for c in cases())
OTHERS = tuple(replace(c, error_types=(FACT,)) for c in cases(" of another set"))
BAD = tuple(replace(c, error_types=(FACT,)) for c in cases() if c.group in {"appeal", "rent"})


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    for cache in (page._counted, data.levels, data._gold):
        cache.clear()
    runs._verdicts().clear()
    return judged_run(cases(), "Mine")


@pytest.fixture
def app(run: str) -> AppTest:
    made = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    made.session_state["sets"] = {
        "typed": CaseSet("typed", TYPED),
        "others": CaseSet("others", OTHERS),
        "bad": CaseSet("bad", BAD),
    }
    made.query_params["run"] = run
    made.query_params["split"] = "all"
    return made.switch_page("pages/errors.py").run()


def html(app: AppTest) -> str:
    assert not app.exception, app.exception
    return "\n".join(str(block.proto.body) for block in app.get("html"))


def test_types_of_a_set_come_to_the_run_on_a_click_and_can_be_taken_back(app: AppTest, run: str) -> None:
    assert "No ungrounded response of this run has an error type, so all are in one column. Add types from a set" in html(app)
    assert "would get types" not in html(app)
    app.selectbox(adding._SOURCE).set_value("typed").run()
    assert "9 responses of this run would get types." in html(app)
    app.button("errors_types_add").click().run()
    assert "9 responses of this run got types from typed." in html(app)
    assert "Error types were added to this run after it was judged: 9 responses from typed (" in html(app)
    assert "No ungrounded response" not in html(app)
    assert list(listing.find(run).types.sum(axis=0)) == [9, 0, 0, 0, 0, 0]
    app.button("errors_types_remove").click().run()
    assert "The added types were removed: Mine is as it was judged." in html(app)
    assert "No ungrounded response of this run has an error type" in html(app)
    assert listing.find(run).added == ()


def test_types_that_cannot_be_taken_are_named_and_the_others_are_taken(app: AppTest, run: str) -> None:
    app.selectbox(adding._SOURCE).set_value("others").run()
    assert "others is of another set: no response of the run is one of its 18 typed cases." in html(app)
    assert "errors_types_add" not in {b.key for b in app.button}
    app.selectbox(adding._SOURCE).set_value("bad").run()
    assert "Case appeal-sound: the run labels it grounded, and error types belong to ungrounded responses." in html(app)
    app.button("errors_types_add").click().run()
    assert "7 of 9 ungrounded responses of this run have no error type." in html(app)
    assert listing.find(run).types.sum() == 2


def test_the_cases_of_the_run_become_a_set_that_models_can_type(app: AppTest) -> None:
    app.button("errors_types_load").click().run()
    assert "The set “Run Mine” is on the Cases page; two models can choose its types there." in html(app)
    assert app.session_state["sets"]["Run Mine"].cases == cases()


def test_the_run_that_comes_with_the_app_has_no_form(app: AppTest) -> None:
    app.query_params["run"] = "offline-methods"
    app.run()
    assert "Error types of this run" not in {e.label for e in app.expander}
