"""The site of docs/ as someone opens it from the disk, without a server."""

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import watching
from tests.browser.site import ROOT

pytestmark = pytest.mark.release


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first page of a built site."""
    folder = tmp_path_factory.mktemp("docs site")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)], cwd=ROOT, check=True)
    return folder / "index.html"


@pytest.mark.parametrize("start", ["how-to/notebook.html", "methods/index.html"])
def test_a_search_from_the_disk_finds_a_page_and_asks_no_host(browser: Browser, index: Path, start: str) -> None:
    context = browser.new_context()
    with watching(context) as seen:
        page = context.new_page()
        page.goto((index.parent / start).as_uri())
        page.keyboard.press("/")
        page.keyboard.type("groundedness")
        found = page.locator(".md-search-result__link").filter(has_text="groundedness").first
        expect(found).to_be_visible()
        expect(page.locator(".md-search-result__meta")).to_contain_text("matching document")
        target = found.get_attribute("href") or ""
        found.click()
        page.wait_for_url(f"{target.partition('?')[0].partition('#')[0]}**")
        assert page.url.startswith("file:")
        assert page.url.partition("?")[0].partition("#")[0] != (index.parent / start).as_uri()
        expect(page.locator("article")).to_contain_text("groundedness", ignore_case=True)
    context.close()
    assert (seen.foreign, seen.errors) == ([], [])
