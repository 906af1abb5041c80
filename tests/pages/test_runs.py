"""The Runs page without a browser: one method several times in a run, swept or under a name of the user's."""

import time
from contextlib import closing
from dataclasses import replace
from html import escape

import pytest
from streamlit.testing.v1 import AppTest

from components.opened import choice
from groundscope.chat.prompt_files import delete_prompt, save_prompt
from groundscope.errors import DataError
from groundscope.experiments.plan import Part
from groundscope.grounding.parts import described
from groundscope.grounding.runs import listing, planning
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.store import FOLDER, plan_of
from groundscope.methods import registry
from groundscope.paths import Variable
from groundscope.types import Case, Passage
from tests.groundscope.grounding.runs.scripted import judge
from tests.pages.drawn import html, opened, press


@pytest.fixture
def app(asked: list[str]) -> AppTest:
    return opened("runs", run_methods=["quip"])


def add(app: AppTest, option: str, values: str, name: str = "") -> None:
    """Add parts of QUIP in `Use a method more than once`."""
    app.selectbox(key="run_part_method").set_value("quip").run()
    app.selectbox(key="run_part_option_quip").set_value(option)
    app.text_input(key="run_part_name").set_value(name)
    app.text_input(key="run_part_values").set_value(values).run()
    app.button(key="run_part_add").click().run()
    assert not app.exception, app.exception


def test_a_part_and_a_sweep_are_added_and_the_run_has_them_but_for_what_was_removed(app: AppTest, asked: list[str]) -> None:
    add(app, "scope", "sentence", "by sentence")
    add(app, "n", "9, 15, 21")
    app.button(key="run_part_remove_quip:n=21").click().run()
    assert app.multiselect(key="run_methods").value == ["quip", "quip:by sentence", "quip:n=9", "quip:n=15"]
    app.button(key="run_start").click().run()
    (run,) = asked
    parts = plan_of(FOLDER.open(run)).methods
    assert [(p.id, p.title, dict(p.options), p.sweep) for p in parts] == [
        ("quip", "QUIP", {}, ""),
        ("quip:by sentence", "QUIP (by sentence)", {"scope": "sentence"}, ""),
        ("quip:n=9", "QUIP (n=9)", {"n": 9}, "quip.n"),
        ("quip:n=15", "QUIP (n=15)", {"n": 15}, "quip.n"),
    ]
    assert {p.loads for p in parts} == {"quip"}


def test_prompts_are_parts_side_by_side_and_the_run_shows_their_texts_though_they_are_deleted(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(Variable.MODEL, "server:scripted-1@http://127.0.0.1:9/v1")
    # Those that come with the app have prompts of their own.
    monkeypatch.setattr(listing, "samples", lambda: [])
    shipped = registry.load("direct").prompts()
    hostile = "Be <b>strict</b> & *fair*."
    # A name of figures alone stays a name.
    save_prompt("direct", "2026", {**dict(shipped[0].texts), "task": hostile}, shipped)
    app = opened("runs", run_methods=[])
    app.selectbox(key="run_part_method").set_value("direct").run()
    app.selectbox(key="run_part_option_direct").set_value("prompt").run()
    app.multiselect(key="run_part_prompts_direct").set_value(["standard", "2026"]).run()
    app.button(key="run_part_add").click().run()
    app.multiselect(key="run_part_prompts_direct").set_value(["lynx"])
    app.text_input(key="run_part_name").set_value("as in the paper").run()
    app.button(key="run_part_add").click().run()
    app.button(key="run_start").click().run()
    (run,) = asked
    with closing(FOLDER.open(run)) as file:
        methods = plan_of(file).methods
        file.finish()
    found = [(m.title, dict(m.options), m.sweep, list(m.prompts)) for m in methods]
    assert found == [
        (f"Direct prompting ({name})", {"prompt": prompt}, "", [prompt])
        for name, prompt in {"prompt=standard": "standard", "prompt=2026": "2026", "as in the paper": "lynx"}.items()
    ]
    delete_prompt("direct", "2026")
    app.run()
    text = html(app)
    assert "Direct prompting (prompt=2026), prompt 2026" in text
    assert escape(hostile) in text
    assert hostile not in text
    assert text.count(escape(dict(shipped[0].texts)["system"])) == 2


@pytest.mark.parametrize(
    ("values", "says"), [("0", "n must be a whole number of at least 1, such as 21, got 0"), ("9, 9", "with at least two values")]
)
def test_a_value_that_means_nothing_adds_no_part_and_says_why(app: AppTest, values: str, says: str) -> None:
    add(app, "n", values)
    assert app.multiselect(key="run_methods").value == ["quip"]
    assert says in html(app)


def test_the_files_of_a_run_can_be_written_only_when_no_process_is_about_to(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Part("overlap")
    run = FOLDER.open(planning.begin("Mine", "f", [CASE], [described(part, registry.load("overlap"))]))
    assert judge(run, {"overlap": registry.load("overlap")}).finished
    with monkeypatch.context() as full:
        # Else what asks how long earlier runs took writes them.
        full.setattr(listing, "export", lambda *_: (_ for _ in ()).throw(DataError("The disk is full.")))
        with run.working():
            app.run()
            assert "Its files are being written." in html(app)
            assert "Write its files" not in [button.label for button in app.button]
        app.run()
    assert "Its files are being written." not in html(app)
    press(app, "Write its files")
    assert "Write its files" not in [button.label for button in app.button]


CASE = Case(
    "mine",
    "Who won?",
    (Passage("p", "The tenant won the appeal in the higher court."),),
    "The tenant won the appeal in the lower court.",
)


def linked(app: AppTest, part: Part) -> AppTest:
    """The heatmap by a link to a case of a run of one named part."""
    method = registry.load(part.loads, **part.options)
    planned = described(part, method)
    run = planning.begin("Parts", "f", [CASE], [planned])
    assert judge(FOLDER.open(run), {part.id: method}).finished
    for name, value in {"case": CASE.id, "method": part.id, "run": run}.items():
        app.query_params[name] = value
    app.switch_page("pages/heatmap.py").run()
    assert not app.exception, app.exception
    return app


def test_a_link_to_a_case_shows_the_part_that_it_names_with_the_parts_own_options(app: AppTest) -> None:
    part = Part("quip:n=9", method="quip", options={"n": 9})
    linked(app, part)
    assert "in the link is not here" not in html(app)
    chosen = next(m for m in app.multiselect if m.label == "Methods to show")
    assert "QUIP (n=9)" in chosen.options
    assert part.id in chosen.value
    until = time.monotonic() + 60
    while app.session_state["jobs"] and time.monotonic() < until:
        app.run()
    found = {signature: j.support for (signature, of), j in app.session_state["judgements"].items() if of == CASE}
    method = registry.load("quip", n=9)
    assert found[method.signature] == method.score(CASE).support
    assert found[method.signature] != found[registry.load("quip").signature]


def test_a_part_that_is_not_what_judged_in_the_run_is_not_shown_under_its_name(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked_run = choice._linked_run

    def changed() -> RunData | None:
        """The run, as if its part had been another when it judged."""
        run = linked_run()
        return run and replace(run, methods=tuple(replace(m, signature=f"{m.signature}|older") for m in run.methods))

    monkeypatch.setattr(choice, "_linked_run", changed)
    linked(app, Part("quip:n=9", method="quip", options={"n": 9}))
    assert "The method quip:n=9 in the link is not here: it was deleted, has other settings now" in html(app)
    assert "parts" not in app.session_state or app.session_state["parts"] == {}
