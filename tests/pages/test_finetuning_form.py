"""What the form of a training refuses, and that it says so in a sentence in its place."""

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.case_sets import CaseSet
from components.training import state as keys
from groundscope.cases.dataset import read
from tests.components.labelled_set import cases, judged_run, rows
from tests.scorers import tiny

ROOT = Path(__file__).resolve().parents[2]
CANNOT_TEACH: dict[str, tuple[dict[str, object], str]] = {
    "bare": ({"grounded": None}, "These cases have no labels, so there is nothing to learn from"),
    "one-class": ({"grounded": True}, "needs grounded and ungrounded responses"),
    "two-splits": ({"group": "same"}, "has responses in two splits, train and dev"),
    "only-test": ({"split": "test"}, "No labelled case is in the split train; there are test."),
}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny.quiet()
    models = tmp_path_factory.mktemp("models")
    tiny.bert_cross_encoder(models / "tuned")
    code = shutil.copytree(models / "tuned", models / "asks-for-code")
    config = json.loads((code / "config.json").read_text(encoding="utf-8"))
    (code / "config.json").write_text(json.dumps({**config, "auto_map": {"AutoConfig": "run.Me"}}), encoding="utf-8")
    (code / "run.py").write_text(f"open({str(models / 'was_run')!r}, 'w')", encoding="utf-8")
    (models / "decoder").mkdir()
    (models / "decoder" / "config.json").write_text('{"model_type": "<b>gpt2</b>"}', encoding="utf-8")
    hollow = shutil.copytree(models / "tuned", models / "hollow")
    (hollow / "model.safetensors").write_bytes(b"no weights")
    return models


@pytest.fixture
def form(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The open form, over the sample set and a base that can be trained."""
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    app.session_state[keys.FORM] = True
    app.switch_page("pages/methods.py").run()
    app.selectbox(keys.OTHER_BASE).set_value(True).run()
    app.text_input(keys.BASE).set_value(str(models / "tuned")).run()
    return app


def set_of(name: str, **changes: object) -> CaseSet:
    """A labelled set whose rows have each these fields changed."""
    return CaseSet(name, read(f"{name}.jsonl", "".join(json.dumps(r) + "\n" for r in rows(**changes)).encode()).cases)


def refusals(app: AppTest) -> list[str]:
    assert not app.exception
    found = [e.proto.body for e in app.get("html") if "gs-notice bad" in e.proto.body]
    assert all("role='alert'" in body or 'role="alert"' in body for body in found)
    return found


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
    form.number_input("tune_longest").set_value(64).run()
    assert refusals(form) == []
    assert can_start(form)
    for key, value, words in (
        (keys.NAME, "<img src=x>", "A model&#x27;s name has 1 to 40 small letters"),
        (keys.NAME, "../up", "A model&#x27;s name has 1 to 40 small letters"),
        (keys.BASE, "", "Name the folder of the base"),
        (keys.BASE, "/no/<b>such</b>", "/no/&lt;b&gt;such&lt;/b&gt;"),
        (keys.BASE, str(models / "decoder"), "is of type bgpt2b, not an encoder"),
        (keys.BASE, str(models / "asks-for-code"), "auto_map"),
        (keys.BASE, "microsoft/deberta-v3-large", "microsoft/deberta-v3-large"),
    ):
        form.text_input(key).set_value(value).run()
        assert any(words in said for said in refusals(form)), (value, refusals(form))
        assert not can_start(form)
        form.text_input(key).set_value("fine" if key == keys.NAME else str(models / "tuned")).run()
        assert refusals(form) == []
    for key, number, words in (
        ("tune_longest", 400, "The base reads 128 tokens at most, not 400"),
        ("tune_longest", 3, "ongest at least 16 tokens"),
        ("tune_epochs", 0.0, "Epochs must lie above 0"),
        ("tune_batch", -1, "must be at least 1"),
        ("tune_evidence_paper", 0, "Evidence must be at least 1 sentence"),
        ("tune_edits_paper", -1, "edits at least 0"),
    ):
        form.number_input(key).set_value(number).run()
        assert any(words in said for said in refusals(form)), (key, refusals(form))
        assert not can_start(form)
        form.number_input(key).set_value(64 if key == "tune_longest" else 1).run()
        assert refusals(form) == []
    assert not (models / "was_run").exists(), "code of a folder was run"


def told(app: AppTest) -> str:
    return "\n".join(e.proto.body for e in app.get("html"))


def test_pairs_and_a_teacher_count_and_what_cannot_teach_is_refused(form: AppTest) -> None:
    taught, strange = judged_run(cases()), judged_run(cases(" of another set"), "Strange")
    form.session_state["sets"] = {"few": CaseSet("few", cases())}
    form.run()
    form.selectbox(keys.SET).set_value("few").run()
    form.number_input("tune_longest").set_value(64).run()
    assert "About 10 pairs" in told(form)
    form.multiselect(keys.PAIRS).set_value(["legal_nli.jsonl"]).run()
    assert "legal_nli.jsonl: 2,352 pairs to learn from, 288 to steer by. 480 pairs of test are left out." in told(form)
    assert "About 2,362 pairs" in told(form)
    form.selectbox(keys.TEACHER_RUN).set_value(taught).run()
    assert form.selectbox(f"{keys.TEACHER}_{taught}").value == "overlap"
    assert "It judged 20 sentences of the responses to learn from." in told(form)
    assert "About 2,382 pairs" in told(form)
    assert refusals(form) == []
    assert can_start(form)
    form.selectbox(keys.TEACHER_RUN).set_value(strange).run()
    (said,) = refusals(form)
    assert "The run judged other texts under the ids of these cases; give a run of these cases." in said
    assert not can_start(form)


def test_a_set_with_a_split_of_its_own_is_learned_from_by_its_name(form: AppTest) -> None:
    mine = tuple(replace(c, split="mine" if c.split == "train" else c.split) for c in cases())
    form.session_state["sets"] = {"own": CaseSet("own", mine), "usual": CaseSet("usual", cases())}
    form.run()
    form.selectbox(keys.SET).set_value("usual").run()
    assert keys.SPLIT not in {s.key for s in form.selectbox}
    form.selectbox(keys.SET).set_value("own").run()
    assert form.selectbox(keys.SPLIT).value == "mine"
    assert "10 responses to learn from (mine), 6 to steer by (dev)" in told(form)


def test_what_the_process_refuses_is_said_in_its_sentence(form: AppTest, models: Path, tmp_path: Path) -> None:
    form.session_state["sets"] = {"few": set_of("few")}
    form.run()
    form.selectbox(keys.SET).set_value("few")
    form.number_input("tune_longest").set_value(64).run()
    form.text_input(keys.BASE).set_value(str(models / "hollow")).run()
    form.text_input(keys.NAME).set_value("hollow").run()
    form.button("tune_start").click().run()
    until = time.monotonic() + 240
    while not (said := [s for s in refusals(form) if "hollow was not trained: " in s]):
        assert time.monotonic() < until
        time.sleep(0.2)
        form.run()
    assert "Traceback" not in said[0]
    assert not (tmp_path / "trainings" / "hollow").exists()
