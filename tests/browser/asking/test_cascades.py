"""A cascade that asks a chat model: only after the user's word, only what is doubtful, and every sentence says who decided."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from components import case_sets
from groundscope.grounding.parts import described, named
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import FOLDER
from groundscope.methods import registry
from tests.browser.asking.asking_page import CASE, LONG, App, done, offer, reading, send
from tests.browser.conftest import Heatmap, idle
from tests.browser.scripted import MODEL, REASON
from tests.llm_server import Fault

PART = "cascade:thrifty"
TITLE = "Cascade, Overlap then Direct prompting (thrifty)"
BELOW = 0.495
START = registry.load("overlap").about.threshold or 0.0
HIGH = round(0.5 + (BELOW - START) / (1 - START) / 2, 2)
"""What Overlap gives less than `BELOW` lies in the band up to here, on the scale on which its starting threshold is 0.5."""


@pytest.fixture
def thrifty(app: App, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of the case and of a run's part, which has it judged by Overlap and, in doubt, by a chat model elsewhere."""
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(app.data))
    options = {
        "second": "direct",
        "low": "0.0",
        "high": f"{HIGH:g}",
        "reads": "answer",
        "model": f"server:{MODEL}@{app.elsewhere}",
    }
    (part,) = named((PART,), registry.names(), [f"{PART}.{name}={value}" for name, value in options.items()])
    found = case_sets.find(CASE.rpartition("=")[2])
    assert found
    method = registry.load(part.method, **part.options)
    run = planning.begin("Thrifty", "samples", [found[1]], [described(part, method)])
    yield f"{app.address}{CASE}&run={run}&method={PART}"
    FOLDER.delete(run)


def test_a_cascade_asks_for_consent_and_its_tooltips_say_who_decided(page: Page, app: App, thrifty: str) -> None:
    app.server.faults[:] = [Fault("status", status=401)]
    page.goto(thrifty)
    expect(offer(page)).to_contain_text(f"{TITLE} sends this case's question, sources and answer to 127.1: at most", timeout=LONG)
    assert app.calls() == 0
    send(page)
    # Where the model does not answer, the first method does not decide in its place.
    expect(page.get_by_text(f"No answer: {TITLE}.")).to_be_visible()
    assert not page.locator(".strip tr", has_text="(thrifty)").locator(".cell").count()
    app.server.faults.clear()
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_text("No answer:")).to_have_count(0, timeout=LONG)
    done(page)
    expect(reading(page, "(thrifty)")).to_have_text("1 doubtful")
    Heatmap(page).all_methods()
    idle(page)
    strip = page.locator(".strip tbody tr")
    first, cells = (strip.filter(has_text=title).locator(".cell").all() for title in (re.compile("^Overlap"), "(thrifty)"))
    reasons = [str(cell.get_attribute("title")) for cell in cells]
    supports = [float(f"0{cell.inner_text()}") for cell in first]
    assert len(supports) == len(reasons) == 8
    for support, reason in zip(supports[:-1], reasons[:-1], strict=True):
        doubt = support < BELOW
        expected = "Direct prompting, which gives it 1.00" if doubt else "Overlap"
        after = f"which is doubtful (0 to {HIGH:g})." if doubt else f"only 0 to {HIGH:g} is doubtful."
        assert reason.startswith(f"Decided by {expected}: Overlap gives it {support:.2f} ("), reason
        assert reason.endswith(after), reason
    assert {support < BELOW for support in supports[:-1]} == {True, False}
    # The model's own reason follows, for the words that it quotes.
    decided, _, own = reasons[-1].partition("\n")
    assert decided.startswith(f"Decided by Direct prompting, which gives it 0.00: Overlap gives it {supports[-1]:.2f} (")
    assert own.endswith(f": {REASON}")
    cells[-1].click()
    why = page.locator(".why")
    expect(why).to_contain_text(decided)
    expect(why.locator(".claims tbody td").last).to_have_text(REASON)
