"""`rag-run`: start an experiment on retrieval-augmented generation; what it takes is shown first."""

import gzip
from collections.abc import Sequence
from dataclasses import replace
from itertools import starmap
from pathlib import Path

import click

from groundscope.chat.budget import Limits
from groundscope.chat.prompt_files import shipped
from groundscope.commands import jobs, options
from groundscope.commands.case_files import check_place, read_cases, read_files, write
from groundscope.commands.terminal import REFUSED, say
from groundscope.experiments.store import JobFile
from groundscope.files.rows import KINDS
from groundscope.grounding.parts import method_here
from groundscope.grounding.rules.frozen_rules import own_threshold
from groundscope.methods import registry
from groundscope.models import embedders
from groundscope.rag import experiments
from groundscope.rag.asking import ANSWER
from groundscope.rag.corpora.corpus import read_benchmark, with_fewer, with_questions
from groundscope.rag.corpora.documents import read_documents
from groundscope.rag.corpora.sample_corpus import from_samples
from groundscope.rag.forecast import forecast
from groundscope.rag.loading import BM25, first_choice, threshold_in, with_prompts
from groundscope.rag.planning import Answering, planned
from groundscope.rag.records import to_jsonl
from groundscope.rag.retrieving.second_step import POOL
from groundscope.rag.retrieving.settings import crossed
from groundscope.rag.types import Benchmark
from groundscope.text.humanize import plural

OUT = click.option(
    "--out", metavar="FILE", type=options.PATH,
    help="a new file for the answers when all are there: JSONL, or packed as .jsonl.gz"
)  # fmt: skip


def _result(file: JobFile, out: Path | None) -> str:
    if out is None:
        return str(file.path)
    data = to_jsonl(experiments.answers(file)).encode()
    # Without a time in it, the same answers are the same file.
    return write(out, gzip.compress(data, mtime=0) if out.suffix == ".gz" else data, "; name another file. The answers are kept")


RUNNER = jobs.JobRunner(experiments.KIND, Answering, _result, check_place)


