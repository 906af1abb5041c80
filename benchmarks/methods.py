"""Speed of the methods: seconds by context length, QUIP on 1 MB, and COS_SIM against sentence-transformers' defaults."""

import random
import statistics
import time
from collections.abc import Callable, Iterator

from benchmarks.machine import SAMPLES
from groundscope.cases.dataset import read
from groundscope.methods import registry
from groundscope.types import Case, Passage, Status

_SIZES = (50, 200, 1_000)
_WORDS = (
    "court party motion notice filing duty evidence claim statute agreement damages plaintiff defendant order judgment "
    "reasonable material contract breach appeal jurisdiction standard burden proof rule section days period counsel"
).split()


def sentences(count: int, seed: int) -> list[str]:
    """Sentences of 4 to 45 words, as mixed in length as legal text; all different."""
    rng = random.Random(seed)  # noqa: S311 - test texts, not secrets
    pool = [p.text[: rng.randint(60, 300)] for c in read(SAMPLES.name, SAMPLES.read_bytes()).cases for p in c.context]
    texts = []
    for i in range(count):
        words = rng.choice(pool).split()[: rng.randint(4, 30)] + rng.choices(_WORDS, k=rng.randint(1, 15))
        texts.append(f"In matter {i} {' '.join(words).replace('.', '')}.")
    return texts


def case(response: int, context: int) -> Case:
    """A response of `response` sentences beside a context of `context`, in passages of 10."""
    texts = sentences(context, seed=context)
    passages = tuple(Passage(f"p{i}", " ".join(texts[i : i + 10])) for i in range(0, context, 10))
    return Case(f"{response}x{context}", "", passages, " ".join(sentences(response, seed=1)))


def median_seconds(run: Callable[[], object], repeats: int) -> float:
    """Median wall seconds of several runs, after one that is not counted."""
    run()
    taken = []
    for _ in range(repeats):
        started = time.perf_counter()
        run()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def by_context() -> Iterator[str]:
    """A line a method: median seconds for 10 response sentences by context sentences."""
    yield f"{'seconds, 10 response sentences x':34}" + "".join(f"{n:>10,}" for n in _SIZES) + "  context sentences"
    cases = [case(10, n) for n in _SIZES]
    for name in registry.names():
        scorer = registry.load(name)
        first = scorer.score(cases[0])
        if first.status is Status.FAILED:
            yield f"{name:34}  not ready: {first.note}"
            continue
        taken = [median_seconds(lambda s=scorer, c=c: s.score(c), 3) for c in cases]  # type: ignore[misc]
        yield f"{name:34}" + "".join(f"{t:10.4f}" for t in taken)


def quip_megabyte() -> str:
    """QUIP on 1 MB of context and a 2 KB response, a third of it quoted."""
    rng = random.Random(0)  # noqa: S311 - test texts, not secrets
    vocabulary = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(5_000)]
    context = " ".join(rng.choices(vocabulary, k=170_000))[:1_000_000]
    quoted = [context[i : i + 140] for i in range(1_000, 900_000, 180_000)]
    response = ". ".join([*quoted, " ".join(rng.choices(vocabulary, k=220))])[:2_000]
    megabyte = Case("mb", "", (Passage("p", context),), response)
    quip = registry.load("quip")
    return f"quip, 1 MB of context, 2 KB response: {1000 * median_seconds(lambda: quip.score(megabyte), 7):.1f} ms"


def cos_sim_ratio() -> Iterator[str]:
    """COS_SIM's embedding against sentence-transformers' own `encode`, sentences per second on the same texts."""
    from sentence_transformers import SentenceTransformer

    from groundscope.models.embedders import sentences as _embedding
    from groundscope.models.weights.memory import native
    from scorers.cos_sim import MINILM

    texts = sentences(600, seed=3)
    plain = SentenceTransformer(str(MINILM.folder()), device="cpu")
    ours = _embedding.load(MINILM, native())

    def unsorted() -> None:
        for i in range(0, len(texts), 32):
            plain.encode(texts[i : i + 32], show_progress_bar=False)

    runs = {
        "sentence-transformers encode(), fp32, batch 32, in the order given": unsorted,
        "sentence-transformers encode() in one call (it sorts by length), fp32, batch 32": lambda: plain.encode(
            texts, show_progress_bar=False
        ),
        f"cos_sim:minilm, {native()}": lambda: ours.embed(texts),
    }
    speeds = {name: len(texts) / median_seconds(run, 3) for name, run in runs.items()}
    mine = speeds[f"cos_sim:minilm, {native()}"]
    for name, speed in speeds.items():
        yield f"{name}: {speed:.0f} sentences/s, cos_sim:minilm is {mine / speed:.2f} times as fast"
