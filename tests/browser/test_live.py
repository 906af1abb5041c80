"""The page Live over a feed of two versions, one with a hostile name: figures, the worst answer, the way to it, and deleting."""

from collections.abc import Iterator
from contextlib import closing
from threading import Event

import pytest
from playwright.sync_api import Page, expect

from groundscope.grounding.chosen_parts import parts_here
from groundscope.traces.store import LiveStore
from groundscope.traces.watching import Watched, watch
from tests.browser.conftest import Heatmap, idle
from tests.browser.looks import looks, sound
from tests.browser.site import WATCHWORD, Site
from tests.groundscope.traces import systems

DAY = 86_400 * 10**9
HOSTILE = "2 <img src=x onerror=alert(1)> $x$ **bold** | " + "long " * 30
BAD = f"{WATCHWORD} says that the deposit is lost at once."


@pytest.fixture
def feed(the_site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveStore]:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(the_site.data))
    folder = the_site.data.parent / "traces"
    folder.mkdir(exist_ok=True)
    for day in range(40):
        good, bad = (5, 0) if day < 33 else (2, 3)
        cases = [systems.case(f"t {day} {i}", BAD if i >= good else "Rent is due on May 1.") for i in range(good + bad)]
        at, version = systems.MIDNIGHT + day * DAY, "1.0" if day < 33 else HOSTILE
        systems.write(folder / f"{day:02}.jsonl", systems.hexadecimal(systems.spans_of(cases, at=at, version=version)))
    with closing(LiveStore("rent", new=True)) as made, made.working():
        made.say(path=str(folder), rate=1.0, link="https://traces.example/t/{trace}")
        watch(made, Watched(folder, texts=True), parts_here(["overlap", "quip"]), follow=False, stop=Event())
    yield made
    made.path.unlink(missing_ok=True)


@pytest.mark.usefixtures("feed")
def test_a_fall_is_shown_with_the_worst_answers_and_the_way_to_them(page: Page, server: str) -> None:
    page.goto(f"{server}/live")
    idle(page)
    lead = page.locator(".gs-lead")
    expect(lead).to_contain_text("In the 28 days before it was 100.0% of 140: it fell by 60.0 points (99.9 % interval")
    expect(page.get_by_text("200 of 200 answers judged")).to_be_visible()
    table = page.get_by_role("table").filter(has_text="Against the one before")
    expect(table.locator("tbody tr").first).to_contain_text("2 <img src=x onerror=alert(1)> $x$ **bo")
    expect(table.locator("tbody tr").first).to_contain_text("lower, ")
    expect(page.locator("img[src=x]")).to_have_count(0)
    for look in looks(page):
        sound(page, f"live-{look}")
    page.set_viewport_size({"width": 1440, "height": 1000})
    idle(page)
    worst = page.get_by_test_id("stDataFrame")
    worst.scroll_into_view_if_needed()
    box = worst.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 52)
    idle(page)
    link = page.get_by_role("link", name="Open the trace")
    href = link.get_attribute("href") or ""
    assert href.startswith("https://traces.example/t/")
    expect(page.get_by_role("heading", name=f"Trace {href.rpartition('/')[2]}")).to_be_visible()
    page.get_by_role("button", name="Open in the heatmap").click()
    heatmap = Heatmap(page).ready()
    expect(heatmap.sentences.first).to_contain_text(WATCHWORD)


@pytest.mark.usefixtures("feed")
def test_texts_and_feeds_are_deleted_where_a_person_says_so(page: Page, server: str) -> None:
    page.goto(f"{server}/live")
    idle(page)
    page.get_by_role("button", name="Delete the texts").click()
    page.get_by_role("button", name="Delete them").click()
    expect(page.get_by_text("The texts are deleted.")).to_be_visible()
    page.get_by_role("button", name="Delete this feed").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_text("rent is deleted.")).to_be_visible()
    expect(page.get_by_text("No feed is here yet.")).to_be_visible()
    for look in looks(page):
        sound(page, f"live-empty-{look}")
