"""What the form of a training refuses and begins, and what stands above it."""

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.case_sets import CaseSet
from components.training import page as keys
from groundscope.cases.dataset import read
from groundscope.experiments.listing import listed
from groundscope.experiments.plan import Progress
from groundscope.training import jobs
from groundscope.training.finetuning import grid
from groundscope.training.jobs import KIND
from groundscope.training.options import Options
from groundscope.training.pairs import parts
from tests.components.labelled_set import rows
from tests.pages.drawn import html, opened
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


def test_a_training_is_a_job_of_the_form_s_choices(form: AppTest, asked: list[str], models: Path) -> None:
    form.text_input(keys.NAME).set_value("own").run()
    form.number_input(keys.EPOCHS).set_value(1.5).run()
    form.button("tune_start").click().run()
    ((job,), _) = listed(KIND)
    assert asked == [job.id]
    assert (job.name, job.plan.base, job.plan.options.epochs) == ("own", str(models / "tuned"), 1.5)
    assert (job.plan.recipe.scope, job.plan.fixed) == ("changed", None)
    # The form is closed, and the training stands above it.
    form.run()
    assert "Not started, 1 model" in form.get("progress")[0].proto.text
    form.session_state[keys.FORM] = True
    form.run()
    form.text_input(keys.NAME).set_value("own").run()
    assert any("There is an unfinished training own. Resume it above" in said for said in refusals(form))
    form.button(key=f"trainings_delete_{job.id}").click().run()
    assert (listed(KIND)[0], refusals(form)) == ([], [])


def test_a_search_tries_each_number_of_passes(form: AppTest, asked: list[str]) -> None:
    form.checkbox(keys.SEARCH).check().run()
    assert form.checkbox(keys.SEARCH).label == "Search: try 12 settings on dev"
    assert form.number_input(keys.EPOCHS).disabled
    form.button("tune_start").click().run()
    ((job,), _) = listed(KIND)
    assert len(grid(job.plan.options, job.plan.fixed)) == 12


def test_a_paused_training_has_its_curve_and_one_of_an_earlier_version_a_notice(models: Path, data: Path) -> None:
    plan = jobs.planned("own", "<b>s</b>.jsonl", str(models / "tuned"), "paper", Options())
    job = jobs.create(plan, parts(set_of("s").cases))
    with closing(KIND.folder.open(job)) as file:
        file.charge("judged")
        file.say(Progress("model", "Training", 40, 900))
    place = jobs.place_of(job)
    place.mkdir()
    lines = [{"step": 20, "loss": 0.7}, {"step": 40, "loss": 0.5}, {"step": 40, "dev_f1": 0.6, "dev_auroc": 0.7}]
    rows_ = [json.dumps({"steps": 900, "seconds": line["step"], **line}) for line in lines]
    (place / "progress.jsonl").write_text("\n".join(rows_), encoding="utf-8")
    (data / "models" / "finetuned" / "old-folder.partial").mkdir(parents=True)
    app = opened("methods")
    assert app.get("progress")[0].proto.text == "Paused at Training, 40 of 900"
    text = html(app)
    assert "&lt;b&gt;s&lt;/b&gt;.jsonl · paper recipe" in text
    assert "Loss 0.500 at step 40, 0.700 at first; on dev macro-F1 0.600 and AUROC 0.700 at step 40" in text
    assert "An earlier version began trainings that this one cannot resume" in text
    assert "old-folder.partial" in text
    assert "Its checkpoints and its copy of the cases are deleted from this machine permanently." in text
    assert {b.label for b in app.button if str(b.key).startswith("trainings_")} == {"Resume", "Delete it"}
