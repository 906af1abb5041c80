"""A small benchmark, and parts that find, write and judge by plain rules."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from unittest.mock import patch

from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.errors import ModelUnavailable
from groundscope.experiments.plan import Part
from groundscope.experiments.steps import Outcome
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import work
from groundscope.rag import experiments, planning
from groundscope.rag.experiments import ExperimentPlan
from groundscope.rag.planning import Answering
from groundscope.rag.types import Benchmark, Generator, Hit, Question, Retriever, Verdict, Written
from groundscope.text.embedding import Hear
from groundscope.types import Passage

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
    """Copies the first passage; refuses every third question as long as it is `broken`."""

    name: str = "copies"
    broken: bool = False
    calls: list[str] = field(default_factory=list)

    @property
    def signature(self) -> str:
        return self.name

    def answer(self, question: str, passages: Sequence[Passage]) -> Written:
        self.calls.append(question)
        if self.broken and int(question.rstrip("?").split()[-1]) % 3 == 0:
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


class Made(NamedTuple):
    """Parts of an experiment by their ids."""

    retrievers: dict[str, Any]
    generators: dict[str, Any]
    judge: Any
    asks: bool = False

    def steps(self, file: JobFile) -> Answering:
        found = {
            "retriever": lambda part: (self.retrievers[part], part),
            "generator": lambda part: (self.generators[part], part),
            "judge": lambda part: (self.judge, part),
        }
        with patch.multiple(planning, **found):
            return Answering(file)


def parts(retrievers: dict[str, Retriever] | None = None, *, asks: bool = False, **generators: Generator) -> Made:
    return Made(retrievers or {"near": Nearest(), "far": Nearest(1)}, generators or {"copies": Copies()}, Numbers(), asks)


def plan_of(made: Made, k: int = 3) -> ExperimentPlan:
    def named(all_: dict[str, Any], *, asks: bool = False) -> tuple[Part, ...]:
        return tuple(Part(i, i.title(), p.signature, asks) for i, p in all_.items())

    judge = Part("numbers", "Numbers", made.judge.signature)
    return ExperimentPlan(
        "Test", named(made.retrievers), named(made.generators, asks=made.asks), judge, k, BENCHMARK.name, BENCHMARK.licence
    )


def begun(made: Made, benchmark: Benchmark = BENCHMARK, k: int = 3, limits: Limits = NO_LIMITS) -> JobFile:
    """A new experiment's file."""
    return experiments.FOLDER.open(experiments.create(plan_of(made, k), benchmark, limits))


def worked(file: JobFile, made: Made, **how: Any) -> Outcome:
    """Do what is left of an experiment."""
    return work(file, made.steps(file), **how)
