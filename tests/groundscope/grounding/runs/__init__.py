"""Runs with made-up supports, for tests and benchmarks of what is made of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from groundscope.experiments.plan import Part
from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.runs.arrays import PENDING, STATUSES, RunData, SentenceTable, case_columns
from groundscope.grounding.tuning import Objective, Tuned, rejected, tune_all
from groundscope.types import Case, ErrorSpan, ErrorType, Passage, Status

AREAS = ("Labour", "Privacy", "Torts", "Contracts")
SENTENCES = (
    "The court heard the case in May.",
    "It found for the tenant.",
    "The landlord owed ten dollars.",
    "No appeal was made.",
)


def made_cases(count: int, seed: int = 0) -> list[Case]:
    """Three responses a query, one of them grounded; a fifth of the queries on dev, the others on test."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(count):
        query, grounded = i // 3, i % 3 == 0
        response = " ".join(SENTENCES)
        start = response.index(SENTENCES[int(rng.integers(0, 4))])
        kind = tuple(ErrorType)[int(rng.integers(0, 6))]
        errors = () if grounded else (ErrorSpan(start, start + 10, kind, "It is otherwise."),)
        found.append(
            Case(
                f"case-{i}",
                f"What did the court find in case {query}?",
                (Passage("p1", " ".join(SENTENCES[:3]), "Report"),),
                response,
                grounded=grounded,
                errors=errors,
                split="dev" if query % 5 == 0 else "test",
                group=f"query-{query}",
                area=AREAS[query % 4],
            )
        )
    return found


def made_run(cases: Sequence[Case], methods: int = 3, seed: int = 0, invalid: float = 0.02) -> RunData:
    """Methods that are right the more often the higher their number; each sentence has a support."""
    rng = np.random.default_rng(seed)
    columns = case_columns(cases)
    n, k = len(cases), len(SENTENCES)
    edges = np.cumsum([0, *(len(s) + 1 for s in SENTENCES)])
    wrong = np.zeros((n, k), dtype=bool)
    for i, case in enumerate(cases):
        for error in case.errors:
            wrong[i, int(np.searchsorted(edges, error.start, side="right")) - 1] = True
    supports = np.empty((methods, n, k))
    for m in range(methods):
        gap = 0.1 + 0.5 * m / max(1, methods - 1)
        supports[m] = np.clip(rng.normal(0.7 - gap * wrong, 0.2), 0, 1)
    status = np.full((methods, n), STATUSES.index(Status.SCORED), dtype=np.int8)
    status[rng.random((methods, n)) < invalid] = STATUSES.index(Status.INVALID)
    none = status != STATUSES.index(Status.SCORED)
    lowest = np.where(none, np.nan, supports.min(axis=2))
    scale = np.logspace(-2, 1, methods)[:, None]

    def sentences(method: int) -> SentenceTable:
        rows = np.flatnonzero(~none[method])
        case = np.repeat(rows, k).astype(np.int32)
        starts = np.tile(edges[:k], len(rows)).astype(np.int32)
        ends = np.tile(edges[1:] - 1, len(rows)).astype(np.int32)
        flat = supports[method][rows].ravel()
        return SentenceTable(case, starts, ends, flat, np.full(len(flat), np.nan))

    return RunData(
        id="made",
        name="Made-up run",
        source="made-up cases",
        data_hash="0" * 16,
        methods=tuple(
            Part(f"method_{m}", f"Method {m}", f"method_{m}|made-up", asks=m == methods - 1, threshold=0.5, cold_seconds=1.5)
            for m in range(methods)
        ),
        **columns._asdict(),
        status=status,
        support=lowest,
        lowest=lowest,
        mean=np.where(none, np.nan, supports.mean(axis=2)),
        seconds=rng.lognormal(0, 0.3, (methods, n)) * scale,
        timed=rng.random((methods, n)) > 0.01,
        context_seen=np.where(rng.random((methods, n)) < 0.05, 0.8, 1.0),
        cost=np.where(np.arange(methods)[:, None] == methods - 1, 0.002, 0.0) * np.ones((methods, n)),
        calls=np.repeat((np.arange(methods) == methods - 1).astype(np.int32)[:, None], n, axis=1),
        tokens=np.repeat((np.arange(methods) == methods - 1).astype(np.int32)[:, None] * 900, n, axis=1),
        machine=("a made-up machine",),
        created="2026-11-22T10:00:00+00:00",
        finished=True,
        read_cases=lambda rows: [cases[int(i)] for i in rows],
        read_sentences=sentences,
        read_notes=lambda method, rows: ["" for _ in rows],
    )


def pending(run: RunData, method: int, rows: Any) -> RunData:
    """The run while a method has yet to judge some rows."""
    status = run.status.copy()
    status[method, rows] = PENDING
    return replace(run, status=status)


def decided(run: RunData, objective: Objective | None = None, tuned: Mapping[str, Tuned] | None = None) -> Decision:
    """Rules frozen for a run: those that tuning finds, unless others are named."""
    aim = objective or Objective()
    rules = tune_all(run, aim)[0] if tuned is None else tuned
    signatures = {m.id: m.signature for m in run.methods}
    left_out = rejected(run.methods, rules, aim)
    return Decision("d", "2026", run.name, run.data_hash, aim, rules, signatures, left_out, ("own", "min", "mean"))
