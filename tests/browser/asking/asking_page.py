"""The app beside a scripted model, and its pages as somebody sees them who has a chat model judge."""

import json
import re
import threading
from contextlib import closing
from pathlib import Path

from playwright.sync_api import Locator, Page, TimeoutError, expect

from evaluation.reply_store import ReplyStore
from evaluation.types import ErrorType
from tests.browser.conftest import Heatmap, idle
from tests.llm_server import Asked, LLMServer

MODEL, SECOND = "claude-haiku-5-5", "claude-opus-5-5"
KEY = "sk-test-Fernleaf-2094"
"""The provider's key; it must never reach a page."""
CASE = "/heatmap?case=overtime-exempt-variant-1"
LONG = 60_000
"""Milliseconds in which a model is asked, also where others use the processor."""
HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$"
"""Stands in replies; it must be drawn as it is."""
REASON = "The document does not say this."


class Script:
    """What the scripted model replies: well-formed replies to every method, when the gate is open.

    Attributes:
        gate: while it is shut, no reply comes.
    """

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.ended = threading.Event()

    def answer(self, asked: Asked) -> str:
        while not self.gate.wait(0.05) and not self.ended.is_set():
            pass
        return _answer(asked)


def _sentences(asked: Asked) -> list[tuple[int, str]]:
    return [(int(n), text) for n, text in re.findall(r"\[(\d+)\] (.*)", asked.data.get("answer", ""))]


def _answer(asked: Asked) -> str:
    task, data = asked.task, asked.data
    if "PASS if" in task:
        last = data["answer"].rsplit(". ", 1)[-1][:80]
        reasons = [HOSTILE, "The last sentence adds a claim."]
        return json.dumps({"reasons": reasons, "unsupported": [{"quote": last, "why": REASON}], "verdict": "FAIL"})
    if '"triplets"' in task:
        parts = ({"sentence": n, "subject": t[:12], "predicate": t[12:24], "object": t[24:60]} for n, t in _sentences(asked))
        return json.dumps({"triplets": list(parts)})
    if '"labels"' in task:
        count = len(data["claims"].split("\n"))
        labels = [{"number": i, "label": "Entailment", "reason": "It says so."} for i in range(1, count + 1)]
        return json.dumps({"labels": labels})
    if '"versions"' in task:
        word = max(data["answer"].split(), key=len)
        error = {"quote": "Neptune", "type": ErrorType.MISATTRIBUTION, "contradicted": True, "why": HOSTILE}
        changed = {"answer": data["answer"].replace(word, "Neptune", 1), "errors": [error]}
        return json.dumps({"versions": [changed, {"answer": "Too short.", "errors": []}]})
    if '"types"' in task:
        both = [ErrorType.MISATTRIBUTION, ErrorType.PROCEDURAL_ERROR]
        return json.dumps({"types": both[: 1 if asked.body["model"] == SECOND else 2]})
    return f"I would rather not say. {HOSTILE}"


class App:
    """The app with a data folder of its own; `here` and `elsewhere` are its model server, as this machine and as another host."""

    def __init__(self, address: str, server: LLMServer, script: Script, data: Path) -> None:
        self.address, self.server, self.script, self.data = address, server, script, data
        self.elsewhere, self.here = f"http://127.1:{server.port}/v1", server.openai

    def fresh(self) -> None:
        """Nothing was asked, kept or stated before, and the model answers at once."""
        self.script.gate.set()
        self.server.faults.clear()
        self.server.asked.clear()
        self.server.requests.clear()
        (self.data / "prices.csv").unlink(missing_ok=True)
        with closing(ReplyStore(self.data / "replies.sqlite")) as store:
            assert store.clear()

    def calls(self) -> int:
        """How many calls came in."""
        return len(self.server.asked)


class Methods:
    """The methods page."""

    def __init__(self, page: Page, app: App) -> None:
        self.page, self.app = page, app
        page.goto(f"{app.address}/methods")
        idle(page)

    def open(self, name: str, field: str) -> Locator:
        """Open a folded part; gives a button or field in it."""
        inside = self.page.get_by_role("button", name=field, exact=True)
        if not inside.is_visible():
            self.page.locator("summary", has_text=name).click()
            # What is clicked while the list still opens is moved away under the pointer.
            expect(inside).to_be_visible()
            self.page.wait_for_timeout(600)
        expect(inside).to_be_visible()
        return inside

    def fill(self, model: str, address: str | None = None) -> None:
        """Fill the form; an address means a server of one's own."""
        self.open("Choose a model", "Use this model")
        if address is not None:
            provider = self.page.get_by_role("combobox", name="Provider")
            provider.click()
            self.page.get_by_role("option", name=re.compile("A server of your own")).click()
            self.page.get_by_role("textbox", name="Address, for a server of your own").fill(address)
        self.page.get_by_role("textbox", name="Model", exact=True).fill(model)

    def press(self, name: str) -> Locator:
        """Press a button of the form; gives the notice that follows."""
        self.page.get_by_role("button", name=name, exact=True).click()
        return self.page.locator(".gs-notice").first

    def use(self, model: str = MODEL, address: str | None = None) -> "Methods":
        """Choose a model for this session."""
        self.fill(model, address)
        said = self.press("Use this model")
        try:
            said.wait_for(timeout=10_000)
        except TimeoutError:
            # The same choice twice is one choice.
            self.press("Use this model")
        expect(said).to_have_text(f"{model} is what methods ask now, in this session.", timeout=LONG)
        idle(self.page)
        return self

    def fact(self, name: str) -> Locator:
        """What stands beside a word of the chosen model's list."""
        return self.page.locator(f".gs-facts:not(.gs-words) dt:text-is('{name}') + dd").first

    def budget(self, dollars: str, calls: str = "") -> Locator:
        """Set the budget; gives the line that says what is left."""
        button = self.open("Budget of this session", "Set the budget")
        self.page.get_by_role("spinbutton", name="US dollars at most").fill(dollars)
        self.page.get_by_role("spinbutton", name="Calls at most").fill(calls)
        button.click()
        idle(self.page)
        return self.page.locator(".gs-left")


def go(page: Page, name: str) -> None:
    """Follow a link of the navigation, in the same session."""
    page.get_by_role("link", name=name, exact=True).click()
    page.wait_for_url(re.compile(f"/{name.lower()}"))
    idle(page)


def heatmap(page: Page) -> Heatmap:
    """The heatmap of the session, the local methods scored."""
    go(page, "Heatmap")
    page.locator(".strip .cell").first.wait_for(timeout=LONG)
    idle(page)
    return Heatmap(page)


def offer(page: Page) -> Locator:
    """What waits for the user's word."""
    return page.locator(".gs-privacy")


def row(page: Page, title: str) -> Locator:
    """A method's row of the strip."""
    return page.locator(".strip tbody tr", has_text=title)


def reading(page: Page, title: str) -> Locator:
    """What a method's row says at its end."""
    return row(page, title).locator("td.reading")


def send(page: Page, name: str = "Send this case") -> None:
    """Give one's word, and wait until what is asked has been answered."""
    page.get_by_role("button", name=name, exact=True).click()
    done(page)


def done(page: Page) -> None:
    """Wait until nothing is asked any more."""
    expect(offer(page)).to_have_count(0)
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_have_count(0, timeout=LONG)
    page.locator(".strip tr.busy").first.wait_for(state="detached", timeout=LONG)
    idle(page)
