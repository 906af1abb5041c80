"""The commonest tasks in a real Chromium: clicks, scrolls and keys that each takes, and the seconds in which the app answers.

    python -m benchmarks.tasks

A window of 1440 x 900 pixels. What a task is after must be seen; where it lies outside the window, reaching it is a scroll.
A text that is pasted counts as one action. Seconds are the app's and the browser's, without a person's; the median of three.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from groundscope.commands.terminal import say
from tests import chromium
from tests.browser.conftest import Heatmap, idle
from tests.browser.site import site

_REPEATS = 3
_SEEN = """(node) => { const box = node.getBoundingClientRect();
  return box.top >= 0 && box.top + Math.min(box.height, 40) <= innerHeight; }"""
_SOURCE = "Source: Rule 4\nA notice must be given within one year. It must be in writing."
_ANSWER = "A notice must be given within two years. It must be in writing."


class Hand:
    """A user's hand and eye: what it does is counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.actions = page, 0

    def see(self, node: Locator) -> None:
        """Wait for something, and scroll to it if it is outside the window."""
        node.wait_for(state="visible")
        if not node.evaluate(_SEEN):
            self.actions += 1
            # A result that comes draws the page again; what was there before is gone then.
            node.evaluate("node => node.scrollIntoView({ block: 'center' })")

    def click(self, node: Locator) -> None:
        """Click on something that is seen."""
        self.see(node)
        self.actions += 1
        node.click()

    def link(self, name: str) -> None:
        """Click on a link by its name."""
        self.click(self.page.get_by_role("link", name=name, exact=True).first)

    def button(self, name: str) -> None:
        """Click on a button by its name."""
        self.click(self.page.get_by_role("button", name=name, exact=True).first)

    def paste(self, label: str, text: str) -> None:
        """Paste a text into a box."""
        self.actions += 1
        self.page.get_by_role("textbox", name=label).or_(self.page.get_by_role("searchbox", name=label)).fill(text)

    def press(self, keys: str) -> None:
        """Press keys, one action each."""
        for key in keys:
            self.actions += 1
            self.page.keyboard.press(key)


class UserTask(NamedTuple):
    """One task."""

    words: str
    before: Callable[[Page, str], None]
    does: Callable[[Hand], None]


def _overview(page: Page, address: str) -> None:
    page.goto(address)
    idle(page)


def _heatmap(page: Page, address: str) -> None:
    page.goto(f"{address}/heatmap?case=overtime-exempt-a")
    Heatmap(page).ready()


def _quiet(page: Page, address: str) -> None:
    page.goto(f"{address}/heatmap?case=oversight-duty-d")
    Heatmap(page).ready()


def _filled(hand: Hand) -> None:
    hand.paste("Question", "By when must a notice be given?")
    hand.paste("Text of source 1", _SOURCE)
    hand.paste("Response: the answer", _ANSWER)
    hand.button("Check the answer")
    Heatmap(hand.page).ready()


def _pasted(page: Page, address: str) -> None:
    page.goto(f"{address}/cases")
    idle(page)
    _filled(Hand(page))
    _overview(page, address)


def _own(hand: Hand) -> None:
    hand.button("Paste your own question, sources and answer")
    _filled(hand)
    hand.see(hand.page.locator(".verdict b"))


def _why(hand: Hand) -> None:
    hand.click(Heatmap(hand.page).sentences.nth(1))
    hand.see(hand.page.locator(".why .check").first)
    hand.see(Heatmap(hand.page).best)


def _weakest(hand: Hand) -> None:
    hand.button("Next weakest")
    hand.see(Heatmap(hand.page).best)


def _record(hand: Hand) -> None:
    hand.see(hand.page.locator(".verdict .record"))


def _search(hand: Hand) -> None:
    hand.press("/")
    hand.paste("Search the sources", "salary")
    hand.page.wait_for_function("() => CSS.highlights.get('groundscope-at')?.size")


def _methods(hand: Hand) -> None:
    hand.click(hand.page.locator(".strip .all"))
    hand.see(hand.page.locator(".strip tbody tr", has_text="QUIP").locator(".cell").nth(1))


def _next(hand: Hand) -> None:
    old = hand.page.url
    hand.button("Next")
    hand.page.wait_for_url(lambda url: url != old)
    Heatmap(hand.page).ready()


def _compare(hand: Hand) -> None:
    hand.link("Evaluate")
    hand.see(hand.page.locator(".gs-lead").first)


def _misses(hand: Hand) -> None:
    hand.link("Evaluate")
    hand.link("Errors")
    hand.click(hand.page.get_by_role("button", name="QUIP, Reasoning error"))
    idle(hand.page)
    hand.click(hand.page.locator(".list tbody button").first)
    hand.button("Open in the heatmap")
    Heatmap(hand.page).ready()


def _again(hand: Hand) -> None:
    hand.link("Cases")
    hand.button("Open")
    Heatmap(hand.page).ready()


TASKS = (
    UserTask("check an answer of one's own: from the overview to its verdict", _overview, _own),
    UserTask("read why a sentence is doubted, and where in the source", _heatmap, _why),
    UserTask("nothing is flagged: go to the sentence to read first", _quiet, _weakest),
    UserTask("see how often this method is right", _heatmap, _record),
    UserTask("find a word in the sources", _heatmap, _search),
    UserTask("see what every method says", _heatmap, _methods),
    UserTask("go to the next case", _heatmap, _next),
    UserTask("compare the methods: from the overview to the headline", _overview, _compare),
    UserTask("from the overview to a reasoning error that a method misses", _overview, _misses),
    UserTask("open a case that was pasted yesterday", _pasted, _again),
)


def main() -> Iterator[str]:
    """Lines of a Markdown table, one a task."""
    if chromium.find() is None:
        yield chromium.NONE
        return
    yield "| task | actions | seconds |"
    yield "|---|---:|---:|"
    with tempfile.TemporaryDirectory() as folder, site(Path(folder)) as app, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox", "--disable-gpu"])
        # The first session loads the models.
        _heatmap(browser.new_page(), app.address)
        for task in TASKS:
            runs = [_once(browser, app.address, task) for _ in range(_REPEATS)]
            yield f"| {task.words} | {runs[0][0]} | {statistics.median(seconds for _, seconds in runs):.1f} |"


def _once(browser: Browser, address: str, task: UserTask) -> tuple[int, float]:
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        page = context.new_page()
        task.before(page, address)
        hand, started = Hand(page), time.perf_counter()
        task.does(hand)
        return hand.actions, time.perf_counter() - started


if __name__ == "__main__":
    for line in main():
        say(line)
