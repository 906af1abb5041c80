"""A cascade that asks a chat model: only after the user's word, only what is doubtful, and every sentence says who decided."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from groundscope.training.ensembles import write
from tests.browser.asking.asking_page import CASE, LONG, App, done, offer, reading, send
from tests.browser.conftest import Heatmap, idle
from tests.browser.scripted import MODEL, REASON
from tests.llm_server import Fault
from tests.scorers.fitted import cascade

TITLE = "Cascade thrifty"
BELOW = 0.5
"""What Overlap gives less than this is doubtful."""


@pytest.fixture
def thrifty(app: App) -> Iterator[str]:
    """The address of the case, judged by Overlap and, in doubt, by a chat model elsewhere."""
    spec = f"server:{MODEL}@{app.elsewhere}"
    path = app.data / "models" / "cascades" / "thrifty.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write(cascade("overlap", "direct", 0.0, BELOW, asked="answer", options={"model": spec}), path)
    yield f"{app.address}{CASE}&method=cascade:thrifty"
    path.unlink()


def test_a_cascade_asks_for_consent_and_its_tooltips_say_who_decided(page: Page, app: App, thrifty: str) -> None:
    app.server.faults[:] = [Fault("status", status=401)]
    page.goto(thrifty)
    expect(offer(page)).to_contain_text(f"{TITLE} sends this case's question, sources and answer to 127.1: at most", timeout=LONG)
    assert app.calls() == 0
    send(page)
    # Where the model does not answer, the first method does not decide in its place.
    expect(page.get_by_text(f"No answer: {TITLE}.")).to_be_visible()
    assert not page.locator(".strip tr", has_text=TITLE).locator(".cell").count()
    app.server.faults.clear()
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_text("No answer:")).to_have_count(0, timeout=LONG)
    done(page)
    expect(reading(page, TITLE)).to_have_text("1 flagged")
    Heatmap(page).all_methods()
    idle(page)
    strip = page.locator(".strip tbody tr")
    first, cells = (strip.filter(has_text=title).locator(".cell").all() for title in ("Overlap", TITLE))
    reasons = [str(cell.get_attribute("title")) for cell in cells]
    supports = [float(f"0{cell.inner_text()}") for cell in first]
    assert len(supports) == len(reasons) == 8
    for support, reason in zip(supports[:-1], reasons[:-1], strict=True):
        doubt = support < BELOW
        expected = "Direct prompting, which gives it 1.00: Overlap gives it" if doubt else "Overlap, which gives it"
        after = "which is doubtful (0.00 to 0.50)." if doubt else "only 0.00 to below 0.50 is doubtful."
        assert reason.startswith(f"Decided by {expected} {support:.2f}"), reason
        assert reason.endswith(after), reason
    assert {support < BELOW for support in supports[:-1]} == {True, False}
    # The model's own reason follows, for the words that it quotes.
    decided, _, own = reasons[-1].partition("\n")
    assert decided.startswith(f"Decided by Direct prompting, which gives it 0.00: Overlap gives it {supports[-1]:.2f}")
    assert own.endswith(f": {REASON}")
    cells[-1].click()
    why = page.locator(".why")
    expect(why).to_contain_text(decided)
    expect(why.locator(".claims tbody td").last).to_have_text(REASON)
