"""LettuceDetect: a ModernBERT that marks the words of an answer that its sources do not support (Kovács and Recski 2025).

It reads the question and the passages in the prompt of RAGTruth, then the answer, at most 4,096 tokens, and gives every token of
the answer P(unsupported). Tokens above one half are drawn as spans. A sentence's support is 1 - the highest P of its tokens, so
that it falls below one half where the original marks a span; the response's is the minimum over sentences.

Not in the paper. Follows github.com/KRLabsOrg/LettuceDetect (MIT; the prompt is its `qa_prompt_en`); as in its first version the
end of sources that are too long is cut, and the judgement says how much was read. Departs from the original: a token that lies in
two sentences counts in both; runs in bf16 where the processor has it. It names no place in the sources: the passages shown beside
a sentence are those nearest by embedding (all-MiniLM-L6-v2).
"""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import ScorerUnavailable
from groundscope.methods import About, Published
from groundscope.models.pairs.context_units import cosines, most, texts_of
from groundscope.models.pairs.encoders import PlainText
from groundscope.models.pairs.scoring import shares_of
from groundscope.models.weights import checkpoint, memory
from groundscope.models.weights.files import MINILM, WeightFiles
from groundscope.models.weights.local import LocalModel
from groundscope.models.weights.memory import Precision, fast, native
from groundscope.statistics.decision import SentenceRule
from groundscope.text.alignment import judge
from groundscope.text.sentences import Sentence, context_sentences, split
from groundscope.types import Case, Judgement, Match, SentenceScore

LIMIT = 4_096
UNSUPPORTED = 1
MARKED = 0.5
_MATCHES = 3
_PROMPT = (
    "Briefly answer the following question:\n{question}\nBear in mind that your response should be strictly based on the "
    "following {count} passages:\n{passages}\nIn case the passages do not contain the necessary information to answer the "
    'question, please reply with: "Unable to answer based on given passages."\noutput:'
)
_BASE = WeightFiles("KRLabsOrg/lettucedect-base-modernbert-en-v1", "a81b29223b1b58eed5efc0ac8e7ebafac966e5f2", megabytes=600)
_LARGE = WeightFiles("KRLabsOrg/lettucedect-large-modernbert-en-v1", "08b6b2a64fc2cc5dc40aa1a3344a0b6670b95d51", megabytes=1_580)

PLAIN = False
VARIANTS = {"base": {"weights": _BASE}, "large": {"weights": _LARGE}}
_F1 = {_BASE: 76.8, _LARGE: 79.2}
"""By answer, on RAGTruth's test set. The same authors also print 76.07 for the base model (docs/TINYLETTUCE.md)."""


class MarkedExample(NamedTuple):
    """An example of the model card: what it marks."""

    context: str
    question: str
    answer: str
    marked: str


