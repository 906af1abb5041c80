"""The Arguments page without a browser: what it shows at once, hostile names, filters, options and uploads."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.arguments.state import ARGUED, ArgumentFile, ArgumentFilter, ScenarioSet
from components.experiments.jobs import jobs
from groundscope.arguments import runs
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.extraction import of_sets
from groundscope.arguments.records import pasted
from groundscope.arguments.scenario_files import to_row
from groundscope.arguments.scenarios import make_all
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import Test
from groundscope.experiments.listing import listed
from tests.groundscope.arguments.scripted import argues, spec
from tests.llm_server import LLMServer

HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$ [link](javascript:1)"
ROOT = Path(__file__).resolve().parents[2]
Open = Callable[..., AppTest]
SCENARIOS = make_all(TRADE_SECRETS, list(Test), 2, [5], 0)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def opened() -> Open:
    def open_(*texts: str, **state: object) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        if texts:
            judged = tuple(pasted(s, HOSTILE, t, TRADE_SECRETS) for s, t in zip(SCENARIOS, texts, strict=False))
            app.session_state["arguments_files"] = {
                HOSTILE: ArgumentFile(HOSTILE, TRADE_SECRETS, judged, ("Row 2 was left out.",))
            }
        for key, value in state.items():
            app.session_state[key] = value
        app.switch_page("pages/arguments.py").run()
        assert not app.exception, app.exception
        return app

    return open_


def html_of(app: AppTest) -> str:
    return "\n".join(str(block.proto.body) for block in app.get("html"))


def test_the_example_is_shown_at_once(opened: Open) -> None:
    text = html_of(opened())
    assert "180 arguments about 36 triples" in text
    assert "Invents or mixes up most: Invents factors (Acc_H 8" in text
    assert "Leaves most out: Leaves factors out" in text


def test_names_and_texts_of_others_are_escaped(opened: Open) -> None:
    text = html_of(opened(f"TSC1 had F99. {HOSTILE}", "", "There is no common factor."))
    assert "<img" not in text
    assert "&lt;img src=x" in text
    assert "Row 2 was left out." in text


def test_a_negative_accuracy_is_shown_as_it_is(opened: Open) -> None:
    strangers = ", ".join(f"F{n}" for n in range(100, 180))
    assert "Acc_H −" in html_of(opened(f"TSC1 had {strangers}."))


def test_a_filter_lists_what_goes_wrong_with_a_factor(opened: Open) -> None:
    wanted = ArgumentFilter("Invents factors", None, "arguable", None, None, "invented")
    assert "12 of 180 arguments" in html_of(opened(arguments_filter=wanted))
    nothing = ArgumentFilter("Faithful", None, None, None, None, "invented")
    assert "No argument matches the filters." in html_of(opened(arguments_filter=nothing))


def shown(app: AppTest, label: str) -> list[object]:
    """What a select box offers."""
    (box,) = (b for b in app.selectbox if b.label == label)
    return list(box.options)


def test_a_click_by_complexity_lists_what_can_be_argued_alone(opened: Open) -> None:
    text = html_of(opened(arguments_filter=ArgumentFilter("Faithful", None, ARGUED, 5)))
    assert "8 of 180 arguments" in text
    assert "12 of 180 arguments" in html_of(opened(arguments_filter=ArgumentFilter("Faithful", None, None, 5)))


def test_factors_of_a_model_that_errs_nowhere_keep_the_way_back(opened: Open) -> None:
    app = opened(arguments_filter=ArgumentFilter("Faithful"), arguments_tab="Factors")
    text = html_of(app)
    assert "Of Faithful. These arguments use every factor correctly." in text
    assert "36 of 180 arguments" in text
    (model,) = (b for b in app.selectbox if b.label == "Model")
    model.select("All").run()
    assert "Of all models. The 15 factors with most errors." in html_of(app)


def test_factors_under_one_wording_say_so(opened: Open) -> None:
    judged = tuple(pasted(s, m, "TSC1 had F99.", TRADE_SECRETS, w) for s in SCENARIOS for m in "ab" for w in ("plain", "own"))
    files = {"f": ArgumentFile("f", TRADE_SECRETS, judged)}
    text = html_of(opened(arguments_files=files, arguments_filter=ArgumentFilter(None, "plain"), arguments_tab="Factors"))
    assert "Of all models, Plain. The 15 factors with most errors." in text


def test_a_filter_does_not_outlive_the_arguments_that_it_is_of(opened: Open) -> None:
    app = opened("TSC1 had F4.", "TSC1 had F4.", "TSC1 had F4.", arguments_filter=ArgumentFilter(None, None, "arguable"))
    assert "2 of 3 arguments" in html_of(app)
    (source,) = (b for b in app.selectbox if b.label == "Arguments")
    source.select("Example: built-in arguers, no model").run()
    assert not app.exception
    assert "180 of 180 arguments" in html_of(app)


def _model_extracted(judged: Judged) -> Judged:
    return replace(judged, other=of_sets([frozenset({"F4"}), frozenset(), frozenset()]))


def test_what_a_model_extracted_is_counted_with_a_word_on_the_colours(opened: Open) -> None:
    one = _model_extracted(pasted(SCENARIOS[0], "m", "TSC1 had F99.", TRADE_SECRETS))
    file = ArgumentFile("f", TRADE_SECRETS, (one,), extractor="other-1")
    app = opened(arguments_files={"f": file}, arguments_by_model=True)
    note = "The figures use what other-1 extracted. Colours follow numbers and names, which may differ."
    assert note in html_of(app)
    assert "both extractors agree on 0% of what either found, and on all of it in 1 of 3 cases" in html_of(app)
    assert note not in html_of(opened(arguments_files={"f": file}, arguments_by_model=False))


def row(text: str, model: str = "m") -> bytes:
    return json.dumps({"model": model, "scenario": to_row(SCENARIOS[0], TRADE_SECRETS), "argument": text}).encode()


def test_of_several_files_all_are_loaded_and_the_last_is_shown(opened: Open) -> None:
    app = opened(arguments_page="Paste or load", arguments_way="A file of many")
    files = [("a.jsonl", row("TSC1 had F4."), ""), ("b.jsonl", row("TSC1 had F99."), "")]
    app.file_uploader(key="arguments_upload").set_value(files).run()
    assert not app.exception
    assert list(app.session_state["arguments_files"]) == ["a.jsonl", "b.jsonl"]
    assert app.session_state["arguments_page"] == "Results"
    assert "F99, which is no factor" in html_of(app)


def test_a_bad_file_among_good_ones_is_named_and_the_good_ones_are_loaded(opened: Open) -> None:
    app = opened(arguments_page="Paste or load", arguments_way="A file of many")
    bad = ("<b>bad.jsonl", b'{"model": "m"}', "")
    app.file_uploader(key="arguments_upload").set_value([("a.jsonl", row("TSC1 had F4."), ""), bad]).run()
    for _ in range(2):
        text = html_of(app)
        assert "&lt;b&gt;bad.jsonl, row 1: &#x27;argument&#x27; is missing" in text
        assert "a.jsonl: 1 argument<" in text
        app.run()
    app.file_uploader(key="arguments_upload").set_value([]).run()
    assert "bad.jsonl" not in html_of(app)
    assert list(app.session_state["arguments_files"]) == ["a.jsonl"]


def test_triples_of_other_tests_are_another_set(opened: Open) -> None:
    app = opened(arguments_page="Triples")
    app.number_input(key="arguments_count").set_value(2)
    for tests in (["arguable"], ["reordered"], ["arguable", "reordered", "non-arguable"]):
        app.multiselect(key="arguments_tests").set_value([Test(t) for t in tests])
        next(b for b in app.button if b.label == "Make triples").click().run()
        assert not app.exception
    assert list(app.session_state["arguments_sets"]) == [
        "Trade secrets, 2 arguable triples, complexity 5, seed 0",
        "Trade secrets, 2 reordered triples, complexity 5, seed 0",
        "Trade secrets, 6 triples, complexity 5, seed 0",
    ]


def test_what_a_run_takes_is_of_the_triples_that_are_chosen(opened: Open) -> None:
    sets = {"s": ScenarioSet("s", TRADE_SECRETS, tuple(SCENARIOS[:2]))}
    app = opened(arguments_page="Write arguments", arguments_sets=sets)
    assert "10 arguments. Everything is saved" in html_of(app)
    before = [k for k in app.session_state["arguments_kept"] if k[0] == "takes"]
    app.session_state["arguments_sets"] = {"s": ScenarioSet("s", TRADE_SECRETS, tuple(SCENARIOS[2:4]))}
    app.run()
    assert len([k for k in app.session_state["arguments_kept"] if k[0] == "takes"]) == len(before) + 1


def test_a_fault_of_imported_triples_goes_with_its_file(opened: Open) -> None:
    app = opened(arguments_page="Triples", arguments_import=True)
    (upload,) = (u for u in app.file_uploader if u.label == "Triples")
    assert sorted(upload.proto.type) == [".json", ".jsonl", ".parquet"]
    upload.set_value([("t.jsonl", b'{"id": "x"}', "")]).run()
    assert "t.jsonl, row 1: " in html_of(app)
    next(u for u in app.file_uploader if u.label == "Triples").set_value([]).run()
    assert "t.jsonl, row 1: " not in html_of(app)


def test_a_pasted_argument_is_kept_with_the_wording_it_was_written_under(opened: Open) -> None:
    app = opened(arguments_page="Paste or load", arguments_prompt=True)
    box = next(b for b in app.selectbox if b.label == "Wording of when not to argue")
    assert shown(app, "Wording of when not to argue")[:2] == ["Unknown", "Plain"]
    plain = app.code[0].value
    box.select("Permission").run()
    assert "You need not argue." in app.code[0].value
    assert app.code[0].value != plain
    for wording in ("Permission", "Unknown"):
        next(b for b in app.selectbox if b.label == "Wording of when not to argue").select(wording).run()
        app.text_area(key="arguments_text").set_value("TSC1 had F4.")
        next(b for b in app.button if b.label == "Show the argument").click().run()
        assert not app.exception
        app.session_state["arguments_page"] = "Paste or load"
        app.run()
    assert [j.wording for j in app.session_state["arguments_files"]["Pasted"].judged] == ["", "permission"]


def test_the_extractor_promises_no_more_than_it_does(opened: Open) -> None:
    app = opened(arguments_page="Write arguments")
    (box,) = (b for b in app.selectbox if b.label == "Who extracts factors")
    assert "of which case each is said, by rules that free prose can mislead" in box.help
    assert "always read exactly" not in box.help


def test_a_model_extracts_too_from_what_was_pasted(opened: Open, data: Path) -> None:
    app = opened("TSC1 had F99.", "TSC2 had F4.", arguments_tab="Options and export", arguments_extract=True)
    assert "Choose a chat model first" in html_of(app)
    with LLMServer(argues) as server:
        app.text_input(key="arguments_extract_chat").set_value(spec(server)).run()
        text = html_of(app)
        assert "It reads the text of 2 arguments, without the triples." in text
        assert "<td>2 calls</td><td>stay on this machine</td>" in text
        assert server.requests == []
        app.button(key="arguments_extract_start").click().run()
        assert not app.exception, app.exception
        (one,) = listed(runs.KIND)[0]
        # The app's own process does the work.
        while jobs().works(one.id):
            time.sleep(0.1)
        (one,) = listed(runs.KIND)[0]
        assert jobs().problem(one) == ""
    assert (one.done, one.wanted, one.plan.given) == (2, 2, True)
    assert one.limits.dollars == 1.0
    file = runs.FOLDER.open(one.id)
    found = runs.judged(file)
    file.close()
    assert [(j.arguer, j.other.sets[1] if j.other else None) for j in found] == [
        (HOSTILE, frozenset({"F99"})), (HOSTILE, frozenset()),
    ]  # fmt: skip
