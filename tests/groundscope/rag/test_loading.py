"""Parts by their ids, and plans of them."""

import re

import pytest

from groundscope.chat.prompt_files import AskedChat
from groundscope.errors import ScorerUnavailable
from groundscope.methods import Method, registry
from groundscope.models import embedders
from groundscope.rag import experiments, loading
from groundscope.rag.extracting import BySupport
from groundscope.rag.loading import asked_by, generator, judge, retriever, with_prompts
from groundscope.rag.offline_judge import OfflineJudge
from groundscope.rag.planning import Answering, planned
from groundscope.types import Case, Judgement
from tests.groundscope.rag.embedders import Hashed
from tests.groundscope.rag.parts import BENCHMARK, PASSAGES, QUESTIONS

CHAT = "server:tiny@http://127.0.0.1:9/v1"


def test_a_plan_names_its_parts_and_their_signatures() -> None:
    plan = planned("P", ["bm25", "embed:minilm"], ["similar", "support:overlap"], "offline:cos_sim:minilm", 4, licence="CC0")
    assert [p.title for p in plan.retrievers] == ["BM25", "all-MiniLM-L6-v2"]
    assert [p.title for p in plan.generators] == ["Nearest sentences", "Sentences by Overlap"]
    assert plan.judge.title.startswith("Judged offline: grounded by ")
    assert (plan.k, plan.licence) == (4, "CC0")
    signatures = [p.signature for p in (*plan.retrievers, *plan.generators, plan.judge)]
    assert len(set(signatures)) == 5
    assert not any(p.asks for p in (*plan.retrievers, *plan.generators, plan.judge))
    file = experiments.FOLDER.open(experiments.create(plan, BENCHMARK))
    here = list(Answering(file).planned())
    assert [now for _, now in here] == [part.signature for part, _ in here] == signatures


def test_a_plan_with_a_chat_model_asks() -> None:
    plan = planned("P", ["bm25"], ["similar", f"chat:{CHAT}"], f"chat:{CHAT}", 4)
    assert [p.title for p in plan.generators] == ["Nearest sentences", "tiny"]
    assert [p.asks for p in (*plan.retrievers, *plan.generators, plan.judge)] == [False, False, True, True]


