"""The form of a new experiment without a browser: what is chosen, what it takes, and what begins."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.experiments.jobs import Jobs
from components.rag.page import FACTORIES
from groundscope.chat.model_spec import VARIABLE
from groundscope.experiments.work import work
from groundscope.rag import experiments
from groundscope.rag.planning import steps
from groundscope.rag.types import Benchmark, Question
from groundscope.types import Passage
from tests.scorers.embedders.models import sentence_model

ROOT = Path(__file__).resolve().parents[2]
Form = Callable[..., AppTest]


@pytest.fixture(autouse=True)
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Experiments whose work was asked for; none is done here."""
    asked: list[str] = []
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(Jobs, "resume", lambda self, job, *, retry=False: asked.append(job))
    return asked


@pytest.fixture
def form() -> Form:
    def open_(**state: object) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        for key, value in {"rag_turn_page": "New experiment", **state}.items():
            app.session_state[key] = value
        app.switch_page("pages/legal_rag.py").run()
        assert not app.exception, app.exception
        return app

    return open_


def html_of(app: AppTest) -> str:
    return "\n".join(str(block.proto.body) for block in app.get("html"))


def test_offline_another_method_can_say_what_is_correct(form: Form, begun: list[str]) -> None:
    app = form()
    app.selectbox(key="rag_judge").set_value("offline:overlap").run()
    assert app.selectbox(key="rag_judge_correct_overlap").value == ""
    app.selectbox(key="rag_judge_correct_overlap").set_value("quip").run()
    app.button(key="rag_start").click().run()
    assert not app.exception
    (one,) = begun
    judge = experiments.plan_of(experiments.FOLDER.open(one)).judge
    assert judge.id == "offline:overlap+quip"
    assert "grounded by Overlap" in judge.title
    assert "correct by QUIP" in judge.title


def test_at_first_the_classifier_says_what_is_grounded_and_cosine_what_is_correct(form: Form, begun: list[str]) -> None:
    app = form()
    app.button(key="rag_start").click().run()
    (one,) = begun
    assert experiments.plan_of(experiments.FOLDER.open(one)).judge.id == "offline:grounding_classifier+cos_sim:minilm"


def test_one_method_judges_both_where_the_user_says_so(form: Form, begun: list[str]) -> None:
    app = form(rag_judge="offline:overlap")
    app.button(key="rag_start").click().run()
    (one,) = begun
    assert experiments.plan_of(experiments.FOLDER.open(one)).judge.id == "offline:overlap"


def _corpus(*texts: str, **more: Any) -> Benchmark:
    passages = tuple(Passage(f"lease.txt-s{i}", text, "lease.txt") for i, text in enumerate(texts, 1))
    return Benchmark("Mine", passages, **{"questions": (Question("q", "What?", "That."),), **more})


def test_what_an_embedder_does_not_read_is_said_before_and_stays_beside_the_results(form: Form, begun: list[str]) -> None:
    said = "all-MiniLM-L6-v2: 1 of 2 passages is longer than it reads; its end is not searched (choose at most 254 tokens)."
    app = form(rag_benchmarks={"Mine": _corpus("word " * 300, "Rent is due.")}, rag_benchmark="Mine", rag_judge="offline:overlap")
    assert said in html_of(app)
    assert "2 passages, 1 question, 1 with a reference answer, 0 that say which passages hold it" in html_of(app)
    app.button(key="rag_start").click().run()
    file = experiments.FOLDER.open(begun[0])
    assert work(file, steps(file, FACTORIES)).finished
    file.close()
    app.session_state["rag_turn_page"] = "Results"
    app.run()
    assert said in html_of(app)


def test_a_corpus_without_questions_shows_its_ids_and_takes_questions_later(form: Form) -> None:
    app = form(
        rag_benchmarks={"Mine": _corpus("Rent is due.", questions=(), problems=("b.pdf is damaged.",))}, rag_benchmark="Mine"
    )
    text = html_of(app)
    assert "1 passage, and no questions yet" in text
    assert "<code>lease.txt-s1</code>" in text
    assert "b.pdf is damaged." in text
    assert not [b for b in app.button if b.key == "rag_start"]
    asked = b'{"id": "q", "question": "What is due?", "answer": "Rent.", "relevant_passage_id": "lease.txt-s1"}'
    app.file_uploader[0].set_value(("q.jsonl", asked, "application/jsonl")).run()
    app.button(key="rag_add_questions").click().run()
    assert not app.exception
    assert "1 passage, 1 question, 1 with a reference answer, 1 that says which passages hold it" in html_of(app)
    assert app.button(key="rag_start")


