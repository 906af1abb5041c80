"""The Legal RAG page without a browser: results of both kinds, hostile names, and what a click opens."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from components.rag.state import AnswerFilter
from groundscope.rag.outcomes import Answer
from groundscope.rag.records import RagResults, read_results, to_jsonl
from groundscope.review import ReviewDecision, Ruling, default
from groundscope.review.audit import audit_case
from groundscope.review.decisions import WHOLE
from groundscope.types import Passage
from tests.groundscope.rag.parts import begun, parts, worked
from tests.groundscope.rag.samples import published
from tests.pages.drawn import html, opened

HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$ [link](javascript:1) \u202e"
pytestmark = pytest.mark.usefixtures("data")


def with_files(*results: RagResults) -> AppTest:
    return opened("legal_rag", rag_files={r.name: r for r in results})


def test_a_new_user_sees_the_results_that_come_with_the_app() -> None:
    text = html(opened("legal_rag"))
    assert "A finished run that comes with the app" in text
    assert "496 answers to 124 questions" in text
    assert "Judged offline: grounded by" in text
    assert "data: CC BY 4.0" in text


def test_loaded_results_say_what_goes_wrong_what_decides_and_that_a_link_names_others() -> None:
    app = opened("legal_rag", {"results": "gone"}, rag_files={"p.jsonl": RagResults("p.jsonl", tuple(published()), ())})
    text = html(app)
    assert "438 of 600 answers (73%) are correct and grounded." in text
    assert "The embedder makes a difference that chance does not explain (p &lt; 0.001)." in text
    assert "Best: Kanon 2 Embedder with" in text
    assert "600 answers to 100 questions" in text
    assert "The results that the link names are not here; others are shown." in text


def test_an_experiment_is_shown_with_its_judge_and_its_licence() -> None:
    made = parts()
    file = begun(made)
    worked(file, made)
    file.close()
    text = html(opened("legal_rag"))
    assert "12 of 24 answers (50%) are correct and grounded." in text
    assert "What goes wrong most: retrieval errors" in text
    assert "Numbers" in text
    assert "data: CC0" in text


def test_every_text_of_a_file_is_drawn_as_text() -> None:
    context = (Passage(HOSTILE, HOSTILE, HOSTILE),)
    texts = (HOSTILE, HOSTILE, HOSTILE, context, (HOSTILE,), HOSTILE)
    answers = [
        Answer(f"{HOSTILE} {e}", f"{HOSTILE} {m}", f"{HOSTILE} {q}", q > 1, q > 0, q > 2, *texts)
        for e in range(2)
        for m in range(2)
        for q in range(4)
    ]
    app = with_files(RagResults(f"{HOSTILE}.jsonl", tuple(answers), ()))
    text = html(app)
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert "<img" not in text
    assert not [m.value for m in app.markdown if "alert(1)" in m.value]


def test_a_filter_lists_the_answers_of_one_bar_and_says_which_accuracy_does_not_count() -> None:
    answers = [Answer("E", "m", str(q), None if q else True, q > 1, True) for q in range(3)]
    app = with_files(RagResults("r.jsonl", tuple(answers), ()))
    assert "0 of 1 answer (0%) is correct and grounded. 2 more lack a verdict" in html(app)
    app.session_state["rag_filter"] = AnswerFilter("E", "m", "hallucination")
    text = html(app.run())
    assert "2 of 3 answers. Tick one to open it, or step through them. 1 hallucination has no verdict" in text
    app.session_state["rag_filter"] = AnswerFilter("nobody")
    assert not app.run().exception


def _on(app: AppTest, tab: str) -> str:
    app.session_state["rag_tab"] = tab
    return html(app.run())


def test_ids_are_compared_exactly() -> None:
    found = [Answer("E", "m", str(q), True, True, True, relevant=("s1",), retrieved=("s10", "s1")) for q in range(4)]
    text = _on(with_files(RagResults("r.jsonl", tuple(found), ())), "Passages found")
    assert "At most 2 passages of each question are known" in text
    assert "<td>0.500<br>" in text


def test_what_a_file_leaves_in_doubt_is_said_above_its_results() -> None:
    context = (Passage("s10", "ten"),)
    answers = [Answer("E", "m", "1", False, True, True, context=context, relevant=("s1",))]
    text = html(with_files(read_results("r.jsonl", to_jsonl(answers).encode())))
    assert "For 1 answer the file says that a relevant passage was retrieved, by exact ids none was" in text
    assert "1 answer to 1 question" in text


def test_impacts_of_combinations_that_were_not_all_run_are_doubted() -> None:
    answers = [a for a in published() if a.cell != ("Kanon 2 Embedder", "GPT-5.2")]
    app = with_files(RagResults("part.jsonl", tuple(answers), ()), RagResults("whole.jsonl", tuple(published()), ()))
    assert "over different models or embedders" not in _on(app, "Impact")
    app.selectbox(key="rag_results").set_value("file part.jsonl").run()
    assert "over different models or embedders" in _on(app, "Impact")


def test_passages_without_ids_are_neither_relevant_nor_missed() -> None:
    row = '{"embedding_model":"E","generative_model":"m","question_id":"1","correct":false,"grounded":true,'
    row += '"context":["One.","Two."],"relevant_passage_id":"p1"}'
    text = html(with_files(read_results("r.jsonl", row.encode())))
    assert "Retrieved passages: 2" in text
    assert "it holds the answer" not in text
    assert "Relevant and not retrieved" not in text
    assert "Not correct, cause not known" in text


def test_the_judge_is_audited_in_the_review_workbench() -> None:
    texts = {"question": "Q?", "reference": "Ref.", "context": (Passage("p", "Text."),)}
    answers = [replace(a, **texts, answer=f"{a.question_id}.") for a in list(published())[:100]]
    app = with_files(RagResults("r.jsonl", tuple(answers), ()))
    assert "No one has decided on any of these answers yet." in _on(app, "Audit of the judge")
    # The judge calls the first grounded and the last not.
    for answer in (answers[0], answers[99]):
        case = audit_case(answer, "grounded")
        assert case is not None
        default().decide(case, "Ada", ReviewDecision(WHOLE, Ruling.SUPPORTED))
    app.run()
    text = html(app)
    assert "2 answers" in text
    assert "100.0 % (21–100) of 1" in text
    assert "0.0 % (0–79) of 1" in text
    app.button(key="rag_audit").click().run()
    assert app.session_state["sets"]["Audit of r.jsonl"].cases
