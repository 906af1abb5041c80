"""The fine-tuning panel as its user sees it."""

import json
import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import choose, idle, unfold
from tests.browser.methods.methods_page import App, Methods
from tests.browser.test_entry import upload

LONG = 300_000
"""Milliseconds in which a process starts, trains and judges, also where others use the processors."""


class Panel:
    """The panel of a session, with sets of this session's own."""

    def __init__(self, page: Page, app: App) -> None:
        self.page, self.app = page, app

    def load(self, folder: Path, files: dict[str, list[dict[str, object]]]) -> None:
        """Upload files of cases."""
        for name, rows in files.items():
            (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        upload(self.page, self.app.address, *(folder / name for name in files))
        expect(self.page.get_by_role("button", name="Open the first case")).to_have_count(len(files))

    def open(self) -> "Panel":
        """Go to the methods page, within the session where there is one."""
        link = self.page.get_by_role("link", name="⚙ Methods")
        if link.count():
            link.click()
            expect(self.page.get_by_role("heading", name="Your own classifier")).to_be_visible()
            idle(self.page)
        else:
            Methods(self.page, self.app)
        return self

    @property
    def form(self) -> Locator:
        return self.page.locator(".st-key-tune_form")

    @property
    def start(self) -> Locator:
        return self.form.get_by_role("button", name="Start training")

    @property
    def refusals(self) -> Locator:
        return self.form.locator(".gs-notice.bad")

    def fill_in(self, group: str | None, base: str | None = "fine-tuned") -> None:
        """Open the form; choose a set and a base."""
        self.expand("Train a classifier on labelled cases", self.page.get_by_role("combobox", name="Labelled cases"))
        if group is not None:
            choose(self.page, "Labelled cases", group)
        if base is not None:
            choose(self.page, "Base", "Another encoder on this machine")
            self.write("Folder, or id on the hub", str(self.app.models / base))

    def expand(self, title: str, inside: Locator, within: Locator | None = None) -> None:
        """Open an expander."""
        unfold((within or self.page).locator("summary", has_text=title).last, inside.first)
        idle(self.page)

    def write(self, label: str, text: str, role: str = "textbox") -> None:
        box = self.form.get_by_role(role, name=label)  # type: ignore[arg-type]
        box.fill(text)
        box.press("Tab")
        idle(self.page)

    def begin(self, name: str) -> Locator:
        """Start, and give the card of the training."""
        self.write("Name of the model", name)
        expect(self.start).to_be_enabled()
        self.start.click()
        card = self.training(name)
        expect(card).to_be_visible(timeout=LONG)
        return card

    def training(self, name: str) -> Locator:
        titled = self.page.get_by_role("heading", name=name, exact=True)
        return self.page.locator("[class*=st-key-trainings_open_]").filter(has=titled)

    def model(self, name: str) -> Locator:
        return self.page.locator(f".st-key-own_{name}")

    def learning(self, name: str) -> None:
        """Wait until its curve stands there."""
        expect(self.training(name)).to_contain_text(re.compile(r"Training, [\d,]+ of"), timeout=LONG)
        expect(self.training(name).locator(".main-svg").first).to_be_visible(timeout=LONG)

    def stop(self, name: str) -> None:
        button = self.training(name).get_by_role("button", name="Pause", exact=True)
        button.click()
        expect(self.training(name).get_by_role("button", name="Resume")).to_be_visible(timeout=LONG)

    def discard(self, card: Locator) -> None:
        """Both steps."""
        yes = self.page.get_by_role("button", name="Delete it")
        unfold(card.get_by_role("button", name="Delete"), yes)
        yes.click()
        expect(card).to_have_count(0)
        idle(self.page)
