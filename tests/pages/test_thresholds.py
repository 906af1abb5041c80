"""The thresholds page without a browser: nothing of test before it is frozen, and what each bad input says."""

import itertools
import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

from components.runs import choice
from components.thresholds import frozen as thresholds_frozen
from components.thresholds import method, state
from components.thresholds import page as thresholds_page
from groundscope.errors import DataError
from groundscope.grounding.rules.frozen_rules import FROZEN, forget, from_json, frozen, to_json
from groundscope.grounding.runs.arrays import STATUSES, RunData
from groundscope.paths import DATA_VARIABLE
from groundscope.storage.database import shared
from groundscope.types import Status
from tests.groundscope.grounding.runs import made_cases, made_run

ROOT = Path(__file__).resolve().parent.parent.parent
HOSTILE = "<b>![x](http://127.0.0.1:9/x)</b> $a$ =1+1"


class Show(Protocol):
    """Draws the page on a run, with the link's parameters."""

    def __call__(self, run: RunData | None, **parameters: str) -> AppTest: ...


_numbers = itertools.count()


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Show:
    """Draw the page on a run; what it freezes goes to a folder of the test's own."""
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))

    def draw(run: RunData | None, **parameters: str) -> AppTest:
        # Figures are kept by the run's id.
        named = run and replace(run, id=f"made-{next(_numbers)}")
        monkeypatch.setattr(choice, "choose_run", lambda page: named)
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        app.query_params.update(parameters)
        app.switch_page("pages/thresholds.py").run()
        assert not app.exception
        return app

    return draw


@pytest.fixture(scope="module")
def made() -> RunData:
    return made_run(made_cases(300), 3)


def html(app: AppTest) -> str:
    return "\n".join(e.proto.body for e in app.get("html") if "<style>" not in e.proto.body).replace("\u00a0", " ")


def press(app: AppTest, label: str) -> AppTest:
    next(b for b in app.button if b.label == label).click().run()
    assert not app.exception
    return app


def freeze(app: AppTest, name: str) -> AppTest:
    app.text_input(key=thresholds_frozen._NAME).set_value(name)
    return press(app, "Freeze")


def slide(app: AppTest, steps: int) -> AppTest:
    slider = app.slider[0]
    slider.set_value(slider.value + steps * slider.step).run()
    assert not app.exception
    return app


