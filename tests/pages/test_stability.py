"""The tab of stability without a browser: the matrix, the answers of a cell, the form, and the empty states."""

import importlib
from collections.abc import Callable
from dataclasses import replace

import pytest
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from components.case_sets import CaseSet
from components.copies import page, stability
from components.copies.matrix import MatrixCell
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.store import FOLDER, plan_of
from groundscope.grounding.stability.copies import SOURCE
from groundscope.paths import Variable
from groundscope.types import Case, Passage
from tests.groundscope.grounding.runs import made_cases, made_run
from tests.groundscope.grounding.stability.test_figures import NAN, run_of
from tests.pages.drawn import html, session, show_runs
from tests.pages.drawn import opened as page_of

HOSTILE = "<script>alert(1)</script> **b** $x$"
FLIPS = [[0.9, 0.9, 0.9], [0.9, 0.1, 0.9], [0.1, 0.9, NAN], [NAN, 0.2, NAN]]

Opened = Callable[..., AppTest]


@pytest.fixture
def opened(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Opens the page on a run."""

    def open_page(run: RunData | None, picked: MatrixCell | None = None, source: str = f"{SOURCE}x", model: str = "") -> AppTest:
        stability._measured.clear()
        if model:
            monkeypatch.setenv(Variable.MODEL, model)
        show_runs(monkeypatch, run, source=source)
        case = Case("c", f"q {HOSTILE}", (Passage("p", "The rent is due."),), "The tenant must pay. It is due in May.")
        app = session({page.TAB: "Stability"}, sets={HOSTILE: CaseSet(HOSTILE, (case,))}, stability_set=HOSTILE)
        if picked:
            app.session_state["stability_picked"] = {"cell": picked}
        app.session_state["stability_form"] = True
        return app.switch_page("pages/sensitivity.py").run()

    return open_page


def test_it_opens_on_the_result_that_comes_with_the_app() -> None:
    app = page_of("sensitivity", {page.TAB: "Stability"})
    assert "32 answers were judged up to 4 times in each way: again as they are, no method changed a verdict" in html(app)
    assert not app.multiselect


def test_without_a_model_the_form_offers_what_is_ready(opened: Opened) -> None:
    app = opened(made_run(made_cases(9), 2), source="cases")
    assert "overlap" in app.multiselect(key="stability_methods").value
    assert "Direct prompting" in html(app), "it is not ready, and so named"
    app.multiselect(key="stability_methods").set_value([]).run()
    assert "Choose at least one method." in html(app)


def test_a_run_is_offered_with_its_calls_and_asks_afresh(opened: Opened, asked: list[str]) -> None:
    app = opened(None, model="server:scripted-1@http://127.0.0.1:9/v1")
    app.multiselect(key="stability_methods").set_value(["direct", "overlap"]).run()
    app.number_input(key="stability_times").set_value(4).run()
    # Four repeats, the one other order of two sentences, two rewordings; a single passage has no other order.
    assert "7 readings of 1 answer. Not every kind applies to every answer: passages in another order 0." in html(app)
    assert "Saved replies of chat models are not used" in html(app)
    assert "7 calls" in html(app) or ">7<" in html(app)
    app.button(key="run_start").click().run()
    (run,) = asked
    plan = plan_of(FOLDER.open(run))
    assert (plan.afresh, plan.wordings, plan.timed) == (True, (0, 0, 0, 0, 0, 1, 2), False)
    assert plan.source == f"{SOURCE}{HOSTILE}"


@pytest.mark.parametrize(("model", "known"), [("gemini-2.5-flash", True), ("gemini-unheard-of", False)])
def test_a_price_that_is_not_known_is_said_before_anything_is_sent(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, model: str, known: bool
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "none")
    app = opened(None, model=f"google:{model}")
    app.multiselect(key="stability_methods").set_value(["direct"]).run()
    assert ("<td>at most $0." in html(app)) is known
    assert ("The price of a model is not known. Enter it under Prices" in html(app)) is not known
    assert app.button(key="run_start").label == "Send to generativelanguage.googleapis.com and start"


def test_a_run_opens_with_who_changes_its_mind_and_the_worst_answers_first(opened: Opened) -> None:
    app = opened(run_of(FLIPS), MatrixCell("repeats", "method_0"))
    text = html(app)
    assert "again as they are, Method 0 changed its verdict on 67% of them." in text
    assert "Share of the answers whose verdicts at the threshold are not all the same." in text
    assert text.index("c2: Question 2?") < text.index("c1: Question 1?") < text.index("c0: ") < text.index("c3: ")
    assert "<b>2 of 3 readings call it grounded, deviation of the support 0.462</b>" in text
    assert [b.label for b in app.button if b.label.startswith("Open")] == ["Open the answer"] * 4


def test_a_run_without_readings_says_what_to_do(opened: Opened) -> None:
    app = opened(made_run(made_cases(9), 2))
    assert "No answer here was judged twice." in html(app)


def test_links_of_pages_that_are_gone_lead_to_what_does_their_work() -> None:
    browser = TestClient(importlib.import_module("app").app, base_url="http://localhost:8501")
    answer = browser.get("/stability?run=a%20b&split=all", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, f"sensitivity?run=a+b&split=all&{page.TAB}=Stability")
    assert browser.get("/live?source=x", follow_redirects=False).headers["location"] == "cases?from=upload"


def test_texts_of_others_are_escaped(opened: Opened) -> None:
    run = run_of(FLIPS)
    hostile = replace(
        run,
        read_cases=lambda rows: [replace(c, query=HOSTILE) for c in run.read_cases(rows)],
        read_notes=lambda method, rows: [f"Row {row}. {HOSTILE}" for row in rows],
    )
    app = opened(hostile, MatrixCell("repeats", "method_0"))
    assert HOSTILE not in html(app)
    # Four questions, and the reasons for both verdicts on the two answers that flip.
    assert html(app).count("&lt;script&gt;alert(1)&lt;/script&gt;") == 4 + 4
    assert html(app).index("Row 7. ") < html(app).index("Row 6. ") < html(app).index("Row 3. ")
