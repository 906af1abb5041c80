"""Methods that judge by what they are told, cases for them, and what a store or another process holds of it."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

from evaluation import benchmark, planning
from evaluation.benchmark import Outcome
from evaluation.run_data import MethodRun
from evaluation.sentences import split
from evaluation.store import Store
from evaluation.types import Case, Claim, Judgement, Match, Passage, Scorer, SentenceScore, Status

ROOT = Path(__file__).resolve().parents[3]
HOSTILE = "<script>alert('x')</script> $a_b$ \x1b[31m \u202e =1+1 \"quoted\", 合 😀"


def cases_of(count: int) -> list[Case]:
    """Small cases, two responses a query; every fourth is not labelled."""
    return [
        Case(
            f"case-{i}",
            f"Who won appeal {i // 2}?",
            (Passage("p1", f"Appeal {i // 2} was dismissed. Costs went to the tenant.", "Report"),),
            f"Appeal {i // 2} was dismissed. The landlord paid {i} dollars.",
            grounded=None if i % 4 == 3 else i % 2 == 0,
            split="dev" if i % 3 else "test",
            group=f"query {i // 2}",
        )
        for i in range(count)
    ]


@dataclass
class Scripted:
    """Judges by the case's id alone, so that two runs of it agree; every state comes up, and every field is filled.

    Attributes:
        name: part of the signature and of what the supports hang on.
        pause: seconds that a score takes.
        does: called with each case before it is judged; may raise.
    """

    name: str = "scripted"
    pause: float = 0.0
    does: Callable[[Case], None] = lambda case: None
    seen: list[str] = field(default_factory=list)

    @property
    def signature(self) -> str:
        return f"{self.name}|scripted"

    def score(self, case: Case) -> Judgement:
        self.seen.append(case.id)
        self.does(case)
        time.sleep(self.pause)
        value = crc32(f"{self.name} {case.id}".encode())
        if value % 7 == 0:
            return Judgement(Status.INVALID, seconds=0.5, note=HOSTILE, raw='{"half": ')
        if value % 7 == 1:
            return Judgement(Status.NOT_ASSESSABLE, note="Nothing to assess.")
        if value % 7 == 2:
            raise RuntimeError(HOSTILE)
        supports = [None if value % 5 == i else (value >> i) % 101 / 100 for i, _ in enumerate(split(case.response))]
        sentences = tuple(
            SentenceScore(s.start, s.end, support, () if support is None else (Match(0, 0, 9, support), Match(0, 1, 3, 0.0)))
            for s, support in zip(split(case.response), supports, strict=True)
        )
        return Judgement(
            Status.SCORED,
            support=min((s for s in supports if s is not None), default=0.25),
            sentences=sentences,
            claims=(Claim(HOSTILE, None, 0, 9, "why"), Claim("It was.", 0.5, 0, 9)),
            seconds=self.pause + 0.25,
            context_seen=0.5 if value % 2 else 1.0,
            note=HOSTILE if value % 3 else "",
        )


class Steady(Scripted):
    """Finds every response grounded, and says so at once."""

    def score(self, case: Case) -> Judgement:
        self.seen.append(case.id)
        self.does(case)
        return Judgement(Status.SCORED, support=0.75, seconds=0.125)


def planned(store: Store, cases: Sequence[Case], scorers: dict[str, Scorer], name: str = "A run", **limits: object) -> str:
    """Begin a run."""
    methods: list[MethodRun] = [planning.method_run(m, scorer, {}) for m, scorer in scorers.items()]
    return planning.begin(store, planning.plan(name, "cases.jsonl", cases, methods, **limits), cases)  # type: ignore[arg-type]


def finished(store: Store, cases: Sequence[Case], scorers: dict[str, Scorer], name: str = "A run") -> str:
    """A run with nothing left to judge."""
    run = planned(store, cases, scorers, name)
    assert benchmark.work(store, run, scorers) == Outcome(True)
    return run


def two_methods(pause: float = 0.0) -> dict[str, Scorer]:
    return {"first": Scripted("first", pause), "second": Scripted("second", pause)}


def started(code: str, *arguments: object) -> "subprocess.Popen[str]":
    """A child that runs the code; it says `ready` and waits for a line."""
    child = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n", child.communicate()[1]
    return child


def go(child: "subprocess.Popen[str]") -> None:
    assert child.stdin is not None
    child.stdin.write("go\n")
    child.stdin.flush()


def ended(child: "subprocess.Popen[str]") -> str:
    """What a child wrote until its end."""
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    return str(out)
