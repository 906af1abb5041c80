"""Methods that judge by what they are told, cases for them, and what a store or another process holds of it."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

from groundscope.chat.budget import Limits
from groundscope.experiments.listing import one
from groundscope.experiments.plan import Part
from groundscope.experiments.steps import Outcome
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import work
from groundscope.grounding.parts import described
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import FOLDER, JUDGEMENT, KIND, place, result
from groundscope.grounding.runs.work import Judging
from groundscope.methods import Method
from groundscope.text.sentences import split
from groundscope.types import Case, Claim, Judgement, Match, Passage, SentenceScore, Status

ROOT = Path(__file__).resolve().parents[4]
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
class Scripted(Method):
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


def planned(
    cases: Sequence[Case], scorers: Mapping[str, Method], name: str = "A run", *, keeps_replies: bool = True,
    timed: bool = True, **limits: float,
) -> JobFile:  # fmt: skip
    """Begin a run."""
    methods: list[Part] = [described(Part(m), scorer) for m, scorer in scorers.items()]
    allowed = Limits(**limits)  # type: ignore[arg-type]
    how: dict[str, Any] = {"keeps_replies": keeps_replies, "timed": timed, "limits": allowed}
    return FOLDER.open(planning.begin(name, "cases.jsonl", cases, methods, **how))


def finished(cases: Sequence[Case], scorers: Mapping[str, Method], name: str = "A run", *, timed: bool = True) -> JobFile:
    """A run with nothing left to judge."""
    run = planned(cases, scorers, name, timed=timed)
    assert judge(run, scorers).finished
    return run


def add(run: JobFile, method: int, row: int, judgement: Judgement, *, timed: bool) -> None:
    """Keep a judgement."""
    run.keep(place(method, row), result(judgement, timed=timed))


def done(run: JobFile) -> tuple[int, ...]:
    """Judgements so far, by method."""
    return tuple(part.done for part in one(KIND, run).parts)


def failed(run: JobFile) -> tuple[int, ...]:
    """How many of these could not run."""
    return tuple(part.failed for part in one(KIND, run).parts)


def places(run: JobFile) -> set[tuple[int, int]]:
    """What is judged: (method, row)."""
    return {(at.part, at.row) for at in run.done(JUDGEMENT)}


def two_methods(pause: float = 0.0) -> dict[str, Method]:
    return {"first": Scripted("first", pause), "second": Scripted("second", pause)}


def judge(file: JobFile, scorers: Mapping[str, Method], **how: Any) -> Outcome:
    return work(file, Judging(file, scorers), **how)