@click.command()
@click.option("--corpus", metavar="FILE", type=options.PATH, help=f"passages: {KINDS}", show_default="the sample set")
@click.option("--documents", type=options.FILES, help="documents instead, cut into passages: text, Markdown, DOCX or PDF")
@click.option("--size", metavar="N", type=options.POSITIVE, default=512, help="tokens of a document's passage at most")
@click.option("--by-length", is_flag=True, help="cut documents by length alone, not at headings first")
@click.option("--questions", metavar="FILE", type=options.PATH, help="questions to it")
@click.option("--licence", metavar="NAME", default="", show_default=False, help="of the data")
@click.option("--limit", metavar="N", type=options.POSITIVE, help="at most N questions, spread evenly over all")
@click.option("--embedders", type=options.NAMES, default="bm25,minilm", help="bm25 and specs of embedders")
@click.option("--models", type=options.NAMES, help="similar, support:METHOD or chat:SPEC", show_default="those that need no key")
@click.option(
    "--prompts",
    type=options.NAMES,
    default=shipped(ANSWER)[0].name,
    help=f"what each chat model is asked by: {', '.join(p.name for p in shipped(ANSWER))}, or your own; several are compared",
)
@click.option(
    "--judge",
    metavar="ID",
    help="chat:SPEC, chat/PROMPT:SPEC, offline:METHOD, or offline:GROUNDED+CORRECT with a method for each",
    show_default="the best without a key",
)
@click.option(
    "--second-judge",
    metavar="METHOD[@T]",
    default="",
    show_default="none",
    help="a method that also says what is grounded, such as overlap@0.4 or direct:model=SPEC; both are compared. Without T by "
    "its newest frozen threshold, or its starting one",
)
@click.option("--k", type=options.Counts(1), default="5", help="passages that an answer is written from; several are compared")
@click.option("--pieces", type=options.Counts(0), default="0", help="cut passages into so many tokens first; 0: leave them whole")
@click.option(
    "--rerankers", type=options.NAMES, default="none", help=f"what orders the best {POOL} again: none, similar, support:METHOD"
)
@click.option("--oracle", is_flag=True, help="everything once more with the relevant passages put first")
@click.option("--name", help="what the experiment is called")
@options.YES
@OUT
@options.LIMITS
def rag_run(
    corpus: Path | None, documents: Sequence[Path] | None, size: int, by_length: bool, questions: Path | None, licence: str,
    limit: int | None, embedders: Sequence[str], models: Sequence[str] | None, prompts: Sequence[str], judge: str | None,
    second_judge: str, k: Sequence[int], pieces: Sequence[int], rerankers: Sequence[str], oracle: bool, name: str | None,
    yes: bool, out: Path | None, calls: int | None, dollars: float | None, quiet: bool, with_parent: bool,
) -> int:  # fmt: skip
    """Start an experiment on retrieval-augmented generation.

    Every embedder finds passages for every question, every model answers from them, and a judge says what is correct and
    grounded. Several k, sizes of pieces and rerankers are crossed, and each is an embedder of its own in the results. What it
    takes and where texts go is said first. Every result is saved as it comes: Ctrl-C pauses it, and `resume` continues it.
    """
    check_place(out)
    if documents and corpus:
        raise ValueError("Name documents or a corpus, not both.")
    benchmark = _documents(documents, size, questions, licence, headings=not by_length) if documents else None
    benchmark = _told(benchmark or _benchmark(corpus, questions, licence), limit)
    retrievers = crossed(
        [BM25 if e == BM25 else f"embed:{e}" for e in embedders],
        k,
        pieces,
        ["" if r == "none" else r for r in rerankers],
        oracle=oracle,
    )
    first = first_choice(registry.ready(registry.names()))
    generators = with_prompts(models or first.generators, prompts)
    judge = judge or first.judge
    second, source = _second(second_judge)
    # The plan comes first: it says which id means nothing.
    plan = planned(
        name or benchmark.name, retrievers, generators, judge, k[0], benchmark=benchmark.name,
        licence=benchmark.licence, second=second,
    )  # fmt: skip
    answers = len(retrievers) * len(generators) * len(benchmark.questions)
    sizes = ((len(benchmark.passages), "passage"), (len(benchmark.questions), "question"), (answers, "answer"))
    beside = f" Second judge: {plan.second.title}{source}." if plan.second else ""
    say(f"{', '.join(starmap(plural, sizes))}. {plan.judge.title}.{beside}")
    takes = forecast(benchmark, retrievers, generators, judge, k[0], second)
    if not jobs.offered(takes, yes=yes):
        return REFUSED
    plan = replace(plan, notes=tuple(t.note for t in takes if t.note))
    file = experiments.FOLDER.open(experiments.create(plan, benchmark, Limits(calls, dollars)))
    return jobs.go(RUNNER, file, out, quiet=quiet, with_parent=with_parent)


def _second(part: str) -> tuple[str, str]:
    """The id of a second judge with its threshold, and where that is from; empty where the user names it."""
    if not part or threshold_in(part)[1] is not None:
        return part, ""
    threshold, source = own_threshold(method_here(part))
    return (part, "") if threshold is None else (f"{part}@{threshold!r}", f", {source}")


def _documents(files: Sequence[Path], size: int, questions: Path | None, licence: str, *, headings: bool) -> Benchmark:
    if questions is None:
        raise ValueError("--documents needs --questions; name the file of the questions to them.")
    corpus = read_documents(read_files(files), embedders.embedder("minilm").tokens, size, headings=headings)
    name = files[0].name if len(files) == 1 else f"{files[0].name} and {len(files) - 1:,} more"
    (asked,) = read_files([questions])
    return replace(with_questions(corpus.passages, name, asked, corpus.problems), licence=licence)


def _benchmark(corpus: Path | None, questions: Path | None, licence: str) -> Benchmark:
    if (corpus is None) != (questions is None):
        raise ValueError("--corpus and --questions belong together; give both, or none for the sample set.")
    if corpus and questions:
        passages, asked = read_files([corpus, questions])
        return read_benchmark(passages, asked, licence)
    return from_samples(read_cases(None)[0])


def _told(benchmark: Benchmark, limit: int | None) -> Benchmark:
    """What is asked, after what its files lack was shown."""
    for problem in benchmark.problems:
        say(problem)
    return with_fewer(benchmark, limit) if limit else benchmark