def test_every_method_is_tuned_on_dev_and_test_is_a_size_alone(
    show: Show, made: RunData, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []
    rows = RunData.rows
    monkeypatch.setattr(RunData, "rows", lambda self, split=None: asked.append(split) or rows(self, split))
    text = html(show(made))
    assert text.index("Method 2") < text.index("Method 1") < text.index("Method 0")
    assert "<td>dev, 60</td>" in text
    assert "Test has 240 responses to 80 queries" in text
    assert "Freeze thresholds under a name first." in text
    assert "Macro-F1 on test" not in text
    assert "Reliability, dev" in text
    assert "Reliability, test" not in text
    # Once, for its size.
    assert asked.count("test") == 1
    assert None not in asked


def test_labels_of_test_change_nothing_before_it_is_frozen(show: Show, made: RunData) -> None:
    other = replace(made, gold=np.where(made.splits == "test", 1 - made.gold, made.gold).astype(np.int8))
    assert html(show(made)) == html(show(other))


def test_what_is_frozen_is_shown_on_test(show: Show, made: RunData) -> None:
    app = freeze(show(made), "First")
    text = html(app)
    assert "Frozen as First: 3 methods" in text
    assert "Macro-F1 on test" in text
    assert "Reliability, test" in text
    assert text.count("ungrounded responses of test and raises") == 3
    kept = frozen()["First"]
    assert (kept.run, kept.data_hash, list(kept.tuned)) == (made.name, made.data_hash, [m.id for m in made.methods])
    assert app.text_input(key=thresholds_frozen._NAME).value == ""
    assert app.session_state["run_choices"][choice.RULES] == "First"


def test_a_taken_and_an_empty_name_are_said(show: Show, made: RunData) -> None:
    app = freeze(show(made), "First")
    assert "This name is taken" in html(freeze(app, "first"))
    assert "choose another one" in html(freeze(app, "  "))
    assert "choose another one" in html(freeze(app, "../../up"))
    assert list(frozen()) == ["First"]


def test_a_frozen_one_is_not_opened_unless_it_is_chosen(show: Show, made: RunData) -> None:
    freeze(show(made), "First")
    app = show(made)
    assert "Macro-F1 on test" not in html(app)
    app.selectbox(key=state.FROZEN).set_value("First").run()
    assert "Macro-F1 on test" in html(app)
    app = show(made, rules="First")
    assert "Macro-F1 on test" in html(app)


def test_delete_asks_again_and_then_forgets(show: Show, made: RunData) -> None:
    app = freeze(show(made), "First")
    assert "First is deleted permanently" in html(app)
    text = html(press(app, "Delete permanently"))
    assert "First is deleted." in text
    assert "Freeze thresholds under a name first." in text
    assert frozen() == {}


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


def test_several_looks_at_test_are_counted(show: Show, made: RunData) -> None:
    app = freeze(freeze(show(made), "First"), "Second")
    assert "2 sets of thresholds are frozen for these cases" in html(app)


def test_the_slider_says_what_a_move_costs_and_which_cases_flip(show: Show, made: RunData) -> None:
    app = show(made)
    assert "No verdict changes" in html(app)
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
    assert "No verdict changes" in html(app)


def test_a_kept_threshold_is_the_one_that_is_frozen(show: Show, made: RunData) -> None:
    app = slide(show(made), 20)
    value = app.slider[0].value
    text = html(press(app, "Use this threshold"))
    assert "Set by hand; tuning had found" in text
    freeze(app, "By hand")
    found = frozen()["By hand"].tuned["method_2"]
    assert found.rule.threshold == pytest.approx(value)
    assert found.warning.startswith("Set by hand")
    text = html(press(app, "Reset to the tuned threshold"))
    assert "Set by hand" not in text.partition("One method")[0]


def test_thresholds_are_set_in_the_heatmap_where_it_can_apply_them(show: Show, made: RunData) -> None:
    app = show(made)
    app.multiselect(key="thresholds_ways").set_value(["mean"]).run()
    text = html(press(app, "Use these thresholds in the heatmap"))
    assert "Not for Method 0, Method 1, Method 2" in text
    assert app.session_state["thresholds"] == {}
    app.multiselect(key="thresholds_ways").set_value(["min"]).run()
    text = html(press(app, "Use these thresholds in the heatmap"))
    assert "now uses these thresholds for 3 methods" in text
    assert set(app.session_state["thresholds"]) == {m.id for m in made.methods}


def test_by_cost_the_price_of_a_missed_error_moves_the_thresholds(show: Show, made: RunData) -> None:
    app = show(made)
    app.selectbox(key="thresholds_goal").set_value("Lowest cost").run()
    assert "Cost per response" in html(app)
    found = []
    for missed in (0.2, 20.0):
        app.number_input(key="thresholds_cost").set_value(missed).run()
        freeze(app, f"cost {missed:g}")
        assert "Cost per response" in html(app).partition("Macro-F1 on test")[2]
        found.append(frozen()[f"cost {missed:g}"])
    assert [d.objective.missed for d in found] == [0.2, 20.0]
    assert found[0].tuned["method_2"].rule.threshold < found[1].tuned["method_2"].rule.threshold


def test_frozen_thresholds_go_through_a_file(show: Show, made: RunData) -> None:
    app = freeze(show(made), "First")
    kept = to_json(frozen()["First"]).encode()
    press(app, "Delete permanently")
    upload = next(f for f in app.file_uploader if f.key == thresholds_frozen._FILE)
    upload.set_value(("first.json", kept, "application/json"))
    app.text_input(key=thresholds_frozen._OTHER_NAME).set_value("Again")
    text = html(press(app, "Import"))
    assert "Frozen as Again: 3 methods" in text
    assert "Macro-F1 on test" in text
    assert replace(frozen()["Again"], name="First") == from_json(kept.decode())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe", "cannot be read"),
        (b"{}", "cannot be read"),
        (b'{"format": "groundscope-decision", "version": 99}', "newer Groundscope"),
    ],
)
def test_a_file_that_is_none_is_said(show: Show, made: RunData, content: bytes, words: str) -> None:
    app = show(made)
    next(f for f in app.file_uploader if f.key == thresholds_frozen._FILE).set_value(("x.json", content, "application/json"))
    assert words in html(press(app, "Import"))
    assert frozen() == {}


