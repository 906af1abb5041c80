"""The engine of the cross-encoders: speed against sentence-transformers, the cache, and what pruning loses.

    python -m benchmarks.pairs [PATH/contractnli_dev.jsonl.gz]

The model is the bundled MiniLM with a classification head of random numbers: its speed is that of a trained one.
"""

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks import machine
from benchmarks.alignment import with_evidence
from benchmarks.machine import SAMPLES
from groundscope.cases.dataset import read
from groundscope.cases.gold import gold_sentences
from groundscope.models.embedders import sentences
from groundscope.models.pairs import models, scoring
from groundscope.models.pairs.context_units import units as units_of
from groundscope.models.pairs.encoders import TextPair, TwoTexts
from groundscope.models.weights.files import MINILM, fingerprint
from groundscope.models.weights.memory import PairPrecision, native
from groundscope.runtime.retention import keeping
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case

ROUNDS = 3
COUNT = 2_000


def cross_encoder(folder: Path) -> Path:
    """The bundled MiniLM with one output of random numbers, as sentence-transformers saves it."""
    import torch
    from sentence_transformers import CrossEncoder
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.manual_seed(0)
    CrossEncoder(str(MINILM.folder()), num_labels=1, device="cpu").save_pretrained(str(folder))
    return folder


def engine(folder: Path, precision: PairPrecision) -> scoring.PairModel:
    """The project's engine on that model."""
    from groundscope.models.weights import checkpoint

    def build() -> models.LoadedModel:
        expected = checkpoint.ExpectedCheckpoint("MiniLM", ("bert",), labels=1)
        model = checkpoint.load_classifier(folder, expected)
        tokenizer = checkpoint.load_tokenizer(folder, "MiniLM", model.config.vocab_size)
        encoder = TwoTexts(tokenizer, 512, context_first=True)
        return models.LoadedModel(model, encoder, tokenizer.pad_token_id, fingerprint(folder), scoring.sigmoid)

    return models.load(f"benchmark|{precision}", "MiniLM", precision, build)


def speed(folder: Path) -> Iterator[str]:
    """Pairs a second against `CrossEncoder.predict` as it comes, and how far the supports are apart."""
    from sentence_transformers import CrossEncoder

    pairs = real_pairs(COUNT)
    plain = CrossEncoder(str(folder), device="cpu")
    ours: dict[str, scoring.PairModel] = {p: engine(folder, p) for p in dict.fromkeys((native(), "fp32", "int8"))}  # type: ignore[misc]
    runs: dict[str, Callable[[], object]] = {
        "CrossEncoder.predict, defaults": lambda: plain.predict([(p.context, p.claim) for p in pairs], show_progress_bar=False)
    }
    for name, model in ours.items():
        runs[f"groundscope, {name}"] = lambda m=model: m.score(pairs)  # type: ignore[misc]
    seconds = interleaved(runs)
    reference = plain.predict([(p.context, p.claim) for p in pairs], show_progress_bar=False)
    base = seconds["CrossEncoder.predict, defaults"]
    for name, taken in seconds.items():
        yield f"{COUNT:,} real pairs, {name}: {COUNT / taken:,.0f} pairs/s, {base / taken:.2f} times CrossEncoder.predict"
    for name, model in ours.items():
        apart = np.abs(model.score(pairs).support - reference)
        yield f"support of {name} against CrossEncoder.predict: mean {apart.mean():.4f}, largest {apart.max():.4f} apart"


def repeated(folder: Path) -> str:
    """The same run again, from the cache on disk."""
    pairs, model = real_pairs(COUNT), engine(folder, native())
    with keeping():
        started = time.perf_counter()
        first = model.score(pairs)
        cold = time.perf_counter() - started
        again = interleaved({"again": lambda: model.score(pairs)})["again"]
        same = np.array_equal(first.support, model.score(pairs).support)
    supports = "the same" if same else "OTHER"
    return f"repeated run of {COUNT:,} pairs: {1000 * again:.1f} ms, {cold / again:,.0f} times faster, {supports} supports"


def pruned(path: Path) -> Iterator[str]:
    """The share of gold evidence that the k nearest context sentences keep."""
    cases = with_evidence(path)
    totals = {k: [0, 0] for k in (3, 5, 10, 20)}
    read_, all_ = dict.fromkeys(totals, 0), 0
    for case in cases:
        _count(case, totals, read_)
        all_ += len(split(case.response)) * len(context_sentences(case.context))
    for k, (hits, total) in totals.items():
        share = f"{100 * hits / total:.1f} % of {total:,} gold sentences kept"
        yield f"{path.name}, prune={k}: {share}, {100 * read_[k] / all_:.0f} % of the pairs read"


def _count(case: Case, totals: dict[int, list[int]], pairs: dict[int, int]) -> None:
    context = context_sentences(case.context)
    claims = [case.response[s.start : s.end] for s in split(case.response)]
    units = units_of(case, context, "sentence", 1)
    # The nearest twenty hold the nearest three, and so on; embedded once.
    vectors = sentences.load(MINILM, native()).embed([*claims, *(u.text for u in units)]).vectors
    order = np.argsort(-(vectors[: len(claims)] @ vectors[len(claims) :].T), axis=1, kind="stable")
    for k, counts in totals.items():
        pairs[k] += len(claims) * min(k, len(units))
        for near, sentence in zip(order[:, :k], gold_sentences(case), strict=True):
            counts[0] += len(set(near.tolist()) & set(sentence.evidence))
            counts[1] += len(sentence.evidence)


def main(paths: Sequence[str]) -> None:
    """Print line by line as they come."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GROUNDSCOPE_DATA"] = folder
        print(machine.describe(), flush=True)
        model = cross_encoder(Path(folder) / "cross-encoder")
        parts: list[Iterator[str]] = [speed(model), iter([repeated(model)])]
        for part in [*parts, *(pruned(path) for path in (SAMPLES, *map(Path, paths)))]:
            for line in part:
                print(line, flush=True)


def real_pairs(count: int) -> list[TextPair]:
    """Response sentences of the sample set beside context sentences of their own case, drawn at random; all different."""
    rng = random.Random(0)  # noqa: S311 - a draw of texts, not secrets
    distinct: dict[TextPair, None] = {}
    for case in read(SAMPLES.name, SAMPLES.read_bytes()).cases:
        units = context_sentences(case.context)
        for s in split(case.response):
            for u in rng.sample(units, min(3, len(units))):
                distinct[TextPair(case.response[s.start : s.end], case.context[u.passage].text[u.start : u.end])] = None
    pairs = list(distinct)
    rng.shuffle(pairs)
    return pairs[:count]


def interleaved(runs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Median seconds of each, taken in turns after a round that is not counted, so that a drifting machine favours none."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for round_ in range(ROUNDS + 1):
        for name, run in runs.items():
            started = time.perf_counter()
            run()
            if round_:
                taken[name].append(time.perf_counter() - started)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


if __name__ == "__main__":
    main(sys.argv[1:])
