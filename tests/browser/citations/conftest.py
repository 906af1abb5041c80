"""Analyses to load, hostile ones among them."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.conftest import choose, idle, open_tab
from tests.browser.site import WATCHWORD

HOSTILE = "<img src=x onerror=alert(1)> $x$ **bold**"


class App(NamedTuple):
    address: str
    files: Path


@pytest.fixture(scope="package")
def app(server: str, tmp_path_factory: pytest.TempPathFactory) -> App:
    root = tmp_path_factory.mktemp("citations")
    reference = f"Notice must be written. {WATCHWORD} {HOSTILE} Roe v. Wade, 410 U.S. 113 (1973). Rent is due. 28 U.S.C. § 1331."
    rows: list[dict[str, object]] = [
        {"id": f"a {HOSTILE}", "system": f"s {HOSTILE}", "reference": reference, "generated": reference, "rating": 3},
        {"id": "b", "system": "t", "reference": reference, "generated": f"x{'y' * 30_000} 410 U.S. 113", "rating": 1},
        {"id": "c", "system": "t", "reference": "", "generated": "قال القاضي إن العقد صحيح", "rating": 2},
        {"reference": "no generated text"},
    ]
    (root / "analyses.jsonl").write_text("\n".join(json.dumps(r) for r in rows), encoding="utf-8")
    return App(server, root)


class Recall:
    """The citation recall page as a user works with it."""

    def __init__(self, page: Page, app: App) -> None:
        self.page, self.app = page, app

    def open(self) -> "Recall":
        self.page.goto(f"{self.app.address}/citation_recall")
        idle(self.page)
        return self

    def tab(self, name: str) -> "Recall":
        open_tab(self.page, name)
        return self

    def choose(self, label: str, option: str) -> None:
        choose(self.page, label, option)

    def load(self) -> "Recall":
        self.tab("Load texts")
        self.page.locator("input[type=file]").set_input_files(self.app.files / "analyses.jsonl")
        self.page.get_by_text("analyses.jsonl: 3 texts").wait_for()
        idle(self.page)
        return self.tab("Citations")

    @property
    def lead(self) -> Locator:
        return self.page.locator(".gs-lead").first


@pytest.fixture
def recall(page: Page, app: App) -> Recall:
    return Recall(page, app)
