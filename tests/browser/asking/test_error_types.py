"""On the errors page: error types that two chat models choose for a finished run."""

import pytest
from playwright.sync_api import Page, expect

from groundscope.grounding.runs.store import FOLDER
from tests.browser.asking.asking_page import LONG, App
from tests.browser.conftest import idle
from tests.browser.scripted import MODEL, SECOND
from tests.components.labelled_set import cases, judged_run


def test_two_models_choose_error_types_and_the_agreement_is_reported(page: Page, app: App) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDSCOPE_DATA", str(app.data))
        run = judged_run(cases(), "Bare")
        page.goto(f"{app.address}/errors?run={run}&split=all")
        idle(page)
        page.locator("summary", has_text="Error types by two chat models").click()
        look = page.get_by_role("button", name="Show the cost")
        first, second = (page.get_by_role("textbox", name=f"{n} model") for n in ("First", "Second"))
        told = page.locator(".st-key-errors_types .gs-notice")
        first.fill(f"anthropic:{MODEL}")
        second.fill("openai:gpt-4o")
        look.click()
        expect(told).to_contain_text("Set OPENAI_API_KEY in the environment")
        idle(page)
        second.fill(f"anthropic:{SECOND}")
        page.get_by_role("spinbutton", name="Responses").fill("4")
        look.click()
        expect(page.locator(".gs-privacy")).to_contain_text("4 responses would go to 127.1: 8 calls")
        assert app.server.requests == []
        app.script.gate.clear()
        page.get_by_role("button", name="Send the responses").click()
        cancel = page.get_by_role("button", name="Cancel", exact=True)
        expect(cancel).to_be_visible()
        cancel.click()
        expect(page.get_by_text("Stopped. Replies that arrived are saved")).to_be_visible(timeout=LONG)
        app.script.gate.set()
        expect(second).to_have_value(f"anthropic:{SECOND}")
        look.click()
        page.get_by_role("button", name="Send the responses").click()
        agreement = page.get_by_text("Both chose exactly the same types for 0 % of 4 responses")
        expect(agreement).to_be_visible(timeout=LONG)
        expect(agreement).to_contain_text("at least one in common for 100 %")
        expect(page.get_by_text("4 responses of this run got types.")).to_be_visible()
        assert len({(asked.body["model"], asked.unmarked) for asked in app.server.asked}) == 8
        FOLDER.delete(run)
