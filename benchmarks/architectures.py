"""Speed of models whose weights may be missing, with random weights: as fast as the real ones.

    python -m benchmarks.architectures

Seconds until a new answer of eight sentences beside a hundred is scored, nothing known of either: by the classifier that ships
(135 million parameters), and by an entailment model of 184 million (DeBERTa-v3-base), on the nearest sentences, as both run by
default, and on every pair. `benchmarks.pairs` takes pairs a second of the paper's models from here.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.methods import sentences as made_up
from benchmarks.real_pairs import interleaved, real_pairs
from groundscope.methods import registry
from groundscope.types import Case, Passage, Status
from scorers._embedders import sentences
from scorers._pairs import models, scoring
from scorers._pairs.encoders import Encoded, TextPair, Window
from scorers._weights.memory import PairPrecision, native
from scorers.nli import Nli

ANSWER, CONTEXT, ROUNDS = 8, 100, 5
SMALL, LARGE = "grounding_classifier", "entailment model of 184 M"
LABELS = {0: "entailment", 1: "neutral", 2: "contradiction"}


class _Lengths:
    """Inputs of given lengths, for models whose weights and vocabulary are not here."""

    def encode(self, pairs: Sequence[TextPair]) -> list[Encoded]:
        return [Encoded([Window(np.full(int(p.context), 7, np.int32), np.zeros(int(p.context), np.int32))], False) for p in pairs]

    def forget(self) -> None:
        pass


def architectures() -> Iterator[str]:
    """Pairs a second of the paper's models, with random numbers for weights, on lengths as in the sample set."""
    tokenizer: Any = engine_tokenizer()
    lengths = [len(tokenizer(p.context, p.claim)["input_ids"]) for p in real_pairs(60)]
    pairs = [TextPair(str(i), str(n)) for i, n in enumerate(lengths)]
    for name, make, first_token in _published():
        parts = models.LoadedModel(make().eval(), _Lengths(), 0, name, first_token)
        read: Any = (lambda logits: scoring.softmax(logits, 0)) if first_token else scoring.sigmoid
        model = models.load(f"benchmark|{name}", name, native(), lambda p=parts: p, read)  # type: ignore[misc]
        seconds = interleaved({name: lambda m=model: m.score(pairs)})[name]  # type: ignore[misc]
        yield f"{name}, {native()}: {len(pairs) / seconds:.0f} pairs/s ({statistics.mean(lengths):.0f} tokens a pair)"


def engine_tokenizer() -> Any:
    """MiniLM's tokenizer."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(sentences.MINILM.folder()), local_files_only=True)


def deberta(width: int, layers: int, heads: int, **rest: Any) -> Any:
    """A DeBERTa-v3 with random numbers for weights."""
    from transformers import DebertaV2Config, DebertaV2ForSequenceClassification

    shape = {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": 4 * width}
    v3 = {"relative_attention": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True}
    places = {"pos_att_type": ["p2c", "c2p"], "position_biased_input": False, "type_vocab_size": 0}
    return DebertaV2ForSequenceClassification(DebertaV2Config(**shape, **v3, **places, **rest))


def _published() -> Iterator[tuple[str, Callable[[], Any], bool]]:
    from transformers import (
        RobertaConfig,
        RobertaForSequenceClassification,
        T5Config,
        T5ForTokenClassification,
    )

    flan = {"d_model": 768, "d_ff": 2_048, "num_heads": 12, "num_layers": 12, "feed_forward_proj": "gated-gelu", "num_labels": 2}
    yield "HEM V1's DeBERTa-v3-base", lambda: deberta(768, 12, 12, vocab_size=1_000, num_labels=1), False
    yield "HEM V2's flan-t5-base encoder", lambda: T5ForTokenClassification(T5Config(vocab_size=1_000, **flan)), True
    yield "FactKB's RoBERTa-base", lambda: RobertaForSequenceClassification(RobertaConfig(vocab_size=1_000, num_labels=1)), False
    yield "ContextNLI's DeBERTa-v3-large", lambda: deberta(1_024, 24, 16, vocab_size=1_000, num_labels=1), False


def entailment_model(folder: Path) -> Path:
    """DeBERTa-v3-base with random numbers, three labels and MiniLM's vocabulary, as transformers saves it."""
    tokenizer: Any = engine_tokenizer()
    model = deberta(768, 12, 12, vocab_size=len(tokenizer), id2label=LABELS)
    model.save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder


def answer(seed: int) -> Case:
    """An answer and its sources; another seed, other texts."""
    texts = made_up(CONTEXT, seed=1_000 + seed)
    passages = tuple(Passage(f"p{i}", " ".join(texts[i : i + 10])) for i in range(0, CONTEXT, 10))
    return Case(str(seed), "", passages, " ".join(made_up(ANSWER, seed=2_000 + seed)))


def answers() -> Iterator[str]:
    """A line a method and reading."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GROUNDSCOPE_DATA"] = folder
        large = entailment_model(Path(folder) / "nli")
        ways: list[tuple[str, Any]] = [(SMALL, registry.load(SMALL))]
        precisions: tuple[PairPrecision, ...] = ("bf16", "int8")
        ways += [(f"{LARGE}, nearest sentences, {p}", Nli(checkpoint=str(large), precision=p)) for p in precisions]
        ways.append((f"{LARGE}, every pair, int8", Nli(checkpoint=str(large), precision="int8", context_unit="sentence")))
        for name, scorer in ways:
            yield f"{ANSWER} sentences against {CONTEXT}, {name}: {seconds(scorer):.2f} s"


def seconds(scorer: Any) -> float:
    """Median over texts that were never seen."""
    taken = []
    for round_ in range(ROUNDS + 1):
        case = answer(round_)
        started = time.perf_counter()
        judgement = scorer.score(case)
        if judgement.status is Status.FAILED:
            raise SystemExit(judgement.note)
        if round_:
            taken.append(time.perf_counter() - started)
    return statistics.median(taken)


if __name__ == "__main__":
    machine.show(answers())
