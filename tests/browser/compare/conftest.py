"""An app with two runs of its own over the same cases: three methods with hostile names, latencies far apart."""

import os
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from evaluation import benchmark, planning
from evaluation.benchmark import Outcome
from evaluation.run_data import MethodRun
from evaluation.sentences import split
from evaluation.store import Store
from evaluation.types import Case, ErrorSpan, ErrorType, Judgement, Passage, Scorer, SentenceScore, Status
from tests.browser.conftest import WATCHWORD, serving

HOSTILE = f"<img src=x onerror=alert(1)> **{WATCHWORD}** $x$ [a](http://192.0.2.1)"
RESPONSES = 120
NAMES = {2: "Coin", 5: "Careful", 11: "Thorough"}


class App(NamedTuple):
    """Its address and its two runs."""

    address: str
    run: str
    other: str


class Erring:
    """Is wrong about one response in so many."""

    def __init__(self, every: int, seconds: float, shift: int = 0) -> None:
        self.signature = f"erring_{every}|every={every}"
        self._every, self._seconds, self._shift = every, seconds, shift

    def score(self, case: Case) -> Judgement:
        number = int(case.id.rpartition("-")[2])
        right = (number + self._shift) % self._every != 0
        low = 0.75 if bool(case.grounded) == right else 0.25
        sentences = tuple(SentenceScore(s.start, s.end, low if i == 1 else 0.875) for i, s in enumerate(split(case.response)))
        return Judgement(Status.SCORED, support=low, sentences=sentences, seconds=self._seconds)


def cases() -> list[Case]:
    """Two responses a query, one of them with an error in its second sentence."""
    response = f"The court heard the case. The landlord owed ten dollars. {HOSTILE}"
    start = response.index("ten")
    return [
        Case(
            f"{HOSTILE}-{i}",
            f"{HOSTILE} {i}?",
            (Passage("p", "The court heard the case. The landlord owed nine dollars.", HOSTILE),),
            response,
            grounded=i % 2 == 0,
            errors=() if i % 2 == 0 else (ErrorSpan(start, start + 3, tuple(ErrorType)[i % 6], HOSTILE),),
            split="dev" if i < 40 else "test",
            group=f"query {i // 2}",
            area=HOSTILE if i % 3 else "Torts",
        )
        for i in range(RESPONSES)
    ]


def judged(store: Store, name: str, shift: int) -> str:
    seconds = {2: 0.004, 5: 0.2, 11: 9.0}
    scorers: dict[str, Scorer] = {f"erring_{k}": Erring(k, s, shift) for k, s in seconds.items()}
    methods = [
        MethodRun(i, s.signature, f"{NAMES[k]} {HOSTILE[:30]}", threshold=0.5)
        for (i, s), k in zip(scorers.items(), seconds, strict=True)
    ]
    run = planning.begin(store, planning.plan(name, "cases.jsonl", cases(), methods), cases())
    assert benchmark.work(store, run, scorers) == Outcome(True)
    return run


@pytest.fixture(scope="package")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    root = tmp_path_factory.mktemp("compare")
    own = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDSCOPE_")}
    store = Store(root / "data" / "runs.sqlite")
    first, second = judged(store, f"First {HOSTILE[:30]}", 0), judged(store, "Second", 1)
    store.close()
    with serving(root / "log.txt", {**own, "GROUNDSCOPE_DATA": str(root / "data")}) as address:
        yield App(address, first, second)
