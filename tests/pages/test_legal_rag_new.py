"""The form of a new experiment without a browser: what is chosen, what it takes, and what begins."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from groundscope.experiments.work import work
from groundscope.methods import registry
from groundscope.rag import experiments
from groundscope.rag.experiments import ExperimentPlan
from groundscope.rag.planning import Answering
from groundscope.rag.types import Benchmark, Question
from groundscope.types import Passage
from tests.groundscope.models.embedders.models import sentence_model
from tests.pages.drawn import html, opened

pytestmark = pytest.mark.usefixtures("asked")


def form(**state: object) -> AppTest:
    return opened("legal_rag", rag_turn_page="New experiment", **state)


def plan(asked: list[str]) -> ExperimentPlan:
    """What the only experiment that was begun will do."""
    (experiment,) = asked
    return experiments.plan_of(experiments.FOLDER.open(experiment))


@pytest.mark.parametrize(
    ("state", "correct", "judge"),
    [
        ({}, None, "offline:grounding_classifier+cos_sim:minilm"),
        ({"rag_judge": "offline:overlap"}, "", "offline:overlap"),
        ({"rag_judge": "offline:overlap"}, "quip", "offline:overlap+quip"),
    ],
)
def test_offline_another_method_can_say_what_is_correct(
    asked: list[str], state: dict[str, object], correct: str | None, judge: str
) -> None:
    app = form(**state)
    if correct is not None:
        assert app.selectbox(key="rag_judge_correct_overlap").value == ""
        app.selectbox(key="rag_judge_correct_overlap").set_value(correct).run()
    app.button(key="rag_start").click().run()
    assert plan(asked).judge.id == judge


def _corpus(*texts: str, **more: Any) -> Benchmark:
    passages = tuple(Passage(f"lease.txt-s{i}", text, "lease.txt") for i, text in enumerate(texts, 1))
    return Benchmark("Mine", passages, **{"questions": (Question("q", "What?", "That."),), **more})


def test_what_an_embedder_does_not_read_is_said_before_and_stays_beside_the_results(asked: list[str]) -> None:
    cut = "all-MiniLM-L6-v2: 1 of 2 passages is longer than it reads; its end is not searched (choose at most 254 tokens)."
    app = form(rag_benchmarks={"Mine": _corpus("word " * 300, "Rent is due.")}, rag_benchmark="Mine", rag_judge="offline:overlap")
    assert cut in html(app)
    assert "2 passages, 1 question, 1 with a reference answer, 0 that say which passages hold it" in html(app)
    app.button(key="rag_start").click().run()
    file = experiments.FOLDER.open(asked[0])
    assert work(file, Answering(file)).finished
    file.close()
    app.session_state["rag_turn_page"] = "Results"
    assert cut in html(app.run())


def test_a_corpus_without_questions_shows_its_ids_and_takes_questions_later() -> None:
    corpus = _corpus("Rent is due.", questions=(), problems=("b.pdf is damaged.",))
    app = form(rag_benchmarks={"Mine": corpus}, rag_benchmark="Mine")
    assert "1 passage, and no questions yet" in html(app)
    assert "<code>lease.txt-s1</code>" in html(app)
    assert "b.pdf is damaged." in html(app)
    assert not [b for b in app.button if b.key == "rag_start"]
    app.file_uploader[0].set_value(("q.jsonl", b'{"id": "q"}', "application/jsonl")).run()
    app.button(key="rag_add_questions").click().run()
    assert "q.jsonl holds no question" in html(app)
    assert "no questions yet" in html(app)
    question = b'{"id": "q", "question": "What is due?", "answer": "Rent.", "relevant_passage_id": "lease.txt-s1"}'
    app.file_uploader[0].set_value(("q.jsonl", question, "application/jsonl")).run()
    app.button(key="rag_add_questions").click().run()
    assert "1 passage, 1 question, 1 with a reference answer, 1 that says which passages hold it" in html(app)
    assert app.button(key="rag_start")


def test_what_was_missing_is_looked_for_again(tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    app = form(rag_local=f"local:{folder}", rag_retrievers=[f"embed:local:{folder}"], rag_judge="offline:overlap")
    assert "There is no folder" in html(app)
    assert app.button(key="rag_start").disabled
    sentence_model(folder)
    assert "There is no folder" not in html(app.run())
    assert not app.button(key="rag_start").disabled


def test_documents_load_before_their_questions_and_those_that_cannot_be_used_say_why() -> None:
    app = form(rag_add=True, rag_way="Documents and questions")
    assert "such as <code>lease.pdf-s3</code>" in html(app)
    app.file_uploader(key="rag_documents").set_value([("lease.pdf", b"no pdf", "application/pdf")]).run()
    app.button(key="rag_load_documents").click().run()
    assert "There is no passage to ask about. lease.pdf is damaged" in html(app)
    app.file_uploader(key="rag_documents").set_value([("lease.txt", b"Rent is due on Mondays.", "text/plain")]).run()
    app.button(key="rag_load_documents").click().run()
    assert "1 passage, and no questions yet" in html(app)
    assert app.selectbox(key="rag_benchmark").value == "lease.txt"


def test_what_is_varied_of_retrieval_and_of_prompts_is_crossed_in_the_plan(asked: list[str]) -> None:
    line = "server:tiny@http://127.0.0.1:9/v1"
    app = form(
        rag_retrievers=["bm25"], rag_chat=line, rag_generators=["similar", f"chat:{line}"], rag_judge="offline:overlap",
        rag_ks=["2"], rag_pieces=["128"], rag_rerankers=["similar"], rag_oracle=True, rag_prompts=["benchmark", "cautious"],
    )  # fmt: skip
    assert "16 ways to retrieve × 3 models" in html(app)
    app.button(key="rag_start").click().run()
    assert [p.title for p in plan(asked).generators] == ["Nearest sentences", "tiny", "tiny, cautious prompt"]
    titles = [p.title for p in plan(asked).retrievers]
    assert (len(titles), len(set(titles))) == (16, 16)
    assert titles[:2] == ["BM25, k = 5", "BM25, k = 2"]
    assert titles[-1] == "BM25, pieces of 128 tokens, reranked by nearest sentences, relevant passage given, k = 2"


def test_an_edited_prompt_is_saved_and_offered_and_a_second_judge_is_in_the_plan(asked: list[str]) -> None:
    line = "server:tiny@http://127.0.0.1:9/v1"
    app = form(
        chat_model=line, rag_retrievers=["bm25"], rag_generators=["similar"], rag_judge="offline:overlap",
        prompt_open_rag_answer_rag_judge="rag_judge/as-printed",
    )  # fmt: skip
    assert (
        "irrespective of whether they are relevant"
        in app.text_area(key="prompt_rag_answer_rag_judge_rag_judge/as-printed_grounded").value
    )
    app.text_area(key="prompt_rag_answer_rag_judge_rag_judge/as-printed_grounded").set_value("Only if quoted.")
    app.text_input(key="prompt_name_rag_answer_rag_judge").set_value("quoted")
    next(b for b in app.button if b.label == "Save as a copy").click().run()
    assert "The prompt quoted is saved." in html(app)
    offered = app.selectbox(key="rag_judge").options
    assert [f"{line}, by rubric{name}" in offered for name in ("", ", as-printed prompt", ", quoted prompt")] == [True] * 3
    app.selectbox(key="rag_second_overlap").set_value("quip").run()
    reached = next(n for n in app.number_input if n.label == "Grounded from")
    assert reached.value == registry.load("quip").about.threshold
    reached.set_value(0.75).run()
    app.button(key="rag_start").click().run()
    second = plan(asked).second
    assert second is not None
    assert (second.id, second.title, second.asks) == ("quip@0.75", "QUIP from 0.75 on", False)


def test_without_a_chat_model_no_prompt_is_chosen_and_without_relevant_ids_none_is_given(asked: list[str]) -> None:
    app = form(
        rag_benchmarks={"Mine": _corpus("Rent is due.")}, rag_benchmark="Mine", rag_judge="offline:overlap", rag_oracle=True
    )
    assert not [m for m in app.multiselect if m.key == "rag_prompts"]
    assert app.checkbox(key="rag_oracle").disabled
    app.button(key="rag_start").click().run()
    assert [p.title for p in plan(asked).retrievers] == ["BM25", "all-MiniLM-L6-v2"]
