"""Forecast of an experiment: calls, cost, where texts are sent, and what an embedder would cut off."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from groundscope.chat.clients.model import chat_model
from groundscope.chat.prompt_files import AskedChat, prompt_named
from groundscope.errors import ScorerUnavailable
from groundscope.experiments.forecast import CostEstimate, of_prompts
from groundscope.experiments.plan import Part
from groundscope.grounding.runs import planning
from groundscope.models import embedders
from groundscope.models.embedders import AnyEmbedder
from groundscope.rag.asking import ANSWER, JUDGE, ChatGenerator, ChatJudge
from groundscope.rag.loading import asked_by, second_judge
from groundscope.rag.retrieving.settings import settings_of
from groundscope.rag.types import Benchmark, Question
from groundscope.types import Case, Passage

COUNTED = 5_000
"""Passages whose tokens are counted, which takes seconds; of a larger corpus so many, spread evenly over it."""
_CHARACTERS = 6
"""Of a token of an answer that a judge will read, rather too many."""
_WHY = "x" * 500
"""Stands for what a model reads about a reply that could not be read."""
_KEPT = 64

_cut: OrderedDict[tuple[str, int], int | None] = OrderedDict()
"""Counts by embedder and corpus: a form is drawn again at every click."""


def forecast(
    benchmark: Benchmark, retrievers: Sequence[str], generators: Sequence[str], judge: str, k: int, second: str = "",
) -> list[CostEstimate]:  # fmt: skip
    """Estimate what every part takes that embeds or asks; nothing is sent.

    Prompts are counted with the longest question, the longest reference answer, the k longest passages of the corpus and the
    longest answer, and each verdict as asked for twice, so that what is paid is less.
    """
    settings = [settings_of(part) for part in retrievers]
    most = max((one.k or k for one in settings), default=k)
    longest = sorted(benchmark.passages, key=lambda p: -len(p.text) - len(p.source) - len(p.id))[:most]
    texts, references = (max(found, key=len) for found in zip(*((q.text, q.reference) for q in benchmark.questions), strict=True))
    question, times = Question("", texts, references), len(benchmark.questions) * len(retrievers)
    embedded = dict.fromkeys((one.first, one.size) for one in settings if one.first.startswith("embed:"))
    estimates = [_embeds(benchmark, first.partition(":")[2]) for first, _ in embedded]
    chats = [asked for part in generators if (asked := asked_by(part)) is not None]
    estimates += [_writes(asked, times, question, longest) for asked in chats]
    copied, answers = sum(len(p.text) for p in longest) if len(chats) < len(generators) else 0, times * len(generators)
    answer = "x" * max(copied, _CHARACTERS * ChatGenerator.max_tokens)
    if chat := asked_by(judge):
        estimates.append(_judges(chat, answers, question, longest, answer))
    if second and (method := second_judge(second)[0].method).asks:
        case, part = Case("", question.text, tuple(longest), answer), Part(second, title=method.about.title)
        estimates.append(planning.forecast([case], [(part, method)], {})[second].times(answers))
    return estimates


def _embeds(benchmark: Benchmark, spec: str) -> CostEstimate:
    embedder = embedders.embedder(spec)
    texts = [*dict.fromkeys(p.text for p in benchmark.passages), *(q.text for q in benchmark.questions)]
    missing, price, note = embedder.unavailable(), None, ""
    if not missing:
        try:
            price, note = embedder.price(texts), _unread(benchmark.passages, embedder)
        except ScorerUnavailable as error:
            missing = str(error)
    return CostEstimate(embedder.title, len(texts), price, embedder.address, missing, "text", note=note)


def _unread(passages: Sequence[Passage], embedder: AnyEmbedder) -> str:
    """Which passages an embedder does not read to their end, in a sentence; empty where it reads all, or does not say."""
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


def _writes(asked: AskedChat, times: int, question: Question, passages: Sequence[Passage]) -> CostEstimate:
    model, prompt = chat_model(asked.spec), prompt_named(ANSWER, asked.prompt)
    return of_prompts(asked.spec, model, times, ChatGenerator(model, prompt).plan(question.text, passages))


def _judges(asked: AskedChat, times: int, question: Question, passages: Sequence[Passage], answer: str) -> CostEstimate:
    judge = ChatJudge(chat_model(asked.spec), prompt_named(JUDGE, asked.prompt))
    first = judge.plan(question, answer, passages)
    again = replace(first, task=first.task + _WHY, max_tokens=2 * first.max_tokens)
    return of_prompts(judge.title, judge.model, times, first, again, again=times)
