"""The Arguments page without a browser: what it shows at once, hostile names, filters, options and uploads."""

import json
import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from components.arguments.state import ARGUED, ArgumentFilter, ArgumentSource, ScenarioSet
from components.experiments.jobs import jobs
from groundscope.arguments import runs
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.extraction import of_sets
from groundscope.arguments.records import pasted
from groundscope.arguments.scenarios import make_all, to_row
from groundscope.arguments.types import Test
from groundscope.experiments.listing import listed
from tests.groundscope.arguments.scripted import argues, spec
from tests.llm_server import LLMServer
from tests.pages.drawn import html, opened, press

HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$ [link](javascript:1)"
SCENARIOS = make_all(TRADE_SECRETS, list(Test), 2, [5], 0)
pytestmark = pytest.mark.usefixtures("data")


def of_texts(*texts: str, **state: object) -> AppTest:
    """The page with a file of arguments."""
    judged = tuple(pasted(s, HOSTILE, t, TRADE_SECRETS) for s, t in zip(SCENARIOS, texts, strict=False))
    file = ArgumentSource(f"file {HOSTILE}", HOSTILE, TRADE_SECRETS, judged, notes=("Row 2 was left out.",))
    return opened("arguments", arguments_files={HOSTILE: file}, **state)


def test_the_example_is_shown_at_once() -> None:
    text = html(opened("arguments"))
    assert "180 arguments about 36 triples" in text
    assert "An example that comes with the app: five built-in writers" in text
    assert "Invents or mixes up most: “Invents factors” (85 % of facts right)" in text
    assert "Leaves most out: “Leaves factors out”" in text


def test_names_and_texts_of_others_are_escaped() -> None:
    text = html(of_texts(f"TSC1 had F99. {HOSTILE}", "", "There is no common factor."))
    assert "<img" not in text
    assert "&lt;img src=x" in text
    assert "Row 2 was left out." in text


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (ArgumentFilter("Invents factors", None, "arguable", None, None, "invented"), "12 of 180 arguments"),
        (ArgumentFilter("Faithful", None, None, None, None, "invented"), "No argument matches the filters."),
        # A click by complexity is of what can be argued alone.
        (ArgumentFilter("Faithful", None, ARGUED, 5), "8 of 180 arguments"),
    ],
)
def test_a_filter_lists_what_goes_wrong(chosen: ArgumentFilter, words: str) -> None:
    assert words in html(opened("arguments", arguments_filter=chosen))


def test_factors_of_a_model_that_errs_nowhere_keep_the_way_back() -> None:
    app = opened("arguments", arguments_filter=ArgumentFilter("Faithful"), arguments_tab="Factors")
    assert "Of Faithful. These arguments use every factor correctly." in html(app)
    assert "36 of 180 arguments" in html(app)
    (model,) = (b for b in app.selectbox if b.label == "Model")
    model.select("All").run()
    assert "Of all models. The 15 factors with most errors." in html(app)


def test_a_filter_does_not_outlive_the_arguments_that_it_is_of() -> None:
    app = of_texts("TSC1 had F4.", "TSC1 had F4.", "TSC1 had F4.", arguments_filter=ArgumentFilter(None, None, "arguable"))
    assert "2 of 3 arguments" in html(app)
    (source,) = (b for b in app.selectbox if b.label == "Arguments")
    source.select("Example that comes with the app").run()
    assert "180 of 180 arguments" in html(app)


def test_what_a_model_extracted_is_counted_with_a_word_on_the_colours() -> None:
    other = of_sets([frozenset({"F4"}), frozenset(), frozenset()])
    extracted = replace(pasted(SCENARIOS[0], "m", "TSC1 had F99.", TRADE_SECRETS), other=other)
    files = {"f": ArgumentSource("file f", "f", TRADE_SECRETS, (extracted,), "other-1")}
    note = "The figures use what other-1 extracted. Colours follow numbers and names, which may differ."
    text = html(opened("arguments", arguments_files=files, arguments_by_model=True))
    assert note in text
    assert "both extractors agree on 0% of what either" in text
    assert note not in html(opened("arguments", arguments_files=files, arguments_by_model=False))


def row(text: str, model: str = "m") -> bytes:
    return json.dumps({"model": model, "scenario": to_row(SCENARIOS[0], TRADE_SECRETS), "argument": text}).encode()


