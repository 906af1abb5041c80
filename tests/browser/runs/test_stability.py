"""The Stability page: from a number to its answers by keyboard, and how it looks."""

import json
from contextlib import closing
from threading import Lock

import pytest
from playwright.sync_api import Page, expect

from groundscope.experiments.plan import Part
from groundscope.grounding.parts import described
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import FOLDER
from groundscope.grounding.stability.copies import SOURCE, make, rewordings_of
from groundscope.methods import Method, registry
from tests.browser.conftest import idle
from tests.browser.looks import looks, sound
from tests.browser.runs.conftest import App
from tests.groundscope.grounding.runs import made_cases
from tests.groundscope.grounding.runs.scripted import judge
from tests.llm_server import Asked, LLMServer


@pytest.fixture
def readings_run(app: App, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(app.data))
    asked, lock = [0], Lock()

    def answer(_: Asked) -> str:
        with lock:
            asked[0] += 1
            verdict = "PASS" if asked[0] % 3 else "FAIL"
        return json.dumps({"reasons": [f"It is a {verdict}."], "unsupported": [], "verdict": verdict})

    with LLMServer(answer) as server:
        direct = registry.load("direct", model=f"server:scripted-1@{server.openai};at_once=1")
        loaded: dict[str, Method] = {"direct": direct, "overlap": registry.load("overlap")}
        parts = [described(Part(m), method) for m, method in loaded.items()]
        found = make(made_cases(6), 4, wordings=rewordings_of(loaded.values()))
        run = planning.begin(
            "Readings", f"{SOURCE}made-up cases", found.cases, parts, timed=False, afresh=True, wordings=found.wordings
        )
        with closing(FOLDER.open(run)) as file:
            assert judge(file, loaded).finished
    return run


def test_a_number_leads_to_its_answers_with_the_reasons_for_both_verdicts(page: Page, app: App, readings_run: str) -> None:
    page.goto(f"{app.address}/stability?run={readings_run}")
    idle(page)
    matrix = page.get_by_role("region", name="Verdict changed, by how it was judged and method")
    matrix.get_by_role("button").first.focus()
    page.keyboard.press("Enter")
    answers = page.locator(".st-key-stability_list")
    expect(answers.get_by_text("Why ungrounded").first).to_be_visible()
    expect(answers.get_by_text("It is a FAIL.").first).to_be_visible()
    idle(page)
    expect(answers).to_be_focused()
    for look in looks(page):
        sound(page, f"stability-{look}")
