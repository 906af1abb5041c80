"""The citation recall page without a browser: what asking a model takes and keeps, and texts that are too large."""

import json
import re
import threading
from collections.abc import Iterator
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from components.citations import controls, measures
from components.experiments.jobs import jobs as started_jobs
from components.scoring import asking
from groundscope.chat import replies
from groundscope.citations.batch import AnalysisEntry, Batch
from groundscope.citations.decomposing import DECOMPOSING
from groundscope.citations.similarity import COMPARING
from groundscope.experiments.task import STAGE, plan_of
from groundscope.methods import registry
from tests.components.processes import PATIENCE, end_all, until
from tests.llm_server import Asked, LLMServer
from tests.pages.drawn import html, opened, press

TWO = Batch(
    "two",
    (
        AnalysisEntry(
            "a",
            "s",
            "Cats may roam. 28 U.S.C. § 1331. Dogs are kept on leads. Roe v. Wade, 410 U.S. 113 (1973).",
            "Cats roam freely. 28 U.S.C. § 1331. Dogs must be kept on leads. Roe v. Wade, 410 U.S. 113 (1973).",
        ),
    ),
)
pytestmark = pytest.mark.usefixtures("data")


class _Model:
    """Says that claims are the same; about dogs only when its gate is open."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()

    def answer(self, asked: Asked) -> str:
        if "Dogs" in json.dumps([str(asked)]):
            self.gate.wait(PATIENCE)
        return json.dumps({"same": True})


@pytest.fixture
def model() -> _Model:
    return _Model()


@pytest.fixture
def server(model: _Model, ended_jobs: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMServer]:
    with LLMServer(model.answer) as server:
        monkeypatch.setenv("GROUNDSCOPE_MODEL", f"server:scripted-1@{server.openai};at_once=4")
        yield server
        model.gate.set()


@pytest.fixture
def ended_jobs() -> Iterator[None]:
    yield
    end_all(started_jobs())


def of_batch(batch: Batch, measure: str = "", **state: object) -> AppTest:
    """The page with a batch of analyses, compared by a measure or else by the chat model."""
    measure = measure or f"chat:{asking.line()}"
    return opened("citation_recall", cites_batches={batch.name: batch}, cites_measure=measure, **state)


def words_of(app: AppTest) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html(app)))


def start(app: AppTest, key: str, shown: str) -> None:
    """Press a button that starts a job, and draw the page until it shows what came of it."""
    app.button(key=key).click().run()
    until(lambda: shown in words_of(app.run()))


def left_on_disk() -> list[str]:
    return [file.id for task in (COMPARING, DECOMPOSING) for file in task.folder.files()]


def test_nothing_is_sent_before_the_cost_is_said_and_agreed_to(server: LLMServer) -> None:
    app = of_batch(TWO)
    assert "Not sent yet. 2 pairs of claims would be compared by a model on this machine." in words_of(app)
    assert "2 to 4 calls" in words_of(app)
    assert server.asked == []
    start(app, "cites_claims_start", "2 are there and cited for the same")
    app.run()
    assert len(server.asked) == 2
    assert left_on_disk() == []
    assert replies.default().models() == {}


@pytest.mark.usefixtures("server")
def test_a_comparison_is_paused_and_resumed_and_what_came_is_not_asked_again(model: _Model, server: LLMServer) -> None:
    model.gate.clear()
    app = of_batch(TWO)
    app.button(key="cites_claims_start").click().run()
    (job,) = left_on_disk()
    file = COMPARING.folder.open(job)
    until(lambda: len(file.done(STAGE)) == 1 and len(server.asked) == 2)
    assert "cites_claims_start" not in {b.key for b in app.run().button}
    app.button(key=f"comparisons_pause_{job}").click().run()
    assert started_jobs().wait(job, PATIENCE)
    assert "Paused at 1 of 2 comparisons" in [p.proto.text for p in app.run().get("progress")]
    model.gate.set()
    start(app, f"comparisons_resume_{job}", "2 are there and cited for the same")
    assert len(server.asked) == 3
    file.close()


def values_held(app: AppTest) -> list[float]:
    """What the session holds of all measures."""
    return [value for by_pair in app.session_state["cites_values"].values() for value in by_pair.values()]


def test_a_method_compares_claims_in_a_job_with_the_options_of_the_session(ended_jobs: None) -> None:
    options = {"grounding_classifier": {"window": 3}}
    app = of_batch(TWO, "entails:grounding_classifier", options=options)
    assert "Nothing is sent. 2 pairs of claims would be compared by a model on this machine." in words_of(app)
    assert "stay on this machine" in words_of(app)
    assert not [field for field in app.number_input if field.key and field.key.startswith("cites_claims")]
    app.button(key="cites_claims_start").click().run()
    (job,) = left_on_disk()
    plan = plan_of(COMPARING.folder.open(job))
    assert (plan.options, plan.parts[0].asks, plan.keeps) == (options["grounding_classifier"], False, False)
    assert registry.load("grounding_classifier", window=3).signature in plan.parts[0].signature
    until(lambda: "Of the reference's 2 citations" in words_of(app.run()))
    assert left_on_disk() == []
    values = values_held(app)
    assert len(values) == 2
    assert all(0.0 <= value <= 1.0 for value in values)
    app.session_state["options"] = {}
    assert "Nothing is sent. 2 pairs of claims" in words_of(app.run())


def test_too_large_a_comparison_is_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "MOST", 1)
    text = words_of(of_batch(TWO, "rouge"))
    assert "These texts need 2 comparisons of claims; this page makes at most 1." in text
    assert "python -m groundscope citations" in text
    monkeypatch.setattr(controls, "MOST", 3)
    text = words_of(of_batch(TWO, "rouge", cites_metric="fresco"))
    assert "These texts need 4 comparisons of citations; this page makes at most 3." in text


def test_several_systems_can_be_pasted_to_one_reference() -> None:
    app = of_batch(TWO, "rouge", cites_page="Load texts")
    (add,) = [b for b in app.button if b.label == "Add to the pasted reference"]
    assert add.disabled
    app.text_area(key="cites_reference").set_value(TWO.entries[0].reference)
    app.text_area(key="cites_generated").set_value(TWO.entries[0].reference)
    app.text_input(key="cites_system").set_value("Draft <b>")
    press(app, "Compare")
    app.text_area(key="cites_reference").set_value("")
    app.text_area(key="cites_generated").set_value("Nothing is cited.")
    app.text_input(key="cites_system").set_value("Silent")
    press(app, "Add to the pasted reference")
    assert app.selectbox(key="cites_batch").value == "Pasted 1"
    app.session_state["cites_page"] = "Systems"
    app.run()
    assert "Draft <b> recalls most" in words_of(app)
    assert "Silent" in words_of(app)


def test_how_claims_and_citations_are_read_outlives_another_tab() -> None:
    app = of_batch(TWO, "rouge")
    app.radio(key="cites_reach").set_value("all")
    app.checkbox(key="cites_subsections").set_value(True)
    app.radio(key="cites_csim").set_value("parts")
    app.run()
    app.slider(key="cites_floor_parts").set_value(0.7).run()
    app.session_state["cites_page"] = "Load texts"
    app.run()
    assert not [s for s in app.slider if s.key == "cites_floor_parts"]
    app.session_state["cites_page"] = "Citations"
    app.run()
    assert (app.radio(key="cites_reach").value, app.checkbox(key="cites_subsections").value) == ("all", True)
    assert (app.radio(key="cites_csim").value, app.slider(key="cites_floor_parts").value) == ("parts", 0.7)


def test_a_model_takes_texts_apart_only_after_a_click_that_names_the_cost(
    server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(asked: Asked) -> str:
        numbers = re.findall(r"\[\[(\d)\]\]", asked.data["analysis"])
        return json.dumps({"claims": [{"claim": f"Claim {n} of the text.", "citations": [int(n)]} for n in numbers]})

    monkeypatch.setattr(server, "answer", answer)
    app = of_batch(TWO, "rouge", cites_by=asking.line())
    assert "Not sent yet. 2 texts would be split into claims by a model on this machine." in words_of(app)
    assert server.asked == []
    start(app, "cites_texts_start", "2 are there and cited for the same")
    assert left_on_disk() == []
    assert "Claim 2 of the text." in words_of(app)
    app.selectbox(key="cites_by").set_value("").run()
    assert "Claim 2 of the text." not in words_of(app)
    app.selectbox(key="cites_by").set_value(asking.line()).run()
    assert len(server.asked) == 2


def test_a_text_whose_claims_cannot_be_read_is_named_and_left_out(server: LLMServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "answer", lambda _: "no claims")
    app = of_batch(TWO, "rouge", cites_by=asking.line())
    start(app, "cites_texts_start", "a, s: left out, its claims could not be read.")
    app.session_state["cites_page"] = "Systems"
    app.run()
    assert not app.exception, app.exception


SAME = "Cats may roam. 28 U.S.C. § 1331."
RATINGS = {SAME: 4.0, "Cats roam. 28 U.S.C. § 1331.": 3.0, "Dogs bark.": 1.0, "Owls.": 2.0}


def systems() -> AppTest:
    """Texts that people rated, with one measure."""
    rated = [AnalysisEntry(f"a{i}", "s", text, SAME, rating) for i, (text, rating) in enumerate(RATINGS.items())]
    return of_batch(Batch("rated", tuple(rated)), "rouge", cites_page="Systems", cites_agree=["rouge"])


def test_whole_texts_are_measured_beside_ratings() -> None:
    assert "ROUGE-L of the whole texts and Human rating" in words_of(systems())
