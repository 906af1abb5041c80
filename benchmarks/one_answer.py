"""Seconds until a new answer of eight sentences beside a hundred is scored, nothing known of either.

    python -m benchmarks.one_answer

The classifier that ships (22 million parameters), and an entailment model of 184 million with random numbers for weights
(DeBERTa-v3-base), which runs as fast as a trained one: on the nearest sentences, as both run by default, and on every pair.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.methods import sentences
from benchmarks.paper_models import deberta, engine_tokenizer
from groundscope.methods import registry
from groundscope.types import Case, Passage, Status
from scorers._pairs.precision import PairPrecision
from scorers.nli import Nli

ANSWER, CONTEXT, ROUNDS = 8, 100, 5
SMALL, SMOLLM2, LARGE = "grounding_classifier", "grounding_classifier:smollm2", "entailment model of 184 M"
LABELS = {0: "entailment", 1: "neutral", 2: "contradiction"}


def entailment_model(folder: Path) -> Path:
    """DeBERTa-v3-base with random numbers, three labels and MiniLM's vocabulary, as transformers saves it."""
    tokenizer: Any = engine_tokenizer()
    model = deberta(768, 12, 12, vocab_size=len(tokenizer), id2label=LABELS)
    model.save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder


def answer(seed: int) -> Case:
    """An answer and its sources; another seed, other texts."""
    texts = sentences(CONTEXT, seed=1_000 + seed)
    passages = tuple(Passage(f"p{i}", " ".join(texts[i : i + 10])) for i in range(0, CONTEXT, 10))
    return Case(str(seed), "", passages, " ".join(sentences(ANSWER, seed=2_000 + seed)))


def figures() -> Iterator[str]:
    """A line a method and reading."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GROUNDSCOPE_DATA"] = folder
        large = entailment_model(Path(folder) / "nli")
        ways: list[tuple[str, Any]] = [(f"{SMALL}, {p}", registry.load(SMALL, precision=p)) for p in ("bf16", "int8")]
        if SMOLLM2 in registry.names():
            ways.append((SMOLLM2, registry.load(SMOLLM2)))
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
    machine.show(figures())
