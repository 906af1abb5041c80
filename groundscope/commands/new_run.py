"""What a new run judges by: the parts that a user names, and the scores of other tools."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from groundscope.chat.model_spec import VARIABLE
from groundscope.commands.case_files import read_files, tell_rejected
from groundscope.commands.terminal import say
from groundscope.errors import DataError
from groundscope.grounding.imported.methods import Attached, attach
from groundscope.grounding.imported.scores import read_scores
from groundscope.grounding.imported.stored import stored_scores
from groundscope.grounding.parts import NamedPart, named
from groundscope.methods import Method, registry
from groundscope.methods.defaults import DEFAULTS
from groundscope.types import Case


def parts_here(
    methods: Sequence[str] | None, settings: Sequence[str], sweeps: Sequence[str], model: str | None
) -> list[tuple[NamedPart, Method]]:
    """The parts of a run, each with its method.

    A method that asks a chat model gets `model`, or the one that the environment names. Raises `ValueError` where a method or a
    parameter means nothing, and `ScorerUnavailable` where a method's file or package cannot be loaded.
    """
    parts = [_with_model(part, model) for part in named(methods_named(methods, sweeps), registry.names(), settings, sweeps)]
    return [(part, registry.load(part.method, **part.options)) for part in parts]


def methods_named(given: Sequence[str] | None, sweeps: Sequence[str] = ()) -> Sequence[str]:
    """The parts that `--methods` means; without it none if something is swept, else the default ones that can run here."""
    return given if given is not None else () if sweeps else registry.ready(DEFAULTS)


def attached(paths: Sequence[Path], cases: Sequence[Case], beside: Sequence[Path] = ()) -> list[Attached]:
    """The scores in files of other tools as further methods, and those that the files of cases themselves hold (`beside`).

    Raises `DataError` where two files hold the same metric.
    """
    found: list[Attached] = []
    given = [read_scores(name, data) for name, data in read_files(paths)]
    tools = {recorded.tool for recorded in given}
    # A pipe cannot be read twice.
    stored = stored_scores(read_files([path for path in beside if path.is_file()]))
    for recorded in (*given, *(one for one in stored if one.tool not in tools)):
        tell_rejected(recorded.rejected)
        methods, matched = attach(recorded, cases)
        counted = f"{matched.matched:,} of {len(recorded.rows):,} rows match a case, {matched.ambiguous:,} fit several"
        say(f"{recorded.name}, {recorded.title}: {counted}.")
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
