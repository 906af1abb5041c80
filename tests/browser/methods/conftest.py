"""Models that are on the hub and in folders, and an app that knows none of them yet."""

import json
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.methods.finetuning_page import Panel
from tests.browser.methods.methods_page import App
from tests.browser.site import Site
from tests.scorers import tiny
from tests.scorers.judges import folders


@pytest.fixture(scope="package")
def started(the_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    tiny.quiet()
    models = tmp_path_factory.mktemp("methods") / "models"
    tiny.roberta(models / "factkb", models / "roberta-base")
    tiny.deberta(models / "hem", 1)
    tiny.bert_cross_encoder(models / "fine-tuned", positions=256)
    folders.entailment(models / "entails", folders.ORDERS["first"])
    folders.entailment(models / "two-meanings", ("entailment", "Entailed", "neutral"))
    folders.modernbert(models / "lettuce")
    asks_for_code = shutil.copytree(models / "fine-tuned", models / "asks-for-code")
    config = json.loads((asks_for_code / "config.json").read_text(encoding="utf-8"))
    (asks_for_code / "config.json").write_text(json.dumps({**config, "auto_map": {"AutoConfig": "run.Me"}}), encoding="utf-8")
    (asks_for_code / "run.py").write_text(f"open({str(models / 'was_run')!r}, 'w')", encoding="utf-8")
    served = {
        "bunsenfeng/FactKB": "factkb",
        "roberta-base": "roberta-base",
        "someone/entails": "entails",
        "cross-encoder/nli-deberta-v3-base": "entails",
        "someone/two-meanings": "two-meanings",
        "KRLabsOrg/lettucedect-base-modernbert-en-v1": "lettuce",
        "vectara/hallucination_evaluation_model": "hem",
        "potsawee/deberta-v3-large-mnli": "hem",
        "nlpaueb/legal-bert-base-uncased": "factkb",
    }
    the_site.hub.folders.update({name: models / folder for name, folder in served.items()})
    yield App(the_site.address, the_site.hub, the_site.data, models)
    the_site.hub.folders.clear()
    assert not (models / "was_run").exists(), "code of a folder was run"


@pytest.fixture
def app(started: App) -> Iterator[App]:
    """Nothing was downloaded, named or trained before, nor will have been afterwards."""
    started.fresh()
    yield started
    started.fresh()


@pytest.fixture
def panel(page: Page, app: App) -> Panel:
    return Panel(page, app)