def _put(name: str, content: str) -> None:
    with shared().writing() as connection:
        connection.execute(sa.delete(FROZEN))
        connection.execute(sa.insert(FROZEN).values(key=name, name=name, made="", content=content))


def test_a_damaged_one_among_the_frozen_is_named(show: Show, made: RunData) -> None:
    _put("<i>", "{")
    text = html(show(made))
    assert "cannot be read and are left out: &lt;i&gt;." in text


def test_a_folder_that_cannot_be_written_is_said(
    show: Show, made: RunData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = show(made)
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "file"))
    assert "cannot be written" in html(freeze(app, "First"))
    assert "Macro-F1 on test" not in html(app)


def test_a_rule_of_other_parameters_and_one_tuned_on_test_are_named(show: Show, made: RunData) -> None:
    freeze(show(made), "First")
    content = json.loads(to_json(frozen()["First"]))
    content["signatures"]["method_1"] = "other"
    content["tuned"]["method_0"]["split"] = "test"
    _put("First", json.dumps(content))
    text = html(show(made, rules="First"))
    assert "Left out: Method 1." in text
    assert "tuned on test itself" in text
    assert text.count("ungrounded responses of test and raises") == 2


def test_a_rule_from_other_cases_shows_no_gap(show: Show, made: RunData) -> None:
    freeze(show(made), "First")
    text = html(show(replace(made, data_hash="other"), rules="First"))
    assert "tuned on other cases, those of the run Made-up run" in text
    assert "than on dev" not in text
    assert text.count("ungrounded responses of test and raises") == 3


# Bad input.


def test_dev_missing_names_the_splits_and_another_can_be_chosen(show: Show, made: RunData) -> None:
    splits = np.where(made.splits == "dev", "validation", made.splits)
    text = html(show(replace(made, splits=splits)))
    assert "The run has no labelled response in dev, only in test, validation." in text
    assert "<td>validation, 60</td>" in text


def test_only_test_is_labelled(show: Show, made: RunData) -> None:
    freeze(show(made), "First")
    only_test = replace(made, gold=np.where(made.splits == "test", made.gold, -1).astype(np.int8))
    app = show(only_test, rules="First")
    assert "All labelled responses are in test, so there is nothing to tune on" in html(app)
    # What was frozen before can still be read.
    assert "Macro-F1 on test" in html(app)
    assert "than on dev" not in html(app)


def test_nothing_is_labelled(show: Show, made: RunData) -> None:
    text = html(show(replace(made, gold=np.full(300, -1, dtype=np.int8))))
    assert "The run has no labelled response, so there is nothing to tune" in text


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_only_on_dev(show: Show, made: RunData, label: int) -> None:
    gold = np.where(made.splits == "dev", label, made.gold).astype(np.int8)
    app = show(replace(made, gold=gold))
    text = html(app)
    assert "All responses of this split have the same label" in text
    assert "cannot be calibrated" in text
    assert not slide(app, 20).exception


def test_all_invalid(show: Show, made: RunData) -> None:
    none = np.full_like(made.support, np.nan)
    status = np.full_like(made.status, STATUSES.index(Status.INVALID))
    app = show(replace(made, support=none, lowest=none, mean=none, status=status))
    text = html(app)
    assert "Method 0, Method 1, Method 2: It has no score" in text
    assert "No method could be tuned" in text
    assert next(b for b in app.button if b.label == "Freeze").disabled


def test_roc_and_pr_are_drawn_once_they_are_opened(show: Show, made: RunData) -> None:
    app = show(made)
    assert "average precision" not in html(app)
    app.session_state[method.RANKING] = True
    app.run()
    assert "average precision" in html(app)
    gold = np.where(made.splits == "dev", 1, made.gold).astype(np.int8)
    app = show(replace(made, gold=gold))
    app.session_state[method.RANKING] = True
    assert "the same label, so there is no ranking to measure" in html(app.run())


def test_few_queries_are_pointed_out(show: Show, made: RunData) -> None:
    assert "dev has only 60 responses to 20 queries" in html(show(made))
    assert "has only" not in html(show(made_run(made_cases(600), 1)))


