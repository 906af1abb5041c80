"""Error types for a finished run on the Errors page: two models choose them, and they are kept, shown and given back."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.errors import page
from components.opened import run_figures as compared
from components.opened import runs
from groundscope.cases.error_typing import TYPING
from groundscope.chat.prompt_files import save_prompt, shipped
from groundscope.grounding.runs import listing
from groundscope.types import ErrorType
from tests.components.labelled_set import cases, judged_run
from tests.llm_server import LLMServer
from tests.pages.drawn import html, opened, press

FACT, STEP = ErrorType.FACTUAL_INACCURACY, ErrorType.PROCEDURAL_ERROR


@pytest.fixture
def run(data: Path) -> str:
    for cache in (page._counted, compared.levels, compared._gold):
        cache.clear()
    runs._verdicts().clear()
    return judged_run(cases(), "Mine")


@pytest.fixture
def app(run: str) -> AppTest:
    return opened("errors", {"run": run, "split": "all"})


@pytest.fixture
def models() -> Iterator[tuple[str, str]]:
    def types(*kinds: ErrorType) -> str:
        return json.dumps({"types": [kind.value for kind in kinds]})

    with LLMServer(lambda _: types(FACT, STEP)) as first, LLMServer(lambda _: types(FACT)) as second:
        yield f"server:scripted-1@{first.openai}", f"server:scripted-1@{second.openai}"


def offered(app: AppTest, first: str, second: str, count: int) -> AppTest:
    app.text_input(key="types_first").set_value(first)
    app.text_input(key="types_second").set_value(second)
    next(n for n in app.number_input if n.label == "Responses").set_value(count)
    return press(app, "Show the cost")


def sent(app: AppTest) -> None:
    app.button(key="types_start").click().run()
    ends = time.monotonic() + 90
    while list(TYPING.folder.files()) and time.monotonic() < ends:
        time.sleep(0.5)
        html(app.run())


def test_two_models_choose_types_of_the_run_which_can_be_taken_back(app: AppTest, run: str, models: tuple[str, str]) -> None:
    assert "No ungrounded response of this run has an error type, so all are in one column. Two chat models" in html(app)
    offered(app, *models, count=4)
    assert "<b>Not sent yet.</b> Questions, contexts and answers of 4 responses would go to <b>127.0.0.1</b>." in html(app)
    sent(app)
    assert "4 responses of this run got types." in html(app)
    assert "Both chose exactly the same types for 0 % of 4 responses, and at least one in common for 100 %" in html(app)
    assert f"after it was judged: 4 responses from {models[0]} and {models[1]} (" in html(app)
    assert "5 of 9 ungrounded responses of this run have no error type." in html(app)
    assert list(listing.find(run).types.sum(axis=0)) == [4, 0, 0, 0, 0, 0]
    app.button("errors_types_remove").click().run()
    assert "The added types were removed: Mine is as it was judged." in html(app)
    assert "No ungrounded response of this run has an error type" in html(app)
    assert listing.find(run).added == ()


def test_both_models_choose_by_the_prompt_that_was_chosen_and_the_run_names_it(run: str) -> None:
    save_prompt("error_types", "strict", {"system": "Be strict.", "task": "Choose."}, shipped("error_types"))
    with LLMServer(lambda _: json.dumps({"types": [FACT.value]})) as first, LLMServer(first.answer) as second:
        specs = [f"server:scripted-1@{server.openai}" for server in (first, second)]
        app = opened("errors", {"run": run, "split": "all"}, types_prompt="strict")
        offered(app, specs[0], specs[1], count=1)
        sent(app)
        assert [asked.system.startswith("Be strict.") for asked in (*first.asked, *second.asked)] == [True, True]
    assert f"{specs[0]} and {specs[1]}, strict prompt (" in html(app)


def test_models_that_cannot_choose_are_refused_before_anything_is_sent(app: AppTest, models: tuple[str, str]) -> None:
    for pair, words in {
        (models[0], "<b>x</b>"): "The second model cannot be read. A model is written provider:name",
        (models[0], models[0]): "Choose two different models.",
    }.items():
        assert words in html(offered(app, *pair, count=1))
        assert "types_start" not in {b.key for b in app.button}


def test_the_run_that_comes_with_the_app_has_no_form(app: AppTest) -> None:
    app.query_params["run"] = "offline-methods"
    app.run()
    assert "Error types by two chat models" not in {e.label for e in app.expander}
