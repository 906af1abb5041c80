"""Hostile texts pasted into every form, uploaded, and put into links: pages are drawn to their end, nothing is live."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from groundscope.files.fields import clean
from tests.attack.conftest import Open, sound
from tests.attack.tally import Tally
from tests.attack.texts import NAMES, TEXTS

PAGES = (
    "cases", "heatmap", "runs", "compare", "thresholds", "errors", "legal_rag", "citation_recall", "arguments", "methods",
)  # fmt: skip
PARAMETERS = ("case", "method", "methods", "sentence", "run", "arguments", "rag", "set", "split", "from", "tab", "type")
SURROGATES = ("\ud800", "a \udfff b", "\udc00\ud800", "\ud83d half")


def press(app: AppTest, label: str) -> AppTest:
    return next(b for b in app.button if b.label == label).click().run()


def uploaded(opened: Open, name: str, content: bytes) -> AppTest:
    """Upload a file of cases, and look at what was read."""
    app = opened("cases", cases_tab="Upload")
    app.file_uploader(key="upload").set_value([(name, content, "")]).run()
    sound(app)
    app.session_state["cases_tab"] = "Samples and loaded cases"
    sound(app.run())
    return app


def look(app: AppTest, case: str) -> None:
    """Choose a case on the heatmap."""
    app.switch_page("pages/heatmap.py")
    app.session_state["case"] = case
    sound(app.run())


def check_case(app: AppTest, query: str, context: str, response: str) -> None:
    """Paste a case and look at it; a text that is no case is refused in words, and the form stays."""
    app.text_input(key="paste_query").set_value(query)
    app.text_area(key="paste_context_1").set_value(context)
    app.text_area(key="paste_response").set_value(response)
    sound(press(app, "Check the answer"))


def test_the_form_of_cases_takes_hostile_texts(opened: Open, tried: Tally) -> None:
    app = opened("cases")
    for number, text in enumerate(TEXTS):
        with tried("cases", text):
            places = [f"The rent is due in {number} days."] * 3
            places[number % 3] = text
            check_case(app.switch_page("pages/cases.py").run(), *places)


def test_the_form_of_citations_takes_hostile_texts(opened: Open, tried: Tally) -> None:
    app = opened("citation_recall", cites_page="Load texts", cites_scorer="rouge")
    for number, text in enumerate(TEXTS):
        with tried("citations", text):
            cited = f"Notice must be written. Roe v. Wade, 410 U.S. 113 (1973). {text}"
            app.session_state["cites_page"] = "Load texts"
            app.run()
            app.text_area(key="cites_reference").set_value(cited if number % 2 else "Rent is due. 28 U.S.C. § 1331.")
            app.text_area(key="cites_generated").set_value(text if number % 3 else cited)
            app.text_input(key="cites_system").set_value(text[:80])
            sound(press(app, "Compare"))
            app.session_state["cites_page"] = "Citations"
            sound(app.run())


def test_the_form_of_arguments_takes_hostile_texts(opened: Open, tried: Tally) -> None:
    app = opened("arguments")
    for number, text in enumerate(TEXTS):
        with tried("arguments", text):
            plies = {"argument": f"TSC1 had F4. {text}", "counterargument": text, "rebuttal": text}
            app.session_state["arguments_page"] = "Paste or load"
            app.run()
            app.text_area(key="arguments_text").set_value(json.dumps(plies) if number % 2 else text)
            app.text_input(key="arguments_model").set_value(text[:80])
            sound(press(app, "Show the argument"))


def _lines(rows: list[dict[str, object]]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def test_legal_rag_takes_hostile_documents_and_questions(opened: Open, tried: Tally) -> None:
    for way in range(0, len(TEXTS), 20):
        texts = TEXTS[way : way + 20]
        passages = [{"id": f"p{i}", "title": t[:200], "text": f"Rent is due. {t}"} for i, t in enumerate(texts)]
        asked = [
            {"id": f"q{i}", "question": f"Is rent due? {t}", "answer": t, "relevant_passage_id": f"p{i}"}
            for i, t in enumerate(texts)
        ]
        app = opened("legal_rag", rag_turn_page="New experiment", rag_add=True)
        app.file_uploader(key="rag_corpus").set_value((f"{texts[0][:60]}.jsonl", _lines(passages), ""))
        app.file_uploader(key="rag_questions").set_value(("questions.jsonl", _lines(asked), "")).run()
        press(app, "Load them")
        for text in texts:
            with tried("rag", text):
                sound(app)
                assert app.selectbox(key="rag_benchmark").value != "Samples"


def test_rows_of_cases_take_hostile_texts(opened: Open, tried: Tally) -> None:
    rows: list[dict[str, object]] = [
        {"id": f"{i} {t[:60]}", "query": t, "context": [{"id": t[:40], "text": t, "source": t[:200]}], "response": f"Rent. {t}",
         "area": t[:60], "grounded": bool(i % 2)}
        for i, t in enumerate(TEXTS)
    ]  # fmt: skip
    app = uploaded(opened, "hostile.jsonl", _lines(rows))
    refused = {one.row for one in app.session_state["upload_report"][0].rejected}
    kept = {case.id: case for case in app.session_state["sets"]["hostile.jsonl"].cases}
    for number, text in enumerate(TEXTS):
        with tried("uploads", text):
            name = clean(f"{number} {text[:60]}")
            # What is no id is refused, by its row.
            assert name in kept or number + 1 in refused
            assert name not in kept or kept[name].response == clean(f"Rent. {text}")
            if number % 4 == 0:
                look(app, name)


@pytest.mark.parametrize("where", PAGES)
def test_a_link_takes_hostile_parameters(opened: Open, tried: Tally, where: str) -> None:
    app = opened(where)
    for number, text in enumerate((*NAMES, *TEXTS[PAGES.index(where) :: 10])):
        with tried("links", text):
            for name in PARAMETERS if number % 2 else PARAMETERS[:4]:
                app.query_params[name] = text[:2_000]
            sound(app.run())
