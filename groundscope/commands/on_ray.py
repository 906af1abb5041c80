"""`run --on ray`: judge case files too large for one process."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from groundscope.cases.dataset import read_rows_of
from groundscope.cases.mapping.saved_mappings import named
from groundscope.chat.budget import NOTHING, Cost, Limits, in_words
from groundscope.commands.case_files import CaseFiles
from groundscope.commands.jobs import offered
from groundscope.commands.terminal import DONE, REFUSED, STOPPED, Line, say, show, stop_event
from groundscope.errors import BudgetSpent, DataError, ScorerUnavailable, StoreError
from groundscope.experiments.ledger import allow
from groundscope.experiments.listing import seconds_left
from groundscope.experiments.plan import Count, Part, Start
from groundscope.files.addresses import is_address, shown, whole
from groundscope.grounding.runs.planning import forecast
from groundscope.grounding.sharded.chunks import CaseChunk, chunks_of, rows_of
from groundscope.grounding.sharded.columns import finish
from groundscope.grounding.sharded.shards import prepare
from groundscope.grounding.sharded.work import judge_on_ray
from groundscope.methods import Method
from groundscope.runtime.machine import stamp
from groundscope.storage.sqlite import now
from groundscope.text.humanize import plural, spell
from groundscope.types import Case

_SAMPLE = 200
"""Rows whose calls are counted before the start."""


class ClusterOptions(NamedTuple):
    """How Ray works: where, by how many processes a method, in chunks of how many cases and tokens, and for how much."""

    address: str | None
    workers: int | None
    cases: int
    tokens: int
    limits: Limits
    yes: bool
    quiet: bool
    with_parent: bool


def run_on_ray(
    case_files: CaseFiles, load: Callable[[], list[tuple[Part, Method]]], out: Path | None, how: ClusterOptions
) -> int:
    """Judge files by methods on Ray, and give the exit code; see `groundscope.grounding.sharded.work.judge_on_ray`.

    `load` loads the methods, once the files and the folder can be used.
    """
    if not case_files.files:
        raise DataError("Name the files to judge with --cases.")
    if case_files.sample or case_files.splits or case_files.keeps is not None:
        raise ValueError("--on ray reads files as they are; leave --sample, --make-splits and --keep-map out")
    if out is None:
        raise DataError("Name the folder for the results with --out; all machines must see it.")
    if is_address(str(out)):
        raise DataError(f"{shown(str(out))} is an address; name with --out a folder that all machines see, such as one on NFS.")
    files = [whole(path) for path in case_files.files]
    parts = load()
    if not parts:
        raise DataError("There is nothing to judge by: name a method with --methods.")
    for part, method in parts:
        if missing := method.unavailable():
            raise ScorerUnavailable(f"{part.id}: {missing}")
    chunks = chunks_of(files, how.cases, how.tokens)
    asking = [(part, method) for part, method in parts if part.asks]
    if asking and not _agreed(chunks, asking, case_files.mapping, yes=how.yes):
        return REFUSED
    prepare(out, parts, [chunk.shown for chunk in chunks], stamp())
    say(f"{plural(len(chunks), 'chunk')} of {plural(len(files), 'file or folder', 'files or folders')}; Ray is starting.")
    return _work(chunks, parts, out, case_files.mapping, how)


def _agreed(chunks: Sequence[CaseChunk], parts: Sequence[tuple[Part, Method]], mapping: str | None, *, yes: bool) -> bool:
    """Say what the calls take, from the first rows, and where texts go; whether the user agrees."""
    rows = (one for chunk in chunks for _, one in read_rows_of(chunk.shown, rows_of(chunk), named(mapping) if mapping else None))
    first = list(islice(rows, _SAMPLE))
    cases = [one for one in first if isinstance(one, Case)]
    if not cases:
        raise DataError("None of the first rows can be used; see that the files hold cases.")
    scale = sum(chunk.rows for chunk in chunks) / len(first)
    takes = [
        t._replace(
            calls=round(t.calls * scale), tokens=round(t.tokens * scale), dollars=None if t.dollars is None else t.dollars * scale
        )
        for t in forecast(cases, parts, {}).values()
    ]
    return offered(takes, yes=yes)


def _work(
    chunks: Sequence[CaseChunk], parts: Sequence[tuple[Part, Method]], out: Path, mapping: str | None, how: ClusterOptions
) -> int:
    stop, line = stop_event(with_parent=how.with_parent), Line(quiet=how.quiet)
    paid = allow(out, how.limits) if any(part.asks for part, _ in parts) else None
    starts: dict[str, Start] = {}
    last: dict[str, Counter[str]] = {}

    def show_progress(part: str, counts: Counter[str]) -> None:
        last[part] = counts
        start = starts.setdefault(part, Start(now(), done=(counts["chunks"],)))
        line.show(lambda: _words(part, counts, len(chunks), start, paid.spent() if paid else NOTHING))

    why = ""
    try:
        last = judge_on_ray(
            chunks, parts, out.resolve(), address=how.address, workers=how.workers, mapping=mapping, stop=stop,
            on_progress=show_progress,
        )  # fmt: skip
        why = "Stopped." * stop.is_set()
    except (BudgetSpent, StoreError) as error:
        if not (isinstance(error, BudgetSpent) or any(counts["judged"] for counts in last.values())):
            raise
        why = str(error)
    for name, counts in last.items():
        line.keep(_words(name, counts, len(chunks)))
    if paid:
        say(f"So far {in_words(paid.spent())}.")
        paid.close()
    if why:
        say(f"{why} Finished chunks are saved; run the same command again to continue.")
        return STOPPED
    say("Every chunk is judged; the columns that pages open are being written.")
    finish(out)
    show(str(out))
    return DONE


def _words(part: str, counts: Counter[str], chunks: int, start: Start | None = None, spent: Cost = NOTHING) -> str:
    """How far a part is; with the `start` of its work also when it is done."""
    words = [f"{counts['chunks']:,} of {plural(chunks, 'chunk')}", f"{counts['judged']:,} judged"]
    words += [f"{counts['known']:,} already judged"] * bool(counts["known"])
    words += [f"{plural(counts['rejected'], 'row')} rejected"] * bool(counts["rejected"])
    if start and (left := seconds_left({0: Count(counts["chunks"], 0)}, {0: chunks}, start)[0]):
        words.append(f"about {spell(left)} left")
    if spent.calls:
        words.append(f"so far {in_words(spent)}")
    return f"{part}: {', '.join(words)}"
