"""The panel under the heatmap that shows what carries a sentence, without a browser."""

import re
import time
from contextlib import closing
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from components import state
from components.case_sets import CaseSet
from components.heatmap import evidence
from groundscope.chat.budget import Limits
from groundscope.experiments.listing import listed
from groundscope.experiments.plan import Part
from groundscope.experiments.task import TaskSteps
from groundscope.experiments.work import work
from groundscope.grounding.sensitivity.leave_one_out import LEAVING_OUT, begin
from groundscope.methods import registry
from groundscope.types import Case, Passage
from tests.llm_server import LLMServer
from tests.pages.drawn import html, session
from tests.pages.drawn import opened as page

FOUND = "Support without each passage"
HOSTILE = "<script>alert(1)</script> **b** $x$"
CASE = Case(
    "carried",
    "Who pays?",
    (
        Passage("a", f"Tenants pay the monthly rent. Cats sleep {HOSTILE}.", HOSTILE),
        Passage("b", "Landlords repair leaking roofs."),
        Passage("c", "Dogs bark loudly."),
    ),
    "Tenants pay the monthly rent. Zebras cross frozen rivers.",
)


def opened(case: Case, method: str, until: str = FOUND, model: str = "") -> AppTest:
    """The heatmap of a case under one method, with the panel open, when it shows this."""
    app = session({"sentence": "1"}, sets={"Test": CaseSet("Test", (case,))}, opened_set="Test")
    app.session_state[state.SELECTED] = case.id
    app.session_state[state.METHODS] = [method]
    app.session_state[evidence.KEY] = True
    # Chosen in the session: a process that asks models, once started, reads no later environment.
    app.session_state["chat_model"] = model
    return waited(app.switch_page("pages/heatmap.py").run(), until)


def waited(app: AppTest, until: str) -> AppTest:
    deadline = time.monotonic() + 60
    while until not in html(app) and time.monotonic() < deadline:
        app.run()
    assert until in html(app)
    return app


def test_it_says_without_which_source_the_sentence_falls_and_which_are_not_used() -> None:
    app = opened(CASE, "overlap")
    text = html(app)
    threshold = registry.load("overlap").about.threshold
    assert f"Sentence 1, Overlap: 1.00, above the threshold, threshold {threshold:.2f}" in text
    assert "It falls below the threshold when passage 1 is left out." in text
    assert "<b>0.00, below the threshold</b>" in text
    assert "Each of passages 2 and 3, left out alone, changes no support by more than 0.01." in text
    assert HOSTILE not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    # Then of a sentence that is flagged.
    app.query_params["sentence"] = "2"
    text = html(waited(app.run(), "Sentence 2, Overlap: 0.00, below the threshold"))
    assert "Without any one passage it stays there." in text


def test_without_a_score_it_says_what_to_do() -> None:
    opened(Case("empty", "q", (), "An answer."), "overlap", until="has no score of this answer")


def test_a_model_is_asked_in_a_job_once_a_source_and_where_the_user_wants_it_once_a_sentence() -> None:
    reply = '{"reasons": ["It does."], "unsupported": [], "verdict": "PASS"}'
    with LLMServer(lambda asked: reply) as server:
        app = opened(CASE, "direct", until="<td>3 calls", model=f"server:scripted-1@{server.openai}")
        # Limits of the session that changed meanwhile are those that are offered.
        app.session_state["limits"] = Limits(30, 0.05)
        app.run()
        assert (app.number_input(key="evidence_calls").value, app.number_input(key="evidence_dollars").value) == (30, 0.05)
        before = len(server.asked)
        app.button(key="evidence_start").click().run()
        (job,) = listed(LEAVING_OUT.kind)[0]
        assert job.wanted == 3
        waited(app, FOUND)
        few = len(server.asked)
        assert 1 <= few - before <= 3
        assert "Without any one passage it stays above the threshold." in html(app)
        assert not listed(LEAVING_OUT.kind)[0], "the copy of the case goes with the job"
        app.segmented_control(key="evidence_parts").set_value("sentences").run()
        assert "<td>5 calls" in html(app)
        assert FOUND not in html(app)
        assert len(server.asked) == few
        waited(app.button(key="evidence_start").click().run(), FOUND)
        assert 1 <= len(server.asked) - few <= 5
    assert "Each passage, and each sentence of it, is left out" in html(app)
    assert "<td>5 calls" not in html(app), "nothing is left to be asked"


def test_a_method_of_this_machine_that_takes_long_is_asked_in_a_job_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "_SLOW", -1.0)
    app = opened(CASE, "overlap", until="stay on this machine")
    assert "no call" in html(app)
    app.button(key="evidence_start").click().run()
    assert [job.wanted for job in listed(LEAVING_OUT.kind)[0]] == [3]
    text = html(waited(app, FOUND))
    assert "It falls below the threshold when passage 1 is left out." in text


def test_jobs_whose_case_is_not_open_stand_on_the_runs_page() -> None:
    method = registry.load("overlap")
    job = begin(Part("overlap", title="Overlap"), CASE, method.score(CASE), sentences=False)
    app = page("runs")
    assert "What carries the answer carried" in html(app)
    assert app.button(key=f"left_out_resume_{job}")
    with closing(LEAVING_OUT.folder.open(job)) as file:
        assert work(file, TaskSteps(LEAVING_OUT, file)).finished
    app.run()
    app.button(key=f"left_out_finished_delete_{job}").click().run()
    assert not listed(LEAVING_OUT.kind)[0]


def test_an_answer_to_another_question_has_a_badge_with_its_figure_and_other_answers_have_none() -> None:
    other = replace(CASE, id="other", query=f"How are penguins counted? {HOSTILE}")
    (badge,) = re.findall(r"<details class='gs-badge'>.*?</details>", html(opened(other, "overlap", until="May be beside")))
    assert re.search(r"0\.[0-3]\d, low is below 0\.47", badge)
    assert "penguins" not in badge
    foreign = "Wer zahlt die Miete? Die Mieter zahlen die Miete an jedem ersten Tag des Monats, und das ist nicht zu ändern."
    cases = [replace(CASE, query="Who pays the monthly rent?"), replace(other, query=" "), replace(other, response=foreign)]
    assert not any("May be beside" in html(opened(case, "overlap", until="Overlap: ")) for case in cases)
