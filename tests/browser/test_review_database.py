"""Decisions in a real Postgres server that crashes while a reviewer decides: said, held, and saved once when it is back."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from groundscope.paths import Variable
from groundscope.review.store import ReviewStore
from groundscope.storage.database import Database
from tests.browser.site import serving
from tests.browser.test_review import begin, press
from tests.postgres import running


@pytest.mark.release
def test_a_crash_of_the_server_loses_and_doubles_no_decision(page: Page, tmp_path: Path) -> None:
    with running() as postgres:
        url = postgres.make()
        own = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDSCOPE_")}
        own |= {Variable.DATABASE: url, "GROUNDSCOPE_DATA": str(tmp_path / "data")}
        with serving(tmp_path / "log.txt", own) as address:
            begin(page, address)
            press(page, "1")
            for ruling in ("2", "3"):
                postgres.stop()
                page.keyboard.press(ruling)
                expect(page.get_by_text(re.compile("does not answer. Not saved yet: 1 decision, which"))).to_be_visible(
                    timeout=20_000
                )
                postgres.start()
                expect(page.get_by_text("Saved: 1 decision that waited for the database.")).to_be_visible(timeout=20_000)
                page.locator(".pane .s").first.wait_for()
            store = ReviewStore(Database(url))
            assert [str(d.decision.ruling) for d in store.all()] == ["supported", "partly supported", "not supported"]
            store.close()
