"""The app of an installed wheel, started in an empty folder: its look, its samples and its weights are those of the package."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Heatmap
from tests.browser.site import serving
from tests.installed import build, install


@pytest.mark.release
def test_an_installed_app_works_in_an_empty_folder(page: Page, tmp_path: Path) -> None:
    environment = install(build(tmp_path / "wheel"), tmp_path / "site") | {"GROUNDSCOPE_DATA": str(tmp_path / "data")}
    empty = tmp_path / "empty"
    empty.mkdir()
    with serving(tmp_path / "log.txt", environment, folder=empty) as address:
        page.goto(f"{address}/heatmap?case=overtime-exempt-a")
        heatmap = Heatmap(page).ready().all_methods()
        expect(page.get_by_role("button", name="Grounding classifier SmolLM2", exact=True)).to_be_visible()
        assert heatmap.method()
        # The theme is read from the folder of the script.
        assert page.locator(".stApp").evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(251, 250, 248)"
        page.goto(f"{address}/compare")
        expect(page.get_by_text("Offline methods on the sample set").first).to_be_visible()
    assert list(empty.iterdir()) == []
