"""What the form of a training refuses, and that it says so in a sentence in its place."""

import json
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.case_sets import CaseSet
from components.training import form as keys
from components.training.runner import Trainer
from groundscope.cases.dataset import read
from tests.components.labelled_set import rows
from tests.pages.drawn import opened
from tests.scorers import tiny

CANNOT_TEACH: dict[str, tuple[dict[str, object], str]] = {
    "bare": ({"grounded": None}, "These cases have no labels, so there is nothing to learn from"),
    "two-splits": ({"group": "same"}, "has responses in two splits, train and dev"),
}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny.quiet()
    models = tmp_path_factory.mktemp("models")
    tiny.bert_cross_encoder(models / "tuned", positions=256)
    tiny.bert_cross_encoder(models / "short")
    code = shutil.copytree(models / "tuned", models / "asks-for-code")
    config = json.loads((code / "config.json").read_text(encoding="utf-8"))
    (code / "config.json").write_text(json.dumps({**config, "auto_map": {"AutoConfig": "run.Me"}}), encoding="utf-8")
    (code / "run.py").write_text(f"open({str(models / 'was_run')!r}, 'w')", encoding="utf-8")
    (models / "decoder").mkdir()
    (models / "decoder" / "config.json").write_text('{"model_type": "<b>gpt2</b>"}', encoding="utf-8")
    return models


@pytest.fixture
def form(models: Path, data: Path) -> AppTest:
    """The open form, over the sample set and a base that can be trained."""
    app = opened("methods", **{keys.FORM: True})
    app.selectbox(keys.OTHER_BASE).set_value(True).run()
    app.text_input(keys.BASE).set_value(str(models / "tuned")).run()
    return app


def set_of(name: str, **changes: object) -> CaseSet:
    """A labelled set whose rows have each these fields changed."""
    return CaseSet(name, read(f"{name}.jsonl", "".join(json.dumps(r) + "\n" for r in rows(**changes)).encode()).cases)


def refusals(app: AppTest) -> list[str]:
    assert not app.exception
    notices = [e.proto.body for e in app.get("html") if "gs-notice bad" in e.proto.body]
    assert all("role='alert'" in body or 'role="alert"' in body for body in notices)
    return notices


def can_start(app: AppTest) -> bool:
    return not app.button("tune_start").disabled


def test_a_set_that_cannot_teach_is_refused_in_place(form: AppTest) -> None:
    form.session_state["sets"] = {name: set_of(name, **changes) for name, (changes, _) in CANNOT_TEACH.items()}
    form.run()
    for name, (_, words) in CANNOT_TEACH.items():
        form.selectbox(keys.SET).set_value(name).run()
        (said,) = refusals(form)
        assert words in said
        assert "tune_start" not in {b.key for b in form.button}


def test_names_bases_and_settings_that_mean_nothing_are_refused_in_place(form: AppTest, models: Path) -> None:
    assert refusals(form) == []
    assert can_start(form)
    for key, value, words in (
        (keys.NAME, "<img src=x>", "A model&#x27;s name has 1 to 40 small letters"),
        (keys.NAME, "../up", "A model&#x27;s name has 1 to 40 small letters"),
        (keys.BASE, "", "Name the folder of the base"),
        (keys.BASE, "/no/<b>such</b>", "/no/&lt;b&gt;such&lt;/b&gt;"),
        (keys.BASE, str(models / "short"), "The base reads 128 tokens at most, not 256"),
        (keys.BASE, str(models / "decoder"), "is of type bgpt2b, not an encoder"),
        (keys.BASE, str(models / "asks-for-code"), "auto_map"),
        (keys.BASE, "microsoft/deberta-v3-large", "microsoft/deberta-v3-large"),
    ):
        form.text_input(key).set_value(value).run()
        assert any(words in said for said in refusals(form)), (value, refusals(form))
        assert not can_start(form)
        form.text_input(key).set_value("fine" if key == keys.NAME else str(models / "tuned")).run()
        assert refusals(form) == []
    form.number_input(keys.EPOCHS).set_value(0.0).run()
    assert any("Epochs must lie above 0" in said for said in refusals(form))
    assert not can_start(form)
    assert not (models / "was_run").exists(), "code of a folder was run"


def test_what_the_process_refuses_is_said_in_its_sentence(form: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trainer, "refused", lambda _: {"hollow": "The base <b>hollow</b> cannot be read."})
    assert any("hollow was not trained: The base &lt;b&gt;hollow" in said for said in refusals(form.run()))


def test_a_search_is_the_commands_own_and_tries_each_number_of_passes(form: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[list[str]] = []
    monkeypatch.setattr(Trainer, "begin", lambda self, name, options, title, cases: begun.append(options))
    form.checkbox(keys.SEARCH).check().run()
    assert form.checkbox(keys.SEARCH).label == "Search: try 12 settings on dev"
    assert form.number_input(keys.EPOCHS).disabled
    form.button("tune_start").click().run()
    ((*_, last),) = begun
    # An option that is named stays as it is in a search.
    assert (last, any(o.startswith("--epochs") for o in begun[0])) == ("--search", False)
