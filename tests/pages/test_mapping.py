"""A file whose fields are not known, on the Cases page: it opens a form, and is read as the form says."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from groundscope.cases.mapping import saved_mappings
from tests.groundscope.cases.test_mapping import DATA, MAPPING
from tests.pages.drawn import html, opened, press
from tests.pages.test_uploads import OWN, sets, upload

HOSTILE = json.dumps([{"<b>c</b>": "Text.", "a": "x", "[l](http://x)": "<img src=x>"}]).encode()


@pytest.fixture
def app(data: Path) -> AppTest:
    return opened("cases")


def chosen(app: AppTest, label: str, value: str) -> None:
    (box,) = (b for b in app.selectbox if b.label == label)
    box.set_value(value).run()
    assert not app.exception


def preview(app: AppTest) -> list[list[str]]:
    (table,) = (d.value for d in app.dataframe if "Answer" in d.value.columns)
    return [list(map(str, row)) for row in table.values.tolist()]


def test_a_file_of_unknown_fields_is_read_as_the_form_says(app: AppTest) -> None:
    text = upload(app, ("mine.json", DATA, ""))
    assert "mine.json: its 9 fields match no known data set" in text
    assert sets(app) == {}
    # The guess is filled in, and the first three rows are shown as they would be read.
    assert [row[4] for row in preview(app)] == ["grounded", "ungrounded", "no label"]
    chosen(app, "Split", "meta.part")
    chosen(app, "Group", "")
    assert [row[5:] for row in preview(app)] == [["train", ""], ["evaluation", ""], ["", ""]]
    press(app, "Read the file this way")
    assert sets(app) == {"mine.json": 3}
    cases = app.session_state["sets"]["mine.json"].cases
    assert [c.split for c in cases] == ["train", "dev", None]
    assert "recognised as mapped fields" in html(app)


def test_a_mapping_is_kept_and_offered_for_the_next_file_that_has_its_fields(app: AppTest) -> None:
    saved_mappings.save("support desk", MAPPING)
    upload(app, ("other.json", json.dumps([{"x": 1, "y": "z"}]).encode(), ""))
    assert "Start with" not in [b.label for b in app.selectbox]
    upload(app, ("mine.json", DATA, ""))
    chosen(app, "Start with", "support desk")
    assert [b.value for b in app.selectbox if b.label in ("Split", "Group")] == ["meta.part", "meta.topic"]
    (name,) = (t for t in app.text_input if t.label == "Name of the mapping")
    name.set_value("mine").run()
    press(app, "Save")
    assert saved_mappings.saved().keys() == {"mine", "support desk"}
    # The values of the label are this file's own.
    assert saved_mappings.saved()["mine"].grounded == ("Supported",)


def test_fields_are_drawn_as_text_and_nothing_is_read_before_they_are_chosen(app: AppTest) -> None:
    text = upload(app, ("<i>.json", HOSTILE, ""))
    assert "&lt;i&gt;.json" in text
    assert "Choose at least the fields of the context and of the answer." in text
    chosen(app, "Context", "<b>c</b>")
    chosen(app, "Answer", "a")
    assert [row[1:4] for row in preview(app)] == [["", "Text.", "x"]]
    assert not app.markdown


def test_a_known_file_beside_it_is_read_at_once(app: AppTest) -> None:
    upload(app, ("mine.json", DATA, ""), ("own.jsonl", OWN, ""))
    assert sets(app) == {"own.jsonl": 1}
    press(app, "Read the file this way")
    assert sets(app) == {"own.jsonl": 1, "mine.json": 3}


def test_what_was_loaded_is_divided_and_sampled_by_a_seed(app: AppTest) -> None:
    rows = [{"query": f"q{i}", "context": ["c"], "response": "r", "grounded": i % 2 == 0} for i in range(40)]
    upload(app, ("own.json", json.dumps(rows).encode(), ""))
    press(app, "Make splits")
    cases = app.session_state["sets"]["own.json"].cases
    assert sorted(c.split for c in cases) == ["dev"] * 4 + ["test"] * 8 + ["train"] * 28
    app.number_input(key="divided_count").set_value(10)
    press(app, "Take a sample")
    assert sets(app) == {"own.json": 10}
    assert "A sample of 10 of 40 cases, drawn with seed 0." in html(app)
