"""What a chat model said in the heatmap, and what failed."""

import re

from playwright.sync_api import Page, expect

from tests.browser.asking.asking_page import LONG, App, Methods, done, heatmap, reading, row, send
from tests.browser.conftest import unfold
from tests.browser.scripted import HOSTILE, REASON
from tests.llm_server import Fault


def test_what_failed_is_tried_again_and_claims_stand_with_their_reasons(page: Page, app: App) -> None:
    app.server.faults[:] = [Fault("status", status=401)]
    Methods(page, app).use()
    heatmap(page)
    send(page)
    expect(page.get_by_text("No answer: Claims Verify, Direct prompting and RefChecker.")).to_be_visible()
    row(page, "Direct prompting").get_by_role("button").click()
    expect(page.locator(".verdict")).to_contain_text("answered 401: the key is not valid")
    app.server.faults.clear()
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_text("No answer:")).to_have_count(0, timeout=LONG)
    done(page)
    expect(reading(page, "Direct prompting")).to_have_text("1 doubtful")
    row(page, "Direct prompting").locator(".cell").last.click()
    claims = page.locator(".why")
    expect(claims.locator("h2")).to_contain_text("Sentence 8: does not match the sources")
    expect(claims.locator(".claims tbody td").last).to_have_text(REASON)
    expect(page.locator(".verdict .note")).to_contain_text(HOSTILE)
    expect(reading(page, "RefChecker")).not_to_have_text("")
    row(page, "Claims Verify").get_by_role("button").click()
    expect(page.locator(".verdict")).to_contain_text("No verdict: the method's answer could not be read")
    raw = page.locator("details.raw")
    raw.locator("summary").press("Enter")
    expect(raw.locator("pre")).to_have_text(f"I would rather not say. {HOSTILE}")
    expect(page.get_by_role("button", name="Retry")).to_have_count(0)
    # What carries a sentence is asked in a job, within the session's limit.
    row(page, "Direct prompting").locator("button.m").click()
    before, limit = app.calls(), page.get_by_label("US dollars at most")
    unfold(page.get_by_text("What carries this sentence"), limit)
    expect(limit).to_have_value("1.00")
    page.get_by_role("button", name=re.compile("start$")).click()
    expect(page.locator(".gs-without tbody tr")).to_have_count(1 + 6, timeout=LONG)
    assert app.calls() == before + 6
