"""A run of one method with two prompts: their texts on Runs, and two names that differ on every page."""

import json
from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import Page, expect

from groundscope.grounding.parts import named
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import FOLDER
from groundscope.methods import registry
from tests.browser.conftest import Heatmap, idle, unfold
from tests.browser.runs.conftest import App
from tests.groundscope.grounding.runs import made_cases
from tests.groundscope.grounding.runs.judging import judge
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
        scorers = {part.name: registry.load(part.method, **part.options) for part in parts}
        methods = [planning.method_run(part, scorers[part.name]) for part in parts]
        made = planning.begin("Two prompts", "made-up cases", made_cases(6), methods)
        with closing(FOLDER.open(made)) as file:
            assert judge(file, scorers).finished
        yield made
    FOLDER.delete(made)


def test_the_parts_have_two_names_in_compare_and_in_the_heatmap(page: Page, app: App, run: str) -> None:
    page.goto(f"{app.address}/compare?run={run}")
    idle(page)
    box = page.get_by_role("combobox", name="Method", exact=True)
    unfold(box, page.get_by_role("option").first)
    assert {option.inner_text() for option in page.get_by_role("option").all()} == set(PARTS.values())
    for name in list(PARTS)[1:]:
        page.goto(f"{app.address}/heatmap?run={run}&case={made_cases(1)[0].id}&method={name}")
        heatmap = Heatmap(page).ready()
        assert " ".join(heatmap.method().split()) == PARTS[name]
        for width in (1440, 1024):
            page.set_viewport_size({"width": width, "height": 900})
            label = page.locator(".strip .m", has_text=PARTS[name]).locator(".label")
            expect(label).to_have_text(PARTS[name][PARTS[name].index(" (") :])
            assert label.evaluate("e => e.scrollWidth <= e.clientWidth"), "what tells it from the other is cut"
