"""Cascades on the Methods page without a browser: the form, what is proposed and what is not, what is kept, empty states."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.runs import runs
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.listing import RunEntry
from groundscope.paths import DATA_VARIABLE
from groundscope.training.cascade_files import read
from groundscope.training.own_models import cascades, own_cascade
from tests.groundscope.cascades.runs import cascade_run

_PANEL = "from components.training import cascades\ncascades.show()"
"""The page has much else, which other tests open."""

Opened = Callable[[RunData | None], AppTest]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Opened:
    """Opens the form on a run."""
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))

    def open_page(run: RunData | None) -> AppTest:
        monkeypatch.setattr(runs, "shelf", lambda: runs.Shelf({run.id: RunEntry(run.id, run.name)} if run else {}))
        monkeypatch.setattr(runs, "readable", lambda entry: run)
        app = AppTest.from_string(_PANEL, default_timeout=60)
        app.session_state["cascade_form"] = True
        return app.run()

    return open_page


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def test_a_band_is_chosen_shown_kept_and_deleted(opened: Opened) -> None:
    app = opened(cascade_run())
    assert not app.exception
    assert [s.options for s in app.selectbox if s.key in ("cascade_first", "cascade_second")] == [["Method 0"], ["Method 1"]]
    app.button(key="cascade_choose").click().run()
    assert not app.exception
    text = html(app)
    assert "Never: Method 0 alone" in text
    assert "Always: Method 1 alone" in text
    assert "0.32 to 0.90, proposed" in text
    assert "Asked where Method 0 gives" in text
    assert "Method 1 reads the whole answer." in text
    on_test = text.partition("Test, which played no part in choosing: 8 responses to 4 queries")[2]
    # Two of the four sentences that tell are doubtful on half of the responses: an eighth of all sentences.
    row = on_test.partition("The cascade</th>")[2].partition("</tr>")[0]
    quality, interval, *takes = re.findall("<td>(.*?)</td>", row)
    assert (quality, *takes) == ("1.000", "12%", "1.01", "$0.0010")
    assert re.fullmatch(r"0\.\d{3} to 1\.000", interval)
    assert "The cascade is" in on_test.partition("</table>")[2]
    app.text_input(key="cascade_name").set_value("../mine")
    app.button(key="cascade_keep").click().run()
    assert "A cascade&#x27;s name has 1 to 40 small letters" in html(app)
    app.text_input(key="cascade_name").set_value("mine")
    app.button(key="cascade_keep").click().run()
    assert not app.exception
    assert cascades() == ("mine",)
    assert read(own_cascade("mine")).second.method == "method_1"
    text = html(app)
    assert "The cascade mine is a method now: cascade:mine." in text
    assert "method cascade:mine · Method 0 first · Method 1 where that gives 0.32 to 0.90, and reads the whole answer" in text
    # Its methods are no files here.
    assert "A method of this cascade is not here" in text
    app.button(key="discard_yes_cascade:mine").click().run()
    assert not app.exception
    assert cascades() == ()
    assert "method cascade:mine" not in html(app)


def test_a_second_method_that_is_no_better_is_told_and_nothing_can_be_kept(opened: Opened) -> None:
    app = opened(cascade_run(right=False))
    app.button(key="cascade_choose").click().run()
    assert not app.exception
    assert "Method 1 is no better than Method 0 on dev" in html(app)
    assert not [b for b in app.button if b.key == "cascade_keep"]


def test_a_budget_of_nothing_and_a_run_without_dev_are_explained(opened: Opened) -> None:
    app = opened(cascade_run())
    app.number_input(key="cascade_share").set_value(0.0)
    app.button(key="cascade_choose").click().run()
    assert "a budget of 0 share asked buys no question" in html(app)
    app.number_input(key="cascade_share").set_value(10.0)
    app.button(key="cascade_choose").click().run()
    assert "No band that keeps to 10% of the sentences asked is better on dev than Method 0 alone" in html(app)
    app = opened(cascade_run(("test",)))
    app.button(key="cascade_choose").click().run()
    assert not app.exception
    assert "No labelled response of dev is judged by both methods; the run has test." in html(app)


def test_without_a_run_the_form_says_where_to_start_one(opened: Opened) -> None:
    app = opened(None)
    assert not app.exception
    assert "There is no finished run yet. Start one on the Runs page with both methods." in html(app)
