"""How often each method was right: its track record in a run with labelled cases, to stand beside its verdict."""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import Any

from components import state
from components.opened import runs
from components.team import person
from groundscope.drawing.record import Records, records_of
from groundscope.errors import GroundscopeError
from groundscope.grounding.runs.listing import RunEntry, samples
from groundscope.methods import same_method
from groundscope.paths import set_setting, settings
from groundscope.statistics.risk import Promise, percent_up

CHOICE = "record"
"""The name of the chosen run among the choices that a session keeps."""
_SETTING = "record_run"
_THREAD = ThreadPoolExecutor(1, thread_name_prefix="record")


def choices() -> dict[str, RunEntry]:
    """The finished runs that may show how often a method was right, by id; the one that comes with the app first."""
    finished = [e for e in runs.run_list().entries.values() if e.finished]
    return {e.id: e for e in sorted(finished, key=lambda e: not e.comes_with_app)}


def chosen(entries: Mapping[str, RunEntry]) -> str | None:
    """The id of the run that shows it: as chosen in this session, or before, or the first; None without any."""
    ids = (runs.run_choices().get(CHOICE), person.kept(_SETTING), settings().get(_SETTING), *entries)
    return next((i for i in ids if isinstance(i, str) and i in entries), None)


def choose(run: str, *, for_all: bool = False) -> None:
    """Choose the run, now and for later sessions; `for_all` also for others who chose none."""
    runs.run_choices()[CHOICE] = run
    person.keep(_SETTING, run)
    if for_all:
        set_setting(_SETTING, run)


def warm() -> None:
    """Start to compute the record of the run that comes with the app, in the background."""
    for entry in samples()[:1]:
        _counted(entry, runs.marks(entry.folder))


def drawn(signatures: Mapping[str, str]) -> dict[str, dict[str, Any]] | None:
    """What the board draws of each method's record, by method; without those of which the chosen run says nothing."""
    entries = choices()
    if (run := chosen(entries)) is None:
        return {}
    entry = entries[run]
    counted = _counted(entry, runs.marks(entry.folder))
    if not counted.done():
        return None
    records = ((name, data) for name, wanted in signatures.items() for s, data in counted.result() if same_method(s, wanted))
    return dict(records)


@lru_cache(maxsize=4)
def _counted(entry: RunEntry, _marks: object) -> Future[Records]:
    return _THREAD.submit(_count, entry)


def _count(entry: RunEntry) -> Records:
    try:
        return records_of(entry, runs.open_run(entry))
    except (GroundscopeError, ValueError):
        # A run whose sentences cannot be counted, such as one with a sentence twice, shows nothing.
        return []


def promised(signatures: Mapping[str, str], promises: Mapping[str, state.SetPromise] | None = None) -> dict[str, dict[str, Any]]:
    """What the board draws of the promises that thresholds carry, by method; without those made for other settings."""
    current = state.promises() if promises is None else promises
    promised_of = ((name, current.get(name), wanted) for name, wanted in signatures.items())
    return {name: promise_data(p.promise, p.place) for name, p, wanted in promised_of if p and same_method(p.signature, wanted)}


def promise_data(promise: Promise, place: str) -> dict[str, Any]:
    """A promise as JSON; it is for answers like those of `place`. The `phrase` is the short form, for tables."""
    limit, seen = promise.limit, promise.seen
    phrase = f"{limit.phrase}, fixed on {place}"
    words = (
        f"Promised for answers like those in {place}: on average at most {percent_up(limit.most)} of a question's "
        f"{limit.wrong} are missed, with {limit.confidence * 100:g} % confidence. There the lowest such threshold, "
        f"{promise.threshold:.4f}, missed {seen.missed:,} of {seen.wrong:,} {limit.wrong} and flagged {seen.alarms:,} of "
        f"{seen.sound:,} sound ones."
    )
    return {"words": words, "phrase": phrase, "threshold": promise.threshold}


def promise_words(data: Mapping[str, Any] | None, threshold: float | None) -> str:
    """What a threshold promises, as a sentence for exports; empty where nothing was promised of the method."""
    if data is None or threshold is None:
        return ""
    if threshold >= data["threshold"]:
        return str(data["words"])
    return f"Below {data['threshold']:.4f} its promise about misses does not hold."


def promise_phrase(data: Mapping[str, Any] | None, threshold: float | None) -> str:
    """What a threshold promises, in a phrase for tables; that it is gone where the threshold was lowered by hand."""
    if data is None or threshold is None:
        return ""
    if threshold < data["threshold"]:
        return f"none: lowered by hand below {data['threshold']:.4f}, which {data['phrase']}"
    raised = f"; raised by hand from {data['threshold']:.4f}, which keeps it" if threshold > data["threshold"] else ""
    return f"{data['phrase']}{raised}"


def newest(signature: str) -> tuple[RunEntry, dict[str, Any] | None] | None:
    """The newest finished run that judged with a method of this signature, and the method's record there."""
    for entry in sorted(choices().values(), key=lambda e: e.created, reverse=True):
        manifest = runs.manifest(entry.folder) if entry.folder else ""
        methods = manifest.get("methods", []) if isinstance(manifest, dict) else []
        if not any(same_method(str(m.get("signature", "")), signature) for m in methods):
            continue
        counted = _counted(entry, runs.marks(entry.folder))
        if not counted.done():
            return entry, None
        return next(((entry, data) for s, data in counted.result() if same_method(s, signature)), None)
    return None
