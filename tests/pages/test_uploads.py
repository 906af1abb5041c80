"""The uploader of the Cases page: several files, two that belong together, and what a licence keeps back."""

import json
import resource

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.drawn import ROOT, html, opened

SHAPES = ROOT / "tests" / "groundscope" / "cases" / "formats"
ANSWERS, SOURCES = "ragtruth_response.jsonl", "ragtruth_source_info.jsonl"
OWN = json.dumps({"query": "q", "context": ["c"], "response": "r", "license": "CC-BY-NC-4.0"}).encode()

File = tuple[str, bytes, str]


@pytest.fixture
def app() -> AppTest:
    return opened("cases")


def shape(name: str) -> File:
    return name, (SHAPES / name).read_bytes(), ""


def upload(app: AppTest, *files: File) -> str:
    app.file_uploader(key="upload").set_value(files).run()
    return html(app)


def sets(app: AppTest) -> dict[str, int]:
    if "sets" not in app.session_state:
        return {}
    return {name: len(group.cases) for name, group in app.session_state["sets"].items()}


def test_half_of_a_data_set_is_refused_until_both_become_one_set_with_its_licence(app: AppTest) -> None:
    text = upload(app, shape(ANSWERS))
    assert f"{ANSWERS}: These are RAGTruth&#x27;s answers without their sources: load" in text
    assert sets(app) == {}
    text = upload(app, shape(SOURCES), shape(ANSWERS))
    assert f"{ANSWERS}: 5 rows read, 4 usable cases; recognised as RAGTruth" in text
    assert sets(app) == {ANSWERS: 4}
    assert "RAGTruth is under the MIT licence" in text
    assert "MS MARCO" in text
    assert "Licence:" not in upload(app, shape("halueval_qa.json"))


def test_a_set_shows_its_counts_and_asks_what_a_label_means_where_it_is_not_sure(app: AppTest) -> None:
    def row(query: str, split: str, **label: object) -> dict[str, object]:
        return {"query": query, "context": ["Rent is due."], "response": "It is.", "split": split, **label}

    rows = [row("a", "dev", hallucination="<b>yes"), row("a", "test", hallucination="no"), {"query": "q"}]
    text = upload(app, ("a.json", json.dumps(rows).encode(), ""))
    assert "3 rows read, 2 usable cases; recognised as Groundscope; 1 left out; 2 no label; 1 query; 1 dev, 1 test." in text
    assert "Splits leak: 1 of the 1 queries and 1 of the 1 passages of test are also in dev" in text
    assert "The format is not recognised. Its fields are: query." in text
    assert "<b>" not in text
    # The form opens with what it guesses.
    assert "The column hallucination (&lt;b&gt;yes, no) looks like a label and is not used: what do its values mean?" in text
    assert app.multiselect[0].value == ["no"]
    rows[0]["hallucination"] = "yes"
    text = upload(app, ("b.json", json.dumps(rows).encode(), ""))
    assert "The column hallucination is read as the label: yes there means not grounded." in text
    assert "1 not grounded, 1 grounded" in text


def test_each_file_has_its_report_and_its_own_buttons(app: AppTest) -> None:
    text = upload(app, shape("halueval_qa.json"), ("<b>bad.jsonl", b"", ""), shape("summedits.json"))
    assert "halueval_qa.json: 2 rows read, 4 usable cases" in text
    assert "&lt;b&gt;bad.jsonl: The file is empty." in text
    assert "<b>" not in text
    assert sets(app) == {"halueval_qa.json": 4, "summedits.json": 3}
    buttons = [b for b in app.button if b.label == "Remove these cases"]
    assert len(buttons) == 2
    buttons[1].click().run()
    assert sets(app) == {"halueval_qa.json": 4}
    assert [b.label for b in app.button].count("Remove these cases") == 1


def test_files_that_are_all_bad_are_each_named_and_nothing_is_lost(app: AppTest) -> None:
    # A licence that the rows name themselves is said without quoting it.
    assert "The file itself names a non-commercial licence" in upload(app, ("own.jsonl", OWN, ""))
    text = upload(app, ("a.jsonl", b"", ""), ("b.jsonl", b"", ""))
    assert "a.jsonl: The file is empty. b.jsonl: The file is empty. Sets loaded before are unchanged." in text
    assert sets(app) == {"own.jsonl": 1}


def test_scores_that_a_set_stores_are_methods_of_a_run_of_it(app: AppTest) -> None:
    upload(app, shape("faithbench_batch.json"), shape("halueval_qa.json"))
    app.switch_page("pages/runs.py").run()
    assert not any("stored in the set" in box.label for box in app.checkbox)
    app.selectbox(key="run_set").set_value("faithbench_batch.json").run()
    assert not app.exception
    (box,) = (box for box in app.checkbox if box.label == "With the scores stored in the set (8 methods)")
    assert box.value
    assert "FaithBench: HHEM 2.1, " in box.help


def test_each_report_leads_to_its_own_set_and_its_first_case_whatever_its_ids(app: AppTest) -> None:
    row = "query,context,response\nQuestion {}?,A source.,An answer.\n"
    files = [(f"{name}.csv", row.format(name).encode(), "") for name in "ab"]
    upload(app, *files)
    app.session_state["cases_tab"] = "Samples and loaded cases"
    assert app.run().selectbox(key="browse_set").value == "b.csv"
    app.button(key="look_through").click().run()
    assert app.selectbox(key="browse_set").value == "a.csv"
    for i, (name, *_) in enumerate(files):
        app.switch_page("pages/cases.py").run()
        upload(app, *files)
        [b for b in app.button if b.label == "Open the first case"][i].click().run()
        assert app.session_state["opened_set"] == name


def test_a_large_file_is_read_in_a_child_process_and_once(app: AppTest) -> None:
    rows = b'{"query":"q","context":["c"],"response":"The rent is due."}\n' * 12_000
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert "12,000 rows read, 12,000 usable cases" in upload(app, ("large.jsonl", rows, ""))
    read = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert read > before
    app.run()
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime == read
    assert sets(app) == {"large.jsonl": 12_000}
