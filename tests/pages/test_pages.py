"""Pages without a browser: what they show in each state, by Streamlit's own test runner."""

import time
from collections import Counter
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components import case_sets, state
from components.case_sets import CaseSet
from components.scoring import app_worker
from components.scoring.session import this_session
from groundscope.cases.passages import from_paste
from groundscope.cases.pasted_store import PastedCases
from groundscope.methods import defaults, registry
from groundscope.methods.advice import recommended
from groundscope.models.weights import files
from groundscope.types import Case, Passage, Status
from tests.groundscope.files.document_files import docx, pdf
from tests.pages.drawn import html, opened, session


@pytest.fixture
def app() -> AppTest:
    return session().run()


def open_case(app: AppTest, case: Case) -> AppTest:
    app.session_state["sets"] = {"Test": CaseSet("Test", (case,))}
    app.session_state["opened_set"] = "Test"
    app.session_state[state.SELECTED] = case.id
    app.switch_page("pages/heatmap.py").run()
    deadline = time.monotonic() + 60
    # What the overview, where the session began, has asked for is not waited for.
    while any(judged == case for _, judged in app.session_state["jobs"]) and time.monotonic() < deadline:
        app.run()
    return app


def test_a_users_file_that_breaks_is_named_and_the_others_go_on(users_scorers: Path) -> None:
    (users_scorers / "mine.py").write_text("SIDES = 2\ndef toss(<b>:\n", encoding="utf-8")
    app = opened("methods", {"method": "mine"})
    assert '<h2 class="gs-method">mine <span class="gs-state missing">' in html(app)
    assert "scorers/mine.py cannot be loaded (SyntaxError: invalid syntax in line 2); run <code>" in html(app)
    open_case(app, Case("c", "Who won?", (Passage("p", "The tenant won the appeal."),), "The tenant won the appeal."))
    assert not app.exception
    assert {j.status for j in app.session_state["judgements"].values()} == {Status.SCORED}


def test_the_overview_offers_samples_and_the_methods_page_names_what_a_method_lacks(app: AppTest) -> None:
    assert not app.exception
    labels = [b.label for b in app.button]
    assert labels[0] == "Paste your own question, sources and answer"
    # What is wrong with a sample is for the reader to find.
    assert labels.count("Open") == 3
    assert "Where does this answer stand on its sources?" in html(app)
    app.switch_page("pages/methods.py").query_params["method"] = "cos_sim"
    text = html(app.run())
    assert "legal-bert-base-uncased are not on this machine" in text


def test_the_cases_page_asks_for_what_a_paste_lacks_and_says_that_nothing_is_kept_without_cookies() -> None:
    app = opened("cases")
    assert "this browser accepts no cookies" in html(app)
    assert "keep_pasted" not in [c.key for c in app.checkbox]
    app.text_area(key="paste_response").set_value("An answer.")
    app.button(key="paste_check").click().run()
    assert "Paste the sources too" in html(app)
    if "sets" in app.session_state:
        assert case_sets.PASTED not in app.session_state["sets"]
    assert app.text_area(key="paste_response").value == "An answer."


def test_sources_stay_apart_in_boxes_of_their_own_and_are_counted_before_anything_runs() -> None:
    app = opened("cases")
    assert "No source yet" in html(app)
    app.text_input(key="paste_title_1").set_value("Act 1")
    app.text_area(key="paste_context_1").set_value("The fee is 5 dollars. It is due in May.")
    for _ in range(2):
        app.button(key="paste_add").click().run()
    app.text_area(key="paste_context_2").set_value("A source that goes again.")
    app.text_area(key="paste_context_3").set_value("Source: Rule 2\nNo fee is due.\n---\nIt ends.").run()
    assert "4 sources, 5 sentences" in html(app)
    app.button(key="paste_remove_2").click().run()
    assert "3 sources, 4 sentences" in html(app)
    app.text_area(key="paste_response").set_value("The fee is 5 dollars.")
    app.button(key="paste_check").click().run()
    context = app.session_state["sets"][case_sets.PASTED].cases[0].context
    assert [(p.source, p.text) for p in context[1:]] == [("Rule 2", "No fee is due."), ("", "It ends.")]
    assert context[0].source == "Act 1"


def test_files_on_the_form_are_sources_and_those_that_cannot_be_read_are_named() -> None:
    app = opened("cases")
    changed = '<w:del w:id="1"><w:r><w:delText>Old.</w:delText></w:r></w:del><w:r><w:t>The deposit is $913.</w:t></w:r>'
    page = b"<h1>Statute</h1><p>The landlord repairs the roof.</p><script>document.title = 'taken'</script>"
    files = {"lease.pdf": pdf("Rent is due.", "It ends."), "act.html": page, "side.docx": docx(changed), "scan.pdf": pdf("", "")}
    app.file_uploader(key="paste_files").set_value([(name, data, "") for name, data in files.items()]).run()
    text = html(app)
    assert "lease.pdf: pp. 1–2" in text
    assert "side.docx has tracked changes; it was read as if all of them were accepted." in text
    assert "scan.pdf holds pictures of pages and no text" in text
    app.text_area(key="paste_response").set_value("Rent is due.")
    app.button(key="paste_check").click().run()
    context = app.session_state["sets"][case_sets.PASTED].cases[0].context
    assert {"act.html, Statute", "side.docx"} <= {p.source for p in context}
    assert not any("taken" in p.text for p in context)


