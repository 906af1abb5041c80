"""A new run: what is judged by what, and what that will take, before anything begins."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from groundscope.chat.budget import Limits
from groundscope.chat.model_spec import VARIABLE
from groundscope.commands import jobs
from groundscope.commands.case_files import read_cases, read_files, tell_rejected
from groundscope.commands.terminal import say
from groundscope.defaults import DEFAULTS
from groundscope.errors import DataError
from groundscope.grounding.imported.methods import Attached, attach
from groundscope.grounding.imported.scores import read_scores
from groundscope.grounding.parts import NamedPart, named
from groundscope.grounding.runs import listing, planning
from groundscope.methods import Method, registry
from groundscope.types import Case


def planned(
    files: Sequence[Path] | None, methods: Sequence[str] | None, scores: Sequence[Path], *, split: str, limit: int | None,
    settings: Sequence[str], sweeps: Sequence[str], model: str | None, batches: bool, keep: bool, yes: bool, name: str | None,
    limits: Limits,
) -> str:  # fmt: skip
    """Make a new run, after saying what it takes.

    Args:
        files: of cases; None = the sample set.
        methods: names of parts, such as `quip:n=9`; None = the default ones that can run here, or none if something is swept.
        scores: files of other tools' scores, which become further methods.
        split: only its cases, `none` = those without one; empty = all.
        limit: the first so many of these cases; None = all.
        settings: `PART.NAME=VALUE`.
        sweeps: `METHOD.NAME=VALUE,VALUE`; one part for each value.
        model: spec of the chat model for methods that ask one; None = the one that the environment names.
        batches: chat models will be asked in batches, which needs `keep`.
        keep: save the replies of chat models on disk.
        yes: the user agreed beforehand that texts are sent.
        name: for people; None = the files' name with the split.
        limits: calls and US dollars for the whole run, however often it is resumed.

    Returns:
        The id of the run; empty where a part cannot run here or the user did not agree, and nothing was made.

    Raises:
        DataError: a file cannot be read, the files or the split hold no case, or two files hold the same metric of one tool.
        ValueError: a method or a parameter means nothing, there is nothing to judge by, or `batches` comes without `keep`.
        ScorerUnavailable: the file or package of a method cannot be loaded.
        StoreError: the run cannot be written.
    """
    if batches and not keep:
        raise ValueError("--batches reads replies from saved ones, and --no-keep saves none; leave one of the two out")
    cases, source = read_cases(files)
    cases = planning.chosen(cases, split, limit)
    parts = [_with_model(part, model) for part in named(methods_named(methods, sweeps), registry.names(), settings, sweeps)]
    here = [(part, loaded(part.method, part.options)) for part in parts]
    attached = _attached(scores, cases)
    if not here and not attached:
        raise ValueError("there is nothing to judge by: name a method with --methods, or a tool's scores with --scores")
    if here:
        say(f"{len(cases):,} responses of {source}.")
        if not jobs.offered(list(planning.forecast(cases, here, listing.known_seconds()).values()), yes=yes):
            return ""
    return planning.begin(
        name or Path(source).stem + (f", {split}" if split else ""),
        source,
        cases,
        [planning.method_run(part, method) for part, method in here],
        attached,
        keeps_replies=keep,
        limits=limits,
    )


def methods_named(given: Sequence[str] | None, sweeps: Sequence[str] = ()) -> Sequence[str]:
    """The parts that `--methods` means; without it none if something is swept, else the default ones that can run here."""
    return given if given is not None else () if sweeps else registry.ready(DEFAULTS)


def loaded(method: str, options: Mapping[str, Any]) -> Method:
    """Build a method with its options.

    Its weights are read at the first score. Raises `ValueError` where there is no such method or its options mean nothing, and
    `ScorerUnavailable` where its file or package cannot be loaded.
    """
    try:
        return registry.load(method, **options)
    except TypeError as error:
        raise ValueError(f"{method} cannot take these parameters: {error}") from None


def _attached(paths: Sequence[Path], cases: Sequence[Case]) -> list[Attached]:
    found: list[Attached] = []
    for name, data in read_files(paths):
        recorded = read_scores(name, data)
        tell_rejected(recorded.rejected)
        methods, matched = attach(recorded, cases)
        rows = len(recorded.rows)
        say(f"{name}, {recorded.title}: {matched.matched:,} of {rows:,} rows match a case, {matched.ambiguous:,} fit several.")
        found += methods
    if len({a.method.id for a in found}) < len(found):
        raise DataError("Two files hold the same metric of the same tool; give one of them.")
    return found


def _with_model(part: NamedPart, model: str | None) -> NamedPart:
    """The part, with the model where its method asks one: a run names it, so that another environment changes nothing."""
    line = model or os.environ.get(VARIABLE)
    if line and "model" in registry.parameters(part.method):
        return replace(part, options={"model": line, **part.options})
    return part
