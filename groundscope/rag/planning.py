"""A whole experiment with parts by their ids: its plan, and the steps that carry it out; ids as in `groundscope.rag.loading`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from groundscope.experiments.plan import Part
from groundscope.experiments.store import JobFile
from groundscope.rag import experiments
from groundscope.rag.loading import Factories, asked_by, generator, judge, retriever
from groundscope.rag.plan import ExperimentPlan
from groundscope.rag.retrieving.arms import arm
from groundscope.rag.types import Retriever
from groundscope.rag.work import Answering


def planned(
    name: str,
    retrievers: Sequence[str],
    generators: Sequence[str],
    judged_by: str,
    k: int,
    factories: Factories,
    *,
    benchmark: str = "",
    licence: str = "",
    notes: Sequence[str] = (),
) -> ExperimentPlan:
    """Plan an experiment with parts by their ids.

    Two parts that people call the same, such as one model on two servers, have their spec behind the title.

    Raises:
        ScorerUnavailable: a part cannot be used here.
    """
    arms = _told_apart(_arm(i, *retriever(i, factories)) for i in retrievers)
    writers = _told_apart(_part(i, *generator(i, factories)) for i in generators)
    return ExperimentPlan(
        name, arms, writers, _part(judged_by, *judge(judged_by, factories)), k, benchmark, licence, tuple(notes)
    )


def _told_apart(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts with titles that differ: answers are known by them."""
    parts = tuple(parts)
    often = Counter(p.title for p in parts)
    return tuple(p._replace(title=f"{p.title} ({p.id.partition(':')[2] or p.id})") if often[p.title] > 1 else p for p in parts)


def _arm(part: str, loaded: Retriever, title: str) -> Part:
    return Part(part, title, arm(part).signature(loaded.signature))


def _part(part: str, loaded: Any, title: str) -> Part:
    return Part(part, title, loaded.signature, asks=asked_by(part) is not None)


def steps(file: JobFile, factories: Factories) -> Answering:
    """Build the steps of an experiment, with its parts as they are here now.

    Raises:
        ScorerUnavailable: a part cannot be used here.
    """
    plan = experiments.plan_of(file)
    return Answering(
        file,
        {p.id: retriever(p.id, factories)[0] for p in plan.retrievers},
        {p.id: generator(p.id, factories)[0] for p in plan.generators},
        judge(plan.judge.id, factories)[0],
    )