def test_an_unknown_method_in_the_link_is_explained(show: Show, made: RunData) -> None:
    text = html(show(made, method="<nobody>"))
    assert "The method in the link was not tuned" in text
    app = show(made, method="method_0")
    assert app.selectbox(key=state.METHOD).value == "method_0"


def test_texts_that_cannot_be_read_are_said(show: Show, made: RunData) -> None:
    def gone(rows: Any) -> Any:
        raise OSError(2, "No such file")

    assert "texts of these cases cannot be read" in html(slide(show(replace(made, read_cases=gone)), 40))


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


def limits(app: AppTest, most: float, confidence: float) -> AppTest:
    app.number_input(key="thresholds_most").set_value(most)
    app.number_input(key="thresholds_confidence").set_value(confidence).run()
    assert not app.exception
    return app


def promise(app: AppTest, name: str) -> AppTest:
    app.text_input(key=thresholds_page.NAME).set_value(name)
    return press(app, "Freeze these promises")


def test_where_nothing_can_be_promised_it_is_said_with_what_can(show: Show, made: RunData) -> None:
    text = html(show(made))
    assert "No threshold of any method can promise at most 10 % missed, with 90 % confidence" in text
    assert "20 queries with a wrong sentence are too few; it takes 22 or more." in text
    assert "no; at best " in text
    assert next(b for b in show(made).button if b.label == "Use these promises in the heatmap").disabled


def test_a_promise_is_frozen_shown_on_test_and_goes_to_the_heatmap(show: Show, made: RunData) -> None:
    app = limits(show(made), 40.0, 90.0)
    text = html(app)
    assert text.count("<td>at most 40 %</td>") == 3
    assert "Promises about misses, test" not in text
    app = promise(app, "Careful")
    assert "Frozen as Careful: 3 methods" in html(app)
    kept = frozen()["Careful"]
    assert list(kept.promises) == [m.id for m in made.methods]
    text = html(app)
    assert "by a promise about misses: at most 40 % missed, with 90 % confidence." in text
    assert "Promises about misses, test" in text
    assert text.count("at most 40 %, 90 % sure") == 3
    assert "These are other cases" not in text
    press(app, "Use them in the heatmap")
    for one in made.methods:
        found = app.session_state["promises"][one.id]
        assert (found.signature, found.place) == (one.signature, "dev of Made-up run")
        assert app.session_state["thresholds"][one.id] == found.promise.threshold
    # Tuned thresholds promise nothing; the heatmap keeps the promise of a method whose tuned rule it cannot apply.
    press(app, "Use these thresholds in the heatmap")
    left = app.session_state["promises"]
    assert len(left) < 3
    for one in made.methods:
        kept_one = app.session_state["thresholds"][one.id] == kept.promises[one.id].threshold
        assert (one.id in left) == kept_one


def test_on_other_cases_a_promise_is_doubted_and_more_so_where_supports_differ(show: Show, made: RunData) -> None:
    promise(limits(show(made), 40.0, 90.0), "Careful")
    other = replace(made, data_hash="1" * 16, splits=np.full_like(made.splits, "train"))
    text = html(show(other, rules="Careful"))
    assert "These are other cases than those of the run Made-up run" in text
    assert "Whether the promises carry over is not known" in text
    assert "that does not show that there is none" in text
    assert "Promises about misses, all responses" in text
    lower = replace(other, lowest=other.lowest / 2, mean=other.mean / 2)
    text = html(show(lower, rules="Careful"))
    assert "do not rely on their promises here" in text
    assert "so the promise is not for these queries" in text
    unlabelled = replace(other, gold=np.full_like(other.gold, -1))
    assert "not known: no sentence is labelled wrong" in html(show(unlabelled, rules="Careful"))


def test_of_a_large_set_promises_are_sought_once_they_are_asked_for(
    show: Show, made: RunData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds_page, "_SLOW", 10)
    app = show(made)
    assert "Searching takes a while: 60 responses" in html(app)
    press(app, "Search for thresholds")
    assert "No threshold of any method can promise" in html(app)


def test_sentences_that_cannot_be_read_are_said(show: Show, made: RunData) -> None:
    def gone(rows: Any) -> Any:
        raise DataError("The files of the run are gone.")

    assert "labelled sentences of this run cannot be read" in html(show(replace(made, read_cases=gone)))
