"""The thresholds page without a browser: nothing of test before it is frozen, and what each bad input says."""

import itertools
import json
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

from components.opened import choice
from components.thresholds import frozen as thresholds_frozen
from components.thresholds import method, tune
from components.thresholds import page as thresholds_page
from groundscope.errors import DataError
from groundscope.grounding.rules.frozen_rules import _NAME, FROZEN, forget, from_json, frozen, to_json
from groundscope.grounding.runs.arrays import STATUSES, RunData
from groundscope.paths import Variable
from groundscope.storage.database import shared
from groundscope.types import Status
from tests.groundscope.grounding.runs import made_cases, made_run
from tests.pages import drawn
from tests.pages.drawn import opened, press

ONE, ALL, PROMISE, CALIBRATION = "One method", "All methods", "A promise about misses", "Calibration"
HOSTILE = "<b>![x](http://127.0.0.1:9/x)</b> $a$ =1+1"


Show = Callable[..., AppTest]
_numbers = itertools.count()


@pytest.fixture
def show(data: Path, monkeypatch: pytest.MonkeyPatch) -> Show:
    """Draw the page on a run, with a link's parameters; what it freezes goes to a folder of the test's own."""

    def draw(run: RunData, tab: str = "", **parameters: str) -> AppTest:
        # Figures are kept by the run's id.
        named = replace(run, id=f"made-{next(_numbers)}")
        monkeypatch.setattr(choice, "choose_run", lambda *_: named)
        return opened("thresholds", parameters, **({tune.TAB: tab} if tab else {}))

    return draw


@pytest.fixture(scope="module")
def made() -> RunData:
    return made_run(made_cases(300), 3)


def html(app: AppTest) -> str:
    return drawn.html(app).replace("\u00a0", " ")


def at(app: AppTest, tab: str) -> AppTest:
    """Open a tab."""
    app.session_state[tune.TAB] = tab
    return app.run()


def shown_on_test(text: str) -> int:
    """How many methods have figures on test."""
    return text.partition("Macro-F1 on test")[2].partition("</table>")[0].count("<tr>")


def freeze(app: AppTest, name: str) -> AppTest:
    at(app, ALL).text_input(key=thresholds_frozen.NAME).set_value(name)
    return press(app, "Freeze")


def slide(app: AppTest, steps: int) -> AppTest:
    slider = at(app, ONE).slider[0]
    slider.set_value(slider.value + steps * slider.step).run()
    assert not app.exception
    return app


def test_every_method_is_tuned_on_dev_and_test_is_a_size_alone(show: Show, made: RunData) -> None:
    def every(run: RunData) -> str:
        return "".join(html(show(run, tab)) for tab in (ALL, tune.ON_TEST, CALIBRATION))

    text = every(made)
    assert text.index("Method 2") < text.index("Method 1") < text.index("Method 0")
    assert "<td>dev, 60</td>" in text
    assert "Test has 240 responses to 80 queries" in text
    assert "Freeze thresholds under a name first." in text
    assert "Macro-F1 on test" not in text
    assert "Reliability, dev" in text
    assert "Reliability, test" not in text
    # Labels of test change nothing before it is frozen.
    other = replace(made, gold=np.where(made.splits == "test", 1 - made.gold, made.gold).astype(np.int8))
    assert every(other) == text


def test_what_is_frozen_is_shown_on_test_and_looks_at_test_are_counted(show: Show, made: RunData) -> None:
    app = freeze(show(made), "First")
    text = html(app)
    assert "Frozen as First: 3 methods" in text
    assert "Macro-F1 on test" in text
    assert shown_on_test(text) == 3
    assert "Reliability, test" in html(at(app, CALIBRATION))
    decision = frozen()["First"]
    assert (decision.run, decision.data_hash, list(decision.tuned)) == (made.name, made.data_hash, [m.id for m in made.methods])
    assert at(app, ALL).text_input(key=thresholds_frozen.NAME).value == ""
    assert app.session_state["run_choices"][choice.RULES] == "First"
    assert "This name is taken" in html(freeze(app, "first"))
    assert "choose another one" in html(freeze(app, "../../up"))
    assert list(frozen()) == ["First"]
    example = at(app, ALL).text_input(key=thresholds_frozen.NAME).placeholder.partition(": ")[2]
    assert "2 sets of thresholds are frozen for these cases" in html(freeze(app, example)), "the example is a name"


