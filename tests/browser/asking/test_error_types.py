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
        told = page.locator(".st-key-errors_types .gs-notice", has_text="OPENAI_API_KEY")
        first.fill(f"anthropic:{MODEL}")
        second.fill("openai:gpt-4o")
        look.click()
        expect(told).to_contain_text("Set OPENAI_API_KEY in the environment")
        idle(page)
        second.fill(f"anthropic:{SECOND}")
        page.get_by_role("spinbutton", name="Responses").fill("4")
        look.click()
        expect(page.locator(".gs-privacy", has_text="Not sent yet")).to_contain_text("4 responses would go to 127.1")
        expect(page.locator("tr", has_text=f"anthropic:{SECOND}")).to_contain_text("4 to 8 calls")
        assert app.server.requests == []
        app.script.gate.clear()
        page.get_by_role("button", name="Send to 127.1 and start").click()
        page.get_by_role("button", name="Pause", exact=True).click(timeout=LONG)
        resume = page.get_by_role("button", name="Resume", exact=True)
        expect(resume).to_be_visible(timeout=LONG)
        expect(second).to_have_value(f"anthropic:{SECOND}")
        app.script.gate.set()
        resume.click()
        agreement = page.get_by_text("Both chose exactly the same types for 0 % of 4 responses")
        expect(agreement).to_be_visible(timeout=LONG)
        expect(agreement).to_contain_text("at least one in common for 100 %")
        expect(page.get_by_text("4 responses of this run got types.")).to_be_visible()
        assert len({(asked.body["model"], asked.unmarked) for asked in app.server.asked}) == 8
        FOLDER.delete(run)
