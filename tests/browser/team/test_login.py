"""A login at a real provider as people see it: two people, its end, and what changes while they work."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from tests.app_session import AppSession
from tests.browser.conftest import idle
from tests.browser.looks import violations
from tests.browser.team.conftest import ANA, BEN, EVE, Team, log_in

_COOKIE = "_streamlit_user"


def test_two_people_log_in_and_a_login_lasts_over_a_new_page_and_ends_with_log_out(
    team: Team, people: Callable[[], BrowserContext]
) -> None:
    context = people()
    ana, ben = log_in(people(), team, "ana"), log_in(context, team, "ben")
    ben.reload()
    for page, email, words, leads in ((ana, ANA, "You are a lead", 1), (ben, BEN, "You are a reviewer", 0)):
        page.locator(".st-key-account button").click()
        entry = page.get_by_test_id("stPopoverBody")
        expect(entry).to_contain_text(email)
        expect(entry).to_contain_text(words)
        expect(page.get_by_role("button", name="People")).to_have_count(leads)
    ben.get_by_role("button", name="Log out").click()
    # The provider ends its own session, too.
    ben.wait_for_url(re.compile("/oauth2/end_session"))
    ben.get_by_role("button", name="End session").click()
    expect(ben.get_by_role("button", name="Log in", exact=True)).to_be_visible()
    assert violations(ben) == []
    assert [c["name"] for c in context.cookies(team.address) if str(c["name"]).startswith(_COOKIE)] == []
    ben.goto(f"{team.address}/review")
    expect(ben.get_by_role("button", name="Log in", exact=True)).to_be_visible()


def test_the_leads_people_change_at_once(
    team: Team, people: Callable[[], BrowserContext], visitor: Callable[[str], AppSession]
) -> None:
    eve = visitor("eve")
    page = log_in(people(), team, "ana")
    page.locator(".st-key-account button").click()
    page.get_by_role("button", name="People").click()
    dialog = page.get_by_role("dialog", name="People")
    # The entry that led here is not left open above it.
    expect(page.get_by_test_id("stPopoverBody")).to_be_hidden()
    dialog.get_by_label("E-mail address").fill(EVE.upper())
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog.get_by_text(EVE, exact=True)).to_be_visible()
    assert "No lead has given you a role" not in eve.open("/review").words()
    line = dialog.locator("[data-testid=stHorizontalBlock], [data-testid=stLayoutWrapper]").filter(has_text=EVE).last
    line.get_by_role("button", name="Remove").click()
    expect(dialog.get_by_text(EVE, exact=True)).to_have_count(0)
    assert "No lead has given you a role" in eve.open("/review").words()
    dialog.get_by_label("E-mail address").fill("no address")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("Enter an e-mail address")
    assert violations(page) == []


def test_a_role_that_was_taken_while_its_button_was_there_is_said_in_words(
    team: Team, people: Callable[[], BrowserContext], tmp_path: Path
) -> None:
    team.shell("people", EVE, "--role", "lead")
    page = log_in(people(), team, "eve", "/methods?method=hem_v2")
    page.get_by_role("button", name="Use a folder").click()
    page.get_by_test_id("stPopoverBody").get_by_role("textbox").first.fill(str(tmp_path))
    team.shell("people", EVE, "--role", "reader")
    page.get_by_role("button", name="Check and use").first.click()
    refused = page.get_by_role("alert")
    expect(refused).to_have_text("This needs a lead, and you are a reader. Ask a lead for that role.")
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.get_by_role("button", name="Show the page again").click()
    expect(page.locator(".st-key-navigation")).to_be_visible()
    expect(refused).to_have_count(0)
    idle(page)
    page.get_by_role("button", name="Use a folder").click()
    expect(page.get_by_role("button", name="Check and use").first).to_be_disabled()
    team.shell("people", EVE, "--remove")
