"""`rag-run`: start an experiment on retrieval-augmented generation; it says first what the experiment takes."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import starmap
from pathlib import Path

import click

from groundscope.chat.budget import Limits
from groundscope.commands import jobs, options
from groundscope.commands.case_files import read_cases, read_files
from groundscope.commands.rag import FACTORIES, OUT, WORKED, free
from groundscope.commands.terminal import REFUSED, say
from groundscope.humanize import plural
from groundscope.methods import registry
from groundscope.rag import experiments
from groundscope.rag.corpora.corpus import read_benchmark, with_fewer
from groundscope.rag.corpora.sample_corpus import from_samples
from groundscope.rag.forecast import forecast
from groundscope.rag.loading import BM25, first_choice, planned
from groundscope.rag.types import Benchmark


@click.command()
@click.option(
    "--corpus", metavar="FILE", type=options.PATH, help="passages: JSONL, JSON, CSV or Parquet", show_default="the sample set"
)
@click.option("--questions", metavar="FILE", type=options.PATH, help="questions to it")
@click.option("--licence", metavar="NAME", default="", show_default=False, help="of the data")
@click.option("--limit", metavar="N", type=options.POSITIVE, help="at most so many questions, spread evenly over all")
@click.option("--embedders", type=options.NAMES, default="bm25,minilm", help="bm25 and specs of embedders")
@click.option("--models", type=options.NAMES, help="similar, support:METHOD or chat:SPEC", show_default="those that need no key")
@click.option(
    "--judge",
    metavar="ID",
    help="chat:SPEC, offline:METHOD, or offline:GROUNDED+CORRECT with a method for each",
    show_default="the best without a key",
)
@click.option("--k", metavar="N", type=options.POSITIVE, default=5, help="passages that an answer is written from")
@click.option("--name", help="what the experiment is called")
@options.YES
@OUT
@options.LIMITS
def rag_run(
    corpus: Path | None, questions: Path | None, licence: str, limit: int | None, embedders: Sequence[str],
    models: Sequence[str] | None, judge: str | None, k: int, name: str | None, yes: bool, out: Path | None, calls: int | None,
    dollars: float | None, quiet: bool, with_parent: bool,
) -> int:  # fmt: skip
    """Start an experiment on retrieval-augmented generation.

    Every embedder finds passages for every question, every model answers from them, and a judge says what is correct and
    grounded. What it takes and where texts go is said first. Every result is saved as it comes: Ctrl-C pauses
    it, and `resume` continues it.
    """
    if out:
        free(out)
    benchmark = _benchmark(corpus, questions, licence, limit)
    retrievers = [BM25 if e == BM25 else f"embed:{e}" for e in embedders]
    first = first_choice(registry.ready(registry.names()))
    generators = list(models or first.generators)
    judge = judge or first.judge
    # The plan comes first: it says which id means nothing.
    plan = planned(
        name or benchmark.name, retrievers, generators, judge, k, FACTORIES, benchmark=benchmark.name,
        licence=benchmark.licence,
    )  # fmt: skip
    answers = len(retrievers) * len(generators) * len(benchmark.questions)
    sizes = ((len(benchmark.passages), "passage"), (len(benchmark.questions), "question"), (answers, "answer"))
    say(f"{', '.join(starmap(plural, sizes))}. {plan.judge.title}.")
    takes = forecast(benchmark, retrievers, generators, judge, k, FACTORIES)
    if not jobs.offered(takes, yes=yes):
        return REFUSED
    plan = replace(plan, notes=tuple(t.note for t in takes if t.note))
    file = experiments.FOLDER.open(experiments.create(plan, benchmark, Limits(calls, dollars)))
    return jobs.go(WORKED, file, out, quiet=quiet, with_parent=with_parent)


def _benchmark(corpus: Path | None, questions: Path | None, licence: str, limit: int | None) -> Benchmark:
    if (corpus is None) != (questions is None):
        raise ValueError("--corpus and --questions belong together; give both, or none for the sample set.")
    if corpus and questions:
        passages, asked = read_files([corpus, questions])
        benchmark = read_benchmark(passages, asked, licence)
    else:
        benchmark = from_samples(read_cases(None)[0])
    for problem in benchmark.problems:
        say(problem)
    return with_fewer(benchmark, limit) if limit else benchmark
