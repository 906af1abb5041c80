"""The engine of the cross-encoders: speed against sentence-transformers, the cache, memory, and what pruning loses.

    python -m benchmarks.pairs [PATH/contractnli_dev.jsonl.gz]

The model is the bundled MiniLM with a classification head of random numbers: its speed is that of a trained one. Real
weights of the paper's models cannot be assumed to be here, so their architectures run with random numbers too.
"""

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from evaluation.dataset import read
from evaluation.gold import gold_sentences
from evaluation.keeping import keeping
from evaluation.sentences import context_sentences, split
from evaluation.types import Case
from scorers import _embedding, _pair_models, _pairs
from scorers._encoders import Encoded, Pair, TwoTexts, Window
from scorers._pair_method import _units
from scorers._precision import PairPrecision, native
from scorers._weights import fingerprint

SAMPLES = Path(__file__).resolve().parent.parent / "sample_data" / "legal_qa.jsonl"
COUNT = 2_000
ROUNDS = 3


def real_pairs(count: int) -> list[Pair]:
    """Response sentences of the sample set beside context sentences of their own case, drawn at random; all different."""
    rng = random.Random(0)  # noqa: S311 - a draw of texts, not secrets
    found: dict[Pair, None] = {}
    for case in read(SAMPLES.name, SAMPLES.read_bytes()).cases:
        units = context_sentences(case.context)
        for s in split(case.response):
            for u in rng.sample(units, min(3, len(units))):
                found[Pair(case.response[s.start : s.end], case.context[u.passage].text[u.start : u.end])] = None
    pairs = list(found)
    rng.shuffle(pairs)
    return pairs[:count]


def cross_encoder(folder: Path) -> Path:
    """The bundled MiniLM with one output of random numbers, as sentence-transformers saves it."""
    import torch
    from sentence_transformers import CrossEncoder
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.manual_seed(0)
    CrossEncoder(str(_embedding.MINILM.folder()), num_labels=1, device="cpu").save_pretrained(str(folder))
    return folder


def engine(folder: Path, precision: PairPrecision) -> _pairs.PairModel:
    """The project's engine on that model."""
    from scorers import _checkpoint

    def build() -> _pair_models.Loaded:
        wanted = _checkpoint.Wanted("MiniLM", ("bert",), labels=1)
        model = _checkpoint.load_classifier(folder, wanted)
        tokenizer = _checkpoint.load_tokenizer(folder, "MiniLM", model.config.vocab_size)
        return _pair_models.Loaded(
            model, TwoTexts(tokenizer, 512, context_first=True), tokenizer.pad_token_id, fingerprint(folder)
        )

    return _pair_models.load(f"benchmark|{precision}", "MiniLM", precision, build, _pairs.sigmoid)


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


def speed(folder: Path) -> Iterator[str]:
    """Pairs a second against `CrossEncoder.predict` as it comes, and how far the supports are apart."""
    from sentence_transformers import CrossEncoder

    pairs = real_pairs(COUNT)
    plain = CrossEncoder(str(folder), device="cpu")
    ours: dict[str, _pairs.PairModel] = {p: engine(folder, p) for p in dict.fromkeys((native(), "fp32", "int8"))}  # type: ignore[misc]
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


def peak(folder: Path) -> Iterator[str]:
    """How much of the matrix-multiply peak a batch of 128-token pairs reaches."""
    import torch

    model = engine(folder, native())
    rows, tokens, width, inner, layers = 16, 128, 384, 1_536, 6
    ids = np.full((rows, tokens), 2_000, np.int64)
    flops = rows * layers * (tokens * 2 * (4 * width * width + 2 * width * inner) + 4 * tokens * tokens * width)
    a = torch.randn(2_048, 2_048, dtype=torch.bfloat16 if native() == "bf16" else torch.float32)

    def forward() -> None:
        for _ in range(5):
            model._forward(ids, np.ones_like(ids), np.zeros_like(ids))

    def multiply() -> None:
        for _ in range(3):
            a @ a

    seconds = interleaved({"forward": forward, "multiply": multiply})
    reached, possible = 5 * flops / seconds["forward"] / 1e9, 3 * 2 * 2_048**3 / seconds["multiply"] / 1e9
    yield f"128-token pairs, {native()}: {reached:,.0f} of {possible:,.0f} GFLOP/s, {100 * reached / possible:.0f} % of the peak"


def memory(folder: Path) -> str:
    """Memory that 200,000 pairs take beside the model, in a process of their own."""
    code = f"from benchmarks.pairs import memory_of; from pathlib import Path; print(memory_of(Path({str(folder)!r})))"
    root = Path(__file__).resolve().parent.parent
    out = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)  # noqa: S603
    return f"200,000 pairs of 450 x 450 sentences: {out.stdout.strip()} beside the model (its numbers made up, its inputs real)"


def memory_of(folder: Path) -> str:
    """Megabytes above the loaded model at the worst moment, with a forward pass that computes nothing."""
    model = engine(folder, "fp32")
    model._forward = lambda ids, mask, types: np.zeros((len(ids), 1), np.float32)
    texts = list(dict.fromkeys(t for pair in real_pairs(COUNT) for t in pair))
    model.score(real_pairs(10))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model.score([Pair(a, b) for a in texts[:450] for b in texts[450:900]][:200_000])
    return f"{(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024:,.0f} MB"


