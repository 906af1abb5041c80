"""Models that are on the hub and in folders, and an app that knows none of them yet."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.methods.finetuning_page import Panel
from tests.browser.methods.methods_page import App
from tests.browser.site import Site
from tests.scorers import tiny


@pytest.fixture(scope="package")
def started(the_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    tiny.quiet()
    models = tmp_path_factory.mktemp("methods") / "models"
    tiny.roberta(models / "factkb", models / "roberta-base")
    tiny.bert_cross_encoder(models / "fine-tuned", positions=256)
    the_site.hub.folders.update({"bunsenfeng/FactKB": models / "factkb", "roberta-base": models / "roberta-base"})
    yield App(the_site.address, the_site.hub, the_site.data, models)
    the_site.hub.folders.clear()


@pytest.fixture
def app(started: App) -> Iterator[App]:
    """Nothing was downloaded, named or trained before, nor will have been afterwards."""
    started.fresh()
    yield started
    started.fresh()


@pytest.fixture
def panel(page: Page, app: App) -> Panel:
    return Panel(page, app)
