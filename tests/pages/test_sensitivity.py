"""The page of sensitivity without a browser: the matrix, the pairs of a cell, the form, and the empty states."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from components.case_sets import CaseSet
from components.copies import sensitivity
from components.copies.matrix import MatrixCell
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.sensitivity.pairs import SOURCE
from groundscope.types import Case, Passage
from tests.groundscope.grounding.runs import made_cases, made_run
from tests.groundscope.grounding.sensitivity.test_matrix import AFTER, BEFORE, run_of
from tests.pages.drawn import html, session, show_runs
from tests.pages.drawn import opened as page_of

HOSTILE = "<script>alert(1)</script> **b** $x$"

Opened = Callable[..., AppTest]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Opens the page on a run; a short set stands in for the samples, whose edits take seconds."""

    def open_page(
        run: RunData | None, picked: MatrixCell | None = None, source: str = f"{SOURCE}x", form: bool = False
    ) -> AppTest:
        sensitivity._measured.clear()
        show_runs(monkeypatch, run, source=source)
        case = Case("c", "q", (Passage("p", f"The rent is due. {HOSTILE}"),), f"The tenant must pay. {HOSTILE}", grounded=True)
        wrong = Case("w", "q", (Passage("p", "Rent is due."),), "No rent is due.", grounded=False)
        sets = {HOSTILE: CaseSet(HOSTILE, (case,)), "Wrong": CaseSet("Wrong", (wrong,))}
        app = session(sets=sets, sensitivity_set=HOSTILE)
        if picked:
            app.session_state["sensitivity_picked"] = {"cell": picked}
        app.session_state["sensitivity_form"] = form
        return app.switch_page("pages/sensitivity.py").run()

    return open_page


def test_it_opens_on_the_result_that_comes_with_the_app_and_makes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sensitivity, "make", lambda *_: pytest.fail("pairs are made before a click"))
    app = page_of("sensitivity")
    assert "1,070 legal errors were planted in sound sentences, one in each copy." in html(app)
    assert next(s for s in app.selectbox if s.label == "Run").value == "sensitivity"
    assert not app.multiselect


def test_pairs_are_made_only_after_a_click_that_says_how_long_it_takes(opened: Opened) -> None:
    app = opened(made_run(made_cases(9), 2), source="cases", form=True)
    assert [m.label for m in app.multiselect] == ["What is changed", "Methods"]
    assert "1 grounded answer" not in html(app)
    assert app.button(key="sensitivity_plant").label == "Plant the errors, about 4.1 s"
    app.button(key="sensitivity_plant").click().run()
    assert re.search(r"\d pairs: \d sentences? of 1 grounded answer, each beside its copies\.", html(app))
    assert "No place for: Another number" in html(app)
    # What is chosen otherwise is asked about again.
    app.number_input(key="sensitivity_most").set_value(7).run()
    assert app.button(key="sensitivity_plant")


def test_a_run_opens_with_what_is_shown_and_its_matrix(opened: Opened) -> None:
    app = opened(run_of(BEFORE, AFTER))
    assert "No method is shown to notice them more often than changes that make no error." in html(app)
    assert "Share of the pairs in which the changed sentence gets a lower support" in html(app)
    assert "Sentence</p>" not in html(app)


def test_the_pairs_of_a_cell_are_listed_those_not_noticed_first(opened: Opened) -> None:
    app = opened(run_of(BEFORE, AFTER), MatrixCell("modal", "method_0"))
    text = html(app)
    assert "<b>Shall, may, must: 0.700 to 0.900</b>" in text
    assert text.index("0.700 to 0.900") < text.index("0.800 to 0.800") < text.index("0.900 to 0.100")
    assert text.index("0.900 to 0.100") < text.index("0.300 to no support")
    app.segmented_control(key="sensitivity_order").set_value("noticed").run()
    text = html(app)
    assert text.index("0.900 to 0.100") < text.index("0.700 to 0.900") < text.index("0.300 to no support")


def test_a_set_without_a_sound_answer_says_what_to_do(opened: Opened) -> None:
    app = opened(None, form=True)
    app.selectbox(key="sensitivity_set").set_value("Wrong").run()
    assert not app.button(key="sensitivity_plant").click().run().exception
    assert "no case of this set is labelled as one" in "\n".join(t.value for t in app.text)


def test_texts_of_others_are_escaped(opened: Opened) -> None:
    run = run_of(BEFORE, AFTER)
    hostile = replace(run, read_cases=lambda rows: [replace(c, response=f"{c.response} {HOSTILE}") for c in run.read_cases(rows)])
    app = opened(hostile, MatrixCell("modal", "method_0"))
    assert HOSTILE not in html(app)
    assert html(app).count("&lt;script&gt;alert(1)&lt;/script&gt;") == 16