class _Lengths:
    """Inputs of given lengths, for models whose weights and vocabulary are not here."""

    def encode(self, pairs: Sequence[Pair]) -> list[Encoded]:
        return [Encoded([Window(np.full(int(p.context), 7, np.int32), np.zeros(int(p.context), np.int32))], False) for p in pairs]

    def forget(self) -> None:
        pass


def architectures() -> Iterator[str]:
    """Pairs a second of the paper's models, with random numbers for weights, on lengths as in the sample set."""
    tokenizer: Any = engine_tokenizer()
    lengths = [len(tokenizer(p.context, p.claim)["input_ids"]) for p in real_pairs(60)]
    pairs = [Pair(str(i), str(n)) for i, n in enumerate(lengths)]
    for name, make, first_token in _published():
        parts = _pair_models.Loaded(make().eval(), _Lengths(), 0, name, first_token)
        read: Any = (lambda logits: _pairs.softmax(logits, 0)) if first_token else _pairs.sigmoid
        model = _pair_models.load(f"benchmark|{name}", name, native(), lambda p=parts: p, read)  # type: ignore[misc]
        seconds = interleaved({name: lambda m=model: m.score(pairs)})[name]  # type: ignore[misc]
        yield f"{name}, {native()}: {len(pairs) / seconds:.0f} pairs/s ({statistics.mean(lengths):.0f} tokens a pair)"


def engine_tokenizer() -> Any:
    """MiniLM's tokenizer."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(_embedding.MINILM.folder()), local_files_only=True)


def _published() -> Iterator[tuple[str, Callable[[], Any], bool]]:
    from transformers import (
        DebertaV2Config,
        DebertaV2ForSequenceClassification,
        RobertaConfig,
        RobertaForSequenceClassification,
        T5Config,
        T5ForTokenClassification,
    )

    def deberta(width: int, layers: int, heads: int) -> Any:
        shape = {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": 4 * width}
        v3 = {"relative_attention": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True}
        rest = {"pos_att_type": ["p2c", "c2p"], "position_biased_input": False, "type_vocab_size": 0, "num_labels": 1}
        return DebertaV2ForSequenceClassification(DebertaV2Config(vocab_size=1_000, **shape, **v3, **rest))

    flan = {"d_model": 768, "d_ff": 2_048, "num_heads": 12, "num_layers": 12, "feed_forward_proj": "gated-gelu", "num_labels": 2}
    yield "HEM V1's DeBERTa-v3-base", lambda: deberta(768, 12, 12), False
    yield "HEM V2's flan-t5-base encoder", lambda: T5ForTokenClassification(T5Config(vocab_size=1_000, **flan)), True
    yield "FactKB's RoBERTa-base", lambda: RobertaForSequenceClassification(RobertaConfig(vocab_size=1_000, num_labels=1)), False
    yield "ContextNLI's DeBERTa-v3-large", lambda: deberta(1_024, 24, 16), False


def pruned(path: Path) -> Iterator[str]:
    """The share of gold evidence that the k nearest context sentences keep."""
    cases = [c for c in read(path.name, path.read_bytes()).cases if c.evidence and c.parent is None]
    kept = {k: [0, 0] for k in (3, 5, 10, 20)}
    read_, all_ = dict.fromkeys(kept, 0), 0
    for case in cases:
        _count(case, kept, read_)
        all_ += len(split(case.response)) * len(context_sentences(case.context))
    for k, (found, total) in kept.items():
        share = f"{100 * found / total:.1f} % of {total:,} gold sentences kept"
        yield f"{path.name}, prune={k}: {share}, {100 * read_[k] / all_:.0f} % of the pairs read"


def _count(case: Case, kept: dict[int, list[int]], pairs: dict[int, int]) -> None:
    context = context_sentences(case.context)
    claims = [case.response[s.start : s.end] for s in split(case.response)]
    units = _units(case, context, "sentence", 1)
    # The nearest twenty hold the nearest three, and so on; embedded once.
    vectors = _embedding.load(_embedding.MINILM, native()).embed([*claims, *(u.text for u in units)]).vectors
    order = np.argsort(-(vectors[: len(claims)] @ vectors[len(claims) :].T), axis=1, kind="stable")
    for k, counts in kept.items():
        pairs[k] += len(claims) * min(k, len(units))
        for near, sentence in zip(order[:, :k], gold_sentences(case), strict=True):
            counts[0] += len(set(near.tolist()) & set(sentence.evidence))
            counts[1] += len(sentence.evidence)


def main(paths: Sequence[str]) -> None:
    """Print line by line as they come."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GROUNDSCOPE_DATA"] = folder
        print(machine.describe(), flush=True)
        made = cross_encoder(Path(folder) / "cross-encoder")
        parts: list[Iterator[str]] = [speed(made), iter([repeated(made)]), peak(made), iter([memory(made)]), architectures()]
        for part in [*parts, *(pruned(path) for path in (SAMPLES, *map(Path, paths)))]:
            for line in part:
                print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
