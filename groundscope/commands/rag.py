"""What works on an experiment; `rag-drop`: one answer of it without each of its passages."""

import gzip
from pathlib import Path

import click

from groundscope.commands import jobs, options, terminal
from groundscope.commands.case_files import write
from groundscope.commands.stopping import stop_event
from groundscope.commands.terminal import DONE, STOPPED, say, show, table
from groundscope.errors import BudgetSpent, Cancelled, DataError
from groundscope.experiments.plan import Place
from groundscope.experiments.store import JobFile
from groundscope.methods import registry
from groundscope.rag import experiments
from groundscope.rag.loading import Factories
from groundscope.rag.planning import steps
from groundscope.rag.records import to_jsonl
from groundscope.text.humanize import plural

FACTORIES = Factories(registry.embedder, registry.chat, registry.load)
OUT = click.option(
    "--out", metavar="FILE", type=options.PATH,
    help="a new file for the answers when all are there: JSONL, or packed as .jsonl.gz"
)  # fmt: skip


def free(out: Path) -> None:
    """Check, before anything is done, that answers can be written there; raises `DataError` where they cannot."""
    if out.exists():
        raise DataError(f"{out} is there already; name another file.")
    if not out.absolute().parent.is_dir():
        raise DataError(f"The folder of {out} is not there; make it, or name another file.")


def _result(file: JobFile, out: Path | None) -> str:
    if out is None:
        return str(file.path)
    data = to_jsonl(experiments.answers(file)).encode()
    # Without a time in it, the same answers are the same file.
    return write(out, gzip.compress(data, mtime=0) if out.suffix == ".gz" else data, "; name another file. The answers are kept")


WORKED = jobs.Worked(experiments.KIND, lambda file: steps(file, FACTORIES), _result, free)


@click.command()
@click.argument("experiment", metavar="EXPERIMENT", help="its id")
@click.option("--retriever", metavar="N", type=options.FROM_ZERO, required=True, help="place of the embedder, from 0")
@click.option("--generator", metavar="N", type=options.FROM_ZERO, required=True, help="of the model, from 0")
@click.option("--question", metavar="N", type=options.FROM_ZERO, required=True, help="of the question, from 0")
@options.LIMITS
def rag_drop(
    experiment: str, retriever: int, generator: int, question: int, calls: int | None, dollars: float | None, quiet: bool,
    with_parent: bool,
) -> int:  # fmt: skip
    """Find which passage carries an answer of an experiment.

    The question is answered and judged again with all passages, then without each one.
    """
    file, place = experiments.FOLDER.open(experiment), Place(generator, retriever, question)
    jobs.allow(file, calls, dollars)
    known = len(experiments.drops(file, place))
    stop, line = stop_event(with_parent=with_parent), terminal.Line(quiet=quiet)

    def hear(done: int, total: int) -> None:
        if stop.is_set():
            raise Cancelled
        line.show(f"{done:,} of {plural(total, 'answer')}")

    try:
        found = steps(file, FACTORIES).drop(place, hear)
    except (Cancelled, BudgetSpent) as error:
        why = str(error) if isinstance(error, BudgetSpent) else "Stopped."
        kept = len(experiments.drops(file, place)) > known
        say(f"{why} {'What was found until then is kept.' if kept else 'Nothing new was found until then.'}")
        return STOPPED
    hits, passages = experiments.hits(file)[place.other][place.row], experiments.passages(file)
    names = [
        (
            "all passages" if d.passage is None else f"without {passages[hits[d.passage].passage].id}",
            d.effect.value if d.effect else "",
            d.note,
        )
        for d in found
    ]
    show(table(("passages", "effect", "note"), names))
    return DONE
