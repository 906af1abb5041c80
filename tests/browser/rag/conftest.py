"""A small corpus with questions, and results made elsewhere."""

import gzip
import json
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

from groundscope.rag.records import to_row
from tests.browser.conftest import idle, open_tab, steady
from tests.browser.site import WATCHWORD
from tests.groundscope.rag.samples import published

HOSTILE = "<img src=x onerror=alert(1)> $x$ **bold**"
SUBJECTS = ("rent", "repairs", "notice", "deposits", "subletting", "pets", "costs", "entry")


class App(NamedTuple):
    address: str
    files: Path


def _lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("\n".join(json.dumps(r) for r in rows), encoding="utf-8")


@pytest.fixture(scope="package")
def app(server: str, tmp_path_factory: pytest.TempPathFactory) -> App:
    root = tmp_path_factory.mktemp("rag")
    texts = {s: f"The rule on {s} is number {i} of the lease. {WATCHWORD} {HOSTILE}" for i, s in enumerate(SUBJECTS)}
    _lines(root / "corpus.jsonl", [{"id": s, "title": f"Lease, {s}", "text": t} for s, t in texts.items()])
    questions = [
        {"id": f"q-{s}", "question": f"What is the rule on {s}? {HOSTILE}", "answer": t, "relevant_passage_id": s}
        for s, t in list(texts.items())[:4]
    ]
    _lines(root / "questions.jsonl", questions)
    _lines(root / "published.jsonl", [to_row(a) for a in published()])
    # Packed, as `rag-run --out` writes them.
    (root / "published.jsonl.gz").write_bytes(gzip.compress((root / "published.jsonl").read_bytes()))
    return App(server, root)


class Rag:
    """The Legal RAG page as a user works with it."""

    def __init__(self, page: Page, app: App) -> None:
        self.page, self.app = page, app

    def open(self) -> "Rag":
        self.page.goto(f"{self.app.address}/legal_rag")
        idle(self.page)
        return self

    def tab(self, name: str) -> "Rag":
        open_tab(self.page, name)
        return self

    def click(self, name: str) -> None:
        button = self.page.get_by_role("button", name=name, exact=True)
        steady(button)
        button.click()
        idle(self.page)

    def load_results(self) -> "Rag":
        self.tab("Load results")
        self.page.locator("input[type=file]").set_input_files(self.app.files / "published.jsonl.gz")
        # What was loaded is what one wants to see.
        expect(self.page.get_by_role("tab", name="Results", exact=True)).to_have_attribute("aria-selected", "true")
        expect(self.page.get_by_text("600 answers to 100 questions")).to_be_visible()
        idle(self.page)
        return self

    def load_corpus(self) -> "Rag":
        self.tab("New experiment")
        self.page.get_by_text("Load another corpus").click()
        idle(self.page)
        inputs = self.page.locator("input[type=file]")
        inputs.nth(0).set_input_files(self.app.files / "corpus.jsonl")
        idle(self.page)
        inputs.nth(1).set_input_files(self.app.files / "questions.jsonl")
        idle(self.page)
        self.click("Load them")
        expect(self.page.get_by_text("8 passages, 4 questions")).to_be_visible()
        return self

    def unchoose(self, name: str) -> None:
        """Take one away from what is chosen."""
        self.click(f"Remove {name}")

    @property
    def lead(self) -> Locator:
        return self.page.locator(".gs-lead").first


@pytest.fixture
def rag(page: Page, app: App) -> Rag:
    return Rag(page, app)
