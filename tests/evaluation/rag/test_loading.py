"""Parts by their ids, plans of them, and what they take."""

from pathlib import Path

import pytest

import scorers
from evaluation.errors import ScorerUnavailable
from evaluation.rag.forecast import forecast
from evaluation.rag.loading import Doors, generator, judge, parts_of, planned, retriever
from tests.evaluation.rag.parts import BENCHMARK
from tests.evaluation.rag.test_writing import Scripted

DOORS = Doors(scorers.embedder, scorers.chat, scorers.load)
CHAT = "server:tiny@http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))


def test_a_plan_names_its_parts_and_their_signatures() -> None:
    plan = planned(
        "P", ["bm25", "embed:minilm"], ["similar", "support:overlap"], "offline:cos_sim:minilm", 4, DOORS, licence="CC0"
    )
    assert [p.title for p in plan.retrievers] == ["BM25", "all-MiniLM-L6-v2"]
    assert [p.title for p in plan.generators] == ["Nearest sentences", "Sentences by Overlap"]
    assert plan.judge.title.startswith("Judged offline: grounded by ")
    assert (plan.k, plan.licence) == (4, "CC0")
    signatures = [p.signature for p in (*plan.retrievers, *plan.generators, plan.judge)]
    assert len(set(signatures)) == 5
    made = parts_of(plan, DOORS)
    assert [r.signature for r in made.retrievers.values()] == [p.signature for p in plan.retrievers]
    assert made.judge.signature == plan.judge.signature
    assert not made.asks


def test_a_plan_with_a_chat_model_asks() -> None:
    plan = planned("P", ["bm25"], ["similar", f"chat:{CHAT}"], f"chat:{CHAT}", 4, DOORS)
    assert [p.title for p in plan.generators] == ["Nearest sentences", "tiny"]
    assert parts_of(plan, DOORS).asks


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
        make(part, DOORS)  # type: ignore[operator]


def test_a_method_without_a_threshold_does_not_judge() -> None:
    class Bare:
        signature = "bare"

    doors = DOORS._replace(scorer=lambda _: Bare())  # type: ignore[arg-type,return-value]
    with pytest.raises(ScorerUnavailable, match=r"bare has no threshold, so it cannot judge; choose another method\."):
        judge("offline:bare", doors)


def test_what_stays_here_takes_nothing_but_texts() -> None:
    (one,) = forecast(BENCHMARK, ["bm25", "embed:minilm"], ["similar"], "offline:cos_sim:minilm", 3, DOORS)
    assert (one.calls, one.unit, one.address, one.dollars, one.missing) == (30 + 12, "texts", "", 0.0, "")


def test_calls_are_counted_for_every_combination() -> None:
    class Priced(Scripted):
        address = "models.example"

        def unavailable(self) -> str:
            return ""

        def most(self, prompt: object) -> float | None:
            return 0.25

    doors = DOORS._replace(chat=lambda _: Priced())  # type: ignore[arg-type,return-value]
    writes, judges = forecast(BENCHMARK, ["bm25", "embed:minilm"], ["chat:m", "similar"], "chat:m", 3, doors)[1:]
    assert (writes.calls, writes.dollars, writes.address) == (24, 6.0, "models.example")
    assert (judges.calls, judges.dollars) == (48, 12.0)


def test_a_model_that_cannot_be_asked_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GROUNDSCOPE_SERVER_KEY"):
        monkeypatch.delenv(name, raising=False)
    (one,) = forecast(BENCHMARK, ["bm25"], ["chat:openai:gpt-4o"], "offline:cos_sim:minilm", 3, DOORS)
    assert "OPENAI_API_KEY" in one.missing
    assert one.dollars is None
