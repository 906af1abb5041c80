"""Prompts on a method's card: read, edited as a copy, used in this session, and deleted."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import choose, idle, unfold
from tests.browser.looks import looks, sound
from tests.browser.methods.methods_page import LONG, App


def _open(page: Page, app: App, method: str, field: str) -> None:
    page.goto(f"{app.address}/methods?method={method}")
    idle(page)
    unfold(page.locator(f".st-key-prompts_{method}_panel summary"), page.get_by_role("textbox", name=field))


def _save(page: Page, name: str) -> None:
    page.get_by_role("textbox", name="Name of the copy").fill(name)
    page.get_by_role("button", name="Save as a copy").click()
    idle(page)


def test_a_prompt_is_read_edited_saved_used_and_deleted(page: Page, app: App) -> None:
    _open(page, app, "direct", "What it is asked")
    task = page.get_by_role("textbox", name="What it is asked")
    expect(task).to_have_value(re.compile("^Decide whether the answer is faithful"))
    task.fill("Be strict.")
    _save(page, "lynx")
    said = page.locator(".gs-notice").first
    expect(said).to_contain_text("There is a prompt lynx already, and results name it; choose another name.", timeout=LONG)
    _save(page, "strict")
    expect(said).to_have_text("The prompt strict is saved, and in use in this session.", timeout=LONG)
    signature = page.locator(".st-key-options_direct .gs-signature")
    expect(signature).to_contain_text("prompt=strict")
    expect(task).to_have_value("Be strict.")
    assert "Be strict." in (app.data / "prompts" / "direct" / "strict.toml").read_text("utf-8")
    page.get_by_role("button", name="Delete this prompt").click()
    idle(page)
    expect(said).to_have_text("The prompt strict is deleted. Results that it gave stay.", timeout=LONG)
    expect(signature).to_contain_text("prompt=standard")
    expect(task).to_have_value(re.compile("^Decide whether"))


def test_lynx_takes_its_own_message_from_a_file_and_says_where_it_is(page: Page, app: App) -> None:
    _open(page, app, "lynx", "The whole message")
    panel = page.locator(".st-key-prompts_lynx_panel")
    expect(panel).to_contain_text("huggingface.co/PatronusAI/Llama-3-Patronus-Lynx-8B-Instruct")
    upload = {"name": "card.txt", "mimeType": "text/plain", "buffer": b"{question} {context} {answer} {{}}"}
    panel.locator("input[type=file]").set_input_files(upload)  # type: ignore[arg-type]
    idle(page)
    _save(page, "trained")
    expect(page.get_by_role("textbox", name="The whole message")).to_have_value("{question} {document} {answer} {}", timeout=LONG)
    page.get_by_role("button", name="Delete this prompt").click()
    idle(page)
    expect(page.locator(".gs-notice").first).to_contain_text("is deleted", timeout=LONG)


def test_majority_shows_the_prompts_of_the_method_it_asks_and_a_deleted_one_is_in_use_nowhere(page: Page, app: App) -> None:
    _open(page, app, "majority", "What it is asked")
    page.get_by_role("textbox", name="What it is asked").fill("Be strict.")
    _save(page, "strict")
    said = page.locator(".gs-notice").first
    expect(said).to_have_text("The prompt strict is saved, and in use in this session.", timeout=LONG)
    expect(page.locator(".st-key-options_majority .gs-signature")).to_contain_text("prompt=strict")
    assert "Be strict." in (app.data / "prompts" / "direct" / "strict.toml").read_text("utf-8")
    page.get_by_role("button", name="Direct prompting", exact=True).click()
    idle(page)
    unfold(page.locator(".st-key-prompts_direct_panel summary"), page.get_by_role("combobox", name="Prompt to read"))
    choose(page, "Prompt to read", "strict")
    page.get_by_role("button", name="Delete this prompt").click()
    idle(page)
    expect(said).to_have_text("The prompt strict is deleted. Results that it gave stay.", timeout=LONG)
    page.get_by_role("button", name="Majority of 3, Direct prompting", exact=True).click()
    idle(page)
    expect(page.locator(".st-key-options_majority .gs-signature")).to_contain_text("prompt=standard")


def test_the_panel_is_accessible_and_fits(page: Page, app: App) -> None:
    _open(page, app, "direct", "What it is asked")
    for look in looks(page):
        sound(page, f"prompts-{look}")
