"""What an experiment takes before it is begun: calls, money, where texts go, and what an embedder does not read."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from evaluation.chat import ChatModel, Prompt
from evaluation.errors import ScorerUnavailable
from evaluation.rag.judging import ChatJudge
from evaluation.rag.loading import Doors, NamedEmbedder
from evaluation.rag.types import Benchmark, Question
from evaluation.rag.writing import ChatGenerator
from evaluation.types import Passage

THIS_MACHINE = frozenset({"", "localhost", "127.0.0.1", "::1"})
COUNTED = 5_000
"""Passages whose tokens are counted, which takes seconds; of a larger corpus so many, spread evenly over it."""
_CHARACTERS = 6
"""Of a token of an answer that a judge will read, rather too many."""
_WHY = "x" * 500
"""Stands for what a model is told of a reply that could not be read."""
_KEPT = 64

_cut: OrderedDict[tuple[str, int], int | None] = OrderedDict()
"""Counts by embedder and corpus: a form is drawn again at every click."""


class Takes(NamedTuple):
    """What one part takes.

    Attributes:
        title: of the part.
        calls: to a chat model, or texts to embed.
        unit: what is counted: `calls` or `texts`.
        address: the host that texts go to; empty = they stay on this machine.
        dollars: at most; None = not known.
        missing: why it cannot be used here; empty = it can.
        again: calls more at most: a verdict that cannot be read is asked for once more.
        note: what is not read of the passages, in a sentence; empty = nothing, as far as can be told.
    """

    title: str
    calls: int
    unit: str
    address: str
    dollars: float | None
    missing: str
    again: int = 0
    note: str = ""

    @property
    def leaves(self) -> str:
        """The host that texts go to where it is not this machine; empty = they stay here."""
        return "" if self.address in THIS_MACHINE else self.address

    @property
    def amount(self) -> str:
        """How many calls or texts, in words."""
        more = f" to {self.calls + self.again:,}" if self.again else ""
        unit = self.unit.removesuffix("s") if self.calls + self.again == 1 else self.unit
        return f"{self.calls:,}{more} {unit}"


def forecast(
    benchmark: Benchmark, retrievers: Sequence[str], generators: Sequence[str], judge: str, k: int, doors: Doors
) -> list[Takes]:
    """What every part takes that embeds or asks; parts that do neither are left out.

    Prompts are reckoned with the longest question, the longest reference answer, the k longest passages of the corpus and the
    longest answer, and each verdict as asked for twice, so that what is paid is less.
    """
    longest = sorted(benchmark.passages, key=lambda p: -len(p.text) - len(p.source) - len(p.id))[:k]
    texts, references = (max(found, key=len) for found in zip(*((q.text, q.reference) for q in benchmark.questions), strict=True))
    question, times = Question("", texts, references), len(benchmark.questions) * len(retrievers)
    found = [_embeds(benchmark, part.partition(":")[2], doors) for part in retrievers if part.startswith("embed:")]
    chats = [part.partition(":")[2] for part in generators if part.startswith("chat:")]
    found += [_writes(spec, times, question, longest, doors) for spec in chats]
    if judge.startswith("chat:"):
        answer = sum(len(p.text) for p in longest) if len(chats) < len(generators) else 0
        found.append(_judges(judge.partition(":")[2], times * len(generators), question, longest, answer, doors))
    return found


def _embeds(benchmark: Benchmark, spec: str, doors: Doors) -> Takes:
    embedder = doors.embedder(spec)
    texts = [*dict.fromkeys(p.text for p in benchmark.passages), *(q.text for q in benchmark.questions)]
    missing, price, note = embedder.unavailable(), None, ""
    if not missing:
        try:
            price, note = embedder.price(texts), _unread(benchmark.passages, embedder)
        except ScorerUnavailable as error:
            missing = str(error)
    return Takes(embedder.title, len(texts), "texts", embedder.address, price, missing, note=note)


def _unread(passages: Sequence[Passage], embedder: NamedEmbedder) -> str:
    """Which passages an embedder does not read to their end, in a sentence; empty where it reads all, or does not say.

    Raises:
        ScorerUnavailable: it cannot be used here.
    """
    key, looked_at = (embedder.signature, hash(tuple(passages))), passages[:: -(-len(passages) // COUNTED) or 1]
    if key not in _cut:
        _cut[key] = embedder.cut([p.text for p in looked_at])
        while len(_cut) > _KEPT:
            _cut.popitem(last=False)
    counted, reads = len(looked_at), embedder.reads()
    if not (cut := _cut[key]) or reads is None:
        return ""
    of = f"{cut:,} of {counted:,} passages" + (f" that were looked at (of {len(passages):,} in all)" * (counted < len(passages)))
    long = "is longer than it reads; its end is" if cut == 1 else "are longer than it reads; their ends are"
    return f"{embedder.title}: {of} {long} not searched (choose at most {reads:,} tokens)."


def _writes(spec: str, times: int, question: Question, passages: Sequence[Passage], doors: Doors) -> Takes:
    model = doors.chat(spec)
    if missing := model.unavailable():
        return Takes(spec, times, "calls", "", None, missing)
    return Takes(spec, times, "calls", model.address, _most(model, times, ChatGenerator(model).plan(question.text, passages)), "")


def _judges(spec: str, times: int, question: Question, passages: Sequence[Passage], copied: int, doors: Doors) -> Takes:
    """`copied`: characters of the longest answer that is copied from passages."""
    model = doors.chat(spec)
    if missing := model.unavailable():
        return Takes(spec, times, "calls", "", None, missing)
    judge, answer = ChatJudge(model), "x" * max(copied, _CHARACTERS * ChatGenerator.max_tokens)
    first = judge.plan(question, answer, passages)
    again = replace(first, task=first.task + _WHY, max_tokens=2 * first.max_tokens)
    return Takes(judge.title, times, "calls", model.address, _most(model, times, first, again), "", again=times)


def _most(model: ChatModel, times: int, *prompts: Prompt) -> float | None:
    """US dollars that asking all prompts so many times costs at most; None = not known."""
    prices = [model.most(prompt) for prompt in prompts]
    return None if None in prices else times * sum(p for p in prices if p is not None)
