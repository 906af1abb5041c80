"""An app with a data folder of its own, and a hub on loopback that it asks for weights."""

import json
import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import serving
from tests.browser.methods.finetuning_page import Panel
from tests.browser.methods.methods_page import App
from tests.hub import Hub
from tests.scorers import tiny


@pytest.fixture(scope="package")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    tiny.quiet()
    root = tmp_path_factory.mktemp("methods")
    models = root / "models"
    tiny.roberta(models / "factkb", models / "roberta-base")
    tiny.deberta(models / "hem", 1)
    tiny.bert_cross_encoder(models / "fine-tuned")
    asks_for_code = shutil.copytree(models / "fine-tuned", models / "asks-for-code")
    config = json.loads((asks_for_code / "config.json").read_text(encoding="utf-8"))
    (asks_for_code / "config.json").write_text(json.dumps({**config, "auto_map": {"AutoConfig": "run.Me"}}), encoding="utf-8")
    (asks_for_code / "run.py").write_text(f"open({str(models / 'was_run')!r}, 'w')", encoding="utf-8")
    served = {
        "bunsenfeng/FactKB": "factkb",
        "roberta-base": "roberta-base",
        "vectara/hallucination_evaluation_model": "hem",
        "potsawee/deberta-v3-large-mnli": "hem",
        "nlpaueb/legal-bert-base-uncased": "factkb",
    }
    with Hub({name: models / folder for name, folder in served.items()}) as hub:
        own = {
            k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and not k.startswith(("HF_", "GROUNDSCOPE_"))
        }
        own |= {"HF_ENDPOINT": hub.url, "HF_HOME": str(root / "hf"), "GROUNDSCOPE_DATA": str(root / "data")}
        with serving(root / "log.txt", own) as address:
            yield App(address, hub, root / "data", models)
    assert not (models / "was_run").exists(), "code of a folder was run"


@pytest.fixture
def app(started: App) -> App:
    """Nothing was downloaded or named before."""
    started.hub.faults.clear()
    started.hub.requests.clear()
    shutil.rmtree(started.data / "models", ignore_errors=True)
    (started.data / "settings.json").unlink(missing_ok=True)
    return started


@pytest.fixture
def panel(page: Page, app: App) -> Panel:
    """The fine-tuning panel, with no training of an earlier test."""
    shutil.rmtree(app.data / "trainings", ignore_errors=True)
    return Panel(page, app)
