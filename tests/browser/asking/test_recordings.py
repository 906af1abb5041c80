"""Kept replies: taken along as a recording, forgotten, brought in, and replayed with nobody asked."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.asking.asking_page import App, Methods, go, heatmap, offer, reading, send
from tests.browser.conftest import downloaded, idle
from tests.browser.scripted import KEY, MODEL

_NONE = {
    "<b>x</b>.jsonl": (b'{"a": 1}\n', "<b>x</b>.jsonl, line 1: this is not a recorded reply of Groundscope."),
    "deep.jsonl": (b"[" * 200_000, "deep.jsonl, line 1: this is not JSON, or a key occurs twice"),
    "bytes.jsonl": (b"\xff\xfe\x00", "bytes.jsonl is not UTF-8 text"),
}


def _bring_in(page: Page, name: str, content: bytes, words: str) -> None:
    page.get_by_role("button", name="Upload a recording").click()
    body = page.get_by_test_id("stPopoverBody")
    body.locator("input[type=file]").set_input_files({"name": name, "mimeType": "application/jsonl", "buffer": content})
    expect(body.get_by_text(name)).to_be_visible()
    body.get_by_role("button", name="Add replies").click()
    expect(page.locator(".gs-notice").last).to_contain_text(words)
    idle(page)
    page.keyboard.press("Escape")
    expect(body).to_be_hidden()


def test_a_recording_is_replayed_where_no_one_is_asked(page: Page, app: App) -> None:
    methods = Methods(page, app).use()
    heatmap(page)
    send(page)
    sent = app.calls()
    go(page, "Methods")
    expect(page.get_by_text(f"anthropic:{MODEL}, sampling=the provider's: {sent} replies")).to_be_visible()
    got = downloaded(page.get_by_role("button", name="Download recording"))
    recording = Path(got.path()).read_bytes()
    assert recording.count(b"\n") == sent
    assert KEY.encode() not in recording
    page.get_by_role("button", name="Delete all saved replies").click()
    page.get_by_role("button", name="Delete replies").click()
    expect(page.get_by_text("All saved replies are deleted.")).to_be_visible()
    expect(page.get_by_text("No replies are saved yet.")).to_be_visible()
    page.reload()
    idle(page)
    for name, (content, words) in _NONE.items():
        _bring_in(page, name, content, words)
    _bring_in(page, "mine.jsonl", recording, f"{sent} replies added")

    methods.fill(MODEL)
    page.get_by_text("Use saved replies only; send nothing").click()
    methods.press("Use this model")
    expect(methods.fact("Texts go to")).to_have_text("nowhere: saved replies are used")
    app.server.requests.clear()
    heatmap(page)
    expect(reading(page, "Direct prompting")).to_have_text("1 flagged")
    expect(offer(page)).to_have_count(0)
    page.locator(".strip").get_by_role("button", name="Direct prompting", exact=True).click()
    expect(page.locator(".verdict .note")).to_contain_text("Recorded: the replies were replayed, nothing was sent.")
    assert app.server.requests == []
