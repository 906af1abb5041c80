"""What an experiment takes, told before it begins: at most is at most, and what is not read is said."""

from dataclasses import replace

import pytest

from groundscope.chat.messages import Prompt, Reply
from groundscope.rag import experiments, loading
from groundscope.rag import forecast as forecasting
from groundscope.rag.asking import ChatJudge
from groundscope.rag.forecast import forecast
from groundscope.rag.planning import planned
from groundscope.rag.types import Benchmark, Question
from groundscope.types import Passage
from tests.groundscope.rag.parts import BENCHMARK
from tests.groundscope.rag.test_writing import Scripted

CHAT = "server:tiny@http://127.0.0.1:9/v1"


def test_what_stays_here_takes_nothing_but_texts() -> None:
    (one,) = forecast(BENCHMARK, ["bm25", "embed:minilm"], ["similar"], "offline:cos_sim:minilm", 3)
    assert (one.calls, one.unit, one.address, one.dollars, one.missing) == (30 + 12, "text", "", 0.0, "")


class Priced(Scripted):
    """Costs a dollar a thousand characters sent, and one a thousand tokens that may come back."""

    address = "models.example"
    paid = 0.0

    def unavailable(self) -> str:
        return ""

    def most(self, prompt: Prompt) -> float | None:
        return prompt.characters() / 1_000 + prompt.max_tokens / 1_000

    def ask(self, prompt: Prompt, marker: str, number: int = 0) -> Reply:
        self.paid += self.most(prompt) or 0.0
        return super().ask(prompt, marker, number)


def asks(monkeypatch: pytest.MonkeyPatch, model: Priced) -> None:
    """Have every spec of a chat model mean this one."""
    for module in (forecasting, loading):
        monkeypatch.setattr(module, "chat_model", lambda _: model)


def test_calls_are_counted_for_every_combination(monkeypatch: pytest.MonkeyPatch) -> None:
    asks(monkeypatch, Priced())
    writes, judges = forecast(BENCHMARK, ["bm25", "embed:minilm"], ["chat:m", "similar"], "chat:m", 3)[1:]
    assert (writes.calls, writes.amount, writes.leaves) == (24, "24 calls", "models.example")
    # A verdict that cannot be read is asked for once more.
    assert (judges.calls, judges.amount) == (48, "48 to 96 calls")


@pytest.mark.parametrize("generator_", ["chat:m", "similar"])
def test_at_most_is_at_most_however_often_and_long_it_is_asked(generator_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    passages = tuple(Passage(f"p{i}", f"Rule {i} holds. " * (40 * i), "Act " * i) for i in range(1, 30))
    questions = (Question("a", "Which rule? " * 50), Question("b", "Which?", "The reference. " * 60))
    benchmark, model = Benchmark("b", passages, questions), Priced("no JSON", window=200_000)
    asks(monkeypatch, model)
    takes = forecast(benchmark, ["bm25"], [generator_], "chat:m", 4)[-1]
    # 2,000 tokens of English are some 9,000 characters; an extract may be all of its passages.
    most = passages[-4:]
    answer = "word and " * 1_000 if generator_ == "chat:m" else "".join(p.text for p in most)
    for question in questions:
        ChatJudge(model).judge(question, answer, most)
    assert len(model.asked) == 4 == takes.calls + takes.again
    assert takes.dollars is not None
    assert model.paid <= takes.dollars


def test_passages_that_an_embedder_does_not_read_whole_are_counted_before_anything_begins() -> None:
    # One token a word; the model reads 254 beside its own two.
    passages = tuple(Passage(f"p{n}", "word " * n) for n in (1, 253, 254, 255, 400))
    (two,) = forecast(replace(BENCHMARK, passages=passages), ["bm25", "embed:minilm"], ["similar"], "offline:overlap", 3)
    assert two.note == (
        "all-MiniLM-L6-v2: 2 of 5 passages are longer than it reads; their ends are not searched (choose at most 254 tokens)."
    )
    (one,) = forecast(replace(BENCHMARK, passages=passages[:4]), ["embed:minilm"], ["similar"], "offline:overlap", 3)
    assert one.note.startswith("all-MiniLM-L6-v2: 1 of 4 passages is longer than it reads; its end is not searched")
    (none,) = forecast(BENCHMARK, ["embed:minilm"], ["similar"], "offline:overlap", 3)
    assert none.note == ""


def test_of_a_large_corpus_some_are_looked_at_and_the_note_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundscope.rag.forecast.COUNTED", 10)
    passages = tuple(Passage(f"p{n}", f"{n} " + "word " * (300 if n % 2 else 3)) for n in range(27))
    (one,) = forecast(replace(BENCHMARK, passages=passages), ["embed:minilm"], ["similar"], "offline:overlap", 3)
    assert "4 of 9 passages that were looked at (of 27 in all) are longer than it reads" in one.note


def test_the_notes_of_a_plan_stay_with_its_experiment() -> None:
    plan = planned("P", ["bm25"], ["similar"], "offline:overlap", 4, notes=["Some are cut."])
    assert experiments.plan_of(experiments.FOLDER.open(experiments.create(plan, BENCHMARK))).notes == ("Some are cut.",)


def test_a_model_that_cannot_be_asked_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GROUNDSCOPE_SERVER_KEY"):
        monkeypatch.delenv(name, raising=False)
    (one,) = forecast(BENCHMARK, ["bm25"], ["chat:openai:gpt-4o"], "offline:cos_sim:minilm", 3)
    assert "OPENAI_API_KEY" in one.missing
    assert one.dollars is None