def test_chat_models_are_crossed_with_prompts_and_named_by_them() -> None:
    ids = with_prompts(["similar", f"chat:{CHAT}", f"chat/cautious:{CHAT}x"], ["benchmark", "cautious"])
    assert ids == ["similar", f"chat:{CHAT}", f"chat/cautious:{CHAT}", f"chat/cautious:{CHAT}x"]
    assert asked_by(ids[2]) == AskedChat(CHAT, "cautious")
    assert asked_by("similar") is None
    plan = planned("P", ["bm25"], ids[:3], "offline:overlap", 4)
    assert [p.title for p in plan.generators] == ["Nearest sentences", "tiny", "tiny, cautious prompt"]
    assert [p.asks for p in plan.generators] == [False, True, True]
    assert [f"|prompt={name}|" in p.signature for p, name in zip(plan.generators[1:], ("benchmark", "cautious"), strict=True)]
    for wrong in (lambda: with_prompts(ids, ["bold"]), lambda: generator(f"chat/bold:{CHAT}")):
        with pytest.raises(ValueError, match="must be one of benchmark, cautious, got 'bold'"):
            wrong()


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (retriever, "bm26"),
        (retriever, "embed:"),
        (retriever, "embed:nobody:model"),
        (generator, "similarly"),
        (generator, "support:nobody"),
        (generator, "chat:nobody"),
        (judge, "offline:"),
        (judge, "similar"),
    ],
)
def test_an_id_that_means_nothing_is_refused(make: object, part: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        make(part)  # type: ignore[operator]


@pytest.mark.parametrize("method", ["direct", "lynx", "refchecker", "claims_verify", "multi_gen"])
def test_a_method_that_asks_a_chat_model_sends_nothing_unseen(method: str) -> None:
    why = re.escape(f"{method} asks a chat model; use chat:SPEC.")
    for make, part in (
        (generator, f"support:{method}"),
        (judge, f"offline:{method}"),
        (judge, f"offline:{method}+overlap"),
        (judge, f"offline:overlap+{method}"),
    ):
        with pytest.raises(ValueError, match=why):
            make(part)  # type: ignore[operator]


def test_a_classifier_ranks_sentences_by_its_own_supports() -> None:
    # Evidence of several sentences has one support, so that cosine would order the sentences within it.
    sentences = BySupport(registry.load("grounding_classifier", context_unit="sentence"))
    assert generator("support:grounding_classifier") == (sentences, "Sentences by Grounding classifier SmolLM2")


def test_a_cascade_does_not_rank() -> None:
    with pytest.raises(ValueError, match=r"cascade has no support of its own for each single context sentence; name one"):
        generator("support:cascade")
    assert judge("offline:cascade")


def test_offline_two_methods_judge_one_each_and_both_are_named() -> None:
    made, title = judge("offline:overlap+cos_sim:minilm")
    (grounded, correct) = registry.load("overlap"), registry.load("cos_sim:minilm")
    by = (grounded.about, correct.about)  # type: ignore[attr-defined]
    assert title == (
        f"Judged offline: grounded by Overlap from {by[0].threshold:g} on, correct by {by[1].title} from {by[1].threshold:g} on "
        "(the mean of the reference's sentences)"
    )
    assert isinstance(made, OfflineJudge)
    assert made.grounded.method.signature == grounded.signature
    assert made.correct.method.signature == registry.load("cos_sim:minilm", aggregation="mean").signature
    verdict = made.judge(QUESTIONS[3], QUESTIONS[3].reference, PASSAGES[3:4])
    assert verdict.reasons.startswith("Grounded: yes by Overlap")
    assert f"Correct: yes by {by[1].title}" in verdict.reasons
    assert judge("offline:overlap+overlap")[0].signature == judge("offline:overlap")[0].signature


@pytest.mark.parametrize(
    ("chosen", "titles"),
    [
        (
            ("chat:openai:gpt-4o", f"chat:{CHAT}", "chat:server:gpt-4o@http://127.0.0.1:9/v1"),
            ["gpt-4o (openai:gpt-4o)", "tiny", "gpt-4o (server:gpt-4o@http://127.0.0.1:9/v1)"],
        ),
        (
            (f"chat:{CHAT}", "chat:server:tiny@http://127.0.0.1:8/v1"),
            [f"tiny ({CHAT})", "tiny (server:tiny@http://127.0.0.1:8/v1)"],
        ),
    ],
)
def test_parts_that_people_call_the_same_are_reported_apart(chosen: tuple[str, ...], titles: list[str]) -> None:
    plan = planned("P", ["bm25"], chosen, "offline:overlap", 4)
    assert [p.title for p in plan.generators] == titles


def test_embedders_of_one_name_are_reported_apart_and_one_chosen_twice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Named(Hashed):
        title = "model"
        address = ""

    monkeypatch.setattr(embedders, "embedder", lambda spec: Named(signature=spec.partition("=")[0]))
    plan = planned("P", ["embed:local:/a/model", "embed:local:/b/model"], ["support:overlap"], "offline:overlap", 4)
    assert [p.title for p in plan.retrievers] == ["model (local:/a/model)", "model (local:/b/model)"]
    with pytest.raises(ValueError, match=r"Each embedder can be chosen once\."):
        planned("P", ["embed:local:/a/m", "embed:local:/a/m=2"], ["support:overlap"], "offline:overlap", 4)


def test_a_method_without_a_threshold_does_not_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    class Bare(Method):
        signature = "bare"

        def score(self, case: Case) -> Judgement:
            raise AssertionError

    monkeypatch.setattr(loading, "method_here", lambda _: Bare())
    with pytest.raises(ScorerUnavailable, match=r"bare has no threshold, so it cannot judge; choose another method\."):
        judge("offline:bare")
