"""A run of one method with two prompts: their texts on Runs, and two names that differ on every page."""

import json
from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import Page, expect

from groundscope.grounding.parts import described, named
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import FOLDER
from groundscope.methods import registry
from tests.browser.conftest import Heatmap
from tests.browser.runs.conftest import App
from tests.groundscope.grounding.runs import made_cases
from tests.groundscope.grounding.runs.scripted import judge
from tests.llm_server import Asked, LLMServer

PARTS = {
    "direct:prompt=standard": "Direct prompting (prompt=standard)",
    "direct:prompt=lynx": "Direct prompting (prompt=lynx)",
    "majority:prompt=lynx": "Majority of 3, Direct prompting (prompt=lynx)",
}


@pytest.fixture
def run(app: App, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The run's id; its model passes everything by one prompt and nothing by the other."""

    def answer(asked: Asked) -> str:
        if asked.user.startswith("Below are a QUESTION"):
            return json.dumps({"REASONING": ["It is not."], "SCORE": "FAIL"})
        return json.dumps({"reasons": ["It is."], "unsupported": [], "verdict": "PASS"})

    monkeypatch.setenv("GROUNDSCOPE_DATA", str(app.data))
    with LLMServer(answer) as server:
        settings = [f"{name}.model=server:scripted-1@{server.openai}" for name in PARTS]
        parts = named(list(PARTS), registry.names(), settings)
        scorers = {part.id: registry.load(part.method, **part.options) for part in parts}
        methods = [described(part, scorers[part.id]) for part in parts]
        made = planning.begin("Two prompts", "made-up cases", made_cases(6), methods)
        with closing(FOLDER.open(made)) as file:
            assert judge(file, scorers).finished
        yield made
    FOLDER.delete(made)


def test_what_tells_two_parts_of_one_method_apart_is_not_cut(page: Page, app: App, run: str) -> None:
    name, title = list(PARTS.items())[-1]
    page.goto(f"{app.address}/heatmap?run={run}&case={made_cases(1)[0].id}&method={name}")
    heatmap = Heatmap(page).ready()
    assert " ".join(heatmap.method().split()) == title
    for width in (1440, 1024):
        page.set_viewport_size({"width": width, "height": 900})
        label = page.locator(".strip .m", has_text=title).locator(".label")
        expect(label).to_have_text(title[title.index(" (") :])
        assert label.evaluate("e => e.scrollWidth <= e.clientWidth")
