"""A small benchmark, and parts that find, write and judge by plain rules."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.errors import ModelUnavailable
from evaluation.rag import experiments
from evaluation.rag.experiment_file import ExperimentFile, Part, Plan
from evaluation.rag.types import Benchmark, Hear, Hit, Question, Retriever, Verdict, Written
from evaluation.rag.work import Parts
from evaluation.types import Passage

PASSAGES = tuple(Passage(f"p{i}", f"Rule {i} holds in district {i}.", f"Act {i}") for i in range(30))
QUESTIONS = tuple(Question(f"q{i}", f"Which rule holds in district {i}?", f"Rule {i}.", (f"p{i}",)) for i in range(12))
BENCHMARK = Benchmark("Districts", PASSAGES, QUESTIONS, licence="CC0")


@dataclass
class Nearest:
    """Finds passages of the question's number and those after it; `off` of them too late."""

    off: int = 0
    asked: int = 0

    @property
    def signature(self) -> str:
        return f"nearest|{self.off}"

    def search(self, passages: Sequence[Passage], questions: Sequence[str], k: int, hear: Hear) -> list[list[Hit]]:
        self.asked += 1
        hear(0, len(questions))
        numbers = [int(q.rstrip("?").split()[-1]) for q in questions]
        return [[Hit((n + self.off + i) % len(passages), 1.0 - i / 100) for i in range(k)] for n in numbers]


@dataclass
class Copies:
    """Copies the first passage; refuses some questions as long as it is `broken`."""

    name: str = "copies"
    broken: bool = False
    every: int = 3
    calls: list[str] = field(default_factory=list)

    @property
    def signature(self) -> str:
        return self.name

    def answer(self, question: str, passages: Sequence[Passage]) -> Written:
        self.calls.append(question)
        if self.broken and int(question.rstrip("?").split()[-1]) % self.every == 0:
            raise ModelUnavailable("The model did not answer; try again later.")
        return Written(passages[0].text)


@dataclass
class Numbers:
    """Correct where the reference stands in the answer, grounded where the answer is a passage."""

    calls: int = 0

    signature = "numbers"

    def judge(self, question: Question, answer: str, passages: Sequence[Passage]) -> Verdict:
        self.calls += 1
        return Verdict(question.reference.rstrip(".") + " " in answer, answer in {p.text for p in passages}, "by rule")


def parts(retrievers: dict[str, Retriever] | None = None, *, asks: bool = False, **generators: Copies) -> Parts:
    return Parts(retrievers or {"near": Nearest(), "far": Nearest(1)}, generators or {"copies": Copies()}, Numbers(), asks)


def plan_of(made: Parts, k: int = 3) -> Plan:
    named = lambda all_: tuple(Part(i, i.title(), p.signature) for i, p in all_.items())  # noqa: E731
    judge = Part("numbers", "Numbers", made.judge.signature)
    return Plan("Test", named(made.retrievers), named(made.generators), judge, k, BENCHMARK.name, BENCHMARK.licence)


def begun(made: Parts, benchmark: Benchmark = BENCHMARK, k: int = 3) -> ExperimentFile:
    """A new experiment's file."""
    return experiments.opened(experiments.create(plan_of(made, k), benchmark))


def files(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.rglob("*") if p.is_file())
