"""`run --on ray`: cases that outgrow one process."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from groundscope.commands.case_files.loading import CaseFiles
from groundscope.commands.stopping import stop_event
from groundscope.commands.terminal import DONE, STOPPED, Line, say, show
from groundscope.errors import DataError, ScorerUnavailable
from groundscope.grounding.chosen_parts import parts_here
from groundscope.grounding.runs.planning import method_run
from groundscope.grounding.sharded.chunks import chunks_of
from groundscope.grounding.sharded.columns import finish
from groundscope.grounding.sharded.shards import ShardedPart, prepare
from groundscope.grounding.sharded.work import ClusterCounts, judge_on_ray
from groundscope.runtime.machine import stamp
from groundscope.text.humanize import plural


class ClusterOptions(NamedTuple):
    """How Ray works: where, by how many processes a method, and in chunks of how many cases."""

    address: str | None
    workers: int | None
    cases: int
    quiet: bool
    with_parent: bool


def run_on_ray(
    given: CaseFiles, methods: Sequence[str] | None, settings: Sequence[str], sweeps: Sequence[str], out: Path | None,
    how: ClusterOptions,
) -> int:  # fmt: skip
    """Judge files by methods on Ray, and give the exit code; see `groundscope.grounding.sharded.work.judge_on_ray`."""
    if not given.files:
        raise DataError("Name the files to judge with --cases.")
    if given.sample or given.splits or given.keeps is not None:
        raise ValueError("--on ray reads files as they are; leave --sample, --make-splits and --keep-map out")
    if out is None:
        raise DataError("Name the folder for the results with --out; all machines must see it.")
    # A path has one stroke where an address has two.
    files = [re.sub(r"^(\w{2,}):/(?!/)", r"\1://", str(path)) for path in given.files]
    parts, about = [], []
    for part, method in parts_here(methods, settings, sweeps):
        if missing := method.unavailable():
            raise ScorerUnavailable(f"{part.name}: {missing}")
        if method.asks:
            raise DataError(f"{part.name} asks a chat model, and those are not judged on Ray yet; leave --on out for it.")
        parts.append(ShardedPart(part.name, part.method, dict(part.options), method.signature, method.about.threshold))
        about.append(method_run(part, method))
    if not parts:
        raise DataError("There is nothing to judge by: name a method with --methods.")
    chunks = chunks_of(files, how.cases)
    prepare(out, parts, about, {"files": list(dict.fromkeys(chunk.path for chunk in chunks)), "machine": stamp()})
    say(f"{plural(len(chunks), 'chunk')} of {plural(len(files), 'file or folder', 'files or folders')}; Ray is starting.")
    stop, line = stop_event(with_parent=how.with_parent), Line(quiet=how.quiet)

    def hear(part: str, counts: ClusterCounts) -> None:
        line.show(lambda: _words(part, counts, len(chunks)))

    found = judge_on_ray(
        chunks, parts, out.resolve(), address=how.address, workers=how.workers, mapping=given.mapping, stop=stop, hear=hear
    )
    for name, counts in found.items():
        line.keep(_words(name, counts, len(chunks)))
    if stop.is_set():
        say("Stopped. Every chunk that is done is kept; the same command goes on.")
        return STOPPED
    say("Every chunk is judged; the columns that pages open are being written.")
    finish(out)
    show(str(out))
    return DONE


def _words(part: str, counts: ClusterCounts, chunks: int) -> str:
    words = [f"{counts.chunks + counts.before:,} of {plural(chunks, 'chunk')}", f"{counts.judged:,} judged"]
    words += [f"{counts.known:,} known before"] * bool(counts.known)
    words += [f"{plural(counts.rejected, 'row')} rejected"] * bool(counts.rejected)
    return f"{part}: {', '.join(words)}"