def test_of_several_files_the_last_is_shown_and_a_bad_one_is_named() -> None:
    app = opened("arguments", arguments_page="Paste or load", arguments_way="A file of many")
    good = [("a.jsonl", row("TSC1 had F4."), ""), ("b.jsonl", row("TSC1 had F99."), "")]
    app.file_uploader(key="arguments_upload").set_value([good[0], ("<b>bad.jsonl", b'{"model": "m"}', "")]).run()
    for _ in range(2):
        assert "&lt;b&gt;bad.jsonl, row 1: &#x27;argument&#x27; is missing" in html(app)
        assert "a.jsonl: 1 argument<" in html(app)
        app.run()
    app.file_uploader(key="arguments_upload").set_value(good).run()
    assert "bad.jsonl" not in html(app)
    assert list(app.session_state["arguments_files"]) == ["a.jsonl", "b.jsonl"]
    assert app.session_state["arguments_page"] == "Results"
    assert "F99, which is no factor" in html(app)


def test_triples_of_other_tests_are_another_set() -> None:
    app = opened("arguments", arguments_page="Cases and precedents")
    app.number_input(key="arguments_count").set_value(2)
    for tests in (["reordered"], ["arguable", "reordered", "non-arguable"]):
        app.multiselect(key="arguments_tests").set_value([Test(t) for t in tests])
        press(app, "Make triples")
    assert list(app.session_state["arguments_sets"]) == [
        "Trade secrets, 2 reordered triples, complexity 5, seed 0",
        "Trade secrets, 6 triples, complexity 5, seed 0",
    ]


def test_what_a_run_takes_is_of_the_triples_that_are_chosen() -> None:
    sets = {"s": ScenarioSet("s", TRADE_SECRETS, tuple(SCENARIOS[:2]))}
    app = opened("arguments", arguments_page="Write arguments", arguments_sets=sets)
    assert "10 arguments. Everything is saved" in html(app)
    app.session_state["arguments_sets"] = {"s": ScenarioSet("s", TRADE_SECRETS, tuple(SCENARIOS[2:5]))}
    assert "15 arguments. Everything is saved" in html(app.run())


def test_a_fault_of_imported_triples_goes_with_its_file() -> None:
    app = opened("arguments", arguments_page="Cases and precedents", arguments_import=True)
    for files, shown in (([("t.jsonl", b'{"id": "x"}', "")], True), ([], False)):
        next(u for u in app.file_uploader if u.label == "Triples").set_value(files).run()
        assert ("t.jsonl, row 1: " in html(app)) is shown


def test_a_pasted_argument_is_kept_with_the_wording_it_was_written_under() -> None:
    app = opened("arguments", arguments_page="Paste or load", arguments_prompt=True)
    for wording in ("Permission", "Unknown"):
        next(b for b in app.selectbox if b.label == "Wording of when not to argue").select(wording).run()
        assert ("You need not argue." in app.code[0].value) is (wording == "Permission")
        app.text_area(key="arguments_text").set_value("TSC1 had F4.")
        press(app, "Show the argument")
        app.session_state["arguments_page"] = "Paste or load"
        app.run()
    assert [j.wording for j in app.session_state["arguments_files"]["Pasted"].judged] == ["", "permission"]


def test_a_model_extracts_too_from_what_was_pasted() -> None:
    app = of_texts("TSC1 had F99.", "TSC2 had F4.", arguments_tab="Options and export", arguments_extract=True)
    assert "Choose a chat model first" in html(app)
    with LLMServer(argues) as server:
        app.text_input(key="arguments_extract_chat").set_value(spec(server)).run()
        text = html(app)
        assert "It reads the text of 2 arguments, without the triples." in text
        assert "<td>2 calls</td><td>stay on this machine</td>" in text
        assert server.requests == []
        app.button(key="arguments_extract_start").click().run()
        assert not app.exception, app.exception
        (job,) = listed(runs.KIND)[0]
        # The app's own process does the work.
        while jobs().works(job.id):
            time.sleep(0.1)
        (job,) = listed(runs.KIND)[0]
        assert jobs().problem(job) == ""
    assert (job.done, job.wanted, job.plan.given) == (2, 2, True)
    assert job.limits.dollars == 1.0
    file = runs.FOLDER.open(job.id)
    judged = runs.judged(file)
    file.close()
    assert [(j.arguer, j.other.sets[1] if j.other else None) for j in judged] == [
        (HOSTILE, frozenset({"F99"})), (HOSTILE, frozenset()),
    ]  # fmt: skip