def test_a_frozen_one_is_not_opened_unless_it_is_chosen(show: Show, made: RunData) -> None:
    freeze(show(made), "First")
    app = show(made, tune.ON_TEST)
    assert "Macro-F1 on test" not in html(app)
    app.selectbox(key=tune.FROZEN).set_value("First").run()
    assert "Macro-F1 on test" in html(app)
    assert "Macro-F1 on test" in html(show(made, rules="First"))


def test_thresholds_that_came_with_a_run_are_offered_and_stay(
    show: Show, made: RunData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    freeze(show(made), "First")
    folder_of_run = tmp_path / "run"
    folder_of_run.mkdir()
    (folder_of_run / "decision.json").write_text(to_json(frozen()["First"]), encoding="utf-8")
    forget("First")
    monkeypatch.setattr(thresholds_frozen, "_folder", lambda: folder_of_run)
    app = show(made, rules="First")
    assert "Macro-F1 on test" in html(app)
    assert "came with the run and cannot be deleted" in html(press(app, "Delete permanently"))
    assert "First" in frozen(folder_of_run)


def test_the_slider_says_what_a_move_costs_and_which_cases_flip(show: Show, made: RunData) -> None:
    app = show(made)
    assert ", as at the tuned threshold." in html(app)
    text = html(slide(app, 40))
    table = app.dataframe[0].value
    assert f"{len(table)} verdicts change" in text
    assert set(table["Tuned"]) == {"passed"}
    assert set(table["Yours"]) == {"flagged"}
    right = table["Label"] == "ungrounded"
    assert (table["Now"].str.endswith("right") == right).all()
    more, alarms = int(right.sum()), int((~right).sum())
    assert f"{alarms} more false alarms than at the tuned threshold" in text
    assert f"{f'{more} more' if more else 'no more'} error" in text
    press(app, "Reset to tuned")
    assert ", as at the tuned threshold." in html(app)


def test_a_kept_threshold_is_the_one_that_is_frozen(show: Show, made: RunData) -> None:
    app = slide(show(made), 20)
    value = app.slider[0].value
    assert "Set by hand; tuning had found" in html(at(press(app, "Use this threshold"), ALL))
    freeze(app, "By hand")
    tuned = frozen()["By hand"].tuned["method_2"]
    assert tuned.rule.threshold == pytest.approx(value)
    assert tuned.warning.startswith("Set by hand")
    assert "Set by hand" in html(at(app, ALL))
    assert "Set by hand" not in html(press(app, "Reset to the tuned threshold"))


def test_thresholds_are_set_in_the_heatmap_where_it_can_apply_them(show: Show, made: RunData) -> None:
    app = show(made, ALL)
    app.multiselect(key="thresholds_ways").set_value(["mean"]).run()
    assert "Not for Method 0, Method 1, Method 2" in html(press(app, "Use these thresholds in the heatmap"))
    assert app.session_state["thresholds"] == {}
    app.multiselect(key="thresholds_ways").set_value(["min"]).run()
    assert "now uses these thresholds for 3 methods" in html(press(app, "Use these thresholds in the heatmap"))
    assert set(app.session_state["thresholds"]) == {m.id for m in made.methods}


def test_by_cost_the_price_of_a_missed_error_moves_the_thresholds(show: Show, made: RunData) -> None:
    app = show(made)
    app.selectbox(key="thresholds_goal").set_value("Lowest cost").run()
    decisions = []
    for missed in (0.2, 20.0):
        app.number_input(key="thresholds_cost").set_value(missed).run()
        freeze(app, f"cost {missed:g}")
        assert "Cost per response" in html(app).partition("Macro-F1 on test")[2]
        decisions.append(frozen()[f"cost {missed:g}"])
    assert [d.objective.missed for d in decisions] == [0.2, 20.0]
    assert decisions[0].tuned["method_2"].rule.threshold < decisions[1].tuned["method_2"].rule.threshold


def imported(app: AppTest, content: bytes, name: str) -> str:
    upload = next(f for f in at(app, tune.ON_TEST).file_uploader if f.key == thresholds_frozen._FILE)
    upload.set_value(("first.json", content, "application/json"))
    app.text_input(key=thresholds_frozen._OTHER_NAME).set_value(name)
    return html(press(app, "Import"))


def test_frozen_thresholds_are_deleted_and_come_back_from_their_file_and_no_other(show: Show, made: RunData) -> None:
    app = freeze(show(made), "First")
    content = to_json(frozen()["First"]).encode()
    assert "First is deleted permanently" in html(app)
    text = html(press(app, "Delete permanently"))
    assert "First is deleted." in text
    assert "Freeze thresholds under a name first." in text
    assert "cannot be read" in imported(app, b"\xff\xfe", "Again")
    assert "newer Groundscope" in imported(app, b'{"format": "groundscope-decision", "version": 99}', "Again")
    assert frozen() == {}
    text = imported(app, content, "Again")
    assert "Frozen as Again: 3 methods" in text
    assert "Macro-F1 on test" in text
    assert replace(frozen()["Again"], name="First") == from_json(content.decode())


def test_a_folder_that_cannot_be_written_is_said(show: Show, made: RunData, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = show(made)
    (data / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv(Variable.DATA, str(data / "file"))
    assert "cannot be written" in html(freeze(app, "First"))
    assert "Macro-F1 on test" not in html(app)


def test_a_damaged_rule_one_of_other_parameters_and_one_tuned_on_test_are_named(show: Show, made: RunData) -> None:
    freeze(show(made), "First")
    content = json.loads(to_json(frozen()["First"]))
    content["signatures"]["method_1"] = "other"
    content["tuned"]["method_0"]["split"] = "test"
    with shared().writing() as connection:
        connection.execute(sa.update(FROZEN).values(content=json.dumps(content)))
        connection.execute(sa.insert(FROZEN).values(key="<i>", name="<i>", made="", content="{"))
    text = html(show(made, rules="First"))
    assert "cannot be read and are left out: &lt;i&gt;." in text
    assert "Left out: Method 1." in text
    assert "tuned on test itself" in text
    assert shown_on_test(text) == 2


def test_a_rule_from_other_cases_shows_no_gap(show: Show, made: RunData) -> None:
    freeze(show(made), "First")
    text = html(show(replace(made, data_hash="other"), rules="First"))
    assert "tuned on other cases, those of the run Made-up run" in text
    assert shown_on_test(text) == 3


# Bad input.


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("no dev", ["The run has no labelled response in dev, only in test, validation.", "<td>validation, 60</td>"]),
        ("nothing labelled", ["The run has no labelled response, so there is nothing to tune"]),
        ("one class on dev", ["All responses of this split have the same label"]),
        ("few queries", ["60 responses to 20 queries, so few that the threshold may be chance"]),
    ],
)
def test_what_cannot_be_tuned_is_said(show: Show, made: RunData, change: str, words: list[str]) -> None:
    changes: dict[str, dict[str, Any]] = {
        "no dev": {"splits": np.where(made.splits == "dev", "validation", made.splits)},
        "nothing labelled": {"gold": np.full(300, -1, dtype=np.int8)},
        "one class on dev": {"gold": np.where(made.splits == "dev", 1, made.gold).astype(np.int8)},
        "few queries": {},
    }
    run = replace(made, **changes[change])
    text = html(show(run)) + html(show(run, ALL))
    assert [w for w in words if w not in text] == []


def test_all_invalid(show: Show, made: RunData) -> None:
    none = np.full_like(made.support, np.nan)
    status = np.full_like(made.status, STATUSES.index(Status.INVALID))
    app = show(replace(made, support=none, lowest=none, mean=none, status=status))
    assert "No method could be tuned" in html(app)
    assert "Method 0, Method 1, Method 2: It has no score" in html(at(app, ALL))
    assert next(b for b in app.button if b.label == "Freeze").disabled


def test_texts_that_cannot_be_read_are_said(show: Show, made: RunData) -> None:
    def gone(rows: Any) -> Any:
        raise DataError("The files of the run are gone.")

    app = show(replace(made, read_cases=gone), PROMISE)
    assert "labelled sentences of this run cannot be read" in html(app)
    assert "texts of these cases cannot be read" in html(slide(app, 40))


def test_only_test_is_labelled(show: Show, made: RunData) -> None:
    freeze(show(made), "First")
    only_test = replace(made, gold=np.where(made.splits == "test", made.gold, -1).astype(np.int8))
    app = show(only_test, rules="First")
    assert "All labelled responses are in test, so there is nothing to tune on" in html(app)
    # What was frozen before can still be read.
    assert "Macro-F1 on test" in html(app)


def test_roc_and_pr_are_drawn_once_they_are_opened(show: Show, made: RunData) -> None:
    app = show(made)
    assert "average precision" not in html(app)
    app.session_state[method.RANKING] = True
    assert "average precision" in html(app.run())
    gold = np.where(made.splits == "dev", 1, made.gold).astype(np.int8)
    app = show(replace(made, gold=gold))
    app.session_state[method.RANKING] = True
    assert "the same label, so there is no ranking to measure" in html(slide(app, 20))


def test_an_unknown_method_in_the_link_is_explained(show: Show, made: RunData) -> None:
    assert "The method in the link was not tuned" in html(show(made, method="<nobody>"))
    assert show(made, method="method_0").selectbox(key=tune.METHOD).value == "method_0"


def test_hostile_names_stay_text(show: Show, made: RunData, caplog: pytest.LogCaptureFixture) -> None:
    methods = tuple(replace(m, title=f"{HOSTILE} {i}") for i, m in enumerate(made.methods))
    cases = [replace(c, query=HOSTILE) for c in made_cases(300)]
    splits = np.where(made.splits == "dev", HOSTILE, made.splits)
    run = replace(made, methods=methods, name=HOSTILE, splits=splits, read_cases=lambda rows: [cases[i] for i in rows])
    with caplog.at_level(logging.INFO):
        app = freeze(slide(show(run), 40), "First")
        text = html(press(app, "Use them in the heatmap"))
    assert "<b>!" not in text
    assert "&lt;b&gt;![x]" in text
    # Streamlit draws labels as markdown.
    labels = [w.label for kind in (app.button, app.selectbox, app.slider, app.expander) for w in kind]
    assert not [label for label in labels if "127.0.0.1" in label]
    assert not app.markdown
    assert not app.error
    assert HOSTILE not in caplog.text


def promise(app: AppTest, name: str) -> AppTest:
    """Freeze the promise that at most 40 % are missed."""
    at(app, PROMISE).number_input(key="thresholds_most").set_value(40.0).run()
    example = app.text_input(key=thresholds_page.NAME).placeholder.partition(": ")[2]
    assert _NAME.fullmatch(example), "the example is a name"
    app.text_input(key=thresholds_page.NAME).set_value(name)
    return press(app, "Freeze these promises")


def test_where_nothing_can_be_promised_it_is_said_with_what_can(show: Show, made: RunData) -> None:
    app = show(made, PROMISE)
    assert "No threshold of any method can promise at most 10 % missed, with 90 % confidence" in html(app)
    assert "20 queries with a wrong sentence are too few; it takes 22 or more." in html(app)
    assert "no; at best " in html(app)
    assert next(b for b in app.button if b.label == "Use these promises in the heatmap").disabled


def test_a_promise_is_frozen_shown_on_test_and_goes_to_the_heatmap(show: Show, made: RunData) -> None:
    app = promise(show(made), "Careful")
    text = html(app)
    assert "Frozen as Careful: 3 methods" in text
    promises = frozen()["Careful"].promises
    assert list(promises) == [m.id for m in made.methods]
    assert "by a promise about misses: at most 40 % missed, with 90 % confidence." in text
    assert "Promises about misses, test" in text
    assert text.count("at most 40 %, 90 % sure") == 3
    assert "These are other cases" not in text
    press(app, "Use them in the heatmap")
    for judge in made.methods:
        promised = app.session_state["promises"][judge.id]
        assert (promised.signature, promised.place) == (judge.signature, "dev of Made-up run")
        assert app.session_state["thresholds"][judge.id] == promised.promise.threshold
    assert html(at(app, PROMISE)).count("<td>at most 40 %</td>") == 3
    # Tuned thresholds promise nothing; the heatmap keeps the promise of a method whose tuned rule it cannot apply.
    press(at(app, ALL), "Use these thresholds in the heatmap")
    left = app.session_state["promises"]
    assert len(left) < 3
    for name in promises:
        assert (name in left) == (app.session_state["thresholds"][name] == promises[name].threshold)


def test_on_other_cases_a_promise_is_doubted_and_more_so_where_supports_differ(show: Show, made: RunData) -> None:
    promise(show(made), "Careful")
    other = replace(made, data_hash="1" * 16, splits=np.full_like(made.splits, "train"))
    text = html(show(other, rules="Careful"))
    assert "These are other cases than those of the run Made-up run" in text
    assert "Whether the promises carry over is not known" in text
    assert "Promises about misses, all responses" in text
    lower = replace(other, lowest=other.lowest / 2, mean=other.mean / 2, gold=np.full_like(other.gold, -1))
    text = html(show(lower, rules="Careful"))
    assert "do not rely on their promises here" in text
    assert "so the promise is not for these queries" in text
    assert "not known: no sentence is labelled wrong" in text


def test_of_a_large_set_promises_are_sought_once_they_are_asked_for(
    show: Show, made: RunData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds_page, "_SLOW", 10)
    app = show(made, PROMISE)
    assert "Searching takes a while: 60 responses" in html(app)
    assert "No threshold of any method can promise" in html(press(app, "Search for thresholds"))
