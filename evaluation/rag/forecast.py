"""What an experiment takes before it is begun: calls, money, and where texts go."""

from collections.abc import Sequence
from typing import NamedTuple

from evaluation.rag.judging import ChatJudge
from evaluation.rag.loading import Doors
from evaluation.rag.types import Benchmark, Question
from evaluation.rag.writing import ChatGenerator
from evaluation.types import Passage

_ANSWER = "x" * 6_000
"""Stands for an answer in what a judge will read; few answers are longer."""


class Takes(NamedTuple):
    """What one part takes.

    Attributes:
        title: of the part.
        calls: to a chat model, or texts to embed.
        unit: what is counted: `calls` or `texts`.
        address: the host that texts go to; empty = they stay on this machine.
        dollars: at most; None = not known.
        missing: why it cannot be used here; empty = it can.
    """

    title: str
    calls: int
    unit: str
    address: str
    dollars: float | None
    missing: str


def forecast(
    benchmark: Benchmark, retrievers: Sequence[str], generators: Sequence[str], judge: str, k: int, doors: Doors
) -> list[Takes]:
    """What every part takes that embeds or asks; parts that do neither are left out.

    Prompts are reckoned with the k longest passages of the corpus, so that what is paid is less.
    """
    longest = sorted(benchmark.passages, key=lambda p: -len(p.text))[:k]
    question = max(benchmark.questions, key=lambda q: len(q.text) + len(q.reference))
    times = len(benchmark.questions) * len(retrievers)
    found = [_embeds(benchmark, part.partition(":")[2], doors) for part in retrievers if part.startswith("embed:")]
    chats = [part for part in generators if part.startswith("chat:")]
    found += [_asks(part, times, question, longest, doors, judges=False) for part in chats]
    if judge.startswith("chat:"):
        found.append(_asks(judge, times * len(generators), question, longest, doors, judges=True))
    return found


def _embeds(benchmark: Benchmark, spec: str, doors: Doors) -> Takes:
    embedder = doors.embedder(spec)
    texts = [*dict.fromkeys(p.text for p in benchmark.passages), *(q.text for q in benchmark.questions)]
    missing = embedder.unavailable()
    price = None if missing else embedder.price(texts)
    return Takes(embedder.title, len(texts), "texts", embedder.address, price, missing)


def _asks(part: str, times: int, question: Question, passages: Sequence[Passage], doors: Doors, *, judges: bool) -> Takes:
    model = doors.chat(part.partition(":")[2])
    missing = model.unavailable()
    if missing:
        return Takes(part.partition(":")[2], times, "calls", "", None, missing)
    if judges:
        title, prompt = ChatJudge(model).title, ChatJudge(model).plan(question, _ANSWER, passages)
    else:
        title, prompt = part.partition(":")[2], ChatGenerator(model).plan(question.text, passages)
    most = model.most(prompt)
    return Takes(title, times, "calls", model.address, None if most is None else most * times, "")
