"""The Legal RAG page without a browser: its empty state, results of both kinds, hostile names, and what a click opens."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.rag import sources
from components.rag.state import Filter
from evaluation.rag import experiments
from evaluation.rag.outcomes import Answer
from evaluation.rag.records import Results
from evaluation.rag.work import work
from evaluation.types import Passage
from tests.evaluation.rag.made import published
from tests.evaluation.rag.parts import begun, parts

HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$ [link](javascript:1) \u202e"
ROOT = Path(__file__).resolve().parents[2]
Open = Callable[..., AppTest]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def opened() -> Open:
    def open_(*results: Results) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
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
    text = html_of(opened(Results("published.jsonl", tuple(published()), ())))
    assert "438 of 600 answers (73%) are correct and grounded." in text
    assert "The embedder makes a difference that chance does not explain (p &lt; 0.001)." in text
    assert "Best: Kanon 2 Embedder with" in text
    assert "600 answers to 100 questions" in text


def test_an_experiment_is_shown_with_its_judge_and_its_licence(opened: Open) -> None:
    made = parts()
    file = begun(made)
    work(file, made)
    file.close()
    text = html_of(opened())
    assert "12 of 24 answers (50%) are correct and grounded." in text
    assert "What goes wrong most: retrieval errors" in text
    assert "Numbers" in text
    assert "data: CC0" in text


def test_an_unfinished_experiment_can_be_gone_on_with(opened: Open) -> None:
    begun(parts()).close()
    app = opened()
    assert "2 × 1 combinations, 12 questions" in html_of(app)
    assert [b.label for b in app.button if b.label == "Go on"] == ["Go on"]
    (one,), _ = experiments.listed()
    app.button(key=f"rag_delete_{one.id}").click().run()
    assert experiments.listed() == ([], [])


def test_every_text_of_a_file_is_drawn_as_text(opened: Open) -> None:
    context = (Passage(HOSTILE, HOSTILE, HOSTILE),)
    texts = (HOSTILE, HOSTILE, HOSTILE, context, (HOSTILE,), HOSTILE)
    answers = [
        Answer(f"{HOSTILE} {e}", f"{HOSTILE} {m}", f"{HOSTILE} {q}", q > 1, q > 0, q > 2, *texts)
        for e in range(2)
        for m in range(2)
        for q in range(4)
    ]
    app = opened(Results(f"{HOSTILE}.jsonl", tuple(answers), ()))
    text = html_of(app)
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert "<img" not in text
    assert not [m.value for m in app.markdown if "alert(1)" in m.value]


def test_a_filter_lists_the_answers_of_one_bar(opened: Open) -> None:
    app = opened(Results("published.jsonl", tuple(published()), ()))
    app.session_state["rag_filter"] = Filter("Kanon 2 Embedder", "GPT-5.2", "hallucination")
    app.run()
    assert not app.exception
    assert "3 of 600 answers. Tick one to open it" in html_of(app)
    app.session_state["rag_filter"] = Filter("nobody")
    app.run()
    assert not app.exception


def test_a_link_to_results_that_are_not_here_says_so(opened: Open) -> None:
    app = opened(Results("published.jsonl", tuple(published()), ()))
    app.query_params["results"] = "gone"
    app.run()
    assert "The results that the link names are not here; others are shown." in html_of(app)
