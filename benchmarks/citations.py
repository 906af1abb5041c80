"""Citations: a slip opinion of 90 KB read and drawn, long contexts, and pairs of paragraphs scored without a model."""

import time
from collections.abc import Callable, Iterator

from benchmarks import machine
from groundscope.cases.dataset import read as read_cases
from groundscope.citations.claims import document
from groundscope.citations.fresco import l_fresco
from groundscope.citations.reader.reading import read
from groundscope.citations.similarity import RougeL
from groundscope.citations.states import layer
from groundscope.drawing.board import board
from groundscope.types import Case, Passage

_CITED = (
    "{n}. The rule stands in Anderson v. Liberty Lobby, Inc., 477 U.S. {n}, 248 (1986) (holding that a dispute is genuine if a "
    "reasonable jury could return a verdict). See also Celotex Corp. v. Catrett, 477 U.S. 317, 323 (1986); 28 U.S.C. § {n}. Id. "
)


def opinion(size: int) -> str:
    """Text of a legal kind with some 2 citations a hundred words, as long as asked for; no two citations of it alike."""
    answers = [c.response for c in read_cases(machine.SAMPLES.name, machine.SAMPLES.read_bytes()).cases]
    parts: list[str] = []
    length = 0
    for n, answer in enumerate(answers * (1 + size // 200_000), 1):
        parts.append(f"{answer}\n\n{_CITED.format(n=n)}\n\n")
        length += len(parts[-1])
        if length >= size:
            break
    return "".join(parts)[:size]


def _timed(what: str, work: Callable[[], object]) -> str:
    began = time.perf_counter()
    work()
    return f"{what}: {time.perf_counter() - began:.2f} s"


def figures() -> Iterator[str]:
    """Every figure, a line each."""
    yield _timed("first citation of a process", lambda: read("Roe v. Wade, 410 U.S. 113 (1973)."))
    text = opinion(90_000)
    yield _timed(f"90 KB opinion read ({len(read(text).citations):,} citations, kept)", lambda: read(text))
    fresh = f"{text} "
    yield _timed("90 KB opinion read anew", lambda: read(fresh))
    case = Case("opinion", "", (Passage("1", opinion(89_000)),), f"{text}  ")
    yield _timed("90 KB answer checked against 89 KB of context", lambda: layer(case))
    drawn = Case("drawn", "", (Passage("1", opinion(88_000)),), f"{text}   ")
    yield _timed("the same case made ready to draw, all of the heatmap", lambda: board(drawn, []))
    megabyte = opinion(1_000_000)
    yield _timed("1 MB read", lambda: read(megabyte))
    pairs = [(opinion(n), opinion(n + 300)) for n in (1_000, 1_200, 1_400, 1_600)] * 250
    yield _timed(
        "1,000 pairs of paragraphs (1.0 to 1.9 KB) by ROUGE-L",
        lambda: RougeL().of([(f"{a}{i}", b) for i, (a, b) in enumerate(pairs)]),
    )
    texts = [(f"{i} {a}", f"{i} {b}") for i, (a, b) in enumerate(pairs)]
    yield _timed(
        "1,000 pairs read, paired and scored by L-FRESCO with ROUGE-L",
        lambda: [l_fresco(document(a), document(b), RougeL()) for a, b in texts],
    )


if __name__ == "__main__":
    machine.show(figures())