def test_questions_that_cannot_be_read_leave_the_corpus(form: Form) -> None:
    app = form(rag_benchmarks={"Mine": _corpus("Rent is due.", questions=())}, rag_benchmark="Mine")
    app.file_uploader[0].set_value(("q.jsonl", b'{"id": "q"}', "application/jsonl")).run()
    app.button(key="rag_add_questions").click().run()
    assert "q.jsonl holds no question" in html_of(app)
    assert "no questions yet" in html_of(app)


def test_what_was_missing_is_looked_for_again(form: Form, tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    app = form(rag_local=f"local:{folder}", rag_retrievers=[f"embed:local:{folder}"], rag_judge="offline:overlap")
    assert "There is no folder" in html_of(app)
    assert app.button(key="rag_start").disabled
    sentence_model(folder)
    app.run()
    assert "There is no folder" not in html_of(app)
    assert not app.button(key="rag_start").disabled


def test_documents_load_before_their_questions(form: Form) -> None:
    app = form(rag_add=True, rag_way="Documents and questions")
    assert "such as <code>lease.pdf-s3</code>" in html_of(app)
    app.file_uploader(key="rag_documents").set_value([("lease.txt", b"Rent is due on Mondays.", "text/plain")]).run()
    app.button(key="rag_load_documents").click().run()
    assert not app.exception
    assert app.selectbox(key="rag_benchmark").value == "lease.txt"
    assert "1 passage, and no questions yet" in html_of(app)


def test_where_no_document_can_be_used_the_page_says_why(form: Form) -> None:
    app = form(rag_add=True, rag_way="Documents and questions")
    app.file_uploader(key="rag_documents").set_value([("lease.pdf", b"no pdf", "application/pdf")]).run()
    app.button(key="rag_load_documents").click().run()
    assert "There is no passage to ask about. lease.pdf is damaged" in html_of(app)


def test_what_is_varied_of_retrieval_and_of_prompts_is_crossed_in_the_plan(form: Form, begun: list[str]) -> None:
    line = "server:tiny@http://127.0.0.1:9/v1"
    app = form(
        rag_retrievers=["bm25"], rag_chat=line, rag_generators=["similar", f"chat:{line}"], rag_judge="offline:overlap",
        rag_ks=["2"], rag_pieces=["128"], rag_rerankers=["similar"], rag_oracle=True, rag_prompts=["benchmark", "cautious"],
    )  # fmt: skip
    assert "16 ways to retrieve × 3 models" in html_of(app)
    app.button(key="rag_start").click().run()
    assert not app.exception
    plan = experiments.plan_of(experiments.FOLDER.open(begun[0]))
    assert [p.title for p in plan.generators] == ["Nearest sentences", "tiny", "tiny, cautious prompt"]
    titles = [p.title for p in plan.retrievers]
    assert (len(titles), len(set(titles))) == (16, 16)
    assert titles[:2] == ["BM25, k = 5", "BM25, k = 2"]
    assert titles[-1] == "BM25, pieces of 128 tokens, reranked by nearest sentences, relevant passage given, k = 2"


def test_without_a_chat_model_no_prompt_is_chosen_and_without_relevant_ids_none_is_given(form: Form, begun: list[str]) -> None:
    app = form(
        rag_benchmarks={"Mine": _corpus("Rent is due.")}, rag_benchmark="Mine", rag_judge="offline:overlap", rag_oracle=True
    )
    assert not [m for m in app.multiselect if m.key == "rag_prompts"]
    assert app.checkbox(key="rag_oracle").disabled
    app.button(key="rag_start").click().run()
    assert [p.title for p in experiments.plan_of(experiments.FOLDER.open(begun[0])).retrievers] == ["BM25", "all-MiniLM-L6-v2"]