@pytest.mark.usefixtures("store")
def test_a_paste_that_cannot_be_kept_opens_all_the_same_and_says_why(data: Path) -> None:
    (data / "pasted").write_text("a file, where the folder should be")
    app = opened("cases")
    assert "accepts no cookies" not in html(app)
    app.text_area(key="paste_context_1").set_value("It is due.")
    app.text_area(key="paste_response").set_value("It is due now.")
    app.button(key="paste_check").click().run()
    assert "cannot be saved or deleted" in html(app)
    app.switch_page("pages/heatmap.py").run()
    assert "cannot be saved or deleted" in html(app), "it outlives the draw when a method ends"
    assert [c.id for c in app.session_state["sets"][case_sets.PASTED].cases] == ["pasted-1"]
    app.switch_page("pages/cases.py").run()
    app.button(key="forget_pasted-1").click().run()
    assert case_sets.PASTED not in app.session_state["sets"]
    assert "cannot be saved or deleted" in html(app)


def test_to_forget_one_case_leaves_those_that_another_tab_kept(store: PastedCases) -> None:
    mine, theirs = (from_paste("", "It is due.", f"Answer {i}.", f"pasted-{i}") for i in (1, 2))
    store.add(mine)
    store.add(theirs)
    app = opened("cases", sets={case_sets.PASTED: CaseSet(case_sets.PASTED, (mine,))})
    app.button(key="forget_pasted-1").click().run()
    assert not app.exception
    assert case_sets.PASTED not in app.session_state["sets"]
    assert store.cases() == (theirs,)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (Case("e1", "", (Passage("p", "Some context."),), ""), "The response is empty"),
        (Case("e2", "q", (Passage("p", " \n "),), "An answer."), "There are no sources"),
    ],
)
def test_a_case_without_anything_to_compare_says_why(app: AppTest, case: Case, words: str) -> None:
    open_case(app, case)
    assert not app.exception
    # The overview, where the session began, has scored its sample.
    notes = [judgement.note for (_, judged), judgement in app.session_state["judgements"].items() if judged == case]
    assert len(notes) == 3
    assert all(words in note or "shorter than 21" in note for note in notes), notes


def test_an_unknown_case_in_the_link_is_explained() -> None:
    assert "not loaded in this session" in html(opened("heatmap", {"case": "not-here"}))


def test_200_passages_and_lone_surrogates_do_not_stop_the_page(app: AppTest) -> None:
    context = "\n---\n".join(f"Passage {i} says that the rule holds in district {i}." for i in range(200))
    open_case(app, from_paste("q \ud800", context, "The rule holds in district 7 \udfff.", "many"))
    assert not app.exception
    assert {str(j.status) for j in app.session_state["judgements"].values()} == {"scored"}


def test_a_page_that_is_drawn_again_builds_no_method_again(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = ["quip", "overlap", "cos_sim:minilm", "majority", "direct"]
    # Until nothing is scored: the worker builds methods, too, when it begins with them.
    app = open_case(session(**{state.METHODS: chosen}).run(), from_paste("Who paid?", "He paid.", "He paid.", "again"))
    built: Counter[str] = Counter()
    load = registry.load
    monkeypatch.setattr(registry, "load", lambda method, /, **options: built.update([method]) or load(method, **options))
    for page in ("heatmap", "methods", "runs", "review"):
        html(app.switch_page(f"pages/{page}.py").run())
        built.clear()
        html(app.run())
        # A run that is planned has methods of its own.
        assert built.total() <= (len(registry.names()) if page == "runs" else 0), (page, built)


def test_methods_are_listed_ready_ones_first() -> None:
    missing = [bool(m.missing) for m in this_session().listed]
    assert missing == sorted(missing)
    assert this_session().listed[0].id == recommended().method


def test_without_the_weights_that_ship_the_classifier_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "SHIPPED", tmp_path)
    methods = {m.id: m for m in this_session().listed}
    assert methods["grounding_classifier"].missing.startswith("The folder models/grounding-smollm2 of this project is incomplete")
    others = {m: methods[m].signature for m in ("cos_sim:minilm", "overlap", "quip")}
    assert next(iter(methods)) == recommended(others).method


def test_a_model_that_is_still_loading_holds_up_no_other_method(monkeypatch: pytest.MonkeyPatch) -> None:
    loading = {defaults.CLASSIFIER, defaults.EMBEDDER}
    monkeypatch.setattr(app_worker, "_cold", loading)
    app = session().run()
    open_case(app, from_paste("Who paid?", "The tenant paid the rent.", "The tenant paid.", "cold"))
    assert any(signature.startswith("overlap") for signature, _ in app.session_state["judgements"])
    signatures = [s for name in ("judgements", "jobs") for s, _ in app.session_state[name]]
    assert not [s for s in signatures if s.startswith(defaults.CLASSIFIER)]
    loading.clear()
    app.run()
    assert [s for s, _ in app.session_state["jobs"] if s.startswith(defaults.CLASSIFIER)]


def test_a_link_to_the_id_of_an_earlier_version_leads_to_the_classifier() -> None:
    app = opened("heatmap", {"method": "grounding_classifier:smollm2"})
    assert app.query_params["method"] == "grounding_classifier"
    assert "in the link is not here" not in html(app)
