"""The methods page: weights of a method by download and from a folder, in two sessions."""

import re

from playwright.sync_api import Page, expect

from scorers.factkb import WEIGHTS
from tests.browser.methods.methods_page import LONG, App, Methods
from tests.hub import Fault

FILE = "pytorch_model.bin"
COMMIT = WEIGHTS.revision
HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$ ![a](http://192.0.2.1/x.png) [b](javascript:alert(1))"


def test_weights_come_with_progress_stop_at_once_and_go_on_where_they_stopped(page: Page, app: App) -> None:
    methods = Methods(page, app)
    offer = methods.open("factkb", "Get weights")
    for words in (f"From {app.hub.url}, once", "bunsenfeng/FactKB, about 500 MB", f"revision {COMMIT}", "Licence: CC BY 4.0"):
        expect(offer).to_contain_text(words)
    expect(offer.get_by_role("link", name="model card").first).to_have_attribute(
        "href", "https://huggingface.co/bunsenfeng/FactKB"
    )
    expect(offer.get_by_role("button", name="Download 503 MB")).to_be_visible()
    page.keyboard.press("Escape")
    # One of the two is copied by hand: what is still to be loaded is the other.
    methods.use("factkb", str(app.models / "roberta-base"), "Folder of roberta-base")
    expect(methods.told("factkb")).to_have_text("Saved. See below for what is still missing.")
    expect(methods.state("factkb")).to_have_text("Weights not here")
    assert app.hub.requests == []
    app.hub.faults[:] = [Fault("stall", FILE, at=100_000)]
    offer = methods.open("factkb", "Get weights")
    expect(offer).not_to_contain_text("roberta-base,")
    offer.get_by_role("button", name="Download 500 MB").click()
    expect(methods.card("factkb")).to_contain_text("of 0.2 MB", timeout=LONG)
    expect(methods.state("factkb")).to_have_text(re.compile(r"Downloading \d+%"))
    # Another card is open: the list goes on counting.
    methods.card("quip")
    expect(methods.state("factkb")).to_have_text(re.compile(r"Downloading \d+%"))
    methods.go("Cases")
    methods.go("Methods")
    expect(methods.card("factkb")).to_contain_text("of 0.2 MB")
    other = Methods(page.context.new_page(), app)
    expect(other.card("factkb")).to_contain_text("of 0.2 MB")
    expect(other.state("factkb")).to_have_text(re.compile("Downloading"))

    methods.button("factkb", "Pause").click()
    for session in (methods, other):
        expect(session.card("factkb")).to_contain_text(re.compile(r"Paused at FactKB, 0\.\d of 0\.2 MB"), timeout=10_000)
        expect(session.state("factkb")).to_have_text(re.compile(r"^Download paused \d+%"))
    expect(methods.button("factkb", "Get weights")).to_have_count(0)
    app.hub.faults.clear()
    methods.button("factkb", "Resume").click()
    expect(methods.notice("factkb")).to_be_visible(timeout=3 * LONG)
    # Where all is paused a page looks again at its next draw.
    other.card("quip")
    other.card("factkb")
    for session in (methods, other):
        expect(session.notice("factkb")).to_have_text("The weights are installed and checked.", timeout=3 * LONG)
        expect(session.notice("factkb")).to_have_role("status")
        expect(session.state("factkb")).to_have_text("Ready")
    expect(methods.button("factkb", "Resume")).to_have_count(0)
    places = [str(app.data / "models" / "bunsenfeng" / f"FactKB-{COMMIT[:12]}"), str(app.models / "roberta-base")]
    expect(methods.fact("factkb", "Folder")).to_have_text(places)
    first, second = (r.range for r in app.hub.asked(FILE))
    assert first == ""
    assert int(second.removeprefix("bytes=").removesuffix("-")) >= 90_000
