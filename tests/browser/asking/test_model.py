"""Choosing a chat model on the methods page: the form, what it refuses, and the check of the connection."""

import socket

from playwright.sync_api import Page, expect

from tests.browser.asking.asking_page import LONG, App, Methods, heatmap, offer
from tests.browser.conftest import idle, unfold
from tests.browser.looks import looks, sound
from tests.browser.scripted import KEY, MODEL
from tests.llm_server import Fault


def test_a_model_is_chosen_for_the_session_and_forgotten_and_its_key_is_never_shown(page: Page, app: App) -> None:
    methods = Methods(page, app)
    expect(page.get_by_text("No model is chosen. Choose one to use the methods that ask a chat model.")).to_be_visible()
    state = page.locator(".methods tr", has=page.locator("button[data-key=direct]")).locator(".state")
    expect(state).to_have_text("Model not ready")
    methods.use()
    facts = {
        "Model": f"{MODEL}, Anthropic",
        "Texts go to": "127.1",
        "Key": "ANTHROPIC_API_KEY is set",
        "Spent in this session": "0 calls, 0 tokens, $0.00",
    }
    for name, words in facts.items():
        expect(methods.fact(name)).to_have_text(words)
    expect(methods.fact("Reads and writes")).to_contain_text("tokens in one call")
    expect(methods.fact("Price")).to_contain_text("a million tokens read")
    expect(state).to_have_text("Ready")
    assert KEY not in page.content()
    other = Methods(page.context.new_page(), app)
    expect(other.page.get_by_text("No model is chosen")).to_be_visible()
    methods.press("Clear this choice")
    expect(page.get_by_text("No model is chosen")).to_be_visible()
    expect(state).to_have_text("Model not ready")
    assert app.server.requests == []


WRONG_NAMES = {
    "": "Enter the model's name, for example claude-haiku-5-5.",
    "a;window=9": "Enter a model name without spaces",
    "<img src=x onerror=alert(1)>": "Enter a model name without spaces",
    "a@http://127.0.0.1": "Enter the address in its own field",
}
WRONG_ADDRESSES = {
    "ftp://x": "Start the address with http:// or https://",
    "http://user:pw@host/": "hold no spaces, names or passwords",
    "http://169.254.169.254/": "link-local or metadata address, where no model server is",
}


def test_what_cannot_be_meant_is_refused_in_words_of_the_form_and_the_check_sends_no_case(page: Page, app: App) -> None:
    methods = Methods(page, app)
    for name, words in WRONG_NAMES.items():
        methods.fill(name)
        expect(methods.press("Use this model")).to_contain_text(words)
        idle(page)
    expect(page.get_by_role("textbox", name="Model", exact=True)).to_have_value(name)
    page.get_by_role("textbox", name="Address, for a server of your own").fill("http://localhost:1")
    methods.fill(MODEL)
    expect(methods.press("Use this model")).to_contain_text("Anthropic has its own address: clear that field, or choose")
    methods.fill("llama3.1:8b", "")
    expect(methods.press("Use this model")).to_contain_text(
        "Enter the address of the server, for example http://localhost:11434/v1."
    )
    for address, words in WRONG_ADDRESSES.items():
        page.get_by_role("textbox", name="Address, for a server of your own").fill(address)
        expect(methods.press("Use this model")).to_contain_text(words)
        idle(page)
    expect(page.get_by_text("No model is chosen")).to_be_visible()
    assert app.server.requests == []

    page.reload()
    idle(page)

    def checked(model: str) -> None:
        methods.fill(model)
        page.get_by_role("button", name="Check the connection").click()
        page.get_by_text("no text of a case is sent").wait_for(timeout=LONG)

    told = page.locator(".gs-notice").first
    checked("no-such-model")
    expect(told).to_contain_text("answers, but lists no no-such-model; it lists claude-haiku-5-5, claude-opus-5-5.", timeout=LONG)
    app.server.faults[:] = [Fault("status", status=401, only="/models")]
    checked(MODEL)
    expect(told).to_contain_text("answered 401: the key is not valid", timeout=LONG)
    assert app.calls() == 0
    assert {path.partition("?")[0] for _, path, _ in app.server.requests} == {"/v1/models"}
    assert KEY not in page.content()


def test_settings_go_with_the_model_and_one_that_it_does_not_take_is_refused(page: Page, app: App) -> None:
    methods = Methods(page, app)
    methods.fill(MODEL)
    page.locator("summary", has_text="More settings").click()
    temperature = page.get_by_role("spinbutton", name="Temperature, empty = usual")
    temperature.fill("0.5")
    expect(methods.press("Use this model")).to_contain_text(f"{MODEL} takes no temperature; leave that setting out", timeout=LONG)
    idle(page)
    temperature.fill("")
    page.get_by_role("combobox", name="Reasoning effort").click()
    page.get_by_role("option", name="low", exact=True).click()
    expect(methods.press("Use this model")).to_have_text(f"Methods now ask {MODEL} in this session.", timeout=LONG)
    expect(methods.fact("Asked with")).to_have_text("sampling=the provider's, effort=low")
    assert app.server.requests == []


def test_a_check_that_hangs_is_stopped_and_is_no_other_sessions_check(page: Page, app: App) -> None:
    """Nothing listens behind a full backlog, so the connection is neither taken nor refused."""
    with socket.socket() as deaf, socket.socket() as first, socket.socket() as second:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        for filler in (first, second):
            filler.setblocking(False)
            filler.connect_ex(deaf.getsockname())
        methods, other = Methods(page, app), Methods(page.context.new_page(), app)
        other.fill(MODEL)
        methods.fill("llama3.1:8b", f"http://127.0.0.1:{deaf.getsockname()[1]}/v1")
        page.get_by_role("button", name="Check the connection").click()
        cancel = page.get_by_role("button", name="Cancel", exact=True)
        expect(cancel).to_be_visible()
        expect(other.page.get_by_role("button", name="Cancel", exact=True)).to_have_count(0)
        other.press("Check the connection")
        expect(other.page.locator(".gs-notice").first).to_have_text(f"{MODEL} is there, at 127.1.", timeout=LONG)
        cancel.click()
        expect(page.locator(".gs-notice").first).to_have_text("Stopped before the model answered.", timeout=5_000)


def test_the_forms_are_accessible_and_fit(page: Page, app: App) -> None:
    methods = Methods(page, app).use()
    methods.open("Budget of this session", "Set the budget")
    page.locator("summary", has_text="More settings").click()
    unfold(page.locator(".st-key-model_prices summary"), page.get_by_role("button", name="Save prices"))
    for look in looks(page):
        sound(page, f"chat-model-{look}")
    heatmap(page)
    expect(offer(page)).to_be_visible()
    for look in looks(page):
        sound(page, f"consent-{look}")
    assert app.calls() == 0
