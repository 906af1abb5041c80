"""A study from a file on the Runs page: what it shows before it starts, what it starts, and its table."""

from contextlib import closing
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from components.case_sets import CaseSet
from components.runs import new_run
from groundscope.commands.run import RUNNER
from groundscope.experiments.work import work
from groundscope.grounding.rules.frozen_rules import frozen
from groundscope.grounding.runs.store import FOLDER, JUDGEMENT, plan_of
from groundscope.grounding.study import text_of
from tests.groundscope.grounding.runs import made_cases
from tests.pages.drawn import html, opened, press

TEXT = 'name = "Mine: <b>"\ncases = ["folder/cases.jsonl"]\n[[row]]\ntitle = "words"\nmethod = "overlap"\n'
MORE = f'{TEXT}[[row]]\nmethod = "quip"\nsweep = {{ n = "9, 21" }}\n'


@pytest.fixture
def app(asked: list[str]) -> AppTest:
    return opened("runs", sets={"cases.jsonl": CaseSet("cases.jsonl", tuple(made_cases(60)))})


def upload(app: AppTest, text: str) -> str:
    app.file_uploader(key="run_study").set_value([("mine.toml", text.encode(), "application/toml")]).run()
    return html(app)


def start(app: AppTest) -> None:
    next(b for b in app.button if str(b.key).startswith("run_study_") and str(b.key).endswith("_start")).click().run()
    assert not app.exception, app.exception


def finish(run: str) -> None:
    with closing(FOLDER.open(run)) as job:
        assert work(job, RUNNER.steps(job)).finished


def test_a_study_is_shown_started_and_read_and_with_another_row_that_row_alone_is_judged(app: AppTest, asked: list[str]) -> None:
    shown = upload(app, TEXT)
    assert "<td>overlap</td>" in shown
    assert "From earlier studies: 0 of 60 judgements" in shown
    start(app)
    (first,) = asked
    with closing(FOLDER.open(first)) as job:
        assert (text_of(job), [m.id for m in plan_of(job).methods]) == (TEXT, ["overlap:words"])
    finish(first)

    other = TEXT.replace("[[row]]", "beyond_paper = true\n[[row]]")
    assert "These rows are on this page already" in upload(app, other)
    press(app, "Tune and read them by this file")
    with closing(FOLDER.open(first)) as job:
        assert text_of(job) == other
    assert "Tune and read them by this file" not in [b.label for b in app.button]
    assert "From earlier studies: 60 of 180 judgements" in upload(app, MORE)
    start(app)
    second = asked[-1]
    with closing(FOLDER.open(second)) as job:
        assert [m.id for m in plan_of(job).methods] == ["overlap:words", "quip:n=9", "quip:n=21"]
        assert {m: count.done for m, count in job.counts(JUDGEMENT).items()} == {0: 60}
    finish(second)

    app.session_state[f"run_study_table_{second}"] = True
    drawn = html(app.run())
    assert "dev F1" in drawn
    assert "test Acc." in drawn
    press(app, "Freeze these thresholds for the other pages")
    (name,) = frozen()
    assert name.startswith("Mine b 20")
    assert frozen()[name].rejected in (("quip:n=9",), ("quip:n=21",))
    assert "Download the table, thresholds and figure 2" in {b.proto.label for b in app.get("download_button")}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[row]", "cannot be read"),
        ("limit = " + "1" * 5000, "cannot be read"),
        ('[[row]]\nmethod = "overlp"', "write &#x27;overlap&#x27;"),
        (TEXT.replace("cases.jsonl", "others.jsonl"), "Load it on the Cases page"),
    ],
)
def test_what_cannot_be_run_says_why(app: AppTest, text: str, says: str) -> None:
    assert says in upload(app, text)


def test_the_choices_of_a_run_are_downloaded_as_a_study_that_the_page_runs(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, str] = {}
    monkeypatch.setattr(new_run, "download", lambda label, data, name, key, **more: files.update({name: data}))
    cases = CaseSet("mine.jsonl", tuple(replace(c, split=None) for c in made_cases(60)))
    app = opened("runs", sets={"mine.jsonl": cases}, run_set="mine.jsonl", run_methods=["overlap", "quip"], run_name="My run")
    shown = upload(app, files["my-run.toml"])
    assert "<td>quip</td>" in shown
    assert "From earlier studies: 0 of " in shown
    start(app)
    with closing(FOLDER.open(asked[-1])) as job:
        assert [m.id for m in plan_of(job).methods] == ["overlap", "quip"]
        assert plan_of(job).name == "My run"
