"""`rag-new`: begin an experiment on retrieval-augmented generation and work on it; what it takes is told first."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import scorers
from commands import terminal
from commands.case_files import read_cases, read_files
from commands.rag import DOORS, free, worked
from commands.terminal import REFUSED, say
from evaluation.errors import GroundscopeError
from evaluation.rag import experiments
from evaluation.rag.corpus import read_benchmark, with_fewer
from evaluation.rag.forecast import Takes, forecast
from evaluation.rag.loading import BM25, first_choice, planned
from evaluation.rag.sample_corpus import from_samples
from evaluation.rag.types import Benchmark
from evaluation.words import money


def rag_new(given: argparse.Namespace) -> int:
    """Begin an experiment and do all of it."""
    free(given.out)
    benchmark = _benchmark(given)
    retrievers = [BM25 if name == BM25 else f"embed:{name}" for name in _names(given.embedders)]
    first = first_choice([m for m in scorers.names() if _ready(m)])
    generators = _names(given.models) if given.models else list(first.generators)
    judge = given.judge or first.judge
    # The plan comes first: it says which id means nothing.
    plan = planned(
        given.name or benchmark.name, retrievers, generators, judge, given.k, DOORS, benchmark=benchmark.name,
        licence=benchmark.licence,
    )  # fmt: skip
    answers = len(retrievers) * len(generators) * len(benchmark.questions)
    sizes = ((len(benchmark.passages), "passage"), (len(benchmark.questions), "question"), (answers, "answer"))
    say(f"{', '.join(f'{n:,} {what}' + 's' * (n != 1) for n, what in sizes)}. {plan.judge.title}.")
    takes = forecast(benchmark, retrievers, generators, judge, given.k, DOORS)
    if not _told(takes, yes=given.yes):
        return REFUSED
    plan = replace(plan, notes=tuple(t.note for t in takes if t.note))
    return worked(experiments.create(plan, benchmark), given)


def _names(line: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in line.split(",") if name.strip()))


def _benchmark(given: argparse.Namespace) -> Benchmark:
    if bool(given.corpus) != bool(given.questions):
        raise ValueError("--corpus and --questions belong together; give both, or none for the sample set.")
    if given.corpus:
        corpus, questions = read_files([Path(given.corpus), Path(given.questions)])
        benchmark = read_benchmark(corpus, questions, given.licence or "")
    else:
        benchmark = from_samples(read_cases(None)[0])
    for problem in benchmark.problems:
        say(problem)
    return with_fewer(benchmark, given.limit) if given.limit else benchmark


def _ready(method: str) -> bool:
    try:
        scorer = scorers.load(method)
        return not (scorer.unavailable() if hasattr(scorer, "unavailable") else "")
    except (GroundscopeError, ValueError):
        return False


def _told(takes: Sequence[Takes], *, yes: bool) -> bool:
    """Say what it will take; whether it may begin."""
    if missing := [f"{t.title}: {t.missing}" for t in takes if t.missing]:
        say("\n".join(missing))
        return False
    head = ("part", "takes", "texts go to", "at most")
    rows = [
        (t.title, t.amount, t.leaves or "this machine", "price not known" if t.dollars is None else money(t.dollars))
        for t in takes
    ]
    if rows:
        say(terminal.table(head, rows))
    for note in filter(None, (t.note for t in takes)):
        say(note)
    if any(t.leaves for t in takes) and not (yes or terminal.agreed()):
        say("Nothing was sent. Add --yes to send it.")
        return False
    return True
