"""An app with a run of its own beside the sample's: three methods, hostile names and texts, gold spans."""

import os
from collections.abc import Iterator
from pathlib import Path
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
RESPONSES = 90


class App(NamedTuple):
    address: str
    run: str
    data: Path


class Steady:
    """Finds a sentence unsupported in a fixed share of the responses."""

    def __init__(self, name: str, every: int) -> None:
        self.signature = f"{name}|steady"
        self._every = every

    def score(self, case: Case) -> Judgement:
        number = int(case.id.rpartition("-")[2])
        low = 0.25 if number % self._every == 0 else 0.75
        sentences = tuple(SentenceScore(s.start, s.end, low if i == 1 else 0.875) for i, s in enumerate(split(case.response)))
        return Judgement(Status.SCORED, support=low, sentences=sentences, seconds=0.125)


def hostile_cases() -> list[Case]:
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
            split="test",
            group=f"query {i // 2}",
            area=HOSTILE if i % 3 else "Torts",
        )
        for i in range(RESPONSES)
    ]


@pytest.fixture(scope="package")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    root = tmp_path_factory.mktemp("errors")
    own = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDSCOPE_")}
    scorers: dict[str, Scorer] = {f"made_{every}": Steady(f"made_{every}", every) for every in (2, 3, 5)}
    methods = [MethodRun(i, s.signature, f"{HOSTILE[:20]} {i}", threshold=0.5) for i, s in scorers.items()]
    store = Store(root / "data" / "runs.sqlite")
    cases = hostile_cases()
    run = planning.begin(store, planning.plan("Hostile", "cases.jsonl", cases, methods), cases)
    assert benchmark.work(store, run, scorers) == Outcome(True)
    store.close()
    with serving(root / "log.txt", {**own, "GROUNDSCOPE_DATA": str(root / "data")}) as address:
        yield App(address, run, root / "data")
