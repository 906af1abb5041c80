"""The Legal RAG page without a browser: its empty state, results of both kinds, hostile names, and what a click opens."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.rag import sources
from components.rag.state import AnswerFilter
from groundscope.experiments.listing import listed
from groundscope.rag import experiments
from groundscope.rag.outcomes import Answer
from groundscope.rag.records import RagResults, read_results, to_jsonl
from groundscope.review import ReviewDecision, Ruling, default
from groundscope.review.audit import audit_case
from groundscope.review.decisions import WHOLE
from groundscope.types import Passage
from tests.groundscope.rag.parts import begun, parts, worked
from tests.groundscope.rag.samples import published

HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$ [link](javascript:1) \u202e"
ROOT = Path(__file__).resolve().parents[2]
Open = Callable[..., AppTest]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def opened() -> Open:
    def open_(*results: RagResults) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        app.session_state["rag_files"] = {r.name: r for r in results}
        app.switch_page("pages/legal_rag.py").run()
        assert not app.exception, app.exception
        return app

    return open_


def html_of(app: AppTest) -> str:
    return "\n".join(str(block.proto.body) for block in app.get("html"))


def test_a_new_user_sees_the_results_that_come_with_the_app(opened: Open) -> None:
    text = html_of(opened())
    assert "These results come with the app: a real run over its sample set." in text
    assert "496 answers to 124 questions" in text
    assert "Judged offline: grounded by" in text
    assert "data: CC BY 4.0" in text


def test_without_any_results_the_page_says_what_to_do(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "shipped", lambda: None)
    assert "There are no results yet. Begin an experiment with the sample set" in html_of(opened())


def test_loaded_results_say_what_goes_wrong_and_what_decides(opened: Open) -> None:
    text = html_of(opened(RagResults("published.jsonl", tuple(published()), ())))
    assert "438 of 600 answers (73%) are correct and grounded." in text
    assert "The embedder makes a difference that chance does not explain (p &lt; 0.001)." in text
    assert "Best: Kanon 2 Embedder with" in text
    assert "600 answers to 100 questions" in text


def test_an_experiment_is_shown_with_its_judge_and_its_licence(opened: Open) -> None:
    made = parts()
    file = begun(made)
    worked(file, made)
    file.close()
    text = html_of(opened())
    assert "12 of 24 answers (50%) are correct and grounded." in text
    assert "What goes wrong most: retrieval errors" in text
    assert "Numbers" in text
    assert "data: CC0" in text


def test_an_unfinished_experiment_can_be_resumed(opened: Open) -> None:
    begun(parts()).close()
    app = opened()
    assert "2 × 1 combinations, 12 questions" in html_of(app)
    assert [b.label for b in app.button if b.label == "Resume"] == ["Resume"]
    (one,), _ = listed(experiments.KIND)
    app.button(key=f"rag_delete_{one.id}").click().run()
    assert listed(experiments.KIND) == ([], [])


def test_every_text_of_a_file_is_drawn_as_text(opened: Open) -> None:
    context = (Passage(HOSTILE, HOSTILE, HOSTILE),)
    texts = (HOSTILE, HOSTILE, HOSTILE, context, (HOSTILE,), HOSTILE)
    answers = [
        Answer(f"{HOSTILE} {e}", f"{HOSTILE} {m}", f"{HOSTILE} {q}", q > 1, q > 0, q > 2, *texts)
        for e in range(2)
        for m in range(2)
        for q in range(4)
    ]
    app = opened(RagResults(f"{HOSTILE}.jsonl", tuple(answers), ()))
    text = html_of(app)
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert "<img" not in text
    assert not [m.value for m in app.markdown if "alert(1)" in m.value]


def test_a_filter_lists_the_answers_of_one_bar(opened: Open) -> None:
    app = opened(RagResults("published.jsonl", tuple(published()), ()))
    app.session_state["rag_filter"] = AnswerFilter("Kanon 2 Embedder", "GPT-5.2", "hallucination")
    app.run()
    assert not app.exception
    assert "3 of 600 answers. Tick one to open it" in html_of(app)
    app.session_state["rag_filter"] = AnswerFilter("nobody")
    app.run()
    assert not app.exception


def test_a_link_to_results_that_are_not_here_says_so(opened: Open) -> None:
    app = opened(RagResults("published.jsonl", tuple(published()), ()))
    app.query_params["results"] = "gone"
    app.run()
    assert "The results that the link names are not here; others are shown." in html_of(app)


def _on(app: AppTest, tab: str) -> str:
    app.session_state["rag_tab"] = tab
    app.run()
    assert not app.exception, app.exception
    return html_of(app)


def test_ids_are_compared_by_substring_where_that_is_asked_for(opened: Open) -> None:
    found = [Answer("E", "m", str(q), True, True, True, relevant=("s1",), retrieved=("s10", "s1")) for q in range(4)]
    app = opened(RagResults("r.jsonl", tuple(found), ()))
    text = _on(app, "Retrieval")
    assert "At most 2 passages of each question are known" in text
    assert "<td>0.500<br>" in text
    assert "by substring" not in text
    app.toggle(key="rag_substring").set_value(True).run()
    assert not app.exception
    text = html_of(app)
    assert text.count("<small>by substring</small>") == 4
    # A part of another id is taken for it, so the first passage is one.
    assert text.split("<small>by substring</small>")[-1].startswith("</th><td>1.000<br>")
    assert "as the file says, and by exact ids where it says nothing" in text


def test_what_a_file_leaves_in_doubt_is_said_above_its_results(opened: Open) -> None:
    context = (Passage("s10", "ten"),)
    answers = [Answer("E", "m", "1", False, True, True, context=context, relevant=("s1",))]
    text = html_of(opened(read_results("r.jsonl", to_jsonl(answers).encode())))
    assert "For 1 answer the file says that a relevant passage was retrieved, by exact ids none was" in text
    assert "1 answer to 1 question" in text


def test_hallucinations_that_accuracy_does_not_count_are_said_in_their_list(opened: Open) -> None:
    answers = [Answer("E", "m", str(q), None if q else True, q > 1, True) for q in range(3)]
    app = opened(RagResults("r.jsonl", tuple(answers), ()))
    assert "0 of 1 answer (0%) is correct and grounded. 2 more lack a verdict" in html_of(app)
    app.session_state["rag_filter"] = AnswerFilter(outcome="hallucination")
    app.run()
    assert "2 of 3 answers. Tick one to open it, or step through them. 1 hallucination has no verdict" in html_of(app)


def test_impacts_of_combinations_that_were_not_all_run_are_doubted(opened: Open) -> None:
    answers = [a for a in published() if a.cell != ("Kanon 2 Embedder", "GPT-5.2")]
    app = opened(RagResults("part.jsonl", tuple(answers), ()), RagResults("whole.jsonl", tuple(published()), ()))
    assert "over different models or embedders" not in _on(app, "Impact")
    app.selectbox(key="rag_results").set_value("file part.jsonl").run()
    assert "over different models or embedders" in _on(app, "Impact")


def test_passages_without_ids_are_neither_relevant_nor_missed(opened: Open) -> None:
    row = '{"embedding_model":"E","generative_model":"m","question_id":"1","correct":false,"grounded":true,'
    row += '"context":["One.","Two."],"relevant_passage_id":"p1"}'
    text = html_of(opened(read_results("r.jsonl", row.encode())))
    assert "Retrieved passages: 2" in text
    assert "it holds the answer" not in text
    assert "Relevant and not retrieved" not in text
    assert "Not correct, cause not known" in text


def test_the_judge_is_audited_in_the_review_workbench(opened: Open, tmp_path: Path) -> None:
    texts = {"question": "Q?", "reference": "Ref.", "context": (Passage("p", "Text."),)}
    answers = [replace(a, **texts, answer=f"{a.question_id}.") for a in list(published())[:100]]
    app = opened(RagResults("r.jsonl", tuple(answers), ()))
    app.session_state["rag_tab"] = "Audit of the judge"
    app.run()
    assert "No one has decided on any of these answers yet." in html_of(app)
    # The judge calls the first grounded and the last not.
    for one in (answers[0], answers[99]):
        case = audit_case(one, "grounded")
        assert case is not None
        default().decide(case, "Ada", ReviewDecision(WHOLE, Ruling.SUPPORTED))
    app.run()
    text = html_of(app)
    assert "2 answers" in text
    assert "100.0 % (21–100) of 1" in text
    assert "0.0 % (0–79) of 1" in text
    app.button(key="rag_audit").click().run()
    assert app.session_state["sets"]["Audit of r.jsonl"].cases