class ReadTokens(NamedTuple):
    """The tokens of an answer.

    `starts`: (n_tokens,) first characters, in the answer. `seen`: share of the tokens before the answer that were read, 0..1.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    unsupported: NDArray[np.float32]
    seen: float


class TokenClassifier:
    """A loaded model with its tokenizer; threads use it in turn."""

    def __init__(self, model: Any, tokenizer: Any, name: str, computing: Callable[[], AbstractContextManager[Any]]) -> None:
        """Store a transformers model with two outputs a token, its tokenizer, and the context in which it computes.

        `name` is that of the weights, for messages.
        """
        self._model, self._tokenizer, self._name, self._plain = model, tokenizer, name, PlainText(tokenizer)
        self._computing = computing
        self._lock = threading.Lock()

    def read(self, before: str, answer: str, limit: int) -> ReadTokens:
        """Read an answer after a text; of a text that does not fit the end is left out."""
        import torch

        places, text = self._spread(answer)
        with self._lock:
            inputs, whole = self._inputs(self._plain(before), text, limit)
            with torch.inference_mode(), self._computing():
                device = self._model.device
                tensors = {k: torch.tensor([inputs[k]], device=device) for k in ("input_ids", "attention_mask")}
                logits = self._model(**tensors).logits[0].float().cpu().numpy()
        if not np.isfinite(logits).all():
            raise ScorerUnavailable(
                f"The model in the folder for {self._name} gives no numbers; get the published weights again."
            )
        answer_tokens = [i for i, which in enumerate(inputs.sequence_ids(0)) if which == 1]
        offsets = np.array([inputs["offset_mapping"][i] for i in answer_tokens], np.int64).reshape(-1, 2)
        starts, ends = places[offsets[:, 0]], places[np.maximum(offsets[:, 1] - 1, 0)] + 1
        nonempty = offsets[:, 1] > offsets[:, 0]
        shares = shares_of(logits[answer_tokens])[:, UNSUPPORTED].astype(np.float32)
        read = sum(which == 0 for which in inputs.sequence_ids(0))
        return ReadTokens(starts[nonempty], ends[nonempty], shares[nonempty], min(1.0, read / max(1, whole)))

    def _spread(self, answer: str) -> tuple[NDArray[np.int64], str]:
        """For each character of the text that the model reads, and for its end, its place in the answer."""
        text = self._plain(answer)
        if text == answer:
            return np.arange(len(text) + 1), text
        places, at = [], 0
        for character in text:
            places.append(min(at, len(answer)))
            at += at < len(answer) and answer[at] == character
        return np.array([*places, len(answer)]), text

    def _inputs(self, before: str, answer: str, limit: int) -> tuple[Any, int]:
        """The inputs, and how many tokens the whole text before the answer has."""
        whole, answer_size = (
            len(ids) for ids in self._tokenizer([before, answer], add_special_tokens=False, verbose=False)["input_ids"]
        )
        special = len(self._tokenizer("", "")["input_ids"])
        if answer_size + special >= limit:
            raise ScorerUnavailable(
                f"The answer has {answer_size:,} tokens and {self._name} reads {limit:,} with its sources; judge it in parts."
            )
        inputs = self._tokenizer(
            before, answer, truncation="only_first", max_length=limit, return_offsets_mapping=True, verbose=False
        )
        return inputs, whole


@dataclass(frozen=True)
class LettuceDetect(LocalModel):
    """A token classifier over the answer."""

    weights: WeightFiles = _BASE
    precision: Precision = field(default_factory=fast)
    aggregation: SentenceRule = "min"

    sanity = MarkedExample(
        "France is a country in Europe. The capital of France is Paris. The population of France is 67 million.",
        "What is the capital of France? What is the population of France?",
        "The capital of France is Paris. The population of France is 69 million.",
        "The population of France is 69 million.",
    )

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users."""
        size = "large" if self.weights == _LARGE else "base"
        source = "github.com/KRLabsOrg/LettuceDetect, docs/benchmarks.md"
        return About(
            title=f"LettuceDetect {size}",
            measures="How likely the sources support every word of a sentence, by a model that marks unsupported words.",
            threshold=1.0 - MARKED,
            threshold_source="the publisher's, not tuned",
            needs=f"the weights of {self.weights.name} ({self.weights.megabytes:,} MB)",
            licence="MIT",
            published=Published(_F1[self.weights], "F1", "RAGTruth", source) if self.weights in _F1 else None,
        )

    @property
    def signature(self) -> str:
        """Method, model, revision, precision and every parameter."""
        near = f"nearest by {MINILM.identity()} in {native()}"
        return f"{self._own_signature}|aggregation={self.aggregation}|{near}"

    @property
    def _own_signature(self) -> str:
        return f"lettucedetect|{self.weights.identity()}|{self.precision}|published prompt|{LIMIT} tokens"

    def prepare(self) -> None:
        """Load the weights."""
        self._model()

    def verify(self) -> None:
        """Load the weights and mark the example of the model card."""
        case = self.sanity
        tokens = self._model().read(_prompt(case.question, [case.context]), case.answer, LIMIT)
        start = case.answer.index(case.marked)
        marked = [
            tokens.unsupported[(tokens.starts < end) & (tokens.ends > at)].max(initial=0.0)
            for at, end in ((0, start - 1), (start, len(case.answer)))
        ]
        if not marked[0] < MARKED < marked[1]:
            raise ScorerUnavailable(
                f"The weights of {self.weights.name} do not mark what their publisher prints; get them again."
            )

    def _model(self) -> TokenClassifier:
        """The loaded model, or load it."""

        def build() -> tuple[TokenClassifier, int]:
            folder, name = self.weights.folder(), self.weights.name
            expected = checkpoint.ExpectedCheckpoint(name, ("modernbert",), labels=2)
            model = checkpoint.load_classifier(folder, expected, "TokenClassification")
            tokenizer = checkpoint.load_tokenizer(folder, name, model.config.vocab_size)
            computing = memory.placed(model, bf16=self.precision == "bf16")
            return TokenClassifier(model, tokenizer, name, computing), memory.size_of(model)

        return memory.held(self._own_signature, build)

    def judge_case(self, case: Case) -> Judgement:
        """See `LocalModel`."""
        started = time.perf_counter()
        tokens = self._model().read(_prompt(case.query, [p.text for p in case.context]), case.response, LIMIT)
        response = split(case.response)
        matches = _matches(case, response)
        sentences = tuple(_score(s, tokens, m) for s, m in zip(response, matches, strict=True))
        return judge(
            sentences,
            self.aggregation,
            seconds=time.perf_counter() - started,
            context_seen=tokens.seen,
            note=f"It reads {LIMIT:,} tokens: {tokens.seen:.0%} of the question and the sources were read."
            if tokens.seen < 1
            else "",
        )


def _prompt(question: str, passages: Sequence[str]) -> str:
    listed = "\n".join(f"passage {i}: {text}" for i, text in enumerate(passages, 1))
    return _PROMPT.format(question=question, count=len(passages), passages=listed)


def _score(sentence: Sentence, tokens: ReadTokens, matches: tuple[Match, ...]) -> SentenceScore:
    starts, ends, unsupported = tokens.starts, tokens.ends, tokens.unsupported
    inside = (starts < sentence.end) & (ends > sentence.start)
    if sentence.heading or not inside.any():
        return SentenceScore(sentence.start, sentence.end, None)
    support = 1.0 - float(unsupported[inside].max())
    spans: list[tuple[int, int]] = []
    wrong = False
    for start, end, value in zip(starts[inside], ends[inside], unsupported[inside], strict=True):
        if value > MARKED:
            start = spans.pop()[0] if wrong else int(start)
            spans.append((start, int(end)))
        wrong = bool(value > MARKED)
    cut = tuple((max(a, sentence.start), min(b, sentence.end)) for a, b in spans)
    return SentenceScore(sentence.start, sentence.end, support, matches, unsupported=cut)


def _matches(case: Case, response: Sequence[Sentence]) -> list[tuple[Match, ...]]:
    context = context_sentences(case.context)
    near = np.clip(cosines([case.response[s.start : s.end] for s in response], texts_of(case, context)).grid, 0.0, 1.0)
    best = most(near, _MATCHES)
    matches = []
    for row, places in zip(near, best, strict=True):
        units = [(context[j], float(row[j])) for j in places if row[j] > 0]
        matches.append(tuple(Match(u.passage, u.start, u.end, cosine) for u, cosine in units))
    return matches
