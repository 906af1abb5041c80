"""Nothing is drawn before a login at a real provider; a login ends, cannot be made up, and needs a role."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from components import shell
from tests.browser.conftest import idle
from tests.browser.looks import violations
from tests.browser.team.conftest import ANA, BEN, DAN, EVE, Team, log_in

_COOKIE = "_streamlit_user"
_PAGES = sorted({path for pages in shell.PLACES.values() for path in pages.values()} | {"pages/methods.py"})


@pytest.mark.parametrize("page_file", _PAGES)
def test_no_page_draws_before_a_login(team: Team, people: Callable[[], BrowserContext], page_file: str) -> None:
    path = "/" if page_file == "app.py" else f"/{page_file.removeprefix('pages/').removesuffix('.py')}"
    page = people().new_page()
    page.goto(f"{team.address}{path}")
    expect(page.get_by_role("button", name="Log in", exact=True)).to_be_visible()
    idle(page)
    assert page.locator("[data-testid=stMain]").inner_text().split("\n\n")[0] == "Groundscope"
    expect(page.locator(".st-key-navigation")).to_have_count(0)
    assert page.locator("[data-testid=stMain] button").count() == 1


def test_two_people_log_in_and_each_sees_their_own_name_and_role(team: Team, people: Callable[[], BrowserContext]) -> None:
    ana, ben = log_in(people(), team, "ana"), log_in(people(), team, "ben")
    for page, email, words in ((ana, ANA, "You are a lead"), (ben, BEN, "You are a reviewer")):
        page.locator(".st-key-account button").click()
        entry = page.get_by_test_id("stPopoverBody")
        expect(entry).to_contain_text(email)
        expect(entry).to_contain_text(words)
    expect(ana.get_by_role("button", name="People")).to_be_visible()
    expect(ben.get_by_role("button", name="People")).to_have_count(0)


def test_a_login_lasts_over_a_new_page_and_ends_with_log_out(team: Team, people: Callable[[], BrowserContext]) -> None:
    context = people()
    page = log_in(context, team, "ben")
    page.reload()
    page.locator(".st-key-account button").click()
    page.get_by_role("button", name="Log out").click()
    # The provider ends its own session, too.
    page.wait_for_url(re.compile("/oauth2/end_session"))
    page.get_by_role("button", name="End session").click()
    expect(page.get_by_role("button", name="Log in", exact=True)).to_be_visible()
    assert [c["name"] for c in context.cookies(team.address) if str(c["name"]).startswith(_COOKIE)] == []
    page.goto(f"{team.address}/review")
    expect(page.get_by_role("button", name="Log in", exact=True)).to_be_visible()


def test_a_person_whom_no_lead_named_sees_nothing_but_that(team: Team, people: Callable[[], BrowserContext]) -> None:
    page = log_in(people(), team, "eve")
    expect(page.locator(".st-key-login")).to_contain_text(f"You are logged in as {EVE}.")
    expect(page.locator(".st-key-navigation")).to_have_count(0)
    expect(page.get_by_role("button", name="Log out")).to_be_visible()


def test_an_address_that_the_provider_has_not_checked_opens_nothing(team: Team, people: Callable[[], BrowserContext]) -> None:
    page = log_in(people(), team, "mallory")
    expect(page.locator(".st-key-login")).to_contain_text("no e-mail address that its provider has checked")
    expect(page.locator(".st-key-navigation")).to_have_count(0)


@pytest.mark.parametrize("forged", ["another person", "cut off", "unsigned"])
def test_a_cookie_that_was_tampered_with_opens_nothing(team: Team, people: Callable[[], BrowserContext], forged: str) -> None:
    context = people()
    log_in(context, team, "dan").close()
    (cookie,) = (c for c in context.cookies(team.address) if c["name"] == _COOKIE)
    value = str(cookie["value"])
    other = people()
    log_in(other, team, "ana").close()
    (lead,) = (str(c["value"]) for c in other.cookies(team.address) if c["name"] == _COOKIE)
    # The lead's content under the reader's signature; a cut one; plain JSON.
    quoted = value.strip('"')
    forgeries = {
        "another person": lead.strip('"').rpartition("|")[0] + quoted[quoted.rfind("|") :],
        "cut off": quoted[:-4],
        "unsigned": f'{{"email":"{ANA}","is_logged_in":true,"origin":"{team.address}"}}'.replace('"', "%22"),
    }
    assert forgeries[forged] != quoted
    context.clear_cookies()
    context.add_cookies([{**cookie, "value": forgeries[forged]}])  # type: ignore[typeddict-item]
    page = context.new_page()
    page.goto(f"{team.address}/review")
    expect(page.get_by_role("button", name="Log in", exact=True)).to_be_visible()
    expect(page.locator(".st-key-navigation")).to_have_count(0)
    # And the cookie as it was still opens the page: the forgery alone is what was refused.
    context.clear_cookies()
    context.add_cookies([cookie])  # type: ignore[list-item]
    page.reload()
    page.locator(".st-key-account button").click()
    expect(page.get_by_test_id("stPopoverBody")).to_contain_text(DAN)


def test_the_leads_people_change_at_once(team: Team, people: Callable[[], BrowserContext]) -> None:
    eve = log_in(people(), team, "eve")
    page = log_in(people(), team, "ana")
    page.locator(".st-key-account button").click()
    page.get_by_role("button", name="People").click()
    dialog = page.get_by_role("dialog", name="People")
    # The entry that led here is not left open above it.
    expect(page.get_by_test_id("stPopoverBody")).to_be_hidden()
    dialog.get_by_label("E-mail address").fill(EVE.upper())
    dialog.get_by_role("button", name="Name", exact=True).click()
    expect(dialog.get_by_text(EVE, exact=True)).to_be_visible()
    eve.reload()
    expect(eve.locator(".st-key-navigation")).to_be_visible()
    line = dialog.locator("[data-testid=stHorizontalBlock], [data-testid=stLayoutWrapper]").filter(has_text=EVE).last
    line.get_by_role("button", name="Remove").click()
    expect(dialog.get_by_text(EVE, exact=True)).to_have_count(0)
    eve.reload()
    expect(eve.locator(".st-key-login")).to_contain_text(EVE)
    dialog.get_by_label("E-mail address").fill("no address")
    dialog.get_by_role("button", name="Name", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("Enter an e-mail address")
    assert violations(page) == []


def test_a_reader_reads_why_work_cannot_be_started(team: Team, people: Callable[[], BrowserContext]) -> None:
    context = people()
    page = log_in(context, team, "dan", "/runs")
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_disabled()
    expect(page.get_by_text("This needs a reviewer, and you are a reader. Ask a lead for that role.")).to_be_visible()
    assert violations(page) == []
    page.goto(f"{team.address}/methods")
    page.get_by_role("button", name="Use a folder").click()
    expect(page.get_by_role("button", name="Check and use")).to_be_disabled()
    reviewer = log_in(people(), team, "ben", "/runs")
    expect(reviewer.get_by_role("button", name="Start", exact=True)).to_be_enabled()


def test_a_role_that_was_taken_while_its_button_was_there_is_said_in_words(
    team: Team, people: Callable[[], BrowserContext], tmp_path: Path
) -> None:
    team.shell("people", EVE, "--role", "lead")
    page = log_in(people(), team, "eve", "/methods")
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
    page.get_by_role("button", name="Use a folder").click()
    expect(page.get_by_role("button", name="Check and use").first).to_be_disabled()
    team.shell("people", EVE, "--remove")
