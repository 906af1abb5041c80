"""What works on an experiment."""

import gzip
from pathlib import Path

import click

from groundscope.commands import jobs, options
from groundscope.commands.case_files import write
from groundscope.errors import DataError
from groundscope.experiments.store import JobFile
from groundscope.methods import registry
from groundscope.rag import experiments
from groundscope.rag.loading import Factories
from groundscope.rag.planning import steps
from groundscope.rag.records import to_jsonl

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


RUNNER = jobs.JobRunner(experiments.KIND, lambda file: steps(file, FACTORIES), _result, free)
