"""Speed and memory of retrieval.

    python -m benchmarks.retrieval [PASSAGES]

Passages are made of 380 words of the sample set's context in random order, some 460 of all-MiniLM-L6-v2's tokens, as where a
corpus is cut at 512. They are indexed with the bundled embedder, as experiments use it, and with BM25. Memory is measured on 20
times as many, with random unit vectors in the place of a model's.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks import machine
from benchmarks.bootstrap import peak_megabytes
from benchmarks.machine import SAMPLES
from groundscope.cases.dataset import read
from groundscope.models import embedders
from groundscope.paths import ROOT
from groundscope.rag.retrieving.bm25 import Bm25
from groundscope.rag.retrieving.dense import Dense
from groundscope.rag.types import Retriever
from groundscope.runtime.retention import keeping
from groundscope.text.embedding import Hear
from groundscope.types import Matrix, Passage

_COUNTED = 100
"""Passages whose tokens are counted."""

PASSAGES, QUESTIONS, K = 5_000, 100, 10
WORDS, WORDS_ASKED, DIMENSIONS = 380, 12, 384


class Random:
    """Random unit vectors."""

    signature = "random"

    def __init__(self) -> None:
        self._draw = np.random.default_rng(0)

    def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """(n, 384) unit vectors."""
        vectors = self._draw.normal(size=(len(texts), DIMENSIONS)).astype(np.float32)
        unit: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    questions = passages


def quiet(done: int, total: int) -> None:
    """Nobody watches."""


def random_corpus(passages: int) -> tuple[list[Passage], list[str]]:
    """Passages and questions of words of the sample set."""
    cases = read(SAMPLES.name, SAMPLES.read_bytes()).cases
    words = [word for case in cases for passage in case.context for word in passage.text.split()]
    rng = random.Random(0)  # noqa: S311 - a draw of words, not secrets
    corpus = [Passage(str(i), " ".join(rng.choices(words, k=WORDS))) for i in range(passages)]
    return corpus, [" ".join(rng.choices(words, k=WORDS_ASKED)) for _ in range(QUESTIONS)]


def speed(passages: int) -> Iterator[str]:
    """Seconds to index and to retrieve; what is retrieved from is on disk by then, as in a second run."""
    corpus, questions = random_corpus(passages)
    embedder = embedders.embedder("minilm")
    # So that no measurement counts that it is loaded.
    embedder.questions(["Loaded?"], quiet)
    tokens = sum(embedder.tokens(p.text) for p in corpus[:_COUNTED]) / len(corpus[:_COUNTED])
    read = min(tokens, embedder.reads() or tokens)
    dense, size, asked = Dense(embedder), f"{passages:,} passages of {WORDS} words", f"{QUESTIONS} questions, k = {K}"
    yield f"{size}: {tokens:,.0f} tokens on average, of which {embedder.title} reads {read:,.0f}"
    seconds = _seconds(dense, corpus, [])
    yield f"{embedder.title}, {size}: indexed in {seconds:.2f} s, {passages / seconds:,.0f} passages/s"
    yield f"{embedder.title}, {size}: {asked}, retrieved from the kept index in {_seconds(dense, corpus, questions):.2f} s"
    # It keeps no index: what questions add to indexing is what retrieval takes.
    indexed, both = _seconds(Bm25(), corpus, []), _seconds(Bm25(), corpus, questions)
    yield f"BM25, {size}: indexed in {indexed:.2f} s; {asked}, retrieved in {max(0.0, both - indexed):.2f} s"


def _seconds(retriever: Retriever, corpus: Sequence[Passage], questions: Sequence[str]) -> float:
    started = time.perf_counter()
    retriever.search(corpus, questions, K, quiet)
    return time.perf_counter() - started


def memory(retriever: str, passages: int) -> str:
    """Peak memory of a process that indexes and retrieves, and does nothing else."""
    command = [sys.executable, "-m", "benchmarks.retrieval", retriever, str(passages)]
    out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603 - ourselves
    return out.stdout.strip()


def peak(retriever: str, passages: int) -> str:
    """Index and retrieve; peak memory of this process, with its libraries and the texts."""
    corpus, questions = random_corpus(passages)
    before = peak_megabytes()
    used: Retriever = Dense(Random()) if retriever == "dense" else Bm25()
    indexed = _seconds(used, corpus, questions)
    again = _seconds(used, corpus, questions)
    name = f"dense, random unit vectors of {DIMENSIONS} dimensions" if retriever == "dense" else "BM25"
    return (
        f"{name}, {passages:,} passages x {QUESTIONS} questions: peak memory of the process {peak_megabytes():,} MB, of which "
        f"{before:,} MB before retrieval; {indexed:.2f} s, and {again:.2f} s again"
    )


def main(arguments: Sequence[str]) -> None:
    """Print line by line as they come."""
    with keeping():
        if len(arguments) == 2:
            print(peak(arguments[0], int(arguments[1])), flush=True)
            return
        passages = int(arguments[0]) if arguments else PASSAGES
        with tempfile.TemporaryDirectory() as data:
            os.environ["GROUNDSCOPE_DATA"] = data
            print(machine.describe(), flush=True)
            for line in speed(passages):
                print(line, flush=True)
            for retriever in ("dense", "bm25"):
                print(memory(retriever, 20 * passages), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
