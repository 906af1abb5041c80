"""`rag-run`, `rag-drop`: work on an experiment, and on one answer of it without each of its passages."""

import argparse
import gzip
import time
from pathlib import Path

import scorers
from commands import terminal
from commands.stopping import stop_event
from commands.terminal import DONE, STOPPED, say, show, table
from evaluation.errors import BudgetSpent, Cancelled, DataError
from evaluation.keeping import keeping
from evaluation.rag import experiments
from evaluation.rag.dropping import Dropped, ablate
from evaluation.rag.experiment_file import Place
from evaluation.rag.loading import Doors, parts_of
from evaluation.rag.records import to_jsonl
from evaluation.rag.work import Tick, check, work
from evaluation.spending import Budget, spending
from evaluation.words import plural

_TOLD_EVERY = 0.5
DOORS = Doors(scorers.embedder, scorers.chat, scorers.load)


def rag_run(given: argparse.Namespace) -> int:
    """Do what is left of an experiment."""
    free(given.out)
    return worked(given.experiment, given)


def free(out: str | None) -> None:
    """See, before anything is done, that answers can be written there.

    Raises:
        DataError: something is there already, or its folder is not.
    """
    if out and Path(out).exists():
        raise DataError(f"{out} is there already; name another file.")
    if out and not Path(out).absolute().parent.is_dir():
        raise DataError(f"The folder of {out} is not there; make it, or name another file.")


def worked(experiment: str, given: argparse.Namespace) -> int:
    """Do what is left of an experiment, and write its answers where it is wanted."""
    file = experiments.opened(experiment)
    plan = file.plan()
    stop = stop_event(with_parent=given.with_parent)
    line = terminal.Line(quiet=given.quiet)

    told = [0.0]

    def hear(tick: Tick) -> None:
        far = f"{tick.done:,} of {plural(tick.total, 'passage' if tick.stage == 'retrieve' else 'answer')}"
        line.show(f"{tick.part}: {far}" if tick.stage == "retrieve" else far)
        # The page looks into the file; every tick would be a write.
        if time.monotonic() - told[0] > _TOLD_EVERY:
            told[0] = time.monotonic()
            file.tell(*tick)

    say(f"Experiment {experiment}: {plan.name}")
    ended = work(file, parts_of(plan, DOORS), hear=hear, stop=stop, budget=Budget(given.calls, given.dollars))
    for why, count in ended.failed.most_common():
        say(f"{plural(count, 'time')}: {why}")
    if ended.finished:
        if given.out:
            _write(Path(given.out), to_jsonl(experiments.answers(file)))
        show(given.out or str(file.path))
        return DONE
    say(f"{ended.why}\nTo go on: python -m groundscope rag-run {experiment}")
    return STOPPED


def _write(path: Path, text: str) -> None:
    data = text.encode("utf-8")
    try:
        # Without a time in it, the same answers are the same file.
        path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    except OSError as error:
        raise DataError(f"{path} cannot be written ({error.strerror}); name another file. The answers are kept.") from None


def rag_drop(given: argparse.Namespace) -> int:
    """Answer one question of an experiment again without each passage, and keep what that changes."""
    file = experiments.opened(given.experiment)
    plan, place = file.plan(), Place(given.retriever, given.generator, given.question)
    hits, questions = file.hits(place.retriever), file.questions()
    if hits is None or not (place.generator < len(plan.generators) and place.question < len(questions)):
        raise ValueError("There is no such answer in this experiment; count retriever, generator and question from 0.")
    parts, passages = parts_of(plan, DOORS), file.passages()
    check(plan, parts, generator=place.generator)
    stop, line = stop_event(with_parent=given.with_parent), terminal.Line(quiet=given.quiet)

    def hear(done: int, total: int) -> None:
        if stop.is_set():
            raise Cancelled
        line.show(f"{done:,} of {plural(total, 'answer')}")

    found: list[Dropped] = []
    known = len(file.drops(place))
    try:
        with spending(Budget(given.calls, given.dollars)), keeping(True):
            ablate(
                questions[place.question],
                [passages[h.passage] for h in hits[place.question][: plan.k]],
                parts.generators[plan.generators[place.generator].id],
                parts.judge,
                hear,
                found.append,
            )
    except (Cancelled, BudgetSpent) as error:
        # The first row is what the others are compared with, and says nothing of any passage.
        if kept := len(found) > max(1, known):
            file.keep_drops(place, found)
        why = str(error) if isinstance(error, BudgetSpent) else "Stopped."
        say(f"{why} {'What was found until then is kept.' if kept else 'Nothing new was found until then.'}")
        return STOPPED
    file.keep_drops(place, found)
    names = [
        (
            "all passages" if d.passage is None else f"without {passages[hits[place.question][d.passage].passage].id}",
            d.effect.value if d.effect else "",
            d.note,
        )
        for d in found
    ]
    show(table(("passages", "effect", "note"), names))
    return DONE
